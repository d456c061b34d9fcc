// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_AlignMany.hpp>

#include <string>
#include <vector>

#include "Mixture.hpp"

namespace wavescan::Test {
namespace {

/// The same letters in every run, from a generator of the simplest kind.
std::string letters(unsigned seed, int length) {
  std::string text;
  for (int i = 0; i < length; ++i) {
    seed = 1664525 * seed + 1013904223;
    text += "ACGT"[seed >> 30];
  }
  return text;
}

Kokkos::View<char*, Exec> on_device(const std::string& text) {
  const Kokkos::View<char*, Exec> view("letters", text.size());
  Kokkos::deep_copy(view, Kokkos::View<const char*, Kokkos::HostSpace>(text.data(), text.size()));
  return view;
}

auto on_device(const std::vector<std::string>& texts) {
  const auto set = sequence_set(texts);
  return SequenceSet{Kokkos::create_mirror_view_and_copy(Exec::memory_space(), set.letters),
                     Kokkos::create_mirror_view_and_copy(Exec::memory_space(), set.offsets)};
}

/// One pair of several bands with its path, and many of all lengths.
template <class Gap>
void run_alignment_with(const Gap& gap) {
  const auto a = on_device(letters(1, 9001)), b = on_device(letters(1, 8000) + letters(2, 777));
  for (const AlignmentMode mode : {AlignmentMode::Local, AlignmentMode::Global}) {
    const Scoring<> scoring{{2, -3}, gap, mode};
    expect_done(align(Exec(), a, b, scoring).score != 0, "align");
  }
  std::vector<std::string> reads, targets;
  for (int k = 0; k < 300; ++k) {
    reads.push_back(letters(k, 5 * k));
    targets.push_back(letters(k, 3 * k) + letters(k + 1, k));
  }
  const Scoring<> scoring{{2, -3}, gap};
  const auto set_a = on_device(reads), set_b = on_device(targets);
  expect_done(align_scores(Exec(), set_a, set_b, scoring).back().score > 0, "align_scores");
  expect_done(
      align_scores(Exec(), on_device(std::vector{reads.back()}), set_b, scoring).back().score > 0,
      "align_scores of one with many");
}

}  // namespace

void run_alignment() {
  run_alignment_with(LinearGap{3});
  run_alignment_with(AffineGap{5, 2});
}

}  // namespace wavescan::Test
