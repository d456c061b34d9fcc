// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_HOSTTILE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_HOSTTILE_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Scan_HostTile.hpp>
#include <impl/WaveScan_SummedAreaTable_HostRow.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace wavescan::Impl {

/// @brief Rows [row, row + rows) and columns [column, column + columns) of a table.
struct TileExtents {
  Index row = 0, rows = 0;
  Index column = 0, columns = 0;
};

/// @brief f(j) for j in [0, count), in steps of a fixed length, which compilers vectorise readily.
template <class F>
void for_each_column(Index count, const F& f) {
  constexpr Index several = 16;
  Index j = 0;
  for (; j + several <= count; j += several) {
    WAVESCAN_INDEPENDENT_ITERATIONS
    for (Index k = 0; k < several; ++k) f(j + k);
  }
  for (; j < count; ++j) f(j);
}

/// @brief A tile of a table, summed up in a core's cache.
///
/// An entry is the one above the band of rows that the tile belongs to, plus the sum of the band's
/// pixels down to its row and up to its column. The latter are the prefix sums of a row of column
/// sums, so that nothing is subtracted and rows do not wait for each other.
/// @tparam A type in which sums are kept
/// @tparam T element type of the table
template <class A, class T>
class HostTableTile {
 public:
  static constexpr Index most_columns = 4096 / static_cast<Index>(sizeof(A));

  /// @brief Computes only the band's part of the entries in the tile's last row.
  /// @param rows `rows.values(i, column, count, buffer)` returns pixels, in the buffer if need be;
  ///             `rows.at(i, column)` is where they lie
  /// @param left what that row has summed up left of the tile
  template <class Rows>
  const A* reduce(const Rows& rows, const TileExtents& t, const A& left) {
    std::fill_n(sums_, t.columns, A(0));
    const Index last = t.row + t.rows - 1;
    for (Index i = t.row; i < last; ++i) {
      const A* const pixels = rows.values(i, t.column, t.columns, pixels_);
      for_each_column(t.columns,
                      [=, this](Index j) { sums_[j] = wrapping_add(sums_[j], pixels[j]); });
    }
    std::fill_n(entries_, t.columns, A(0));
    row(rows, t, last, entries_, entries_).template sum<false>(left);
    return entries_;
  }

  /// @brief The tile's entries, which go to `table`.
  /// @param left what each row has summed up left of the tile, then right of it
  /// @param above the entries above the tile
  /// @return the entries of the tile's last row
  template <class Rows>
  const A* sum(const Rows& rows, const TileExtents& t, A* left, const A* above,
               const Grid<T>& table, bool streaming) {
    std::fill_n(sums_, t.columns, A(0));
    for (Index r = 0; r < t.rows; ++r, ++left) {
      T* const out = &table(t.row + r, t.column);
      if constexpr (std::same_as<A, T>) {
        if (r < t.rows - 1 && table.column_stride == 1 && (!streaming || is_aligned(out))) {
          const auto direct = row(rows, t, t.row + r, above, out);
          *left = streaming ? direct.template sum<true>(*left) : direct.template sum<false>(*left);
          continue;
        }
      }
      *left = row(rows, t, t.row + r, above, entries_).template sum<false>(*left);
      store(out, table.column_stride, t.columns, streaming && table.column_stride == 1);
    }
    return entries_;
  }

 private:
  template <class Rows>
  auto row(const Rows& rows, const TileExtents& t, Index i, const A* above, A* entries) {
    const bool next_tile = i + 1 == t.row + t.rows;
    return HostTableRow<A, typename Rows::pixel_type>{
        rows.values(i, t.column, t.columns, pixels_),
        next_tile ? rows.at(t.row, t.column + t.columns) : rows.at(i + 1, t.column),
        sums_,
        above,
        entries,
        t.columns};
  }

  static bool is_aligned(const T* p) {
    return reinterpret_cast<std::uintptr_t>(p) % host_cache_line == 0;
  }

  /// @brief Writes entries_ to a row of the table.
  void store(T* out, Index stride, Index count, bool streaming) {
    const Lines<T> line{out, 0, stride};
    if constexpr (std::same_as<A, T>) {
      HostTile<T>::store(entries_, line, 0, 0, count, streaming);
    } else {
      for_each_column(count, [this](Index j) { converted_[j] = static_cast<T>(entries_[j]); });
      HostTile<T>::store(converted_, line, 0, 0, count, streaming);
    }
  }

  alignas(host_cache_line) A sums_[most_columns];  ///< of the band's columns down to a row
  alignas(host_cache_line) A pixels_[most_columns];
  alignas(host_cache_line) A entries_[most_columns];
  alignas(host_cache_line) T converted_[std::same_as<A, T> ? 1 : most_columns];
};

}  // namespace wavescan::Impl

#endif
