// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <utility>

#include "applications.hpp"

namespace applications {

int alignment_score(const Exec& exec, const Input<char>& a, const Input<char>& b,
                    const AlignmentScores& scores) {
  const auto n = static_cast<std::int64_t>(b.extent(0));
  Array<int> row("row", n + 1), next("next", n + 1);
  Kokkos::parallel_for(
      "first row", Range(exec, 0, n + 1),
      KOKKOS_LAMBDA(std::int64_t j) { row(j) = -scores.gap * static_cast<int>(j); });

  const Scan<wavescan::MaxPlus<int>> scan(exec, 1, n + 1);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(a.extent(0)); ++i) {
    // The best score without a gap at the row's end; the scan adds these gaps.
    const auto from_above = KOKKOS_LAMBDA(std::int64_t j) {
      const int gap = row(j) - scores.gap;
      if (j == 0) return gap;
      const int pair = row(j - 1) + (a(i) == b(j - 1) ? scores.match : scores.mismatch);
      return pair > gap ? pair : gap;
    };
    scan.weighted(wavescan::computed_input(n + 1, from_above), -scores.gap, next);
    std::swap(row, next);
  }
  int score = 0;
  Kokkos::deep_copy(exec, Kokkos::View<int, Kokkos::HostSpace>(&score), Kokkos::subview(row, n));
  exec.fence();
  return score;
}

}  // namespace applications
