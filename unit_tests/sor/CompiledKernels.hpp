// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SOR_COMPILED_KERNELS_HPP
#define WAVESCAN_TEST_SOR_COMPILED_KERNELS_HPP

#if defined(WAVESCAN_HAS_KERNELS)
#include <WaveScan_CompiledKernels.hpp>
#endif
#include <WaveScan_SOR.hpp>
#include <impl/sor/host/WaveScan_HostLauncher.hpp>

/// @file
/// @brief The host's kernels that tests call with instructions of their own choice: compiled once.
///
/// Those of five points are in the library WaveScan::kernels already. Its solvers choose
/// instructions when they run, so it has these kernels for all of them; what is tested is what
/// users call, and not compiled another time. (The library makes them by taking their addresses; a
/// linker that misses one says so.) What chooses among kernels, and the kernels of nine
/// points, are in CompiledKernels.cpp. Where the library lacks a type, or a kernel's name is
/// another one by now, the declarations are without effect, and each file compiles what it calls.

// With devices the library's list of types has each of them twice.
#if defined(WAVESCAN_CALLS_KERNELS) && defined(WAVESCAN_HAS_TARGETS) && \
    !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP) && !defined(KOKKOS_ENABLE_SYCL)
#define WAVESCAN_TEST_SHARES_KERNELS

namespace wavescan::Impl::sor {

/// @brief Lanes of a band's inputs, as host_kernel computes them.
template <class Target, class T>
constexpr int lanes_of_inputs(int stages) {
  constexpr int width = TargetVector<Target, T>::lanes;
  return (2 * width + stages - 2) / width * width;
}

#define WAVESCAN_TEST_BAND(TEMPLATE, Target, T, Problem, Sweeps, Transposed, Measured)            \
  TEMPLATE void HostBand<Target, Problem<T>, lanes_of_inputs<Target, T>(Sweeps + Measured)>::run< \
      Sweeps, Transposed, Measured>(const HostPasses<Problem<T>>&, Index, Index);
#define WAVESCAN_TEST_BANDS(TEMPLATE, Target, T, Problem, Sweeps)        \
  WAVESCAN_TEST_BAND(TEMPLATE, Target, T, Problem, Sweeps, false, false) \
  WAVESCAN_TEST_BAND(TEMPLATE, Target, T, Problem, Sweeps, false, true)  \
  WAVESCAN_TEST_BAND(TEMPLATE, Target, T, Problem, Sweeps, true, false)  \
  WAVESCAN_TEST_BAND(TEMPLATE, Target, T, Problem, Sweeps, true, true)
#define WAVESCAN_TEST_STRIPS(TEMPLATE, T, Transposed)                                        \
  TEMPLATE void HostStrips<Avx2, Problem<T>, Transposed>::run(const HostPasses<Problem<T>>&, \
                                                              Index, Index);                 \
  TEMPLATE void HostStrips<Avx2, MaskedProblem<T>, Transposed>::run(                         \
      const HostPasses<MaskedProblem<T>>&, Index, Index);
#define WAVESCAN_TEST_SYMMETRIC(TEMPLATE, Target, T, Transposed)    \
  TEMPLATE void HostSymmetric<Target, Problem<T>, Transposed>::run( \
      const HostSymmetricPasses<Problem<T>>&, Index, Index);

#define WAVESCAN_TEST_KERNELS_FOR(TEMPLATE, Target, T)         \
  WAVESCAN_TEST_BANDS(TEMPLATE, Target, T, Problem, 1)         \
  WAVESCAN_TEST_BANDS(TEMPLATE, Target, T, Problem, 2)         \
  WAVESCAN_TEST_BANDS(TEMPLATE, Target, T, Problem, 4)         \
  WAVESCAN_TEST_BANDS(TEMPLATE, Target, T, Problem, 8)         \
  WAVESCAN_TEST_BANDS(TEMPLATE, Target, T, VariableProblem, 1) \
  WAVESCAN_TEST_BANDS(TEMPLATE, Target, T, VariableProblem, 2) \
  WAVESCAN_TEST_BANDS(TEMPLATE, Target, T, VariableProblem, 4) \
  WAVESCAN_TEST_SYMMETRIC(TEMPLATE, Target, T, false)          \
  WAVESCAN_TEST_SYMMETRIC(TEMPLATE, Target, T, true)
#define WAVESCAN_TEST_KERNELS(TEMPLATE, Exec, T) \
  WAVESCAN_TEST_KERNELS_FOR(TEMPLATE, Avx2, T)   \
  WAVESCAN_TEST_KERNELS_FOR(TEMPLATE, Avx512, T) \
  WAVESCAN_TEST_STRIPS(TEMPLATE, T, false)       \
  WAVESCAN_TEST_STRIPS(TEMPLATE, T, true)

WAVESCAN_COMPILED_FLOATS(WAVESCAN_TEST_KERNELS)

template <class T>
using ConstantNine = Problem<T, NinePointCoefficients<T>>;
template <class T>
using VariableNine = Problem<T, NinePointCoefficients<CoefficientField<T>>, FixedPoints>;

#define WAVESCAN_TEST_CHOICE(TEMPLATE, Target, T, Problem, Transposed) \
  TEMPLATE typename HostWorker<HostPasses<Problem<T>>>::run_type       \
  host_kernel<Target, Transposed, false, Problem<T>>(int);             \
  TEMPLATE typename HostWorker<HostPasses<Problem<T>>>::run_type       \
  host_kernel<Target, Transposed, true, Problem<T>>(int);
#define WAVESCAN_TEST_CHOICE_OF_STRIPS(TEMPLATE, Target, T, Transposed) \
  TEMPLATE typename HostWorker<HostPasses<Problem<T>>>::run_type        \
  strips_kernel<Target, Transposed, Problem<T>>();
#define WAVESCAN_TEST_CHOICES_FOR(TEMPLATE, Target, T)              \
  WAVESCAN_TEST_CHOICE(TEMPLATE, Target, T, Problem, false)         \
  WAVESCAN_TEST_CHOICE(TEMPLATE, Target, T, Problem, true)          \
  WAVESCAN_TEST_CHOICE(TEMPLATE, Target, T, VariableProblem, false) \
  WAVESCAN_TEST_CHOICE(TEMPLATE, Target, T, VariableProblem, true)  \
  WAVESCAN_TEST_CHOICE(TEMPLATE, Target, T, ConstantNine, false)    \
  WAVESCAN_TEST_CHOICE(TEMPLATE, Target, T, VariableNine, false)    \
  WAVESCAN_TEST_CHOICE_OF_STRIPS(TEMPLATE, Target, T, false)        \
  WAVESCAN_TEST_CHOICE_OF_STRIPS(TEMPLATE, Target, T, true)

/// Those of CompiledKernels.cpp.
#define WAVESCAN_TEST_CHOICES(TEMPLATE, Exec, T) \
  WAVESCAN_TEST_CHOICES_FOR(TEMPLATE, Avx2, T)   \
  WAVESCAN_TEST_CHOICES_FOR(TEMPLATE, Avx512, T)

WAVESCAN_COMPILED_FLOATS(WAVESCAN_TEST_CHOICES)

}  // namespace wavescan::Impl::sor

#endif

#endif
