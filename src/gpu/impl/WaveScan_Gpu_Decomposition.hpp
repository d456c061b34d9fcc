// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_DECOMPOSITION_HPP
#define WAVESCAN_IMPL_GPU_DECOMPOSITION_HPP

#include <WaveScan_Concepts.hpp>

/// @file
/// @brief The assignment of tiles to blocks; asked by the host, which launches, and by the blocks.

namespace wavescan::Impl::gpu {

/// @brief Tiles in waves: block b of G takes the tiles b, b + G, b + 2G, ...
struct CyclicTiles {
  Index tiles;  ///< of all blocks
  int block;
  int blocks;

  /// @brief The number of this block's tiles.
  KOKKOS_FUNCTION int count() const {
    return static_cast<int>((tiles - block + blocks - 1) / blocks);
  }
  /// @brief The block's tile of wave k.
  KOKKOS_FUNCTION Index of(int k) const { return Index(k) * blocks + block; }
  KOKKOS_FUNCTION bool is_last(int k) const { return of(k) == tiles - 1; }
};

}  // namespace wavescan::Impl::gpu

#endif
