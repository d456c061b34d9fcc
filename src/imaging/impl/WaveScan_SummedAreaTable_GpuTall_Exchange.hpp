// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_EXCHANGE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUTALL_EXCHANGE_HPP

#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuTall_Block.hpp>

/// @file
/// @brief The sums of columns over the tiles of a wave: two hops, and no chain.
///
/// Every block publishes the sums of its tile's columns. Those of a chunk of columns are summed up
/// from tile to tile by one block, which keeps the sum over all waves and publishes what lies above
/// each tile; that is what blocks fetch.

namespace wavescan::Impl {

/// @brief Waits for `count` values that lie `stride` words apart, with all loads on their way at
/// once; the others are zero. All lanes of a warp wait at the same time.
template <class V, int Most>
__device__ void await_values(V (&values)[Most], const gpu::TaggedWord* first, int stride, int count,
                             std::uint32_t tag, const gpu::KeptAccess& access) {
  typename gpu::Tagged<V>::Found found[Most];
  bool missing = false;
  do {
#pragma unroll
    for (int m = 0; m < Most; ++m) found[m].load_if(m < count, first + m * stride, access);
    missing = false;
#pragma unroll
    for (int m = 0; m < Most; ++m) missing |= m < count && !found[m].has_tag(tag);
  } while (gpu::any(missing));
#pragma unroll
  for (int m = 0; m < Most; ++m) values[m] = m < count ? found[m].value() : V();
}

/// @brief A warp that sums up a chunk of columns from tile to tile. Several take waves in turn, and
/// hand on the sum over the waves before.
///
/// Two neighbouring lanes take the halves of the chunk, and each two of them a number of tiles that
/// follow each other.
template <class Tile>
class TallColumnScanner {
  using Pair = SumPair<typename Tile::V>;
  static constexpr int parts = 16;
  static constexpr int most_tiles = 10;  ///< of a part

 public:
  static constexpr int most_blocks = parts * most_tiles;
  static constexpr int most_chunks = 2;  ///< of a block

  __device__ TallColumnScanner(const TallBlock<Tile>& block, int number)
      : block_(block),
        turns_(block.plan.chunks > block.plan.blocks ? Tile::scanners / most_chunks
                                                     : Tile::scanners),
        turn_(number & (turns_ - 1)),
        first_(number - turn_),
        chunk_(number / turns_ * block.plan.blocks + block.number) {}

  __device__ void run() const {
    const TallPlan& plan = block_.plan;
    if (chunk_ >= plan.chunks) return;
    const int part_tiles = (plan.blocks + parts - 1) / parts;
    const int first = gpu::lane() / 2 * part_tiles;
    for (int t = turn_; t < plan.waves; t += turns_) {
      const int left = plan.tiles_of(t) - first;
      // To ask for others' sums any earlier would be in vain, and keep L2 busy.
      block_.wait_reduced(min(t, block_.tiles - 1));
      scan(t, first, left < part_tiles ? left : part_tiles);
    }
  }

 private:
  __device__ void scan(int t, int first, int count) const {
    const TallRing<Tile>& ring = block_.task.ring;
    const int stride = ring.block_words();
    const int word = chunk_ * TallRing<Tile>::chunk_words + gpu::lane() % 2 * 2;
    const std::uint32_t tag = block_.tag(t);
    Pair sums[most_tiles];
    await_values(sums, ring.sums(t, first) + word, stride, count, tag, block_.access);
    Pair sum;
#pragma unroll
    for (int m = 0; m < most_tiles; ++m) sum += sums[m];
    sum = gpu::warp_inclusive_scan<gpu::warp_size, 2>(sum);
    Pair above = gpu::shuffle_up(sum, 2);
    if (gpu::lane() < 2) above = Pair();
    above += hand_on(t, gpu::broadcast(sum, 30 + gpu::lane() % 2));
    gpu::TaggedWord* const prefixes = ring.prefixes(t, first) + word;
#pragma unroll
    for (int m = 0; m < most_tiles; ++m) {
      gpu::Tagged<Pair>::publish_if(m < count, prefixes + m * stride, above, tag, block_.access);
      above += sums[m];
    }
  }

  /// @brief The sum over the waves before; with the wave's own one it is handed on.
  __device__ Pair hand_on(int t, const Pair& own) const {
    Pair before;
    if (t > 0) {
      const int last = first_ + ((t - 1) & (turns_ - 1));
      block_.fixed.handed[last].wait(((t - 1) / turns_) & 1);
      before = place(last);
    }
    Pair sum = before;
    sum += own;
    gpu::sync_warp();  // a scanner alone overwrites what all its lanes have read
    if (gpu::lane() < 2) place(first_ + turn_) = sum;
    gpu::arrive_as_warp(block_.fixed.handed[first_ + turn_]);
    return before;
  }
  __device__ Pair& place(int scanner) const {
    return reinterpret_cast<Pair*>(block_.fixed.scanned_sums[scanner])[gpu::lane() % 2];
  }

  const TallBlock<Tile>& block_;
  int turns_;
  int turn_;
  int first_;  ///< of the scanners of this chunk
  int chunk_;
};

}  // namespace wavescan::Impl

#endif
