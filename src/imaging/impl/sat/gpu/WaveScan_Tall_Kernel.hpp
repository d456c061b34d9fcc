// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_TALL_KERNEL_HPP
#define WAVESCAN_IMPL_SAT_GPU_TALL_KERNEL_HPP

#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_RowParts.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/sat/gpu/WaveScan_Tall_Block.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief The summed-area table of an image of many rows that follow each other in memory.
///
/// Blocks take tiles of whole rows in turn, each of which passes through the pipeline once. Only
/// sums of columns travel between blocks. Who sums up what, and in which order, is fixed; nothing
/// is subtracted. All blocks must be resident (cooperative launch).

namespace wavescan::Impl::sat {

/// @brief One of the warps that sum up the tiles' columns.
template <class Tile>
class TallReducer {
  using Chunk = SumChunk<typename Tile::V>;

 public:
  __device__ TallReducer(const TallBlock<Tile>& block, int warp)
      : block_(block), warp_(warp), part_(block.cut, warp) {}

  __device__ void run() const {
    block_.for_arriving([&](int t, int stage, int slot) {
      reduce(t, block_.stage(stage)).store(block_.sums(slot, warp_) + gpu::lane() * Chunk::count);
      gpu::arrive_as_warp(block_.barriers.reduced[slot]);
      if (part_.level == 0) publish(t, slot);
    });
  }

 private:
  /// @brief The sums over the lane's section and those above it in the warp.
  __device__ Chunk reduce(int t, const char* stage) const {
    const TallTiles& cut = block_.cut;
    const int rows = part_.rows_of(block_.rows_of(t), cut.section_rows);
    const auto* const pixels = reinterpret_cast<const typename Tile::Pixel*>(stage) +
                               part_.row * cut.columns + part_.column;
    Chunk x[Tile::max_rows], sums;
    // All loads at once, rather than a branch for each.
    if (rows > 0) {
#pragma unroll
      for (int i = 0; i < Tile::max_rows; ++i)
        x[i] = load_terms<Tile>(pixels + min(i, rows - 1) * cut.columns);
    }
#pragma unroll
    for (int i = 0; i < Tile::max_rows; ++i)
      if (i < rows) sums += x[i];
    gpu::warp_inclusive_scan(sums.value, gpu::warp_size, cut.lanes);
    return sums;
  }

  /// @brief Publishes the sums over the columns of the warp's strip.
  __device__ void publish(int t, int slot) const {
    const TallTiles& cut = block_.cut;
    block_.wait_reduced(t);
    if (gpu::lane() >= cut.lanes || !part_.inside) return;
    Chunk sums;
    for (int level = 0; level >> cut.level_bits == 0; ++level)
      sums += part_.sums_of_level(block_, slot, level);
    block_.publish(block_.task.ring.sums(t, block_.number) + part_.words(), sums, t);
  }

  const TallBlock<Tile>& block_;
  int warp_;
  TallPart<Tile> part_;
};

/// @brief One of the warps that put the tiles of the table together.
template <class Tile>
class TallScanner {
  using V = typename Tile::V;
  using Chunk = SumChunk<V>;
  static constexpr int max_rows = Tile::max_rows;
  using Rows = V[max_rows];
  using Prefixes = typename gpu::Tagged<Chunk>::Found;

 public:
  __device__ TallScanner(const TallBlock<Tile>& block, int warp)
      : block_(block), warp_(warp), part_(block.cut, warp) {}

  __device__ void run() const {
    Prefixes prefixes;
    block_.for_scanning(0, 1, [&](int t, char* stage, const auto&, const auto& out) {
      block_.wait_reduced(t);
      Chunk columns = own_above(block_.rings.slots.place(t));
      columns += others_above(t, prefixes);
      // Perhaps they are there already.
      if (t + 1 < block_.tiles) prefixes.load_if(part_.inside, place_of(t + 1), block_.access);
      if constexpr (!Tile::in_place) out.wait_for_last(block_.barriers.out_free);
      scan(t, stage, Tile::in_place ? stage : block_.out(out.place()), columns);
    });
  }

 private:
  /// @brief Where the sums over the lane's columns of all tiles above are published.
  __device__ const gpu::TaggedWord* place_of(int t) const {
    return block_.task.ring.prefixes(t, block_.number) + part_.words();
  }
  /// @brief Waits for what lies above the tile, as far as it was not found yet.
  __device__ Chunk others_above(int t, Prefixes& prefixes) const {
    const std::uint32_t tag = block_.tag(t);
    Chunk above = prefixes.value();
    gpu::await<Chunk, 1>(
        part_.inside && !prefixes.has_tag(tag), [&](int) { return place_of(t); },
        [=](int) { return tag; }, [&](int, const Chunk& found) { above = found; }, block_.access);
    return above;
  }

  /// @brief The tile's sums over the columns above the lane's section.
  __device__ Chunk own_above(int slot) const {
    Chunk sums;
    for (int level = 0; level < part_.level; ++level)
      sums += part_.sums_of_level(block_, slot, level);
    const int above = gpu::lane() - block_.cut.lanes;
    if (above >= 0) sums += Chunk::load(block_.sums(slot, warp_) + above * Chunk::count);
    return sums;
  }

  __device__ void scan(int t, const char* from, char* to, Chunk& columns) const {
    const TallTiles& cut = block_.cut;
    const int first = part_.row * cut.columns + part_.column;
    const auto* const pixels = reinterpret_cast<const typename Tile::Pixel*>(from) + first;
    Chunk y[max_rows];
    Rows sums, left;
    // What is read twice, or beyond the image's last row, only gets into what is not stored.
    if (part_.inside) {
#pragma unroll
      for (int i = 0; i < max_rows; ++i)
        y[i] = load_terms<Tile>(pixels + min(i, cut.section_rows - 1) * cut.columns);
    }
#pragma unroll
    for (int i = 0; i < max_rows; ++i) sums[i] = y[i].scan(columns);
    scan_rows(t, sums, left);
    V* const out = reinterpret_cast<V*>(to) + first;
    const int rows = part_.rows_of(block_.rows_of(t), cut.section_rows);
#pragma unroll
    for (int i = 0; i < max_rows; ++i) {
      y[i] += left[i];
      if (i < rows) y[i].store(out + i * cut.columns);
    }
  }

  /// @brief What lies to the left of the lane's chunk in each of its rows.
  __device__ void scan_rows(int t, Rows& sums, Rows& left) const {
    const TallTiles& cut = block_.cut;
    const int lane = gpu::lane() & (cut.lanes - 1);
    gpu::warp_inclusive_scan(sums, cut.lanes, 1);
#pragma unroll
    for (int i = 0; i < max_rows; ++i) {
      left[i] = gpu::shuffle_up(sums[i], 1);
      if (lane == 0) left[i] = V(0);
    }
    if (cut.strips > 1) add_strips(t, sums, left);
  }

  /// @brief Tells the other strips' warps the sums over the own strip's rows, and adds theirs.
  __device__ void add_strips(int t, const Rows& sums, Rows& left) const {
    auto& strips = block_.barriers.strips[t & 1];
    if (gpu::lane() == 31) gpu::store_values(strips[warp_], sums);
    gpu::Barrier& ready = block_.barriers.strips_ready[part_.level];
    gpu::arrive_as_warp(ready);
    ready.wait(t & 1);
    Sums<V, max_rows> before;
    for (int w = part_.level; w < warp_; w += 1 << block_.cut.level_bits)
      before += Sums<V, max_rows>::load(strips[w]);
#pragma unroll
    for (int i = 0; i < max_rows; ++i) left[i] += before.value[i];
  }

  const TallBlock<Tile>& block_;
  int warp_;
  TallPart<Tile> part_;
};

/// @brief The warps of a block.
template <class Tile>
struct TallKernel {
  using Parameters = TallTask<Tile>;
  static constexpr int block_threads = 32 * (1 + 2 * Tile::warps + Tile::scanners);
  static constexpr int memory_alignment = 16;
  const Parameters& task;
  char* memory;

  __device__ void run() const {
    const TallBlock<Tile> block(task, memory);
    if (gpu::copies_tiles(block)) return;
    int warp = gpu::warp() - 1;
    if (warp < Tile::warps) return TallReducer<Tile>(block, warp).run();
    warp -= Tile::warps;
    if (warp < Tile::warps) return TallScanner<Tile>(block, warp).run();
    ColumnScanner<Tile>(block, warp - Tile::warps).run();
  }
};

/// @brief Tables of tall images, one after the other, whose rows follow each other in memory.
template <class Types>
void launch_tall(const gpu::Device& exec, const ProblemOf<Types>& p, const TallTiles& cut,
                 gpu::BlockEpochs words) {
  using Tile = TallTile<Types>;
  const TallMemory<Tile> memory(cut);
  for (Index m = 0; m < p.images; ++m) {
    const auto one = p.of_image(m);
    const TallTask<Tile> task{
        one.image.data, one.table.data, cut,
        memory,         words,          {cut, memory.rings.slots, words.messages()}};
    gpu::launch_blocks<TallKernel<Tile>>({exec, "WaveScan::summed_area_table::tall", true},
                                         cut.blocks, TallKernel<Tile>::block_threads,
                                         static_cast<std::size_t>(memory.bytes()), task);
  }
}
/// @brief The tagged words that tall images need.
template <class Types>
std::size_t words_of_tall(const TallTiles& cut) {
  return TallRing<TallTile<Types>>(cut, TallMemory<TallTile<Types>>(cut).rings.slots, nullptr)
      .words();
}

}  // namespace wavescan::Impl::sat

#endif
