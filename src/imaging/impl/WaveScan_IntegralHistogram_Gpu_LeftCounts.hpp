// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_LEFTCOUNTS_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_LEFTCOUNTS_HPP

#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Pieces.hpp>

#include <cstdint>

namespace wavescan::Impl {

/// @brief How many pixels of 32 bins the rows of a band have to the left of a warp's columns, and
/// the image above the band.
///
/// The warps of a block count their own columns, and their shares of those to the left of all; then
/// the counts are added up from warp to warp.
template <class Counts>
class LeftCounts {
  using bands_type = HistogramBands<Counts>;
  using code_type = typename Counts::code_type;
  using count_type = typename Counts::count_type;
  using four_codes = FourCodes<code_type>;
  using four_counts = FourCounts<count_type>;

 public:
  static constexpr int bins = gpu::warp_size;

  KOKKOS_FUNCTION static constexpr Index row_bytes(int warps) {
    return Index(warps + 1) * bins * 4;
  }
  KOKKOS_FUNCTION static Index bytes(int warps, int rows) { return (rows + 1) * row_bytes(warps); }

  __device__ LeftCounts(const bands_type& bands, char* memory)
      : bands_(bands),
        warps_(static_cast<int>(blockDim.x) / gpu::warp_size),
        counts_(reinterpret_cast<std::uint32_t*>(memory)) {}

  /// @brief Of a row of the band, to the left of a warp's columns.
  __device__ std::uint32_t* of_row(int warp, int row) const {
    return counts_ + (warp * (bands_.band_rows + 1) + row) * bins;
  }
  /// @brief Of everything above the band, to the left of a warp's columns.
  __device__ std::uint32_t* of_all_above(int warp) const { return of_row(warp, bands_.band_rows); }

  /// @brief All warps call it together, each with the columns from `begin` to `end` of its own and
  /// with a share of those to their left. Columns begin at multiples of 4.
  __device__ void find(const HistogramPiece& place, int first_bin, int begin, int end,
                       int share_begin, int share_end) const {
    clear();
    __syncthreads();
    // Counts of a warp's columns are for those after it.
    count(place, first_bin, gpu::warp() + 1, begin, end);
    count(place, first_bin, 0, share_begin, share_end);
    __syncthreads();
    add_up();
    __syncthreads();
  }

 private:
  static constexpr int loads = 8;  ///< of a lane that are under way at once

  __device__ void clear() const {
    const int fours = (warps_ + 1) * (bands_.band_rows + 1) * bins / 4;
    for (int i = static_cast<int>(threadIdx.x); i < fours; i += static_cast<int>(blockDim.x))
      reinterpret_cast<PackedValues<std::uint32_t, 4>*>(counts_)[i] = {};
  }

  __device__ void count(const HistogramPiece& place, int first_bin, int warp, int begin,
                        int end) const {
    if (begin >= end) return;
    count_rows(place, first_bin, warp, begin, end);
    const int bin = first_bin + gpu::lane();
    if (place.band == 0 || bin >= bands_.bins) return;
    const count_type* const above = bands_.counts_above(place.image, place.band, bin);
    std::uint32_t sum = 0;
    for (int first = begin; first < end; first += 4 * loads) {
      four_counts counts[loads];
#pragma unroll
      for (int m = 0; m < loads; ++m)  // rather the first ones again than a branch
        counts[m] = *reinterpret_cast<const four_counts*>(
            above + (first + 4 * m < end ? first + 4 * m : first));
#pragma unroll
      for (int m = 0; m < loads; ++m)
#pragma unroll
        for (int k = 0; k < 4; ++k)
          if (first + 4 * m < end) sum += counts[m].get(k);
    }
    atomicAdd(of_all_above(warp) + gpu::lane(), sum);
  }

  /// @brief Lanes share a row, four columns each, or some rows if the columns are few.
  __device__ void count_rows(const HistogramPiece& place, int first_bin, int warp, int begin,
                             int end) const {
    const int fours = (end - begin + 3) / 4;
    const int shift = fours <= 4 ? 2 : fours <= 8 ? 3 : fours <= 16 ? 4 : 5;
    const int step = gpu::warp_size >> shift;
    for (int j = begin + gpu::lane() % (1 << shift) * 4; j < end; j += 4 << shift)
      for (int first = gpu::lane() >> shift; first < place.rows; first += loads * step) {
        four_codes codes[loads];
#pragma unroll
        for (int m = 0; m < loads; ++m) {
          const int row = min(first + m * step, place.rows - 1);
          codes[m] = *reinterpret_cast<const four_codes*>(
              bands_.codes_of(place.image, place.first_row + row) + j);
        }
#pragma unroll
        for (int m = 0; m < loads; ++m) {
          if (first + m * step >= place.rows) break;
          std::uint32_t* const counts = of_row(warp, first + m * step);
#pragma unroll
          for (int k = 0; k < 4; ++k) {
            const int bin = static_cast<int>(codes[m].get(k)) - first_bin;
            if (bin >= 0 && bin < bins) atomicAdd(counts + bin, 1u);
          }
        }
      }
  }

  __device__ void add_up() const {
    const int all = (bands_.band_rows + 1) * bins;
    for (int i = static_cast<int>(threadIdx.x); i < all; i += static_cast<int>(blockDim.x)) {
      std::uint32_t sum = 0;
      for (int first = 0; first < warps_; first += loads) {
        std::uint32_t counts[loads];
#pragma unroll
        for (int m = 0; m < loads; ++m)
          counts[m] = first + m < warps_ ? counts_[(first + m) * all + i] : 0;
#pragma unroll
        for (int m = 0; m < loads; ++m)
          if (first + m < warps_) counts_[(first + m) * all + i] = sum += counts[m];
      }
    }
  }

  const bands_type& bands_;
  int warps_;
  std::uint32_t* counts_;  ///< (warp, row, bin)
};

}  // namespace wavescan::Impl

#endif
