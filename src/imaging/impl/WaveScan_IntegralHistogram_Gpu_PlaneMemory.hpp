// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_PLANEMEMORY_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_GPU_PLANEMEMORY_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_IntegralHistogram_Gpu_Codes.hpp>

#include <cstdint>

namespace wavescan::Impl {

/// @brief The shared memory of a team that writes some bins in planes.
class PlaneTeamMemory {
 public:
  static constexpr int strip = 128;       ///< columns
  static constexpr int rows_at_once = 8;  ///< of a strip: a word of pixels for every lane
  static constexpr int most_strips = 32;  ///< of a segment

  /// @brief A lane's pixels of the bin, and how many there are to their left in the row.
  struct alignas(8) Matches {
    std::uint32_t pixels;
    std::uint32_t before;
  };
  /// @brief Matches of a row in eight strips, a byte each. A lane's are those of its row.
  using EightStrips = PackedValues<std::uint32_t, 2>;

  /// @param bins   that are written at once
  /// @param strips of a segment
  /// @param rows   of a band, 0 if there is one segment only
  __device__ PlaneTeamMemory(char* memory, int bins, int strips, int rows)
      : bins_(bins), strips_(strips), rows_(rounded(rows)) {
    entries_ = reinterpret_cast<std::uint32_t*>(memory);
    matches_ = reinterpret_cast<Matches*>(entries_ + bins * strips * strip);
    sums_ = reinterpret_cast<EightStrips*>(matches_ + bins * strips * gpu::warp_size);
    next_piece_ = reinterpret_cast<Index*>(sums_ + 2 * bins * gpu::warp_size);
    above_ = reinterpret_cast<std::uint32_t*>(next_piece_ + 2);
    corner_ = above_ + bins * strips;
    left_ = corner_ + 2 * bins;
  }
  KOKKOS_FUNCTION static Index bytes(int bins, int strips, int rows) {
    const Index words = Index(strips) * (strip + 2 * gpu::warp_size + 1) + 4 * gpu::warp_size + 2 +
                        2 * rounded(rows);
    return (bins * words * 4 + 16 + 15) / 16 * 16;
  }

  /// @brief The entries of a strip in the row that was written last.
  __device__ std::uint32_t* entries(int bin, int s) const {
    return entries_ + (bin * strips_ + s) * strip;
  }
  /// @brief What the lanes have found in a strip.
  __device__ Matches* matches(int bin, int s) const {
    return matches_ + (bin * strips_ + s) * gpu::warp_size;
  }
  /// @brief Matches in each strip: four words of eight strips for each row. Rows that follow use
  /// the other parity.
  __device__ EightStrips* sums(int parity, int bin) const {
    return sums_ + (parity * bins_ + bin) * gpu::warp_size;
  }
  /// @brief Pixels above each strip.
  __device__ std::uint32_t* above(int bin) const { return above_ + bin * strips_; }
  /// @brief The entry above and to the left of a segment. Segments that follow use the other
  /// parity.
  __device__ std::uint32_t& corner(int parity, int bin) const {
    return corner_[parity * bins_ + bin];
  }
  /// @brief For each row of the band its matches to the left of a segment, likewise.
  __device__ std::uint32_t* left(int parity, int bin) const {
    return left_ + (parity * bins_ + bin) * rows_;
  }
  __device__ Index& next_piece(int parity) const { return next_piece_[parity]; }

 private:
  KOKKOS_FUNCTION static int rounded(int rows) {
    return (rows + rows_at_once - 1) / rows_at_once * rows_at_once;
  }

  int bins_;
  int strips_;
  int rows_;
  std::uint32_t* entries_;
  Matches* matches_;
  EightStrips* sums_;
  Index* next_piece_;
  std::uint32_t* above_;
  std::uint32_t* corner_;
  std::uint32_t* left_;
};

}  // namespace wavescan::Impl

#endif
