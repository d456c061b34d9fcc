// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_LANEELEMENTS_HPP
#define WAVESCAN_IMPL_SELECT_GPU_LANEELEMENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Bytes.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>

#include <cstdint>

/// @file
/// @brief Elements of a lane that follow each other, in registers, and the places of those kept.

namespace wavescan::Impl::select {

/// @brief `Count` elements of so many bytes.
template <int Count, int Bytes>
struct alignas(16) LaneElements {
  gpu::Unit<Bytes> element[Count];

  /// @brief Loads elements that begin where words of them all do.
  __device__ void load(const char* from) {
    using Word = typename gpu::Unit<Count * Bytes>::Word;
#pragma unroll
    for (int w = 0; w < static_cast<int>(Count * Bytes / sizeof(Word)); ++w)
      reinterpret_cast<Word*>(element)[w] = reinterpret_cast<const Word*>(from)[w];
  }
  /// @brief Loads elements wherever they begin.
  __device__ void load_singly(const char* from) {
#pragma unroll
    for (int v = 0; v < Count; ++v) element[v] = reinterpret_cast<const gpu::Unit<Bytes>*>(from)[v];
  }
};

/// @brief A lane's elements as predicates read them, and the one before.
template <class T, int Count, bool Left>
struct LaneSource {
  LaneElements<Count, static_cast<int>(sizeof(T))> elements;
  const T* left;  ///< stays in memory: nearly always only of the first element
  __device__ const T& operator()(Index k) const {
    if constexpr (Left)
      if (k < 0) return *left;
    return reinterpret_cast<const T*>(elements.element)[k];
  }
};

/// @brief How many elements are kept before those of a lane, in each chunk of a segment.
///
/// Of a chunk a lane has up to four elements and a warp up to 128, so that one scan of bytes counts
/// four chunks.
template <int Chunks, int Vector>
struct KeptBefore {
  static_assert(Vector * gpu::warp_size < 256, "counts are bytes");
  int before[Chunks];
  int all;  ///< kept of the segment

  /// @param mask bit c * Vector + v says whether the lane's element v of chunk c is kept
  __device__ explicit KeptBefore(std::uint32_t mask) {
    constexpr int words = (Chunks + 3) / 4;
    std::uint32_t own[words], sum[words];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      own[w] = 0;
#pragma unroll
      for (int c = 4 * w; c < Chunks && c < 4 * w + 4; ++c)
        own[w] |= gpu::count_bits(mask >> c * Vector & ((1u << Vector) - 1)) << 8 * (c % 4);
      sum[w] = own[w];
    }
    gpu::warp_inclusive_scan(sum);
    all = 0;
#pragma unroll
    for (int w = 0; w < words; ++w) {
      const std::uint32_t before_own = sum[w] - own[w];
      const std::uint32_t total = gpu::broadcast(sum[w], gpu::warp_size - 1);
#pragma unroll
      for (int c = 4 * w; c < Chunks && c < 4 * w + 4; ++c) {
        before[c] = all + static_cast<int>(before_own >> 8 * (c % 4) & 0xff);
        all += static_cast<int>(total >> 8 * (c % 4) & 0xff);
      }
    }
  }
};

}  // namespace wavescan::Impl::select

#endif
