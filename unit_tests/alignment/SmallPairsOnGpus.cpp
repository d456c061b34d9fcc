// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_Align.hpp>
#include <algorithm>
#include <impl/align/WaveScan_AlignProblem.hpp>
#include <string>

#include "AlignReference.hpp"
#include "Reference.hpp"

// Pairs so small that calls leave them to the host: the kernels for long ones are right with them,
// too, and bands, chunks and strips end anywhere.

#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)
namespace {

namespace ws = wavescan;
namespace wi = wavescan::Impl;
namespace wt = wavescan::Test;
using Device = Kokkos::Cuda;
using Mode = ws::AlignmentMode;

template <class S>
void check_by_kernels(const std::string& a, const std::string& b, const ws::Scoring<S>& scoring,
                      const std::string& golden_cigar = "") {
  SCOPED_TRACE(std::to_string(a.size()) + " x " + std::to_string(b.size()) + ", mode " +
               std::to_string(static_cast<int>(scoring.mode)));
  const Device exec;
  const auto on_device = [&](const std::string& text) {
    return Kokkos::create_mirror_view_and_copy(
        Device::memory_space(),
        Kokkos::View<const char*, Kokkos::HostSpace>(text.data(), text.size()));
  };
  const auto view_a = on_device(a), view_b = on_device(b);
  const wi::LetterSequence letters_a = wi::letter_sequence(view_a),
                           letters_b = wi::letter_sequence(view_b);
  const wi::TabulatedScores table =
      wi::tabulated_scores("test", exec, letters_a, letters_b, scoring,
                           static_cast<wi::Index>(std::min(a.size(), b.size())));
  const wi::LetterScores scores(table);
  if (!wi::PairPasses<Device>::supports(exec, scores)) GTEST_SKIP() << "no kernels for this device";
  wi::Progress progress({});
  wi::CallMemory<Device> memory(exec);
  using Algorithm = wi::PairAlgorithm<Device, wi::HostSide>;
  Algorithm algorithm(memory, scores, wi::encode(memory, letters_a, table.alphabet),
                      wi::encode(memory, letters_b, table.alphabet), progress);
  wi::Aligner<Algorithm&> aligner(algorithm,
                                  wi::AlignmentEdges::of(scoring.mode, scoring.free_ends));
  const wt::AlignReference<S> reference(a, b, scoring);
  const ws::AlignmentScore expected = reference.end(), score = aligner.score();
  EXPECT_EQ(score.score, expected.score);
  EXPECT_EQ(score.end_a, expected.end_a);
  EXPECT_EQ(score.end_b, expected.end_b);
  const ws::Alignment alignment = aligner.align();
  reference.expect(alignment);
  if (!golden_cigar.empty()) EXPECT_EQ(alignment.cigar, golden_cigar);
}

TEST(SmallPairsOnGpus, EveryMode) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  for (const int m : {1, 17, 33, 300, 700})
    for (const int n : {1, 31, 64, 333}) {
      const std::string a = wt::random_text(random, m, "ACGT");
      const std::string related =
          wt::mutated(random, a, "ACGT") + wt::random_text(random, n, "ACGT");
      const std::string b = related.substr(0, static_cast<std::size_t>(n));
      const auto ends = random.integer(0, 15);
      const ws::FreeEnds free{(ends & 1) != 0, (ends & 2) != 0, (ends & 4) != 0, (ends & 8) != 0};
      for (const Mode mode : {Mode::Local, Mode::Global, Mode::SemiGlobal}) {
        check_by_kernels(a, b, ws::Scoring<>{{2, -1}, ws::LinearGap{2}, mode, free});
        check_by_kernels(a, b, ws::Scoring<wt::LetterTable>{{9}, ws::AffineGap{6, 2}, mode, free});
      }
    }
}

TEST(SmallPairsOnGpus, GoldenPaths) {
  for (const auto& [a, b, scoring, cigar] : wt::golden_paths())
    check_by_kernels(a, b, scoring, cigar);
}

// Many gaps: more runs than a small part of the matrix has room for.
TEST(SmallPairsOnGpus, ManyRuns) {
  wt::Random random;
  SCOPED_TRACE(random.trace());
  std::string a, b;
  for (int k = 0; k < 150; ++k) {
    const bool longer = random.integer(0, 1) == 1;
    a += longer ? "AAC" : "AC";
    b += longer ? "AC" : "AAC";
  }
  for (const Mode mode : {Mode::Local, Mode::Global}) {
    check_by_kernels(a, b, ws::Scoring<>{{5, -9}, ws::LinearGap{1}, mode});
    check_by_kernels(a, b, ws::Scoring<>{{5, -9}, ws::AffineGap{1, 1}, mode});
  }
}

}  // namespace
#endif
