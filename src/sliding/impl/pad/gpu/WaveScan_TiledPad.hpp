// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_PAD_GPU_TILEDPAD_HPP
#define WAVESCAN_IMPL_PAD_GPU_TILEDPAD_HPP

#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_CopyRun.hpp>
#include <impl/WaveScan_Gpu_Decomposition.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_TileStream.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/pad/WaveScan_PadProblem.hpp>
#include <impl/pad/gpu/WaveScan_PadRowTiles.hpp>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Rows move to another pitch on a GPU: one persistent block a multiprocessor.
///
/// A block moves its tiles through a ring of stages in shared memory: one warp or a few load, the
/// others store. Everything is read once and written once.
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
  gpu::Unit<UnitBytes>* out;
  gpu::TotalsMailbox loaded;  ///< not used if the arrays lie apart
};

/// @brief Sizes of the kernel.
struct MoveTuning {
  static constexpr int storing_warps = 512 / gpu::warp_size;
  static constexpr int loader = storing_warps, publisher = loader + gpu::mover_warps;
  static constexpr int threads = (publisher + 2) * gpu::warp_size;
  static constexpr int stages = gpu::block_memory < 128 * 1024 ? 4 : 6;
  static constexpr int stage_bytes =
      std::min(36864, (gpu::block_memory - 3 * 1024) / stages / 128 * 128);
  static constexpr int slow_start = 3;
};

/// @brief Barriers and memory that the warps of a block share.
struct MoveShared {
  static constexpr int stages = MoveTuning::stages;
  gpu::Barrier filled[stages];  ///< the tile has been loaded,
  gpu::Barrier ready[stages];   ///< so have been those before it,
  gpu::Barrier stored[stages];  ///< and it has been stored
  struct Place {
    int skew;             ///< bytes of the stage before the tile
    int units;            ///< of the tile
    int first_row_units;  ///< of its first row, if the tile were as long
    Index out;            ///< place of its first unit
  } place[stages];
  gpu::LaunchTags tags;
};

template <int UnitBytes>
class TiledPad {
  using Element = gpu::Unit<UnitBytes>;
  using Exchange = gpu::PrefixExchange<gpu::CountTraits, 5>;
  static constexpr int stages = MoveTuning::stages;
  static constexpr Index long_row = 256;  ///< bytes of rows that are not stored unit by unit

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
    constexpr int loader = MoveTuning::loader, publisher = MoveTuning::publisher;
    const int warp = gpu::warp();
    const int storing = stores_in_bulk() ? 1 : MoveTuning::storing_warps;
    const bool waits = move_.direction != Direction::Apart;
    if (threadIdx.x == loader * gpu::warp_size) {
      for (int s = 0; s < stages; ++s) {
        shared_.filled[s].init(gpu::mover_arrivals);
        shared_.ready[s].init(gpu::arrivals_of_warp);
        shared_.stored[s].init(storing * gpu::arrivals_of_warp);
      }
      gpu::publish_barriers();
      gpu::order_before_bulk_copies();
    }
    if (threadIdx.x == 0 && waits) shared_.tags = move_.loaded.epoch().tags();
    __syncthreads();
    if (warp < storing)
      store_tiles(waits ? shared_.ready : shared_.filled);
    else if (gpu::MovingThread::moves(loader, gpu::warp_size))
      load_tiles();
    else if (waits && warp == publisher)
      publish_loaded();
    else if (waits && warp == publisher + 1)
      await_others();
  }

 private:
  __device__ char* stage(int place) const { return memory_ + place * MoveTuning::stage_bytes; }

  // ---- the threads that load

  __device__ void load_tiles() {
    const gpu::MovingThread moving(MoveTuning::loader);
    gpu::load_through<stages, MoveTuning::slow_start>(
        moving, shared_.filled, shared_.stored, count_,
        [&](int k, int place, auto& ready) { load(k, place, moving, ready); });
  }
  /// @brief Starts the loads of a tile.
  template <class Act>
  __device__ void load(int k, int place, const gpu::MovingThread& moving,
                       gpu::BeforeWriting<Act>& ready) {
    const RowTiles& rows = move_.rows;
    const Index tile =
        move_.direction == Direction::Up ? tiles_.tiles - 1 - tiles_.of(k) : tiles_.of(k);
    const Index first = tile * rows.tile, rest = rows.units() - first;
    const int units = static_cast<int>(rest < rows.tile ? rest : rows.tile);
    const Index row = first / rows.columns, column = first - row * rows.columns;
    const Index to_end = rows.columns - column;
    const Index begin = move_.in.begin + (row * rows.in_pitch + column) * UnitBytes;
    // Copies are quick where both ends have the same alignment to cache lines.
    const int skew =
        static_cast<int>(reinterpret_cast<std::uintptr_t>(move_.in.base + begin) % RowTiles::line);
    const Index last = first + units - 1, last_row = last / rows.columns;
    const auto load_units = [&](Index from_row, Index from_column, Index end_row, Index end_column,
                                Index offset) {
      const Index from = move_.in.begin + (from_row * rows.in_pitch + from_column) * UnitBytes;
      const Index to = move_.in.begin + (end_row * rows.in_pitch + end_column) * UnitBytes;
      const Index from_word = from / 16 * 16;
      return gpu::load_window(move_.in, from_word,
                              static_cast<int>((to + 15) / 16 * 16 - from_word),
                              stage(place) + offset * UnitBytes + skew - (from - from_word),
                              shared_.filled[place], moving, ready);
    };
    const Index end_column = last - last_row * rows.columns + 1;
    std::uint32_t bytes = 0;
    if (rows.is_loaded_by_rows()) {
      for (Index r = row + moving.first_window(); r <= last_row; r += moving.window_step)
        bytes += load_units(r, r == row ? column : 0, r, r == last_row ? end_column : rows.columns,
                            r == row ? 0 : (r - row) * rows.stage_pitch - column);
    } else if (moving.first_window() == 0) {
      bytes = load_units(row, column, last_row, end_column, 0);
    }
    ready();
    if (moving.is_first())
      shared_.place[place] = {skew, units, static_cast<int>(to_end < INT_MAX ? to_end : INT_MAX),
                              row * rows.out_pitch + column};
    moving.fill_as_warp(shared_.filled[place], bytes, ready);
  }

  // ---- the warps that store

  /// @brief Whether bulk copies store the rows: one warp does.
  __device__ bool stores_in_bulk() const {
    return gpu::mover == gpu::Mover::Bulk && UnitBytes == 16 &&
           move_.rows.columns * UnitBytes >= long_row;
  }

  __device__ void store_tiles(gpu::Barrier (&ready)[stages]) {
    const bool bulk = stores_in_bulk(), runs = move_.rows.columns * UnitBytes >= long_row;
    const std::uint64_t policy = gpu::stream_policy();
    int last_place = -1;
    gpu::RingCursor at;
    for (int k = 0; k < count_; ++k, at.advance(stages)) {
      shared_.filled[at.place].wait(at.parity);
      ready[at.place].wait(at.parity);
      const MoveShared::Place& place = shared_.place[at.place];
      const char* const from = stage(at.place) + place.skew;
      Element* const to = move_.out + place.out;
      if (bulk) {
        store_rows(place, from, to, policy);
        gpu::wait_for_stores<1>();
        if (last_place >= 0) gpu::arrive_as_warp(shared_.stored[last_place]);
        last_place = at.place;
        continue;
      }
      if (runs)
        store_runs(place, from, to);
      else
        store_units(place, reinterpret_cast<const Element*>(from), to);
      gpu::arrive_as_warp(shared_.stored[at.place]);
    }
    if (bulk) gpu::wait_for_stores<0>();
  }

  __device__ int stage_gap() const {
    return static_cast<int>(move_.rows.stage_pitch - move_.rows.columns);
  }
  __device__ Index out_gap() const { return move_.rows.out_pitch - move_.rows.columns; }
  /// @brief The unit of the tile at which its row r ends.
  __device__ int end_of_row(const MoveShared::Place& place, int r) const {
    if (r == 0) return place.first_row_units < place.units ? place.first_row_units : place.units;
    const Index end = place.first_row_units + r * move_.rows.columns;
    return end < place.units ? static_cast<int>(end) : place.units;
  }
  __device__ int row_of(const MoveShared::Place& place, int unit) const {
    return move_.rows.rows_on(place.first_row_units, unit);
  }

  /// @brief A lane starts the copy of a row.
  __device__ void store_rows(const MoveShared::Place& place, const char* from, Element* to,
                             std::uint64_t policy) const {
    gpu::order_before_bulk_copies();
    for (int r = gpu::lane(); r <= row_of(place, place.units - 1); r += gpu::warp_size) {
      const int begin = r == 0 ? 0 : end_of_row(place, r - 1);
      gpu::bulk_store(to + begin + r * out_gap(), from + (begin + r * stage_gap()) * UnitBytes,
                      static_cast<std::uint32_t>((end_of_row(place, r) - begin) * UnitBytes),
                      policy);
    }
    gpu::commit_stores();
  }

  /// @brief Copies the warp's part of the tile, row by row.
  __device__ void store_runs(const MoveShared::Place& place, const char* from, Element* to) const {
    const int part = (place.units + MoveTuning::storing_warps - 1) / MoveTuning::storing_warps;
    int unit = gpu::warp() * part;
    const int end = unit + part < place.units ? unit + part : place.units;
    while (unit < end) {
      const int r = row_of(place, unit), row_end = end_of_row(place, r);
      const int run_end = row_end < end ? row_end : end;
      gpu::copy_run<typename Element::Word>(reinterpret_cast<char*>(to + unit + r * out_gap()),
                                            from + (unit + r * stage_gap()) * UnitBytes,
                                            (run_end - unit) * UnitBytes, gpu::lane(),
                                            gpu::warp_size);
      unit = run_end;
    }
  }

  __device__ void store_units(const MoveShared::Place& place, const Element* from,
                              Element* to) const {
    constexpr int batch = UnitBytes < 8 ? 8 : 4;
    constexpr int step = MoveTuning::storing_warps * gpu::warp_size;
    for (int j = static_cast<int>(threadIdx.x); j < place.units; j += batch * step) {
      Element element[batch];
      int row[batch];
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int i = j + b * step;
        row[b] = row_of(place, i);
        if (i < place.units) element[b] = from[i + row[b] * stage_gap()];
      }
#pragma unroll
      for (int b = 0; b < batch; ++b) {
        const int i = j + b * step;
        if (i < place.units) to[i + row[b] * out_gap()] = element[b];
      }
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
    tiled_pad(const WAVESCAN_GRID_CONSTANT TiledMove<UnitBytes> move) {
  extern __shared__ char memory[];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  TiledPad<UnitBytes>(move, memory + (128 - address % 128) % 128).run();
}

}  // namespace wavescan::Impl::pad

#endif
