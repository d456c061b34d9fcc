// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SUMMEDAREATABLE_HPP
#define WAVESCAN_SUMMEDAREATABLE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Rectangle.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Images.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Rectangles.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/WaveScan_SaturatingConversion.hpp>
#include <impl/sat/WaveScan_DeviceTable.hpp>
#include <impl/sat/WaveScan_TableProblem.hpp>
#include <impl/sat/host/WaveScan_HostTable.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

/// @file
/// @brief Summed-area tables (integral images) and the sums over rectangles that they give in O(1).

namespace wavescan {

/// @brief Options of a summed-area table: border and accuracy.
struct SummedAreaTableOptions {
  /// The table has a first row and a first column of zeros, which are written too: entry (i, j) is
  /// the sum of image(0..i-1, 0..j-1), as in OpenCV's `integral`. Without: inclusive sums.
  bool zero_border = false;
  /// Sums of a table of float are kept in double and rounded once, for large images. No effect on
  /// other types.
  bool sums_in_double = false;

  friend bool operator==(const SummedAreaTableOptions&, const SummedAreaTableOptions&) = default;
};

/// @brief The most pixels that an image can have for every sum over it to fit type T exactly.
///
/// For integers, no sum overflows; for floating point, no sum of integers is rounded.
/// @param largest largest absolute value of a pixel (for sums of squares, its square), not 0
/// @throws std::invalid_argument if `largest` is 0
template <class T>
  requires std::is_arithmetic_v<T> std::uint64_t max_pixels(std::uint64_t largest) {
    Impl::require(largest > 0, "max_pixels", "largest", "must be positive", largest);
    if constexpr (std::integral<T>)
      return static_cast<std::uint64_t>(std::numeric_limits<T>::max()) / largest;
    else
      return (std::uint64_t(1) << std::min(std::numeric_limits<T>::digits, 63)) / largest;
  }

/// @brief Whether every sum over an image of rows x columns fits type T exactly: see max_pixels.
///
/// @param rows    rows of the image
/// @param columns columns of the image
/// @param largest largest absolute value of a pixel
/// @throws std::invalid_argument if `rows` or `columns` is negative
template <class T>
  requires std::is_arithmetic_v<T>
bool accumulator_suffices(std::int64_t rows, std::int64_t columns, std::uint64_t largest) {
  Impl::require(rows >= 0, "accumulator_suffices", "rows", "must not be negative", rows);
  Impl::require(columns >= 0, "accumulator_suffices", "columns", "must not be negative", columns);
  if (rows == 0 || columns == 0 || largest == 0) return true;
  // The product of rows and columns might overflow.
  return max_pixels<T>(largest) / static_cast<std::uint64_t>(rows) >=
         static_cast<std::uint64_t>(columns);
}

namespace Impl {

/// @brief Whether sums of pixels may be kept in T: at least as wide, and floating point if they
/// are.
template <class Pixel, class T>
inline constexpr bool accumulates = std::is_arithmetic_v<Pixel>&& std::is_arithmetic_v<T> &&
                                    sizeof(T) >= sizeof(Pixel) &&
                                    (std::integral<Pixel> || std::floating_point<T>);

namespace sat {

/// @brief The algorithm for tables of one size, with its workspace.
/// @param in_double sums of floating point are kept in double
template <ExecutionSpace Exec, class Pixel, class T, class Square>
Algorithm<Pixel, T, Square> select_algorithm(const Exec& exec, const TableShape& shape,
                                             bool in_double) {
  using Problem = TableProblem<Pixel, T, Square>;
  if constexpr (runs_on_host<Exec>) {
    using Sum = WideSum<T>;
    using SquareSum = WideSum<Square>;
    if constexpr (!std::same_as<Sum, T> || !std::same_as<SquareSum, Square>)
      if (in_double) return HostTable<Exec, Pixel, T, Square, Sum, SquareSum>(exec, shape);
    return HostTable<Exec, Pixel, T, Square, T, Square>(exec, shape);
  } else {
    const auto sums = device_table<TableTypes<Pixel, T>>(exec, shape, in_double);
    if constexpr (Problem::has_squares)  // first: the other table may take the image's place
      return [sums, squares = device_table<TableTypes<Pixel, Square, true>>(
                        exec, shape, in_double)](const Problem& p) {
        squares(p.of_squares());
        return sums(p.of_sums());
      };
    else
      return sums;
  }
}

/// @brief Access to tables of images whose rows come in parts.
struct ContinuedTable {
  /// @brief Enqueues the table of a part below others. See SummedAreaTable.
  /// @return whether the table has what is above; else that is to be added
  template <class Plan, class Image, class Table, class T>
  static bool enqueue(const Plan& plan, const Image& image, const Table& table,
                      const SumsAbove<T>& above) {
    return plan.enqueue(image, table, NoSquares(), above);
  }
};
}  // namespace sat

}  // namespace Impl

/// @brief A plan for summed-area tables of images of one size, which owns the workspace.
///
/// Calls enqueue work on the plan's instance, allocate nothing and return. One plan must not be
/// used from two instances at a time.
///
/// Memory: on a host a row of the table, for many images one for each thread, for images that the
/// caches hold one for each thread and each band of rows (up to 15 bands, or one for 64 rows); on a
/// device a few MiB and the workspace of two scans, for large images about 10 MiB more, with sums
/// in double 8 MiB.
/// @tparam Exec   execution space
/// @tparam Pixel  element type of the images
/// @tparam T      element type of the tables
/// @tparam Square element type of the tables of squares, if any are computed
template <ExecutionSpace Exec, class Pixel, class T, class Square = Impl::sat::NoSquares>
class SummedAreaTable {
  static_assert(Impl::accumulates<Pixel, T>,
                "WaveScan: images and tables hold numbers; the table's type must be at least as "
                "wide as the image's, and floating point if the image is");
  static_assert(std::same_as<Square, Impl::sat::NoSquares> || Impl::accumulates<Pixel, Square>,
                "WaveScan: the type of the table of squares must be a number at least as wide as "
                "the image's, and floating point if the image is");

 public:
  /// @param exec    instance that all calls enqueue on
  /// @param rows    rows of the images
  /// @param columns columns of the images
  /// @param options border, accuracy
  /// @throws std::invalid_argument if a size is negative or their product overflows 64 bits
  SummedAreaTable(const Exec& exec, std::int64_t rows, std::int64_t columns,
                  const SummedAreaTableOptions& options = {})
      : SummedAreaTable(exec, 1, rows, columns, options) {}

  /// @brief Makes a plan for batches of `images` images, whose Views have rank 3 (image, row,
  /// column).
  SummedAreaTable(const Exec& exec, std::int64_t images, std::int64_t rows, std::int64_t columns,
                  const SummedAreaTableOptions& options = {})
      : exec_(exec), images_(images), rows_(rows), columns_(columns), options_(options) {
    constexpr const char* plan = "SummedAreaTable";
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    Impl::require(images >= 0, plan, "images", "must not be negative", images);
    Impl::require(rows >= 0 && (images == 0 || rows <= most / images), plan, "rows",
                  "must not be negative, and keep images * rows within 64 bits", rows);
    Impl::require(columns >= 0 && (images == 0 || rows == 0 || columns <= most / images / rows),
                  plan, "columns",
                  "must not be negative, and keep images * rows * columns within 64 bits", columns);
    if (images > 0 && rows > 0 && columns > 0)
      algorithm_ = Impl::sat::select_algorithm<Exec, Pixel, T, Square>(
          exec, {images, rows, columns}, options.sums_in_double);
  }

  /// @brief Enqueues table(i, j) = sum of image(0..i, 0..j), and the same of the squares if the
  /// plan has a type for them. See wavescan::summed_area_table.
  template <class Image, class Table, class Squares = Impl::sat::NoSquares>
  void operator()(const Image& image, const Table& table, const Squares& squares = {}) const {
    enqueue(image, table, squares, {});
  }

 private:
  friend struct Impl::sat::ContinuedTable;
  using Problem = Impl::sat::TableProblem<Pixel, T, Square>;

  /// @brief The inclusive part of a table, whose border is filled.
  template <class Table>
  Impl::Images<typename Table::value_type> inclusive_part(const Table& table) const {
    const auto images = Impl::images_of(table);
    if (!options_.zero_border) return images;
    Impl::fill_border(exec_, images);
    return Impl::without_border(images);
  }

  /// @return whether the table has what is above the image
  template <class Image, class Table, class Squares>
  bool enqueue(const Image& image, const Table& table, const Squares& squares,
               const Impl::sat::SumsAbove<T>& above) const {
    constexpr bool has_squares = Problem::has_squares;
    static_assert(has_squares != std::same_as<Squares, Impl::sat::NoSquares>,
                  "WaveScan: a plan with a type of squares, and no other, computes their table");
    constexpr const char* operation = "summed_area_table";
    static_assert(
        Impl::ImageView<Image> && Impl::ImageView<Table> && Image::rank() == Table::rank(),
        "WaveScan: 'image' and 'table' must be Kokkos Views of rank 2, or both of rank 3 "
        "(image, row, column)");
    static_assert(WritableView<Table>, "WaveScan: 'table' must not be const");
    static_assert(AccessibleFrom<Image, Exec> && AccessibleFrom<Table, Exec>,
                  "WaveScan: the execution space cannot reach the memory of 'image' or 'table'");
    static_assert(std::same_as<typename Image::non_const_value_type, Pixel> &&
                      std::same_as<typename Table::value_type, T>,
                  "WaveScan: 'image' and 'table' must have the plan's element types");
    constexpr const char* plans_extents = "must have the plan's extents";
    Impl::require_images(operation, "image", image, plans_extents, images_, {rows_, columns_});
    const std::int64_t border = options_.zero_border ? 1 : 0;
    Impl::require_images(
        operation, "table", table,
        border ? "must have room for a first row and column of zeros" : plans_extents, images_,
        {rows_ + border, columns_ + border});
    Impl::require_distinct_elements(operation, "table", table);
    Impl::require_same_or_disjoint(operation, "image", image, "table", table);
    if constexpr (has_squares) {
      static_assert(
          Impl::ImageView<Squares> && Image::rank() == Squares::rank() &&
              std::same_as<typename Squares::value_type, Square>,
          "WaveScan: 'squares' must be a Kokkos View of the table's rank and of the plan's "
          "type of squares, and not be const");
      static_assert(AccessibleFrom<Squares, Exec>,
                    "WaveScan: the execution space cannot reach the memory of 'squares'");
      Impl::require_same_extents(operation, "squares", squares, "table", table);
      Impl::require_distinct_elements(operation, "squares", squares);
      Impl::require_disjoint(operation, "image", image, "squares", squares);
      Impl::require_disjoint(operation, "table", table, "squares", squares);
    }
    const Kokkos::Profiling::ScopedRegion region("WaveScan::summed_area_table");
    const typename Image::const_type const_image = image;
    const auto pixels = Impl::images_of(const_image);
    const auto entries = inclusive_part(table);
    Problem problem{pixels.first, entries.first, {}, images_, pixels.stride, entries.stride};
    problem.above = above;
    if constexpr (has_squares) {
      const auto entries_of_squares = inclusive_part(squares);
      problem.squares = entries_of_squares.first;
      problem.squares_stride = entries_of_squares.stride;
    }
    return algorithm_ && algorithm_(problem);
  }

  Exec exec_;
  std::int64_t images_;
  std::int64_t rows_;
  std::int64_t columns_;
  SummedAreaTableOptions options_;
  Impl::sat::Algorithm<Pixel, T, Square> algorithm_;  ///< empty if there are no pixels
};

/// @brief Computes the summed-area table of an image, or of each image of a batch: table(i, j) =
/// sum of image(0..i, 0..j).
///
/// Enqueues on `exec` and returns. Keeps its workspace for the next such call: see
/// WaveScan_Workspaces.hpp. Work: O(pixels).
///
/// Pixels are converted to the table's type when they are loaded. Integers are exact and wrap
/// around where a sum leaves the type: see max_pixels. Floating point: a pixel that is infinite or
/// not a number spoils all entries below it and to its right. Nothing is subtracted, and
/// the error of an entry is at most (rows + columns + 64) * epsilon times the sum of the
/// absolute values that it sums up (epsilon: half the distance of 1 to the next number; 64 stands
/// for pieces that tables are divided into). With `sums_in_double` it is one rounding, and the same
/// bound with the epsilon of double.
///
/// @param exec    execution space instance; left out: the default instance of Table's space
/// @param image   View of rank 2 (row, column) or 3 (image, row, column), any layout
/// @param table   View of the same extents (with `zero_border`: of one row and one column more) and
///                a type at least as wide; may be `image` itself (in place) if the types are the
///                same
/// @param options border, accuracy
/// @throws std::invalid_argument if extents do not fit, the Views partly overlap, or elements of
///         `table` overlap each other
template <ExecutionSpace Exec, AnyView Image, AnyView Table>
void summed_area_table(const Exec& exec, const Image& image, const Table& table,
                       const SummedAreaTableOptions& options = {}) {
  const Impl::Calling calling("summed_area_table");
  static_assert(Impl::ImageView<Image>, "WaveScan: 'image' must be a Kokkos View of rank 2 or 3");
  const auto images = Impl::images_of(image);
  using Plan = SummedAreaTable<Exec, typename Image::non_const_value_type,
                               typename Table::non_const_value_type>;
  (*Impl::kept_plan<Plan>(exec, images.count, images.first.rows, images.first.columns, options))(
      image, table);
}

/// @brief Computes the summed-area tables of an image and of its squares while it is read once:
/// what local_variance and threshold_sauvola take.
///
/// @param squares View of the extents of `table`: the sums of the squares, which are computed in
///                its type; shares no memory with the others
/// @copydetails summed_area_table(const Exec&, const Image&, const Table&, const
///              SummedAreaTableOptions&)
template <ExecutionSpace Exec, AnyView Image, AnyView Table, AnyView Squares>
void summed_area_table(const Exec& exec, const Image& image, const Table& table,
                       const Squares& squares, const SummedAreaTableOptions& options = {}) {
  const Impl::Calling calling("summed_area_table");
  static_assert(Impl::ImageView<Image>, "WaveScan: 'image' must be a Kokkos View of rank 2 or 3");
  const auto images = Impl::images_of(image);
  using Plan =
      SummedAreaTable<Exec, typename Image::non_const_value_type,
                      typename Table::non_const_value_type, typename Squares::non_const_value_type>;
  (*Impl::kept_plan<Plan>(exec, images.count, images.first.rows, images.first.columns, options))(
      image, table, squares);
}

namespace Impl {

template <class Table, class Rectangles, class Out>
struct RectangleSums {
  Table table;
  Rectangles rectangles;
  Out out;
  KOKKOS_FUNCTION void operator()(const Index q) const {
    out(q) = converted_to<typename Out::value_type>(rectangle_sum(table, rectangles(q)));
  }
};

}  // namespace Impl

/// @brief The sums of an image over many rectangles: out(q) = rectangle_sum(table, rectangles(q)).
///
/// All rectangles are checked first, which waits for `exec`; the sums are then enqueued. Empty
/// rectangles give 0. O(rectangles). What infinite pixels and NaN do to rectangles that do not hold
/// them: see rectangle_sum.
///
/// @param exec       execution space instance; left out: the default instance of Out's space
/// @param table      View of rank 2 that summed_area_table has filled
/// @param rectangles View<const Rectangle*>; each must lie inside the image
/// @param out        View of rank 1 with one element for each rectangle, converted to its type:
///                   from floating point to integers towards 0, to the least or largest value
///                   where the type does not hold a sum, and to the least one for NaN
/// @throws std::invalid_argument if a rectangle lies outside or is reversed, if `out` has another
///         extent, or if it overlaps an input or itself
template <ExecutionSpace Exec, ViewOfRank<2> Table, Impl::RectangleView Rectangles,
          ViewOfRank<1> Out>
void rectangle_sums(const Exec& exec, const Table& table, const Rectangles& rectangles,
                    const Out& out) {
  constexpr const char* operation = "rectangle_sums";
  Impl::require_same_extents(operation, "out", out, "rectangles", rectangles);
  Impl::for_rectangles(exec, operation, "table", table, rectangles, out,
                       static_cast<std::int64_t>(table.extent(0)),
                       static_cast<std::int64_t>(table.extent(1)),
                       Impl::RectangleSums<Table, Rectangles, Out>{table, rectangles, out});
}

/// @brief summed_area_table on the default instance of the table's execution space.
template <AnyView Image, AnyView Table>
void summed_area_table(const Image& image, const Table& table,
                       const SummedAreaTableOptions& options = {}) {
  summed_area_table(typename Table::execution_space(), image, table, options);
}
/// @brief summed_area_table with squares on the default instance of the table's execution space.
template <AnyView Image, AnyView Table, AnyView Squares>
void summed_area_table(const Image& image, const Table& table, const Squares& squares,
                       const SummedAreaTableOptions& options = {}) {
  summed_area_table(typename Table::execution_space(), image, table, squares, options);
}
/// @brief rectangle_sums on the default instance of Out's execution space.
template <ViewOfRank<2> Table, Impl::RectangleView Rectangles, ViewOfRank<1> Out>
void rectangle_sums(const Table& table, const Rectangles& rectangles, const Out& out) {
  rectangle_sums(typename Out::execution_space(), table, rectangles, out);
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/sat/WaveScan_Instantiations.hpp>
#endif

#endif
