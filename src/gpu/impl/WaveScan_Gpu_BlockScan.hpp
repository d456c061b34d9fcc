// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_BLOCKSCAN_HPP
#define WAVESCAN_IMPL_GPU_BLOCKSCAN_HPP

#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>

/// @file
/// @brief Scans of segments over the warps of a block, or of a group of them: each warp leaves its
/// total in shared memory, and after a barrier all warps scan all totals, so that one barrier is
/// enough.

namespace wavescan::Impl::gpu {

/// @brief A warp's part of the scan over the warps' totals.
/// @tparam Warps at most as many as a warp has lanes
template <class Traits, int Warps>
class BlockScan {
  using segment = typename Traits::segment;
  static_assert(Warps <= warp_size);

 public:
  /// @param totals  those of the warps, which all have been written before a barrier
  /// @param starts  the warps in which a line starts: what is before them does not count
  /// @param weights of the lengths of 1, 2, 4, ... warps
  template <class Weights>
  __device__ BlockScan(const Traits& traits, const segment* totals, LaneMask starts,
                       const Weights& weights)
      : sums_(warp_weighted_scan<Warps>(traits, lane() < Warps ? totals[lane()] : traits.identity(),
                                        segment_begin(starts), weights)) {}

  /// @brief The segment of all warps, or since the last start of a line.
  __device__ segment total() const { return broadcast(sums_, Warps - 1); }
  /// @brief The segment of the warps before this one; for the first warp any segment.
  __device__ segment before(int warp) const { return broadcast(sums_, warp > 0 ? warp - 1 : 0); }

 private:
  segment sums_;  ///< up to and with the warp of the lane's number
};

}  // namespace wavescan::Impl::gpu

#endif
