// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TEAM_LEVEL_SCAN_TEAMSEGMENTS_HPP
#define WAVESCAN_IMPL_TEAM_LEVEL_SCAN_TEAMSEGMENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_Accessors.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/team_level_scan/WaveScan_TeamOperator.hpp>
#include <impl/team_level_scan/WaveScan_TeamRow.hpp>

#include <concepts>
#include <type_traits>

/// @file
/// @brief A team's scan of segments is one of values that know whether a segment begins with or
/// before them.

namespace wavescan::Impl {

template <class T>
struct HeadedValue {
  T value;
  bool head;
};

template <class T, class Op>
struct HeadedOperator {
  using value_type = HeadedValue<T>;
  Op op;
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(const value_type& a,
                                                    const value_type& b) const {
    if (b.head) return b;
    return {static_cast<T>(op(a.value, b.value)), a.head};
  }
};

template <class In, class Flags, class T>
struct HeadedSource {
  In in;
  Flags flags;
  KOKKOS_FORCEINLINE_FUNCTION HeadedValue<T> operator()(Index, Index j) const {
    return {static_cast<T>(in(j)), j == 0 || static_cast<bool>(flags(j))};
  }
  KOKKOS_FORCEINLINE_FUNCTION AccessedElements<HeadedSource> from(Index line, Index first) const {
    return {*this, line, first};
  }
};

/// @brief Takes the values alone; of exclusive scans, the identity where segments begin.
template <class Out, class Flags, class T>
struct HeadedTarget {
  Out out;
  Flags flags;
  bool exclusive;
  T at_heads;
  struct Place {
    const HeadedTarget& target;
    Index j;
    KOKKOS_FORCEINLINE_FUNCTION void operator=(const HeadedValue<T>& state) const {
      const bool begins = target.exclusive && (j == 0 || static_cast<bool>(target.flags(j)));
      target.out(j) = begins ? target.at_heads : state.value;
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION Place operator()(Index, Index j) const { return {*this, j}; }
  KOKKOS_FORCEINLINE_FUNCTION AccessedElements<HeadedTarget> from(Index line, Index first) const {
    return {*this, line, first};
  }
};

template <class Team, class In, class Flags, class Out, class Op>
KOKKOS_FUNCTION void team_scan_segments(const Team& team, ScanKind kind, const In& in,
                                        const Flags& flags, const Out& out, const Op& op) {
  using T = typename Out::non_const_value_type;
  static_assert(WritableView<Out> && Scannable<T>,
                "WaveScan: elements of 'out' must be trivially copyable and not const");
  static_assert(std::convertible_to<typename In::value_type, T>,
                "WaveScan: elements of 'in' must convert to those of 'out'");
  static_assert(std::is_invocable_r_v<T, const Op&, const T&, const T&>,
                "WaveScan: 'op' must combine two values of the type of 'out'");
  KOKKOS_EXPECTS(in.extent(0) == out.extent(0) && in.extent(0) == flags.extent(0));
  using Headed = HeadedOperator<T, Op>;
  using Accessors = Through<HeadedSource<In, Flags, T>, HeadedTarget<Out, Flags, T>>;
  const Index length = static_cast<Index>(in.extent(0));
  const T at_heads = TeamOperator<T, Op>{op}.identity();
  const TeamProblem<HeadedValue<T>, Accessors, Headed> problem{
      {{{op}}}, kind, {1, length}, {in, flags}, {out, flags, kind == ScanKind::Exclusive, at_heads},
      {},       {}};
  team.team_barrier();
  if (length > 0) scan_row(team, problem, State<HeadedValue<T>>{{at_heads, false}, false});
}

}  // namespace wavescan::Impl

#endif
