// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_INSTANTIATIONMACROS_HPP
#define WAVESCAN_IMPL_SOR_INSTANTIATIONMACROS_HPP

#include <impl/sor/WaveScan_Sweeper.hpp>

#include <array>
#include <memory>

/// @file
/// @brief The macros of which lists of instantiations of SOR are made, in two dimensions and three.

#define WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, Rank, ...)                                     \
  TEMPLATE SORAlgorithm Impl::sor::select_algorithm(const Impl::sor::Sweeper<Exec, T, Rank>&,     \
                                                    const __VA_ARGS__&, int);                     \
  TEMPLATE void Impl::sor::sweep(const Impl::sor::Sweeper<Exec, T, Rank>&, const __VA_ARGS__&,    \
                                 int);                                                            \
  TEMPLATE void Impl::sor::sweep_from_zero(const Impl::sor::Sweeper<Exec, T, Rank>&,              \
                                           const __VA_ARGS__&, int);                              \
  TEMPLATE void Impl::sor::sweep_from(const Impl::sor::Sweeper<Exec, T, Rank>&,                   \
                                      const Impl::sor::ArrayOf<const T, Rank>&,                   \
                                      const __VA_ARGS__&, int);                                   \
  TEMPLATE SolveReport Impl::sor::solve(const Impl::sor::Sweeper<Exec, T, Rank>&,                 \
                                        const __VA_ARGS__&, const SolveControl&);                 \
  TEMPLATE void Impl::sor::reserve_sweeps(Impl::sor::Sweeper<Exec, T, Rank>&, const __VA_ARGS__&, \
                                          int);                                                   \
  TEMPLATE void Impl::sor::reserve_solve(Impl::sor::Sweeper<Exec, T, Rank>&, const __VA_ARGS__&,  \
                                         const SolveControl&);                                    \
  TEMPLATE double Impl::sor::residual_norm(const Exec&, const __VA_ARGS__&, ResidualNorm);

#define WAVESCAN_SOR_OF_RANK(TEMPLATE, Exec, T, Rank)                                       \
  TEMPLATE std::shared_ptr<Impl::sor::Sweeper<Exec, T, Rank>>                               \
  Impl::sor::make_sweeper<Exec, T, Rank>(const Exec&, const std::array<Impl::Index, Rank>&, \
                                         const SOROptions&);                                \
  TEMPLATE void Impl::sor::throw_if_stuck(const Impl::sor::Sweeper<Exec, T, Rank>&);

#endif
