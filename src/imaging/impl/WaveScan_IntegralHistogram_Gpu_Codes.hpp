// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_CODES_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_CODES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_IntegralHistogram_Problem.hpp>

#include <concepts>
#include <cstdint>

/// @file
/// @brief The workspace of integral histograms on GPUs: every pixel's bin as a code, and for every
/// band of rows the counts down the columns above it.

namespace wavescan {

template <class T>
struct UniformBins;

namespace Impl {

/// @brief Code types for up to 255 bins, and counts for columns of up to 65535 pixels.
struct SmallCounts {
  using code_type = std::uint8_t;
  using count_type = std::uint16_t;
  static constexpr Index most_bins = 255;
  static constexpr Index most_rows = 65535;
};

/// @brief The same for more.
struct LargeCounts {
  using code_type = std::uint16_t;
  using count_type = std::uint32_t;
  static constexpr Index most_bins = 65535;
  static constexpr Index most_rows = Index(1) << 31;
};

/// @brief N values side by side, which move as one word if they are at most 16 bytes.
template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) PackedValues {
  T value[N];
};

/// @brief The codes of four neighbouring pixels, which are stored together.
///
/// A pixel's code is its bin, or the number of bins if it has none.
template <class Code>
struct FourCodes;

template <>
struct FourCodes<std::uint8_t> {
  std::uint32_t word = 0;

  __device__ void set(int k, std::uint8_t code) { word |= std::uint32_t(code) << (8 * k); }
  __device__ std::uint32_t get(int k) const {
    return __byte_perm(word, 0, static_cast<std::uint32_t>(0x4440 + k));
  }
};

template <>
struct alignas(8) FourCodes<std::uint16_t> {
  std::uint32_t word[2] = {};

  __device__ void set(int k, std::uint16_t code) {
    word[k / 2] |= std::uint32_t(code) << (16 * (k % 2));
  }
  __device__ std::uint32_t get(int k) const {
    return (k & 2 ? word[1] : word[0]) >> (16 * (k % 2)) & 0xffffu;
  }
};

/// @brief The counts of four neighbouring columns.
///
/// They are kept in words: the compiler would take smaller types to pieces, and so wait for them,
/// as soon as they are loaded.
template <class Count>
struct FourCounts;

template <>
struct alignas(8) FourCounts<std::uint16_t> {
  std::uint32_t word[2];
  __device__ std::uint32_t get(int k) const { return word[k / 2] >> (16 * (k % 2)) & 0xffffu; }
};

template <>
struct alignas(16) FourCounts<std::uint32_t> {
  std::uint32_t word[4];
  __device__ std::uint32_t get(int k) const { return word[k]; }
};

/// @brief How histograms are cut, and their workspace.
///
/// Images are cut into *bands* of rows. Of every band but an image's first the workspace has, bin
/// by bin, how many pixels of each column lie above the band.
template <class Counts>
struct HistogramBands {
  using code_type = typename Counts::code_type;
  using count_type = typename Counts::count_type;

  /// Writers take so many columns and rows of codes at a time, from any row on.
  static constexpr int column_unit = 128;
  static constexpr int row_unit = 8;

  int bins;
  int rows;
  int columns;
  int images;
  int band_rows;  ///< of every band but perhaps an image's last
  int bands;      ///< of an image
  Index pitch;    ///< columns, rounded up
  code_type* codes;
  count_type* counts;

  static constexpr Index rounded(Index n, Index unit) { return (n + unit - 1) / unit * unit; }
  Index code_count() const { return images * code_rows() * pitch; }
  Index count_count() const { return Index(images) * (bands - 1) * bins * pitch; }
  /// @brief Rows of codes of an image.
  KOKKOS_FUNCTION Index code_rows() const { return Index(rows) + row_unit - 1; }

  __device__ code_type* codes_of(int image, int row) const {
    return codes + (image * code_rows() + row) * pitch;
  }
  /// @brief Counts of the columns above a band, which is not the first.
  __device__ count_type* counts_above(int image, int band, int bin) const {
    return counts + ((Index(image) * (bands - 1) + band - 1) * bins + bin) * pitch;
  }
};

/// @brief True for binnings that may be asked for pixels that the image doesn't have.
template <class Binning>
inline constexpr bool is_defined_everywhere = false;
template <class T>
inline constexpr bool is_defined_everywhere<UniformBins<T>> = true;

/// @brief Turns pixels into codes: bytes through a table, other pixels by the binning itself.
template <class Pixel, class Binning, class Code>
class PixelCoder {
  static constexpr bool has_table = sizeof(Pixel) == 1 && std::integral<Pixel> &&
                                    !std::same_as<Pixel, bool> && is_defined_everywhere<Binning>;
  static constexpr int values = 256;

 public:
  /// Every lane has a column of words, its own bank, since pixels of a warp differ.
  static constexpr int shared_bytes =
      has_table ? values * gpu::warp_size * static_cast<int>(sizeof(std::uint32_t)) : 0;

  /// @brief Constructed by all threads of a block together, which then wait for each other.
  /// @param memory shared
  __device__ PixelCoder(const Binning& binning, int bins, char* memory)
      : binning_(binning),
        bins_(bins),
        table_(reinterpret_cast<std::uint32_t*>(memory) + gpu::lane()) {
    if constexpr (has_table) {
      const int warps = static_cast<int>(blockDim.x) / gpu::warp_size;
      for (int first = gpu::warp() * gpu::warp_size; first < values;
           first += warps * gpu::warp_size) {
        const std::uint32_t own =
            bin_of(static_cast<Pixel>(static_cast<std::uint8_t>(first + gpu::lane())));
        for (int i = 0; i < gpu::warp_size; ++i)
          table_[(first + i) * gpu::warp_size] = gpu::broadcast(own, i);
      }
    }
  }

  __device__ Code operator()(const Pixel& pixel) const {
    if constexpr (has_table)
      return static_cast<Code>(table_[static_cast<std::uint8_t>(pixel) * gpu::warp_size]);
    else
      return bin_of(pixel);
  }

 private:
  __device__ Code bin_of(const Pixel& pixel) const {
    const auto bin = static_cast<Index>(binning_(pixel));
    return static_cast<Code>(bin >= 0 && bin < bins_ ? bin : bins_);
  }

  const Binning& binning_;
  int bins_;
  std::uint32_t* table_;  ///< the lane's column
};

}  // namespace Impl
}  // namespace wavescan

#endif
