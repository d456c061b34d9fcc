// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_SOR_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_SORPlan.hpp>
#include <impl/sor/WaveScan_Sweeper.hpp>

#include <memory>

/// @file
/// @brief What the library WaveScan::kernels has of SOR, for float and double: sweeps and solves,
/// with and without a mask, and with variable coefficients.

#define WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, ...)                                            \
  TEMPLATE void Impl::sor::sweep(const Impl::sor::Sweeper<Exec, T>&, const __VA_ARGS__&, int);     \
  TEMPLATE void Impl::sor::sweep_from_zero(const Impl::sor::Sweeper<Exec, T>&, const __VA_ARGS__&, \
                                           int);                                                   \
  TEMPLATE void Impl::sor::sweep_from(const Impl::sor::Sweeper<Exec, T>&, const Grid<const T>&,    \
                                      const __VA_ARGS__&, int);                                    \
  TEMPLATE SolveReport Impl::sor::solve(const Impl::sor::Sweeper<Exec, T>&, const __VA_ARGS__&,    \
                                        const SolveControl&);                                      \
  TEMPLATE void Impl::sor::reserve_sweeps(Impl::sor::Sweeper<Exec, T>&, const __VA_ARGS__&, int);  \
  TEMPLATE void Impl::sor::reserve_solve(Impl::sor::Sweeper<Exec, T>&, const __VA_ARGS__&,         \
                                         const SolveControl&);                                     \
  TEMPLATE double Impl::sor::residual_norm(const Exec&, const __VA_ARGS__&, ResidualNorm);

#define WAVESCAN_SOR_KERNELS(TEMPLATE, Exec, T)                                  \
  TEMPLATE std::shared_ptr<Impl::sor::Sweeper<Exec, T>> Impl::sor::make_sweeper( \
      const Exec&, Index, Index, const SOROptions&);                             \
  TEMPLATE Schedule Impl::sor::schedule_of(const Impl::sor::Sweeper<Exec, T>&);  \
  TEMPLATE void Impl::sor::throw_if_stuck(const Impl::sor::Sweeper<Exec, T>&);   \
  WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, Impl::sor::Problem<T>)              \
  WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, Impl::sor::MaskedProblem<T>)        \
  WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, Impl::sor::VariableProblem<T>)

namespace wavescan {

WAVESCAN_COMPILED_FLOATS(WAVESCAN_SOR_KERNELS)

}  // namespace wavescan

#endif
