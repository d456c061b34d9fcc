// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_WARPSCAN_HPP
#define WAVESCAN_IMPL_SCAN_GPU_WARPSCAN_HPP

#include <impl/WaveScan_Gpu_Warp.hpp>

namespace wavescan::Impl {

/// @brief Joins the pieces of the lanes up to each lane; the warp's lanes all call it.
///
/// @param first   the first lane whose piece belongs to the lane's line: `last_start` of the warp
/// @param weights of the lengths of 1, 2, 4, ... lanes
/// @tparam Lanes  only so many lanes hold pieces
template <int Lanes, class P, class Weights>
__device__ typename P::piece warp_scan(const P& pieces, typename P::piece sum, int first,
                                       const Weights& weights) {
  const int lane = gpu::lane();
#pragma unroll
  for (int j = 0; 1 << j < Lanes; ++j) {
    const typename P::piece left = gpu::shuffle_up(sum, 1 << j);
    if (lane - (1 << j) >= first) sum = pieces.join(left, sum, weights[j]);
  }
  return sum;
}

/// @brief The last lane up to the own one in which a line starts; 0 if there is none.
__device__ inline int last_start(gpu::LaneMask starts) {
  const gpu::LaneMask here = starts & gpu::lanes_up_to_own();
  return here == 0 ? 0 : gpu::highest_lane(here);
}

}  // namespace wavescan::Impl

#endif
