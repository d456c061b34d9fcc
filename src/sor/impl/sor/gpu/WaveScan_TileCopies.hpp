// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_TILECOPIES_HPP
#define WAVESCAN_IMPL_SOR_GPU_TILECOPIES_HPP

#include <impl/WaveScan_Gpu_AwaitEither.hpp>
#include <impl/WaveScan_Gpu_Fence.hpp>
#include <impl/WaveScan_Gpu_LaunchTags.hpp>
#include <impl/sor/gpu/WaveScan_GpuPass.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief The threads that bring tiles to shared memory for a band, and take the results away.
///
/// Copies limit single sweeps of large grids. Those of floats are faster if a warp stores the
/// results itself than if the copy engine moves all three arrays (by up to 7 percent on an H200);
/// those of doubles are slower. Where there is no such engine a warp does all of it.
///
/// The code is kept small, because it shares the instruction cache with the warps that relax: loops
/// of single threads are not unrolled.
///
/// Here passes of one launch follow each other over the grid, in place (a temporal pipeline): a
/// tile is loaded when the pass before has stored it in the same band and, if passes lie further
/// apart than their sweeps reach, in the one above. A pass has then nothing to fear for what it
/// overwrites itself: the band that needed the older values has gone ahead of the pass before.

namespace wavescan::Impl::sor {

/// @brief Walks through the tiles of the bands of a warp.
struct TileCursor {
  const Decomposition& decomp;
  WarpPlace place;
  int index;  ///< of the ticket
  Ticket ticket{};
  int band = 0;
  int row = 0;  ///< the band's first
  int column = 0;
  int chunk = 0;
  int loaded_chunks = 0;
  int first_stored = 0;  ///< columns of tiles that are stored
  int end_of_stored = 0;

  __device__ TileCursor(const Decomposition& given, const WarpPlace& of_warp)
      : decomp(given),
        place(of_warp),
        index(static_cast<int>(blockIdx.x) - static_cast<int>(gridDim.x)) {
    next_ticket();
  }
  __device__ bool exists() const { return index < decomp.tickets(); }
  __device__ void advance() {
    column += decomp.chunk;
    if (++chunk == decomp.chunks) next_ticket();
  }

 private:
  __device__ void next_ticket() {
    chunk = 0;
    while ((index += static_cast<int>(gridDim.x)) < decomp.tickets()) {
      ticket = decomp.part(decomp.ticket(index), place);
      band = decomp.band(ticket, place);
      row = decomp.first_row(ticket, band);
      column = decomp.first_column(ticket.column_block);
      if (ticket.group < decomp.groups_of(ticket.row_block) && band < decomp.bands) break;
    }
    loaded_chunks = decomp.loaded_chunks(ticket.column_block);
    first_stored = decomp.first_stored_column(ticket.column_block);
    end_of_stored = band < decomp.first_owned_band(ticket.row_block)
                        ? first_stored
                        : decomp.end_of_stored_columns(ticket.column_block);
  }
};

template <class Shape>
class TileCopier {
  using V = typename Shape::value_type;
  static constexpr int T = Shape::sweeps;
  static constexpr int chunk = Shape::chunk;
  using Counts = gpu::Tagged<int>;

 public:
  __device__ TileCopier(const GpuPass<V>& pass, const PassMemory<Shape>& shared, int warp,
                        const gpu::LaunchTags& tags)
      : pass_(pass),
        decomp_(pass.decomp),
        shared_(shared),
        tags_(tags),
        timer_(pass.watchdog),
        warp_(warp),
        lane_(static_cast<int>(threadIdx.x) % 32) {}

  /// @brief Stores the tiles that are done, and loads into free slots. Neither waits for the other,
  /// because another block of threads may need the stores for these loads. Run by one thread, or by
  /// a warp that stores results, of which the first thread decides.
  __device__ void run() {
    TileCursor loads(decomp_, decomp_.place(warp_));
    TileCursor stores(loads);
    gpu::RingCursor load_slot;
    gpu::RingCursor store_slot;
    int in_use = 0;
    const bool alone =
        Shape::has_copiers || PassSizes::copiers(Shape::all_warps, decomp_.warps) == decomp_.warps;
    const auto store_next = [&] {
      const bool waits = alone && (in_use == decomp_.slots || !loads.exists());
      const bool done =
          in_use > 0 && gpu::has_passed(shared_.done[place(store_slot)], store_slot.parity, waits,
                                        [](bool mine) { return agreed(mine); });
      if (done) {
        store(stores, shared_.slot(warp_, store_slot.place));
        store_slot.advance(decomp_.slots);
        --in_use;
      }
      return done;
    };
    const auto load_next = [&] {
      const bool ready = in_use < decomp_.slots && loads.exists() && agreed(has_been_left(loads));
      if (ready) {
        if (Shape::loads_as_warp) gpu::sync_warp();  // the first thread has seen that it may
        if (Shape::loads_as_warp || leads())
          load(loads, shared_.slot(warp_, load_slot.place), shared_.full[place(load_slot)]);
        load_slot.advance(decomp_.slots);
        loads.advance();
        ++in_use;
      }
      return ready;
    };
    const auto leave_stored = [&] {
      if (leads()) leave(stores);
      stores.advance();
    };
    gpu::await_either([&] { return stores.exists(); }, store_next, load_next, leave_stored);
  }

 private:
  __device__ bool leads() const { return !Shape::stores_as_warp || lane_ == 0; }
  static __device__ bool agreed(bool mine) {
    return Shape::stores_as_warp ? gpu::broadcast(static_cast<int>(mine), 0) != 0 : mine;
  }

  __device__ int place(const gpu::RingCursor& slot) const {
    return warp_ * decomp_.slots + slot.place;
  }

  /// @brief True if the pass before has left the tile, or is not waited for any more. Asked about
  /// tiles in their order.
  __device__ bool has_been_left(const TileCursor& tile) {
    constexpr bool looks_above = Decomposition::pass_shift(T) > T;
    if (tile.ticket.pass == 0 || gave_up_) return true;
    if (tile.chunk == 0) known_ = 0;
    if (tile.chunk < known_) return true;
    known_ = stored(tile.ticket.pass - 1, tile.band);
    if (looks_above && tile.band > 0) {
      const int above = stored(tile.ticket.pass - 1, tile.band - 1);
      known_ = above < known_ ? above : known_;
    }
    if (tile.chunk >= known_) {
      gave_up_ = timer_.expires_after_look();
      return gave_up_;
    }
    timer_.restart();
    gpu::fence_after_look();
    gpu::order_bulk_copies();
    return true;
  }
  /// @brief Tells the next pass that the tile, and all before it, are in memory.
  __device__ void leave(const TileCursor& tile) const {
    if (tile.ticket.pass + 1 == decomp_.passes) return;
    gpu::complete_stores();
    gpu::order_bulk_copies();
    gpu::fence_before_publish();
    Counts::publish(count_of(tile.ticket.pass, tile.band), tile.chunk + 1,
                    tag_of(tile.ticket.pass));
  }
  /// @brief The number of tiles of a band that a pass has stored.
  __device__ int stored(int pass, int band) const {
    typename Counts::Found found;
    found.load_if(true, count_of(pass, band));
    return found.has_tag(tag_of(pass)) ? found.value() : 0;
  }
  __device__ gpu::TaggedWord* count_of(int pass, int band) const {
    return pass_.stored_tiles + static_cast<std::size_t>(pass) * decomp_.bands + band;
  }
  __device__ std::uint32_t tag_of(int pass) const {
    return tags_.of(static_cast<std::uint32_t>(pass));
  }

  __device__ void load(const TileCursor& tile, std::uint32_t address, gpu::Barrier& full) const {
    const bool exists = tile.chunk < tile.loaded_chunks;
    const int rhs_bytes_of_slot =
        Shape::rhs_like_results
            ? Shape::x_bytes
            : PassSizes::rhs_rows(T, pass_.rhs.tiles.class_bits) * pass_.rhs_pitch;
    const int bytes = Shape::x_bytes + (pass_.has_rhs ? rhs_bytes_of_slot : 0);
    gpu::begin_loads(full, static_cast<std::uint32_t>(exists ? bytes : 0));
    if (exists) load_tiles(tile, address, full);
    gpu::end_loads(full);
  }

  __device__ void load_tiles(const TileCursor& tile, std::uint32_t address,
                             gpu::Barrier& full) const {
    const gpu::TileMap* const maps =
        tile.ticket.pass == 0 ? pass_.old_values.tiles.of_class : pass_.values_between;
    const bool zero = pass_.from_zero && tile.ticket.pass == 0 && has_unknowns_only(tile);
    load_band(pass_.old_values, maps, tile, address, full, zero);
    if (!pass_.has_rhs) return;
    if constexpr (Shape::rhs_like_results)
      load_band(pass_.rhs, pass_.rhs.tiles.of_class, tile, address + Shape::x_bytes, full, false);
    else
      load_widened(tile, address + Shape::x_bytes, full);
  }

  /// @brief Whether a tile has nothing of the halo, or beyond it, in any of its rows.
  __device__ bool has_unknowns_only(const TileCursor& tile) const {
    return tile.row > 0 && tile.row + Decomposition::band_rows <= decomp_.m + 1 &&
           tile.column > decomp_.skew.max_read() && tile.column + chunk <= decomp_.n + 1;
  }

  /// @param zero whether zeros come instead of what is in memory
  __device__ void load_band(const BandTiles<V>& from, const gpu::TileMap* maps,
                            const TileCursor& tile, std::uint32_t address, gpu::Barrier& full,
                            bool zero) const {
    const int bytes = from.height * Shape::row_bytes;
    int row = from.begin(tile.row);
#pragma unroll 1
    for (int left = from.count; left > 0; --left) {
      const auto source = from.tile(maps, row, tile.column);
      gpu::load_tile(address, zero ? source.outside() : source, full);
      address += bytes;
      row += from.next_row;
    }
  }

  /// @brief Loads the rows of the right-hand side that several sweeps need.
  __device__ void load_widened(const TileCursor& tile, std::uint32_t address,
                               gpu::Barrier& full) const {
    const auto& rhs = pass_.rhs.tiles;
    const int rhs_bits = rhs.class_bits;
    const int rhs_bytes = PassSizes::rhs_tile_bytes(T, rhs_bits, pass_.rhs_pitch);
#pragma unroll 1
    for (int k = 0; k < rhs.classes(); ++k)
      gpu::load_tile(address + k * rhs_bytes,
                     rhs.widened(tile.row - PassSizes::rhs_rows_above(T, rhs_bits) + k, tile.column,
                                 PassSizes::rhs_rows(T, rhs_bits) >> rhs_bits),
                     full);
  }

  __device__ void store(const TileCursor& tile, std::uint32_t address) const {
    if (tile.column < tile.first_stored || tile.column >= tile.end_of_stored) return;
    const BandTiles<V>& to = pass_.results;
    if (Shape::stores_as_warp) gpu::sync_warp();  // the first thread has seen that the tile is done
    if constexpr (Shape::stores_as_warp && !Shape::loads_as_warp)
      if (to.line_aligned()) return store_as_warp(tile, address);
    if (!Shape::loads_as_warp && !leads()) return;
    const int bytes = to.height * Shape::row_bytes;
    int row = to.begin(tile.row);
#pragma unroll 1
    for (int k = 0; k < to.count; ++k) {
      if (Shape::loads_as_warp || row >= 0)
        gpu::store_tile(to.tile(to.tiles.of_class, row, tile.column), address);
      else
        store_lines(tile, k, address);
      address += bytes;
      row += to.next_row;
    }
    gpu::commit_stores();
    gpu::wait_for_stores<0>();
    if (Shape::loads_as_warp) gpu::sync_warp();
  }

  /// @brief Stores tiles whose rows begin at cache lines: 16 bytes a thread, four rows at a time.
  __device__ void store_as_warp(const TileCursor& tile, std::uint32_t address) const {
    constexpr int of_row = Shape::row_bytes / 16;
    constexpr int rows = 32 / of_row;
    const BandTiles<V>& to = pass_.results;
    const Grid<V>& out = pass_.out;
    // In memory's order: the first row of a tile, its first column, and the way to the next row.
    const int first = to.tiles.reversed ? to.height - 1 : 0;
    const int column = tile.column - to.skew_of(first) + (to.tiles.reversed ? chunk - 1 : 0);
    const Index step = to.row_sign * (out.row_stride - to.skew.per_row * out.column_stride);
    address += static_cast<std::uint32_t>(lane_) * 16;
#pragma unroll 1
    for (int k = 0; k < to.count; ++k) {
      const int begin = tile.row - T + k * to.height + first;
      int row = begin + to.row_sign * (lane_ / of_row);
      V* line = out.data + begin * out.row_stride + column * out.column_stride +
                lane_ / of_row * step + lane_ % of_row * 4;
#pragma unroll 4
      for (int r = 0; r < to.height; r += rows) {
        V v[4];
        gpu::load_row(v, address);
        if (row >= 1 && row <= decomp_.m)
          *reinterpret_cast<float4*>(line) = make_float4(v[0], v[1], v[2], v[3]);
        address += rows * Shape::row_bytes;
        row += to.row_sign * rows;
        line += rows * step;
      }
    }
    gpu::order_before_bulk_copies();
    gpu::sync_warp();
  }

  /// @brief Stores the rows of a tile that are the grid's one by one: the engine stores a tile that
  /// ends beyond the grid as it is, but one that begins before it is an illegal instruction.
  __device__ void store_lines(const TileCursor& tile, int k, std::uint32_t address) const {
    const BandTiles<V>& to = pass_.results;
    const Grid<V>& out = pass_.out;
    const int apart = to.line_aligned() ? 1 : to.count;
    const int begin = to.line_aligned() ? k * to.height : k;
    const int first = tile.row - T + begin;
    int column = tile.column - to.skew_of(begin);
    int step_bytes = Shape::row_bytes;
    if (to.tiles.reversed) {
      column += chunk - 1;
      address += (to.height - 1) * Shape::row_bytes;
      step_bytes = -step_bytes;
    }
    const Index step = apart * out.row_stride - to.skew.per_row * out.column_stride;
    const int skipped = first < 1 ? (apart - first) / apart : 0;
    V* line = out.data + first * out.row_stride + column * out.column_stride + skipped * step;
    address += skipped * step_bytes;
    int row = first + skipped * apart;
#pragma unroll 1
    for (int left = to.height - skipped; left > 0 && row <= decomp_.m; --left) {
      gpu::store_line(line, address, Shape::row_bytes);
      line += step;
      address += step_bytes;
      row += apart;
    }
  }

  const GpuPass<V>& pass_;
  const Decomposition& decomp_;
  const PassMemory<Shape>& shared_;
  gpu::LaunchTags tags_;
  int known_ = 0;  ///< tiles that the pass before has left
  gpu::StallTimer timer_;
  bool gave_up_ = false;
  int warp_;
  int lane_;
};

}  // namespace wavescan::Impl::sor

#endif
