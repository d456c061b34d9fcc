// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMAGEVIEWS_HPP
#define WAVESCAN_IMAGEVIEWS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Require.hpp>

#include <cstddef>
#include <type_traits>

/// @file
/// @brief Other views of the same images, tables and histograms. Nothing is copied.

namespace wavescan {

/// @brief Channels that lie side by side as images of a batch: entry (c, i, j) of the result is
/// entry (i, j, c) of the argument; (m, c, i, j) is (m, i, j, c).
///
/// Makes a batch of a color image, and of a View whose bins are innermost the histogram (bin, row,
/// column) that integral_histogram writes. As a subview does, the result shares the ownership of
/// the memory, so the argument may be a temporary; an unmanaged View gives an unmanaged one.
template <AnyView V>
  requires(V::rank() == 3 || V::rank() == 4)
auto channels_first(const V& view) {
  using Value = typename V::value_type;
  using Data = std::conditional_t<V::rank() == 3, Value***, Value****>;
  using Result =
      Kokkos::View<Data, Kokkos::LayoutStride, typename V::device_type, typename V::memory_traits>;
  const auto layout = [&] {
    if constexpr (V::rank() == 3)
      return Kokkos::LayoutStride(view.extent(2), view.stride(2), view.extent(0), view.stride(0),
                                  view.extent(1), view.stride(1));
    else
      return Kokkos::LayoutStride(view.extent(0), view.stride(0), view.extent(3), view.stride(3),
                                  view.extent(1), view.stride(1), view.extent(2), view.stride(2));
  }();
  return Result(view.data_handle(), layout);
}

/// @brief The inclusive table inside a table with a border of zeros
/// (SummedAreaTableOptions::zero_border), for all that takes inclusive tables.
/// @throws std::invalid_argument if it has no row or no column
template <AnyView V>
  requires(V::rank() == 2)
auto without_border(const V& table) {
  for (int r = 0; r < 2; ++r)
    Impl::require(table.extent(r) > 0, "without_border", "table", "must have a row and a column",
                  Impl::extents_of(table));
  return Kokkos::subview(table, Kokkos::pair<std::size_t, std::size_t>(1, table.extent(0)),
                         Kokkos::pair<std::size_t, std::size_t>(1, table.extent(1)));
}

}  // namespace wavescan

#endif
