// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WINDOW_FILTER_HOST_FILTERROWS_HPP
#define WAVESCAN_IMPL_WINDOW_FILTER_HOST_FILTERROWS_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/window_filter/WaveScan_WindowFilter.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>

/// @file
/// @brief Filters on the host where rows lie along memory: blocks of pixels, in vector registers.

namespace wavescan::Impl::window_filter {

/// @brief Some pixels of a row of a filter.
///
/// The corners of neighbouring windows lie side by side: streams of entries become one of results,
/// by loops that compilers vectorise readily. Where windows are clipped, streams are replaced by
/// zeros or by the last entry of the row.
template <class Filter>
class FilterRow {
  using Pixel = typename Filter::pixel_type;
  using T = typename Filter::sum_type;
  using S = typename Filter::square_type;
  using Out = typename Filter::out_type;
  static constexpr Index block = 64;

 public:
  FilterRow(const Filter& f, Index i, Index begin, Index end)
      : f_(f), i_(i), begin_(begin), end_(end), rows_(i, f.radius, f.out.rows) {}

  template <class Target>
  WAVESCAN_INLINED void operator()(Target) const {
    // A fused multiply-add that is no instruction takes longer than a division.
    using Count =
        std::conditional_t<Target::fuses && std::integral<T>, PixelCountOfMany, PixelCount>;
    const Index columns = f_.out.columns;
    const Index not_left = f_.radius + 1, right = columns - f_.radius;
    const bool all_clipped = right < not_left;
    // Where windows are clipped at both sides or at none, they have the same number of pixels.
    const Index same = std::clamp(std::min(not_left, right), begin_, end_);
    const Index same_end = std::clamp(std::max(not_left, right), begin_, end_);
    const Count count{
        static_cast<double>(rows_.length() * (all_clipped ? columns : 2 * f_.radius + 1))};

    Index j = same;
    for (; j + block <= same_end; j += block)
      run(Pixels<Block>{j, {}, all_clipped, all_clipped}, OneCount<Count>{count});
    const Rest rests[] = {{begin_, same, true, false},
                          {j, same_end, all_clipped, all_clipped},
                          {same_end, end_, false, true}};
    for (const Rest& rest : rests)
      for (j = rest.begin; j < rest.end; j += block)
        run(Pixels<Index>{j, std::min(block, rest.end - j), rest.left_clipped, rest.right_clipped},
            ManyCounts(*this, j));
  }

 private:
  using Block = std::integral_constant<Index, block>;

  /// @brief Pixels from j on, at most a block of them, whose windows are clipped on the same sides.
  template <class Length>
  struct Pixels {
    Index j;
    Length length;
    bool left_clipped, right_clipped;
  };

  /// @brief Pixels that are no whole blocks, or whose windows have different numbers of pixels.
  struct Rest {
    Index begin, end;
    bool left_clipped, right_clipped;
  };

  /// @brief The numbers of pixels in the windows of a block.
  template <class Count>
  struct OneCount {
    Count count;
    WAVESCAN_INLINED const Count& operator[](Index) const { return count; }
  };
  struct ManyCounts {
    double values[block];
    WAVESCAN_INLINED ManyCounts(const FilterRow& row, Index j) {
      const Index height = row.rows_.length(), columns = row.f_.out.columns;
      for (Index k = 0; k < block; ++k)
        values[k] =
            static_cast<double>(height * WindowSpan<>(j + k, row.f_.radius, columns).length());
    }
    WAVESCAN_INLINED PixelCount operator[](Index k) const { return {values[k]}; }
  };

  template <class Length, class Counts>
  WAVESCAN_INLINED void run(const Pixels<Length>& p, const Counts& counts) const {
    T sums[block];
    S squares[block];
    add_up(f_.table, p, sums);
    if constexpr (Filter::has_squares) add_up(f_.squares, p, squares);

    const Index n = p.length;
    const Pixel* const pixels = Filter::has_image ? &f_.image(i_, p.j) : nullptr;
    double results[block];
    WAVESCAN_INDEPENDENT_ITERATIONS
    for (Index k = 0; k < n; ++k) {
      WindowValues w;
      w.sum = static_cast<double>(sums[k]);
      if constexpr (Filter::has_squares) w.squares = static_cast<double>(squares[k]);
      if constexpr (Filter::has_image) w.pixel = static_cast<double>(pixels[k]);
      results[k] = rounded_within<Out>(f_.formula(w, counts[k]));
    }
    Out* const out = &f_.out(i_, p.j);
    WAVESCAN_INDEPENDENT_ITERATIONS
    for (Index k = 0; k < n; ++k) out[k] = from_confined<Out>(results[k]);
  }

  /// @brief The sums over the windows of some pixels.
  template <class A, class Length>
  WAVESCAN_INLINED void add_up(const Grid<const A>& table, const Pixels<Length>& p,
                               A (&sums)[block]) const {
    A last[2][block];
    const A *left[2], *right[2];  // below and above
    find_streams(table, rows_.last, p, left[0], right[0], last[0]);
    find_streams(table, rows_.before, p, left[1], right[1], last[1]);
    const Index n = p.length;
    WAVESCAN_INDEPENDENT_ITERATIONS
    for (Index k = 0; k < n; ++k)
      sums[k] = sum_from_corners(right[0][k], right[1][k], left[0][k], left[1][k]);
  }

  /// @brief Finds a row's entries at the windows' corners.
  /// @param buffer for repetitions of the row's last entry
  template <class A, class Length>
  WAVESCAN_INLINED void find_streams(const Grid<const A>& table, Index row, const Pixels<Length>& p,
                                     const A*& left, const A*& right, A (&buffer)[block]) const {
    static constexpr A zeros[block] = {};
    const bool outside = row < 0;
    left = outside || p.left_clipped ? zeros : &table(row, p.j - f_.radius - 1);
    right = outside ? zeros : &table(row, std::min(p.j + f_.radius, f_.out.columns - 1));
    if (outside || !p.right_clipped) return;
    for (Index k = 0; k < block; ++k) buffer[k] = *right;
    right = buffer;
  }

  const Filter& f_;
  Index i_;
  Index begin_, end_;
  WindowSpan<> rows_;
};

/// @brief Rows of a filter in strips of columns, whose entries stay in the cache from where windows
/// end below to where they end above.
template <class Filter>
struct RowsOfFilter {
  static constexpr Index strip = 2048;
  Filter f;

  void operator()(const Index k) const {
    const Index begin = k / f.out.rows * strip;
    const Index end = std::min(begin + strip, f.out.columns);
    const FilterRow<Filter> row(f, k % f.out.rows, begin, end);
    dispatch([&](auto target) { run_inlined(target, row); });
  }
  Index count() const { return ceil_div(f.out.columns, strip) * f.out.rows; }
};

/// @brief Whether rows of all that a filter reads and writes lie along memory.
template <class Filter>
bool rows_are_contiguous(const Filter& f) {
  const auto contiguous = [](const auto& grid) {
    return grid.data == nullptr || grid.column_stride == 1 || grid.columns == 1;
  };
  return contiguous(f.image) && contiguous(f.table) && contiguous(f.squares) && contiguous(f.out);
}

}  // namespace wavescan::Impl::window_filter

#endif
