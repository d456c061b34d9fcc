// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

struct Scores {
  KOKKOS_FUNCTION int operator()(char a, char b) const { return a == b ? 5 : -4; }
};

void align(const Kokkos::View<char*>& a, const Kokkos::View<char*>& b,
           const Kokkos::View<std::int64_t**>& matrix) {
  wavescan::smith_waterman(a, b, wavescan::MatchMismatch{}, wavescan::LinearGap{});
  wavescan::smith_waterman_matrix(a, b, Scores{}, wavescan::LinearGap{}, matrix);
}

void align_in_other_ways(const Kokkos::View<char*>& a, const Kokkos::View<char*>& b,
                         const Kokkos::View<std::int64_t*>& offsets) {
  wavescan::Scoring<wavescan::SubstitutionMatrix> scoring{wavescan::substitution_matrix("BLOSUM62"),
                                                          wavescan::AffineGap{11, 1}};
  wavescan::align(a, b, scoring);
  wavescan::align_score(a, b, wavescan::Scoring<Scores>{});
  const wavescan::SequenceSet set{a, offsets};
  wavescan::align_scores(set, set, scoring);
  wavescan::align_scores(Kokkos::DefaultExecutionSpace(), set, set,
                         Kokkos::View<wavescan::AlignmentScore*>("scores", 3), scoring);
  wavescan::align_many(set, set, scoring);
}
