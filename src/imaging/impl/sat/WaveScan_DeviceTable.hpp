// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_DEVICETABLE_HPP
#define WAVESCAN_IMPL_SAT_DEVICETABLE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <impl/WaveScan_Images.hpp>
#include <impl/sat/WaveScan_Problem.hpp>
#if defined(KOKKOS_ENABLE_CUDA)
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/sat/gpu/WaveScan_GpuTable.hpp>
#endif

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>

/// @file
/// @brief Summed-area tables on devices, of pixels or of their squares: by one kernel where there
/// is one for them, else as two scans: along the rows, with conversion, then along the columns in
/// place. Nothing is subtracted.

namespace wavescan::Impl::sat {

/// @brief The two scans for images of one size.
template <ExecutionSpace Exec, class Types>
class TwoScans {
  using T = typename Types::T;

 public:
  TwoScans(const Exec& exec, Index rows, Index columns)
      : along_rows_(exec, rows, columns), along_columns_(exec, columns, rows) {}

  /// @param entries a View for the table
  /// @param down    options of the scan along the columns
  template <class Entries, class Down>
  void operator()(const Grid<const typename Types::Pixel>& image, const Entries& entries,
                  const Down& down) const {
    const auto pixels = strided_view<Exec>(image);
    const auto along = ScanOptions<>().axis(1);
    if constexpr (Types::squared)
      along_rows_.inclusive(transform_input(pixels, TermOf<Types>()), entries, along);
    else
      along_rows_.inclusive(pixels, entries, along);
    along_columns_.inclusive(entries, entries, down);
  }

  void operator()(const Grid<const typename Types::Pixel>& image, const Grid<T>& table) const {
    (*this)(image, strided_view<Exec>(table), ScanOptions<>().axis(0));
  }

 private:
  Scan<Exec, Plus<T>> along_rows_, along_columns_;
};

/// @brief Rounds sums to entries of a table.
template <class T>
struct RoundSums {
  Grid<const double> sums;
  Grid<T> table;
  KOKKOS_FUNCTION void operator()(const Index i, const Index j) const {
    table(i, j) = static_cast<T>(sums(i, j));
  }
};

/// @brief The two scans with sums kept in double, in strips of rows, whose entries are rounded
/// once.
template <ExecutionSpace Exec, class Types>
class TwoScansInDouble {
  using T = typename Types::T;
  using InDouble = TableTypes<typename Types::Pixel, double, Types::squared>;
  using Strip = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;

 public:
  TwoScansInDouble(const Exec& exec, Index rows, Index columns)
      : exec_(exec),
        strip_rows_(std::clamp<Index>(strip_entries / columns, 1, rows)),
        strip_(exec, strip_rows_, columns),
        last_(exec, (rows - 1) % strip_rows_ + 1, columns),
        sums_(new_array("WaveScan::tables::strip"), static_cast<std::size_t>(strip_rows_),
              static_cast<std::size_t>(columns)),
        above_(new_array("WaveScan::tables::above"), static_cast<std::size_t>(columns)) {}

  void operator()(const Grid<const typename Types::Pixel>& image, const Grid<T>& table) const {
    Kokkos::deep_copy(exec_, above_, 0.0);
    for (Index row = 0; row < table.rows; row += strip_rows_) {
      const Index rows = std::min(strip_rows_, table.rows - row);
      const auto& scans = rows == strip_rows_ ? strip_ : last_;
      const auto sums = Kokkos::subview(sums_, Kokkos::pair<Index, Index>(0, rows), Kokkos::ALL);
      scans(strip(image, row, rows), sums,
            ScanOptions<>().axis(0).carry_in(above_).carry_out(above_));
      const typename Strip::const_type all = sums_;
      Kokkos::parallel_for("WaveScan::summed_area_table::round",
                           Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<Index>>(
                               exec_, {0, 0}, {rows, table.columns}),
                           RoundSums<T>{grid_of(all), strip(table, row, rows)});
    }
  }

 private:
  static constexpr Index strip_entries = 1 << 20;

  auto new_array(const char* name) const {
    return Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, std::string(name));
  }
  template <class E>
  static Grid<E> strip(const Grid<E>& g, Index row, Index rows) {
    return {g.data + row * g.row_stride, rows, g.columns, g.row_stride, g.column_stride};
  }

  Exec exec_;
  Index strip_rows_;
  TwoScans<Exec, InDouble> strip_, last_;
  Strip sums_;
  Kokkos::View<double*, typename Exec::memory_space> above_;
};

/// @brief What computes tables of one size.
/// @param in_double sums are kept in double if the table's type is a narrower one
template <class Types, ExecutionSpace Exec>
TableAlgorithm<typename Types::Pixel, typename Types::T> device_table(const Exec& exec,
                                                                      [[maybe_unused]] Index images,
                                                                      Index rows, Index columns,
                                                                      bool in_double) {
  const auto one_by_one = [](const auto& table) {
    return [table](const ProblemOf<Types>& all) {
      for (Index m = 0; m < all.images; ++m) {
        const auto one = all.of_image(m);
        table(one.image, one.table);
      }
      return false;
    };
  };
  if constexpr (!std::same_as<WideSum<typename Types::T>, typename Types::T>)
    if (in_double) return one_by_one(TwoScansInDouble<Exec, Types>(exec, rows, columns));
  const auto portable = one_by_one(TwoScans<Exec, Types>(exec, rows, columns));
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::same_as<Exec, gpu::Device> && GpuTable<Types>::supported)
    if (gpu::device_path(Operation::SummedAreaTable, exec) == DevicePath::BulkCopies)
      return [exec, portable,
              table = GpuTable<Types>(exec, {images, rows, columns})](const ProblemOf<Types>& p) {
        return table.enqueue(exec, p) ? table.takes_above(p) : portable(p);
      };
#endif
  return portable;
}

}  // namespace wavescan::Impl::sat

#endif
