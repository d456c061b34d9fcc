// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_RECTANGLES_HPP
#define WAVESCAN_IMPL_RECTANGLES_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Rectangle.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

namespace wavescan::Impl {

/// @brief A View of rectangles: rank 1, any layout.
template <class V>
concept RectangleView =
    ViewOfRank<V, 1> && std::is_same_v<typename V::non_const_value_type, Rectangle>;

/// @brief Finds the first rectangle that does not lie inside an image.
template <class Rectangles>
struct FirstOutside {
  Rectangles rectangles;
  Index rows;
  Index columns;
  KOKKOS_FUNCTION void operator()(const Index q, Index& first) const {
    if (q < first && !rectangles(q).inside(rows, columns)) first = q;
  }
};

/// @brief Throws unless all rectangles lie inside an image of rows x columns. Waits for `exec`.
template <ExecutionSpace Exec, RectangleView Rectangles>
void require_inside(const Exec& exec, std::string_view operation, const Rectangles& rectangles,
                    Index rows, Index columns) {
  const auto count = static_cast<Index>(rectangles.extent(0));
  Index first = count;
  Kokkos::parallel_reduce("WaveScan::check_rectangles",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count),
                          FirstOutside<Rectangles>{rectangles, rows, columns},
                          Kokkos::Min<Index>(first));
  if (first >= count) return;
  Rectangle r;
  Kokkos::deep_copy(exec, r, Kokkos::subview(rectangles, first));
  exec.fence("WaveScan::check_rectangles");
  std::ostringstream text;
  text << "rows [" << r.row_begin << ", " << r.row_end << ") and columns [" << r.column_begin
       << ", " << r.column_end << ") at index " << first;
  reject(operation, "rectangles",
         "must lie inside the image (" + std::to_string(rows) + " x " + std::to_string(columns) +
             ") and not be reversed",
         text.str());
}

/// @brief Checks what users pass with rectangles of an image of rows x columns, but for extents,
/// which waits for `exec`; and enqueues the computation of all of `out`.
/// @param input_name what users call the input
/// @param entry      functor that takes the number of an element of `out` and computes it
template <ExecutionSpace Exec, AnyView Input, RectangleView Rectangles, AnyView Out, class Entry>
void for_rectangles(const Exec& exec, const std::string& operation, const char* input_name,
                    const Input& input, const Rectangles& rectangles, const Out& out, Index rows,
                    Index columns, const Entry& entry) {
  static_assert(WritableView<Out>, "WaveScan: 'out' must not be const");
  static_assert(
      AccessibleFrom<Input, Exec> && AccessibleFrom<Rectangles, Exec> && AccessibleFrom<Out, Exec>,
      "WaveScan: the execution space cannot reach the memory of an argument");
  require_distinct_elements(operation, "out", out);
  require_disjoint(operation, input_name, input, "out", out);
  require_disjoint(operation, "rectangles", rectangles, "out", out);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::" + operation);
  require_inside(exec, operation, rectangles, rows, columns);
  enqueue_items(exec, ("WaveScan::" + operation).c_str(), static_cast<Index>(out.size()), 8e-9,
                entry);
}

}  // namespace wavescan::Impl

#endif
