// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_SHARED_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_SHARED_HPP

#include <impl/WaveScan_Gpu_Rings.hpp>
#include <impl/WaveScan_SummedAreaTable_GpuStrips_Tile.hpp>

#include <algorithm>
#include <cstdint>

namespace wavescan::Impl {

/// @brief What a block keeps of a tile between its reduction and its scan.
template <class Tile>
class StripsSlot {
 public:
  using V = typename Tile::V;

  __device__ StripsSlot(V* values, int width) : values_(values), width_(width) {}

  static KOKKOS_FUNCTION int values(int width) { return (Tile::sections + 1) * width + Tile::rows; }
  /// @brief Sums over a section's columns. Then: over all rows of the block's tiles above it.
  __device__ V* columns(int section) const { return values_ + section * width_; }
  /// @brief Sums over the columns of the other groups' tiles above it.
  __device__ V* others() const { return columns(Tile::sections); }
  /// @brief Sums over all to the left of the strip, down to each row.
  __device__ V* left() const { return columns(Tile::sections + 1); }

 private:
  V* values_;
  int width_;
};

/// @brief What a block has in shared memory: the image's tiles, the table's, if they do not take
/// the place of those, what there is one of for each tile between its reduction and its scan, and
/// barriers.
template <class Tile>
struct StripsShared {
  static constexpr int most_places = 24;  ///< of a ring

  struct Barriers {
    gpu::Barrier arrived[most_places];
    gpu::Barrier scanned[most_places];
    gpu::Barrier out_free[Tile::in_place ? 1 : most_places];
    gpu::Barrier reduced[most_places];
    gpu::Barrier stacked[most_places];
    gpu::Barrier gathered[most_places];
    gpu::Barrier followed[most_places];
    std::uint32_t first_tag;
  };
  static constexpr int alignment = 128;
  static constexpr int limit = 227 * 1024 - alignment;

  gpu::RingSize stages;
  gpu::RingSize outs;
  gpu::RingSize slots;
  int width = 0;  ///< of a tile
  int first_out = 0;
  int first_slot = 0;
  int barriers = 0;

  StripsShared() = default;
  /// @param columns of a strip: the fewer, the more tiles there are
  explicit StripsShared(int columns) : width(columns) {
    const auto places = [=](int of_whole_tiles) {
      return std::min(of_whole_tiles * Tile::columns / columns, most_places);
    };
    const int out_places = places(Tile::outs);
    outs = gpu::RingSize(std::max(out_places, 2));
    const int room = limit - static_cast<int>(sizeof(Barriers)) - out_places * out_bytes();
    const int slot_places = std::min(places(Tile::slots), room / (stage_bytes() + slot_bytes()));
    slots = gpu::RingSize(slot_places);
    const int stage_places =
        std::min((room - slot_places * slot_bytes()) / stage_bytes(), most_places);
    stages = gpu::RingSize(stage_places);
    first_out = stage_places * stage_bytes();
    first_slot = first_out + out_places * out_bytes();
    barriers = first_slot + slot_places * slot_bytes();
  }

  int bytes() const { return barriers + static_cast<int>(sizeof(Barriers)) + alignment; }
  KOKKOS_FUNCTION int stage_bytes() const {
    return Tile::rows * width * static_cast<int>(sizeof(typename Tile::Pixel));
  }
  KOKKOS_FUNCTION int out_bytes() const {
    return Tile::rows * width * static_cast<int>(sizeof(typename Tile::T));
  }
  KOKKOS_FUNCTION int slot_bytes() const {
    return StripsSlot<Tile>::values(width) * static_cast<int>(sizeof(typename Tile::V));
  }
};

}  // namespace wavescan::Impl

#endif
