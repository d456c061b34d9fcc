// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "EmulatedGpu.hpp"

#include <gtest/gtest.h>

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Operators.hpp>
#include <impl/scan/WaveScan_Problem.hpp>
#include <impl/scan/gpu/WaveScan_Registers.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>

#include <cstdint>
#include <random>
#include <vector>

// Scans of segments by the kernel that holds tiles in registers, against the loop over elements.

namespace {

using namespace wavescan;
using namespace wavescan::Impl;

using Word = std::uint32_t;

/// @brief Bits of heads, one of which comes every so many elements on average.
std::vector<BitWord> random_heads(Index n, int mean, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<BitWord> words(static_cast<std::size_t>(words_for(n)), 0);
  const auto set = [&](Index j) {
    words[static_cast<std::size_t>(j / word_bits)] |= BitWord(1) << j % word_bits;
  };
  for (Index j = 0; j <= n; ++j)
    if (j == 0 || j == n || random() % static_cast<unsigned>(mean) == 0) set(j);
  return words;
}
std::vector<Word> random_words(Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Word> words;
  for (Index j = 0; j < n; ++j) words.push_back(static_cast<Word>(random()));
  return words;
}

template <class R>
using Problem = ScanProblem<SegmentedRecurrence<R>, const Word>;

template <class R>
void scan_in_registers(const Problem<R>& problem, int blocks) {
  using P = ScanTraits<R>;
  using Starts = HeadLines<Word>;
  using Tuning = RegisterTuning<P, 128, 2, true, Starts>;
  using Kernel = RegisterScan<P, Word, Tuning>;
  using Shared = typename Kernel::Shared;
  std::vector<gpu::TaggedWord> totals(
      gpu::TotalsMailbox::size<typename HeadTraits<P>::segment>(blocks), 0);
  Lines<const typename P::element_weight> weights;
  if constexpr (P::streams == 2) weights = problem.recurrence.inner.weight;
  const RowsScan<P, Word, Starts> scan{{problem.recurrence.heads, problem.recurrence.entry},
                                       problem.in,
                                       weights,
                                       problem.out,
                                       problem.extents,
                                       problem.kind,
                                       {problem.recurrence.entry.common, {}},
                                       {},
                                       {totals.data()},
                                       P(problem.recurrence.inner)};
  const RegisterWeights<P, Tuning> lengths(scan.traits, blocks);
  for (int launch = 0; launch < 2; ++launch)
    Test::Emulator::run(blocks, Tuning::threads, sizeof(Shared) + 16, [&](char* memory) {
      const auto address = reinterpret_cast<std::uintptr_t>(memory);
      Kernel(scan, lengths, *reinterpret_cast<Shared*>(memory + (16 - address % 16) % 16)).run();
    });
}

template <class R>
void expect_segments(const R& recurrence, int blocks) {
  for (const Index n : {1, 33, 511, 512, 2048, 5001})
    for (const int mean : {1, 3, 40, 3000})
      for (const bool reverse : {false, true})
        for (const ScanKind kind : {ScanKind::Inclusive, ScanKind::Exclusive})
          for (const bool enters : {false, true}) {
            const auto words = random_heads(n, mean, 5);
            const auto x = random_words(n, 6);
            std::vector<Word> y(x.size() + 1, 77), expected(x.size() + 1, 77);
            const Index last = n - 1;
            const auto lines = [&](auto* data) {
              using T = std::remove_pointer_t<decltype(data)>;
              return reverse ? Lines<T>{data + last, 0, -1} : Lines<T>{data, 0, 1};
            };
            const auto problem = [&](std::vector<Word>& out) {
              return Problem<R>{{recurrence,
                                 Heads::of(words.data(), n, reverse),
                                 {{Word(enters ? 9 : 0), enters}}},
                                kind,
                                {1, n},
                                lines(x.data()),
                                lines(out.data()),
                                {{0, true}, {}},
                                {}};
            };
            problem(expected).scan_serially({0, true}, 0, 0, n);
            scan_in_registers(problem(y), blocks);
            ASSERT_EQ(y, expected)
                << n << " elements, segments of " << mean << (reverse ? ", reverse" : "")
                << (kind == ScanKind::Inclusive ? ", inclusive" : ", exclusive")
                << (enters ? ", entered" : "") << ", blocks " << blocks;
          }
}

struct Affine {
  using value_type = Word;  // two halves: x -> a x + b modulo 2^16
  KOKKOS_FUNCTION Word operator()(Word f, Word g) const {
    const Word a = (f >> 16) * (g >> 16) & 0xffff, b = ((f & 0xffff) * (g >> 16) + g) & 0xffff;
    return a << 16 | b;
  }
  KOKKOS_FUNCTION Word identity() const { return 1u << 16; }
};

TEST(WideWarps, SegmentsThatAreSummed) {
  expect_segments(PlainRecurrence<Plus<Word>>{}, 1);
  expect_segments(PlainRecurrence<Plus<Word>>{}, 3);
}
TEST(WideWarps, SegmentsOfMapsWhichDoNotCommute) { expect_segments(PlainRecurrence<Affine>{}, 3); }
TEST(WideWarps, SegmentsWithOneWeight) {
  expect_segments(WeightedRecurrence<PlusTimes<Word>, ConstantWeight<Word>>{{}, {3}}, 3);
}
TEST(WideWarps, SegmentsWithWeights) {
  const auto weights = random_words(6000, 8);
  expect_segments(
      WeightedRecurrence<PlusTimes<Word>, Lines<const Word>>{{}, {weights.data(), 0, 1}}, 3);
}

}  // namespace
