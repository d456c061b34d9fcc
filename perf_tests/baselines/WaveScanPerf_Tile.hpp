// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_TILE_HPP
#define WAVESCAN_PERF_TILE_HPP

#include <baselines/WaveScanPerf_Bands.hpp>
#include <baselines/WaveScanPerf_Window.hpp>

/// @file
/// @brief Baseline "tile": anti-diagonal order inside tiles of a row-major array.
///
/// A tile comes to scratch memory with its halo by rows, is computed there with a thread for each
/// of its rows, and goes back by rows. Source: Hou et al., section II-B and kernel "tile" of
/// section VI-B.

namespace wavescan::Perf {

template <class Problem>
struct TileShape {
  using problem_type = Problem;
  using value_type = typename Problem::value_type;
  Problem problem;
  TileSize size;

  KOKKOS_FUNCTION Index bands() const { return Impl::ceil_div(problem.range.rows(), size.rows); }
  KOKKOS_FUNCTION Index tiles() const {
    return Impl::ceil_div(problem.range.columns(), size.columns);
  }
  KOKKOS_FUNCTION Index lag() const { return 0; }

  /// @brief Even, so that an anti-diagonal's entries lie an odd number of words apart: in different
  /// banks.
  KOKKOS_FUNCTION Index pitch() const { return (size.columns + 3) / 2 * 2; }
  KOKKOS_FUNCTION Index scratch_values() const { return (size.rows + 2) * pitch(); }
  std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(scratch_values()) * sizeof(value_type) + alignof(value_type);
  }
};

template <class Shape, class Team>
class DiagonalTile {
 public:
  using Problem = typename Shape::problem_type;
  using T = typename Problem::value_type;

  KOKKOS_FUNCTION DiagonalTile(const Shape& shape, const Team& team)
      : shape_(shape), team_(team), scratch_(scratch_for<T>(team, shape.scratch_values())) {}

  KOKKOS_FUNCTION void run(Index band, Index t) {
    const Impl::Block& range = shape_.problem.range;
    Impl::Block tile;
    tile.row_begin = range.row_begin + band * shape_.size.rows;
    tile.row_end = smaller(tile.row_begin + shape_.size.rows, range.row_end);
    tile.column_begin = range.column_begin + t * shape_.size.columns;
    tile.column_end = smaller(tile.column_begin + shape_.size.columns, range.column_end);
    const Window<T> window{scratch_, tile.row_begin - 1, tile.column_begin - 1,
                           static_cast<int>(shape_.pitch()), 1};
    load(tile, window);
    team_.team_barrier();
    for (Index first = tile.row_begin; first < tile.row_end; first += team_.team_size()) {
      const int rows = static_cast<int>(smaller(team_.team_size(), tile.row_end - first));
      run_in_lockstep(shape_.problem, team_, window,
                      {first, rows, tile.column_begin, tile.columns() + rows - 1, tile.column_begin,
                       tile.column_end});
    }
    store(tile, window);
  }

 private:
  KOKKOS_FUNCTION static Index smaller(Index a, Index b) { return a < b ? a : b; }

  /// Calls f(j, first, stride) for every column of [begin, end): warps take rows first,
  /// first + stride, ... and their lanes consecutive columns.
  template <class F>
  KOKKOS_FUNCTION void for_columns(Index begin, Index end, const F& f) const {
    const int lanes = team_.team_size() < 32 ? team_.team_size() : 32;
    const int warps = team_.team_size() / lanes;
    const int warp = team_.team_rank() / lanes;
    if (warp >= warps) return;
    for (Index j = begin + team_.team_rank() % lanes; j < end; j += lanes) f(j, warp, warps);
  }

  KOKKOS_FUNCTION void load(const Impl::Block& tile, const Window<T>& window) const {
    const Problem& problem = shape_.problem;
    const Index top = tile.row_begin - 1, left = tile.column_begin - 1;
    for (Index j = left + team_.team_rank(); j < tile.column_end; j += team_.team_size())
      window(top, j) = problem.neighbour(top, j);
    copy_overlapped(
        tile.row_begin + team_.team_rank(), tile.row_end, team_.team_size(),
        [&](Index i) { return problem.neighbour(i, left); },
        [&](Index i, T value) { window(i, left) = value; });
    if constexpr (reads_old<typename Problem::loop_type>()) {
      const auto& grid = problem.grid;
      const Index bottom = smaller(tile.row_end, grid.rows - 1);
      const Index right = smaller(tile.column_end, grid.columns - 1);
      for_columns(tile.column_begin, right + 1, [&](Index j, int first, int stride) {
        copy_overlapped(
            tile.row_begin + first, bottom + 1, stride, [&](Index i) { return grid(i, j); },
            [&](Index i, T value) { window(i, j) = value; });
      });
    }
  }

  KOKKOS_FUNCTION void store(const Impl::Block& tile, const Window<T>& window) const {
    const auto& grid = shape_.problem.grid;
    for_columns(tile.column_begin, tile.column_end, [&](Index j, int first, int stride) {
      copy_overlapped(
          tile.row_begin + first, tile.row_end, stride, [&](Index i) { return window(i, j); },
          [&](Index i, T value) { grid(i, j) = value; });
    });
  }

  const Shape& shape_;
  const Team& team_;
  T* scratch_;
};

/// @brief The program for loops of one size.
template <ExecutionSpace Exec, class Problem>
class Tile {
 public:
  Tile(const Exec& exec, const Problem& problem, const TileSize& size)
      : exec_(exec), shape_{problem, size}, bands_(exec, shape_.bands()) {}

  void run() const { bands_.template run<DiagonalTile>(exec_, "tile", shape_); }

 private:
  Exec exec_;
  TileShape<Problem> shape_;
  Bands<Exec> bands_;
};

}  // namespace wavescan::Perf

#endif
