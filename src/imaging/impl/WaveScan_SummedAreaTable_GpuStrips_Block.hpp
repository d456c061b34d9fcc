// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_BLOCK_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_BLOCK_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Tiles.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Exchange.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Shared.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Tile.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Exchange.hpp>
#include <impl/WaveScan_SummedAreaTable_Gpu_Rows.hpp>

#include <algorithm>
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
  constexpr bool wide = Tile::in_place && Tile::wide;
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
  StripsShared<Tile> shared;
  SumRing epochs;
  StripsRing<Tile> ring;
  gpu::TaggedWord* row_carries;  ///< sums of rows over the panels before, if there are panels
};

/// @brief A tile's first row and column.
struct StripsPlace {
  int row;
  int column;
};

/// @brief Goes through a block's tiles, and knows where in the panels it is: to divide for each
/// tile would take a warp as long as all else that it does for it.
class StripsWalk {
 public:
  __device__ StripsWalk(const StripsPlan& plan, int first)
      : steps_(plan.steps),
        tile_(first),
        panel_(first / plan.steps),
        step_(first - panel_ * plan.steps) {}

  __device__ int tile() const { return tile_; }
  __device__ int panel() const { return panel_; }
  __device__ int step() const { return step_; }  ///< of the panel
  /// @brief Whether the block's tile before is of the same panel.
  __device__ bool goes_on() const { return step_ > 0; }
  __device__ void advance(int tiles) {
    tile_ += tiles;
    step_ += tiles;
    while (step_ >= steps_) {
      step_ -= steps_;
      ++panel_;
    }
  }

 private:
  int steps_;
  int tile_;
  int panel_;
  int step_;
};

/// @brief A block: its strip and group, and its shared memory.
template <class Tile>
struct StripsBlock {
  using Shared = StripsShared<Tile>;
  using Barriers = typename Shared::Barriers;
  using V = typename Tile::V;

  const StripsTask<Tile>& task;
  char* memory;
  Barriers& barriers;
  int strip;
  int group;
  gpu::KeptAccess access;

  __device__ StripsBlock(const StripsTask<Tile>& given, char* shared)
      : task(given),
        memory(shared),
        barriers(*reinterpret_cast<Barriers*>(shared + given.shared.barriers)),
        strip(static_cast<int>(blockIdx.x) % given.plan.strips),
        group(static_cast<int>(blockIdx.x) / given.plan.strips) {}

  __device__ int tiles() const { return task.plan.tiles(); }
  __device__ std::uint32_t tag(int t) const {
    return barriers.first_tag + static_cast<std::uint32_t>(t);
  }
  __device__ StripsPlace place(const StripsWalk& at) const {
    const StripsPlan& plan = task.plan;
    return {(at.step() * plan.groups + group) * Tile::rows,
            (at.panel() * plan.strips + strip) * plan.width};
  }
  /// @brief The tile at a place of the ring of stages.
  __device__ char* stage(int at) const { return memory + at * task.shared.stage_bytes(); }
  /// @brief A tile of the table that does not take the place of the image's.
  __device__ char* out(int at) const {
    return memory + task.shared.first_out + at * task.shared.out_bytes();
  }
  __device__ StripsSlot<Tile> slot(int at) const {
    return {reinterpret_cast<V*>(memory + task.shared.first_slot + at * task.shared.slot_bytes()),
            task.plan.width};
  }
  __device__ StripsSlot<Tile> slot_of(int t) const { return slot(task.shared.slots.place(t)); }

  /// @brief A warp waits for a tile at a barrier of its slot.
  ///
  /// Lanes can leave a barrier one after the other. They are brought together again, because all
  /// shuffles of a warp whose lanes are apart take several times as long.
  __device__ void wait(gpu::Barrier* of_slots, int t) const {
    gpu::wait_in_turn(of_slots, t, task.shared.slots);
    gpu::sync_warp();
  }
  /// @brief A warp arrives there.
  __device__ void arrive(gpu::Barrier* of_slots, int t) const {
    gpu::arrive_as_warp(of_slots[task.shared.slots.place(t)]);
  }
  /// @brief Waits until a tile is reduced, and up to `lag` after it: to ask for its neighbours'
  /// sums any earlier would be in vain, and keep L2 busy.
  __device__ void wait_reduced(int t, int lag) const {
    wait(barriers.reduced, min(t + lag, tiles() - 1));
  }
};

/// @brief The lane's part of the rows of one of the warps that share a tile.
template <class Tile>
class StripsRows {
 public:
  int section;
  int first;  ///< row of the section

  __device__ StripsRows(const StripsPlan& plan, int warp)
      : section((warp * 32 + gpu::lane()) / Tile::lanes),
        first(section * Tile::section_rows),
        width_(plan.width) {}

  /// @brief The lane's place in its row.
  __device__ static int lane() { return gpu::lane() % Tile::lanes; }
  /// @brief Whether there are columns for the lane's chunk.
  __device__ bool has(int chunk) const { return begin(chunk) < width_; }
  /// @brief The first column of the lane's chunk, or one to read in vain if it has none.
  __device__ int column(int chunk) const { return has(chunk) ? begin(chunk) : 0; }
  /// @brief Elements from a tile's begin.
  __device__ int place(int row, int chunk) const { return (first + row) * width_ + column(chunk); }
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

 private:
  __device__ static int begin(int chunk) { return (chunk * 32 + lane()) * Tile::chunk; }

  int width_;
};

}  // namespace wavescan::Impl

#endif
