// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_UPDATE_HPP
#define WAVESCAN_IMPL_SOR_UPDATE_HPP

#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#include <impl/WaveScan_SOR_Sum.hpp>

/// @file
/// @brief How far a pass has moved the unknowns.

namespace wavescan::Impl {

/// @brief Differences of x and what it was before, in double.
template <class T>
struct SORUpdates {
  Grid<const T> x;
  Grid<const T> before;
  KOKKOS_FUNCTION double operator()(Index i, Index j) const {
    return static_cast<double>(x(i, j)) - static_cast<double>(before(i, j));
  }
};

/// @brief The norm of x - before; waits for it. NaN if the data hold NaN or infinity.
template <ExecutionSpace Exec, class T, class C>
double sor_update_norm(const Exec& exec, const SORProblem<T, C>& problem, const Grid<T>& before,
                       ResidualNorm norm) {
  const auto p = in_memory_order(problem);
  const bool exchanged = p.x.row_stride != problem.x.row_stride;
  const SORUpdates<T> updates{read_only(p.x), read_only(exchanged ? transposed(before) : before)};
  return sum_of_unknowns(exec, "WaveScan::sor::update", p, updates).norm(norm);
}

}  // namespace wavescan::Impl

#endif
