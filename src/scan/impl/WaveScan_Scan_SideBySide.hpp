// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_SIDEBYSIDE_HPP
#define WAVESCAN_IMPL_SCAN_SIDEBYSIDE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>

#include <algorithm>
#include <type_traits>

/// @file
/// @brief Scans of many lines: every line is scanned in order, many of them at the same time.
///
/// On a GPU a thread takes a line. On the host a thread takes a block of neighbouring lines and
/// moves along them together, so that lines that lie next to each other in memory fill its vector
/// registers and cache lines. Memory is read once and written once.

namespace wavescan::Impl {

template <class Recurrence, class In, int Width>
struct SideBySideScan {
  using value_type = typename Recurrence::value_type;
  ScanProblem<Recurrence, In> problem;

  KOKKOS_FUNCTION void operator()(const Index block) const {
    const Index first = block * Width;
    if constexpr (Width > 1)
      if (first + Width <= problem.extents.lines) return scan_together(first);
    for (Index line = first; line < first + Width && line < problem.extents.lines; ++line)
      problem.finish(problem.scan_serially(problem.carry_in(line), line, 0, problem.extents.length),
                     line);
  }

 private:
  KOKKOS_FUNCTION void scan_together(Index first) const {
    const Index length = problem.extents.length;
    State<value_type> states[Width];
    for (int l = 0; l < Width; ++l) {
      states[l] = problem.carry_in(first + l);
      if (length > 0) states[l] = problem.step(states[l], first + l, 0);
    }
    value_type values[Width];
    for (int l = 0; l < Width; ++l) values[l] = states[l].value;
    for (Index j = 1; j < length; ++j) {
      value_type next[Width];
      WAVESCAN_INDEPENDENT_ITERATIONS
      for (int l = 0; l < Width; ++l)
        next[l] = problem.recurrence.advance(values[l], problem.input(first + l, j), first + l, j);
      const bool inclusive = problem.kind == ScanKind::Inclusive;
      WAVESCAN_INDEPENDENT_ITERATIONS
      for (int l = 0; l < Width; ++l) problem.out(first + l, j) = inclusive ? next[l] : values[l];
      for (int l = 0; l < Width; ++l) values[l] = next[l];
    }
    for (int l = 0; l < Width; ++l) problem.finish({values[l], states[l].present}, first + l);
  }
};

/// @brief Whether lines are scanned side by side rather than cut into chunks.
///
/// They are if there are enough of them, and, on a GPU, if neighbouring threads then read
/// neighbouring memory or the lines are too short for a team.
template <ExecutionSpace Exec, class Recurrence, class In>
bool prefers_side_by_side(const Exec& exec, const ScanProblem<Recurrence, In>& problem) {
  const Index lines = problem.extents.lines;
  if (runs_on_host<Exec>) return lines >= resident_teams(exec, 1);
  const bool neighbours = problem.in.line_stride == 1 && problem.out.line_stride == 1;
  return problem.extents.length <= 32 || (neighbours && lines >= resident_teams(exec, 4));
}

/// @brief Enqueues the scan on `exec`.
template <ExecutionSpace Exec, class Recurrence, class In>
void scan_side_by_side(const Exec& exec, const ScanProblem<Recurrence, In>& problem) {
  const auto run = [&]<int Width>(std::integral_constant<int, Width>) {
    Kokkos::parallel_for("WaveScan::scan::side_by_side",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(
                             exec, 0, ceil_div(problem.extents.lines, Width)),
                         SideBySideScan<Recurrence, In, Width>{problem});
  };
  if constexpr (runs_on_host<Exec>) {
    constexpr int cache_line = 64;
    constexpr int width =
        std::max(1, cache_line / static_cast<int>(sizeof(typename Recurrence::value_type)));
    if (problem.in.line_stride == 1) return run(std::integral_constant<int, width>{});
  }
  run(std::integral_constant<int, 1>{});
}

}  // namespace wavescan::Impl

#endif
