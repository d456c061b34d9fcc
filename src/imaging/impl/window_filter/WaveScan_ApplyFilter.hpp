// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WINDOW_FILTER_APPLYFILTER_HPP
#define WAVESCAN_IMPL_WINDOW_FILTER_APPLYFILTER_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/window_filter/WaveScan_WindowFilter.hpp>
#include <impl/window_filter/host/WaveScan_FilterRows.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

namespace wavescan::Impl::window_filter {

/// @brief Enqueues a filter.
template <ExecutionSpace Exec, class Formula, class Pixel, class T, class S, class Out>
void enqueue(const std::string& name, const Exec& exec,
             const WindowFilter<Formula, Pixel, T, S, Out>& filter) {
  using Filter = WindowFilter<Formula, Pixel, T, S, Out>;
  if (filter.out.rows == 0 || filter.out.columns == 0) return;
  if (filter.out.row_stride < filter.out.column_stride)
    return enqueue(name, exec, transposed(filter));
  const auto launch = [&](const auto& tasks, auto index) {
    using I = decltype(index);
    Kokkos::parallel_for(
        name,
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<I>>(exec, 0, static_cast<I>(tasks.count())),
        tasks);
  };
  if constexpr (runs_on_host<Exec>) {
    if (rows_are_contiguous(filter))
      launch(RowsOfFilter<Filter>{filter}, Index{});
    else
      launch(ColumnsOfFilter<Filter, PixelCount, Index>{filter}, Index{});
  } else {
    using Count = std::conditional_t<std::integral<T>, PixelCountOfMany, PixelCount>;
    if (indices_fit_32_bits(filter))
      launch(ColumnsOfFilter<Filter, Count, std::int32_t>{filter}, std::int32_t{});
    else
      launch(ColumnsOfFilter<Filter, Count, Index>{filter}, Index{});
  }
}

/// @brief The elements of an argument that a filter reads; none of Unused.
template <class V>
Grid<const typename V::non_const_value_type> elements_of(const V& view) {
  return grid_of(typename V::const_type(view));
}
inline Grid<const Unused> elements_of(Unused) { return {}; }

template <class V, class Exec>
inline constexpr bool is_readable = AccessibleFrom<V, Exec>;
template <class Exec>
inline constexpr bool is_readable<Unused, Exec> = true;

/// @brief Checks a filter's arguments and enqueues it.
/// @param radius_name what users call the radius
/// @param image       may be Unused, as squares; `out` may be the image itself
template <ExecutionSpace Exec, class Formula, class Image, class Table, class Squares, class Out>
void apply(const char* operation, const Exec& exec, const Formula& formula, const char* radius_name,
           std::int64_t radius, const Image& image, const Table& table, const Squares& squares,
           const Out& out) {
  static_assert(WritableView<Out>, "WaveScan: 'out' must not be const");
  static_assert(is_readable<Image, Exec> && is_readable<Table, Exec> &&
                    is_readable<Squares, Exec> && AccessibleFrom<Out, Exec>,
                "WaveScan: the execution space cannot reach the memory of an argument");
  require(radius >= 0, operation, radius_name, "must not be negative", radius);
  const auto require_extents_of = [&](const char* name, const auto& first) {
    if constexpr (!std::same_as<Image, Unused>)
      require_same_extents(operation, "table", table, name, first);
    if constexpr (!std::same_as<Squares, Unused>)
      require_same_extents(operation, "squares", squares, name, first);
    require_same_extents(operation, "out", out, name, first);
  };
  if constexpr (std::same_as<Image, Unused>) {
    require_extents_of("table", table);
  } else {
    require_extents_of("image", image);
    require_same_or_disjoint(operation, "image", image, "out", out);
  }
  require_distinct_elements(operation, "out", out);
  require_disjoint(operation, "table", table, "out", out);
  if constexpr (!std::same_as<Squares, Unused>)
    require_disjoint(operation, "squares", squares, "out", out);
  // More makes no difference.
  const auto max_radius = static_cast<Index>(std::max(table.extent(0), table.extent(1)));
  enqueue(std::string("WaveScan::") + operation, exec,
          WindowFilter{formula, std::min<Index>(radius, max_radius), elements_of(image),
                       elements_of(table), elements_of(squares), grid_of(out)});
}

}  // namespace wavescan::Impl::window_filter

#endif
