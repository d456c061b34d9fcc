// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_ROWPARTIALS_HPP
#define WAVESCAN_PERF_ROWPARTIALS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Loop.hpp>
#include <cstddef>
#include <cstdint>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

/// @file
/// @brief The first half of compensation row by row (Hou et al., figure 4): a row's partial values,
/// by a kernel of its own. A weighted scan of them completes the row.

namespace wavescan::Perf {

/// @brief Partial values of a row; the first one with the left neighbour's share, so that the scan
/// needs no carry.
template <class Problem>
struct RowPartials {
  using value_type = typename Problem::value_type;
  Problem problem;
  Impl::Index row;
  value_type* partials;

  KOKKOS_FUNCTION void operator()(const Impl::Index j) const {
    const Impl::Index first = problem.range.column_begin;
    value_type value = problem.partial(row, j, problem.above(row, j));
    const auto left = problem.entering(row, j);
    if (j == first && left.present) value = problem.recurrence.advance(left.value, value, row, j);
    partials[j - first] = value;
  }
};

/// @brief All rows, one after the other: a kernel of partial values, then `scan(partials, out)`,
/// both of them a row's Views.
template <ExecutionSpace Exec, class Problem>
class RowByRow {
 public:
  using value_type = typename Problem::value_type;
  using Row = Kokkos::View<value_type*, typename Exec::memory_space>;

  RowByRow(const Exec& exec, const Problem& problem)
      : exec_(exec),
        problem_(problem),
        partials_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "row_partials"),
                  static_cast<std::size_t>(problem.range.columns())) {}

  template <class ScanRow>
  void run(const ScanRow& scan) const {
    const auto& range = problem_.range;
    for (Impl::Index i = range.row_begin; i < range.row_end; ++i) {
      Kokkos::parallel_for("row_partials",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<Impl::Index>>(
                               exec_, range.column_begin, range.column_end),
                           RowPartials<Problem>{problem_, i, partials_.data()});
      scan(partials_, Row(&problem_.grid(i, range.column_begin), partials_.size()));
    }
  }

 private:
  Exec exec_;
  Problem problem_;
  Row partials_;
};

}  // namespace wavescan::Perf

#endif
