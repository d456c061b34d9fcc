// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_SAMPLE_HPP
#define WAVESCAN_IMPL_SELECT_GPU_SAMPLE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>

/// @file
/// @brief A look at some elements before a partition: whether fewer are kept or rejected.
///
/// It is a kernel of its own: blocks of the partition that looked themselves might find what others
/// have moved.

namespace wavescan::Impl::select {

inline constexpr int samples = 512;

/// @brief Counts how many of some elements, spread over all, are kept; a block of as many threads.
template <class SelectorType>
__global__ void __launch_bounds__(samples)
    sample_elements(const SelectorType selector, Index elements, gpu::TaggedWord* kept) {
  __shared__ int of_warp[samples / gpu::warp_size];
  const bool keeps = selector(elements / samples * static_cast<Index>(threadIdx.x));
  const int number = gpu::number_of_lanes(gpu::ballot(keeps));
  if (gpu::lane() == 0) of_warp[gpu::warp()] = number;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (const int of : of_warp) sum += of;
  *kept = static_cast<gpu::TaggedWord>(sum);
}

/// @brief Whether fewer of the samples are kept.
__device__ inline bool is_mirrored(const gpu::TaggedWord* kept) { return *kept < samples / 2; }

template <class SelectorType>
void enqueue_sample(const gpu::Device& exec, const SelectorType& selector, Index elements,
                    gpu::TaggedWord* kept) {
  gpu::launch({exec, "WaveScan::select::sample", false}, sample_elements<SelectorType>, 1, samples,
              0, selector, elements, kept);
}

}  // namespace wavescan::Impl::select

#endif
