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
/// Their code is kept small, because it shares the instruction cache with the warps that relax:
/// loops are not unrolled.

namespace wavescan::Impl {

/// @brief Walks through the tiles of the bands of a warp.
struct SORTiles {
  const SORCut& cut;
  int warp;
  int index;  ///< of the ticket
  SORTicket ticket{};
  int band = 0;
  int row = 0;  ///< the band's first
  int column = 0;
  int chunk = 0;

  __device__ SORTiles(const SORCut& given, int band_of_group)
      : cut(given),
        warp(band_of_group),
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
      ticket = cut.ticket(index);
      band = cut.first_band(ticket.row_block) + ticket.group * cut.warps + warp;
      row = cut.first_row(ticket, band);
      column = cut.first_column(ticket.column_block);
      if (ticket.group < cut.groups_of(ticket.row_block) && band < cut.bands) break;
    }
  }
};

template <class Shape>
class SORCopies {
  using V = typename Shape::value_type;
  static constexpr int T = Shape::sweeps;
  static constexpr int chunk = Shape::chunk;

 public:
  __device__ SORCopies(const SORPass<V>& pass, const SORShared<Shape>& shared, int warp)
      : pass_(pass), cut_(pass.cut), shared_(shared), warp_(warp) {}

  /// @brief Run by one thread: stores the tiles that are done, and loads into free slots. Neither
  /// waits for the other, because another block of threads may need the stores for these loads.
  __device__ void run(unsigned tag) {
    SORTiles loads(cut_, warp_);
    SORTiles stores(cut_, warp_);
    SORSlotCounter load_slot;
    SORSlotCounter store_slot;
    SORRelay<Shape> relay(pass_, tag);
    int in_use = 0;
    while (stores.exists()) {
      const bool stored = in_use > 0 && passed(shared_.done + place(store_slot), store_slot.parity);
      if (stored) {
        store(stores, shared_.slot(warp_, store_slot.index));
        store_slot.advance(cut_.slots);
        --in_use;
      }
      const bool loaded = in_use < cut_.slots && loads.exists() &&
                          relay.has_left(loads.ticket, loads.band, loads.chunk);
      if (loaded) {
        load(loads, shared_.slot(warp_, load_slot.index), shared_.full + place(load_slot));
        load_slot.advance(cut_.slots);
        loads.advance();
        ++in_use;
      }
      if (stored) {
        relay.leave(stores.ticket, stores.band, stores.chunk);
        stores.advance();
      } else if (!loaded) {
        __nanosleep(64);
      }
    }
  }

 private:
  __device__ int place(const SORSlotCounter& slot) const { return warp_ * cut_.slots + slot.index; }

  __device__ void load(const SORTiles& tile, std::uint32_t address, gpu::Barrier* full) const {
    if (tile.chunk >= cut_.loaded_chunks(tile.ticket.column_block)) {
      full->arrive();
      return;
    }
    full->arrive_expecting(static_cast<std::uint32_t>(
        Shape::x_bytes +
        (pass_.has_rhs ? Shape::rhs_rows(pass_.rhs.class_bits) * pass_.rhs_pitch : 0)));
    const auto& x = tile.ticket.pass == 0 ? pass_.old_values : pass_.results;
    const int height = SORCut::band_rows >> x.class_bits;
#pragma unroll 1
    for (int k = 0; k < x.classes(); ++k)
      gpu::load_tile(address + k * height * Shape::row_bytes,
                     x.moved(tile.row + k, tile.column, height), full);
    if (!pass_.has_rhs) return;
    const int rhs_bits = pass_.rhs.class_bits;
    const int rhs_bytes = Shape::rhs_tile_bytes(rhs_bits, pass_.rhs_pitch);
#pragma unroll 1
    for (int k = 0; k < pass_.rhs.classes(); ++k)
      gpu::load_tile(address + Shape::x_bytes + k * rhs_bytes,
                     pass_.rhs.widened(tile.row - Shape::rhs_rows_above(rhs_bits) + k, tile.column,
                                       Shape::rhs_rows(rhs_bits) >> rhs_bits),
                     full);
  }

  __device__ void store(const SORTiles& tile, std::uint32_t address) const {
    const SORTicket& ticket = tile.ticket;
    const int column = tile.column;
    if (tile.band < cut_.first_owned_band(ticket.row_block) || column == 0 ||
        column < cut_.first_owned_column(ticket.column_block) ||
        column > cut_.last_owned_column(ticket.column_block) || column + chunk > cut_.n + 1)
      return;
    const int row = tile.row - T;
    const int classes = pass_.results.classes();
    const int height = SORCut::band_rows >> pass_.results.class_bits;
    if (row >= 1 && row + SORCut::band_rows - 1 <= cut_.m) {
#pragma unroll 1
      for (int k = 0; k < classes; ++k)
        gpu::store_tile(pass_.results.moved(row + k, column, height),
                        address + k * height * Shape::row_bytes);
    } else {
#pragma unroll 1
      for (int i = row < 1 ? 1 - row : 0; i < SORCut::band_rows && row + i <= cut_.m; ++i) {
        const int k = i >> pass_.results.class_bits;
        const int place =
            (i & (classes - 1)) * height + (pass_.results.reversed ? height - 1 - k : k);
        gpu::store_line(line(row + i, column), address + place * Shape::row_bytes,
                        Shape::row_bytes);
      }
    }
    gpu::commit_stores();
    gpu::wait_for_stores<0>();
  }

  /// @brief Where a row of a tile begins in memory.
  __device__ V* line(int row, int column) const {
    const int first = column - pass_.results.lag(row);
    return &pass_.out(row, pass_.results.reversed ? first + chunk - 1 : first);
  }

  const SORPass<V>& pass_;
  const SORCut& cut_;
  const SORShared<Shape>& shared_;
  int warp_;
};

}  // namespace wavescan::Impl

#endif
