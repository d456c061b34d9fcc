// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_UPDATE_HPP
#define WAVESCAN_IMPL_SOR_UPDATE_HPP

#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#include <impl/WaveScan_SOR_Residual.hpp>

/// @file
/// @brief How far a pass has moved the unknowns.

namespace wavescan::Impl {

/// @brief Adds up differences of x and what it was before.
template <class T>
struct SORUpdates {
  Grid<const T> x;
  Grid<const T> before;
  FixedPoints fixed;
  KOKKOS_FUNCTION void operator()(Index i, Index j, ResidualSum& sum) const {
    if (fixed(i, j)) return;
    sum.add(static_cast<double>(x(i, j)) - static_cast<double>(before(i, j)));
  }
};

/// @brief The norm of x - before; waits for it. NaN if the data hold NaN or infinity.
template <ExecutionSpace Exec, class T, class C>
double sor_update_norm(const Exec& exec, const SORProblem<T, C>& problem, const Grid<T>& before,
                       ResidualNorm norm) {
  if (problem.empty()) return 0;
  const auto p = in_memory_order(problem);
  const bool exchanged = p.x.row_stride != problem.x.row_stride;
  const SORUpdates<T> updates{read_only(p.x), read_only(exchanged ? transposed(before) : before),
                              p.fixed};
  ResidualSum sum;
  Kokkos::parallel_reduce("WaveScan::sor::update", interior_policy(exec, p), updates,
                          ResidualReducer(sum));
  return sum.norm(norm);
}

}  // namespace wavescan::Impl

#endif
