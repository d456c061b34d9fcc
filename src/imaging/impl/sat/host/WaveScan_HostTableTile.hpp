// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_HOST_HOSTTABLETILE_HPP
#define WAVESCAN_IMPL_SAT_HOST_HOSTTABLETILE_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sat/host/WaveScan_HostByteTable.hpp>
#include <impl/sat/host/WaveScan_HostTableCut.hpp>
#include <impl/sat/host/WaveScan_HostTableRow.hpp>
#include <impl/scan/host/WaveScan_HostTile.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace wavescan::Impl {

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

/// @brief Whether rows' pixels are the bytes of an image as they are.
template <class Rows>
inline constexpr bool bytes_in_rows =
    Rows::takes_pixels_as_they_are&& std::same_as<typename Rows::pixel_type, std::uint8_t>;

/// @brief Adds a few rows to sums of columns, which stay in registers meanwhile.
template <class A>
struct ColumnSums {
  static constexpr Index rows = 4;
  const A* pixels;
  Index pixels_a_row;
  A* sums;
  Index columns;
  template <class Target>
  WAVESCAN_INLINED void operator()(Target) const {
    WAVESCAN_INDEPENDENT_ITERATIONS
    for (Index j = 0; j < columns; ++j) {
      A sum = sums[j];
      for (Index r = 0; r < rows; ++r) sum = wrapping_add(sum, pixels[r * pixels_a_row + j]);
      sums[j] = sum;
    }
  }
};

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
  static constexpr Index max_columns = 4096 / static_cast<Index>(sizeof(A));

  /// @brief Computes only the band's part of the entries in the tile's last row.
  /// @param rows `rows.values(i, column, count, buffer)` returns pixels, in the buffer if need be;
  ///             `rows.at(i, column)` is where they lie
  /// @param left what that row has summed up left of the tile
  /// @param own  becomes the part
  /// @return what that row has summed up right of the tile
  template <class Rows>
  A reduce(const Rows& rows, const TableTile& t, const A& left, A* own) {
    sum_columns(rows, t, t.rows - 1);
    std::fill_n(own, t.columns, A(0));
    return row(rows, t, t.row + t.rows - 1, own, own).template sum<false>(left);
  }

  /// @brief The tile's entries, which go to `table`.
  /// @param left what each row has summed up left of the tile, then right of it
  /// @param above the entries above the tile
  /// @return the entries of the tile's last row
  template <class Rows>
  const A* sum(const Rows& rows, const TableTile& t, A* left, const A* above, const Grid<T>& table,
               bool streaming) {
    if constexpr (is_wrapping_word && bytes_in_rows<Rows>)
      if (sum_bytes(rows.image, t, left, above, table, streaming)) return entries_;
    std::fill_n(sums_, t.columns, A(0));
    for (Index r = 0; r < t.rows; ++r, ++left) {
      T* const out = &table(t.row + r, t.column);
      if constexpr (std::same_as<A, T>) {
        if (r < t.rows - 1 && table.column_stride == 1 && (!streaming || is_aligned(out))) {
          const auto direct = row(rows, t, t.row + r, above, out, table.row_stride);
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
  static constexpr bool is_wrapping_word = std::integral<T> && sizeof(T) == 4 && std::same_as<A, T>;

  /// @brief The sums of the columns of the tile's first rows.
  template <class Rows>
  void sum_columns(const Rows& rows, const TableTile& t, Index count) {
    if constexpr (is_wrapping_word && bytes_in_rows<Rows>)
      if (sum_columns_of_bytes(rows.image, t, count)) return;
    std::fill_n(sums_, t.columns, A(0));
    Index i = 0;
    if constexpr (Rows::takes_pixels_as_they_are && std::same_as<typename Rows::pixel_type, A>)
      if (rows.in_memory())
        for (; i + ColumnSums<A>::rows <= count; i += ColumnSums<A>::rows) {
          const Grid<const A>& image = rows.image;
          const ColumnSums<A> few{&image(t.row + i, t.column), image.row_stride, sums_, t.columns};
          dispatch([&](auto target) { run_inlined(target, few); });
        }
    for (; i < count; ++i) {
      const A* const pixels = rows.values(t.row + i, t.column, t.columns, pixels_);
      for_each_column(t.columns,
                      [=, this](Index j) { sums_[j] = wrapping_add(sums_[j], pixels[j]); });
    }
  }

  /// @brief `sum` for bytes side by side, where the processor has better ways for them.
  bool sum_bytes(const Grid<const std::uint8_t>& image, const TableTile& t, A* left, const A* above,
                 const Grid<T>& table, bool streaming) {
    T* const out = &table(t.row, t.column);
    if (image.column_stride != 1 || table.column_stride != 1 ||
        (streaming && !(is_aligned(out) && is_aligned(out + table.row_stride))))
      return false;
    const HostByteRows rows{&image(t.row, t.column), image.row_stride,  as_unsigned(out),
                            table.row_stride,        as_unsigned(left), t.columns};
    const auto* const entries_above = reinterpret_cast<const std::uint32_t*>(above);
    return in_registers([&]<class Table>(Table) {
      if (streaming)
        Table::template sum<true>(rows, t.rows, entries_above, as_unsigned(entries_));
      else
        Table::template sum<false>(rows, t.rows, entries_above, as_unsigned(entries_));
    });
  }
  bool sum_columns_of_bytes(const Grid<const std::uint8_t>& image, const TableTile& t,
                            Index count) {
    if (image.column_stride != 1 || count > HostByteRows::max_in_words) return false;
    const HostByteRows rows{
        &image(t.row, t.column), image.row_stride, nullptr, 0, nullptr, t.columns};
    return in_registers([&]<class Table>(Table) {
      std::uint16_t words[max_columns];
      Table::sum_columns(rows, count, words, as_unsigned(sums_));
    });
  }
  /// @brief Calls `f` with the table of bytes for the processor, if it has what that needs.
  template <class F>
  static bool in_registers(const F& f) {
    return dispatch(
        [&](auto target) {
          using Table = HostByteTable<decltype(target)>;
          if constexpr (Table::available) f(Table());
          return Table::available;
        },
        Avx512Vnni{});
  }
  static std::uint32_t* as_unsigned(A* p) { return reinterpret_cast<std::uint32_t*>(p); }

  /// @param to_next from entries to those of the next row, where they do not take its place
  template <class Rows>
  auto row(const Rows& rows, const TableTile& t, Index i, const A* above, A* entries,
           Index to_next = 0) {
    const bool next_tile = i + 1 == t.row + t.rows;
    return HostTableRow<A, typename Rows::pixel_type>{
        rows.values(i, t.column, t.columns, pixels_),
        next_tile ? rows.at(t.row, t.column + t.columns) : rows.at(i + 1, t.column),
        sums_,
        above,
        entries,
        entries + to_next,
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

  alignas(host_cache_line) A sums_[max_columns];  ///< of the band's columns down to a row
  alignas(host_cache_line) A pixels_[max_columns];
  alignas(host_cache_line) A entries_[max_columns];
  alignas(host_cache_line) T converted_[std::same_as<A, T> ? 1 : max_columns];
};

}  // namespace wavescan::Impl

#endif
