// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TEAM_LEVEL_SCAN_GPU_GPUTEAMSCAN_HPP
#define WAVESCAN_IMPL_TEAM_LEVEL_SCAN_GPU_GPUTEAMSCAN_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/team_level_scan/WaveScan_TeamOperator.hpp>

namespace wavescan::Impl {

/// @brief Scans a row from state s on and returns the state after it (CUDA and HIP).
///
/// The threads of the block, which is the team with the lanes of its vectors, take neighbouring
/// elements, one each, at a time.
template <class Team, class Problem>
__device__ State<typename Problem::value_type> scan_by_warps(
    const Team& team, const Problem& problem, State<typename Problem::value_type> s) {
  using T = typename Problem::value_type;
  const auto& recurrence = problem.recurrence;
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const int lane = thread % gpu::warp_size, warp = thread / gpu::warp_size;
  const auto scan_lanes = [&](const T& value) {
    return gpu::warp_segmented_scan(value, 0, lane, [&](const T& left, const T& right, int) {
      return recurrence.join(left, right);
    });
  };
  const Team own = team;
  T* const sums = take_scratch<T>(own, (threads - 1) / gpu::warp_size + 1);  // of warps

  for (Index first = 0; first < problem.extents.length; first += threads) {
    const Index left = problem.extents.length - first;
    const int count = left < threads ? static_cast<int>(left) : threads;
    const int warps = (count - 1) / gpu::warp_size + 1;
    const bool has_element = thread < count;
    // Threads without an element repeat the first one: all must take part in shuffles.
    const T x = problem.input(0, first + (has_element ? thread : 0));
    const T sum = scan_lanes(x);
    const T sum_before = gpu::shuffle_up(sum, 1);
    if (has_element && (lane == gpu::warp_size - 1 || thread == count - 1)) sums[warp] = sum;
    team.team_barrier();
    if (warp == 0) {  // a whole one, if there are more
      const T joined = scan_lanes(lane < warps ? sums[lane] : x);
      if (lane < warps) sums[lane] = joined;
    }
    team.team_barrier();
    if (has_element) {
      State<T> before = warp == 0 ? s : state_after(recurrence, s, sums[warp - 1]);
      if (problem.kind == ScanKind::Inclusive) {
        problem.out(0, first + thread) = state_after(recurrence, before, sum).value;
      } else {
        if (lane > 0) before = state_after(recurrence, before, sum_before);
        problem.out(0, first + thread) = before.present ? before.value : recurrence.identity();
      }
    }
    s = state_after(recurrence, s, sums[warps - 1]);
    team.team_barrier();
  }
  return s;
}

}  // namespace wavescan::Impl

#endif
