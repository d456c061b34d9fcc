// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_KERNELS_HPP
#define WAVESCAN_KERNELS_HPP

#include <WaveScan.hpp>

#include <cstdint>

/// @file
/// @brief The host kernels that most of this project's programs use, compiled once for all of them:
/// see cmake/WaveScanKernels.cmake. Nothing depends on this; it only saves time.

namespace wavescan {

using KernelsExec = Kokkos::DefaultHostExecutionSpace;

// Each macro is written with `extern template` here, and with `template` where they are compiled.

#define WAVESCAN_SOR_KERNELS_OF_TARGET(TEMPLATE, Target, T)               \
  TEMPLATE Impl::SORHostWorker<Impl::SORProblem<T>>::run_type             \
  Impl::sor_host_kernel<Target, false, Impl::SORProblem<T>>(int);         \
  TEMPLATE Impl::SORHostWorker<Impl::SORProblem<T>>::run_type             \
  Impl::sor_host_kernel<Target, true, Impl::SORProblem<T>>(int);          \
  TEMPLATE Impl::SORHostWorker<Impl::VariableSORProblem<T>>::run_type     \
  Impl::sor_host_kernel<Target, false, Impl::VariableSORProblem<T>>(int); \
  TEMPLATE Impl::SORHostWorker<Impl::VariableSORProblem<T>>::run_type     \
  Impl::sor_host_kernel<Target, true, Impl::VariableSORProblem<T>>(int);

#define WAVESCAN_SOR_KERNELS_OF_LOOP(TEMPLATE, Loop)      \
  TEMPLATE class Wavefront<KernelsExec, Loop>;            \
  TEMPLATE void Wavefront<KernelsExec, Loop>::operator()( \
      const Loop& loop, const Grid<typename Loop::algebra_type::value_type>& array) const;

#define WAVESCAN_SOR_KERNELS_OF_PROBLEM(TEMPLATE, Problem, T)                                 \
  TEMPLATE double Impl::sor_residual_norm(const KernelsExec&, const Impl::Problem<T>&,        \
                                          ResidualNorm);                                      \
  TEMPLATE double Impl::sor_update_norm(const KernelsExec&, const Impl::Problem<T>&,          \
                                        const Grid<T>&, ResidualNorm);                        \
  TEMPLATE void SOR<KernelsExec, T>::enqueue(const Impl::Problem<T>&, int, bool, bool) const; \
  TEMPLATE bool SOR<KernelsExec, T>::sweep_elsewhere(const Grid<const T>&,                    \
                                                     const Impl::Problem<T>&, int) const;     \
  TEMPLATE class Impl::SORIteration<SOR<KernelsExec, T>, Impl::Problem<T>>;                   \
  TEMPLATE class Impl::SORSolver<Impl::SORIteration<SOR<KernelsExec, T>, Impl::Problem<T>>>;

#if defined(WAVESCAN_HAS_TARGETS)
#define WAVESCAN_SOR_KERNELS_OF_TARGETS(TEMPLATE, T)      \
  WAVESCAN_SOR_KERNELS_OF_TARGET(TEMPLATE, Impl::Avx2, T) \
  WAVESCAN_SOR_KERNELS_OF_TARGET(TEMPLATE, Impl::Avx512, T)
#else
#define WAVESCAN_SOR_KERNELS_OF_TARGETS(TEMPLATE, T)
#endif

#define WAVESCAN_SOR_KERNELS(TEMPLATE, T)                          \
  WAVESCAN_SOR_KERNELS_OF_TARGETS(TEMPLATE, T)                     \
  WAVESCAN_SOR_KERNELS_OF_LOOP(TEMPLATE, Impl::SORLoop<T>)         \
  WAVESCAN_SOR_KERNELS_OF_LOOP(TEMPLATE, Impl::MaskedSORLoop<T>)   \
  WAVESCAN_SOR_KERNELS_OF_LOOP(TEMPLATE, Impl::VariableSORLoop<T>) \
  TEMPLATE class SOR<KernelsExec, T>;                              \
  WAVESCAN_SOR_KERNELS_OF_PROBLEM(TEMPLATE, SORProblem, T)         \
  WAVESCAN_SOR_KERNELS_OF_PROBLEM(TEMPLATE, VariableSORProblem, T)

#define WAVESCAN_SCAN_KERNELS(TEMPLATE, T)                                      \
  TEMPLATE class Impl::HostScan<KernelsExec, T>;                                \
  TEMPLATE class Impl::HostScanKernel<Impl::PlainRecurrence<Plus<T>>, const T>; \
  TEMPLATE class Impl::HostScanKernel<                                          \
      Impl::WeightedRecurrence<PlusTimes<T>, Impl::ConstantWeight<T>>, const T>;

WAVESCAN_SOR_KERNELS(extern template, double)
#if defined(WAVESCAN_SOR_KERNELS_OF_FLOAT)
WAVESCAN_SOR_KERNELS(extern template, float)
#endif
WAVESCAN_SCAN_KERNELS(extern template, int)
WAVESCAN_SCAN_KERNELS(extern template, unsigned)
WAVESCAN_SCAN_KERNELS(extern template, std::int64_t)
WAVESCAN_SCAN_KERNELS(extern template, std::uint64_t)
WAVESCAN_SCAN_KERNELS(extern template, float)
WAVESCAN_SCAN_KERNELS(extern template, double)

}  // namespace wavescan

#endif
