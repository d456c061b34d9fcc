// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_BLOCK_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPU_BLOCK_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Exchange.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Rows.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Tile.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief What the warps of a block share that computes summed-area tables.

namespace wavescan::Impl {

/// @brief What the kernel is told.
template <class Tile>
struct TableTask {
  typename Tile::Problem problem;
  TableWaves waves;
  SumRing ring;
  const char* image_end;  ///< of the last image, in bytes
  bool image_aligned;     ///< rows begin at 16-byte boundaries
  bool tables_aligned;
};

/// @brief A tile in shared memory: how much of it is in the image, and where it belongs.
struct TileInfo {
  Index table;    ///< elements from the first table's first
  Index squares;  ///< the same in the squares
  int rows;
  int columns;
  int shift;          ///< bytes between a 16-byte boundary and the tile's first pixel
  bool plain_pixels;  ///< its rows are all there and aligned, and followed by zeros
  bool plain_tables;  ///< and they are aligned in the tables
  bool first;         ///< of the image
};

/// @brief The sums of a few tiles, which go through `slots` in turn.
template <class V, class Tile>
struct PlaneShared {
  static constexpr int slots = Tile::slots;
  /// Pairs of column sums, and blocks of 32 of them.
  static constexpr int pairs = Tile::columns / SumPair<V>::count;
  static constexpr int pair_blocks = pairs / 32;
  static constexpr int row_warps = Tile::columns == 64 ? 1 : 2;

  // By the warps that reduce: over the tile's groups and segments.
  alignas(16) V column_sums[slots][Tile::groups][Tile::columns];
  alignas(16) V row_sums[slots][Tile::segments][Tile::rows];
  // By those that gather: over all that lies above the tile, ...
  alignas(16) V above[slots][Tile::columns];
  alignas(16) V next_above[slots][Tile::columns];  ///< and above the block's next tile
  V block_above[slots][pair_blocks];               ///< sums of `above` over 32 pairs
  // ... over the tiles of the wave to the left and right, ...
  V rows_left[slots][row_warps][Tile::rows];
  V rows_right[slots][row_warps][Tile::rows];
  // ... and over all to the left of the segments down to each row.
  alignas(16) V left[slots][Tile::segments][Tile::rows];
  V next_corner[slots];            ///< above the block's next tile and to the left
  V next_rows[slots][Tile::rows];  ///< in its rows to the left, if waves go rightwards
};

template <class Tile>
struct TableShared {
  using V = typename TableSum<typename Tile::T>::type;
  struct NoPlane {};
  static constexpr bool two = Tile::planes == 2;
  template <class S>
  using PlaneOf = PlaneShared<typename TableSum<S>::type, Tile>;
  using First = PlaneShared<V, Tile>;
  using Second = typename std::conditional_t<two, std::type_identity<PlaneOf<typename Tile::S>>,
                                             std::type_identity<NoPlane>>::type;

  static constexpr int most_stages = 12;
  struct Slots {
    gpu::Barrier arrived[most_stages];
    gpu::Barrier scanned[most_stages];
    TileInfo info[most_stages];
    gpu::Barrier reduced[Tile::slots];
    gpu::Barrier columns_ready[Tile::slots];
    gpu::Barrier rows_ready[Tile::slots];
    gpu::Barrier ready[Tile::slots];
    alignas(16) First first;
    alignas(16) Second second;
    std::uint32_t first_tag;
  };
  static constexpr std::size_t limit = 227 * 1024 - 128;
  static constexpr int stages = static_cast<int>(
      std::min<std::size_t>(most_stages, (limit - sizeof(Slots)) / Tile::stage_bytes));
  static_assert(stages > Tile::slots && SumRing::waves >= 2 * Tile::slots);
  static constexpr std::size_t stages_bytes = std::size_t(Tile::stage_bytes) * stages;
  static constexpr std::size_t bytes = stages_bytes + sizeof(Slots) + 128;
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
  using Shared = TableShared<Tile>;
  using Slots = typename Shared::Slots;

  const TableTask<Tile>& task;
  char* stages;
  Slots& shared;
  int team;
  int x;
  int y;
  int tiles;

  __device__ TableBlock(const TableTask<Tile>& given, char* memory)
      : task(given),
        stages(memory),
        shared(*reinterpret_cast<Slots*>(memory + Shared::stages_bytes)) {
    const int block = static_cast<int>(blockIdx.x);
    const int size = task.waves.team_blocks();
    team = block / size;
    y = block % size / task.waves.across;
    x = block % size % task.waves.across;
    tiles = task.waves.tiles(team);
  }

  /// @brief Whether all of the block's tiles have the same columns, fewer than there is room for.
  /// What follows them is zero from the beginning, and nothing is ever loaded there.
  __device__ bool padded() const {
    return !task.waves.rightwards &&
           (task.waves.strip < Tile::columns ||
            task.waves.columns - Index(x) * task.waves.strip < Tile::columns);
  }
  __device__ void pad() const {
    for (int i = static_cast<int>(threadIdx.x) * 16; i < Tile::stage_bytes * Shared::stages;
         i += static_cast<int>(blockDim.x) * 16)
      *reinterpret_cast<uint4*>(stages + i) = uint4{0, 0, 0, 0};
    gpu::order_before_bulk_copies();
    __syncthreads();
  }

  __device__ std::uint32_t tag(int t) const {
    return shared.first_tag + static_cast<std::uint32_t>(t);
  }
  __device__ char* stage(int t) const { return stages + t % Shared::stages * Tile::stage_bytes; }
  __device__ const TileInfo& info(int t) const { return shared.info[t % Shared::stages]; }
  __device__ void wait_arrived(int t) const {
    shared.arrived[t % Shared::stages].wait((t / Shared::stages) & 1);
  }
  __device__ void wait_scanned(int t) const {
    shared.scanned[t % Shared::stages].wait((t / Shared::stages) & 1);
  }
  /// @brief Waits for a tile at the barrier of its slot.
  __device__ static void wait(gpu::Barrier (&barriers)[Tile::slots], int t) {
    barriers[t % Tile::slots].wait((t / Tile::slots) & 1);
  }

  /// @brief Words of a block's sums, of all planes.
  KOKKOS_FUNCTION static constexpr int record_words() {
    int words = SumRecord<typename Shared::V, Tile>::words;
    if constexpr (Shared::two)
      words += SumRecord<typename TableSum<typename Tile::S>::type, Tile>::words;
    return words;
  }
  /// @brief The sums over a tile of the team's first block; the others' follow.
  __device__ gpu::TaggedWord* team_records(int t, int offset) const {
    return task.ring.record(t, team * task.waves.team_blocks(), record_words()) + offset;
  }

  /// @brief Calls f(sums in shared memory, offset in a record) for the pixels and for the squares.
  template <class F>
  __device__ void for_planes(const F& f) const {
    f(shared.first, 0);
    if constexpr (Shared::two) f(shared.second, SumRecord<typename Shared::V, Tile>::words);
  }

  /// @brief What a plane sums up of a pixel.
  template <bool Square, class V>
  static __device__ V term(Pixel pixel) {
    if constexpr (Square) {
      const V v = static_cast<V>(static_cast<typename Tile::S>(pixel));
      return v * v;
    } else {
      return static_cast<V>(static_cast<typename Tile::T>(pixel));
    }
  }

  /// @brief Reads lane's pixels of four rows; zeros outside of the image.
  template <bool Plain>
  __device__ void read_quad(int t, const TilePart<Tile>& part, int quad,
                            Pixel (&pixels)[4][Tile::chunk]) const {
    const int row = part.row(quad);
    const char* const from = stage(t) + row * Tile::row_bytes +
                             part.segment * Tile::segment * static_cast<int>(sizeof(Pixel));
    if constexpr (Plain) {
#pragma unroll
      for (int i = 0; i < 4; ++i) read_chunk<true>(from + i * Tile::row_bytes, 0, pixels[i]);
    } else {
      const TileInfo& tile = info(t);
      const int pitch = static_cast<int>(task.problem.image.row_stride * Index(sizeof(Pixel)) & 15);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        read_chunk<false>(from + i * Tile::row_bytes, (tile.shift + (row + i) * pitch) & 15,
                          pixels[i]);
#pragma unroll
        for (int e = 0; e < Tile::chunk; ++e)
          if (row + i >= tile.rows || part.column() + e >= tile.columns) pixels[i][e] = Pixel(0);
      }
    }
  }
};

}  // namespace wavescan::Impl

#endif
