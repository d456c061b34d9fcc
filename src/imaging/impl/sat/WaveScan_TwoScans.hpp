// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_TWOSCANS_HPP
#define WAVESCAN_IMPL_SAT_TWOSCANS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_Scan.hpp>
#include <impl/WaveScan_Images.hpp>

#include <algorithm>
#include <cstddef>

/// @file
/// @brief Summed-area tables as two scans: along the rows, with conversion, then along the columns
/// in place. The portable algorithm: nothing is subtracted, but the table is written twice.

namespace wavescan::Impl::sat {

/// @brief The two scans for images of one size, with sums in T.
template <ExecutionSpace Exec, class T>
class TwoScans {
 public:
  TwoScans(const Exec& exec, Index rows, Index columns)
      : along_rows_(exec, rows, columns), along_columns_(exec, columns, rows) {}

  /// @param down options of the scan along the columns
  template <class Pixel, class Entries, class Options>
  void operator()(const Grid<const Pixel>& image, const Entries& entries,
                  const Options& down) const {
    along_rows_.inclusive(strided_view<Exec>(image), entries, ScanOptions<>().axis(1));
    along_columns_.inclusive(entries, entries, down);
  }

 private:
  Scan<Exec, Plus<T>> along_rows_, along_columns_;
};

/// @brief The table by them.
template <ExecutionSpace Exec, class Pixel, class T>
class TwoScanTable {
 public:
  TwoScanTable(const Exec& exec, Index rows, Index columns) : scans_(exec, rows, columns) {}

  void operator()(const Grid<const Pixel>& image, const Grid<T>& table) const {
    scans_(image, strided_view<Exec>(table), ScanOptions<>().axis(0));
  }

 private:
  TwoScans<Exec, T> scans_;
};

/// @brief Copies a Grid with conversion.
template <class From, class To>
struct ConvertGrid {
  Grid<const From> from;
  Grid<To> to;
  KOKKOS_FUNCTION void operator()(const Index i, const Index j) const {
    to(i, j) = static_cast<To>(from(i, j));
  }
};

/// @brief The two scans with sums kept in double, in strips of rows, each of whose entries are
/// rounded once.
template <ExecutionSpace Exec, class Pixel, class T>
class TwoScanTableInDouble {
 public:
  TwoScanTableInDouble(const Exec& exec, Index rows, Index columns)
      : exec_(exec),
        strip_rows_(std::clamp<Index>(strip_entries / columns, 1, rows)),
        strip_(exec, strip_rows_, columns),
        last_(exec, (rows - 1) % strip_rows_ + 1, columns) {
    using Kokkos::view_alloc, Kokkos::WithoutInitializing;
    sums_ =
        decltype(sums_)(view_alloc(exec, WithoutInitializing, "WaveScan::tables::strip"),
                        static_cast<std::size_t>(strip_rows_), static_cast<std::size_t>(columns));
    above_ = decltype(above_)(view_alloc(exec, WithoutInitializing, "WaveScan::tables::above"),
                              static_cast<std::size_t>(columns));
    Kokkos::deep_copy(exec, above_, 0.0);
  }

  void operator()(const Grid<const Pixel>& image, const Grid<T>& table) const {
    Kokkos::deep_copy(exec_, above_, 0.0);
    for (Index row = 0; row < table.rows; row += strip_rows_) {
      const Index rows = std::min(strip_rows_, table.rows - row);
      const auto sums = Kokkos::subview(sums_, Kokkos::pair<Index, Index>(0, rows), Kokkos::ALL);
      const auto& scans = rows == strip_rows_ ? strip_ : last_;
      scans(strip(image, row, rows), sums,
            ScanOptions<>().axis(0).carry_in(above_).carry_out(above_));
      const Kokkos::View<const double**, Kokkos::LayoutRight, typename Exec::memory_space> from =
          sums_;
      Kokkos::parallel_for("WaveScan::summed_area_table::round",
                           Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<Index>>(
                               exec_, {0, 0}, {rows, table.columns}),
                           ConvertGrid<double, T>{grid_of(from), strip(table, row, rows)});
    }
  }

 private:
  static constexpr Index strip_entries = 1 << 20;

  template <class E>
  static Grid<E> strip(const Grid<E>& g, Index row, Index rows) {
    return {g.data + row * g.row_stride, rows, g.columns, g.row_stride, g.column_stride};
  }

  Exec exec_;
  Index strip_rows_;
  TwoScans<Exec, double> strip_, last_;
  Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space> sums_;
  Kokkos::View<double*, typename Exec::memory_space> above_;
};

}  // namespace wavescan::Impl::sat

#endif
