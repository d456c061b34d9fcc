// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_TILES_KERNEL_HPP
#define WAVESCAN_IMPL_SAT_GPU_TILES_KERNEL_HPP

#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/sat/gpu/WaveScan_Tiles_Block.hpp>
#include <impl/sat/gpu/WaveScan_Tiles_Gather.hpp>

#include <cstdint>

/// @file
/// @brief Summed-area tables on a GPU: one persistent block a multiprocessor.
///
/// A block moves its tiles through a ring of stages in shared memory. Each warp has one task and
/// goes through the tiles by itself: one starts the loads; some *reduce* a tile when it arrives;
/// some publish its sums and *gather* those of the other blocks; and some *scan* the tile and store
/// the table. Every pixel is read once and every entry written once, with one launch and no
/// clearing. The assignment of tiles and the order of additions are fixed, so results are the same
/// from run to run. All blocks must be resident (cooperative launch).
///
/// An entry is the sum of what lies
///   - in its tile: sums along the rows of sums along the columns,
///   - above the tile, in the columns up to the entry's,
///   - to the left, in the rows up to the entry's, and
///   - above and to the left: the *corner*.
/// A block keeps the sums over the columns of all the tiles that its team has gone through, and the
/// corner. There are no differences.

namespace wavescan::Impl::sat {

/// @brief A warp that starts the loads of every `loaders`-th tile.
template <class Tile>
class TableLoader {
  static constexpr int stages = TableBlock<Tile>::stages;

 public:
  __device__ TableLoader(const TableBlock<Tile>& block, int first)
      : block_(block),
        first_(first),
        policy_(gpu::mover == gpu::Mover::Bulk ? gpu::stream_policy() : 0) {}

  __device__ void run() const {
    for (int t = first_; t < block_.tiles; t += Tile::loaders) {
      if (t >= stages) block_.wait_scanned(t - stages);
      load(t);
    }
  }

 private:
  /// As many pixels fill 16-byte words.
  static constexpr int whole_words = 16 / static_cast<int>(sizeof(typename Tile::Pixel));

  __device__ static int clamp(Index n, int most) {
    return static_cast<int>(n < 0 ? 0 : n > most ? most : n);
  }

  __device__ void load(int t) const {
    const TableTask<Tile>& task = block_.task;
    const TableWaves& waves = task.waves;
    const auto& image = task.problem.image;
    const int nth = t / waves.waves;
    const int wave = t - nth * waves.waves;
    const Index n = block_.team + Index(nth) * waves.teams;
    const Index row = Index(wave * waves.down + block_.y) * Tile::rows;
    const Index column = Index(block_.x) * waves.used_columns;
    const int rows = clamp(waves.rows - row, Tile::rows);
    const int columns = clamp(waves.columns - column, waves.used_columns);
    const auto* const first =
        image.data + n * task.problem.image_stride + row * image.row_stride + column;
    if (gpu::lane() == 0) {
      TileInfo& info = block_.shared.info[t % stages];
      info.table = n * task.problem.table_stride + row * task.problem.table.row_stride + column;
      info.rows = rows;
      info.columns = columns;
      info.shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(first) & 15);
      info.plain_pixels = task.image_aligned && rows == Tile::rows && columns % whole_words == 0 &&
                          (columns == Tile::columns || block_.padded());
      info.plain_table = info.plain_pixels && task.table_aligned;
      info.first = wave == 0;
    }
    gpu::Barrier& arrived = block_.shared.arrived[t % stages];
    gpu::load_rows<Tile::row_bytes>(first, image.row_stride, rows, columns, task.image_end,
                                    block_.stage(t), arrived, policy_);
  }

  const TableBlock<Tile>& block_;
  int first_;
  std::uint64_t policy_;
};

/// @brief A warp that sums up its part of tiles along rows and columns as soon as they arrive.
template <class Tile>
class TableReducer {
  using V = typename Tile::V;
  using Chunk = Sums<V, Tile::chunk>;

 public:
  __device__ TableReducer(const TableBlock<Tile>& block, int warp)
      : block_(block), part_(warp), first_(warp / Tile::warps) {}

  __device__ void run() const {
    for (int t = first_; t < block_.tiles; t += Tile::at_once) {
      if (t >= Tile::slots) block_.wait_scanned(t - Tile::slots);
      block_.wait_arrived(t);
      if (block_.info(t).plain_pixels)
        reduce<true>(t);
      else
        reduce<false>(t);
      block_.shared.reduced[t % Tile::slots].arrive();
    }
  }

 private:
  template <bool Plain>
  __device__ void reduce(int t) const {
    const int slot = t % Tile::slots;
    Chunk columns;
#pragma unroll
    for (int quad = 0; quad < Tile::quads; ++quad) {
      Chunk x[4];
      V rows[4];
      block_.template read_quad<Plain>(t, part_, quad, x);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        columns += x[i];
        rows[i] = x[i].sum_of_pairs();
      }
      const V sum = gpu::warp_sum_of_each(rows);
      constexpr int apart = Tile::lanes / 4;  // lanes that get the rows' sums
      if (gpu::lane() % apart == 0)
        block_.shared.row_sums[slot][part_.segment][part_.row(quad) + gpu::lane() / apart] = sum;
    }
    columns.store(&block_.shared.column_sums[slot][part_.group][part_.column()]);
  }

  const TableBlock<Tile>& block_;
  TilePart<Tile> part_;
  int first_;
};

/// @brief A warp that scans its part of tiles and stores the tables, once all sums are known over
/// what lies above the tile and to the left.
template <class Tile>
class TableScanner {
  using V = typename Tile::V;
  using T = typename Tile::T;
  using Chunk = Sums<V, Tile::chunk>;

 public:
  __device__ TableScanner(const TableBlock<Tile>& block, int warp)
      : block_(block), part_(warp), first_(warp / Tile::warps) {}

  __device__ void run() const {
    for (int t = first_; t < block_.tiles; t += Tile::at_once) {
      block_.wait_arrived(t);
      gpu::wait_in_turn(block_.shared.ready, t);
      if (block_.info(t).plain_table)
        scan<true, true>(t);
      else if (block_.info(t).plain_pixels)
        scan<true, false>(t);
      else
        scan<false, false>(t);
    }
  }

 private:
  template <bool PlainPixels, bool PlainTable>
  __device__ void scan(int t) const {
    const TileInfo tile = block_.info(t);  // another tile's once the last pixels are read
    const TableShared<Tile>& shared = block_.shared;
    const int slot = t % Tile::slots;
    const Index pitch = block_.task.problem.table.row_stride;
    T* to = block_.task.problem.table.data + tile.table + part_.row(0) * pitch +
            part_.segment * Tile::segment;
    Chunk columns = Chunk::load(&shared.above[slot][part_.column()]);
#pragma unroll
    for (int g = 0; g + 1 < Tile::groups; ++g) {
      if (g >= part_.group) break;
      columns += Chunk::load(&shared.column_sums[slot][g][part_.column()]);
    }
#pragma unroll 1
    for (int quad = 0; quad < Tile::quads; ++quad) {
      Chunk x[4];
      V left[4], sums[4];
      block_.template read_quad<PlainPixels>(t, part_, quad, x);
#pragma unroll
      for (int i = 0; i < 4; ++i) left[i] = shared.left[slot][part_.segment][part_.row(quad) + i];
      if (quad == Tile::quads - 1) block_.shared.scanned[t % block_.stages].arrive();
#pragma unroll
      for (int i = 0; i < 4; ++i) sums[i] = x[i].scan(columns);
      gpu::warp_inclusive_scan(sums);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const V others = gpu::shuffle_up(sums[i], 1);
        if (gpu::lane() > 0) left[i] += others;
        T z[Chunk::count];
        (x[i] += left[i]).convert(z);
        const int count = tile.columns - part_.segment * Tile::segment;
        if constexpr (PlainTable)
          gpu::store_aligned(to, z, count);
        else if (part_.row(quad) + i < tile.rows)
          gpu::store_chunk(to, z, count);
        to += pitch;
      }
    }
  }

  const TableBlock<Tile>& block_;
  TilePart<Tile> part_;
  int first_;
};

/// @brief The warps of a block.
template <class Tile>
struct TableWarps {
  static constexpr int reduce = Tile::warps * Tile::at_once;
  static constexpr int scan = reduce;
  static constexpr int columns = RemoteSums<Tile>::column_threads / Tile::lanes;
  static constexpr int rows = RemoteSums<Tile>::row_threads / Tile::lanes;
  static constexpr int gather = columns + rows + 1;
  static constexpr int all = reduce + scan + gather * Tile::gatherers + Tile::loaders;
  static_assert(all * Tile::lanes <= 1024);
};

template <class Tile>
struct TableKernel {
  using Parameters = TableTask<Tile>;
  static_assert(Tile::lanes == gpu::warp_size);
  static constexpr bool any_mover = true;
  static constexpr int block_threads = Tile::lanes * TableWarps<Tile>::all;
  static constexpr int memory_alignment = 128;
  const Parameters& task;
  char* memory;

  __device__ void run() const {
    using Warps = TableWarps<Tile>;
    const TableBlock<Tile> block(task, memory);
    int warp = gpu::warp();
    if (block.padded()) block.pad();
    if (threadIdx.x == Tile::lanes) {
      for (int s = 0; s < block.stages; ++s) {
        block.shared.arrived[s].init(gpu::row_arrivals);
        block.shared.scanned[s].init(Tile::lanes * Tile::warps);
      }
      for (int s = 0; s < Tile::slots; ++s) {
        block.shared.reduced[s].init(Tile::lanes * Tile::warps);
        block.shared.columns_ready[s].init(Tile::lanes * Warps::columns);
        block.shared.rows_ready[s].init(Tile::lanes * Warps::rows);
        block.shared.ready[s].init(Tile::lanes);
      }
      gpu::publish_barriers();
      gpu::order_before_bulk_copies();
    }
    if (threadIdx.x == 0)
      block.shared.tags = task.words.take(static_cast<std::uint32_t>(task.waves.tiles(0)));
    __syncthreads();
    if (warp < Warps::scan) return TableScanner<Tile>(block, warp).run();
    warp -= Warps::scan;
    if (warp < Warps::reduce) return TableReducer<Tile>(block, warp).run();
    warp -= Warps::reduce;
    if (warp < Tile::loaders) return TableLoader<Tile>(block, warp).run();
    warp -= Tile::loaders;
    const int first = warp / Warps::gather;
    warp %= Warps::gather;
    const RemoteSums<Tile> remote(block, first);
    if (warp == 0) return remote.run_totals();
    const int thread = (warp - 1) * Tile::lanes + gpu::lane();
    if (warp <= Warps::columns) return remote.run_columns(thread);
    remote.run_rows(thread - Tile::lanes * Warps::columns);
  }
};

/// @brief Tables of images of any alignment.
template <class Tile>
void launch_tiles(const gpu::Device& exec, const ProblemOf<Tile>& p, const TableWaves& waves,
                  gpu::BlockEpochs words, bool image_aligned, bool table_aligned) {
  const TableTask<Tile> task{p,
                             waves,
                             words,
                             reinterpret_cast<const char*>(p.end_of_images()),
                             image_aligned,
                             table_aligned};
  gpu::launch_blocks<TableKernel<Tile>>({exec, "WaveScan::summed_area_table", true}, waves.blocks(),
                                        TableKernel<Tile>::block_threads, TableMemory<Tile>::bytes,
                                        task);
}
/// @brief The tagged words that tiles need.
template <class Tile>
std::size_t words_of_tiles(int blocks) {
  return static_cast<std::size_t>(SumRecord<Tile>::places * blocks) * SumRecord<Tile>::words;
}

}  // namespace wavescan::Impl::sat

#endif
