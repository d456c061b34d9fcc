// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_SOR_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_SORPlan.hpp>

/// @file
/// @brief What the library WaveScan::kernels has of SOR, for float and double: sweeps and solves,
/// with and without a mask, and with variable coefficients.

#define WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, Problem)                                      \
  TEMPLATE SOR<Exec, T>::prepared_type<Problem<T>> SOR<Exec, T>::prepared(const Problem<T>&)     \
      const;                                                                                     \
  TEMPLATE void SOR<Exec, T>::enqueue(const SOR<Exec, T>::prepared_type<Problem<T>>&, int, bool, \
                                      bool) const;                                               \
  TEMPLATE bool SOR<Exec, T>::sweep_elsewhere(                                                   \
      const Grid<const T>&, const SOR<Exec, T>::prepared_type<Problem<T>>&, int) const;          \
  TEMPLATE bool SOR<Exec, T>::reserve(const Problem<T>&, int, bool);                             \
  TEMPLATE SolveReport SOR<Exec, T>::solve(const Problem<T>&, const SolveControl&) const;        \
  TEMPLATE void SOR<Exec, T>::sweep_from_zero(const Problem<T>&, int) const;                     \
  TEMPLATE double Impl::sor::residual_norm(const Exec&, const Problem<T>&, ResidualNorm);

#define WAVESCAN_SOR_KERNELS(TEMPLATE, Exec, T)                                         \
  TEMPLATE class SOR<Exec, T>;                                                          \
  WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, Impl::sor::Problem)                        \
  WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, Impl::sor::MaskedProblem)                  \
  WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, Impl::sor::VariableProblem)                \
  TEMPLATE void Impl::sor::copy_entries(const Exec&, const char*, const Grid<const T>&, \
                                        const Grid<T>&);

namespace wavescan {

WAVESCAN_COMPILED_FLOATS(WAVESCAN_SOR_KERNELS)

}  // namespace wavescan

#endif
