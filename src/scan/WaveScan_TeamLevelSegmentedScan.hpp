// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEAMLEVELSEGMENTEDSCAN_HPP
#define WAVESCAN_TEAMLEVELSEGMENTEDSCAN_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_TeamLevelScan.hpp>
#include <impl/team_level_scan/WaveScan_TeamSegments.hpp>

#include <cstddef>

/// @file
/// @brief Scans of segments that the threads of a team do together, inside a kernel of a
/// Kokkos::TeamPolicy: as those of WaveScan_TeamLevelScan.hpp, whose rules apply, with a View of
/// flags that say with which elements segments begin. The first element always begins one.

namespace wavescan {

/// @brief Bytes of team scratch of level 0 that segmented scans by a team need: see
/// team_scan_shmem_size.
template <class T, ExecutionSpace Exec = Kokkos::DefaultExecutionSpace>
std::size_t team_segmented_scan_shmem_size(int team_size = 1024) {
  return team_scan_shmem_size<Impl::HeadedValue<T>, Exec>(team_size);
}

/// @brief Inclusive scan of segments: out_j = x_b ⋄ ... ⋄ x_j, where b is the first element of j's
/// segment, by all threads of the team.
/// @param team  the team's handle, as the kernel was given it
/// @param flags View of rank 1 of the length of `in`; not zero where segments begin
template <class Team, ViewOfRank<1> In, ViewOfRank<1> Flags, ViewOfRank<1> Out,
          class Op = Plus<typename Out::non_const_value_type>>
KOKKOS_FUNCTION void team_segmented_inclusive_scan(const Team& team, const In& in,
                                                   const Flags& flags, const Out& out,
                                                   const Op& op = {}) {
  Impl::team_scan_segments(team, Impl::ScanKind::Inclusive, in, flags, out, op);
}

/// @brief Exclusive scan of segments: out_j = x_b ⋄ ... ⋄ x_{j-1}, and the operator's identity
/// where segments begin, by all threads of the team.
template <class Team, ViewOfRank<1> In, ViewOfRank<1> Flags, ViewOfRank<1> Out,
          class Op = Plus<typename Out::non_const_value_type>>
KOKKOS_FUNCTION void team_segmented_exclusive_scan(const Team& team, const In& in,
                                                   const Flags& flags, const Out& out,
                                                   const Op& op = {}) {
  static_assert(Impl::HasIdentity<Op>,
                "WaveScan: team_segmented_exclusive_scan needs an operator with identity()");
  Impl::team_scan_segments(team, Impl::ScanKind::Exclusive, in, flags, out, op);
}

}  // namespace wavescan

#endif
