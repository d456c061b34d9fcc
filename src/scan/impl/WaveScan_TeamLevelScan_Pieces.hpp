// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TEAMLEVELSCAN_PIECES_HPP
#define WAVESCAN_IMPL_TEAMLEVELSCAN_PIECES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>
#include <impl/WaveScan_TeamLevelScan_Parts.hpp>
#include <impl/WaveScan_TeamScan.hpp>

namespace wavescan::Impl {

/// @brief Scans a row that is not empty, from state s on, and returns the state after it.
///
/// Every thread takes a contiguous piece, sums it up and, once the sums are joined, scans it: as
/// few barriers as there can be.
template <class Team, class Problem>
KOKKOS_FUNCTION State<typename Problem::value_type> scan_by_pieces(
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
