// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_HYPERTILE_HPP
#define WAVESCAN_PERF_HYPERTILE_HPP

#include <baselines/WaveScanPerf_AntiDiagonals.hpp>
#include <baselines/WaveScanPerf_Bands.hpp>
#include <baselines/WaveScanPerf_Window.hpp>

/// @file
/// @brief Baseline "hypertile": hyperplane tiles of an array in anti-diagonal-major layout.
///
/// A tile is a number of anti-diagonals of a band. All its rows are computed at once, with a thread
/// for each, and no thread waits for the first of its entries or is done before the others. The
/// layout must be changed before and after. Source: Hou et al., section II-B, figure 3, and kernel
/// "hypertile" of section VI-B.

namespace wavescan::Perf {

template <class Problem>
struct HypertileShape {
  using problem_type = Problem;
  using value_type = typename Problem::value_type;
  Problem problem;
  TileSize size;
  AntiDiagonals<value_type> array;

  KOKKOS_FUNCTION Index bands() const { return array.bands(); }
  KOKKOS_FUNCTION Index tiles() const { return Impl::ceil_div(array.diagonals(), size.columns); }
  /// @brief The row above a band's first one reaches its columns h - 1 anti-diagonals later.
  KOKKOS_FUNCTION Index lag() const { return Impl::ceil_div(size.rows - 1, size.columns); }

  /// @brief Two anti-diagonals before the tile's and one behind, each with an entry above and
  /// below.
  KOKKOS_FUNCTION Index pitch() const { return size.rows + 2; }
  KOKKOS_FUNCTION Index scratch_values() const { return (size.columns + 3) * pitch(); }
  std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(scratch_values()) * sizeof(value_type) + alignof(value_type);
  }
};

template <class Shape, class Team>
class HyperplaneTile {
 public:
  using Problem = typename Shape::problem_type;
  using T = typename Problem::value_type;

  KOKKOS_FUNCTION HyperplaneTile(const Shape& shape, const Team& team)
      : shape_(shape), team_(team), scratch_(scratch_for<T>(team, shape.scratch_values())) {}

  KOKKOS_FUNCTION void run(Index band, Index t) {
    const Impl::Block& range = shape_.problem.range;
    const Index h = shape_.size.rows, top = band * h;
    const Index first = t * shape_.size.columns;
    const Index steps = smaller(shape_.size.columns, shape_.array.diagonals() - first);
    const int pitch = static_cast<int>(shape_.pitch());
    // Row r and column j lie in place r + 1 of anti-diagonal r + j.
    const Window<T> window{scratch_ + 1, top, first - 2, pitch + 1, pitch};
    load(band, first, steps, window);
    team_.team_barrier();
    const Index row_begin = larger(top, range.row_begin);
    const Index row_end = smaller(top + h, range.row_end);
    for (Index row = row_begin; row < row_end; row += team_.team_size())
      run_in_lockstep(shape_.problem, team_, window,
                      {row, static_cast<int>(smaller(team_.team_size(), row_end - row)),
                       first - (row - top), steps, range.column_begin, range.column_end});
    for (Index r = team_.team_rank(); r < h; r += team_.team_size())
      if (top + r >= row_begin && top + r < row_end) store(band, first, steps, r, window);
  }

 private:
  KOKKOS_FUNCTION static Index smaller(Index a, Index b) { return a < b ? a : b; }
  KOKKOS_FUNCTION static Index larger(Index a, Index b) { return a < b ? b : a; }

  KOKKOS_FUNCTION void load(Index band, Index first, Index steps, const Window<T>& window) const {
    const Problem& problem = shape_.problem;
    const auto& array = shape_.array;
    const Index h = shape_.size.rows, top = band * h;
    const bool old = reads_old<typename Problem::loop_type>();
    const bool halo = problem.range.row_begin > 0 || problem.range.column_begin > 0;
    const Index last = old || halo ? smaller(first + steps, array.diagonals() - 1) : first - 1;
    for (Index r = team_.team_rank(); r < h; r += team_.team_size()) {
      copy_overlapped(
          larger(first - 2, 0), last + 1, 1, [&](Index d) { return array.diagonal(band, d)[r]; },
          [&](Index d, T value) { window(top + r, d - r) = value; });
      // A row's left boundary is no entry of the array.
      if (r >= first - 1 && r <= first + steps)
        window(top + r, -1) = problem.neighbour(top + r, -1);
    }
    for (Index j = first - 1 + team_.team_rank(); j < smaller(first + steps, array.columns);
         j += team_.team_size())
      if (j >= -1)
        window(top - 1, j) = top > 0 && j >= 0 ? array(top - 1, j) : problem.neighbour(top - 1, j);
    if (old && top + h < array.rows)
      for (Index j = larger(first - h + 1, 0) + team_.team_rank();
           j < smaller(first + steps - h + 1, array.columns); j += team_.team_size())
        window(top + h, j) = array(top + h, j);
  }

  KOKKOS_FUNCTION void store(Index band, Index first, Index steps, Index r,
                             const Window<T>& window) const {
    const Impl::Block& range = shape_.problem.range;
    const Index top = band * shape_.size.rows;
    copy_overlapped(
        larger(first, range.column_begin + r), smaller(first + steps, range.column_end + r), 1,
        [&](Index d) { return window(top + r, d - r); },
        [&](Index d, T value) { shape_.array.diagonal(band, d)[r] = value; });
  }

  const Shape& shape_;
  const Team& team_;
  T* scratch_;
};

/// @brief The program for loops of one size, and the array in its layout.
template <ExecutionSpace Exec, class Problem>
class Hypertile {
 public:
  using value_type = typename Problem::value_type;

  Hypertile(const Exec& exec, const Problem& problem, const TileSize& size)
      : exec_(exec),
        shape_{problem, size, {nullptr, problem.grid.rows, problem.grid.columns, size.rows}},
        array_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "anti_diagonals"),
               static_cast<std::size_t>(shape_.array.size())),
        bands_(exec, shape_.bands()) {
    shape_.array.data = array_.data();
  }

  void change_layout() const { Perf::change_layout<false>(exec_, grid(), shape_.array); }
  void run() const { bands_.template run<HyperplaneTile>(exec_, "hypertile", shape_); }
  void change_layout_back() const { Perf::change_layout<true>(exec_, grid(), shape_.array); }

 private:
  const Grid<value_type>& grid() const { return shape_.problem.grid; }

  Exec exec_;
  HypertileShape<Problem> shape_;
  Kokkos::View<value_type*, typename Exec::memory_space> array_;
  Bands<Exec> bands_;
};

}  // namespace wavescan::Perf

#endif
