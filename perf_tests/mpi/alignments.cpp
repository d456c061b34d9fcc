// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Align.hpp>
#include <WaveScan_MPI_Align.hpp>

#include "distributed.hpp"

namespace distributed {

/// @brief Scores of two sequences, of which every process has `n` letters of the second one and all
/// of the first one, which is as long.
void alignments(std::int64_t n) {
  using Letters = Kokkos::View<char*, Kokkos::HostSpace>;
  const Letters a("a", extent(n)), b("b", extent(n));
  std::uint32_t state = 1;
  const auto fill = [&](const Letters& letters) {
    for (std::size_t k = 0; k < letters.size(); ++k) {
      state = state * 1664525 + 1013904223;
      letters(k) = "ACGT"[state >> 30];
    }
  };
  fill(a);
  state += static_cast<std::uint32_t>(own_rank);
  fill(b);
  for (const auto& [name, gap] : {std::pair{"linear gaps", wavescan::AffineGap(0, 2)},
                                  {"affine gaps", wavescan::AffineGap(3, 1)}}) {
    const wavescan::Scoring<> scoring{.substitution = {1, -2}, .gap = gap};
    report(
        std::string("Smith-Waterman, ") + name,
        [&](MPI_Comm comm) { wavescan::mpi::align_score(comm, a, b, scoring); },
        [&] { wavescan::align_score(a, b, scoring); }, processes > 1 ? 32.0 / 33 : 1);
  }
}

}  // namespace distributed
