// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TEAM_LEVEL_SCAN_TEAMROW_HPP
#define WAVESCAN_IMPL_TEAM_LEVEL_SCAN_TEAMROW_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/team_level_scan/WaveScan_TeamOperator.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/team_level_scan/gpu/WaveScan_GpuTeamScan.hpp>
#endif

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>

/// @file
/// @brief A team's row: its arguments, the way to scan it, and the scratch that this needs.

namespace wavescan::Impl {

/// @brief Bytes of scratch that teams need, with what alignment may take.
template <class T, ExecutionSpace Exec>
std::size_t team_scratch_bytes(int team_size) {
  constexpr int max_warps = 32;         // of a block; a thread's vector is no longer than a warp
  constexpr int max_host_threads = 64;  // of a team of Kokkos
  if constexpr (runs_on_host<Exec>) team_size = std::min(team_size, max_host_threads);
  const int values = runs_on_gpu<Exec> ? std::min(team_size, max_warps) : 2 * team_size;
  return static_cast<std::size_t>(values) * sizeof(T) + alignof(T);
}

/// @brief Scans a row that is not empty by the best way for the team's device.
template <class Team, class Problem>
KOKKOS_FUNCTION State<typename Problem::value_type> scan_row(
    const Team& team, const Problem& problem, const State<typename Problem::value_type>& s) {
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<typename Team::execution_space>) {
    KOKKOS_IF_ON_DEVICE((return scan_by_warps(team, problem, s);))
    KOKKOS_IF_ON_HOST(((void)team; (void)problem; return s;))
  } else
#endif
    return scan_by_segments(team, problem, s);
}

/// @brief Scans a row of any length, between two barriers, and returns the state after it.
template <class Team, class In, class Out, class Op, class T>
KOKKOS_FUNCTION T team_scan(const Team& team, ScanKind kind, const In& in, const Out& out,
                            const Op& op, const State<T>& carry_in) {
  static_assert(WritableView<Out>, "WaveScan: 'out' must not be const");
  static_assert(Scannable<T>, "WaveScan: elements of 'out' must be trivially copyable");
  static_assert(std::convertible_to<typename In::value_type, T>,
                "WaveScan: elements of 'in' must convert to those of 'out'");
  static_assert(std::is_invocable_r_v<T, const Op&, const T&, const T&>,
                "WaveScan: 'op' must combine two values of the type of 'out'");
  if constexpr (requires { typename Op::value_type; })
    static_assert(std::same_as<typename Op::value_type, T>,
                  "WaveScan: 'out' must have the operator's value_type");
  KOKKOS_EXPECTS(in.extent(0) == out.extent(0));

  const Index length = static_cast<Index>(in.extent(0));
  const TeamProblem<T, const typename In::non_const_value_type, Op> problem{
      {{op}},
      kind,
      {1, length},
      {in.data(), 0, static_cast<Index>(in.stride(0))},
      {out.data(), 0, static_cast<Index>(out.stride(0))},
      {},
      {}};
  team.team_barrier();
  const State<T> after = length == 0 ? carry_in : scan_row(team, problem, carry_in);
  return after.present ? after.value : problem.recurrence.identity();
}

}  // namespace wavescan::Impl

#endif
