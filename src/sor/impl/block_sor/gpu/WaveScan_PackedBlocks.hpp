// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_BLOCK_SOR_PACKEDBLOCKS_HPP
#define WAVESCAN_IMPL_BLOCK_SOR_PACKEDBLOCKS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SmallMatrices.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/block_sor/WaveScan_BandOrder.hpp>
#include <impl/sor/WaveScan_Box.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstring>

/// @file
/// @brief The layout of coefficients on GPUs: in the order in which warps use them, so that the
/// lanes of a warp, which are at different points of different rows, read bytes side by side.
///
/// A warp goes along a band of rows, a lane for each, every lane one column behind the lane above:
/// in step s lane l is at column s - l. A backward sweep meets the same points in reverse order,
/// lanes, steps, bands and planes all counted from the other end. So one copy serves both.

namespace wavescan::Impl::block_sor {

struct BandLayout {
  static constexpr int lanes = gpu::warp_size;

  Index planes = 0, rows = 0, columns = 0;  ///< of unknowns

  KOKKOS_FUNCTION Index bands() const { return (rows + lanes - 1) / lanes; }
  KOKKOS_FUNCTION Index steps() const { return columns + lanes - 1; }  ///< of a band
  KOKKOS_FUNCTION Index all_steps() const { return planes * bands() * steps(); }
  /// @brief Lanes of the last band that have no row; the first ones, if a sweep goes backward.
  KOKKOS_FUNCTION int spare_lanes() const { return static_cast<int>(bands() * lanes - rows); }
  BandOrder order() const { return {planes, bands()}; }
};

/// @brief The unit of moves, a type that compilers know: they move no user's structure at once.
using BlockUnit = uint4;

/// @brief `Numbers` numbers of each point, as units: those of the lanes of a step side by side.
template <class T, int Numbers>
struct PackedNumbers {
  static constexpr int of_unit = static_cast<int>(sizeof(BlockUnit) / sizeof(T));
  static constexpr int units = (Numbers + of_unit - 1) / of_unit;
  static constexpr int lanes = BandLayout::lanes;
  struct Values {
    T number[units * of_unit];

    KOKKOS_FORCEINLINE_FUNCTION void set_unit(int u, BlockUnit unit) {
      std::memcpy(number + u * of_unit, &unit, sizeof(unit));
    }
    KOKKOS_FORCEINLINE_FUNCTION BlockUnit unit(int u) const {
      BlockUnit unit;
      std::memcpy(&unit, number + u * of_unit, sizeof(unit));
      return unit;
    }
  };

  BlockUnit* data = nullptr;

  /// @brief Unit 0 of a lane; those that follow are `lanes` apart.
  /// @param step of all steps of all bands
  KOKKOS_FORCEINLINE_FUNCTION BlockUnit* at(Index step, int lane) const {
    return data + step * (units * lanes) + lane;
  }
  /// @param from unit 0, in any memory
  static __device__ __forceinline__ Values load(const BlockUnit* from) {
    Values values;
#pragma unroll
    for (int u = 0; u < units; ++u) values.set_unit(u, from[u * lanes]);
    return values;
  }
  static KOKKOS_FORCEINLINE_FUNCTION void store(const Values& values, BlockUnit* to) {
    for (int u = 0; u < units; ++u) to[u * lanes] = values.unit(u);
  }
  static Index size(const BandLayout& layout) { return layout.all_steps() * units * lanes; }
};

/// @brief One of the blocks that packed numbers hold.
template <class T, int B>
__device__ __forceinline__ SmallMatrix<T, B> block_of(const T* numbers, int which) {
  SmallMatrix<T, B> block;
#pragma unroll
  for (int r = 0; r < B; ++r)
#pragma unroll
    for (int c = 0; c < B; ++c) block(r, c) = numbers[(which * B + r) * B + c];
  return block;
}

/// @name A point; indices are without the halo, which begins at -1
/// @{
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V& point_of(const Grid<V>& a, Index, Index i, Index j) {
  return a(i + 1, j + 1);
}
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V& point_of(const sor::Box<V>& a, Index k, Index i, Index j) {
  return a(k + 1, i + 1, j + 1);
}
/// @}

/// @brief Copies the blocks of some arrays.
template <class T, int B, int Rank, int Count>
struct PackBlocks {
  using Packed = PackedNumbers<T, Count * B * B>;
  BandLayout layout;
  Kokkos::Array<sor::ArrayOf<SmallMatrix<T, B>, Rank>, std::size_t(Count)> blocks;
  Packed packed;

  KOKKOS_FUNCTION void operator()(const Index item) const {
    const int lane = static_cast<int>(item % BandLayout::lanes);
    const Index step = item / BandLayout::lanes, band = step / layout.steps();
    const Index i = band % layout.bands() * BandLayout::lanes + lane, k = band / layout.bands();
    const Index j = step % layout.steps() - lane;
    typename Packed::Values values;
    for (T& number : values.number) number = T(0);
    if (i < layout.rows && j >= 0 && j < layout.columns)
      for (int which = 0; which < Count; ++which) {
        const auto& block = point_of(blocks[which], k, i, j);
        for (int r = 0; r < B; ++r)
          for (int c = 0; c < B; ++c) values.number[(which * B + r) * B + c] = block(r, c);
      }
    Packed::store(values, packed.at(step, lane));
  }
};

}  // namespace wavescan::Impl::block_sor

#endif
