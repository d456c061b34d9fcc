// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_DEVICETABLE_HPP
#define WAVESCAN_IMPL_SAT_DEVICETABLE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Images.hpp>
#include <impl/sat/WaveScan_TableProblem.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/sat/gpu/WaveScan_GpuTable.hpp>
#endif

#include <algorithm>
#include <concepts>
#include <type_traits>

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

  /// @param sums a View for those along the rows
  /// @param out  what the scan along the columns writes, perhaps `sums`, and its options
  template <class Sums, class Out, class Down>
  void operator()(const Grid<const typename Types::Pixel>& image, const Sums& sums, const Out& out,
                  const Down& down) const {
    const auto pixels = strided_view<Exec>(image);
    const auto along = ScanOptions<>().axis(1);
    if constexpr (Types::squared)
      along_rows_.inclusive(transform_input(pixels, TermOf<Types>()), sums, along);
    else
      along_rows_.inclusive(pixels, sums, along);
    along_columns_.inclusive(sums, out, down);
  }

  void operator()(const Grid<const typename Types::Pixel>& image, const Grid<T>& table) const {
    const auto entries = strided_view<Exec>(table);
    (*this)(image, entries, entries, ScanOptions<>().axis(0));
  }

 private:
  Scan<Exec, Plus<T>> along_rows_, along_columns_;
};

/// @brief Rounds a sum to an entry of a table.
template <class T>
struct RoundSum {
  KOKKOS_FUNCTION T operator()(double sum) const { return static_cast<T>(sum); }
};

/// @brief The two scans with sums kept in double, in bands of rows, whose entries are rounded
/// once.
template <ExecutionSpace Exec, class Types>
class TwoScansInDouble {
  using T = typename Types::T;
  using InDouble = TableTypes<typename Types::Pixel, double, Types::squared>;

 public:
  TwoScansInDouble(const Exec& exec, Index rows, Index columns)
      : exec_(exec),
        band_rows_(std::clamp<Index>(band_entries / columns, 1, rows)),
        whole_(exec, band_rows_, columns),
        last_(exec, (rows - 1) % band_rows_ + 1, columns),
        sums_(workspace_array<double>(exec, "WaveScan::tables::band", band_rows_ * columns)),
        above_(workspace_array<double>(exec, "WaveScan::tables::above", columns)) {}

  void operator()(const Grid<const typename Types::Pixel>& image, const Grid<T>& table) const {
    Kokkos::deep_copy(exec_, above_, 0.0);
    for (Index row = 0; row < table.rows; row += band_rows_) {
      const Index rows = std::min(band_rows_, table.rows - row);
      const auto& scans = rows == band_rows_ ? whole_ : last_;
      scans(band(image, row, rows),
            strided_view<Exec>(Grid<double>{sums_.data(), rows, table.columns, table.columns, 1}),
            transform_output(strided_view<Exec>(band(table, row, rows)), RoundSum<T>()),
            ScanOptions<>().axis(0).carry_in(above_).carry_out(above_));
    }
  }

 private:
  static constexpr Index band_entries = 1 << 20;

  template <class E>
  static Grid<E> band(const Grid<E>& g, Index row, Index rows) {
    return {g.data + row * g.row_stride, rows, g.columns, g.row_stride, g.column_stride};
  }

  Exec exec_;
  Index band_rows_;
  TwoScans<Exec, InDouble> whole_, last_;
  Kokkos::View<double*, typename Exec::memory_space> sums_, above_;
};

/// @brief The algorithm for tables of one size on a device.
/// @param in_double sums are kept in double if the table's type is a narrower one
template <class Types, ExecutionSpace Exec>
Algorithm<typename Types::Pixel, typename Types::T> device_table(const Exec& exec,
                                                                 const TableShape& shape,
                                                                 bool in_double) {
  using Pixel = typename Types::Pixel;
  const auto one_by_one = [](const auto& table) {
    return [table](const ProblemOf<Types>& all) {
      for (Index m = 0; m < all.images; ++m) {
        const auto one = all.of_image(m);
        table(one.image, one.table);
      }
      return false;
    };
  };
  const auto with_kernels = [&]<class Kernels>(
                                std::type_identity<Kernels>,
                                const auto& portable) -> Algorithm<Pixel, typename Types::T> {
#if defined(WAVESCAN_HAS_GPU_KERNELS)
    if constexpr (runs_on_gpu<Exec> && GpuTable<Kernels>::supported)
      return [exec, portable, table = GpuTable<Kernels>(exec, shape)](const ProblemOf<Types>& p) {
        return table.enqueue(exec, p) ? table.takes_above(p) : portable(p);
      };
#endif
    return portable;
  };
  using Wide = WideSum<typename Types::T>;
  if constexpr (!std::same_as<Wide, typename Types::T>)
    if (in_double)
      return with_kernels(
          std::type_identity<TableTypes<Pixel, typename Types::T, Types::squared, Wide>>(),
          one_by_one(TwoScansInDouble<Exec, Types>(exec, shape.rows, shape.columns)));
  return with_kernels(std::type_identity<Types>(),
                      one_by_one(TwoScans<Exec, Types>(exec, shape.rows, shape.columns)));
}

}  // namespace wavescan::Impl::sat

#endif
