// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_TEAMBANDSOLVE_HPP
#define WAVESCAN_IMPL_COLUMNS_TEAMBANDSOLVE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/columns/WaveScan_TeamSolve.hpp>
#include <impl/columns/WaveScan_Thomas.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief One band system by a thread, or by a team, in Views that are overwritten.

namespace wavescan::Impl::columns {

/// @brief Views of a system; what elimination leaves of rows takes the place of their numbers.
template <class Lower, class Diagonal, class Upper, class X>
struct TridiagonalViews {
  using T = typename X::non_const_value_type;
  static constexpr int M = 1;
  const Lower& lower;
  const Diagonal& diagonal;
  const Upper& upper;
  const X& x;

  KOKKOS_FORCEINLINE_FUNCTION T number(int offset, Index i) const {
    return offset < 0 ? T(lower(i)) : offset == 0 ? T(diagonal(i)) : T(upper(i));
  }
  KOKKOS_FORCEINLINE_FUNCTION void keep_right(Index i, const BandRow<T, M>& row) const {
    x(i) = row.known;
    upper(i) = row.upper[0];
  }
  KOKKOS_FORCEINLINE_FUNCTION void keep_left(Index i, const BandRow<T, M>& row) const {
    lower(i) = row.fill[0];
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_right(Index i, BandRow<T, M>& row) const {
    row.known = x(i);
    row.upper[0] = upper(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_left(Index i, BandRow<T, M>& row) const {
    row.fill[0] = lower(i);
  }
};
template <class Lower2, class Lower, class Diagonal, class Upper, class Upper2, class X>
struct PentadiagonalViews {
  using T = typename X::non_const_value_type;
  static constexpr int M = 2;
  const Lower2& lower2;
  const Lower& lower;
  const Diagonal& diagonal;
  const Upper& upper;
  const Upper2& upper2;
  const X& x;

  KOKKOS_FORCEINLINE_FUNCTION T number(int offset, Index i) const {
    return offset == -2   ? T(lower2(i))
           : offset == -1 ? T(lower(i))
           : offset == 0  ? T(diagonal(i))
           : offset == 1  ? T(upper(i))
                          : T(upper2(i));
  }
  KOKKOS_FORCEINLINE_FUNCTION void keep_right(Index i, const BandRow<T, M>& row) const {
    x(i) = row.known;
    upper(i) = row.upper[0];
    upper2(i) = row.upper[1];
  }
  KOKKOS_FORCEINLINE_FUNCTION void keep_left(Index i, const BandRow<T, M>& row) const {
    lower2(i) = row.fill[0];
    lower(i) = row.fill[1];
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_right(Index i, BandRow<T, M>& row) const {
    row.known = x(i);
    row.upper[0] = upper(i);
    row.upper[1] = upper2(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_left(Index i, BandRow<T, M>& row) const {
    row.fill[0] = lower2(i);
    row.fill[1] = lower(i);
  }
};

/// @brief Row i of n, divided by its pivot.
template <class Views, class T = typename Views::T>
KOKKOS_FORCEINLINE_FUNCTION auto factor_row(const Views& views, Index i, Index n,
                                            const ForwardElimination<T, Views::M>& before) {
  return before.factor([&](int k) {
    const Index column = i + k - Views::M;
    return column < 0 || column >= n ? T(0) : views.number(k - Views::M, i);
  });
}

/// @brief Finds the unknowns from `end` - 1 down to `begin`.
/// @param before the last ones before `begin`
/// @param own    the last ones before `end`, which are taken as they are; or null
template <class Views, class T = typename Views::T, int M = Views::M>
KOKKOS_FORCEINLINE_FUNCTION void substitute_rows(const Views& views, Index begin, Index end,
                                                 const Column<T, M>* before,
                                                 const Column<T, M>* own) {
  T after[M] = {};
  const Column<T, M> zero(T(0));
  for (Index i = end - 1; i >= begin; --i) {
    BandRow<T, M> row;
    for (T& fill : row.fill) fill = T(0);
    views.load_right(i, row);
    if (before) views.load_left(i, row);
    const Index place = M + i - end;  // among the last ones
    const T x = own && place >= 0 ? at(*own, static_cast<int>(place))
                                  : row.value(before ? *before : zero, after);
    views.x(i) = x;
    for (int j = M - 1; j > 0; --j) after[j] = after[j - 1];
    after[0] = x;
  }
}

template <class Views>
KOKKOS_FUNCTION void serial_band_solve(const Views& views) {
  using T = typename Views::T;
  constexpr int M = Views::M;
  const auto n = static_cast<Index>(views.x.extent(0));
  auto e = ForwardElimination<T, M>::at_begin();
  for (Index i = 0; i < n; ++i)
    views.keep_right(i, e.push(factor_row(views, i, n, e), T(views.x(i))));
  substitute_rows(views, 0, n, nullptr, nullptr);
}

/// @brief A band system of n rows that threads of a team share.
template <class Views>
struct TeamBand {
  using T = typename Views::T;
  static constexpr int M = Views::M;
  static constexpr Index fewest_rows = M;  ///< of a run, unless there is one only
  const Views& views;
  Index n;

  KOKKOS_FUNCTION Ends<T, M> eliminate(Index begin, Index end) const {
    auto e = before_first_row<T, M>(true, end - begin);
    for (Index i = begin; i < end; ++i) {
      const BandRow<T, M>& row = e.push(factor_row(views, i, n, e), T(views.x(i)));
      views.keep_right(i, row);
      views.keep_left(i, row);
    }
    auto back = BackwardElimination<T, M>::behind_last();
    for (Index i = end - 1 - M; i >= begin; --i) {
      BandRow<T, M> row;
      views.load_right(i, row);
      views.load_left(i, row);
      back.push(row);
    }
    return {e.last(), back.first};
  }
  KOKKOS_FUNCTION void substitute(Index begin, Index end, const Column<T, M>& before,
                                  const Column<T, M>& own) const {
    substitute_rows(views, begin, end, &before, &own);
  }
};

template <class Team, class Views>
KOKKOS_FUNCTION void team_band_solve(const Team& team, const Views& views) {
  team_solve(team, TeamBand<Views>{views, static_cast<Index>(views.x.extent(0))});
}

}  // namespace wavescan::Impl::columns

#endif
