// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TRIDIAGONAL_HPP
#define WAVESCAN_TRIDIAGONAL_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_PivotReport.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/columns/WaveScan_BandPlan.hpp>

#include <concepts>
#include <cstddef>

namespace wavescan {

/// @brief Tridiagonal matrices that are factorized once and solved with many right-hand sides.
///
///     const Tridiagonal plan(exec, lower, diagonal, upper, {.axis = 0});
///     plan.solve(right, x);
///
/// A solve reads three numbers of each row besides the right-hand side, divides by nothing in rows,
/// and allocates nothing. Without pivoting, as tridiagonal_solve, whose sources and limits are the
/// same.
///
/// Memory: three numbers for each row of each matrix; four of cyclic ones on hosts, and where
/// systems are too long for GPUs to solve in one pass. On hosts besides, for each thread, what the
/// solves of up to 256 systems take.
///
/// @tparam Exec execution space, on an instance of which all calls are enqueued
/// @tparam T    float or double
template <ExecutionSpace Exec, std::floating_point T>
class Tridiagonal {
 public:
  /// @brief Factorizes matrices.
  /// @param diagonal      View of rank 2, a matrix for each system, or of rank 1, one for all; the
  ///                      other diagonals cover it, and are of its rank or a lower one
  /// @param options       the axis of systems, whether they are cyclic, whether matrices are
  ///                      transposed, a label for solves
  /// @throws std::invalid_argument if extents differ or options are wrong
  template <AnyView A, AnyView B, AnyView C>
  Tridiagonal(const Exec& exec, const A& lower, const B& diagonal, const C& upper,
              const TridiagonalOptions& options = {})
      : plan_("Tridiagonal", exec, options, lower, diagonal, upper) {}

  /// @brief Factorizes other matrices of the same extents.
  template <AnyView A, AnyView B, AnyView C>
  void factorize(const A& lower, const B& diagonal, const C& upper) const {
    plan_.factorize(lower, diagonal, upper);
  }

  /// @brief Solves for right-hand sides.
  /// @param right of rank 2, one for each system, or of rank 1 with a matrix of rank 1; of one rank
  ///              more, several for each system: the first dimension counts them
  /// @param x     of at least these extents, may be `right` itself
  /// @throws std::invalid_argument if extents do not fit or Views partly overlap
  template <AnyView D, AnyView X>
  void solve(const D& right, const X& x) const {
    plan_.solve(right, x);
  }

  /// @brief The smallest pivot and the largest factor of all matrices; waits for them.
  PivotReport report() const { return plan_.report(); }

  /// @brief Bytes of memory that the plan holds.
  std::size_t workspace_bytes() const { return plan_.workspace_bytes(); }

 private:
  Impl::columns::BandPlan<Exec, T, 1> plan_;
};

template <ExecutionSpace Exec, AnyView A, AnyView B, AnyView C>
Tridiagonal(const Exec&, const A&, const B&, const C&, const TridiagonalOptions& = {})
    -> Tridiagonal<Exec, typename B::non_const_value_type>;

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/columns/WaveScan_Instantiations.hpp>
#endif

#endif
