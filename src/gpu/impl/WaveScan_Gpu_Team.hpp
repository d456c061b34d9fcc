// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_TEAM_HPP
#define WAVESCAN_IMPL_GPU_TEAM_HPP

#include <impl/WaveScan_Gpu_Warp.hpp>

namespace wavescan::Impl::gpu {

/// @brief Waits until so many of a block's threads, whole warps, have come with this number: 1 to
/// 15, since 0 is that of __syncthreads (CUDA).
template <int Threads>
__device__ void sync_threads(int number) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(Threads) : "memory");
}

/// @brief Neighbouring warps of a block that work together, beside other teams (CUDA).
///
/// Warps that are too few for another team belong to a team that is not complete.
class Team {
 public:
  __device__ explicit Team(int warps)
      : warps_(warps), number_(warp() / warps), rank_(warp() % warps) {}

  __device__ int number() const { return number_; }
  __device__ int warps() const { return warps_; }
  /// @brief The own warp's place in the team.
  __device__ int rank() const { return rank_; }
  __device__ bool complete() const {
    return (number_ + 1) * warps_ * warp_size <= static_cast<int>(blockDim.x);
  }

  /// @brief The team's threads wait for each other.
  __device__ void sync() const {
    if (warps_ == 1)
      sync_warp();
    else  // at most 8 of 16 barriers, and not the one of __syncthreads
      asm volatile("bar.sync %0, %1;" ::"r"(1 + number_), "r"(warps_ * warp_size) : "memory");
  }

 private:
  int warps_;
  int number_;
  int rank_;
};

/// @brief Calls f(i) for all i below `count`, which the threads of a block share.
template <class F>
__device__ void for_each_of_block(int count, const F& f) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) f(i);
}
}  // namespace wavescan::Impl::gpu

#endif
