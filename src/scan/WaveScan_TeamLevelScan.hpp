// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEAMLEVELSCAN_HPP
#define WAVESCAN_TEAMLEVELSCAN_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Operators.hpp>
#include <impl/team_level_scan/WaveScan_TeamRow.hpp>

#include <cstddef>

/// @file
/// @brief Scans that the threads of a team do together, inside a kernel of a Kokkos::TeamPolicy.
///
/// Every thread of the team, and every lane of its vectors, calls them with the same arguments,
/// outside of nested parallel loops and of Kokkos::single. `in` and `out` are Views of rank 1, of
/// the same length and of any layout, in team scratch of any level or in memory that the execution
/// space reaches: subviews of rows and columns, too. `out` may be `in` itself; else they share no
/// memory. Elements of `in` are converted to the value type of `out`.
///
/// The operator `op(a, b)`, a the earlier operand, is associative; it need not commute. It needs no
/// `value_type`, and an `identity()` only for exclusive scans without a carry.
///
/// A scan begins and ends with a barrier of the team: it may read what any of its threads has
/// written before, and afterwards all of them may read the results.
///
/// Team scratch: level 0 must have `team_scan_shmem_size` bytes left, which are free again when the
/// scan returns, for the next one. Kernels stop by Kokkos::abort if they are not there.
///
/// Complexity, of n elements by t threads: about 2 n / t + log2(t) applications of the operator,
/// one after the other, and log2(t) barriers; a host's team of one thread scans in order, without
/// scratch. On NVIDIA and AMD GPUs, where t counts the lanes of vectors, too, neighbouring threads
/// take neighbouring elements and join them by shuffles: n / t turns of at most 13 (AMD: 15)
/// applications, one after the other, and three barriers.

namespace wavescan {

/// @brief Bytes of team scratch of level 0 that scans by a team need, one after the other:
///
///     policy.set_scratch_size(0, Kokkos::PerTeam(wavescan::team_scan_shmem_size<double>(64)));
///
/// To what else the kernel takes they are added. On NVIDIA and AMD GPUs there are at most 32
/// values, elsewhere two for each thread, of which host teams have at most 64.
/// @tparam T        value type of the results
/// @tparam Exec     execution space of the policy
/// @param team_size threads of a team, or more, as by default, for Kokkos::AUTO
template <class T, ExecutionSpace Exec = Kokkos::DefaultExecutionSpace>
std::size_t team_scan_shmem_size(int team_size = 1024) {
  return Impl::team_scratch_bytes<T, Exec>(team_size);
}

/// @brief Inclusive scan: out_j = x_0 ⋄ x_1 ⋄ ... ⋄ x_j, by all threads of the team.
/// @param team the team's handle, as the kernel was given it
/// @return in every thread: the combination of all elements; of none, the operator's identity, or
/// T{} where it has none
template <class Team, ViewOfRank<1> In, ViewOfRank<1> Out,
          class Op = Plus<typename Out::non_const_value_type>>
KOKKOS_FUNCTION typename Out::non_const_value_type team_inclusive_scan(const Team& team,
                                                                       const In& in, const Out& out,
                                                                       const Op& op = {}) {
  return Impl::team_scan(team, Impl::ScanKind::Inclusive, in, out, op,
                         Impl::State<typename Out::non_const_value_type>{{}, false});
}

/// @brief Inclusive scan from a state on: out_j = carry_in ⋄ x_0 ⋄ ... ⋄ x_j.
/// @return in every thread: the state after the last element, to be handed to the next piece
template <class Team, ViewOfRank<1> In, ViewOfRank<1> Out, class Op>
KOKKOS_FUNCTION typename Out::non_const_value_type team_inclusive_scan(
    const Team& team, const In& in, const Out& out, const Op& op,
    const typename Out::non_const_value_type& carry_in) {
  return Impl::team_scan(team, Impl::ScanKind::Inclusive, in, out, op,
                         Impl::State<typename Out::non_const_value_type>{carry_in, true});
}

/// @brief Exclusive scan: out_j = x_0 ⋄ ... ⋄ x_{j-1}, out_0 = identity, by all threads of the
/// team.
/// @return in every thread: the combination of all elements, the last one included
template <class Team, ViewOfRank<1> In, ViewOfRank<1> Out,
          class Op = Plus<typename Out::non_const_value_type>>
KOKKOS_FUNCTION typename Out::non_const_value_type team_exclusive_scan(const Team& team,
                                                                       const In& in, const Out& out,
                                                                       const Op& op = {}) {
  static_assert(Impl::HasIdentity<Op>,
                "WaveScan: team_exclusive_scan needs an operator with identity(), or a carry_in");
  return Impl::team_scan(team, Impl::ScanKind::Exclusive, in, out, op,
                         Impl::State<typename Out::non_const_value_type>{{}, false});
}

/// @brief Exclusive scan from a state on: out_j = carry_in ⋄ x_0 ⋄ ... ⋄ x_{j-1}, out_0 = carry_in.
/// @return in every thread: the state after the last element, to be handed to the next piece
template <class Team, ViewOfRank<1> In, ViewOfRank<1> Out, class Op>
KOKKOS_FUNCTION typename Out::non_const_value_type team_exclusive_scan(
    const Team& team, const In& in, const Out& out, const Op& op,
    const typename Out::non_const_value_type& carry_in) {
  return Impl::team_scan(team, Impl::ScanKind::Exclusive, in, out, op,
                         Impl::State<typename Out::non_const_value_type>{carry_in, true});
}

}  // namespace wavescan

#endif
