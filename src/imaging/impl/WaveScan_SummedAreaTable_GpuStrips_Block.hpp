// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_BLOCK_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_BLOCK_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Tiles.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Exchange.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Tile.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Exchange.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief What the warps of a block share that computes the table of a large image.

namespace wavescan::Impl {

/// @brief The warps of a block beside those that reduce and scan tiles.
struct StripsWarps {
  /// With more, those that scan tiles would have too few registers to do so in time.
  template <class Tile>
  static constexpr int most = Tile::in_place && sizeof(typename Tile::V) == 4 ? 8 : 6;

  int scanners;   ///< sum up rows over all strips
  int followers;  ///< fetch the sums to the left of the block's own strip
  int gatherers;  ///< fetch the sums of columns of other groups, if there are any
  int lag;        ///< tiles that go by before sums are asked for

  KOKKOS_FUNCTION int all() const { return scanners + followers + gatherers; }
};

/// @brief The warps that suit a plan best.
/// @param blocks that could run
template <class Tile>
StripsWarps strips_warps(const StripsPlan& plan, int blocks) {
  constexpr bool words = sizeof(typename Tile::V) == 4;
  constexpr bool wide = Tile::in_place && Tile::chunks == 2;
  // Where a block has a row of every other tile, one must not keep the next one waiting.
  const int scanners = (wide && !words) || plan.strips >= 3 * Tile::rows ? 1 : 2;
  const int gatherers = plan.groups == 1 ? 0 : wide ? 3 : 2;
  // To ask late saves questions, which only counts where memory is the limit, and costs time at the
  // end, which only counts where that is near.
  const bool at_the_limit = plan.tiles() >= 64 && 20 * plan.blocks() >= 19 * blocks;
  return {scanners, 2, gatherers, words && at_the_limit ? 2 : 1};
}

/// @brief The last columns of a table, which are too few for a word of 16 bytes: whoever stores
/// tiles would store whole words.
template <class T>
struct StripsTail {
  Grid<T> table;
  Index begin;
};

/// @brief What the kernel is told.
template <class Tile>
struct StripsTask {
  CUtensorMap image;
  CUtensorMap table;  ///< without its tail
  StripsTail<typename Tile::T> tail;
  StripsPlan plan;
  StripsWarps warps;
  SumRing epochs;
  StripsRing<Tile> ring;
  gpu::TaggedWord* row_carries;  ///< sums of rows over the panels before, if there are panels
};

template <class Tile>
struct StripsShared {
  using V = typename Tile::V;
  static constexpr int most_stages = 24;

  struct Slots {
    gpu::Barrier arrived[most_stages];
    gpu::Barrier scanned[most_stages];
    gpu::Barrier out_free[std::max(Tile::out_stages, 1)];
    gpu::Barrier reduced[Tile::slots];
    gpu::Barrier stacked[Tile::slots];
    gpu::Barrier gathered[Tile::slots];
    gpu::Barrier followed[Tile::slots];
    /// By the warps that reduce: over their rows. Then: over all rows above theirs.
    alignas(16) V columns[Tile::slots][Tile::warps][Tile::columns];
    /// Of the tiles between the block's last one and this.
    alignas(16) V others[Tile::slots][Tile::columns];
    /// Over all to the left of the tile, down to each row.
    V left[Tile::slots][Tile::rows];
    V left_of_others[Tile::slots];
    std::uint32_t first_tag;
  };
  static constexpr std::size_t limit = 227 * 1024 - 128;
  static constexpr std::size_t out_bytes = std::size_t(Tile::out_stages) * Tile::table_bytes;
  static constexpr int stages = static_cast<int>(
      std::min<std::size_t>(most_stages, (limit - out_bytes - sizeof(Slots)) / Tile::pixel_bytes));
  static constexpr std::size_t stages_bytes = std::size_t(stages) * Tile::pixel_bytes;
  static constexpr std::size_t bytes = stages_bytes + out_bytes + sizeof(Slots) + 128;
  static_assert(stages >= Tile::slots);
};

/// @brief A tile's first row and column.
struct StripsPlace {
  int row;
  int column;
};

/// @brief A block: its strip and group, and its shared memory.
template <class Tile>
struct StripsBlock {
  using Shared = StripsShared<Tile>;
  using Slots = typename Shared::Slots;
  using V = typename Tile::V;

  const StripsTask<Tile>& task;
  char* stages;
  Slots& shared;
  int strip;
  int group;
  gpu::KeptAccess access;

  __device__ StripsBlock(const StripsTask<Tile>& given, char* memory)
      : task(given),
        stages(memory),
        shared(*reinterpret_cast<Slots*>(memory + Shared::stages_bytes + Shared::out_bytes)),
        strip(static_cast<int>(blockIdx.x) % given.plan.strips),
        group(static_cast<int>(blockIdx.x) / given.plan.strips) {}

  __device__ int tiles() const { return task.plan.tiles(); }
  __device__ std::uint32_t tag(int t) const {
    return shared.first_tag + static_cast<std::uint32_t>(t);
  }
  __device__ StripsPlace place(int t) const {
    const StripsPlan& plan = task.plan;
    const int panel = t / plan.steps, step = t - panel * plan.steps;
    return {(step * plan.groups + group) * Tile::rows,
            (panel * plan.strips + strip) * Tile::columns};
  }
  __device__ char* stage(int t) const { return stages + t % Shared::stages * Tile::pixel_bytes; }
  /// @brief Where a tile of the table is put together.
  __device__ char* out_stage(int t) const {
    if constexpr (Tile::in_place)
      return stage(t);
    else
      return stages + Shared::stages_bytes + t % Tile::out_stages * Tile::table_bytes;
  }
  __device__ static int slot(int t) { return t % Tile::slots; }
  /// @brief A warp waits for a tile at a barrier of its stage or slot.
  ///
  /// Lanes can leave a barrier one after the other. They are brought together again, because all
  /// shuffles of a warp whose lanes are apart take several times as long.
  template <int Count>
  __device__ static void wait(gpu::Barrier (&barriers)[Count], int t) {
    wait_among(barriers, t, Count);
    gpu::sync_warp();
  }
  /// @brief Waits until a tile is reduced, and up to `lag` after it: to ask for its neighbours'
  /// sums any earlier would be in vain, and keep L2 busy.
  __device__ void wait_reduced(int t, int lag) const {
    wait(shared.reduced, min(t + lag, tiles() - 1));
  }
  // These are for single threads, too.
  __device__ void wait_arrived(int t) const { wait_among(shared.arrived, t, Shared::stages); }
  __device__ void wait_scanned(int t) const { wait_among(shared.scanned, t, Shared::stages); }
  /// @brief The warp arrives, whose lanes have all done their part.
  __device__ static void arrive(gpu::Barrier& barrier) {
    gpu::sync_warp();
    if (gpu::lane() == 0) barrier.arrive();
  }

 private:
  __device__ static void wait_among(gpu::Barrier* barriers, int t, int count) {
    barriers[t % count].wait((t / count) & 1);
  }
};

/// @brief The rows of one of the warps that share a tile.
template <class Tile>
struct StripsRows {
  int first;

  __device__ explicit StripsRows(int warp) : first(warp * Tile::warp_rows) {}
  __device__ static int column(int chunk) { return (chunk * 32 + gpu::lane()) * Tile::chunk; }
  /// @brief Elements from a tile's begin.
  __device__ int place(int row, int chunk) const {
    return (first + row) * Tile::columns + column(chunk);
  }
  /// @brief The lane's pixels in one of the rows, as numbers of the table.
  __device__ void load(typename Tile::V (&to)[Tile::chunk], const char* stage, int row,
                       int chunk) const {
    typename Tile::Pixel pixels[Tile::chunk];
    load_values(pixels, reinterpret_cast<const typename Tile::Pixel*>(stage) + place(row, chunk));
#pragma unroll
    for (int e = 0; e < Tile::chunk; ++e) {
      to[e] = static_cast<typename Tile::V>(static_cast<typename Tile::T>(pixels[e]));
      if constexpr (Tile::squared) to[e] *= to[e];
    }
  }
};

}  // namespace wavescan::Impl

#endif
