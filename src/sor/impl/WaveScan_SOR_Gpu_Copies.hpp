// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_COPIES_HPP
#define WAVESCAN_IMPL_SOR_GPU_COPIES_HPP

#include <impl/WaveScan_SOR_Gpu_Pass.hpp>
#include <impl/WaveScan_SOR_Gpu_Relay.hpp>

#include <cstdint>

/// @file
/// @brief The threads that bring tiles to shared memory for a band, and take the results away.
///
/// Copies limit single sweeps of large grids. Those of floats are faster if a warp stores the
/// results itself than if the copy engine moves all three arrays (by up to 7 percent on an H200);
/// those of doubles are slower.
///
/// The code is kept small, because it shares the instruction cache with the warps that relax: loops
/// of single threads are not unrolled.

namespace wavescan::Impl {

/// @brief Walks through the tiles of the bands of a warp.
struct SORTiles {
  const SORCut& cut;
  SORPlace place;
  int index;  ///< of the ticket
  SORTicket ticket{};
  int band = 0;
  int row = 0;  ///< the band's first
  int column = 0;
  int chunk = 0;
  int loaded_chunks = 0;
  int first_stored = 0;  ///< columns of tiles that are stored
  int end_of_stored = 0;

  __device__ SORTiles(const SORCut& given, const SORPlace& of_warp)
      : cut(given),
        place(of_warp),
        index(static_cast<int>(blockIdx.x) - static_cast<int>(gridDim.x)) {
    next_ticket();
  }
  __device__ bool exists() const { return index < cut.tickets(); }
  __device__ void advance() {
    column += cut.chunk;
    if (++chunk == cut.chunks) next_ticket();
  }

 private:
  __device__ void next_ticket() {
    chunk = 0;
    while ((index += static_cast<int>(gridDim.x)) < cut.tickets()) {
      ticket = cut.part(cut.ticket(index), place);
      band = cut.band(ticket, place);
      row = cut.first_row(ticket, band);
      column = cut.first_column(ticket.column_block);
      if (ticket.group < cut.groups_of(ticket.row_block) && band < cut.bands) break;
    }
    loaded_chunks = cut.loaded_chunks(ticket.column_block);
    first_stored = cut.first_stored_column(ticket.column_block);
    end_of_stored = band < cut.first_owned_band(ticket.row_block)
                        ? first_stored
                        : cut.end_of_stored_columns(ticket.column_block);
  }
};

template <class Shape>
class SORCopies {
  using V = typename Shape::value_type;
  static constexpr int T = Shape::sweeps;
  static constexpr int chunk = Shape::chunk;

 public:
  __device__ SORCopies(const SORPass<V>& pass, const SORShared<Shape>& shared, int warp)
      : pass_(pass),
        cut_(pass.cut),
        shared_(shared),
        warp_(warp),
        lane_(static_cast<int>(threadIdx.x) % 32) {}

  /// @brief Stores the tiles that are done, and loads into free slots. Neither waits for the other,
  /// because another block of threads may need the stores for these loads. Run by one thread, or by
  /// a warp that stores results, of which the first thread decides.
  __device__ void run(unsigned tag) {
    SORTiles loads(cut_, cut_.place(warp_));
    SORTiles stores(loads);
    SORSlotCounter load_slot;
    SORSlotCounter store_slot;
    SORRelay<Shape> relay(pass_, tag);
    int in_use = 0;
    const bool alone = Shape::has_copiers || Shape::copiers(cut_.warps) == cut_.warps;
    while (stores.exists()) {
      const bool waits = alone && (in_use == cut_.slots || !loads.exists());
      const bool stored =
          in_use > 0 && is_done(shared_.done + place(store_slot), store_slot.parity, waits);
      if (stored) {
        store(stores, shared_.slot(warp_, store_slot.index));
        store_slot.advance(cut_.slots);
        --in_use;
      }
      const bool loaded = in_use < cut_.slots && loads.exists() &&
                          agreed(relay.has_left(loads.ticket, loads.band, loads.chunk));
      if (loaded) {
        if (leads())
          load(loads, shared_.slot(warp_, load_slot.index), shared_.full + place(load_slot));
        load_slot.advance(cut_.slots);
        loads.advance();
        ++in_use;
      }
      if (stored) {
        if (leads()) relay.leave(stores.ticket, stores.band, stores.chunk);
        stores.advance();
      } else if (!loaded) {
        nap(64);
      }
    }
  }

 private:
  __device__ bool leads() const { return !Shape::stores_as_warp || lane_ == 0; }
  static __device__ bool agreed(bool mine) {
    return Shape::stores_as_warp ? gpu::broadcast(static_cast<int>(mine), 0) != 0 : mine;
  }

  __device__ int place(const SORSlotCounter& slot) const { return warp_ * cut_.slots + slot.index; }

  /// @brief True if the tile is done, and always if there is nothing else to do but wait for it:
  /// asleep, because a wait in hardware keeps asking, at the cost of the warps that relax.
  static __device__ bool is_done(const gpu::Barrier* done, unsigned parity, bool waits) {
    while (!agreed(done->passed(parity))) {
      if (!waits) return false;
      nap(128);
    }
    return true;
  }

  __device__ void load(const SORTiles& tile, std::uint32_t address, gpu::Barrier* full) const {
    if (tile.chunk >= tile.loaded_chunks) {
      full->arrive();
      return;
    }
    const int rhs_bytes_of_slot =
        Shape::rhs_like_results ? Shape::x_bytes
                                : Shape::rhs_rows(pass_.rhs.tiles.class_bits) * pass_.rhs_pitch;
    full->arrive_expecting(
        static_cast<std::uint32_t>(Shape::x_bytes + (pass_.has_rhs ? rhs_bytes_of_slot : 0)));
    const CUtensorMap* const maps =
        tile.ticket.pass == 0 ? pass_.old_values.tiles.of_class : pass_.values_between;
    load_band(pass_.old_values, maps, tile, address, full);
    if (!pass_.has_rhs) return;
    if constexpr (Shape::rhs_like_results)
      load_band(pass_.rhs, pass_.rhs.tiles.of_class, tile, address + Shape::x_bytes, full);
    else
      load_widened(tile, address + Shape::x_bytes, full);
  }

  __device__ void load_band(const SORBandTiles<V>& from, const CUtensorMap* maps,
                            const SORTiles& tile, std::uint32_t address, gpu::Barrier* full) const {
    const int bytes = from.height * Shape::row_bytes;
    int row = from.begin(tile.row);
#pragma unroll 1
    for (int left = from.count; left > 0; --left) {
      gpu::load_tile(address, from.tile(maps, row, tile.column), full);
      address += bytes;
      row += from.next_row;
    }
  }

  /// @brief Loads the rows of the right-hand side that several sweeps need.
  __device__ void load_widened(const SORTiles& tile, std::uint32_t address,
                               gpu::Barrier* full) const {
    const auto& rhs = pass_.rhs.tiles;
    const int rhs_bits = rhs.class_bits;
    const int rhs_bytes = Shape::rhs_tile_bytes(rhs_bits, pass_.rhs_pitch);
#pragma unroll 1
    for (int k = 0; k < rhs.classes(); ++k)
      gpu::load_tile(address + k * rhs_bytes,
                     rhs.widened(tile.row - Shape::rhs_rows_above(rhs_bits) + k, tile.column,
                                 Shape::rhs_rows(rhs_bits) >> rhs_bits),
                     full);
  }

  __device__ void store(const SORTiles& tile, std::uint32_t address) const {
    if (tile.column < tile.first_stored || tile.column >= tile.end_of_stored) return;
    const SORBandTiles<V>& to = pass_.results;
    if constexpr (Shape::stores_as_warp)
      if (to.lined()) return store_as_warp(tile, address);
    if (!leads()) return;
    const int bytes = to.height * Shape::row_bytes;
    int row = to.begin(tile.row);
#pragma unroll 1
    for (int k = 0; k < to.count; ++k) {
      if (row >= 0)
        gpu::store_tile(to.tile(to.tiles.of_class, row, tile.column), address);
      else
        store_lines(tile, k, address);
      address += bytes;
      row += to.next_row;
    }
    gpu::commit_stores();
    gpu::wait_for_stores<0>();
  }

  /// @brief Stores tiles whose rows begin at cache lines: 16 bytes a thread, four rows at a time.
  __device__ void store_as_warp(const SORTiles& tile, std::uint32_t address) const {
    constexpr int of_row = Shape::row_bytes / 16;
    constexpr int rows = 32 / of_row;
    const SORBandTiles<V>& to = pass_.results;
    const Grid<V>& out = pass_.out;
    // In memory's order: the first row of a tile, its first column, and the way to the next row.
    const int first = to.tiles.reversed ? to.height - 1 : 0;
    const int column = tile.column - to.lag(first) + (to.tiles.reversed ? chunk - 1 : 0);
    const Index step = to.row_sign * (out.row_stride - to.lags.shear * out.column_stride);
    address += static_cast<std::uint32_t>(lane_) * 16;
    gpu::sync_warp();  // the first thread has seen that the tile is done
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
        if (row >= 1 && row <= cut_.m)
          *reinterpret_cast<float4*>(line) = make_float4(v[0], v[1], v[2], v[3]);
        address += rows * Shape::row_bytes;
        row += to.row_sign * rows;
        line += rows * step;
      }
    }
    gpu::order_before_bulk_copies();
    gpu::sync_warp();
  }

  /// @brief Stores the rows of a tile that are the grid's one by one: a tile that ends beyond the
  /// grid may be stored as it is, but one that begins before it is an illegal instruction.
  __device__ void store_lines(const SORTiles& tile, int k, std::uint32_t address) const {
    const SORBandTiles<V>& to = pass_.results;
    const Grid<V>& out = pass_.out;
    const int apart = to.lined() ? 1 : to.count;
    const int begin = to.lined() ? k * to.height : k;
    const int first = tile.row - T + begin;
    int column = tile.column - to.lag(begin);
    int step_bytes = Shape::row_bytes;
    if (to.tiles.reversed) {
      column += chunk - 1;
      address += (to.height - 1) * Shape::row_bytes;
      step_bytes = -step_bytes;
    }
    const Index step = apart * out.row_stride - to.lags.shear * out.column_stride;
    const int skipped = first < 1 ? (apart - first) / apart : 0;
    V* line = out.data + first * out.row_stride + column * out.column_stride + skipped * step;
    address += skipped * step_bytes;
    int row = first + skipped * apart;
#pragma unroll 1
    for (int left = to.height - skipped; left > 0 && row <= cut_.m; --left) {
      gpu::store_line(line, address, Shape::row_bytes);
      line += step;
      address += step_bytes;
      row += apart;
    }
  }

  const SORPass<V>& pass_;
  const SORCut& cut_;
  const SORShared<Shape>& shared_;
  int warp_;
  int lane_;
};

}  // namespace wavescan::Impl

#endif
