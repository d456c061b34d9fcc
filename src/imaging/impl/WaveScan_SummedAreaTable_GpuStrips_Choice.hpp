// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_CHOICE_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_GPUSTRIPS_CHOICE_HPP

#include <impl/WaveScan_SummedAreaTable_GpuStrips_Plan.hpp>

#include <type_traits>

namespace wavescan::Impl {

/// @brief The tile and the plan that suit images of one size best.
template <class Pixel, class T, bool Squared = false>
class StripsChoice {
 public:
  using Tile = StripsTile<Pixel, T, Squared>;
  using HighTile = StripsTile<Pixel, T, Squared, 256>;
  using WideTile = StripsTile<Pixel, T, Squared, 1024>;

  int bytes = 0;    ///< of a row of the tile at most
  StripsPlan plan;  ///< without strips if images are too narrow for more than one

  StripsChoice() = default;
  StripsChoice(Index rows, Index columns, int blocks) {
    if (rows == 0 || columns <= Tile::columns || blocks == 0) return;
    consider<Tile>(512, rows, columns, blocks);
    if constexpr (has_others) {
      consider<HighTile>(256, rows, columns, blocks);
      consider<WideTile>(1024, rows, columns, blocks);
    }
  }

  /// @brief Whether there are strips for most blocks.
  bool keeps_busy(int blocks) const { return 2 * plan.blocks() > blocks; }

  /// @brief Calls `f` with the tile.
  template <class F>
  auto with_tile(const F& f) const {
    if constexpr (has_others) {
      if (bytes == 256) return f(std::type_identity<HighTile>());
      if (bytes == 1024) return f(std::type_identity<WideTile>());
    }
    return f(std::type_identity<Tile>());
  }

 private:
  static constexpr bool has_others = Tile::in_place || (sizeof(Pixel) == 1 && sizeof(T) == 4);

  template <class Considered>
  void consider(int row_bytes, Index rows, Index columns, int blocks) {
    const StripsPlan considered = StripsPlan::of<Considered>(rows, columns, blocks);
    if (plan.strips > 0 && considered.time >= plan.time) return;
    bytes = row_bytes;
    plan = considered;
  }
};

}  // namespace wavescan::Impl

#endif
