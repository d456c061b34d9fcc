// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_BLOCK_SOR_BANDORDER_HPP
#define WAVESCAN_IMPL_BLOCK_SOR_BANDORDER_HPP

#include <WaveScan_Concepts.hpp>

/// @file
/// @brief The order in which bands of rows, of several planes, are drawn.

namespace wavescan::Impl::block_sor {

/// @brief The order of bands: band i of plane k waits for band i-1 of its plane and for band i of
/// the plane in front. So bands with the same sum k + i can run at the same time, and are drawn one
/// after the other.
struct BandOrder {
  Index planes, bands;

  struct Band {
    Index plane, band;
    bool exists;  ///< some tickets are blanks
  };

  KOKKOS_FUNCTION Index tickets() const {
    return planes == 0 || bands == 0 ? 0 : fewer() * (planes + bands - 1);
  }
  KOKKOS_FUNCTION Band of(Index ticket) const {
    const Index a = ticket % fewer(), b = ticket / fewer() - a;
    const bool exists = b >= 0 && b < planes + bands - fewer();
    return planes < bands ? Band{a, b, exists} : Band{b, a, exists};
  }

 private:
  KOKKOS_FUNCTION Index fewer() const { return planes < bands ? planes : bands; }
};

}  // namespace wavescan::Impl::block_sor

#endif
