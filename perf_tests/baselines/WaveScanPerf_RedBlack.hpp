// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_REDBLACK_HPP
#define WAVESCAN_PERF_REDBLACK_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <cstdint>

/// @file
/// @brief What is done in the place of SOR in natural order where that does not run in parallel,
/// written with plain Kokkos: a team for each row.

namespace wavescan::Perf {

/// @brief Relaxes every `step`-th point of each row, from one array into another or the same.
template <class View>
struct RelaxPoints {
  SORCoefficients<typename View::value_type> c;
  View from;
  View to;
  View rhs;
  int step;    ///< 1: all points; 2: those of one colour of a chess board
  int colour;  ///< 0 or 1

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int i = team.league_rank() + 1;
    const int first = 1 + (step == 2 ? (i + colour) % 2 : 0);
    const int end = static_cast<int>(from.extent(1)) - 1;
    const int count = (end - first + step - 1) / step;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](const int k) {
      const int j = first + step * k;
      to(i, j) = c.center * from(i, j) + c.left * from(i, j - 1) + c.right * from(i, j + 1) +
                 c.up * from(i - 1, j) + c.down * from(i + 1, j) + c.rhs * rhs(i, j);
    });
  }
};

template <ExecutionSpace Exec, class View>
void relax_points(const Exec& exec, const char* label, const RelaxPoints<View>& relax) {
  const int rows = static_cast<int>(relax.from.extent(0)) - 2;
  Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, rows, Kokkos::AUTO), relax);
}

/// @brief Red-black SOR: first all red points, then all black ones.
template <ExecutionSpace Exec, class View>
void red_black_sweep(const Exec& exec, const SORCoefficients<typename View::value_type>& c,
                     const View& x, const View& rhs) {
  for (const int colour : {0, 1})
    relax_points(exec, "red_black", RelaxPoints<View>{c, x, x, rhs, 2, colour});
}

/// @brief Jacobi's method, from one array to another.
template <ExecutionSpace Exec, class View>
void jacobi_sweep(const Exec& exec, const SORCoefficients<typename View::value_type>& c,
                  const View& from, const View& to, const View& rhs) {
  relax_points(exec, "jacobi", RelaxPoints<View>{c, from, to, rhs, 1, 0});
}

}  // namespace wavescan::Perf

#endif
