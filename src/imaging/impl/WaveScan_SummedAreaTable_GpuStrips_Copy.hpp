// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_COPY_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_COPY_HPP

#include <impl/WaveScan_SummedAreaTable_GpuStrips_Block.hpp>

#include <cstdint>

namespace wavescan::Impl {

/// @brief The thread that starts the loads of all tiles and their stores.
template <class Tile>
class StripsCopier {
  /// As many loads at first, and then one more with each that arrives: many at once would keep the
  /// first ones waiting, and with them the first exchange.
  static constexpr int first_loads = 3;

 public:
  __device__ explicit StripsCopier(const StripsBlock<Tile>& block)
      : block_(block), tiles_(block.tiles()), policy_(gpu::stream_policy()) {}

  __device__ void begin() const {
    for (int t = 0; t < first_loads && t < tiles_; ++t) load(t);
  }
  __device__ void run() const {
    const auto& shared = block_.task.shared;
    const int stages = shared.stages.places();
    for (int t = first_loads; t < stages && t < tiles_; ++t) {
      gpu::wait_in_turn(block_.barriers.arrived, t - first_loads, shared.stages);
      load(t);
    }
    for (int t = 0; t < tiles_; ++t) {
      gpu::wait_in_turn(block_.barriers.scanned, t, shared.stages);
      if constexpr (!Tile::in_place) load_after(t);
      gpu::store_tile(place(t, block_.task.table), gpu::shared_address(tile_of(t)), policy_);
      gpu::commit_stores();
      if (t == 0) continue;
      gpu::wait_for_stores<1>();
      if constexpr (Tile::in_place)
        load_after(t - 1);
      else
        block_.barriers.out_free[shared.outs.place(t - 1)].arrive();
    }
    gpu::wait_for_stores<0>();
  }

 private:
  /// @brief Where the table's tile is.
  __device__ const char* tile_of(int t) const {
    const auto& shared = block_.task.shared;
    if constexpr (Tile::in_place)
      return block_.stage(shared.stages.place(t));
    else
      return block_.out(shared.outs.place(t));
  }
  /// @brief A tile, for the copy engine.
  struct Place {
    const CUtensorMap* map;
    int x;
    int y;
  };
  __device__ Place place(int t, const CUtensorMap& map) const {
    const StripsPlace tile = block_.place(t);
    return {&map, tile.column, tile.row};
  }
  __device__ void load(int t) const {
    const auto& shared = block_.task.shared;
    const int stage = shared.stages.place(t);
    gpu::Barrier& arrived = block_.barriers.arrived[stage];
    // What lies outside of the image arrives as zeros.
    arrived.arrive_expecting(static_cast<std::uint32_t>(shared.stage_bytes()));
    gpu::load_tile(gpu::shared_address(block_.stage(stage)), place(t, block_.task.image), &arrived);
  }
  /// @brief Loads the tile that takes the place of a tile.
  __device__ void load_after(int t) const {
    const int next = t + block_.task.shared.stages.places();
    if (next < tiles_) load(next);
  }

  const StripsBlock<Tile>& block_;
  int tiles_;
  std::uint64_t policy_;
};

}  // namespace wavescan::Impl

#endif
