// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_SegmentedReduce.hpp>
#include <cstdint>
#include <impl/segmented/WaveScan_ScanSegments.hpp>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Operators.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "CheckSegments.hpp"
#include "HostWays.hpp"

// Segmented reductions against serial loops, bit for bit.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

template <class Op>
void check_reductions(const Op& op, std::int64_t n) {
  using T = typename Op::value_type;
  Random random;
  SCOPED_TRACE(random.trace());
  const std::vector<T> x = random_operands<Op>(random, n);
  const T init = n > 0 ? x[0] : op.identity();
  const GuardedArray<T> in(line(n), x);
  for (const Segmentation& s : segmentations(random, n)) {
    SCOPED_TRACE(s.name);
    const Segmentation runs = s.runs();
    const auto sums_of = [&](const Segmentation& of, bool enters) {
      std::vector<T> sums;
      for_segments(of, false, [&](std::size_t, std::size_t j, int, std::int64_t count) {
        T sum = enters ? init : op.identity();
        for (std::int64_t k = 0; k < count; ++k, ++j)
          sum = k == 0 && !enters ? x[j] : op(sum, x[j]);
        sums.push_back(sum);
      });
      return sums;
    };
    const GuardedArray<int> narrow(line(s.segments() + 1),
                                   std::vector<int>(s.offsets.begin(), s.offsets.end()));
    const GuardedArray<std::int64_t> wide(line(s.segments() + 1, 2), s.offsets);
    const GuardedArray<unsigned char> flags(line(n), s.heads());
    const GuardedArray<int> keys(line(n), s.keys());
    GuardedArray<int> count(line(1), {-1});
    for (const bool enters : {false, true}) {
      const auto reduce = [&](const auto& segments, const auto& out, const auto& number) {
        if (enters)
          segmented_reduce(Exec(), in.vector(), segments, out, op, init, number);
        else
          segmented_reduce(Exec(), in.vector(), segments, out, op, {}, number);
      };
      GuardedArray<T> out(line(s.segments()));
      reduce(segment_offsets(narrow.vector()), out.vector(), NoCarry());
      ASSERT_TRUE(out.values() == sums_of(s, enters));
      ASSERT_TRUE(out.guards_intact());
      out.set(std::vector<T>(static_cast<std::size_t>(s.segments()), init));
      reduce(segment_offsets(wide.vector()), out.vector(), NoCarry());
      ASSERT_TRUE(out.values() == sums_of(s, enters)) << "64 bits, apart";
      ASSERT_TRUE(out.guards_intact());

      GuardedArray<T> of_runs(line(runs.segments(), 2));
      reduce(segment_heads(flags.vector()), of_runs.vector(), count.scalar());
      ASSERT_TRUE(of_runs.values() == sums_of(runs, enters)) << "flags";
      ASSERT_TRUE(of_runs.guards_intact());
      ASSERT_EQ(count.values()[0], runs.segments());
      of_runs.set(std::vector<T>(static_cast<std::size_t>(runs.segments()), init));
      reduce(segment_keys(keys.vector()), of_runs.vector(), NoCarry());
      ASSERT_TRUE(of_runs.values() == sums_of(runs, enters)) << "keys";
      ASSERT_TRUE(of_runs.guards_intact());
    }
    std::vector<int> first_keys;
    for (std::int64_t r = 0; r < runs.segments(); ++r) first_keys.push_back(r % 2 == 0 ? 9 : 7);
    GuardedArray<T> out(line(runs.segments()));
    GuardedArray<int> unique(line(runs.segments()));
    ASSERT_EQ(reduce_by_key(keys.vector(), in.vector(), unique.vector(), out.vector(), op),
              runs.segments());
    ASSERT_TRUE(unique.values() == first_keys);
    ASSERT_TRUE(out.values() == sums_of(runs, false));
    ASSERT_TRUE(unique.guards_intact() && out.guards_intact());
  }
}

TEST(SegmentedReductions, OfIntegers) {
  for (const std::int64_t n : segmented_sizes<Exec>()) check_reductions(Plus<std::int32_t>(), n);
}
TEST(SegmentedReductions, OfManyTiles) {
  check_reductions(Plus<std::int32_t>(), many_tiles<Exec>());
}
TEST(SegmentedReductions, OfMapsWhichDoNotCommute) {
  for (const std::int64_t n : {1, 33, 3000, 70001}) check_reductions(Affine<std::uint32_t>(), n);
  check_reductions(Affine<std::uint64_t>(), 30011);
}
TEST(SegmentedReductions, OfBytes) { check_reductions(Max<std::uint8_t>(), 70000); }

/// @brief What leaves the last element, of scans on hosts that keep no results, as reductions of
/// distributed arrays take it: with threads that have one block each, and with many.
TEST(SegmentedReductions, ThatKeepNoResults) {
  using T = std::uint64_t;  // sums wrap
  using Op = Plus<T>;
  using Recurrence = Impl::PlainRecurrence<Op>;
  Random random;
  SCOPED_TRACE(random.trace());
  const Host exec = host_instance();
  for (const std::int64_t n : host_lengths<T>()) {
    if (n == 0) continue;
    const std::vector<T> x = random_operands<Op>(random, n);
    const GuardedArray<T, Host> in(line(n), x);
    const Impl::SegmentedScanPlan<Host, Op> plan("plan", exec, n);
    for (const std::int64_t last : {std::int64_t(0), n / 3, n - 1}) {  // where a segment begins
      GuardedArray<int, Host> offsets(line(3), {0, static_cast<int>(last), static_cast<int>(n)});
      GuardedArray<T, Host> state(line(1), {7});
      plan.bits().enqueue(exec, segment_offsets(offsets.vector()));
      const auto source = Impl::source_of(in.vector(), 0, n, false);
      using Source = std::remove_const_t<decltype(source)>;
      plan.enqueue(Impl::ScanProblem<Impl::SegmentedRecurrence<Recurrence>,
                                     Impl::Through<Source, Impl::NoTarget>>{
          {{Op()}, plan.bits().heads(false), {{0, false}}},
          Impl::ScanKind::Inclusive,
          {1, n},
          source,
          {},
          {{0, true}, {}},
          Impl::Lines<T>{state.vector().data(), 1, 0}});
      EXPECT_EQ(state.values()[0], std::accumulate(x.begin() + last, x.end(), T(0)))
          << n << " elements, the last segment from " << last;
    }
  }
}

TEST(SegmentedReductions, OfSegmentsApart) {
  const GuardedArray<int> in(line(9), {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const GuardedArray<int> begins(line(4), {1, 3, 4, 8}), ends(line(4), {3, 3, 7, 9});
  GuardedArray<int> out(line(4));
  segmented_reduce(in.vector(), segment_offsets(begins.vector(), ends.vector()), out.vector());
  EXPECT_EQ(out.values(), (std::vector{5, 0, 18, 9}));
  segmented_reduce(in.vector(), segment_offsets(begins.vector(), ends.vector()), out.vector(),
                   Max(), 6);
  EXPECT_EQ(out.values(), (std::vector{6, 6, 7, 9}));
}

TEST(SegmentedReductions, OfFloatingPointNumbersGiveTheSameEachTime) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t n = 300007;
  const GuardedArray<float> in(line(n), random.values<float>(n));
  for (const Segmentation& s : segmentations(random, n)) {
    const GuardedArray<std::int64_t> offsets(line(s.segments() + 1), s.offsets);
    const GuardedArray<float> out(line(s.segments())), again(line(s.segments()));
    segmented_reduce(in.vector(), segment_offsets(offsets.vector()), out.vector());
    segmented_reduce(in.vector(), segment_offsets(offsets.vector()), again.vector());
    EXPECT_EQ(out.values(), again.values()) << s.name;
  }
}

struct Larger {
  KOKKOS_FUNCTION int operator()(int a, int b) const { return a > b ? a : b; }
};

TEST(SegmentedReductions, LeaveEmptySegmentsAloneWithoutIdentity) {
  const GuardedArray<int> in(line(3), {4, 2, 7}), offsets(line(5), {0, 0, 2, 2, 3});
  GuardedArray<int> out(line(4), {-5, -5, -5, -5});
  segmented_reduce(in.vector(), segment_offsets(offsets.vector()), out.vector(), Larger());
  EXPECT_EQ(out.values(), (std::vector{-5, 4, -5, 7}));
  segmented_reduce(in.vector(), segment_offsets(offsets.vector()), out.vector(), Larger(), 3);
  EXPECT_EQ(out.values(), (std::vector{3, 4, 3, 7}));
}

TEST(SegmentedReductions, DropWhatHasNoPlace) {
  const GuardedArray<int> in(line(4), {1, 2, 3, 4}), keys(line(4), {1, 2, 3, 3});
  GuardedArray<int> out(line(2)), unique(line(1)), count(line(1));
  reduce_by_key(keys.vector(), in.vector(), unique.vector(), out.vector(), Plus(), EqualKeys(), {},
                count.scalar());
  EXPECT_EQ(out.values(), (std::vector{1, 2}));
  EXPECT_EQ(unique.values(), (std::vector{1}));
  EXPECT_EQ(count.values(), (std::vector{3}));
  EXPECT_TRUE(out.guards_intact() && unique.guards_intact());
}

// Hosts keep keys a word of heads at a time, devices an element at a time: the same ones.
TEST(SegmentedReductions, KeepKeysByWordsAndByElements) {
  using namespace wavescan::Impl;
  constexpr Index n = 3 * RunCounts::chunk + 77;
  Random random;
  for (const int mean : {1, 5, 700}) {
    std::vector<BitWord> words(static_cast<std::size_t>(words_for(n)), 0);
    std::vector<Index> before{0};
    std::vector<int> keys;
    Index heads = 0;
    for (Index j = 0; j < n; ++j) {
      if (j > 0 && j % RunCounts::chunk == 0) before.push_back(heads);
      const bool head = j == 0 || random.integer(1, mean) == 1;
      if (head) words[static_cast<std::size_t>(j / word_bits)] |= BitWord(1) << j % word_bits;
      heads += head;
      keys.push_back(static_cast<int>(j));
    }
    for (const Index size : {heads, heads / 2}) {
      std::vector<int> by_words(static_cast<std::size_t>(heads), -1), by_elements = by_words;
      const auto keep = [&](std::vector<int>& kept) {
        return KeepKeys<int>{{words.data(), before.data()}, n,    {keys.data(), 0, 1},
                             {kept.data(), 0, 1},           size, 0};
      };
      for (Index w = 0; w < words_for(n); ++w) keep(by_words)(w);
      for (Index j = 0; j < n; ++j) KeepKeyOfHead<int>{keep(by_elements)}(j);
      ASSERT_EQ(by_words, by_elements) << mean;
      ASSERT_EQ(by_words.back() == -1, size < heads);
    }
  }
}

}  // namespace
