// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_LOOKBACK_HPP
#define WAVESCAN_IMPL_SCAN_GPU_LOOKBACK_HPP

#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_Scan_Gpu_Pieces.hpp>

#include <cstddef>
#include <cstdint>

namespace wavescan::Impl {

/// @brief Where the blocks of a scan leave the totals of their tiles for each other.
///
/// Block b of G takes the tiles b, b + G, b + 2G, ...; the tiles k*G to k*G + G-1 are wave k. A
/// slot is reused after `waves` waves, when nobody can still need it: a block publishes at most a
/// few waves ahead of the slowest, which waits for all others in every wave.
struct TotalsRing {
  static constexpr int waves = 32;
  static constexpr int header = 16;  ///< words before the ring: the epoch, alone in its sectors

  gpu::TaggedWord* words;

  template <class Piece>
  static constexpr std::size_t size(int blocks) {
    return header + static_cast<std::size_t>(waves) * static_cast<std::size_t>(blocks) *
                        static_cast<std::size_t>(gpu::Tagged<Piece>::words);
  }
  template <class Piece>
  __device__ gpu::TaggedWord* place(std::uint32_t wave, int block, int blocks) const {
    return words + header +
           static_cast<std::size_t>((wave % waves) * blocks + block) * gpu::Tagged<Piece>::words;
  }
  /// @brief The last tag of the launch before.
  __device__ std::uint32_t epoch() const {
    return static_cast<std::uint32_t>(gpu::load_relaxed(words));
  }
  __device__ void set_epoch(std::uint32_t tag) const { gpu::store_relaxed(words, tag); }
};

/// @brief A warp that joins the totals of the G - 1 tiles before a tile, in one round of loads.
///
/// A block knows the state after its own last tile, so these totals are all it needs: there is no
/// chain of prefixes from block to block.
/// @tparam Loads loads for each lane; blocks must not exceed max_blocks
template <class P, int Loads>
class LookBack {
 public:
  using piece = typename P::piece;
  static constexpr int max_blocks = gpu::warp_size * Loads + 1;

  /// @param weight_of_tiles the weight of a number of tiles
  template <class WeightOfTiles>
  __device__ LookBack(const P& pieces, const TotalsRing& ring, int block, int blocks,
                      const WeightOfTiles& weight_of_tiles)
      : pieces_(pieces), ring_(ring), block_(block), blocks_(blocks) {
    if constexpr (!P::ordered) {
#pragma unroll
      for (int m = 0; m < Loads; ++m) weights_[m] = weight_of_tiles(distance(m) - 1);
    }
  }

  /// @brief The piece of the up to `reach` of the G - 1 tiles before the block's tile of this wave.
  /// Waits for all G - 1 nevertheless, so that no block is ever waves ahead of another.
  __device__ piece join_totals(std::uint32_t wave, std::uint32_t first_tag, Index reach) const {
    piece got[Loads];
    unsigned missing = 0;
#pragma unroll
    for (int m = 0; m < Loads; ++m) {
      got[m] = pieces_.identity();
      const int d = distance(m);
      if (d >= 1 && d < blocks_ && (wave > 0 || d <= block_)) missing |= 1u << m;
    }
    unsigned wanted = missing;
#pragma unroll
    for (int m = 0; m < Loads; ++m)
      if (distance(m) > reach) wanted &= ~(1u << m);
    while (gpu::any(missing != 0)) {
      typename gpu::Tagged<piece>::Found found[Loads];
#pragma unroll
      for (int m = 0; m < Loads; ++m) {
        const int source = block_ - distance(m);
        found[m].load_if(missing >> m & 1, ring_.template place<piece>(
                                               source < 0 ? wave - 1 : wave,
                                               source < 0 ? source + blocks_ : source, blocks_));
      }
#pragma unroll
      for (int m = 0; m < Loads; ++m) {
        const std::uint32_t source_wave = block_ < distance(m) ? wave - 1 : wave;
        if ((missing >> m & 1) && found[m].has_tag(first_tag + source_wave)) {
          if (wanted >> m & 1) got[m] = found[m].value();
          missing &= ~(1u << m);
        }
      }
    }
    if constexpr (P::ordered)
      return join_in_order(got, wanted);
    else
      return join_any_order(got, wanted);
  }

 private:
  /// @brief How many tiles before the own one lane's load m is: neighbouring lanes take
  /// neighbouring tiles, or, where order counts, a lane takes consecutive ones.
  __device__ int distance(int m) const {
    const int lane = gpu::lane();
    return P::ordered ? blocks_ - 1 - (lane * Loads + m) : 1 + lane + gpu::warp_size * m;
  }

  /// The tiles that are wanted are the last ones; the others are left out rather than joined as
  /// identities, which infinite weights would turn into something else.
  __device__ piece join_in_order(const piece (&got)[Loads], unsigned wanted) const {
    piece sum = got[0];
    bool some = wanted & 1;
#pragma unroll
    for (int m = 1; m < Loads; ++m) {
      sum = some ? pieces_.join(sum, got[m], {}) : got[m];
      some |= wanted >> m & 1;
    }
    sum = gpu::warp_reduce_present(sum, some, [&](const piece& left, const piece& right) {
      return pieces_.join(left, right, {});
    });
    return gpu::broadcast(sum, 0);
  }

  __device__ piece join_any_order(const piece (&got)[Loads], unsigned wanted) const {
    piece sum = pieces_.identity();
#pragma unroll
    for (int m = 0; m < Loads; ++m)
      if (wanted >> m & 1) sum = pieces_.join(got[m], sum, weights_[m]);
    sum = gpu::warp_reduce_to_first(
        sum, [&](const piece& own, const piece& other) { return pieces_.join(other, own, one_); });
    return gpu::broadcast(sum, 0);
  }

  const P& pieces_;
  const TotalsRing& ring_;
  int block_;
  int blocks_;
  typename P::weight_type weights_[P::ordered ? 1 : Loads];
  typename P::weight_type one_ = pieces_.weight_of(0);
};

}  // namespace wavescan::Impl

#endif
