// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_GPU_TILES_BLOCK_HPP
#define WAVESCAN_IMPL_SAT_GPU_TILES_BLOCK_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_LaunchTags.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_RowParts.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/sat/gpu/WaveScan_Sums.hpp>
#include <impl/sat/gpu/WaveScan_Tiles_Decomposition.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief The state of a block that goes through tiles of any alignment, which its warps share.

namespace wavescan::Impl::sat {

/// @brief The kernel's arguments.
template <class Tile>
struct TableTask {
  ProblemOf<Tile> problem;
  TableWaves waves;
  gpu::BlockEpochs words;
  const char* image_end;  ///< of the last image, in bytes
  bool image_aligned;     ///< rows begin at 16-byte boundaries
  bool table_aligned;
};

/// @brief A tile in shared memory: how much of it is in the image, and where it belongs.
struct TileInfo {
  Index table;  ///< elements from the first table's first
  int rows;
  int columns;
  int shift;          ///< bytes between a 16-byte boundary and the tile's first pixel
  bool plain_pixels;  ///< its rows are all there and aligned, and followed by zeros
  bool plain_table;   ///< and they are aligned in the table
  bool first;         ///< of the image
};

/// @brief The shared memory of a block after the stages: the sums of a few tiles, which go
/// through `slots` in turn, and barriers.
template <class Tile>
struct TableShared {
  using V = typename Tile::V;
  static constexpr int slots = Tile::slots;
  static constexpr int max_stages = 12;
  /// Pairs of column sums, and groups of as many as a warp has lanes.
  static constexpr int pairs = Tile::columns / SumPair<V>::count;
  static constexpr int pair_groups = std::max(pairs / Tile::lanes, 1);
  static constexpr int row_warps = std::max(Tile::columns / 2 / Tile::lanes, 1);

  gpu::Barrier arrived[max_stages];
  gpu::Barrier scanned[max_stages];
  TileInfo info[max_stages];
  gpu::Barrier reduced[slots];
  gpu::Barrier columns_ready[slots];
  gpu::Barrier rows_ready[slots];
  gpu::Barrier ready[slots];
  // By the warps that reduce: over the tile's groups and segments.
  alignas(16) V column_sums[slots][Tile::groups][Tile::columns];
  alignas(16) V row_sums[slots][Tile::segments][Tile::rows];
  // By those that gather: over all that lies above the tile, ...
  alignas(16) V above[slots][Tile::columns];
  alignas(16) V next_above[slots][Tile::columns];  ///< and above the block's next tile
  V group_above[slots][pair_groups];               ///< sums of `above` over a group
  // ... over the tiles of the wave to the left, ...
  V rows_left[slots][row_warps][Tile::rows];
  // ... and over all to the left of the segments down to each row.
  alignas(16) V left[slots][Tile::segments][Tile::rows];
  V next_corner[slots];  ///< above the block's next tile and to the left
  gpu::LaunchTags tags;
};

/// @brief The number of stages that there is room for, and the bytes of all.
template <class Tile>
struct TableMemory {
  static constexpr int limit = gpu::block_memory - 128;
  static constexpr int stages =
      std::min(TableShared<Tile>::max_stages,
               (limit - static_cast<int>(sizeof(TableShared<Tile>))) / Tile::stage_bytes);
  static constexpr bool fits = Tile::is_wide_enough && stages > Tile::slots;
  static constexpr std::size_t stages_bytes = std::size_t(Tile::stage_bytes) * stages;
  static constexpr std::size_t bytes = stages_bytes + sizeof(TableShared<Tile>);
};

/// @brief A warp's part of a tile.
template <class Tile>
struct TilePart {
  int segment;
  int group;

  __device__ explicit TilePart(int warp)
      : segment(warp % Tile::segments), group(warp / Tile::segments % Tile::groups) {}
  __device__ int row(int quad) const { return group * Tile::group_rows + quad * 4; }
  __device__ int column() const { return segment * Tile::segment + gpu::lane() * Tile::chunk; }
};

/// @brief A block: where it is in its team, and its shared memory.
template <class Tile>
struct TableBlock {
  using Pixel = typename Tile::Pixel;
  using Record = SumRecord<Tile>;
  static constexpr int stages = TableMemory<Tile>::stages;
  static_assert(gpu::Tagged<typename Tile::V>::words == Record::value_words);

  const TableTask<Tile>& task;
  char* memory;
  TableShared<Tile>& shared;
  int team;
  int x;
  int y;
  int tiles;

  __device__ TableBlock(const TableTask<Tile>& given, char* at)
      : task(given),
        memory(at),
        shared(*reinterpret_cast<TableShared<Tile>*>(at + TableMemory<Tile>::stages_bytes)) {
    const int block = static_cast<int>(blockIdx.x);
    const int size = task.waves.team_blocks();
    team = block / size;
    y = block % size / task.waves.across;
    x = block % size % task.waves.across;
    tiles = task.waves.tiles(team);
  }

  /// @brief Whether the block's tiles have fewer columns than there is room for. What follows them
  /// is zero from the beginning, and nothing is ever loaded there.
  __device__ bool padded() const {
    return task.waves.used_columns < Tile::columns ||
           task.waves.columns - Index(x) * task.waves.used_columns < Tile::columns;
  }
  __device__ void pad() const {
    for (int i = static_cast<int>(threadIdx.x) * 16; i < Tile::stage_bytes * stages;
         i += static_cast<int>(blockDim.x) * 16)
      *reinterpret_cast<uint4*>(memory + i) = uint4{0, 0, 0, 0};
    gpu::order_before_bulk_copies();
    __syncthreads();
  }

  __device__ std::uint32_t tag(int t) const {
    return shared.tags.of(static_cast<std::uint32_t>(t));
  }
  __device__ char* stage(int t) const { return memory + t % stages * Tile::stage_bytes; }
  __device__ const TileInfo& info(int t) const { return shared.info[t % stages]; }
  __device__ void wait_arrived(int t) const { shared.arrived[t % stages].wait((t / stages) & 1); }
  __device__ void wait_scanned(int t) const { shared.scanned[t % stages].wait((t / stages) & 1); }

  /// @brief The sums over a tile of the team's first block; the others' follow.
  __device__ gpu::TaggedWord* team_records(int t) const {
    const int place = t % Record::places * task.words.blocks + team * task.waves.team_blocks();
    return task.words.messages() + static_cast<std::size_t>(place) * Record::words;
  }

  /// @brief Reads what is to be summed up of the lane's pixels in four rows; zeros outside of the
  /// image.
  template <bool Plain>
  __device__ void read_quad(int t, const TilePart<Tile>& part, int quad,
                            Sums<typename Tile::V, Tile::chunk> (&rows)[4]) const {
    const int row = part.row(quad);
    const char* const from = stage(t) + row * Tile::row_bytes +
                             part.segment * Tile::segment * static_cast<int>(sizeof(Pixel));
    Pixel pixels[4][Tile::chunk];
    if constexpr (Plain) {
#pragma unroll
      for (int i = 0; i < 4; ++i) gpu::read_chunk<true>(from + i * Tile::row_bytes, 0, pixels[i]);
    } else {
      const TileInfo& tile = info(t);
      const int pitch = static_cast<int>(task.problem.image.row_stride * Index(sizeof(Pixel)) & 15);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        gpu::read_chunk<false>(from + i * Tile::row_bytes, (tile.shift + (row + i) * pitch) & 15,
                               pixels[i]);
#pragma unroll
        for (int e = 0; e < Tile::chunk; ++e)
          if (row + i >= tile.rows || part.column() + e >= tile.columns) pixels[i][e] = Pixel(0);
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) rows[i] = terms<Tile>(pixels[i]);
  }
};

}  // namespace wavescan::Impl::sat

#endif
