// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_PREFIXEXCHANGE_HPP
#define WAVESCAN_IMPL_GPU_PREFIXEXCHANGE_HPP

#include <impl/WaveScan_Gpu_Mailbox.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief Exchange of the totals of the tiles before a block's own, in one round of loads.
///
/// Block b of G takes the tiles b, b + G, b + 2G, ...; the tiles k*G to k*G + G-1 are wave k. A
/// block knows the prefix up to and with its own last tile, so that the totals of the G - 1 tiles
/// since are all it needs: there is no chain of prefixes from block to block. The join's order
/// depends on nothing but G, so results are the same from run to run.
///
/// A place is used again after `waves` waves, when nobody can still need it: in every wave a block
/// waits for all others, so it publishes at most a few waves ahead of the slowest.

namespace wavescan::Impl::gpu {

/// @brief The mailbox in which the blocks leave the totals of their tiles for each other.
using TotalsMailbox = Mailbox<32, 16>;

/// @brief Totals that are counts.
struct CountTraits {
  using segment = int;
  struct weight_type {};
  static constexpr bool ordered = false;
  KOKKOS_FUNCTION static int identity() { return 0; }
  KOKKOS_FUNCTION static weight_type weight_of(Index) { return {}; }
  KOKKOS_FUNCTION static int join(int left, int right, weight_type) { return left + right; }
};

/// @brief Whether segments are joined in order by the weights of lengths that are the same for all
/// lanes, for weights that are too large to be each lane's own. Identities stay what they are,
/// whatever their weight.
template <class Traits>
inline constexpr bool weighs_by_length = false;
template <class Traits>
  requires(Traits::weighs_by_length)
inline constexpr bool weighs_by_length<Traits> = true;

/// @brief Whether segments know if lines start in them: `starts`, not 0 if any does. What is before
/// the last one in which a line starts has no effect, which `join` knows.
template <class Traits>
inline constexpr bool knows_starts = false;
template <class Traits>
  requires(Traits::knows_starts)
inline constexpr bool knows_starts<Traits> = true;

/// @brief Waits until all other blocks have published their tiles of this wave; called by a warp.
/// @param values of V that a total has
template <class V>
__device__ void await_others(const TotalsMailbox& totals, std::uint32_t wave, int block, int blocks,
                             const LaunchTags& tags, int values = 1) {
#pragma unroll 1
  for (int d = 1 + lane(); d < blocks && (wave > 0 || d <= block); d += warp_size) {
    const int source = block - d;
    const std::uint32_t of = source < 0 ? wave - 1 : wave;
    const TaggedWord* place =
        totals.place<V>(of, source < 0 ? source + blocks : source, blocks, values);
    for (LookLimit looks; static_cast<std::uint32_t>(load_relaxed(place) >> 32) != tags.of(of);
         looks.count()) {
    }
  }
  sync_warp();
}

/// @brief A warp that joins the totals of the G - 1 tiles before a tile.
/// @tparam Traits what segments are and how they join: `segment`, `ordered`, `identity()`,
///                `join(left, right, weight of right)`, `weight_type`, `weight_of(0)`; perhaps
///                `weighs_by_length` or `knows_starts`
/// @tparam Loads  loads for each lane; blocks must not exceed max_blocks
template <class Traits, int Loads>
class PrefixExchange {
 public:
  using segment = typename Traits::segment;
  static constexpr int max_depth = warp_size * Loads;
  static constexpr int max_blocks = max_depth + 1;

  /// @brief The tiles that a lane joins.
  KOKKOS_FUNCTION static constexpr int loads_of(int depth) {
    return (depth + warp_size - 1) / warp_size;
  }

  /// @param weight_of_tiles the weight of a number of tiles; those that are weighed by length are
  ///                        of one tile, and of a lane's tiles times 1, 2, 4, ... up to half a
  ///                        warp's lanes
  /// @param depth           so many tiles before are joined, by length only: those before them have
  ///                        no effect any more
  template <class WeightOfTiles>
  __device__ PrefixExchange(const Traits& traits, const TotalsMailbox& totals, int block,
                            int blocks, const WeightOfTiles& weight_of_tiles, int depth = max_depth)
      : traits_(traits),
        totals_(totals),
        block_(block),
        blocks_(blocks),
        depth_(depth),
        loads_(loads_of(depth)) {
    if constexpr (knows_starts<Traits>) {
      if constexpr (by_length) {
#pragma unroll
        for (int j = 0; j < warp_steps; ++j) weights_[j] = weight_of_tiles(Index(1) << j);
#pragma unroll
        for (int j = 0; j < warp_steps; ++j)
          weights_[warp_steps + j] = weight_of_tiles(Index(Loads) << j);
      }
    } else if constexpr (by_length) {
      weights_[0] = weight_of_tiles(1);
#pragma unroll
      for (int j = 0; j < warp_steps; ++j) weights_[1 + j] = weight_of_tiles(Index(loads_) << j);
    } else if constexpr (!Traits::ordered) {
#pragma unroll
      for (int m = 0; m < Loads; ++m) weights_[m] = weight_of_tiles(distance(m) - 1);
    }
  }

  /// @brief Publishes the total of the block's tile of this wave; called by one thread.
  static __device__ void publish(const TotalsMailbox& totals, std::uint32_t wave, int block,
                                 int blocks, const segment& total, const LaunchTags& tags) {
    Tagged<segment>::publish(totals.place<segment>(wave, block, blocks), total, tags.of(wave));
  }

  /// @brief The segment of the up to `reach` of the G - 1 tiles before the block's tile of this
  /// wave. Waits for all G - 1 nevertheless, so that no block is ever waves ahead of another; if
  /// fewer are joined by length, or since a start, then in some waves only.
  __device__ segment join_totals(std::uint32_t wave, const LaunchTags& tags, Index reach) const {
    if constexpr (knows_starts<Traits>)
      return join_since_start(wave, tags, reach);
    else
      return join_at_once(wave, tags, reach);
  }

  /// @brief The segment of all tiles after the block's last one, which is of this wave, if there
  /// are so many in all; segments that are joined in any order and without weights.
  __device__ segment join_totals_after(std::uint32_t wave, const LaunchTags& tags,
                                       Index tiles) const {
    static_assert(!Traits::ordered && !by_length);
    const Index after = tiles - 1 - (Index(wave) * blocks_ + block_);
    const auto wave_of = [&](int m) { return block_ + distance(m) < blocks_ ? wave : wave + 1; };
    segment got[Loads];
    unsigned wanted = 0;
#pragma unroll
    for (int m = 0; m < Loads; ++m) {
      got[m] = traits_.identity();
      if (distance(m) <= after) wanted |= 1u << m;
    }
    await<segment, Loads>(
        wanted,
        [&](int m) {
          const int source = block_ + distance(m);
          return totals_.place<segment>(wave_of(m), source < blocks_ ? source : source - blocks_,
                                        blocks_);
        },
        [&](int m) { return tags.of(wave_of(m)); },
        [&](int m, const segment& total) { got[m] = total; });
    return join_any_order(got, wanted);
  }

  /// @brief Waits until all other blocks have published their tiles of this wave.
  __device__ void await_others(std::uint32_t wave, const LaunchTags& tags) const {
    gpu::await_others<segment>(totals_, wave, block_, blocks_, tags);
  }

 private:
  static constexpr bool by_length = weighs_by_length<Traits>;
  static constexpr std::uint32_t waves_apart = 8;  ///< at least, blocks may be

  /// @brief Returns the place of the total of a tile that is so many before the block's of this
  /// wave.
  __device__ const TaggedWord* place_before(std::uint32_t wave, int tiles) const {
    const int source = block_ - tiles;
    return source < 0 ? totals_.place<segment>(wave - 1, source + blocks_, blocks_)
                      : totals_.place<segment>(wave, source, blocks_);
  }

  /// @brief The segment since the last start of a line in the tiles before, or of all of them. The
  /// nearest tiles, one for each lane, are looked at first, and mostly suffice; unless they did not
  /// in the wave before, either.
  __device__ segment join_since_start(std::uint32_t wave, const LaunchTags& tags,
                                      Index reach) const {
    const auto is_there = [&](int d) { return d < blocks_ && (wave > 0 || d <= block_); };
    if (!far_ && wave % waves_apart != 0) {
      bool there = is_there(warp_size - lane()) && warp_size - lane() <= reach, missing = there,
           started = false;
      segment got = traits_.identity();
      for (LookLimit looks; any(missing); looks.count()) {
        typename Tagged<segment>::Found found;
        found.load_if(missing, place_before(wave, warp_size - lane()));
        if (missing && found.has_tag(tags.of(block_ < warp_size - lane() ? wave - 1 : wave))) {
          got = found.value();
          missing = false;
        }
        const LaneMask starts = ballot(there && !missing && got.starts != 0);
        started = starts != 0;
        if (started && lane() < highest_lane(starts)) there = missing = false;
      }
      if (started || !is_there(warp_size + 1) || reach <= warp_size)
        return join_lanes_in_order(got, ballot(there), 0);
    }
    return join_all_in_order(wave, tags, reach, is_there);
  }

  /// @brief The segment of all tiles before, which are waited for: each lane has consecutive ones,
  /// the last lane's last one being the nearest.
  template <class IsThere>
  __device__ segment join_all_in_order(std::uint32_t wave, const LaunchTags& tags, Index reach,
                                       const IsThere& is_there) const {
    const auto tiles_before = [](int m) { return warp_size * Loads - (lane() * Loads + m); };
    segment got[Loads];
    unsigned there = 0;
#pragma unroll
    for (int m = 0; m < Loads; ++m) {
      got[m] = traits_.identity();
      if (is_there(tiles_before(m))) there |= 1u << m;
    }
    await<segment, Loads>(
        there, [&](int m) { return place_before(wave, tiles_before(m)); },
        [&](int m) { return tags.of(block_ < tiles_before(m) ? wave - 1 : wave); },
        [&](int m, const segment& total) { got[m] = total; });
#pragma unroll
    for (int m = 0; m < Loads; ++m)
      if (tiles_before(m) > reach) there &= ~(1u << m);
    bool near = false;
#pragma unroll
    for (int m = 0; m < Loads; ++m) near |= tiles_before(m) <= warp_size && got[m].starts != 0;
    far_ = !any(near);
    segment sum = got[0];
#pragma unroll
    for (int m = 1; m < Loads; ++m)
      sum = (there & ((1u << m) - 1)) != 0 ? traits_.join(sum, got[m], step_weight(0)) : got[m];
    return join_lanes_in_order(sum, ballot(there != 0), warp_steps);
  }

  /// @brief Joins what the warp's last lanes have, if any do.
  /// @param first_weight of the steps' lengths
  __device__ segment join_lanes_in_order(segment sum, LaneMask lanes, int first_weight) const {
    if (lanes == 0) return traits_.identity();
    const int first = lowest_lane(lanes);
    if (first == warp_size - 1) return broadcast(sum, first);
#pragma unroll
    for (int j = 0; j < warp_steps; ++j) {
      // 2^j lanes and as many after them, from lane `first` on.
      const segment right = shuffle_down(sum, 1 << j);
      const bool present = lane() + (1 << j) > first;
      sum = present ? traits_.join(sum, right, step_weight(first_weight + j)) : right;
    }
    return broadcast(sum, 0);
  }
  __device__ typename Traits::weight_type step_weight(int j) const {
    if constexpr (by_length)
      return weights_[j];
    else
      return {};
  }

  __device__ segment join_at_once(std::uint32_t wave, const LaunchTags& tags, Index reach) const {
    segment got[Loads];
    unsigned missing = 0;
#pragma unroll
    for (int m = 0; m < Loads; ++m) {
      got[m] = traits_.identity();
      const int d = distance(m);
      const bool counts = !by_length || m < loads_;
      if (counts && d >= 1 && d < blocks_ && (wave > 0 || d <= block_)) missing |= 1u << m;
    }
    if constexpr (by_length)
      if (wave % waves_apart == 0 && warp_size * loads_ < blocks_ - 1) await_others(wave, tags);
    unsigned wanted = missing;
#pragma unroll
    for (int m = 0; m < Loads; ++m)
      if (distance(m) > reach) wanted &= ~(1u << m);
    await<segment, Loads>(
        missing, [&](int m) { return place_before(wave, distance(m)); },
        [&](int m) { return tags.of(block_ < distance(m) ? wave - 1 : wave); },
        [&](int m, const segment& total) {
          if (wanted >> m & 1) got[m] = total;
        });
    if constexpr (by_length)
      return join_by_length(got);
    else if constexpr (Traits::ordered)
      return join_in_order(got, wanted);
    else
      return join_any_order(got, wanted);
  }

  /// @brief Returns how many tiles before the own one lane's load m is: neighbouring lanes take
  /// neighbouring tiles, or, where order counts, a lane takes consecutive ones. Weights by length
  /// want the last lane's last tile to be the one before.
  __device__ int distance(int m) const {
    if constexpr (by_length) return warp_size * loads_ - (lane() * loads_ + m);
    return Traits::ordered ? blocks_ - 1 - (lane() * Loads + m) : 1 + lane() + warp_size * m;
  }

  /// The tiles that are wanted are the last ones; the others are left out rather than joined as
  /// identities, which infinite weights would turn into something else.
  __device__ segment join_in_order(const segment (&got)[Loads], unsigned wanted) const {
    segment sum = got[0];
    bool some = wanted & 1;
#pragma unroll
    for (int m = 1; m < Loads; ++m) {
      sum = some ? traits_.join(sum, got[m], {}) : got[m];
      some |= wanted >> m & 1;
    }
    return join_lanes(sum, some);
  }
  __device__ segment join_lanes(segment sum, bool some) const {
    sum = warp_reduce_present(sum, some, [&](const segment& left, const segment& right) {
      return traits_.join(left, right, {});
    });
    return broadcast(sum, 0);
  }

  __device__ segment join_by_length(const segment (&got)[Loads]) const {
    constexpr int unrolled = sizeof(segment) > 16 ? 1 : warp_steps;  // joins may be long
    segment sum = got[0];
#pragma unroll
    for (int m = 1; m < Loads; ++m)
      if (m < loads_) sum = traits_.join(sum, got[m], weights_[0]);
    int lanes = 1;
#pragma unroll unrolled
    for (int j = 0; j < warp_steps && lanes * loads_ < depth_; ++j, lanes *= 2)
      sum = traits_.join(sum, shuffle_down(sum, lanes), weights_[1 + j]);
    return broadcast(sum, warp_size - lanes);
  }

  __device__ segment join_any_order(const segment (&got)[Loads], unsigned wanted) const {
    segment sum = traits_.identity();
#pragma unroll
    for (int m = 0; m < Loads; ++m)
      if (wanted >> m & 1) sum = traits_.join(got[m], sum, weights_[m]);
    sum = warp_reduce_to_first(sum, [&](const segment& own, const segment& other) {
      return traits_.join(other, own, one_);
    });
    return broadcast(sum, 0);
  }

  /// @brief The weight of a run without elements; by length none is needed, as identities stay what
  /// they are.
  __device__ typename Traits::weight_type weight_of_no_elements() const {
    if constexpr (by_length)
      return {};
    else
      return traits_.weight_of(0);
  }

  const Traits& traits_;
  const TotalsMailbox& totals_;
  int block_;
  int blocks_;
  int depth_;
  int loads_;
  mutable bool far_ = false;  ///< whether more than the nearest tiles mattered last
  static constexpr int weights = by_length && knows_starts<Traits> ? 2 * warp_steps
                                 : by_length                       ? 1 + warp_steps
                                 : Traits::ordered                 ? 1
                                                                   : Loads;
  typename Traits::weight_type weights_[weights];
  typename Traits::weight_type one_ = weight_of_no_elements();
};

}  // namespace wavescan::Impl::gpu

#endif
