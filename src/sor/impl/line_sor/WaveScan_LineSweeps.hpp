// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_LINE_SOR_LINESWEEPS_HPP
#define WAVESCAN_IMPL_LINE_SOR_LINESWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_TeamLevelScan.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/columns/WaveScan_SolveSystems.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <utility>

/// @file
/// @brief Rows relaxed as a whole: the systems of rows, and sweeps over them.
///
/// With the rows above and below as they are, the equations of a row's points, with 1 - center on
/// the diagonal, are a tridiagonal system for values x*, and the row becomes center x +
/// (1 - center) x*. Its matrix is the same in all sweeps and is factorized once. Every other row at
/// once is a batch of systems; of rows one after the other Thomas' recurrences are scans of affine
/// maps, by the threads of a team.

namespace wavescan::Impl::line_sor {

/// @brief The map y -> factor y + value; applied in the order of operands.
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
  /// Constant ones are not copied: compilers would do so for each point.
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) coefficients(Index i, Index j) const {
    if constexpr (sor::FieldsOfStencil<decltype(Problem::coefficients)>)
      return sor::coefficients_at(problem.coefficients, i, j);
    else
      return (problem.coefficients);
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
    const C& c = coefficients(i, j);
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

/// @brief The pivots of a row's matrix in Thomas' algorithm: the factor of the recurrence from the
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

/// @brief Sweeps over every other row at once, whose systems are solved as a batch.
///
/// On hosts a thread takes as many rows as vectors have lanes, so that what it solves for stays in
/// its cache, and then the next ones.
template <class Exec, class Problem>
class ZebraSweeps {
  using T = typename Problem::value_type;

 public:
  struct Workspace {
    Workspace(const Exec& exec, Index entries_of_matrices, Index entries) {
      allocate(exec, matrices, "WaveScan::line_sor::matrices", 6 * entries_of_matrices);
      allocate(exec, solution, "WaveScan::line_sor::solution", entries);
    }
    Kokkos::View<T*, typename Exec::memory_space> matrices, solution;
  };

  // Kernels are public for nvcc.
  struct FindMatrices {
    Equations<Problem> equations;
    Lines<T> lower, diagonal, upper;
    Index columns;
    KOKKOS_FUNCTION void operator()(Index place) const {
      const Index line = place / columns, k = place % columns, i = line + 1, j = k + 1;
      const auto c = equations.coefficients(i, j);
      const bool fixed = equations.fixed(i, j);
      lower(line, k) = fixed || k == 0 ? T(0) : -c.left;
      diagonal(line, k) = fixed ? T(1) : T(1) - c.center;
      upper(line, k) = -equations.right(i, j);
    }
  };
  struct Known {};
  struct Over {};
  struct Relax {
    Equations<Problem> equations;
    Lines<T> solution;
    Index first, columns;
    KOKKOS_FORCEINLINE_FUNCTION void at(Known, Index line, Index k) const {
      solution(line, k) = equations.known(first + 2 * line, k + 1);
    }
    KOKKOS_FORCEINLINE_FUNCTION void at(Over, Index line, Index k) const {
      const Index i = first + 2 * line, j = k + 1;
      if (equations.fixed(i, j)) return;
      const T center = equations.coefficients(i, j).center;
      T& x = equations.problem.x(i, j);
      x = center * x + (T(1) - center) * solution(line, k);
    }
    template <class Step>
    KOKKOS_FUNCTION void operator()(Step step, Index place) const {
      at(step, place / columns, place % columns);
    }
  };

  /// Enqueues the factorization.
  ZebraSweeps(const Exec& exec, const Equations<Problem>& equations)
      : exec_(exec),
        equations_(equations),
        rows_(equations.problem.interior_rows()),
        columns_(equations.columns()),
        matrices_(Equations<Problem>::rows_are_equal ? 1 : rows_),
        in_lanes_(columns::select_factored_algorithm<T, 1>(exec, {rows_ / 2, columns_}, false) ==
                  columns::ColumnsAlgorithm::Lanes),
        workspace_(kept_plan<Workspace>(
            exec, matrices_ * columns_,
            in_lanes_ ? exec.concurrency() * numbers_of_thread() : (rows_ + 1) / 2 * columns_)) {
    Kokkos::parallel_for("WaveScan::line_sor::matrices", each(matrices_ * columns_),
                         FindMatrices{equations, part(0), part(1), part(2), columns_});
    columns::factorize(exec, columns::Matrices<T>{{constant(0), constant(1), constant(2)}},
                       columns::EachOf<T, 3>{{part(3), part(4), part(5)}}, columns::EachOf<T, 1>{},
                       LineExtents{matrices_, columns_});
  }

  /// @brief Relaxes rows `first`, `first` + 2, ...
  void relax(Index first) const {
    const Index lines = (rows_ + 2 - first) / 2;
    if (lines == 0) return;
    if (in_lanes_) return relax_in_lanes(first, lines);
    const Lines<T> x{workspace_->solution.data(), columns_, 1};
    const Relax of_rows{equations_, x, first, columns_};
    Kokkos::parallel_for("WaveScan::line_sor::known", each<Known>(lines * columns_), of_rows);
    columns::solve_factored(
        exec_, columns::FactoredSystems<T>{
                   factors(first - 1), {x.data, x.line_stride, 1}, x, {lines, columns_}});
    Kokkos::parallel_for("WaveScan::line_sor", each<Over>(lines * columns_), of_rows);
  }

 private:
  template <class Tag = void>
  auto each(Index items) const {
    return Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<Index>>(exec_, 0, items);
  }
  /// @brief A diagonal (0 to 2) or an array of factors (3 to 5).
  Lines<T> part(int number) const {
    return {workspace_->matrices.data() + number * matrices_ * columns_, columns_, 1};
  }
  Lines<const T> constant(int number) const {
    const Lines<T> lines = part(number);
    return {lines.data, lines.line_stride, lines.stride};
  }
  /// @brief The factors of every other row from `row` on.
  columns::Matrices<T> factors(Index row) const {
    const auto factor = [&](int number) {
      const Lines<const T> all = constant(number);
      return matrices_ == 1 ? Lines<const T>{all.data, 0, 1}
                            : Lines<const T>{&all(row, 0), 2 * columns_, 1};
    };
    return {{factor(3), factor(4), factor(5)}};
  }

  /// @brief The distance from row to row of the systems in a thread's lanes: cache lines, an odd
  /// number of them, so that the same unknown of all systems fits in a cache.
  Index pitch() const {
    constexpr Index of_line = 64 / sizeof(T);
    return (columns_ / of_line | 1) * of_line + of_line * 2;
  }
  /// @brief The number of values that a thread of a host has for the systems in its lanes: their
  /// unknowns, and what their elimination takes.
  Index numbers_of_thread() const {
#if defined(WAVESCAN_HAS_VECTORS)
    if constexpr (runs_on_host<Exec>)
      return columns::best_lanes<columns::LaneElimination, T, 1, true>().lanes *
             (pitch() + columns::lane_numbers<1>(columns_, false));
#endif
    return 0;
  }
  void relax_in_lanes([[maybe_unused]] Index first, [[maybe_unused]] Index lines) const {
#if defined(WAVESCAN_HAS_VECTORS)
    if constexpr (runs_on_host<Exec>) {
      const auto elimination = columns::best_lanes<columns::LaneElimination, T, 1, true>();
      const Index lanes = elimination.lanes, sets = ceil_div(lines, lanes),
                  threads = exec_.concurrency(), of_thread = numbers_of_thread();
      T* const memory = workspace_->solution.data();
      columns::enqueue_each(
          exec_, "WaveScan::line_sor", threads,
          [=, all = factors(first - 1), equations = equations_, n = columns_,
           row_pitch = pitch()](Index thread) {
            T* const own = memory + thread * of_thread;
            const Lines<T> x{own, row_pitch, 1};
            for (Index set = sets * thread / threads; set < sets * (thread + 1) / threads; ++set) {
              const Index begin = set * lanes, count = std::min(lanes, lines - begin);
              const Relax of_rows{equations, x, first + 2 * begin, n};
              const auto at_all = [&](auto step) {
                for (Index line = 0; line < count; ++line)
                  for (Index k = 0; k < n; ++k) of_rows.at(step, line, k);
              };
              columns::LaneSystems<T, 1> s{{all, {own, row_pitch, 1}, x, {count, n}}};
              for (Lines<const T>& of : s.matrices.diagonal) of.data += begin * of.line_stride;
              at_all(Known());
              elimination.solve(s, 0, count, own + lanes * row_pitch);
              at_all(Over());
            }
          });
    }
#endif
  }

  Exec exec_;
  Equations<Problem> equations_;
  Index rows_, columns_, matrices_;
  bool in_lanes_;
  decltype(kept_plan<Workspace>(std::declval<const Exec&>(), Index(), Index())) workspace_;
};

/// @brief The arrays that sweeps of rows one after the other write besides x.
template <class Exec, class T>
struct Workspace {
  using Maps = Kokkos::View<AffineMap<T>**, Kokkos::LayoutRight, typename Exec::memory_space>;

  /// @param numbers of all pivots
  Workspace(const Exec& exec, Index numbers, Index columns) {
    allocate(exec, pivots, "WaveScan::line_sor::pivots", numbers);
    allocate(exec, maps, "WaveScan::line_sor::maps", 2, columns);
  }
  Kokkos::View<T*, typename Exec::memory_space> pivots;
  Maps maps;
};

/// @brief Relaxes all rows by one team, the first or the last one first.
template <class Exec, class Problem>
struct RelaxRows {
  using T = typename Problem::value_type;
  using Team = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Maps = typename Workspace<Exec, T>::Maps;

  Equations<Problem> equations;
  Pivots<T> pivots;
  Maps maps;  ///< of a row: from its first point on, and from its last one
  Index rows;
  bool backwards;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for (Index row = 1; row <= rows; ++row) {
      relax(team, backwards ? rows + 1 - row : row, Kokkos::subview(maps, 0, Kokkos::ALL()),
            Kokkos::subview(maps, 1, Kokkos::ALL()));
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
  if (problem.empty() || count == 0) return;
  const Equations<Problem> equations{problem};
  if (zebra) {
    const ZebraSweeps<Exec, Problem> sweeps(exec, equations);
    for (int k = 0; k < count; ++k) {
      if (forward)
        for (const Index first : {1, 2}) sweeps.relax(first);
      if (backward)
        for (const Index first : {2, 1}) sweeps.relax(first);
    }
    return;
  }
  constexpr int team_size = runs_on_host<Exec> ? 1 : 256;
  const Index n = problem.interior_columns();
  const Index matrices = Equations<Problem>::rows_are_equal ? 1 : problem.interior_rows();
  const auto workspace = kept_plan<Workspace<Exec, T>>(exec, 2 * matrices * n, n);
  T* const numbers = workspace->pivots.data();
  const Pivots<T> pivots{numbers, numbers + matrices * n, matrices == 1 ? 0 : n};
  Kokkos::parallel_for("WaveScan::line_sor::pivots",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, matrices),
                       FindPivots<Problem>{equations, pivots});
  const auto pass = [&](bool backwards) {
    Kokkos::TeamPolicy<Exec> policy(exec, 1, team_size);
    policy.set_scratch_size(0,
                            Kokkos::PerTeam(team_scan_shmem_size<AffineMap<T>, Exec>(team_size)));
    Kokkos::parallel_for("WaveScan::line_sor", policy,
                         RelaxRows<Exec, Problem>{equations, pivots, workspace->maps,
                                                  problem.interior_rows(), backwards});
  };
  for (int k = 0; k < count; ++k) {
    if (forward) pass(false);
    if (backward) pass(true);
  }
}

}  // namespace wavescan::Impl::line_sor

#endif
