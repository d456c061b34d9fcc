// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HISTOGRAM_GPU_BINNING_HPP
#define WAVESCAN_IMPL_HISTOGRAM_GPU_BINNING_HPP

#include <impl/histogram/gpu/WaveScan_HistogramWork.hpp>

#include <cstdint>
#include <cstring>

namespace wavescan::Impl::histogram {

/// @brief Four neighbouring pixels of a row, in words as Four has them.
template <class Pixel>
struct alignas(PackedValues<Pixel, 4>) FourPixels {
  std::uint32_t word[sizeof(Pixel)];

  __device__ void set(int k, const Pixel& pixel) {
    std::memcpy(reinterpret_cast<char*>(word) + k * sizeof(Pixel), &pixel, sizeof(Pixel));
  }
  __device__ Pixel get(int k) const {
    Pixel pixel;
    std::memcpy(&pixel, reinterpret_cast<const char*>(word) + k * sizeof(Pixel), sizeof(Pixel));
    return pixel;
  }

  /// @param there how many of the pixels there are, if they are not packed
  template <bool Packed>
  __device__ void load(const Pixel* from, Index stride, int there) {
    if constexpr (Packed) {
      *this = *reinterpret_cast<const FourPixels*>(from);
    } else {
#pragma unroll
      for (int k = 0; k < 4; ++k)
        if (k < there) set(k, from[k * stride]);
    }
  }
};

/// @brief Turns pixels into codes: bytes through a table if they may be looked up, other pixels by
/// the binning itself.
template <class Work>
class Coder {
  using Pixel = typename Work::Pixel;
  using Binning = typename Work::Binning;
  using Code = typename Work::code_type;
  static constexpr bool has_table = may_look_up<Pixel, Binning>;
  static constexpr int values = 256;

 public:
  /// Every lane has a column of words, its own bank, since pixels of a warp differ.
  static constexpr int shared_bytes = has_table ? lookup_bytes : 0;

  /// @brief Constructed by all threads of a block together, which then wait for each other.
  /// @param memory shared
  __device__ Coder(const Work& work, char* memory)
      : binning_(work.problem.binning),
        bins_(work.bins),
        table_(reinterpret_cast<std::uint32_t*>(memory) + gpu::lane()) {
    if constexpr (has_table) {
      const int warps = static_cast<int>(blockDim.x) / gpu::warp_size;
      for (int first = gpu::warp() * gpu::warp_size; first < values;
           first += warps * gpu::warp_size) {
        const std::uint32_t own =
            code(static_cast<Pixel>(static_cast<std::uint8_t>(first + gpu::lane())));
        for (int i = 0; i < gpu::warp_size; ++i)
          table_[(first + i) * gpu::warp_size] = gpu::broadcast(own, i);
      }
    }
  }

  /// @param there as for load
  template <bool Packed>
  __device__ Four<Code> codes(const FourPixels<Pixel>& pixels, int there) const {
    Four<Code> four;
#pragma unroll
    for (int k = 0; k < 4; ++k)
      four.set(k, Packed || k < there ? (*this)(pixels.get(k)) : static_cast<Code>(bins_));
    return four;
  }

 private:
  __device__ Code operator()(const Pixel& pixel) const {
    if constexpr (has_table)
      return static_cast<Code>(table_[static_cast<std::uint8_t>(pixel) * gpu::warp_size]);
    else
      return code(pixel);
  }
  __device__ Code code(const Pixel& pixel) const {
    return static_cast<Code>(bin_or(binning_, pixel, bins_, bins_));
  }

  const Binning& binning_;
  int bins_;
  std::uint32_t* table_;  ///< the lane's column
};

}  // namespace wavescan::Impl::histogram

#endif
