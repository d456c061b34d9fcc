// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_STRIPS_KERNEL_HPP
#define WAVESCAN_IMPL_SAT_GPU_STRIPS_KERNEL_HPP

#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_RowParts.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/sat/gpu/WaveScan_Strips_Block.hpp>
#include <impl/sat/gpu/WaveScan_Strips_Exchange.hpp>

#include <cstdint>

/// @file
/// @brief The summed-area table of a large image, at nearly the speed of a copy.
///
/// Each block owns a strip of the image and goes down it, tile by tile through its pipeline. Sums
/// over what lies above in the strip stay on the chip; only sums of rows travel from strip to
/// strip. Every pixel is read once and every entry written once, with one launch and no clearing.
/// Who sums up what, and in which order, is fixed, so results are the same from run to run. All
/// blocks must be resident (cooperative launch).
///
/// An entry is the sum of what lies
///   - in its strip: sums along the row of sums along the columns,
///   - to the left of the strip, in the tile's rows up to the entry's, and
///   - to the left of the strip and above the tile: the *corner*.
/// There are no differences.

namespace wavescan::Impl::sat {

/// @brief One of the warps that sum up the rows and columns of every tile when it arrives.
template <class Tile>
class StripsReducer {
  using V = typename Tile::V;
  static constexpr int section_rows = Tile::section_rows;
  static constexpr int lanes_a_row = Tile::lanes / section_rows;

 public:
  __device__ StripsReducer(const StripsBlock<Tile>& block, int warp)
      : block_(block), rows_(block.decomposition, warp) {}

  __device__ void run() const {
    block_.for_arriving([&](int t, int stage, int slot) { reduce(t, block_.stage(stage), slot); });
  }

 private:
  __device__ void reduce(int t, const char* stage, int slot) const {
    SumChunk<V> columns[Tile::chunks];
    V sums[section_rows] = {};
#pragma unroll
    for (int r = 0; r < section_rows; ++r)
#pragma unroll
      for (int c = 0; c < Tile::chunks; ++c) {
        const SumChunk<V> x = rows_.load(stage, r, c);
        columns[c] += x;
        sums[r] += rows_.has(c) ? x.sum_of_pairs() : V();
      }
#pragma unroll
    for (int c = 0; c < Tile::chunks; ++c)
      if (rows_.has(c))
        columns[c].store(block_.slot(slot).columns(rows_.section) + rows_.column(c));
    gpu::arrive_as_warp(block_.barriers.reduced[slot]);
    const V sum = gpu::warp_sum_of_each<Tile::lanes>(sums);
    if (rows_.lane() % lanes_a_row == 0) {
      const int row = rows_.first + rows_.lane() / lanes_a_row;
      block_.publish(
          block_.task.ring.row_sums(t, block_.group, block_.strip) + row * gpu::Tagged<V>::words,
          sum, t);
    }
  }

  const StripsBlock<Tile>& block_;
  StripsRows<Tile> rows_;
};

/// @brief One of the warps that put the tiles of the table together. Tiles go to `sets` of warps in
/// turn: it takes a warp longer to put its rows together than tiles follow each other.
template <class Tile>
class StripsScanner {
  using T = typename Tile::T;
  using V = typename Tile::V;
  using Chunk = SumChunk<V>;
  static constexpr int chunks = Tile::chunks;
  static constexpr int section_rows = Tile::section_rows;

 public:
  __device__ StripsScanner(const StripsBlock<Tile>& block, int warp)
      : block_(block),
        set_(warp / Tile::warps),
        warp_(warp % Tile::warps),
        rows_(block.decomposition, warp_) {}

  __device__ void run() const {
    block_.for_scanning(
        set_, Tile::sets,
        [&](int t, char* stage, const auto& slot, const auto& out) { scan(t, stage, slot, out); });
  }

 private:
  __device__ void scan(int t, char* stage, const gpu::RingTurn& slot,
                       const gpu::RingTurn& out) const {
    const StripsSlot<Tile> kept = block_.slot(slot.place());
    Chunk columns[chunks];
    Chunk y[section_rows][chunks];
    V sums[section_rows][chunks];
    wait(slot, block_.barriers.accumulated);
    load_columns(kept, slot, columns);
    // Sums over the columns, and of these along each row as far as the lane has them.
#pragma unroll
    for (int r = 0; r < section_rows; ++r)
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
        y[r][c] = rows_.load(stage, r, c);
        const V sum = y[r][c].scan(columns[c]);
        sums[r][c] = rows_.has(c) ? sum : V();
      }
    gpu::warp_inclusive_sum<Tile::lanes>(sums);
    wait(slot, block_.barriers.prefixed);
    V left[section_rows];  // of the strip, down to each row
    gpu::load_values(left, kept.left() + rows_.first);
    V before[section_rows][chunks];
#pragma unroll
    for (int r = 0; r < section_rows; ++r)
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
        const V others = gpu::shuffle_up(sums[r][c], 1);
        before[r][c] = rows_.lane() == 0 ? left[r] : left[r] + others;
        if (c + 1 < chunks) left[r] += gpu::broadcast(sums[r][c], 31);
      }
    T* tile = reinterpret_cast<T*>(stage);
    if constexpr (!Tile::in_place) {
      out.wait_for_last(block_.barriers.out_free);
      tile = reinterpret_cast<T*>(block_.out(out.place()));
    }
#pragma unroll
    for (int r = 0; r < section_rows; ++r)
#pragma unroll
      for (int c = 0; c < chunks; ++c) {
        T entries[Chunk::count];
        (y[r][c] += before[r][c]).convert(entries);
        if (rows_.has(c)) gpu::store_values(tile + rows_.place(r, c), entries);
      }
    if (block_.task.tail < block_.task.table.columns) store_tail(t, tile);
  }

  __device__ static void wait(const gpu::RingTurn& turn, gpu::Barrier* barriers) {
    turn.wait(barriers);
    gpu::sync_warp();
  }

  /// @brief Stores the table's tail in the warp's rows, a row a lane.
  __device__ void store_tail(int t, const T* tile) const {
    const Grid<T>& table = block_.task.table;
    const Index begin = block_.task.tail;
    const auto place = block_.place(block_.cursor(t), block_.task.tiles);
    const int width = block_.decomposition.width, in_tile = warp_ * Tile::warp_rows + gpu::lane();
    const Index column = begin - place.x, row = place.y + in_tile;
    if (column < 0 || column >= width) return;
    gpu::sync_warp();
    if (gpu::lane() >= Tile::warp_rows || row >= table.rows) return;
    const T* const from = tile + in_tile * width + column;
    for (Index e = 0; begin + e < table.columns; ++e) table(row, begin + e) = from[e];
  }

  /// @brief The sums of the columns over all rows above the section's.
  __device__ void load_columns(const StripsSlot<Tile>& kept, const gpu::RingTurn& slot,
                               Chunk (&columns)[chunks]) const {
#pragma unroll
    for (int c = 0; c < chunks; ++c)
      columns[c] = Chunk::load(kept.columns(rows_.section) + rows_.column(c));
    if (block_.decomposition.groups == 1) return;
    wait(slot, block_.barriers.gathered);
#pragma unroll
    for (int c = 0; c < chunks; ++c) columns[c] += Chunk::load(kept.others() + rows_.column(c));
  }

  const StripsBlock<Tile>& block_;
  int set_;
  int warp_;
  StripsRows<Tile> rows_;
};

/// @brief The warps of a block.
template <class Tile>
struct StripsKernel {
  /// Those that do not belong to StripsWarps.
  static constexpr int fixed_warps = (1 + Tile::sets) * Tile::warps + 1 + gpu::copier_warps;
  using Parameters = StripsTask<Tile>;
  static constexpr bool any_mover = true;
  static constexpr int block_threads = 32 * (fixed_warps + StripsWarps::max<Tile>);
  static constexpr int memory_alignment = StripsMemory<Tile>::alignment;
  const Parameters& task;
  char* memory;

  __device__ void run() const {
    const StripsBlock<Tile> block(task, memory);
    if (gpu::copies_tiles(block)) return;
    int warp = gpu::warp();
    if (warp == 1) return ColumnAccumulator<Tile>(block).run_own();
    warp -= 2;
    if (warp < Tile::warps) return StripsReducer<Tile>(block, warp).run();
    warp -= Tile::warps;
    if (warp < Tile::sets * Tile::warps) return StripsScanner<Tile>(block, warp).run();
    warp -= Tile::sets * Tile::warps;
    if (warp < task.warps.row_scanners) return RowScanner<Tile>(block, warp).run();
    warp -= task.warps.row_scanners;
    if (warp < task.warps.prefix_readers) return PrefixReader<Tile>(block, warp).run();
    ColumnAccumulator<Tile>(block).run_groups(warp - task.warps.prefix_readers);
  }
};

/// @brief Tables of large images, one after the other, whose rows begin at 16-byte boundaries.
template <class Types>
void launch_strips(const gpu::Device& exec, const ProblemOf<Types>& p, const Strips& decomposition,
                   gpu::BlockEpochs words) {
  decomposition.with_tile<Types>([&]<class Tile>(std::type_identity<Tile>) {
    const StripsMemory<Tile> memory(decomposition.width);
    const StripsWarps warps = StripsWarps::of<Tile>(decomposition, words.blocks);
    constexpr Index word = 16 / sizeof(typename Tile::T);
    const Index whole = p.table.columns / word * word;
    SumsAbove<typename Tile::V> above;
    if constexpr (!Tile::wide_sums)
      above = {reinterpret_cast<const typename Tile::V*>(p.above.columns),
               reinterpret_cast<const typename Tile::V*>(p.above.up_to)};
    const auto describe = [&]<class E>(const Grid<E>& grid, Index columns) {
      return gpu::describe_rows<std::remove_const_t<E>>(
          reinterpret_cast<std::uintptr_t>(grid.data), grid.rows, columns,
          grid.row_stride * Index(sizeof(E)), Tile::rows, decomposition.width);
    };
    for (Index m = 0; m < p.images; ++m) {
      const auto one = p.of_image(m);
      const StripsTask<Tile> task{describe(one.image, one.image.columns),
                                  describe(one.table, whole),
                                  one.table,
                                  whole,
                                  above,
                                  decomposition,
                                  warps,
                                  memory,
                                  words,
                                  {decomposition, memory.rings.slots.places(), words.messages()}};
      gpu::launch_blocks<StripsKernel<Tile>>({exec, "WaveScan::summed_area_table::strips", true},
                                             decomposition.blocks(),
                                             32 * (StripsKernel<Tile>::fixed_warps + warps.all()),
                                             static_cast<std::size_t>(memory.bytes()), task);
    }
  });
}
/// @brief The tagged words that strips need.
template <class Types>
std::size_t words_of_strips(const Strips& decomposition) {
  return decomposition.with_tile<Types>([&]<class Tile>(std::type_identity<Tile>) {
    const StripsMemory<Tile> memory(decomposition.width);
    return StripsRing<Tile>(decomposition, memory.rings.slots.places(), nullptr)
        .words(decomposition);
  });
}

}  // namespace wavescan::Impl::sat

#endif
