// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_COPY_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_COPY_HPP

#include <impl/WaveScan_SummedAreaTable_GpuStrips_Block.hpp>

#include <algorithm>

namespace wavescan::Impl {

/// @brief The thread that starts the loads of all tiles and their stores.
template <class Tile>
class StripsCopier {
  using Shared = StripsShared<Tile>;
  /// As many loads at first, and then one more with each that arrives: many at once would keep the
  /// first ones waiting, and with them the first exchange.
  static constexpr int first_loads = std::min(3, Shared::stages);

 public:
  __device__ explicit StripsCopier(const StripsBlock<Tile>& block)
      : block_(block), tiles_(block.tiles()), policy_(gpu::stream_policy()) {}

  __device__ void begin() const {
    for (int t = 0; t < first_loads && t < tiles_; ++t) load(t);
  }
  __device__ void run() const {
    for (int t = first_loads; t < Shared::stages && t < tiles_; ++t) {
      block_.wait_arrived(t - first_loads);
      load(t);
    }
    for (int t = 0; t < tiles_; ++t) {
      block_.wait_scanned(t);
      if constexpr (!Tile::in_place) load_after(t);
      gpu::store_tile(place(t, block_.task.table), gpu::shared_address(block_.out_stage(t)),
                      policy_);
      gpu::commit_stores();
      if (t == 0) continue;
      gpu::wait_for_stores<1>();
      if constexpr (Tile::in_place)
        load_after(t - 1);
      else
        block_.shared.out_free[(t - 1) % Tile::out_stages].arrive();
    }
    gpu::wait_for_stores<0>();
  }

 private:
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
    gpu::Barrier& arrived = block_.shared.arrived[t % Shared::stages];
    // What lies outside of the image arrives as zeros.
    arrived.arrive_expecting(Tile::pixel_bytes);
    gpu::load_tile(gpu::shared_address(block_.stage(t)), place(t, block_.task.image), &arrived);
  }
  /// @brief Loads the tile that takes the place of a tile.
  __device__ void load_after(int t) const {
    if (t + Shared::stages < tiles_) load(t + Shared::stages);
  }

  const StripsBlock<Tile>& block_;
  int tiles_;
  std::uint64_t policy_;
};

}  // namespace wavescan::Impl

#endif
