// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "EmulatedGpu.hpp"

#include <gtest/gtest.h>

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Operators.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/gpu/WaveScan_RegisterScan.hpp>
#include <impl/segmented/WaveScan_MakeHeads.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>
#include <impl/segmented/gpu/WaveScan_TileReduction.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

// Scans of segments by the kernel that holds tiles in registers, and reductions, against the loop
// over elements.

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

/// @brief n elements in segments, some of which are empty: the sums in order, by offsets and by
/// runs.
template <class Op>
void expect_reduced(const Op& op, Index n, int mean, int empty, int multiprocessors, Index front,
                    bool enters) {
  SCOPED_TRACE(std::to_string(n) + " elements, segments of " + std::to_string(mean) + ", " +
               std::to_string(empty) + " of 10 empty, from " + std::to_string(front) +
               (enters ? ", entered" : ""));
  gpu::emulated_properties.multiProcessorCount = multiprocessors;
  std::mt19937 random(static_cast<unsigned>(n + mean + empty));
  std::vector<std::int32_t> offsets{0};
  while (offsets.back() < n) {
    const auto length =
        random() % 10 < static_cast<unsigned>(empty)
            ? 0
            : static_cast<Index>(1 + random() % static_cast<unsigned>(2 * mean - 1));
    offsets.push_back(static_cast<std::int32_t>(std::min<Index>(n, offsets.back() + length)));
  }
  for (int i = 0; i < empty; ++i) offsets.push_back(static_cast<std::int32_t>(n));
  const auto count = static_cast<Index>(offsets.size()) - 1;
  const auto x = random_words(front + n, 6);
  const Lines<const Word> in{x.data() + front, 0, 1};
  const State<Word> state{enters ? Word(9) : op.identity(), enters};
  std::vector<Word> expected, of_runs;
  std::vector<Index> heads;
  for (Index s = 0; s < count; ++s) {
    const Index from = offsets[static_cast<std::size_t>(s)];
    const Index to = offsets[static_cast<std::size_t>(s + 1)];
    Word sum = state.value;
    for (Index j = from; j < to; ++j) sum = op(sum, in(0, j));
    expected.push_back(sum);
    if (from < to) of_runs.push_back(sum), heads.push_back(from);
  }
  const gpu::Device exec;
  const GpuSegmentReduction<Op> reduction(exec, n, count);
  // Neighbours, apart, and apart without the first ones, whose elements are in no segment.
  for (int launch = 0; launch < 3 && count > 0; ++launch) {
    const Index left_out = launch < 2 ? 0 : ceil_div(count, 3);
    std::vector<Word> sums(expected.size() - static_cast<std::size_t>(left_out), 77);
    if (sums.empty()) continue;
    OffsetArray all;
    all.data = offsets.data();
    all.stride = 1;
    all.size = count + 1;
    all.width = OffsetArray::Width::Int32;
    const Index some = count - left_out;
    reduction.enqueue(exec, op, in, n,
                      {all.part(left_out, some), all.part(left_out + 1, some), launch > 0},
                      Lines<Word>{sums.data(), 0, 1}, state, {state.value, true});
    ASSERT_EQ(sums, std::vector<Word>(expected.begin() + static_cast<std::ptrdiff_t>(left_out),
                                      expected.end()));
  }
  if (n == 0) return;
  std::vector<BitWord> words(static_cast<std::size_t>(words_for(n)), 0);
  heads.push_back(n);
  for (const Index j : heads)
    words[static_cast<std::size_t>(j / word_bits)] |= BitWord(1) << j % word_bits;
  std::vector<Word> same;
  for (std::size_t r = 0; r < of_runs.size(); ++r)
    same.insert(same.end(), static_cast<std::size_t>(heads[r + 1] - heads[r]),
                static_cast<Word>(r % 2));
  std::vector<BitWord> found_words(words.size() + 1, 79);
  std::vector<Index> found_counts(static_cast<std::size_t>(RunCounts::chunks(n)), -1);
  launch_heads_of_values(exec, KeyedHead<Word, EqualKeys>{{same.data(), 0, 1}, {}}, n,
                         found_words.data(), found_counts.data());
  found_words.resize(words.size());
  ASSERT_EQ(found_words, words);
  for (std::size_t c = 0; c < found_counts.size(); ++c) {
    const auto first = static_cast<Index>(c) * RunCounts::chunk;
    ASSERT_EQ(found_counts[c],
              std::lower_bound(heads.begin(), heads.end(), first + RunCounts::chunk) -
                  std::lower_bound(heads.begin(), heads.end(), first));
  }
  std::vector<Index> before(static_cast<std::size_t>(RunCounts::chunks(n)), 0);
  for (std::size_t c = 0; c < before.size(); ++c)
    before[c] =
        std::lower_bound(heads.begin(), heads.end(), Index(c) * RunCounts::chunk) - heads.begin();
  std::vector<Word> of_heads;
  for (const Index j : heads)
    if (j < n) of_heads.push_back(x[static_cast<std::size_t>(front + j)]);
  // The first run may belong to an earlier block of a longer array.
  for (std::size_t skipped = 0; skipped < 2; ++skipped) {
    const auto from_skipped = [&](const std::vector<Word>& all, Word behind) {
      std::vector<Word> some(all.begin() + static_cast<std::ptrdiff_t>(skipped), all.end());
      some.push_back(behind);
      return some;
    };
    const auto runs = static_cast<Index>(of_runs.size() - skipped);
    std::vector<Word> sums(of_runs.size() + 1 - skipped, 77), unique(sums.size(), 78);
    std::int32_t found = -1;
    reduction.enqueue(
        exec, op, in, n, Heads::of(words.data(), n, false), RunCounts{words.data(), before.data()},
        state,
        KeyedSums<Word, Word>{
            {Lines<Word>{sums.data(), 0, 1}, runs, {&found, 4}, static_cast<Index>(skipped)},
            in,
            {unique.data(), 0, 1},
            runs});
    ASSERT_EQ(sums, from_skipped(of_runs, 77));
    ASSERT_EQ(unique, from_skipped(of_heads, 78));
    ASSERT_EQ(found, runs);
  }
}
template <class Op>
void expect_reductions(const Op& op) {
  for (const Index n : {0, 1, 5, 1532, 1533, 12345})
    for (const int mean : {1, 7, 100, 9000})
      for (const int empty : {0, 9}) {
        expect_reduced(op, n, mean, empty, 1, n % 4, empty == 0);
        expect_reduced(op, n, mean, empty, 4, (n + 3) % 4, empty != 0);
      }
}
TEST(WideWarps, SegmentsThatAreReduced) { expect_reductions(Plus<Word>()); }
TEST(WideWarps, SegmentsOfMapsThatAreReduced) { expect_reductions(Affine()); }

}  // namespace
