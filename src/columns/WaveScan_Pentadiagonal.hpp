// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PENTADIAGONAL_HPP
#define WAVESCAN_PENTADIAGONAL_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_PivotReport.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/columns/WaveScan_BandPlan.hpp>

#include <concepts>
#include <cstddef>

namespace wavescan {

/// @brief Pentadiagonal matrices that are factorized once and solved with many right-hand sides.
///
///     const Pentadiagonal plan(exec, lower2, lower, diagonal, upper, upper2, {.axis = 0});
///     plan.solve(right, x);
///
/// A solve reads five numbers of each row besides the right-hand side, divides by nothing in rows,
/// and allocates nothing. Without pivoting, as pentadiagonal_solve, whose sources and limits are
/// the same.
///
/// Memory: five numbers for each row of each matrix; seven of cyclic ones on hosts, and where
/// systems are too long for GPUs to solve in one pass. On hosts besides, for each thread, what the
/// solves of up to 256 systems take.
///
/// @tparam Exec execution space, on an instance of which all calls are enqueued
/// @tparam T    float or double
template <ExecutionSpace Exec, std::floating_point T>
class Pentadiagonal {
 public:
  /// @brief Factorizes matrices.
  /// @param diagonal      View of rank 2, a matrix for each system, or of rank 1, one for all; the
  ///                      other diagonals cover it, and are of its rank or a lower one
  /// @param options       the axis of systems, whether they are cyclic, whether matrices are
  ///                      transposed, a label for solves
  /// @throws std::invalid_argument if extents differ or options are wrong
  template <AnyView A2, AnyView A1, AnyView B, AnyView C1, AnyView C2>
  Pentadiagonal(const Exec& exec, const A2& lower2, const A1& lower, const B& diagonal,
                const C1& upper, const C2& upper2, const TridiagonalOptions& options = {})
      : plan_("Pentadiagonal", exec, options, lower2, lower, diagonal, upper, upper2) {}

  /// @brief Factorizes other matrices of the same extents.
  template <AnyView A2, AnyView A1, AnyView B, AnyView C1, AnyView C2>
  void factorize(const A2& lower2, const A1& lower, const B& diagonal, const C1& upper,
                 const C2& upper2) const {
    plan_.factorize(lower2, lower, diagonal, upper, upper2);
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
  Impl::columns::BandPlan<Exec, T, 2> plan_;
};

template <ExecutionSpace Exec, AnyView A2, AnyView A1, AnyView B, AnyView C1, AnyView C2>
Pentadiagonal(const Exec&, const A2&, const A1&, const B&, const C1&, const C2&,
              const TridiagonalOptions& = {})
    -> Pentadiagonal<Exec, typename B::non_const_value_type>;

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/columns/WaveScan_Instantiations.hpp>
#endif

#endif
