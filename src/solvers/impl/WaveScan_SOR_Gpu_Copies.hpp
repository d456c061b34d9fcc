// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_COPIES_HPP
#define WAVESCAN_IMPL_SOR_GPU_COPIES_HPP

#include <impl/WaveScan_SOR_Gpu_Pass.hpp>

#include <cstdint>

/// @file
/// @brief The warps that bring tiles to shared memory for a band, and take the results away.

namespace wavescan::Impl {

template <class Shape>
class SORCopies {
  using V = typename Shape::value_type;
  static constexpr int T = Shape::sweeps;
  static constexpr int chunk = Shape::chunk;

 public:
  __device__ SORCopies(const SORPass<V>& pass, const SORShared<Shape>& shared, int warp)
      : pass_(pass), cut_(pass.cut), shared_(shared), warp_(warp) {}

  /// @brief Run by one thread: tile for tile, stores what was in the slot and loads.
  __device__ void run() {
    Tile loads(*this);
    Tile stores(*this);
    int filled = 0;
    for (SORSlotCounter slot; true; slot.advance(cut_.slots)) {
      const std::uint32_t address = shared_.slot(warp_, slot.index);
      const int place = warp_ * cut_.slots + slot.index;
      if (filled == cut_.slots) {
        if (!stores.exists()) break;
        shared_.done[place].wait(slot.parity ^ 1);
        store(stores, address);
        stores.advance();
      } else {
        ++filled;
      }
      if (loads.exists()) {
        load(loads, address, shared_.full + place);
        loads.advance();
      } else if (!stores.exists()) {
        break;
      }
    }
    gpu::wait_for_stores<0>();
  }

 private:
  /// @brief Walks through the tiles of the bands of this warp.
  struct Tile {
    const SORCopies& copies;
    int index;  ///< of the ticket
    SORTicket ticket;
    int band;
    int chunk_index = 0;

    __device__ explicit Tile(const SORCopies& c)
        : copies(c), index(static_cast<int>(blockIdx.x) - static_cast<int>(gridDim.x)) {
      next_ticket();
    }
    __device__ bool exists() const { return index < copies.cut_.tickets(); }
    __device__ void advance() {
      if (++chunk_index < copies.cut_.chunks) return;
      chunk_index = 0;
      next_ticket();
    }
    __device__ void next_ticket() {
      const SORCut& cut = copies.cut_;
      while ((index += static_cast<int>(gridDim.x)) < cut.tickets()) {
        ticket = cut.ticket(index);
        band = cut.first_band(ticket.row_block) + ticket.group * cut.warps + copies.warp_;
        if (ticket.group < cut.groups_of(ticket.row_block) && band < cut.bands) break;
      }
    }
  };

  __device__ void load(const Tile& tile, std::uint32_t address, gpu::Barrier* full) const {
    if (tile.chunk_index >= cut_.loaded_chunks(tile.ticket.column_block)) {
      full->arrive();
      return;
    }
    const int column = cut_.first_column(tile.ticket.column_block) + tile.chunk_index * chunk;
    const int row = SORCut::band_rows * tile.band;
    full->arrive_expecting(static_cast<std::uint32_t>(
        Shape::x_bytes +
        (pass_.has_rhs ? gpu::tile_classes * Shape::rhs_height * pass_.rhs_pitch : 0)));
#pragma unroll
    for (int k = 0; k < gpu::tile_classes; ++k)
      gpu::load_tile(address + k * Shape::x_height * gpu::tile_row_bytes,
                     pass_.old_values.moved(row + k, column, Shape::x_height), full);
    if (!pass_.has_rhs) return;
#pragma unroll
    for (int k = 0; k < gpu::tile_classes; ++k)
      gpu::load_tile(address + Shape::x_bytes + k * Shape::rhs_tile_bytes(pass_.rhs_pitch),
                     pass_.rhs.widened(row - Shape::rhs_rows_above + k, column, Shape::rhs_height),
                     full);
  }

  __device__ void store(const Tile& tile, std::uint32_t address) const {
    const SORTicket& ticket = tile.ticket;
    const int column = cut_.first_column(ticket.column_block) + tile.chunk_index * chunk;
    if (tile.band < cut_.first_owned_band(ticket.row_block) || column == 0 ||
        column < cut_.first_owned_column(ticket.column_block) ||
        column > cut_.last_owned_column(ticket.column_block) || column + chunk > cut_.n + 1)
      return;
    const int row = SORCut::band_rows * tile.band - T;
    if (row >= 1 && row + SORCut::band_rows - 1 <= cut_.m) {
#pragma unroll
      for (int k = 0; k < gpu::tile_classes; ++k)
        gpu::store_tile(pass_.results.moved(row + k, column, Shape::x_height),
                        address + k * Shape::x_height * gpu::tile_row_bytes);
    } else {
      for (int i = row < 1 ? 1 - row : 0; i < SORCut::band_rows && row + i <= cut_.m; ++i) {
        const int k = i / gpu::tile_classes;
        const int place = i % gpu::tile_classes * Shape::x_height +
                          (pass_.results.reversed ? Shape::x_height - 1 - k : k);
        gpu::store_tile(pass_.result_rows.moved(row + i, column, 1),
                        address + place * gpu::tile_row_bytes);
      }
    }
    gpu::commit_stores();
    gpu::wait_for_stores<0>();
  }

  const SORPass<V>& pass_;
  const SORCut& cut_;
  const SORShared<Shape>& shared_;
  int warp_;
};

}  // namespace wavescan::Impl

#endif
