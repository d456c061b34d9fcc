// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Align.hpp>
#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "Calls.hpp"

namespace alignments_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;

Array<char> random_letters(Index n, unsigned seed) {
  const Array<char> letters("letters", static_cast<std::size_t>(n));
  const auto host = Kokkos::create_mirror_view(letters);
  std::mt19937 random(seed);
  for (Index k = 0; k < n; ++k) host(k) = "ACGT"[random() % 4];
  Kokkos::deep_copy(letters, host);
  return letters;
}

/// @brief The score of a local alignment, from one row of the matrix.
int loop(const Array<char>& a, const Array<char>& b, std::vector<int>& row) {
  const MatchMismatch substitution;
  int best = 0;
  std::fill(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.extent(0); ++i) {
    int up_left = 0;
    for (std::size_t j = 0; j < b.extent(0); ++j) {
      const int value =
          std::max({row[j] - 2, row[j + 1] - 2, up_left + substitution(a(i), b(j)), 0});
      up_left = row[j + 1];
      row[j + 1] = value;
      best = std::max(best, value);
    }
  }
  return best;
}

[[maybe_unused]] const bool registered = [] {
  add("align_score", {64, 256, 1024, 4096}, Beside::Loop, [](const Exec& exec, Index n) -> Calls {
    const auto a = random_letters(n, 1), b = random_letters(n, 2);
    return {[=] { benchmark::DoNotOptimize(align_score(exec, a, b).score); },
            {},
            [=, row = std::vector<int>(a.size() + 1)]() mutable {
              benchmark::DoNotOptimize(loop(a, b, row));
            }};
  });
  return true;
}();

}  // namespace
}  // namespace alignments_benchmarks
