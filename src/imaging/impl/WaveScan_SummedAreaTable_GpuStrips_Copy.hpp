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
      : block_(block),
        tiles_(block.tiles()),
        policy_(gpu::stream_policy()),
        next_(block.task.plan, 0),
        next_stage_(block.task.shared.stages, 0) {}

  __device__ void begin() {
    for (int i = 0; i < first_loads; ++i) load_next();
  }
  __device__ void run() {
    const auto& shared = block_.task.shared;
    gpu::RingTurn stage(shared.stages, 0), out(shared.outs, 0), left(shared.outs, 0);
    for (int t = first_loads; t < shared.stages.places() && t < tiles_; ++t) {
      stage.wait(block_.barriers.arrived);
      stage.advance();
      load_next();
    }
    stage = gpu::RingTurn(shared.stages, 0);
    for (StripsWalk at(block_.task.plan, 0); at.tile() < tiles_; at.advance(1)) {
      stage.wait(block_.barriers.scanned);
      if constexpr (!Tile::in_place) load_next();
      const char* const tile =
          Tile::in_place ? block_.stage(stage.place()) : block_.out(out.place());
      gpu::store_tile(place(at, block_.task.table), gpu::shared_address(tile), policy_);
      gpu::commit_stores();
      stage.advance();
      out.advance();
      if (at.tile() == 0) continue;
      gpu::wait_for_stores<1>();  // the tile before has left its place
      if constexpr (Tile::in_place) {
        load_next();
      } else {
        block_.barriers.out_free[left.place()].arrive();
        left.advance();
      }
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
  __device__ Place place(const StripsWalk& at, const CUtensorMap& map) const {
    const StripsPlace tile = block_.place(at);
    return {&map, tile.column, tile.row};
  }
  /// @brief Starts to load the next tile, if there is one.
  __device__ void load_next() {
    if (next_.tile() >= tiles_) return;
    const int stage = next_stage_.place();
    gpu::Barrier& arrived = block_.barriers.arrived[stage];
    // What lies outside of the image arrives as zeros.
    arrived.arrive_expecting(static_cast<std::uint32_t>(block_.task.shared.stage_bytes()));
    gpu::load_tile(gpu::shared_address(block_.stage(stage)), place(next_, block_.task.image),
                   &arrived);
    next_.advance(1);
    next_stage_.advance();
  }

  const StripsBlock<Tile>& block_;
  int tiles_;
  std::uint64_t policy_;
  StripsWalk next_;  ///< to be loaded
  gpu::RingTurn next_stage_;
};

}  // namespace wavescan::Impl

#endif
