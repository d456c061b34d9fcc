// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_LAUNCHEND_HPP
#define WAVESCAN_IMPL_GPU_LAUNCHEND_HPP

#include <impl/WaveScan_Gpu_Mailbox.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>

#include <cstdint>

/// @file
/// @brief The last block of a launch, which ends its tags.
///
/// Nobody waits: whoever comes last finds all others counted, and each has got its tags before it
/// was. What blocks have stored is seen by the last one if they fence before they count
/// (fence_before_publish) and it does after (fence_after_look). The next launch finds the counter
/// at zero again, and its tags after those of this one, by the order of the stream.

namespace wavescan::Impl::gpu {

/// @brief What a launch leaves to the next one, in device memory; zero at first.
struct LaunchEnd {
  TaggedWord last_tag;
  unsigned arrived;  ///< blocks at the end of the launch

  /// @brief The tags of this launch.
  __device__ LaunchTags tags() { return Epoch{&last_tag}.tags(); }
  /// @brief Called by the first warp of each block, once: true in the last block.
  __device__ bool arrive() {
    const int before = threadIdx.x == 0 ? static_cast<int>(atomicAdd(&arrived, 1u)) : 0;
    return broadcast(before, 0) == static_cast<int>(gridDim.x) - 1;
  }
  /// @brief Called by a thread of the last block.
  __device__ void end(const LaunchTags& tags, std::uint32_t last_turn) {
    arrived = 0;
    Epoch{&last_tag}.end(tags, last_turn);
  }
};

}  // namespace wavescan::Impl::gpu

#endif
