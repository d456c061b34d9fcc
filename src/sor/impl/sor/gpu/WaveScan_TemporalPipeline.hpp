// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_TEMPORALPIPELINE_HPP
#define WAVESCAN_IMPL_SOR_GPU_TEMPORALPIPELINE_HPP

#include <impl/WaveScan_Gpu_Fence.hpp>
#include <impl/WaveScan_Gpu_LaunchTags.hpp>
#include <impl/sor/gpu/WaveScan_GpuPass.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief How the passes of one launch follow each other over the grid, in place.
///
/// A pass reads in a band what the pass before has written in the same band and, if passes lie
/// further apart than their sweeps reach, in the one above. It has then nothing to fear for
/// what it overwrites itself: the band that needed the older values has gone ahead of the pass
/// before.

namespace wavescan::Impl::sor {

/// @brief Used by the thread that copies the tiles of a band.
template <class Shape>
class TemporalPipeline {
  using V = typename Shape::value_type;
  static constexpr bool looks_above = Decomposition::pass_shift(Shape::sweeps) > Shape::sweeps;

 public:
  __device__ TemporalPipeline(const GpuPass<V>& pass, const gpu::LaunchTags& tags)
      : pass_(pass), tags_(tags), timer_(pass.watchdog) {}

  /// @brief True if the pass before has left the tile, or is not waited for any more. Asked about
  /// tiles in their order.
  __device__ bool has_left(const Ticket& ticket, int band, int chunk) {
    if (ticket.pass == 0 || gave_up_) return true;
    if (chunk == 0) known_ = 0;
    if (chunk < known_) return true;
    known_ = stored(ticket.pass - 1, band);
    if (looks_above && band > 0) {
      const int above = stored(ticket.pass - 1, band - 1);
      known_ = above < known_ ? above : known_;
    }
    if (chunk >= known_) {
      gave_up_ = timer_.expires_after_look();
      return gave_up_;
    }
    timer_.restart();
    gpu::fence_after_look();
    gpu::order_bulk_copies();
    return true;
  }

  /// @brief Tells the next pass that the tile, and all before it, are in memory.
  __device__ void leave(const Ticket& ticket, int band, int chunk) const {
    if (ticket.pass + 1 == pass_.decomp.passes) return;
    gpu::complete_stores();
    gpu::order_bulk_copies();
    gpu::fence_before_publish();
    Tiles::publish(place(ticket.pass, band), chunk + 1, tag_of(ticket.pass));
  }

 private:
  using Tiles = gpu::Tagged<int>;

  __device__ std::uint32_t tag_of(int pass) const {
    return tags_.of(static_cast<std::uint32_t>(pass));
  }
  __device__ gpu::TaggedWord* place(int pass, int band) const {
    return pass_.stored_tiles + static_cast<std::size_t>(pass) * pass_.decomp.bands + band;
  }
  /// @brief How many tiles of a band a pass has stored.
  __device__ int stored(int pass, int band) const {
    Tiles::Found found;
    found.load_if(true, place(pass, band));
    return found.has_tag(tag_of(pass)) ? found.value() : 0;
  }

  const GpuPass<V>& pass_;
  gpu::LaunchTags tags_;
  int known_ = 0;
  gpu::StallTimer timer_;
  bool gave_up_ = false;
};

}  // namespace wavescan::Impl::sor

#endif
