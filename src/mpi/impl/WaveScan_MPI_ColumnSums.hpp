// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_COLUMNSUMS_HPP
#define WAVESCAN_IMPL_MPI_COLUMNSUMS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_Scan.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_MPI_SegmentExchange.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/sat/WaveScan_TableProblem.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

/// @file
/// @brief Sums over the columns of an image whose rows are distributed, which its tables begin
/// with: the image is read once more, so that no table has to be.

namespace wavescan::Impl::mpi {

/// @brief Neighbouring pixels, `Width` of them, which are loaded together.
template <class Pixel, int Width>
struct alignas(sizeof(Pixel) * Width) NeighbouringPixels {
  Pixel pixel[Width];
};

/// @brief The sums over some rows of up to `width` columns: for hosts, which go through memory
/// along the rows.
template <class Pixel, class T>
struct SumPartsInCache {
  static constexpr Index width = 1024;
  Grid<const Pixel> image;
  Index part_rows;
  Index groups;
  T* sums;

  void operator()(const Index k) const {
    const Index part = k / groups, column = (k - part * groups) * width;
    const Index columns = std::min(width, image.columns - column);
    const Index first = part * part_rows, end = std::min(first + part_rows, image.rows);
    T sum[width] = {};
    for (Index row = first; row < end; ++row) {
      const Pixel* const pixels = &image(row, column);
      if (image.column_stride == 1)
        for (Index j = 0; j < columns; ++j) add(sum[j], pixels[j]);
      else
        for (Index j = 0; j < columns; ++j) add(sum[j], pixels[j * image.column_stride]);
    }
    std::copy_n(sum, columns, sums + part * image.columns + column);
  }

 private:
  static void add(T& sum, const Pixel& pixel) { sum = Plus<T>()(sum, static_cast<T>(pixel)); }
};

/// @brief The sums over some rows of `Width` columns: for devices, whose threads take columns side
/// by side.
template <class Pixel, class T, int Width>
struct SumPartsOfColumns {
  using Pixels = NeighbouringPixels<Pixel, Width>;
  Grid<const Pixel> image;
  Index part_rows;
  Index groups;  ///< of columns
  T* sums;       ///< (part, column)

  KOKKOS_FUNCTION void operator()(const Index k) const {
    const Index part = k / groups, column = (k - part * groups) * Width;
    const Index first = part * part_rows;
    const Index rows = first + part_rows < image.rows ? part_rows : image.rows - first;
    T sum[Width] = {};
    const auto add = [&](const Pixels& row) {
      for (int i = 0; i < Width; ++i) sum[i] = Plus<T>()(sum[i], static_cast<T>(row.pixel[i]));
    };
    constexpr int at_once = 8;
    Index row = 0;
    for (; row + at_once <= rows; row += at_once) {
      Pixels pixels[at_once];
      for (int r = 0; r < at_once; ++r) pixels[r] = load(first + row + r, column);
      for (int r = 0; r < at_once; ++r) add(pixels[r]);
    }
    for (; row < rows; ++row) add(load(first + row, column));
    for (int i = 0; i < Width; ++i) sums[part * image.columns + column + i] = sum[i];
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Pixels load(Index row, Index column) const {
    const Pixel& first = image(row, column);
    if constexpr (Width == 1)
      return {{first}};
    else
      return *reinterpret_cast<const Pixels*>(&first);
  }
};

/// @brief Adds up parts of columns; zero behind the last column.
template <class T>
struct JoinPartsOfColumns {
  const T* parts;
  Index count;
  Index columns;
  T* sums;
  KOKKOS_FUNCTION void operator()(const Index column) const {
    T sum = T();
    if (column < columns) add(column, sum);
    sums[column] = sum;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add(Index column, T& sum) const {
    constexpr int at_once = 8;
    Index k = 0;
    for (; k + at_once <= count; k += at_once) {
      T part[at_once];
      for (int i = 0; i < at_once; ++i) part[i] = parts[(k + i) * columns + column];
      for (int i = 0; i < at_once; ++i) sum = Plus<T>()(sum, part[i]);
    }
    for (; k < count; ++k) sum = Plus<T>()(sum, parts[k * columns + column]);
  }
};

/// @brief The buffers for sums over the columns of all blocks above a process' own.
template <ExecutionSpace Exec, class Pixel, class T>
class ColumnSums {
  using InCache = SumPartsInCache<Pixel, T>;
  static constexpr Index width = runs_on_host<Exec> ? InCache::width : 16 / Index(sizeof(Pixel));

 public:
  ColumnSums() = default;
  ColumnSums(const Transport<Exec>& transport, Index rows, Index columns)
      : columns_(columns), exchange_(transport, whole_words(columns)) {
    const Exec& exec = transport.exec();
    // Parts enough for a quarter of a device's threads, which have several loads under way; or for
    // a few turns of a host's.
    const Index tasks = runs_on_host<Exec> ? 4 * exec.concurrency() : exec.concurrency() / 4;
    const Index most = std::max<Index>(tasks * width / std::max<Index>(columns, 1), 1);
    part_rows_ = std::max<Index>((rows + most - 1) / most, 32);
    parts_ = (rows + part_rows_ - 1) / part_rows_;
    const auto make = [&](Index size) {
      return View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::mpi::columns"),
                  static_cast<std::size_t>(size));
    };
    sums_ = make(parts_ * columns);
    up_to_ = make(exchange_.lines());
    scan_.emplace(exec, 1, exchange_.lines());
  }

  /// @brief Enqueues the sums over the columns of this process' rows.
  void reduce(const Transport<Exec>& transport, const Grid<const Pixel>& image) const {
    if (image.rows * image.columns == 0) return;
    if constexpr (runs_on_host<Exec>) {
      const Index groups = (image.columns + width - 1) / width;
      sum_parts(transport.exec(), groups, InCache{image, part_rows_, groups, sums_.data()});
    } else {
      const auto address = reinterpret_cast<std::uintptr_t>(image.data);
      const bool wide = image.column_stride == 1 && image.columns % width == 0 &&
                        image.row_stride % width == 0 && address % 16 == 0;
      const auto sum = [&]<int Width>(std::integral_constant<int, Width>) {
        const Index groups = image.columns / Width;
        sum_parts(transport.exec(), groups,
                  SumPartsOfColumns<Pixel, T, Width>{image, part_rows_, groups, sums_.data()});
      };
      if (wide)
        sum(std::integral_constant<int, width>());
      else
        sum(std::integral_constant<int, 1>());
    }
    enqueue_items(transport.exec(), "WaveScan::mpi::join_columns", exchange_.lines(),
                  seconds_of_line,
                  JoinPartsOfColumns<T>{sums_.data(), parts_, columns_, exchange_.own()});
  }

  /// @brief Returns the sums above this process' rows. Collective, and enqueued.
  /// @param filled whether there are any rows
  sat::SumsAbove<T> above(const Transport<Exec>& transport, bool filled) const {
    if (!exchange_.scan(
            transport, PlainRecurrence<Plus<T>>{}, transport.comm().rank(),
            [](int place) { return place; }, filled))
      return {};
    const Kokkos::View<const T*, typename Exec::memory_space, Kokkos::MemoryUnmanaged> columns(
        exchange_.before(), up_to_.size());
    scan_->inclusive(columns, up_to_);
    return {exchange_.before(), up_to_.data()};
  }

  std::size_t bytes() const {
    return exchange_.bytes() + (sums_.size() + up_to_.size()) * sizeof(T);
  }

 private:
  using View = Kokkos::View<T*, typename Exec::memory_space>;

  static Index whole_words(Index columns) {
    constexpr Index word = 16 / Index(sizeof(T));
    return (columns + word - 1) / word * word;
  }
  template <class Kernel>
  void sum_parts(const Exec& exec, Index groups, const Kernel& kernel) const {
    constexpr double seconds_of_row = .5e-6;  // of a group of columns on a host
    enqueue_items(exec, "WaveScan::mpi::sum_columns", parts_ * groups,
                  seconds_of_row * static_cast<double>(part_rows_), kernel);
  }

  Index columns_ = 0;
  Index part_rows_ = 0, parts_ = 0;
  SegmentExchange<Exec, PlainRecurrence<Plus<T>>> exchange_;
  View sums_;   ///< (part, column)
  View up_to_;  ///< of the columns above: sums from the first one on
  std::optional<wavescan::Scan<Exec, Plus<T>>> scan_;
};

}  // namespace wavescan::Impl::mpi

#endif
