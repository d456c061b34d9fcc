// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Align.hpp>
#include <WaveScan_AlignMany.hpp>
#include <WaveScan_SmithWaterman.hpp>
#include <WaveScan_SmithWatermanMatrix.hpp>
#include <WaveScan_Workspaces.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "SecondCalls.hpp"

namespace wavescan::Test {
namespace {

using Mode = AlignmentMode;

/// Letters that repeat themselves never, more or less, with every tenth one exchanged.
std::string text(std::size_t length, std::uint32_t exchanged) {
  std::string letters;
  std::uint32_t state = 1;
  for (std::size_t k = 0; k < length; ++k) {
    state = state * 1664525 + 1013904223;
    letters += "ACGT"[(state >> 20) % 4 ^ (k % 10 == 9 ? exchanged : 0)];
  }
  return letters;
}
Array<char> on_device(const std::string& letters) {
  const Array<char> view("letters", letters.size());
  Kokkos::deep_copy(view,
                    Kokkos::View<const char*, Kokkos::HostSpace>(letters.data(), letters.size()));
  return view;
}

const Scoring<> scorings[] = {{{2, -1}, LinearGap{2}, Mode::Local},
                              {{2, -3}, AffineGap{5, 2}, Mode::Local},
                              {{2, -1}, AffineGap{3, 1}, Mode::Global},
                              {{2, -3}, LinearGap{2}, Mode::SemiGlobal}};

// The longer ones are more than GPUs leave to the host.
TEST(SecondCalls, OfAlignments) {
  for (const std::size_t n : {64, 1500}) {
    const auto a = on_device(text(n, 0)), b = on_device(text(n, 1) + text(n / 3, 2));
    for (const Scoring<>& scoring : scorings) {
      check_second_waiting_call("align_score", [=] { align_score(a, b, scoring); });
      check_second_waiting_call("align", [=] { align(a, b, scoring); });
    }
    check_second_waiting_call("smith_waterman_score", [=] { smith_waterman_score(a, b); });
    check_second_waiting_call("smith_waterman", [=] { smith_waterman(a, b); });
  }
}

TEST(SecondCalls, OfManyAlignments) {
  std::vector<std::string> texts_a, texts_b;
  for (std::uint32_t k = 0; k < 40; ++k) {
    texts_a.push_back(text(10 + 7 * k * k % 400, 0));
    texts_b.push_back(text(5 + 13 * k % 300, 1 + k % 3));
  }
  const auto on_host_a = sequence_set(texts_a), on_host_b = sequence_set(texts_b);
  const auto to_device = [](const auto& set) {
    const Kokkos::DefaultExecutionSpace::memory_space space;
    return SequenceSet{Kokkos::create_mirror_view_and_copy(space, set.letters),
                       Kokkos::create_mirror_view_and_copy(space, set.offsets)};
  };
  const auto a = to_device(on_host_a), b = to_device(on_host_b);
  const Array<AlignmentScore> scores("scores", texts_a.size());
  for (const Scoring<>& scoring : scorings) {
    check_second_waiting_call("align_scores", [=] { align_scores(a, b, scoring); });
    check_second_waiting_call("align_scores into a View", [=] {
      align_scores(Kokkos::DefaultExecutionSpace(), a, b, scores, scoring);
    });
    check_second_waiting_call("align_many", [=] { align_many(a, b, scoring); });
  }
}

TEST(SecondCalls, OfMatrices) {
  const auto a = on_device(text(100, 0)), b = on_device(text(120, 1));
  const Matrix<std::int32_t> matrix("matrix", 100, 120);
  check_second_waiting_call("smith_waterman_matrix", [=] {
    smith_waterman_matrix(a, b, MatchMismatch{}, LinearGap{2}, matrix);
  });
}

// Whatever memory a call has taken, a smaller one finds it.
TEST(SecondCalls, OfShorterSequences) {
  const auto align_of = [](std::size_t n) {
    const auto a = on_device(text(n, 0)), b = on_device(text(n + 1, 1));
    align(a, b, scorings[0]);
  };
  align_of(2000);
  const std::size_t kept = kept_workspace_bytes();
  align_of(1900);
  EXPECT_EQ(kept_workspace_bytes(), kept);
}

}  // namespace
}  // namespace wavescan::Test
