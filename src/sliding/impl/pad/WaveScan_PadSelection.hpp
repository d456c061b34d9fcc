// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_PAD_PADSELECTION_HPP
#define WAVESCAN_IMPL_PAD_PADSELECTION_HPP

#include <WaveScan_Concepts.hpp>

/// @file
/// @brief The choice of the algorithm that moves rows on a device. Hosts have one, HostPad.

namespace wavescan::Impl::pad {

enum class PadAlgorithm {
  Loops,      ///< any device: loops of Kokkos
  WordTiles,  ///< NVIDIA's and AMD's GPUs: tiles of 16-byte words
  UnitTiles   ///< these GPUs: tiles of the largest power of two of bytes that divides an element's
};

/// @brief Properties of a move that the choice depends on.
struct PadRequest {
  bool rows_alone = false;  ///< elements of a row side by side, in one plane of rows
  Index alignment = 1;      ///< bytes: of all rows in both arrays, and of their lengths
  Index unit = 1;           ///< bytes, at most 16
  /// Elements of a tile, 0 if tiles would hold too little: of words and of units.
  Index word_tile = 0, unit_tile = 0;
};

constexpr PadAlgorithm select_algorithm(const PadRequest& p) {
  using A = PadAlgorithm;
  if (!p.rows_alone) return A::Loops;
  if (p.unit < 16 && p.alignment % 16 == 0) return p.word_tile > 0 ? A::WordTiles : A::Loops;
  return p.alignment % p.unit == 0 && p.unit_tile > 0 ? A::UnitTiles : A::Loops;
}

}  // namespace wavescan::Impl::pad

#endif
