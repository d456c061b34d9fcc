// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TEAM_LEVEL_SCAN_TEAMOPERATOR_HPP
#define WAVESCAN_IMPL_TEAM_LEVEL_SCAN_TEAMOPERATOR_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/WaveScan_TeamScan.hpp>

#include <cstddef>

/// @file
/// @brief The common part of all algorithms by which a team scans a row inside a kernel of its
/// caller's, and the one for every device.

namespace wavescan::Impl {

template <class Op>
concept HasIdentity = requires(const Op op) {
  op.identity();
};

/// @brief The operator that recurrences ask for, of one that may lack value_type and identity.
template <class T, class Op>
struct TeamOperator {
  using value_type = T;
  Op op;
  KOKKOS_FORCEINLINE_FUNCTION T operator()(const T& a, const T& b) const {
    return static_cast<T>(op(a, b));
  }
  KOKKOS_FUNCTION T identity() const {
    if constexpr (HasIdentity<Op>)
      return static_cast<T>(op.identity());
    else
      return T{};  // nothing was combined with nothing
  }
};

/// @brief The row of a team is the one line of this problem.
template <class T, class In, class Op>
using TeamProblem = ScanProblem<PlainRecurrence<TeamOperator<T, Op>>, In>;

/// @brief The state s after the elements of a segment.
template <class Recurrence, class T>
KOKKOS_FUNCTION State<T> state_after(const Recurrence& recurrence, const State<T>& s,
                                     const T& segment) {
  return {s.present ? recurrence.leave(s.value, segment) : recurrence.leave(segment), true};
}

/// @brief `count` values in level 0 of a team's scratch. `team` is a copy of its handle, and when
/// that is gone they are free again: handles count for themselves what they have handed out.
template <class T, class Team>
KOKKOS_FUNCTION T* take_scratch(const Team& team, int count) {
  void* const memory = team.team_scratch(0).get_shmem_aligned(
      static_cast<std::ptrdiff_t>(static_cast<std::size_t>(count) * sizeof(T)), alignof(T));
  if (!memory)
    Kokkos::abort(
        "WaveScan: a scan by a team needs team_scan_shmem_size bytes of its scratch of level 0");
  return static_cast<T*>(memory);
}

/// @brief Scans a row that is not empty, from state s on, and returns the state after it.
///
/// Every thread takes a contiguous piece, sums it up and, once the sums are joined, scans it: as
/// few barriers as there can be.
template <class Team, class Problem>
KOKKOS_FUNCTION State<typename Problem::value_type> scan_by_segments(
    const Team& team, const Problem& problem, const State<typename Problem::value_type>& s) {
  using Recurrence = decltype(Problem::recurrence);
  using T = typename Problem::value_type;
  const Index length = problem.extents.length;
  const int size = team.team_size(), rank = team.team_rank();
  if constexpr (runs_on_host<typename Team::execution_space>)
    if (size == 1) return problem.scan_serially(s, 0, 0, length);

  take_scratch<T>(Team(team), 2 * size);  // or stops, which TeamScan does not
  const Team own = team;
  TeamScan<Recurrence, Team> threads(problem.recurrence, own);
  const Index piece = ceil_div(length, size);
  const int count = static_cast<int>(ceil_div(length, piece));
  // Threads without a piece repeat the first one: all must take part in the join's barriers.
  const Index begin = rank < count ? rank * piece : 0;
  const Index end = begin + piece < length ? begin + piece : length;
  threads.join(problem.recurrence.reduce(problem.in, 0, begin, end), count);
  if (rank < count) {
    const State<T> entering =
        rank == 0 ? s : state_after(problem.recurrence, s, threads.joined(rank - 1));
    // By one lane of a vector: in place, what one has written another would read.
    Kokkos::single(Kokkos::PerThread(team),
                   [&] { problem.scan_serially(entering, 0, begin, end); });
  }
  const State<T> after = state_after(problem.recurrence, s, threads.joined(count - 1));
  threads.done();
  return after;
}

}  // namespace wavescan::Impl

#endif
