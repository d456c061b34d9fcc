// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_LINE_SOR_LINESWEEPS_HPP
#define WAVESCAN_IMPL_LINE_SOR_LINESWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_TeamLevelScan.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <concepts>
#include <cstddef>

/// @file
/// @brief Rows relaxed as a whole: the systems of rows, and sweeps over them.
///
/// With the rows above and below as they are, the equations of a row's points, with 1 - center on
/// the diagonal, are a tridiagonal system for values x*, and the row becomes center x +
/// (1 - center) x*. Thomas' pivots are the same in all sweeps and are computed once; the two
/// recurrences that remain are scans of affine maps, by the threads of a team.

namespace wavescan::Impl::line_sor {

/// @brief y -> factor y + value; applied in the order of operands.
template <class T>
struct AffineMap {
  T factor, value;
};
template <class T>
struct Compose {
  using value_type = AffineMap<T>;
  KOKKOS_FORCEINLINE_FUNCTION AffineMap<T> operator()(const AffineMap<T>& a,
                                                      const AffineMap<T>& b) const {
    return {a.factor * b.factor, b.factor * a.value + b.value};
  }
};

/// @brief The equations of points.
template <class Problem>
struct Equations {
  using T = typename Problem::value_type;
  using C = sor::CoefficientsOf<Problem>;
  Problem problem;

  KOKKOS_FORCEINLINE_FUNCTION Index columns() const { return problem.x.columns - 2; }
  KOKKOS_FORCEINLINE_FUNCTION C coefficients(Index i, Index j) const {
    if constexpr (sor::FieldsOfStencil<decltype(Problem::coefficients)>)
      return sor::coefficients_at(problem.coefficients, i, j);
    else
      return problem.coefficients;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool fixed(Index i, Index j) const {
    if constexpr (std::same_as<typename Problem::fixed_type, sor::NoFixedPoints>)
      return false;
    else
      return problem.fixed(i, j);
  }
  /// @brief Whether all rows have the same matrix.
  static constexpr bool rows_are_equal =
      !sor::FieldsOfStencil<decltype(Problem::coefficients)> &&
      std::same_as<typename Problem::fixed_type, sor::NoFixedPoints>;

  /// @brief The coefficient of the right neighbour in the row's system; halos are known.
  KOKKOS_FORCEINLINE_FUNCTION T right(Index i, Index j) const {
    return j == columns() || fixed(i, j) ? T(0) : coefficients(i, j).right;
  }
  /// @brief The right-hand side of the row's system.
  KOKKOS_FORCEINLINE_FUNCTION T known(Index i, Index j) const {
    if (fixed(i, j)) return problem.x(i, j);
    const C c = coefficients(i, j);
    return add_known(c, i, j, problem.rhs.data ? c.rhs * problem.rhs(i, j) : T(0),
                     sor::NeighboursOf<C>());
  }

 private:
  template <sor::StencilPoint... Each>
  KOKKOS_FORCEINLINE_FUNCTION T add_known(const C& c, Index i, Index j, T sum,
                                          sor::StencilPoints<Each...>) const {
    const auto add = [&](T coefficient, Index row, Index column) {
      const Index k = j + column;
      const bool solved = row == 0 && k >= 1 && k <= columns();
      if (!solved) sum += coefficient * problem.x(i + row, k);
    };
    (add(sor::entry<Each>(c), sor::row_offset<Each>, sor::column_offset<Each>), ...);
    return sum;
  }
};

/// @brief What Thomas' algorithm makes of a row's matrix: the factor of the recurrence from the
/// left and the inverse pivot, for each point.
template <class T>
struct Pivots {
  T* factors;
  T* inverses;
  Index of_row;  ///< numbers from row to row; 0 where all have the same matrix

  KOKKOS_FORCEINLINE_FUNCTION T& factor(Index i, Index j) const {
    return factors[(i - 1) * of_row + j - 1];
  }
  KOKKOS_FORCEINLINE_FUNCTION T& inverse(Index i, Index j) const {
    return inverses[(i - 1) * of_row + j - 1];
  }
};

template <class Problem>
struct FindPivots {
  using T = typename Problem::value_type;
  Equations<Problem> equations;
  Pivots<T> pivots;

  KOKKOS_FUNCTION void operator()(Index row) const {
    const Index i = row + 1;
    T inverse = T(0), right = T(0);
    for (Index j = 1; j <= equations.columns(); ++j) {
      const auto c = equations.coefficients(i, j);
      const bool fixed = equations.fixed(i, j);
      const T factor = fixed ? T(0) : c.left * inverse;
      inverse = T(1) / ((fixed ? T(1) : T(1) - c.center) - factor * right);
      right = equations.right(i, j);
      pivots.factor(i, j) = factor;
      pivots.inverse(i, j) = inverse;
    }
  }
};

/// @brief What sweeps write besides x.
template <class Exec, class T>
struct Workspace {
  using Maps = Kokkos::View<AffineMap<T>**, Kokkos::LayoutRight, typename Exec::memory_space>;

  /// @param numbers of all pivots
  /// @param teams   that relax rows at a time
  Workspace(const Exec& exec, Index numbers, Index teams, Index columns) {
    allocate(exec, pivots, "WaveScan::line_sor::pivots", numbers);
    allocate(exec, down, "WaveScan::line_sor::down", teams, columns);
    allocate(exec, up, "WaveScan::line_sor::up", teams, columns);
  }
  Kokkos::View<T*, typename Exec::memory_space> pivots;
  Maps down, up;
};

/// @brief Relaxes rows: team k those from first + k step on.
template <class Exec, class Problem>
struct RelaxRows {
  using T = typename Problem::value_type;
  using Team = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Maps = typename Workspace<Exec, T>::Maps;

  Equations<Problem> equations;
  Pivots<T> pivots;
  Maps down, up;  ///< for each team, of a row: from its first point on, and from its last one
  Index first, step;
  Index rows_of_team;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Index k = team.league_rank();
    for (Index row = 0; row < rows_of_team; ++row) {
      relax(team, first + (k * rows_of_team + row) * step, Kokkos::subview(down, k, Kokkos::ALL()),
            Kokkos::subview(up, k, Kokkos::ALL()));
      team.team_barrier();
    }
  }

 private:
  template <class Row>
  KOKKOS_FUNCTION void relax(const Team& team, Index i, const Row& y, const Row& z) const {
    const Index n = equations.columns();
    const Grid<T>& x = equations.problem.x;
    const auto each = Kokkos::TeamVectorRange(team, Index(1), n + 1);
    Kokkos::parallel_for(each, [&](Index j) {
      y(j - 1) = {pivots.factor(i, j), equations.known(i, j)};
    });
    team_inclusive_scan(team, y, y, Compose<T>());
    Kokkos::parallel_for(each, [&](Index j) {
      const T inverse = pivots.inverse(i, j);
      z(n - j) = {equations.right(i, j) * inverse, y(j - 1).value * inverse};
    });
    team_inclusive_scan(team, z, z, Compose<T>());
    Kokkos::parallel_for(each, [&](Index j) {
      const T center = equations.coefficients(i, j).center;
      if (!equations.fixed(i, j)) x(i, j) = center * x(i, j) + (T(1) - center) * z(n - j).value;
    });
  }
};

/// @brief Enqueues `count` sweeps, forwards, backwards or both.
/// @param zebra whether every other row comes first
template <ExecutionSpace Exec, class Problem>
void sweep(const Exec& exec, const Problem& problem, int count, bool zebra, bool forward,
           bool backward) {
  using T = typename Problem::value_type;
  using Relax = RelaxRows<Exec, Problem>;
  constexpr int team_size = runs_on_host<Exec> ? 1 : 256;
  const Index m = problem.interior_rows(), n = problem.interior_columns();
  if (problem.empty() || count == 0) return;
  const Equations<Problem> equations{problem};
  const Index matrices = Equations<Problem>::rows_are_equal ? 1 : m;
  const Index most_teams = zebra ? (m + 1) / 2 : 1;
  const auto workspace = kept_plan<Workspace<Exec, T>>(exec, 2 * matrices * n, most_teams, n);
  T* const numbers = workspace->pivots.data();
  const Pivots<T> pivots{numbers, numbers + matrices * n, matrices == 1 ? 0 : n};
  Kokkos::parallel_for("WaveScan::line_sor::pivots",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, matrices),
                       FindPivots<Problem>{equations, pivots});

  const auto relax = [&](Index first, Index step, Index teams, Index rows_of_team) {
    if (teams == 0) return;
    Kokkos::TeamPolicy<Exec> policy(exec, static_cast<int>(teams), team_size);
    policy.set_scratch_size(0,
                            Kokkos::PerTeam(team_scan_shmem_size<AffineMap<T>, Exec>(team_size)));
    Kokkos::parallel_for(
        "WaveScan::line_sor", policy,
        Relax{equations, pivots, workspace->down, workspace->up, first, step, rows_of_team});
  };
  const auto pass = [&](bool backwards) {
    if (!zebra) return relax(backwards ? m : 1, backwards ? -1 : 1, 1, m);
    for (const Index first : backwards ? std::array<Index, 2>{2, 1} : std::array<Index, 2>{1, 2})
      relax(first, 2, (m + 2 - first) / 2, 1);
  };
  for (int k = 0; k < count; ++k) {
    if (forward) pass(false);
    if (backward) pass(true);
  }
}

}  // namespace wavescan::Impl::line_sor

#endif
