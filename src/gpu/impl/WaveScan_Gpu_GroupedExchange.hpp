// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_GROUPEDEXCHANGE_HPP
#define WAVESCAN_IMPL_GPU_GROUPEDEXCHANGE_HPP

#include <impl/WaveScan_Gpu_Mailbox.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>

#include <cstdint>

/// @file
/// @brief Exchange of the totals of the tiles before a block's own, in two rounds of loads: for
/// totals of many words that take long to join.
///
/// Tiles and waves are those of PrefixExchange, in which a block loads the totals of all others.
/// Here neighbouring blocks form groups, about as many as a group has blocks. A block joins the
/// totals of its group before its own; the group's last one publishes what its group has; and a
/// block joins these from its own group's tiles of the wave before up to its group: with 132 blocks
/// 23 totals in all rather than 131, and each lane loads two.
///
/// A place is used again after `waves` waves, when nobody can still need it: in every wave a block
/// waits for all others, though for most of them by their groups.

namespace wavescan::Impl::gpu {

/// @brief A warp that joins totals.
/// @tparam V  a total
/// @tparam Op op(left, right), associative
template <class V, class Op>
class GroupedExchange {
 public:
  /// Groups, and the blocks of one, are no more than a warp has lanes.
  static constexpr int max_blocks = 256;

  /// @brief The places that totals of blocks and groups take in a mailbox.
  static int senders(int blocks) { return blocks + (blocks - 1) / size_of_group(blocks) + 1; }

  __device__ GroupedExchange(const TotalsMailbox& totals, int block, int blocks)
      : totals_(totals),
        block_(block),
        blocks_(blocks),
        size_(size_of_group(blocks)),
        group_(block / size_),
        groups_((blocks - 1) / size_ + 1) {}

  /// @brief Publishes the total of the block's tile of this wave; called by one thread.
  __device__ void publish(std::uint32_t wave, const V& total, const LaunchTags& tags) const {
    Tagged<V>::publish(place(wave, block_), total, tags.of(wave));
  }
  /// @brief Publishes the total of the group's tiles of this wave, or of those of them that count;
  /// called by a warp of the group's last block.
  __device__ void publish_group(std::uint32_t wave, const V& total, const LaunchTags& tags) const {
    if (lane() == 0) Tagged<V>::publish(place(wave, blocks_ + group_), total, tags.of(wave));
  }
  __device__ bool is_last_of_group() const {
    return block_ + 1 == blocks_ || block_ + 1 == (group_ + 1) * size_;
  }
  /// @brief The number of this wave's tiles that the group has before the block's.
  __device__ int before_in_group() const { return block_ - group_ * size_; }

  /// @brief Joins the totals of the up to `reach` tiles before the block's in its group; `none` if
  /// there are none.
  __device__ V join_group(std::uint32_t wave, const LaunchTags& tags, Index reach,
                          const V& none) const {
    const int before = warp_size - lane();  // the last lane has the nearest tile
    const bool exists = before <= before_in_group();
    return join(exists, exists && before <= reach, place(wave, exists ? block_ - before : block_),
                tags.of(wave), none);
  }

  /// @brief Joins the totals of the groups since the own group's tiles of the wave before, with
  /// these, of which the last `reach` tiles before the own group's count.
  __device__ V join_groups(std::uint32_t wave, const LaunchTags& tags, Index reach,
                           const V& none) const {
    const int before = warp_size - lane();
    const bool earlier = before > group_;  // in the wave before
    const int source = group_ - before + (earlier ? groups_ : 0);
    const bool exists = before <= groups_ && (wave > 0 || !earlier);
    const int end = min((source + 1) * size_, blocks_);
    const int tiles_after = group_ * size_ - end + (earlier ? blocks_ : 0);
    const std::uint32_t of = earlier ? wave - 1 : wave;
    return join(exists, exists && tiles_after < reach, place(of, blocks_ + (exists ? source : 0)),
                tags.of(of), none);
  }

 private:
  KOKKOS_FUNCTION static int size_of_group(int blocks) {
    int size = 1;
    while (size * size < blocks) ++size;
    return size;
  }

  __device__ TaggedWord* place(std::uint32_t wave, int sender) const {
    return totals_.place<V>(wave, sender, blocks_ + groups_);
  }

  /// @brief Waits for the totals of lanes that ask for one, and joins those that count, which are
  /// the last lanes'.
  __device__ V join(bool asks, bool counts, const TaggedWord* from, std::uint32_t tag,
                    const V& none) const {
    V sum = none;
    await<V, 1>(
        asks, [&](int) { return from; }, [&](int) { return tag; },
        [&](int, const V& total) { sum = total; });
    if (!counts) sum = none;
    int width = 1;
#pragma unroll 1
    for (; width < size_; width *= 2) {
      const V right = shuffle_down(sum, width);
      sum = counts ? Op()(sum, right) : right;
      counts |= shuffle_down(static_cast<int>(counts), width) != 0;
    }
    return broadcast(sum, warp_size - width);
  }

  const TotalsMailbox& totals_;
  int block_;
  int blocks_;
  int size_;  ///< of a group, but perhaps the last one; no less than there are groups
  int group_;
  int groups_;
};

}  // namespace wavescan::Impl::gpu

#endif
