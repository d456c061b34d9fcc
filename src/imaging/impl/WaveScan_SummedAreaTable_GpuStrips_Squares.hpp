// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_SQUARES_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_SQUARES_HPP

#include <impl/WaveScan_SummedAreaTable_GpuStrips.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Choice.hpp>

namespace wavescan::Impl {

/// @brief The tables of large images and those of their squares, one after the other.
///
/// Images are read twice. Usually their pixels are bytes and entries 4 and 8: then that is 14 bytes
/// for a pixel instead of 13, and a block that made both tables would have half the shared memory
/// for each.
template <class Pixel, class T, class S>
class GpuStripsWithSquares {
 public:
  GpuStripsWithSquares() = default;
  GpuStripsWithSquares(const gpu::Device& exec, Index rows, Index columns, int blocks)
      : sums_(exec, rows, columns, blocks), squares_(exec, rows, columns, blocks) {}

  static bool pays(Index rows, Index columns, int blocks) {
    return strips_keep_busy<Pixel, T>(rows, columns, blocks) &&
           strips_keep_busy<Pixel, S, true>(rows, columns, blocks);
  }

  /// @brief Enqueues the tables, or returns false if other kernels must compute them.
  bool enqueue(const gpu::Device& exec, const TableProblem<Pixel, T, S>& p) const {
    const TableProblem<Pixel, T> sums{p.image,  p.table,        {},
                                      p.images, p.image_stride, p.table_stride};
    const TableProblem<Pixel, S> squares{p.image,  p.squares,      {},
                                         p.images, p.image_stride, p.squares_stride};
    if (!sums_.takes(sums)) return false;
    // Squares first: the other table may take the image's place.
    return squares_.enqueue(exec, squares) && sums_.enqueue(exec, sums);
  }

 private:
  using Sums = GpuStripsTable<Pixel, T>;
  using Squares = GpuStripsTable<Pixel, S, true>;

  Sums sums_;
  Squares squares_;
};

}  // namespace wavescan::Impl

#endif
