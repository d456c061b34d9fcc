// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_ROWSWEEP_HPP
#define WAVESCAN_IMPL_WAVEFRONT_ROWSWEEP_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/scan/WaveScan_ScanWorkspace.hpp>
#include <impl/wavefront/WaveScan_Algorithm.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

#include <cstddef>

/// @file
/// @brief Schedule RowSweep: a row's partial values in parallel, then a (weighted) scan along it.
///
/// Source: Hou et al., equations II-1 to II-3, with the global synchronisation of section V-B: the
/// kernels of one row follow those of the row above. Best for few, long rows.

namespace wavescan::Impl {

/// @brief The partial values of one row, kept apart because neighbours still read old entries, and
/// behind them the row's left boundary, which only the device may be able to compute.
template <class Problem>
struct RowPartials {
  using value_type = typename Problem::value_type;
  Problem problem;
  Index row;
  value_type* partials;
  KOKKOS_FUNCTION void operator()(const Index j) const {
    partials[j - problem.range.column_begin] = problem.partial(row, j, problem.above(row, j));
    if constexpr (HasBoundary<typename Problem::loop_type>)
      if (j == 0) partials[problem.range.columns()] = problem.neighbour(row, -1);
  }
};

/// @brief The workspace of schedule RowSweep for rows of one length.
template <ExecutionSpace Exec, class Problem>
class RowSweep {
 public:
  using value_type = typename Problem::value_type;
  using recurrence_type = typename Problem::recurrence_type;

  RowSweep(const Exec& exec, const AlgorithmOptions& options)
      : workspace_(exec, {1, options.range.columns()}) {
    allocate(exec, partials_, "WaveScan::wavefront::row_partials", options.range.columns() + 1);
  }

  /// @brief Enqueues the loop on `exec`: a kernel of partial values and a scan for each row.
  void run(const Exec& exec, const Problem& problem) const {
    const Block& range = problem.range;
    for (Index i = range.row_begin; i < range.row_end; ++i) {
      Kokkos::parallel_for("WaveScan::wavefront::row_partials",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(
                               exec, range.column_begin, range.column_end),
                           RowPartials<Problem>{problem, i, partials_.data()});
      scan_row(exec, problem, i);
    }
  }

  void throw_if_stuck() const {}  // no kernel waits for another

 private:
  void scan_row(const Exec& exec, const Problem& problem, Index i) const {
    const Grid<value_type>& grid = problem.grid;
    const Index first = problem.range.column_begin;
    // The scan runs where the grid lies: its left neighbour is read on the device, as a carry.
    CarryIn<value_type> carry{{problem.recurrence.identity(), false}, {}};
    if (first > 0)
      carry.each = {&grid(i, first - 1), 0, 0};
    else if constexpr (HasBoundary<typename Problem::loop_type>)
      carry.each = {partials_.data() + problem.range.columns(), 0, 0};
    const ScanProblem<recurrence_type, const value_type> scan{
        row_recurrence(problem.loop, i, first),
        ScanKind::Inclusive,
        {1, problem.range.columns()},
        {partials_.data(), 0, 1},
        {&grid(i, first), 0, grid.column_stride},
        carry,
        {}};
    workspace_.enqueue(exec, scan);
  }

  ScanWorkspace<Exec, value_type, typename recurrence_type::segment_type> workspace_;
  Kokkos::View<value_type*, typename Exec::memory_space> partials_;
};

}  // namespace wavescan::Impl

#endif
