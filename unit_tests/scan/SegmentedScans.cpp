// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_SegmentedScan.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Operators.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "CheckSegments.hpp"

// Segmented scans against serial loops, bit for bit: operators on integers, which need not commute.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

/// Arrays of a segmentation, in every way in which segments can be told.
struct Described {
  explicit Described(const Segmentation& s)
      : runs(s.runs()),
        wide(line(s.segments() + 1), s.offsets),
        narrow(line(s.segments() + 1), std::vector<int>(s.offsets.begin(), s.offsets.end())),
        flags(line(s.elements()), s.heads()),
        keys(line(s.elements()), s.keys()) {}
  /// Calls use(description) for each kind.
  template <class Use>
  void for_each(const Use& use) const {
    use(segment_offsets(wide.vector()));
    use(segment_offsets(narrow.vector()));
    use(segment_heads(flags.vector()));
    use(segment_keys(keys.vector()));
  }
  Segmentation runs;
  GuardedArray<std::int64_t> wide;
  GuardedArray<int> narrow;
  GuardedArray<unsigned char> flags;
  GuardedArray<int> keys;
};

template <class Op>
void check_segments_of(const Op& op, std::int64_t n, std::int64_t stride = 1) {
  using T = typename Op::value_type;
  Random random;
  SCOPED_TRACE(random.trace());
  const std::vector<T> x = random_operands<Op>(random, n);
  const T init = n > 0 ? x[0] : op.identity();
  for (const Segmentation& s : segmentations(random, n)) {
    SCOPED_TRACE(s.name);
    const Described segments(s);
    const GuardedArray<T> in(line(n, stride), x);
    GuardedArray<T> out(line(n, stride));
    for (const bool reverse : {false, true})
      for (const bool inclusive : {false, true})
        for (const bool enters : {false, true}) {
          const auto expected = scanned(
              s, x, reverse, inclusive,
              [&](std::size_t, const T& v, std::size_t) { return enters ? op(init, v) : v; },
              [&](const T& state, const T& v, std::size_t) { return op(state, v); },
              [&](std::size_t) { return enters ? init : op.identity(); });
          int kind = 0;
          segments.for_each([&](const auto& description) {
            const auto scan = [&](const auto& from, const auto& to, const auto& enter) {
              if (inclusive)
                segmented_inclusive_scan(Exec(), from, description, to, op, enter,
                                         {.reverse = reverse});
              else
                segmented_exclusive_scan(Exec(), from, description, to, op, enter,
                                         {.reverse = reverse});
            };
            const auto both = [&](const auto& from, const auto& to) {
              if (enters)
                scan(from, to, init);
              else
                scan(from, to, NoCarry());
            };
            SCOPED_TRACE("description " + std::to_string(kind));
            out.set(std::vector<T>(x.size(), init));
            both(in.vector(), out.vector());
            ASSERT_TRUE(out.values() == expected)
                << (inclusive ? "inclusive" : "exclusive") << (reverse ? ", reverse" : "");
            if (kind++ == 0) {
              out.set(x);
              both(out.vector(), out.vector());
              ASSERT_TRUE(out.values() == expected) << "in place";
            }
            ASSERT_TRUE(out.guards_intact());
          });
        }
  }
}

TEST(SegmentedScans, OfIntegers) {
  for (const std::int64_t n : segmented_sizes<Exec>()) check_segments_of(Plus<std::int32_t>(), n);
}
TEST(SegmentedScans, OfMaxima) {
  for (const std::int64_t n : {5, 70000}) check_segments_of(Max<std::int64_t>(), n);
}
TEST(SegmentedScans, OfBytes) {
  for (const std::int64_t n : {49, 70000}) check_segments_of(Plus<std::uint8_t>(), n);
}
TEST(SegmentedScans, OfMapsWhichDoNotCommute) {
  for (const std::int64_t n : {1, 33, 3000, 70001}) check_segments_of(Affine<std::uint32_t>(), n);
  check_segments_of(Affine<std::uint64_t>(), 30011);
}
TEST(SegmentedScans, OfStridedViews) { check_segments_of(Plus<std::int32_t>(), 30011, 3); }

struct LeftAssociated {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a > b ? a : b;
  }
};

TEST(SegmentedScans, OfFunctionsWithoutIdentity) {
  const Segmentation s{"", {0, 3, 3, 5}};
  const GuardedArray<int> in(line(5), {3, 1, 4, 1, 5}), out(line(5));
  const GuardedArray<int> offsets(line(4), {0, 3, 3, 5});
  segmented_inclusive_scan(in.vector(), segment_offsets(offsets.vector()), out.vector(),
                           LeftAssociated());
  EXPECT_EQ(out.values(), (std::vector{3, 3, 4, 1, 5}));
  segmented_exclusive_scan(in.vector(), segment_offsets(offsets.vector()), out.vector(),
                           LeftAssociated(), 2);
  EXPECT_EQ(out.values(), (std::vector{2, 3, 3, 2, 2}));
}

template <class T>
void check_weighted(std::int64_t n) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto x = random.integers<T>(n, -5, 5), w = random.integers<T>(n, -3, 3);
  const PlusTimes<T> algebra;
  for (const Segmentation& s : segmentations(random, n)) {
    SCOPED_TRACE(s.name);
    const auto initial = random.integers<T>(s.segments(), -9, 9);
    GuardedArray<T> out(line(n));
    const GuardedArray<T> in(line(n), x), weights(line(n), w), init(line(s.segments()), initial);
    const GuardedArray<int> offsets(line(s.segments() + 1),
                                    std::vector<int>(s.offsets.begin(), s.offsets.end()));
    const auto segments = segment_offsets(offsets.vector());
    for (const bool reverse : {false, true})
      for (const bool inclusive : {false, true})
        for (const bool constant : {false, true})
          for (const int enters : {0, 1, 2}) {  // nothing, a value, a value each
            const auto weight = [&](std::size_t j) { return constant ? T(3) : w[j]; };
            const auto enter = [&](std::size_t k) {
              return enters == 0 ? T(0) : enters == 1 ? T(4) : initial[k];
            };
            const auto advance = [&](const T& state, const T& v, std::size_t j) {
              return algebra.advance(state, weight(j), v);
            };
            const auto expected = scanned(
                s, x, reverse, inclusive,
                [&](std::size_t k, const T& v, std::size_t j) {
                  return enters == 0 ? v : advance(enter(k), v, j);
                },
                advance, enter);
            const auto scan = [&](const auto& by, const auto& entering) {
              if (inclusive)
                segmented_weighted_scan(in.vector(), by, segments, out.vector(), algebra, entering,
                                        {.reverse = reverse});
              else
                segmented_weighted_exclusive_scan(in.vector(), by, segments, out.vector(), algebra,
                                                  entering, {.reverse = reverse});
            };
            const auto with_weight = [&](const auto& entering) {
              if (constant)
                scan(T(3), entering);
              else
                scan(weights.vector(), entering);
            };
            out.set(std::vector<T>(x.size(), T(77)));
            if (enters == 0) with_weight(NoCarry());
            if (enters == 1) with_weight(T(4));
            if (enters == 2) with_weight(init.vector());
            ASSERT_TRUE(out.values() == expected) << inclusive << reverse << constant << enters;
            ASSERT_TRUE(out.guards_intact());
          }
  }
}

TEST(SegmentedScans, Weighted) {
  for (const std::int64_t n : {0, 1, 33, 4097, 30011, 140001}) check_weighted<std::uint32_t>(n);
}

TEST(SegmentedScans, OfManyTiles) {
  check_segments_of(Affine<std::uint32_t>(), many_tiles<Exec>());
  check_weighted<std::uint32_t>(many_tiles<Exec>());
}

TEST(SegmentedScans, LeaveWhatIsInNoSegment) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {1, 40, 700, 70001}) {
    const auto x = random.values<std::uint32_t>(n);
    std::vector<int> begins, ends;
    std::vector<std::uint32_t> expected(x.size(), 99u), backwards = expected;
    for (std::int64_t at = random.integer(0, 3); at < n;) {
      const std::int64_t end = std::min(n, at + random.integer(0, 60));
      begins.push_back(static_cast<int>(at));
      ends.push_back(static_cast<int>(end));
      std::uint32_t sum = 0;
      for (auto j = at; j < end; ++j)
        expected[static_cast<std::size_t>(j)] = sum += x[static_cast<std::size_t>(j)];
      sum = 0;
      for (auto j = end - 1; j >= at; --j)
        backwards[static_cast<std::size_t>(j)] = sum += x[static_cast<std::size_t>(j)];
      at = end + (random.integer(0, 1) ? 0 : random.integer(0, 70));
      if (end == at && begins.back() == ends.back()) ++at;
    }
    const auto count = static_cast<std::int64_t>(begins.size());
    const GuardedArray<std::uint32_t> in(line(n), x);
    GuardedArray<std::uint32_t> out(line(n));
    const GuardedArray<int> from(line(count), begins), to(line(count), ends);
    for (const bool reverse : {false, true}) {
      out.set(std::vector<std::uint32_t>(x.size(), 99u));
      segmented_inclusive_scan(in.vector(), segment_offsets(from.vector(), to.vector()),
                               out.vector(), Plus(), {}, {.reverse = reverse});
      ASSERT_TRUE(out.values() == (reverse ? backwards : expected)) << n << reverse;
      ASSERT_TRUE(out.guards_intact());
    }
  }
}

TEST(SegmentedScans, KeepNaNAndInfinitiesInTheirSegments) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::int64_t n : {40, 5000, 300000}) {
    std::vector<float> x(static_cast<std::size_t>(n), 1.f);
    std::vector<int> offsets{0};
    for (int j = 0; j < n; j += 10) {
      x[static_cast<std::size_t>(j + (j / 10) % 10)] = (j / 10) % 3 == 0   ? nan
                                                       : (j / 10) % 3 == 1 ? inf
                                                                           : 1.f;
      offsets.push_back(j + 10);
    }
    const GuardedArray<float> in(line(n), x), out(line(n));
    const GuardedArray<int> bounds(line(n / 10 + 1), offsets);
    const auto check = [&](const char* what) {
      const auto y = out.values();
      for (std::size_t j = 0; j < y.size(); ++j) {
        const std::size_t bad = (j / 10) % 10, place = j % 10, kind = (j / 10) % 3;
        if (place < bad || kind == 2)
          ASSERT_TRUE(std::isfinite(y[j])) << what << " at " << j;
        else
          ASSERT_TRUE(kind == 0 ? std::isnan(y[j]) : std::isinf(y[j])) << what << " at " << j;
      }
    };
    segmented_inclusive_scan(in.vector(), segment_offsets(bounds.vector()), out.vector());
    check("sums");
    segmented_weighted_scan(in.vector(), .5f, segment_offsets(bounds.vector()), out.vector());
    check("weighted");
    segmented_weighted_scan(in.vector(), in.vector(), segment_offsets(bounds.vector()),
                            out.vector());
    check("weighted by a View");
  }
}

TEST(SegmentedScans, TakeKeysOfNaNAsSegmentsOfTheirOwn) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const GuardedArray<double> keys(line(6), {1, 1, nan, nan, 2, 2});
  const GuardedArray<int> in(line(6), {1, 1, 1, 1, 1, 1}), out(line(6));
  inclusive_scan_by_key(keys.vector(), in.vector(), out.vector());
  EXPECT_EQ(out.values(), (std::vector{1, 2, 1, 1, 1, 2}));
  exclusive_scan_by_key(keys.vector(), in.vector(), out.vector());
  EXPECT_EQ(out.values(), (std::vector{0, 1, 0, 0, 0, 1}));
}

struct SameTens {
  KOKKOS_FUNCTION bool operator()(int a, int b) const { return a / 10 == b / 10; }
};
struct Squared {
  KOKKOS_FUNCTION int operator()(int a) const { return a * a; }
};
struct Itself {
  KOKKOS_FUNCTION int operator()(std::int64_t j) const { return static_cast<int>(j); }
};

TEST(SegmentedScans, TakePredicatesAndFunctionsOnTheWay) {
  const GuardedArray<int> keys(line(5), {11, 12, 25, 21, 31});
  const GuardedArray<int> in(line(5), {1, 2, 3, 4, 5}), out(line(5));
  inclusive_scan_by_key(keys.vector(), in.vector(), out.vector(), Plus(), SameTens());
  EXPECT_EQ(out.values(), (std::vector{1, 3, 3, 7, 5}));
  const auto segments = segment_keys(keys.vector(), SameTens());
  segmented_inclusive_scan(transform_input(in.vector(), Squared()), segments, out.vector());
  EXPECT_EQ(out.values(), (std::vector{1, 5, 9, 25, 25}));
  segmented_exclusive_scan(Exec(), computed_input(5, Itself()), segments, out.vector());
  EXPECT_EQ(out.values(), (std::vector{0, 0, 0, 2, 0}));
  segmented_inclusive_scan(in.vector(), segments, transform_output(out.vector(), Squared()));
  EXPECT_EQ(out.values(), (std::vector{1, 9, 9, 49, 25}));
}

}  // namespace
