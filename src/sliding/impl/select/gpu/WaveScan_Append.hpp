// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_APPEND_HPP
#define WAVESCAN_IMPL_SELECT_GPU_APPEND_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_CopyRun.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>

#include <cstdint>

/// @file
/// @brief A copy of as many elements, to a place, as only the device knows.

namespace wavescan::Impl::select {

inline constexpr int append_threads = 512;

/// @brief Copies the `elements` - `*count` first elements of `from` behind the `*count` first ones
/// of `to`.
template <class Word>
__global__ void __launch_bounds__(append_threads)
    append_elements(const char* from, char* to, Index elements, Index bytes, const Index* count) {
  const Index kept = *count, all = (elements - kept) * bytes;
  const Index thread = Index(blockIdx.x) * append_threads + threadIdx.x;
  const Index threads = Index(gridDim.x) * append_threads;
  to += kept * bytes;
  // First up to a cache line, so that warps write whole ones.
  const auto to_line = static_cast<Index>(-reinterpret_cast<std::uintptr_t>(to) % 128);
  const Index first = to_line < all ? to_line : all;
  gpu::copy_run<Word, Index>(to, from, first, thread, threads);
  gpu::copy_run<Word, Index>(to + first, from + first, all - first, thread, threads);
}

/// @param from    has room for 32 bytes behind its elements
/// @param columns of what counts as an element
template <class T>
void enqueue_append(const gpu::Device& exec, const T* from, T* to, Index elements, Index columns,
                    const Index* count) {
  const Index blocks = Index(gpu::device_properties(exec).multiProcessorCount) * 4;
  gpu::launch({exec, "WaveScan::select::append", false},
              append_elements<typename gpu::Unit<sizeof(T)>::Word>, blocks, append_threads, 0,
              reinterpret_cast<const char*>(from), reinterpret_cast<char*>(to), elements,
              columns * static_cast<Index>(sizeof(T)), count);
}

}  // namespace wavescan::Impl::select

#endif
