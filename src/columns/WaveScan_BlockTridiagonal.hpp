// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_BLOCKTRIDIAGONAL_HPP
#define WAVESCAN_BLOCKTRIDIAGONAL_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_PivotReport.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/columns/WaveScan_BlockPlan.hpp>

#include <concepts>
#include <cstddef>

namespace wavescan {

/// @brief Block tridiagonal matrices that are factorized once and solved with many right-hand
/// sides.
///
///     const BlockTridiagonal plan(exec, lower, diagonal, upper, {.axis = 0});
///     plan.solve(right, x);
///
/// A solve reads three blocks of each row besides the right-hand side, inverts nothing in rows, and
/// allocates nothing. With pivoting within blocks and without between them, as
/// block_tridiagonal_solve, whose sources and limits are the same.
///
/// Memory: three blocks for each row of each matrix; four of cyclic ones where a thread solves a
/// system, that is on hosts, with blocks of 4 and 5, and where systems are too long for one pass.
///
/// @tparam Exec execution space, on an instance of which all calls are enqueued
/// @tparam T    float or double
/// @tparam size of blocks; 0 if it is known at run time only, so that all sizes are compiled
template <ExecutionSpace Exec, std::floating_point T, std::size_t size = 0>
class BlockTridiagonal {
 public:
  /// @brief Factorizes matrices.
  /// @param diagonal     View (system, i, row, column) of rank 4, a matrix for each system, or
  ///                     (i, row, column) of rank 3, one for all, with as many columns as blocks
  ///                     have; the other diagonals cover it, and are of its rank or of rank 3
  /// @param options      the axis of systems, whether they are cyclic, whether matrices are
  ///                     transposed, a label for solves
  /// @throws std::invalid_argument if extents differ, blocks are smaller than 2 or larger than 5,
  ///         or options are wrong
  template <AnyView A, AnyView B, AnyView C>
  BlockTridiagonal(const Exec& exec, const A& lower, const B& diagonal, const C& upper,
                   const TridiagonalOptions& options = {})
      : plan_(exec, options, lower, diagonal, upper) {}

  /// @brief Factorizes other matrices of the same extents.
  template <AnyView A, AnyView B, AnyView C>
  void factorize(const A& lower, const B& diagonal, const C& upper) const {
    plan_.factorize(lower, diagonal, upper);
  }

  /// @brief Solves for right-hand sides.
  /// @param right (system, i, row) of rank 3, one for each system, or (i, row) of rank 2 with one
  ///              matrix; of rank 4, several for each system: the first dimension counts them
  /// @param x     of at least these extents, may be `right` itself
  /// @throws std::invalid_argument if extents do not fit or Views partly overlap
  template <AnyView D, AnyView X>
  void solve(const D& right, const X& x) const {
    plan_.solve(right, x);
  }

  /// @brief Pivots over all matrices: one over the largest number of an inverted pivot, which is a
  /// block, and the largest number of a block beside it, multiplied by the inverse; waits for them.
  PivotReport report() const { return plan_.report(); }

  /// @brief Bytes of memory that the plan holds.
  std::size_t workspace_bytes() const { return plan_.workspace_bytes(); }

 private:
  Impl::columns::BlockPlan<Exec, T, size> plan_;
};

template <ExecutionSpace Exec, AnyView A, AnyView B, AnyView C>
BlockTridiagonal(const Exec&, const A&, const B&, const C&, const TridiagonalOptions& = {})
    -> BlockTridiagonal<Exec, typename B::non_const_value_type, B::static_extent(B::rank() - 1)>;

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/columns/WaveScan_Instantiations.hpp>
#endif

#endif
