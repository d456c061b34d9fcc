// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_KERNEL_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_KERNEL_HPP

#include <impl/WaveScan_Gpu_GridBarrier.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Columns.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Cut.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Pieces.hpp>

namespace wavescan::Impl {

inline constexpr int histogram_threads = 512;  ///< of a block

/// @brief What the histogram's kernel is given.
template <class Pixel, class Binning, class Counts, class T>
struct HistogramWork {
  HistogramImages<Pixel, Binning> images;
  HistogramBands<Counts> bands;
  HistogramOut<T> out;
  HistogramCut cut;
  gpu::GridBarrier barrier;
  gpu::WorkQueue queue;
};

/// @brief First all blocks bin and count the pixels, then their warps write pieces of the
/// histogram, which do not depend on each other any more.
template <class Writer, class Pixel, class Binning, class Counts, class T>
__device__ void fill_histogram(const HistogramWork<Pixel, Binning, Counts, T>& work, char* memory) {
  ColumnCounter<Pixel, Binning, Counts>(work.images, work.bands, memory).run();
  work.barrier.wait();
  Writer(work.bands, work.out, work.cut, work.queue, memory).run();
}

template <class Writer, class Work>
__global__ void __launch_bounds__(histogram_threads, 1)
    histogram_kernel(const WAVESCAN_GRID_CONSTANT Work work) {
  extern __shared__ char memory[];
  fill_histogram<Writer>(work, memory);
}

}  // namespace wavescan::Impl

#endif
