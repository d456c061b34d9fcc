// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_APPEND_HPP
#define WAVESCAN_IMPL_SELECT_GPU_APPEND_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_CopyRun.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>
#include <impl/select/gpu/WaveScan_Sample.hpp>

#include <cstdint>

/// @file
/// @brief The move of what a partition has left in its buffer to a place that only the device
/// knows.

namespace wavescan::Impl::select {

inline constexpr int append_threads = 512;

/// @brief Copies the rejected elements, of which there are `elements` - `*count`, from the buffer's
/// front behind those kept; or, mirrored, those kept from its end to the front.
template <class Word>
__global__ void __launch_bounds__(append_threads)
    append_elements(const char* from, char* to, Index elements, Index bytes, const Index* count,
                    const gpu::TaggedWord* sampled) {
  const bool mirrored = is_mirrored(sampled);
  const Index kept = *count, rejected = elements - kept;
  const Index all = (mirrored ? kept : rejected) * bytes;
  const Index thread = Index(blockIdx.x) * append_threads + threadIdx.x;
  const Index threads = Index(gridDim.x) * append_threads;
  if (mirrored)
    from += rejected * bytes;
  else
    to += kept * bytes;
  gpu::copy_run<Word, Index>(to, from, all, thread, threads);
}

/// @param from    has room for 32 bytes behind its elements
/// @param columns of what counts as an element
template <class T>
void enqueue_append(const gpu::Device& exec, const T* from, T* to, Index elements, Index columns,
                    const Index* count, const gpu::TaggedWord* sampled) {
  const Index blocks = Index(gpu::device_properties(exec).multiProcessorCount) * 4;
  gpu::launch({exec, "WaveScan::select::append", false},
              append_elements<typename gpu::Unit<sizeof(T)>::Word>, blocks, append_threads, 0,
              reinterpret_cast<const char*>(from), reinterpret_cast<char*>(to), elements,
              columns * static_cast<Index>(sizeof(T)), count, sampled);
}

}  // namespace wavescan::Impl::select

#endif
