// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SUMMEDAREATABLE_HPP
#define WAVESCAN_SUMMEDAREATABLE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Rectangle.hpp>
#include <WaveScan_Schedule.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/WaveScan_SummedAreaTable_Bands.hpp>
#include <impl/WaveScan_SummedAreaTable_Rectangles.hpp>
#include <impl/WaveScan_SummedAreaTable_TwoScans.hpp>
#include <impl/WaveScan_SummedAreaTable_Wavefront.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>

/// @file
/// @brief Summed-area tables (integral images) and the sums over rectangles that they give in O(1).
///
/// Source of the formula: Hou et al., "Highly Efficient Compensation-based Parallelism for
/// Wavefront Loops on GPUs", IPDPS 2018, section IV.

namespace wavescan {

/// @brief How a summed-area table is computed.
struct SummedAreaTableOptions {
  /// Hybrid: sums along rows and columns, the fastest and most accurate way. Any other: the paper's
  /// wavefront loop in that schedule, which subtracts.
  Schedule schedule = Schedule::Hybrid;
};

/// @brief Whether every sum over an image of integers fits type T exactly.
///
/// For integers, that no sum overflows; for floating point, that no sum is rounded.
/// @param rows    rows of the image
/// @param columns columns of the image
/// @param largest largest absolute value of a pixel
/// @throws std::invalid_argument if `rows` or `columns` is negative
template <class T>
  requires std::is_arithmetic_v<T>
bool accumulator_suffices(std::int64_t rows, std::int64_t columns, std::uint64_t largest) {
  Impl::require(rows >= 0, "accumulator_suffices", "rows", "must not be negative", rows);
  Impl::require(columns >= 0, "accumulator_suffices", "columns", "must not be negative", columns);
  std::uint64_t limit = 0;
  if constexpr (std::integral<T>)
    limit = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  else
    limit = std::uint64_t(1) << std::min(std::numeric_limits<T>::digits, 63);
  if (rows == 0 || columns == 0 || largest == 0) return true;
  // Rounded division thrice is rounded division by the product, which might overflow.
  return limit / largest / static_cast<std::uint64_t>(rows) / static_cast<std::uint64_t>(columns) >
         0;
}

/// @brief A plan for summed-area tables of images of one size, which owns the workspace.
///
/// Calls enqueue work on the plan's instance, allocate nothing and return. One plan must not be
/// used from two instances at a time.
///
/// Memory: a few rows of the table for each thread on a host; the workspace of two scans on a
/// device.
/// @tparam Exec  execution space
/// @tparam Pixel element type of the images
/// @tparam T     element type of the tables
template <ExecutionSpace Exec, class Pixel, class T>
class SummedAreaTable {
  static_assert(std::is_arithmetic_v<Pixel> && std::is_arithmetic_v<T>,
                "WaveScan: images and tables hold numbers");
  static_assert(sizeof(T) >= sizeof(Pixel) && (std::integral<Pixel> || std::floating_point<T>),
                "WaveScan: the table's type must be at least as wide as the image's, and floating "
                "point if the image is");

 public:
  /// @param exec    instance that all calls enqueue on
  /// @param rows    rows of the images
  /// @param columns columns of the images
  /// @param options schedule
  /// @throws std::invalid_argument if a size is negative or their product overflows 64 bits
  SummedAreaTable(const Exec& exec, std::int64_t rows, std::int64_t columns,
                  const SummedAreaTableOptions& options = {});

  /// @brief Enqueues table(i, j) = sum of image(0..i, 0..j). See wavescan::summed_area_table.
  template <class Image, class Table>
  void operator()(const Image& image, const Table& table) const;

 private:
  using banded = Impl::BandedTable<Exec, Pixel, T>;
  using two_scans = Impl::TwoScanTable<Exec, T>;
  using wavefront = Impl::WavefrontTable<Exec, Pixel, T>;
  using ways = std::conditional_t<Impl::runs_on_host<Exec>,
                                  std::variant<std::monostate, two_scans, wavefront, banded>,
                                  std::variant<std::monostate, two_scans, wavefront>>;

  static ways choose_way(const Exec& exec, std::int64_t rows, std::int64_t columns,
                         Schedule schedule);

  std::int64_t rows_;
  std::int64_t columns_;
  ways way_;
};

template <ExecutionSpace Exec, class Pixel, class T>
SummedAreaTable<Exec, Pixel, T>::SummedAreaTable(const Exec& exec, std::int64_t rows,
                                                 std::int64_t columns,
                                                 const SummedAreaTableOptions& options)
    : rows_(rows), columns_(columns) {
  Impl::require(rows >= 0, "SummedAreaTable", "rows", "must not be negative", rows);
  Impl::require(columns >= 0, "SummedAreaTable", "columns", "must not be negative", columns);
  Impl::require(rows == 0 || columns <= std::numeric_limits<std::int64_t>::max() / rows,
                "SummedAreaTable", "columns", "must keep rows * columns within 64 bits", columns);
  if (rows > 0 && columns > 0) way_ = choose_way(exec, rows, columns, options.schedule);
}

template <ExecutionSpace Exec, class Pixel, class T>
auto SummedAreaTable<Exec, Pixel, T>::choose_way(const Exec& exec, std::int64_t rows,
                                                 std::int64_t columns, Schedule schedule) -> ways {
  if (schedule != Schedule::Hybrid) return wavefront(exec, rows, columns, schedule);
  if constexpr (Impl::runs_on_host<Exec>)
    if (Impl::BandShape::keeps_busy(exec, std::min(rows, columns)))
      return banded(exec, rows, columns);
  return two_scans(exec, rows, columns);
}

template <ExecutionSpace Exec, class Pixel, class T>
template <class Image, class Table>
void SummedAreaTable<Exec, Pixel, T>::operator()(const Image& image, const Table& table) const {
  static_assert(ViewOfRank<Image, 2> && ViewOfRank<Table, 2>,
                "WaveScan: 'image' and 'table' must be Kokkos Views of rank 2");
  static_assert(WritableView<Table>, "WaveScan: 'table' must not be const");
  static_assert(AccessibleFrom<Image, Exec> && AccessibleFrom<Table, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'image' or 'table'");
  static_assert(std::same_as<typename Image::non_const_value_type, Pixel> &&
                    std::same_as<typename Table::value_type, T>,
                "WaveScan: 'image' and 'table' must have the plan's element types");
  constexpr const char* operation = "summed_area_table";
  Impl::require(static_cast<std::int64_t>(image.extent(0)) == rows_ &&
                    static_cast<std::int64_t>(image.extent(1)) == columns_,
                operation, "image",
                "must have the plan's extents (" + std::to_string(rows_) + " x " +
                    std::to_string(columns_) + ")",
                Impl::extents_of(image));
  Impl::require_same_extents(operation, "table", table, "image", image);
  Impl::require_same_or_disjoint(operation, "image", image, "table", table);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::summed_area_table");
  std::visit(
      [&](const auto& way) {
        if constexpr (!std::same_as<std::remove_cvref_t<decltype(way)>, std::monostate>)
          way(image, table);
      },
      way_);
}

/// @brief Computes the inclusive summed-area table of an image: table(i, j) = sum of image(0..i,
/// 0..j).
///
/// Enqueues on `exec`; waits only where the deallocation of its small workspace does. Use a
/// `SummedAreaTable` plan for repeated calls. Work: O(pixels).
///
/// Pixels are converted to the table's type when they are loaded. Integers are exact and wrap
/// around where a sum leaves the type: see accumulator_suffices. Floating point: the default way
/// only adds, and the error of an entry is at most (rows + columns + threads) * epsilon times the
/// sum of the absolute values that it sums up; the wavefront loop of the other schedules also
/// subtracts, and its errors add up over the whole image above and to the left.
///
/// @param exec    execution space instance; left out: the default instance of Table's space
/// @param image   View of rank 2, any layout
/// @param table   View of the same extents, with a type at least as wide; may be `image` itself (in
///                place) if the types are the same
/// @param options schedule
/// @throws std::invalid_argument if extents differ or the Views partly overlap
template <ExecutionSpace Exec, AnyView Image, AnyView Table>
void summed_area_table(const Exec& exec, const Image& image, const Table& table,
                       const SummedAreaTableOptions& options = {}) {
  SummedAreaTable<Exec, typename Image::non_const_value_type, typename Table::non_const_value_type>(
      exec, static_cast<std::int64_t>(image.extent(0)), static_cast<std::int64_t>(image.extent(1)),
      options)(image, table);
}

namespace Impl {

template <class Table, class Rectangles, class Out>
struct RectangleSums {
  Table table;
  Rectangles rectangles;
  Out out;
  KOKKOS_FUNCTION void operator()(const Index q) const {
    out(q) = static_cast<typename Out::value_type>(rectangle_sum(table, rectangles(q)));
  }
};

}  // namespace Impl

/// @brief The sums of an image over many rectangles: out(q) = rectangle_sum(table, rectangles(q)).
///
/// All rectangles are checked first, which waits for `exec`; the sums are then enqueued. Empty
/// rectangles give 0. O(rectangles).
///
/// @param exec       execution space instance; left out: the default instance of Out's space
/// @param table      View of rank 2 that summed_area_table has filled
/// @param rectangles View<const Rectangle*>; each must lie inside the image
/// @param out        View of rank 1 with one element for each rectangle, converted to its type
/// @throws std::invalid_argument if a rectangle lies outside or is reversed, if `out` has another
///         extent, or if it overlaps an input
template <ExecutionSpace Exec, ViewOfRank<2> Table, Impl::RectangleView Rectangles,
          ViewOfRank<1> Out>
void rectangle_sums(const Exec& exec, const Table& table, const Rectangles& rectangles,
                    const Out& out) {
  static_assert(WritableView<Out>, "WaveScan: 'out' must not be const");
  static_assert(
      AccessibleFrom<Table, Exec> && AccessibleFrom<Rectangles, Exec> && AccessibleFrom<Out, Exec>,
      "WaveScan: the execution space cannot reach the memory of an argument");
  constexpr const char* operation = "rectangle_sums";
  Impl::require_same_extents(operation, "out", out, "rectangles", rectangles);
  Impl::require_disjoint(operation, "table", table, "out", out);
  Impl::require_disjoint(operation, "rectangles", rectangles, "out", out);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::rectangle_sums");
  Impl::require_inside(exec, operation, rectangles, static_cast<std::int64_t>(table.extent(0)),
                       static_cast<std::int64_t>(table.extent(1)));
  Kokkos::parallel_for("WaveScan::rectangle_sums",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<Impl::Index>>(
                           exec, 0, static_cast<Impl::Index>(out.extent(0))),
                       Impl::RectangleSums<Table, Rectangles, Out>{table, rectangles, out});
}

/// @brief summed_area_table on the default instance of the table's execution space.
template <AnyView Image, AnyView Table>
void summed_area_table(const Image& image, const Table& table,
                       const SummedAreaTableOptions& options = {}) {
  summed_area_table(typename Table::execution_space(), image, table, options);
}
/// @brief rectangle_sums on the default instance of Out's execution space.
template <ViewOfRank<2> Table, Impl::RectangleView Rectangles, ViewOfRank<1> Out>
void rectangle_sums(const Table& table, const Rectangles& rectangles, const Out& out) {
  rectangle_sums(typename Out::execution_space(), table, rectangles, out);
}

}  // namespace wavescan

#endif
