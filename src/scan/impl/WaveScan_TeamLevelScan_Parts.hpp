// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TEAMLEVELSCAN_PARTS_HPP
#define WAVESCAN_IMPL_TEAMLEVELSCAN_PARTS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>
#include <impl/WaveScan_Scan_Recurrence.hpp>

#include <cstddef>

/// @file
/// @brief What all ways share in which a team scans a row inside a kernel of its caller's.

namespace wavescan::Impl {

template <class Op>
concept HasIdentity = requires(const Op op) {
  op.identity();
};

/// @brief The operator that recurrences ask for, of one that may lack value_type and identity.
template <class T, class Op>
struct OperatorOn {
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
using TeamProblem = ScanProblem<PlainRecurrence<OperatorOn<T, Op>>, In>;

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

}  // namespace wavescan::Impl

#endif
