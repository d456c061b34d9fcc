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

/// @brief The element before a lane's, where it is needed.
template <int Bytes, bool Left>
struct alignas(16) LeftElement {};
template <int Bytes>
struct alignas(16) LeftElement<Bytes, true> {
  gpu::Unit<Bytes> left;
};

/// @brief `Count` elements of so many bytes.
/// @tparam Left with the one before them
template <int Count, int Bytes, bool Left>
struct LaneElements : LeftElement<Bytes, Left> {
  alignas(16) gpu::Unit<Bytes> element[Count];

  /// @param aligned whether they begin where words of them all do
  __device__ void load(const char* from, bool aligned) {
    using Word = typename gpu::Unit<Count * Bytes>::Word;
    if (aligned) {
#pragma unroll
      for (int w = 0; w < static_cast<int>(Count * Bytes / sizeof(Word)); ++w)
        reinterpret_cast<Word*>(element)[w] = reinterpret_cast<const Word*>(from)[w];
    } else {
#pragma unroll
      for (int v = 0; v < Count; ++v)
        element[v] = reinterpret_cast<const gpu::Unit<Bytes>*>(from)[v];
    }
  }

  /// @brief Takes the elements before from the lanes below.
  /// @param before the one before lane 0's; returns the last one of all
  __device__ gpu::Unit<Bytes> look_left(const gpu::Unit<Bytes>& before) {
    const gpu::Unit<Bytes> shifted =
        gpu::broadcast(element[Count - 1], (gpu::lane() + gpu::warp_size - 1) % gpu::warp_size);
    this->left = gpu::lane() == 0 ? before : shifted;
    return shifted;  // in lane 0, who alone will ask
  }
};

/// @brief A lane's elements as predicates read them, and the one before.
template <class T, int Count, bool Left>
struct LaneSource {
  const LaneElements<Count, static_cast<int>(sizeof(T)), Left>& elements;
  __device__ const T& operator()(Index k) const {
    if constexpr (Left)
      if (k < 0) return reinterpret_cast<const T&>(elements.left);
    return reinterpret_cast<const T*>(elements.element)[k];
  }
};

/// @brief The kept elements of a segment, and the number of those before a lane's in each chunk.
///
/// A lane has a bit for each of its elements, of a chunk up to four, and a warp up to 128: so one
/// scan of bytes counts four chunks.
template <int Chunks, int Vector>
class KeptElements {
  static_assert(Vector * gpu::warp_size < 256 && Chunks * Vector <= 32,
                "bytes, and bits of a word");

 public:
  __device__ void add(int c, int v, bool keep) { mask_ |= std::uint32_t(keep) << (c * Vector + v); }
  __device__ void invert() { mask_ = ~mask_; }
  __device__ void count() {
    constexpr int words = (Chunks + 3) / 4;
    std::uint32_t own[words], sum[words];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      own[w] = 0;
#pragma unroll
      for (int c = 4 * w; c < Chunks && c < 4 * w + 4; ++c)
        own[w] |= gpu::count_bits(mask_ >> c * Vector & ((1u << Vector) - 1)) << 8 * (c % 4);
      sum[w] = own[w];
    }
    gpu::warp_inclusive_scan(sum);
#pragma unroll
    for (int w = 0; w < words; ++w) {
      const std::uint32_t before_own = sum[w] - own[w];
      const std::uint32_t total = gpu::broadcast(sum[w], gpu::warp_size - 1);
#pragma unroll
      for (int c = 4 * w; c < Chunks && c < 4 * w + 4; ++c) {
        before_[c] = all_ + static_cast<int>(before_own >> 8 * (c % 4) & 0xff);
        all_ += static_cast<int>(total >> 8 * (c % 4) & 0xff);
      }
    }
  }
  __device__ bool keeps(int c, int v) const { return mask_ >> (c * Vector + v) & 1; }
  __device__ int before(int c) const { return before_[c]; }
  __device__ int all() const { return all_; }

 private:
  std::uint32_t mask_ = 0;
  int before_[Chunks];
  int all_ = 0;
};

/// @brief One element of a lane in each chunk: lanes vote.
template <int Chunks>
class KeptElements<Chunks, 1> {
 public:
  __device__ void add(int c, int, bool keep) { lanes_[c] = gpu::ballot(keep); }
  __device__ void invert() {
#pragma unroll
    for (int c = 0; c < Chunks; ++c) lanes_[c] = ~lanes_[c];
  }
  __device__ void count() {
#pragma unroll
    for (int c = 0; c < Chunks; ++c) all_ += gpu::number_of_lanes(lanes_[c]);
  }
  __device__ bool keeps(int c, int) const { return lanes_[c] >> gpu::lane() & 1; }
  /// @brief Called for one chunk after the other.
  __device__ int before(int c) {
    const int rank = before_ + gpu::number_of_lanes(lanes_[c] & (gpu::lanes_up_to_own() >> 1));
    before_ += gpu::number_of_lanes(lanes_[c]);
    return rank;
  }
  __device__ int all() const { return all_; }

 private:
  gpu::LaneMask lanes_[Chunks];
  int before_ = 0, all_ = 0;
};

}  // namespace wavescan::Impl::select

#endif
