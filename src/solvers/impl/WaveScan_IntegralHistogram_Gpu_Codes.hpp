// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_CODES_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_CODES_HPP

#include <WaveScan_Concepts.hpp>
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

/// @brief The codes of four neighbouring pixels, of which one instruction compares several.
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

  /// @brief A byte for each pixel: 1 if its code is `bin`, else 0.
  __device__ std::uint32_t matches(std::uint32_t bin) const {
    constexpr std::uint32_t low = 0x7f7f7f7fu;
    const std::uint32_t differs = word ^ (bin * 0x01010101u);
    return ~((((differs & low) + low) | differs) >> 7) & 0x01010101u;
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

  __device__ std::uint32_t matches(std::uint32_t bin) const {
    return __byte_perm(two_matches(word[0], bin), two_matches(word[1], bin), 0x6420);
  }

 private:
  static __device__ std::uint32_t two_matches(std::uint32_t codes, std::uint32_t bin) {
    constexpr std::uint32_t low = 0x7fff7fffu;
    const std::uint32_t differs = codes ^ (bin * 0x00010001u);
    return ~((((differs & low) + low) | differs) >> 15) & 0x00010001u;
  }
};

/// @brief How histograms are cut, and their workspace.
///
/// Images are cut into *bands* of rows. Of every band but an image's first the workspace has, bin
/// by bin, how many pixels of each column lie above the band.
template <class Counts>
struct HistogramBands {
  using code_type = typename Counts::code_type;
  using count_type = typename Counts::count_type;

  /// Columns and rows of codes are rounded up to whole ones of these, which writers take at a time.
  static constexpr int column_unit = 128;
  static constexpr int row_unit = 8;

  int bins;
  int rows;
  int columns;
  int images;
  int band_shift;  ///< log2 of the rows of a band, which are at least row_unit
  int bands;       ///< of an image
  Index pitch;     ///< columns, rounded up
  code_type* codes;
  count_type* counts;

  static constexpr Index rounded(Index n, Index unit) { return (n + unit - 1) / unit * unit; }
  Index code_count() const { return images * rounded(rows, row_unit) * pitch; }
  Index count_count() const { return Index(images) * (bands - 1) * bins * pitch; }

  KOKKOS_FUNCTION int band_rows() const { return 1 << band_shift; }

  __device__ code_type* codes_of(int image, int row) const {
    return codes + (Index(image) * ((rows + row_unit - 1) & -row_unit) + row) * pitch;
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
  /// Every lane has a column of the table, since pixels of a warp differ.
  static constexpr int lanes = 32;

 public:
  static constexpr int shared_bytes =
      has_table ? values * (lanes + 1) * static_cast<int>(sizeof(Code)) : 0;

  /// @brief Constructed by all threads of a block together.
  /// @param memory shared
  __device__ PixelCoder(const Binning& binning, int bins, char* memory)
      : binning_(binning),
        bins_(bins),
        table_(reinterpret_cast<Code*>(memory) + threadIdx.x % lanes) {
    if constexpr (has_table) {
      Code* const table = reinterpret_cast<Code*>(memory);
      Code* const column = table + values * lanes;
      const int threads = static_cast<int>(blockDim.x);
      for (int i = static_cast<int>(threadIdx.x); i < values; i += threads)
        column[i] = bin_of(static_cast<Pixel>(static_cast<std::uint8_t>(i)));
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < values * lanes; i += threads)
        table[i] = column[i / lanes];
      __syncthreads();
    }
  }

  __device__ Code operator()(const Pixel& pixel) const {
    if constexpr (has_table)
      return table_[static_cast<std::uint8_t>(pixel) * lanes];
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
  const Code* table_;  ///< the lane's column
};

}  // namespace Impl
}  // namespace wavescan

#endif
