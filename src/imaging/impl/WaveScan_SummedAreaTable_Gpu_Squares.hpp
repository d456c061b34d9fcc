// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_SQUARES_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_SQUARES_HPP

#include <impl/WaveScan_SummedAreaTable_GpuStrips.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuTall.hpp>
#include <impl/WaveScan_SummedAreaTable_Problem.hpp>

namespace wavescan::Impl {

/// @brief The tables of large images and those of their squares, one after the other.
///
/// Images are read twice. Usually their pixels are bytes and entries 4 and 8: then that is 14 bytes
/// for a pixel instead of 13, and a block that made both tables would have half the shared memory
/// for each.
/// @tparam Sums    computes the tables
/// @tparam Squares computes those of the squares
template <class Pixel, class T, class S, class Sums, class Squares>
class GpuTablesWithSquares {
 public:
  GpuTablesWithSquares() = default;
  GpuTablesWithSquares(const gpu::Device& exec, Index rows, Index columns, int blocks)
      : sums_(exec, rows, columns, blocks), squares_(exec, rows, columns, blocks) {}

  /// @brief Whether `enqueue` can compute these tables.
  bool takes(const TableProblem<Pixel, T, S>& p) const {
    return sums_.takes(sums_of(p)) && squares_.takes(squares_of(p));
  }
  /// @brief Enqueues the tables, or returns false if other kernels must compute them.
  bool enqueue(const gpu::Device& exec, const TableProblem<Pixel, T, S>& p) const {
    // Squares first: the other table may take the image's place.
    return takes(p) && squares_.enqueue(exec, squares_of(p)) && sums_.enqueue(exec, sums_of(p));
  }

 private:
  static TableProblem<Pixel, T> sums_of(const TableProblem<Pixel, T, S>& p) {
    return {p.image, p.table, {}, p.images, p.image_stride, p.table_stride};
  }
  static TableProblem<Pixel, S> squares_of(const TableProblem<Pixel, T, S>& p) {
    return {p.image, p.squares, {}, p.images, p.image_stride, p.squares_stride};
  }

  Sums sums_;
  Squares squares_;
};

template <class Pixel, class T, class S>
using GpuStripsWithSquares =
    GpuTablesWithSquares<Pixel, T, S, GpuStripsTable<Pixel, T>, GpuStripsTable<Pixel, S, true>>;
template <class Pixel, class T, class S>
using TallTableWithSquares =
    GpuTablesWithSquares<Pixel, T, S, TallTable<Pixel, T>, TallTable<Pixel, S, true>>;

}  // namespace wavescan::Impl

#endif
