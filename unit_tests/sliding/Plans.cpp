// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_Pad.hpp>

#include "CheckSliding.hpp"

// Plans: nothing is allocated, waited for or remembered; what does not fit is counted.

namespace sliding_plans {
namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

struct SameValue {
  KOKKOS_FUNCTION bool operator()(std::int32_t a, std::int32_t b) const { return a == b; }
};
struct IsOdd {
  template <class... X>
  KOKKOS_FUNCTION bool operator()(std::int64_t i, const X&...) const {
    return i % 2 != 0;
  }
};

TEST(SlidingPlans, AllocateAndFenceNothing) {
  const std::int64_t n = 200003;
  const Exec exec;
  const Kokkos::View<std::int32_t*> x("x", n), y("y", n), z("z", n);
  const Kokkos::View<double**> rows("rows", 1000, 3), wide("wide", 1000, 5);
  const Kokkos::View<std::int64_t> count("count");
  const auto select = Selection<Exec>::like(exec, zip(x, y));
  const auto part = Partition<Exec>::like(exec, x);
  const auto padding = Padding<Exec>::like(exec, rows);
  exec.fence();
  const Recorder recorder;
  for (int k = 0; k < 3; ++k) {
    select.copy_if(x, y, Below{1}, count);
    select.remove_if(zip(x, y), by_index(IsOdd()), count);
    select.unique(x, SameKey(), count);
    part.partition(x, x, Below{1}, count);
    part.partition_copy(x, y, z, Below{1}, count);
    padding.pad(rows, wide, PadOptions().fill(1.0));
  }
  EXPECT_TRUE(recorder.allocations().empty()) << join(recorder.allocations());
  EXPECT_TRUE(recorder.fences().empty()) << join(recorder.fences());
  EXPECT_FALSE(recorder.regions().empty());
  EXPECT_EQ(recorder.regions().front(), "WaveScan::copy_if");
}

TEST(SlidingPlans, Labels) {
  const Kokkos::View<std::int32_t*> x("x", 10), y("y", 10);
  const Kokkos::View<double**> rows("rows", 10, 3), wide("wide", 10, 5);
  const Recorder recorder;
  copy_if("mine", x, y, Below{1});
  copy_if("mine too", Exec(), x, y, Below{1});
  unique(std::string("third"), x);
  pad("fourth", rows, wide);
  EXPECT_EQ(join(recorder.regions()), "mine, mine too, third, fourth");
}

/// One plan for elements of other sizes and numbers, one call after the other.
TEST(SlidingPlans, AreUsedAgain) {
  Random random;
  SCOPED_TRACE(random.trace());
  for_each_instance([&](const auto& exec) {
    using E = std::remove_cvref_t<decltype(exec)>;
    const Selection<E> plan(exec, 100000, 16);
    for (std::int64_t k = 0; k < cases_wanted(20); ++k) {
      const std::int64_t n = random.integer(0, 100000);
      const auto in = spread_elements<std::int16_t>(random, n, Spread::Random);
      const auto wide = spread_elements<Blob<12>>(random, n, Spread::Runs);
      const Expected<std::int16_t> expected(in, {70});
      const Expected<Blob<12>> wide_expected(wide, {70});
      const GuardedArray<std::int16_t, E> x(line(n), in);
      const GuardedArray<Blob<12>, E> y(line(n), wide);
      EXPECT_EQ(plan.remove_if(x.vector(), NotBelow{70}),
                static_cast<std::int64_t>(expected.kept.size()));
      EXPECT_EQ(plan.unique(y.vector()), static_cast<std::int64_t>(wide_expected.unique.size()));
      EXPECT_TRUE(starts_with(x.values(), expected.kept, false));
      EXPECT_TRUE(starts_with(y.values(), wide_expected.unique, false));
    }
  });
}

/// Outputs that hold fewer elements than are kept: none is written behind them, all are counted.
TEST(SlidingPlans, OutputsOfAnySize) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t n = 60013;
  const auto in = spread_elements<std::int32_t>(random, n, Spread::Random);
  const Expected<std::int32_t> expected(in, {50});
  const auto kept = static_cast<std::int64_t>(expected.kept.size());
  for (const std::int64_t places :
       {std::int64_t(0), std::int64_t(1), std::int64_t(999), kept - 1, kept, kept + 1, n + 5})
    for_each_instance([&](const auto& exec) {
      using E = std::remove_cvref_t<decltype(exec)>;
      SCOPED_TRACE(std::to_string(places) + " places for " + std::to_string(kept));
      const GuardedArray<std::int32_t, E> x(line(n), in), y(line(places)), z(line(places));
      EXPECT_EQ(partition_copy(exec, x.vector(), y.vector(), z.vector(), Below{50}), kept);
      const auto fit = [&](const std::vector<std::int32_t>& all) {
        const auto size = static_cast<std::int64_t>(all.size());
        return std::vector<std::int32_t>(all.begin(), all.begin() + std::min(places, size));
      };
      EXPECT_TRUE(starts_with(y.values(), fit(expected.kept), true));
      EXPECT_TRUE(starts_with(z.values(), fit(expected.rejected), true));
      EXPECT_TRUE(y.guards_intact());
      EXPECT_TRUE(z.guards_intact());
      // In place: the front of the array is all that is written.
      const auto front = Kokkos::subview(
          x.vector(), std::pair<std::int64_t, std::int64_t>(0, std::min(places, n)));
      EXPECT_EQ(copy_if(exec, x.vector(), front, Below{50}), kept);
      const auto after = x.values();
      EXPECT_TRUE(starts_with(after, fit(expected.kept), false));
      for (std::int64_t i = std::min(places, n); i < n; ++i)
        ASSERT_EQ(after[static_cast<std::size_t>(i)], in[static_cast<std::size_t>(i)]);
    });
}

/// Instances side by side, each with a plan of its own.
// In place, where hardly anything has been removed: elements are compared before they are
// overwritten.
TEST(SlidingPlans, UniqueWithFewDuplicates) {
  constexpr std::int64_t n = 600;
  const auto plan = Selection<Exec>(Exec(), n, sizeof(std::int32_t));
  for (std::int64_t q = 64; q < n; q += 64)
    for (std::int64_t p = q - 63; p <= q; p += 3) {
      std::vector<std::int32_t> values, expected;
      for (std::int64_t i = 0; i < n; ++i) {
        const bool equals_the_last = i == p || i == q;
        values.push_back(equals_the_last ? values.back() : static_cast<std::int32_t>(i));
        if (!equals_the_last) expected.push_back(values.back());
      }
      const GuardedArray<std::int32_t> data(line(n), values);
      ASSERT_EQ(plan.unique(data.vector(), SameValue()), std::ssize(expected));
      auto kept = data.values();
      kept.resize(expected.size());
      ASSERT_TRUE(equal(kept, expected)) << p << ' ' << q;
    }
}

TEST(SlidingPlans, UniqueLooksAtAllZippedViews) {
  const GuardedArray<std::int32_t> first(line(4), {1, 1, 1, 2}), second(line(4), {5, 5, 6, 6});
  EXPECT_EQ(unique(zip(first.vector(), second.vector())), 3);
}

TEST(SlidingPlans, AtTheSameTime) {
  const std::int64_t n = 100003;
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  std::vector<std::int32_t> in;
  for (std::int64_t i = 0; i < n; ++i) in.push_back(static_cast<std::int32_t>(i % 100));
  const Expected<std::int32_t> expected(in, {30});
  std::vector<GuardedArray<std::int32_t>> arrays;
  std::vector<Selection<Exec>> plans;
  std::vector<Count<Exec>> counts(instances.size());
  for (const Exec& exec : instances) {
    arrays.emplace_back(line(n), in);
    plans.emplace_back(exec, n, 4);
  }
  for (std::size_t p = 0; p < plans.size(); ++p)
    plans[p].remove_if(arrays[p].vector(), NotBelow{30}, counts[p].view());
  for (std::size_t p = 0; p < plans.size(); ++p) {
    EXPECT_EQ(counts[p].value(), static_cast<std::int64_t>(expected.kept.size()));
    EXPECT_TRUE(starts_with(arrays[p].values(), expected.kept, false));
  }
}

/// Again and again on threads that share cores: whatever their order, the same.
TEST(SlidingPlans, ManyThreads) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t n = 30 * Impl::select::block_of(sizeof(Blob<20>)) + 5;
  const auto in = spread_elements<Blob<20>>(random, n, Spread::Random);
  const Expected<Blob<20>> expected(in, {90});
  for_each_instance([&](const auto& exec) {
    using E = std::remove_cvref_t<decltype(exec)>;
    const Selection<E> plan(exec, n, 20);
    const Partition<E> part(exec, n, 20);
    const GuardedArray<Blob<20>, E> x(line(n), in);
    GuardedArray<Blob<20>, E> y(line(n), in);
    for (std::int64_t k = 0; k < cases_wanted(20); ++k) {
      y.set(in);
      ASSERT_EQ(plan.copy_if(y.vector(), y.vector(), Below{90}),
                static_cast<std::int64_t>(expected.kept.size()));
      ASSERT_TRUE(starts_with(y.values(), expected.kept, false));
      part.partition(x.vector(), y.vector(), Below{90});
      ASSERT_TRUE(same_bits(y.values(), expected.partitioned()));
    }
  });
}

}  // namespace
}  // namespace sliding_plans
