// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_BANDS_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_BANDS_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_Scan.hpp>
#include <impl/WaveScan_Execution.hpp>

#include <algorithm>
#include <cstddef>

/// @file
/// @brief A summed-area table in bands of rows, one for each thread: the way for hosts.
///
/// The columns of every band are summed up, an exclusive scan over the bands gives what lies above
/// each, and then every thread walks down its band: an entry is the one above it plus the sum of
/// its row so far. Nothing cancels. The image is read twice (once by a single thread) and the table
/// written once.

namespace wavescan::Impl {

/// @brief How rows are shared out.
struct BandShape {
  Index rows = 0;   ///< of a band; the last one may have fewer
  Index bands = 0;  ///< none of them empty

  template <ExecutionSpace Exec>
  static BandShape choose(const Exec& exec, Index rows) {
    const Index rows_each = std::max<Index>(ceil_div(rows, resident_teams(exec, 1)), 1);
    return {rows_each, ceil_div(rows, rows_each)};
  }
  /// @brief Whether there are rows enough to give every thread some.
  template <ExecutionSpace Exec>
  static bool keeps_busy(const Exec& exec, Index rows) {
    return rows >= resident_teams(exec, 1);
  }
  KOKKOS_FUNCTION Index begin(Index band) const { return band * rows; }
  KOKKOS_FUNCTION Index end(Index band, Index all_rows) const {
    return begin(band) + rows < all_rows ? begin(band) + rows : all_rows;
  }
};

/// @brief How many rows a thread takes at a time: their sums are chains of additions that do not
/// wait for each other.
inline constexpr int rows_at_a_time = 4;

/// @brief Entries of `Rows` successive rows from the row above them: `above(j)` is that row's
/// entry, `load(r, j)` a pixel, and `store(r, j, value)` takes the result.
template <int Rows, class T, class Above, class Load, class Store>
KOKKOS_FORCEINLINE_FUNCTION void sum_rows(Index columns, const Above& above, const Load& load,
                                          const Store& store) {
  T row[Rows] = {};
  for (Index j = 0; j < columns; ++j) {
    T entry = above(j);
    for (int r = 0; r < Rows; ++r) {
      row[r] = wrapping_add(row[r], load(r, j));
      entry = wrapping_add(entry, row[r]);
      store(r, j, entry);
    }
  }
}

/// @brief sum_rows of `rows` rows, as many as a thread takes at a time or fewer.
template <class T, class Above, class Load, class Store>
KOKKOS_FUNCTION void sum_some_rows(int rows, Index columns, const Above& above, const Load& load,
                                   const Store& store) {
  static_assert(rows_at_a_time == 4);
  switch (rows) {
    case 1:
      return sum_rows<1, T>(columns, above, load, store);
    case 2:
      return sum_rows<2, T>(columns, above, load, store);
    case 3:
      return sum_rows<3, T>(columns, above, load, store);
    default:
      return sum_rows<4, T>(columns, above, load, store);
  }
}

/// @brief The sums of the columns of each band.
template <class Pixel, class T>
struct BandColumnSums {
  Grid<const Pixel> image;
  BandShape shape;
  T* sums;  ///< (band, column)
  KOKKOS_FUNCTION void operator()(const Index band) const {
    T* const sum = sums + band * image.columns;
    for (Index j = 0; j < image.columns; ++j) sum[j] = T(0);
    for (Index i = shape.begin(band); i < shape.end(band, image.rows); ++i)
      for (Index j = 0; j < image.columns; ++j)
        sum[j] = wrapping_add(sum[j], static_cast<T>(image(i, j)));
  }
};

/// @brief The entries of each band, from the sums of the columns above it.
template <class Pixel, class T>
struct BandEntries {
  Grid<const Pixel> image;
  Grid<T> table;
  BandShape shape;
  const T* sums_above;  ///< (band, column); null where there is one band only
  KOKKOS_FUNCTION void operator()(const Index band) const {
    const Index end = shape.end(band, image.rows);
    for (Index i = shape.begin(band); i < end; i += rows_at_a_time) {
      const int rows = i + rows_at_a_time < end ? rows_at_a_time : static_cast<int>(end - i);
      const auto load = [&](int r, Index j) { return static_cast<T>(image(i + r, j)); };
      const auto store = [&](int r, Index j, const T& value) { table(i + r, j) = value; };
      const auto sum = [&](const auto& above) {
        sum_some_rows<T>(rows, image.columns, above, load, store);
      };
      if (i > shape.begin(band)) {
        sum([&](Index j) { return table(i - 1, j); });
      } else if (band == 0) {
        sum([](Index) { return T(0); });
      } else {
        const T* const columns_above = sums_above + band * image.columns;
        T above = T(0);
        sum([&](Index j) { return above = wrapping_add(above, columns_above[j]); });
      }
    }
  }
};

/// @brief The workspace of the banded way for images of one size.
template <ExecutionSpace Exec, class Pixel, class T>
class BandedTable {
 public:
  BandedTable(const Exec& exec, Index rows, Index columns)
      : exec_(exec), row_major_(exec, rows, columns), column_major_(exec, columns, rows) {
    sums_ = decltype(sums_)(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                                               "WaveScan::summed_area_table::band_sums"),
                            std::max(row_major_.sums(), column_major_.sums()));
  }

  template <class Image, class Table>
  void operator()(const Image& image, const Table& table) const {
    const typename Image::const_type pixels = image;
    const Grid<T> entries = grid_of(table);
    // Rows and columns have the same part in a table: walk along what is contiguous.
    if (entries.column_stride <= entries.row_stride)
      run(row_major_, grid_of(pixels), entries);
    else
      run(column_major_, transposed(grid_of(pixels)), transposed(entries));
  }

  std::size_t workspace_bytes() const { return sums_.size() * sizeof(T); }

 private:
  /// @brief The bands of the image, or of the transposed image.
  struct Orientation {
    BandShape shape;
    Index columns;
    Scan<Exec, Plus<T>> over_bands;
    Orientation(const Exec& exec, Index rows, Index row_length)
        : shape(BandShape::choose(exec, rows)),
          columns(row_length),
          over_bands(exec, row_length, shape.bands) {}
    std::size_t sums() const {
      return shape.bands > 1 ? static_cast<std::size_t>(shape.bands * columns) : 0;
    }
  };

  void run(const Orientation& o, const Grid<const Pixel>& image, const Grid<T>& table) const {
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
    if (o.shape.bands > 1) {
      Kokkos::parallel_for("WaveScan::summed_area_table::band_sums",
                           Policy(exec_, 0, o.shape.bands),
                           BandColumnSums<Pixel, T>{image, o.shape, sums_.data()});
      const Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space,
                         Kokkos::MemoryTraits<Kokkos::Unmanaged>>
          sums(sums_.data(), static_cast<std::size_t>(o.shape.bands),
               static_cast<std::size_t>(o.columns));
      o.over_bands.exclusive(sums, sums, ScanOptions<>().axis(0));
    }
    Kokkos::parallel_for("WaveScan::summed_area_table::band_entries",
                         Policy(exec_, 0, o.shape.bands),
                         BandEntries<Pixel, T>{image, table, o.shape, sums_.data()});
  }

  Exec exec_;
  Orientation row_major_;
  Orientation column_major_;
  Kokkos::View<T*, typename Exec::memory_space> sums_;
};

}  // namespace wavescan::Impl

#endif
