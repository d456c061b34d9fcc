// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_SIDEBYSIDE_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_SIDEBYSIDE_HPP

#include <impl/WaveScan_Gpu_GridBarrier.hpp>
#include <impl/WaveScan_Gpu_StoreOnce.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Pieces.hpp>

#include <cstdint>

namespace wavescan::Impl {

/// @brief A warp that writes 32 bins of a band of rows, from left to right, where bins are
/// contiguous.
///
/// A lane has one bin. It keeps the last row's entries of a *strip* of columns in registers, and
/// what each row has to the left of the strip in shared memory.
template <class Counts, class T>
class SideBySideWriter {
  using bands_type = HistogramBands<Counts>;
  using code_type = typename Counts::code_type;
  using count_type = typename Counts::count_type;

 public:
  static constexpr int strip = 16;
  static constexpr int bins_at_once = gpu::warp_size;
  static constexpr Index shared_bytes(int warps, int band_rows) {
    return Index(warps) * band_rows * bins_at_once * 4;
  }

  __device__ SideBySideWriter(const bands_type& bands, const HistogramOut<T>& out,
                              const gpu::WorkQueue& queue, char* memory)
      : bands_(bands),
        out_(out),
        queue_(queue),
        left_(reinterpret_cast<std::uint32_t*>(memory) +
              gpu::warp() * bands.band_rows() * bins_at_once) {}

  __device__ void run() {
    Index piece = (Index(blockIdx.x) * blockDim.x + threadIdx.x) / gpu::warp_size;
    while (piece < queue_.pieces) {
      const bool leader = gpu::lane() == 0;
      const gpu::TaggedWord ticket = leader ? queue_.draw() : 0;
      write(piece);
      piece = gpu::broadcast(leader ? queue_.piece(ticket) : 0, 0);
    }
  }

 private:
  static constexpr int rows_ahead = 4;  ///< whose codes are on their way; divides any row_unit
  using strip_codes = PackedValues<code_type, strip>;
  using strip_counts = PackedValues<count_type, strip>;

  __device__ void write(Index piece) {
    const int chunks = (bands_.bins + bins_at_once - 1) / bins_at_once;
    place_ = HistogramPiece(bands_, chunks * out_.segments, piece);
    first_bin_ = place_.part % chunks * bins_at_once;
    bin_ = first_bin_ + gpu::lane();
    first_column_ = place_.part / chunks * out_.segment;
    const int last_column = min(first_column_ + out_.segment, bands_.columns);
    count_left();
    std::uint32_t corner = above_left();
    for (int begin = first_column_; begin < last_column; begin += strip)
      if (begin + strip <= bands_.columns)
        corner = write<true>(begin, corner);
      else
        corner = write<false>(begin, corner);
  }

  /// @brief Counts what the rows have to the left of the piece.
  __device__ void count_left() {
    gpu::sync_warp();
    for (int row = 0; row < place_.rows; ++row) left_[row * bins_at_once + gpu::lane()] = 0;
    gpu::sync_warp();
    for (int row = 0; row < place_.rows; ++row) {
      const code_type* const codes = bands_.codes_of(place_.image, place_.first_row + row);
      for (int j = 4 * gpu::lane(); j < first_column_; j += 4 * gpu::warp_size) {
        const auto four = *reinterpret_cast<const PackedValues<code_type, 4>*>(codes + j);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const int bin = four.value[k] - first_bin_;
          if (bin >= 0 && bin < bins_at_once) atomicAdd(left_ + row * bins_at_once + bin, 1u);
        }
      }
    }
    gpu::sync_warp();
  }

  /// @brief What the columns of a strip have above the band.
  __device__ strip_counts above(int begin) const {
    if (place_.band == 0 || bin_ >= bands_.bins) return {};
    return *reinterpret_cast<const strip_counts*>(
        bands_.counts_above(place_.image, place_.band, bin_) + begin);
  }
  __device__ std::uint32_t above_left() const {
    std::uint32_t sum = 0;
    for (int begin = 0; begin < first_column_; begin += strip) {
      const strip_counts counts = above(begin);
#pragma unroll
      for (int k = 0; k < strip; ++k) sum += counts.value[k];
    }
    return sum;
  }

  static __device__ strip_codes load(const code_type* from) {
    return *reinterpret_cast<const strip_codes*>(from);
  }

  /// @param Whole all columns are inside of the image
  /// @param corner the entry above and to the left of the strip
  template <bool Whole>
  __device__ std::uint32_t write(int begin, std::uint32_t corner) {
    const strip_counts counts = above(begin);
    std::uint32_t entries[strip];
#pragma unroll
    for (int k = 0; k < strip; ++k) entries[k] = corner += counts.value[k];
    const code_type* codes = bands_.codes_of(place_.image, place_.first_row) + begin;
    T* to = out_.entry(place_.image, bin_, place_.first_row, begin);
    const Index pitch = bands_.pitch;
    strip_codes next[rows_ahead];
#pragma unroll
    for (int r = 0; r < rows_ahead; ++r) next[r] = load(codes + r * pitch);
    for (int row = 0; row < place_.rows; row += rows_ahead) {
#pragma unroll
      for (int r = 0; r < rows_ahead; ++r, to += out_.row_stride) {
        if (row + r >= place_.rows) break;
        const strip_codes now = next[r];
        codes += pitch;
        if (row + r + rows_ahead < place_.rows) next[r] = load(codes + (rows_ahead - 1) * pitch);
        std::uint32_t& left = left_[(row + r) * bins_at_once + gpu::lane()];
        std::uint32_t along = left;
        T* entry = to;
#pragma unroll
        for (int k = 0; k < strip; ++k) {
          along += now.value[k] == bin_;
          entries[k] += along;
          if (bin_ < bands_.bins && (Whole || begin + k < bands_.columns))
            gpu::store_once(entry, static_cast<T>(entries[k]));
          entry += out_.column_stride;
        }
        left = along;
      }
    }
    return corner;
  }

  const bands_type& bands_;
  const HistogramOut<T>& out_;
  const gpu::WorkQueue& queue_;
  std::uint32_t* left_;  ///< (row, bin)
  HistogramPiece place_;
  int first_column_ = 0;
  int first_bin_ = 0;
  int bin_ = 0;  ///< the lane's
};

}  // namespace wavescan::Impl

#endif
