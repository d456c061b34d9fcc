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

  void operator()(const Grid<const typename Types::Pixel>& image, const Grid<T>& table) const {
    const auto pixels = strided_view<Exec>(image);
    const auto sums = strided_view<Exec>(table);
    const auto along = ScanOptions<>().axis(1);
    if constexpr (Types::squared)
      along_rows_.inclusive(transform_input(pixels, TermOf<Types>()), sums, along);
    else
      along_rows_.inclusive(pixels, sums, along);
    along_columns_.inclusive(sums, sums, ScanOptions<>().axis(0));
  }

 private:
  Scan<Exec, Plus<T>> along_rows_, along_columns_;
};

/// @brief Sums in double along the rows of a band, by a team each, and down its columns, which are
/// rounded to entries.
template <class Types>
struct RoundedBand {
  Grid<const typename Types::Pixel> image;
  Grid<typename Types::T> table;
  double* sums;   ///< along the rows
  double* above;  ///< down the columns

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using InDouble = TableTypes<typename Types::Pixel, double, Types::squared>;
    const auto i = static_cast<Index>(team.league_rank());
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, image.columns),
                          [&](const Index j, double& sum, const bool is_final) {
                            sum += TermOf<InDouble>()(image(i, j));
                            if (is_final) sums[i * image.columns + j] = sum;
                          });
  }
  KOKKOS_FUNCTION void operator()(const Index j) const {
    double sum = above[j];
    for (Index i = 0; i < image.rows; ++i) {
      sum += sums[i * image.columns + j];
      table(i, j) = static_cast<typename Types::T>(sum);
    }
    above[j] = sum;
  }
};

/// @brief Tables whose sums are kept in double and rounded once, band by band along the shorter
/// side, for those that no kernel is for.
template <ExecutionSpace Exec, class Types>
class RoundedBands {
 public:
  RoundedBands(const Exec& exec, Index rows, Index columns)
      : exec_(exec),
        length_(std::max(rows, columns)),
        width_(std::clamp<Index>(band_entries / length_, 1, std::min(rows, columns))),
        sums_(workspace_array<double>(exec, "WaveScan::tables::band", width_ * length_)),
        above_(workspace_array<double>(exec, "WaveScan::tables::above", length_)) {}

  void operator()(const Grid<const typename Types::Pixel>& image,
                  const Grid<typename Types::T>& table) const {
    if (image.rows > image.columns) return (*this)(transposed(image), transposed(table));
    Kokkos::deep_copy(exec_, above_, 0.0);
    for (Index row = 0; row < image.rows; row += width_) {
      const Index rows = std::min(width_, image.rows - row);
      const RoundedBand<Types> band{band_of(image, row, rows), band_of(table, row, rows),
                                    sums_.data(), above_.data()};
      Kokkos::parallel_for("WaveScan::summed_area_table::rows",
                           Kokkos::TeamPolicy<Exec>(exec_, static_cast<int>(rows), Kokkos::AUTO),
                           band);
      Kokkos::parallel_for(
          "WaveScan::summed_area_table::columns",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec_, 0, image.columns), band);
    }
  }

 private:
  static constexpr Index band_entries = 1 << 20;

  template <class E>
  static Grid<E> band_of(const Grid<E>& g, Index row, Index rows) {
    return {g.data + row * g.row_stride, rows, g.columns, g.row_stride, g.column_stride};
  }

  Exec exec_;
  Index length_, width_;
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
          one_by_one(RoundedBands<Exec, Types>(exec, shape.rows, shape.columns)));
  return with_kernels(std::type_identity<Types>(),
                      one_by_one(TwoScans<Exec, Types>(exec, shape.rows, shape.columns)));
}

}  // namespace wavescan::Impl::sat

#endif
