// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_TEAMSCAN_HPP
#define WAVESCAN_IMPL_SCAN_TEAMSCAN_HPP

#include <WaveScan_Concepts.hpp>

#include <cstddef>

namespace wavescan::Impl {

/// @brief Joins the segments of a team's threads in the order of their ranks (Hillis and Steele).
///
/// Takes log2(threads) steps in team scratch. Operands keep their order, so the operator need not
/// commute, which Kokkos' own reducers ask for.
template <class Recurrence, class Team>
class TeamScan {
 public:
  using segment_type = typename Recurrence::segment_type;

  /// @brief Bytes of level-0 team scratch that a team of this size needs.
  static std::size_t scratch_bytes(int team_size) {
    return 2 * static_cast<std::size_t>(team_size) * sizeof(segment_type) + alignof(segment_type);
  }

  KOKKOS_FUNCTION TeamScan(const Recurrence& recurrence, const Team& team)
      : recurrence_(recurrence), team_(team) {
    const auto bytes = static_cast<std::ptrdiff_t>(2 * team.team_size() * sizeof(segment_type));
    current_ = static_cast<segment_type*>(
        team.team_scratch(0).get_shmem_aligned(bytes, alignof(segment_type)));
    next_ = current_ + team.team_size();
  }

  /// @brief Joins the threads' segments. Every thread of the team calls this; ranks below `count`
  /// (at least 1) bring a segment.
  ///
  /// Afterwards joined(r) is the segment of ranks 0 to r, until done() is called.
  KOKKOS_FUNCTION void join(const segment_type& segment, int count) {
    const int rank = team_.team_rank();
    if (rank < count) current_[rank] = segment;
    team_.team_barrier();
    for (int distance = 1; distance < count; distance *= 2) {
      if (rank < count)
        next_[rank] = rank < distance ? current_[rank]
                                      : recurrence_.join(current_[rank - distance], current_[rank]);
      team_.team_barrier();
      segment_type* const last = current_;
      current_ = next_;
      next_ = last;
    }
  }

  KOKKOS_FUNCTION const segment_type& joined(int rank) const { return current_[rank]; }

  /// @brief Ends a join; called by every thread before the next one.
  KOKKOS_FUNCTION void done() const { team_.team_barrier(); }

 private:
  const Recurrence& recurrence_;
  const Team& team_;
  segment_type* current_;
  segment_type* next_;
};

}  // namespace wavescan::Impl

#endif
