// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_PAD_GPU_KERNEL_HPP
#define WAVESCAN_IMPL_PAD_GPU_KERNEL_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Decomposition.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/gpu/WaveScan_Unit.hpp>
#include <impl/pad/WaveScan_Problem.hpp>
#include <impl/pad/gpu/WaveScan_RowTiles.hpp>

#include <climits>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Rows move to another pitch on a GPU with bulk copies: one persistent block a
/// multiprocessor.
///
/// A block moves its tiles through a ring of stages in shared memory: one warp loads, the others
/// store. Everything is read once and written once.
///
/// Within one piece of memory, all units move to lower addresses, or all to higher ones, and tiles
/// are taken in this direction. What a tile overwrites then belongs to it or to tiles before, and
/// it is stored when all these have been loaded: a warp publishes what has been, and one waits
/// until the other blocks have, as for sums of counts in a selection. All blocks must be resident
/// (cooperative launch) then.

namespace wavescan::Impl::pad {

/// @brief A move as the kernel gets it.
template <int UnitBytes>
struct TiledMove {
  RowTiles rows;
  Direction direction;
  gpu::TileStream<const char> in;  ///< all rows with what lies between them
  Unit<UnitBytes>* out;
  gpu::TotalsMailbox loaded;  ///< not used if the arrays lie apart
};

/// @brief Sizes of the kernel.
struct MoveTuning {
  static constexpr int moving_warps = 16;
  static constexpr int threads = (moving_warps + 3) * 32;
  static constexpr int stages = 6;
  static constexpr int stage_bytes = 36864;
  static constexpr int slow_start = 3;
};

/// @brief What the warps of a block share.
struct MoveShared {
  static constexpr int stages = MoveTuning::stages;
  gpu::Barrier filled[stages];  ///< the tile has been loaded,
  gpu::Barrier ready[stages];   ///< so have been those before it,
  gpu::Barrier stored[stages];  ///< and it has been stored
  /// Where a tile lies: what is loaded with it, and
  struct Place {
    int skew;    ///< bytes of the stage before it
    int units;   ///< of the tile
    int column;  ///< in which it begins; not used if rows are longer than tiles
    int to_end;  ///< units of its first row
    Index out;   ///< place of its first unit
  } place[stages];
  gpu::LaunchTags tags;
};

template <int UnitBytes>
class TiledPad {
  using Element = Unit<UnitBytes>;
  using Exchange = gpu::PrefixExchange<gpu::CountTraits, 5>;
  static constexpr int stages = MoveTuning::stages;

 public:
  static constexpr Index max_blocks = Exchange::max_blocks;
  static constexpr std::size_t shared_bytes =
      std::size_t(stages) * MoveTuning::stage_bytes + sizeof(MoveShared) + 128;

  __device__ TiledPad(const TiledMove<UnitBytes>& move, char* memory)
      : move_(move),
        memory_(memory),
        shared_(*reinterpret_cast<MoveShared*>(memory + stages * MoveTuning::stage_bytes)),
        tiles_{(move.rows.units() + move.rows.tile - 1) / move.rows.tile,
               static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)},
        count_(tiles_.count()) {}

  __device__ void run() {
    constexpr int loader = MoveTuning::moving_warps, publisher = loader + 1;
    const int warp = gpu::warp();
    const bool waits = move_.direction != Direction::Apart;
    if (threadIdx.x == loader * gpu::warp_size) {
      for (int s = 0; s < stages; ++s) {
        shared_.filled[s].init(gpu::arrivals_of_warp);
        shared_.ready[s].init(gpu::arrivals_of_warp);
        shared_.stored[s].init(MoveTuning::moving_warps * gpu::arrivals_of_warp);
      }
      gpu::publish_barriers();
      gpu::order_before_bulk_copies();
    }
    if (threadIdx.x == 0 && waits) shared_.tags = move_.loaded.epoch().tags();
    __syncthreads();
    if (warp < loader)
      store_tiles(waits ? shared_.ready : shared_.filled);
    else if (warp == loader)
      load_tiles();
    else if (waits && warp == publisher)
      publish_loaded();
    else if (waits)
      await_others();
  }

 private:
  __device__ char* stage(int place) const { return memory_ + place * MoveTuning::stage_bytes; }

  // ---- the warp that loads

  __device__ void load_tiles() {
    const std::uint64_t policy = gpu::stream_policy();
    gpu::load_through<stages, MoveTuning::slow_start>(
        shared_.filled, shared_.stored, count_, [&](int k, int place) {
          const std::uint32_t bytes = load(k, place, policy);
          gpu::sync_warp();
          if (gpu::lane() == 0) shared_.filled[place].arrive_expecting(bytes);
        });
  }
  /// @brief Starts the loads of a tile, and returns their bytes to lane 0.
  __device__ std::uint32_t load(int k, int place, std::uint64_t policy) {
    const RowTiles& rows = move_.rows;
    const Index tile =
        move_.direction == Direction::Up ? tiles_.tiles - 1 - tiles_.of(k) : tiles_.of(k);
    const Index first = tile * rows.tile, rest = rows.units() - first;
    const int units = static_cast<int>(rest < rows.tile ? rest : rows.tile);
    const Index row = first / rows.columns, column = first - row * rows.columns;
    const Index to_end = rows.columns - column;
    const Index begin = move_.in.begin + (row * rows.in_pitch + column) * UnitBytes;
    const int skew = static_cast<int>(begin % 16);
    if (gpu::lane() == 0)
      shared_.place[place] = {skew, units, static_cast<int>(column < rows.tile ? column : 0),
                              static_cast<int>(to_end < INT_MAX ? to_end : INT_MAX),
                              row * rows.out_pitch + column};
    const Index last = first + units - 1, last_row = last / rows.columns;
    const auto load_units = [&](Index from_row, Index from_column, Index end_row, Index end_column,
                                Index offset) {
      const Index from = move_.in.begin + (from_row * rows.in_pitch + from_column) * UnitBytes;
      const Index to = move_.in.begin + (end_row * rows.in_pitch + end_column) * UnitBytes;
      const Index from_word = from / 16 * 16;
      return gpu::load_window(move_.in, from_word,
                              static_cast<int>((to + 15) / 16 * 16 - from_word),
                              stage(place) + offset * UnitBytes + skew - (from - from_word),
                              shared_.filled[place], policy);
    };
    const Index end_column = last - last_row * rows.columns + 1;
    if (!rows.is_loaded_by_rows())
      return gpu::lane() == 0 ? load_units(row, column, last_row, end_column, 0) : 0;
    std::uint32_t bytes = 0;
    for (Index r = row + gpu::lane(); r <= last_row; r += gpu::warp_size)
      bytes += load_units(r, r == row ? column : 0, r, r == last_row ? end_column : rows.columns,
                          r == row ? 0 : (r - row) * rows.stage_pitch - column);
    return gpu::warp_reduce_to_first(bytes, gpu::Add());
  }

  // ---- the warps that store

  __device__ void store_tiles(gpu::Barrier (&ready)[stages]) {
    constexpr int batch = UnitBytes < 8 ? 8 : 4;
    constexpr int step = MoveTuning::moving_warps * gpu::warp_size;
    const RowTiles& rows = move_.rows;
    const int stage_gap = static_cast<int>(rows.stage_pitch - rows.columns);
    const Index out_gap = rows.out_pitch - rows.columns;
    gpu::RingCursor at;
    for (int k = 0; k < count_; ++k, at.advance(stages)) {
      shared_.filled[at.place].wait(at.parity);
      ready[at.place].wait(at.parity);
      const MoveShared::Place place = shared_.place[at.place];
      const auto* const from = reinterpret_cast<const Element*>(stage(at.place) + place.skew);
      Element* const to = move_.out + place.out;
      for (int j = static_cast<int>(threadIdx.x); j < place.units; j += batch * step) {
        Element element[batch];
        int row[batch];
#pragma unroll
        for (int b = 0; b < batch; ++b) {
          const int i = j + b * step;
          row[b] = rows.rows_on(place.column, place.to_end, i);
          if (i < place.units) element[b] = from[i + row[b] * stage_gap];
        }
#pragma unroll
        for (int b = 0; b < batch; ++b) {
          const int i = j + b * step;
          if (i < place.units) to[i + row[b] * out_gap] = element[b];
        }
      }
      gpu::order_before_bulk_copies();
      gpu::arrive_as_warp(shared_.stored[at.place]);
    }
  }

  // ---- the warps that tell other blocks, and wait for them

  __device__ void publish_loaded() {
    const gpu::LaunchTags tags = shared_.tags;
    gpu::RingCursor at;
    for (int k = 0; k < count_; ++k, at.advance(stages)) {
      shared_.filled[at.place].wait(at.parity);
      if (gpu::lane() == 0)
        Exchange::publish(move_.loaded, static_cast<std::uint32_t>(k), tiles_.block, tiles_.blocks,
                          0, tags);
    }
  }
  __device__ void await_others() {
    const gpu::CountTraits traits;
    const gpu::LaunchTags tags = shared_.tags;
    const Exchange exchange(traits, move_.loaded, tiles_.block, tiles_.blocks,
                            [](Index) { return gpu::CountTraits::weight_type{}; });
    gpu::RingCursor at;
    for (int k = 0; k < count_; ++k, at.advance(stages)) {
      shared_.filled[at.place].wait(at.parity);
      exchange.join_totals(static_cast<std::uint32_t>(k), tags, 0);
      // Everybody has published by now, and so has read the epoch.
      if (tiles_.is_last(k) && gpu::lane() == 0)
        move_.loaded.epoch().end(tags, static_cast<std::uint32_t>(k));
      gpu::arrive_as_warp(shared_.ready[at.place]);
    }
  }

  const TiledMove<UnitBytes>& move_;
  char* memory_;
  MoveShared& shared_;
  gpu::CyclicTiles tiles_;
  int count_;
};

template <int UnitBytes>
__global__ void __launch_bounds__(MoveTuning::threads, 1)
    tiled_pad([[maybe_unused]] const WAVESCAN_GRID_CONSTANT TiledMove<UnitBytes> move) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  TiledPad<UnitBytes>(move, memory + (128 - address % 128) % 128).run();
#endif
}

}  // namespace wavescan::Impl::pad

#endif
