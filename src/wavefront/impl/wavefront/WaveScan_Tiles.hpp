// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_TILES_HPP
#define WAVESCAN_IMPL_WAVEFRONT_TILES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/WaveScan_TeamScan.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

#include <concepts>
#include <cstddef>

/// @file
/// @brief The ways in which a team computes a tile: compensated or skewed.

namespace wavescan::Impl {

/// @brief A team of one thread.
struct SingleThread {
  KOKKOS_FUNCTION static constexpr int team_rank() { return 0; }
  KOKKOS_FUNCTION static constexpr int team_size() { return 1; }
  KOKKOS_FUNCTION static void team_barrier() {}
};

/// @brief Row by row: partial values of the tile's row in parallel, then a weighted scan in the
/// team.
///
/// Source: Hou et al., section V-C. A team of one thread computes the row in order instead.
template <class Problem, class Team>
class CompensatedTile {
  static_assert(
      !Problem::up_right,
      "WaveScan: TileCompensated cannot run a loop that asks for up_right: a row of a tile "
      "would need the end of the row above, which the next tile computes");

 public:
  using problem_type = Problem;
  using value_type = typename Problem::value_type;
  using recurrence_type = typename Problem::recurrence_type;
  using scan_type = TeamScan<recurrence_type, Team>;
  static constexpr Index shear = 0;

  static std::size_t scratch_bytes(int team_size, Index tile_columns) {
    return scan_type::scratch_bytes(team_size) + alignof(value_type) +
           partials_bytes(team_size, tile_columns);
  }

  KOKKOS_FUNCTION CompensatedTile(const Problem& problem, const Team& team, Index tile_columns)
      : problem_(problem),
        team_(team),
        scan_(problem.recurrence, team),
        partials_(static_cast<value_type*>(team.team_scratch(0).get_shmem_aligned(
            static_cast<std::ptrdiff_t>(partials_bytes(team.team_size(), tile_columns)),
            alignof(value_type)))) {}

  KOKKOS_FUNCTION void run(const Block& tile) {
    for (Index i = tile.row_begin; i < tile.row_end; ++i) {
      if (team_.team_size() == 1)
        problem_.run_row(i, tile.column_begin, tile.column_end);
      else
        run_row(i, tile.column_begin, tile.column_end);
      team_.team_barrier();  // the next row reads this one
    }
  }

 private:
  /// @brief A team of one thread keeps no partial values.
  KOKKOS_FUNCTION static std::size_t partials_bytes(int team_size, Index tile_columns) {
    return team_size == 1 ? 0 : static_cast<std::size_t>(tile_columns) * sizeof(value_type);
  }

  KOKKOS_FUNCTION void run_row(Index i, Index begin, Index end) {
    const Index columns = end - begin;
    const int rank = team_.team_rank();
    for (Index j = rank; j < columns; j += team_.team_size())
      partials_[j] = problem_.partial(i, begin + j, problem_.above(i, begin + j));
    team_.team_barrier();  // from here on old entries of the row may be overwritten

    const ScanProblem<recurrence_type, const value_type> row{
        row_recurrence(problem_.loop, i, begin),
        ScanKind::Inclusive,
        {1, columns},
        {partials_, 0, 1},
        {&problem_.grid(i, begin), 0, problem_.grid.column_stride},
        {},
        {}};
    const Index piece = ceil_div(columns, team_.team_size());
    const int count = static_cast<int>(ceil_div(columns, piece));
    const Index first = rank * piece;
    const Index last = first + piece < columns ? first + piece : columns;
    const bool takes_part = rank < count;
    const State<value_type> left = problem_.entering(i, begin);
    // Threads without a piece repeat the first one: all must take part in the join's barriers.
    scan_.join(row.recurrence.reduce(row.in, 0, takes_part ? first : 0, takes_part ? last : 1),
               count);
    if (takes_part) {
      State<value_type> s = left;
      if (rank > 0) {
        const auto& before = scan_.joined(rank - 1);
        s = {left.present ? row.recurrence.leave(left.value, before) : row.recurrence.leave(before),
             true};
      }
      row.scan_serially(s, 0, first, last);
    }
  }

  const Problem& problem_;
  const Team& team_;
  scan_type scan_;
  value_type* partials_;
};

/// @brief A tile in natural order, skewed: a thread owns a row and follows the thread above by one
/// column.
///
/// Where an entry needs its upper right neighbour, each row of a tile begins and ends one column
/// before the row above, so that the tile has what its rows need of each other; a thread then
/// follows by two columns. Every entry is computed by the operations of the serial loop, so the
/// result has its bits.
template <class Problem, class Team>
class SkewedTile {
 public:
  using problem_type = Problem;
  using value_type = typename Problem::value_type;
  /// Columns by which a row of a tile begins before the row above.
  static constexpr Index shear = Problem::lag - 1;

  static std::size_t scratch_bytes(int, Index) { return 0; }

  KOKKOS_FUNCTION SkewedTile(const Problem& problem, const Team& team, Index)
      : problem_(problem), team_(team) {}

  KOKKOS_FUNCTION void run(const Block& tile) {
    for (Index first = tile.row_begin; first < tile.row_end; first += team_.team_size()) {
      if constexpr (!std::same_as<Team, SingleThread>)
        if (team_.team_size() > 1) {
          run_rows(tile, first);
          continue;
        }
      problem_.run_row(first, begin_of(tile, first), end_of(tile, first));
    }
  }

 private:
  /// @brief The columns of row i.
  KOKKOS_FUNCTION Index begin_of(const Block& tile, Index i) const {
    return problem_.range.nearest_column(tile.column_begin - (i - tile.row_begin) * shear);
  }
  KOKKOS_FUNCTION Index end_of(const Block& tile, Index i) const {
    return problem_.range.nearest_column(tile.column_end - (i - tile.row_begin) * shear);
  }

  KOKKOS_FUNCTION void run_rows(const Block& tile, Index first) {
    const Index rest = tile.row_end - first;
    const int rows = rest < team_.team_size() ? static_cast<int>(rest) : team_.team_size();
    const int rank = team_.team_rank();
    const Index i = first + (rank < rows ? rank : 0);
    const Index begin = begin_of(tile, i), end = end_of(tile, i);
    const Index behind = (i - tile.row_begin) * shear + rank;
    State<value_type> left = problem_.entering(i, begin);
    typename Problem::Above above{};
    for (Index step = 0; step < tile.columns() + rows - 1; ++step) {
      const Index j = tile.column_begin + step - behind;
      if (rank < rows && j >= begin && j < end) {
        above = j == begin ? problem_.above(i, j) : problem_.above(i, j, above);
        left = problem_.finish(left, problem_.partial(i, j, above), i, j);
      }
      team_.team_barrier();
    }
  }

  const Problem& problem_;
  const Team& team_;
};

}  // namespace wavescan::Impl

#endif
