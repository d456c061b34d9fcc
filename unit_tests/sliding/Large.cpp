// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_Pad.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_Unique.hpp>
#include <cstdint>
#include <string>
#include <utility>

#include "LargeArrays.hpp"

// Arrays that keep all of a device busy for many tiles, wherever they begin, checked where they
// are: numbers that are kept grow, each belongs there, and there are as many as there should be.

namespace sliding_large {
namespace {

using namespace wavescan;
using namespace wavescan::Test::Large;

constexpr Index large = on_host ? 300'007 : 70'000'003;

/// Whether number i is kept: so many of a hundred, and stretches without any, and of nothing else.
struct Kept {
  Index share;
  KOKKOS_FUNCTION bool operator()(Index i) const {
    const Index stretch = i / 50'000 % 7;
    if (stretch == 3) return true;
    if (stretch == 5) return false;
    return is_among(i, share);
  }
};
struct NotKept {
  Kept kept;
  template <class T>
  KOKKOS_FUNCTION bool operator()(const T& i) const {
    return !kept(static_cast<Index>(i));
  }
};
/// The first of two zipped elements decides.
struct FirstKept {
  Kept kept;
  KOKKOS_FUNCTION bool operator()(std::int32_t i, double) const { return kept(i); }
};
struct IndexKept {
  Kept kept;
  template <class T>
  KOKKOS_FUNCTION bool operator()(Index i, const T&) const {
    return kept(i);
  }
};

struct SetFlag {
  Kokkos::View<bool*, Exec> flags;
  Kept kept;
  KOKKOS_FUNCTION void operator()(const Index i) const { flags(i) = kept(i); }
};

template <class T>
struct Number {
  Kokkos::View<T*, Exec> view;
  Index divisor;
  KOKKOS_FUNCTION void operator()(const Index i) const { view(i) = static_cast<T>(i / divisor); }
};
/// Elements of an array that begins `offset` elements after its allocation.
template <class T>
Kokkos::View<T*, Exec> numbers(Index n, Index offset, Index divisor = 1) {
  const Kokkos::View<T*, Exec> all("numbers", n + offset);
  const Kokkos::View<T*, Exec> view =
      Kokkos::subview(all, std::pair<Index, Index>(offset, n + offset));
  Kokkos::parallel_for("number", Policy(0, n), Number<T>{view, divisor});
  return view;
}

/// Faults among elements [begin, end), which should grow and all be kept, or all rejected.
template <class T>
struct CountFaults {
  Kokkos::View<T*, Exec> view;
  Index begin;
  Kept kept;
  bool expected;
  KOKKOS_FUNCTION void operator()(const Index k, Index& faults) const {
    const auto i = static_cast<Index>(view(k));
    if (kept(i) != expected || (k > begin && i <= static_cast<Index>(view(k - 1)))) ++faults;
  }
};
template <class T>
Index faults(const Kokkos::View<T*, Exec>& view, Index begin, Index end, const Kept& kept,
             bool expected = true) {
  Index sum = 0;
  Kokkos::parallel_reduce("faults", Policy(begin, end), CountFaults<T>{view, begin, kept, expected},
                          sum);
  return sum;
}

/// How many elements [begin, end) are not `factor` times their place, and `by` more.
template <class T>
struct CountOthers {
  Kokkos::View<T*, Exec> view;
  Index by, factor;
  KOKKOS_FUNCTION void operator()(const Index k, Index& sum) const {
    sum += static_cast<Index>(view(k)) != factor * k + by;
  }
};
template <class T>
Index count_others(const Kokkos::View<T*, Exec>& view, Index begin, Index end, Index by = 0,
                   Index factor = 1) {
  Index sum = 0;
  Kokkos::parallel_reduce("others", Policy(begin, end), CountOthers<T>{view, by, factor}, sum);
  return sum;
}

class LargeSelections : public testing::TestWithParam<int> {
 protected:
  const Kept kept_{GetParam()};
  const Index count_ = count_kept(kept_, large);
};

TEST_P(LargeSelections, OfIntegers) {
  for (const Index offset : {0, 1, 3}) {
    const auto x = numbers<std::int32_t>(large, offset);
    const auto y = numbers<std::int32_t>(large, 3 - offset);
    EXPECT_EQ(copy_if(x, y, kept_), count_);
    EXPECT_EQ(faults(y, 0, count_, kept_), 0);
    EXPECT_EQ(remove_if(x, NotKept{kept_}), count_);
    EXPECT_EQ(faults(x, 0, count_, kept_), 0);
  }
}

TEST_P(LargeSelections, OfPairsByFlagsAndByIndex) {
  const auto x = numbers<std::int32_t>(large, 1);
  const auto y = numbers<double>(large, 1);
  EXPECT_EQ(copy_if(zip(x, y), zip(x, y), FirstKept{kept_}), count_);
  EXPECT_EQ(faults(x, 0, count_, kept_), 0);
  EXPECT_EQ(faults(y, 0, count_, kept_), 0);
  const auto z = numbers<std::int64_t>(large, 0);
  const Kokkos::View<bool*, Exec> flags("flags", large);
  Kokkos::parallel_for("flags", Policy(0, large), SetFlag{flags, kept_});
  EXPECT_EQ(copy_if(z, z, flags), count_);
  EXPECT_EQ(faults(z, 0, count_, kept_), 0);
  const auto w = numbers<std::uint32_t>(large, 2);
  EXPECT_EQ(copy_if(w, w, by_index(IndexKept{kept_})), count_);
  EXPECT_EQ(faults(w, 0, count_, kept_), 0);
}

TEST_P(LargeSelections, PartInOrder) {
  const Partition<Exec> plan(Exec(), large, sizeof(std::int64_t));
  const auto x = numbers<std::int64_t>(large, 1);
  EXPECT_EQ(plan.partition(x, x, kept_), count_);
  EXPECT_EQ(faults(x, 0, count_, kept_), 0);
  EXPECT_EQ(faults(x, count_, large, kept_, false), 0);
  const auto z = numbers<std::int32_t>(large, 1);
  const auto a = numbers<std::int32_t>(large, 2), b = numbers<std::int32_t>(large, 3);
  EXPECT_EQ(partition_copy(z, a, b, kept_), count_);
  EXPECT_EQ(faults(a, 0, count_, kept_), 0);
  EXPECT_EQ(faults(b, 0, large - count_, kept_, false), 0);
}

TEST_P(LargeSelections, StopWhereTheOutputEnds) {
  const auto x = numbers<std::int32_t>(large, 0);
  const Index room = count_ / 2;
  const auto y = numbers<std::int32_t>(large, 0);
  Kokkos::deep_copy(y, -1);
  EXPECT_EQ(copy_if(x, Kokkos::subview(y, std::pair<Index, Index>(0, room)), kept_), count_);
  EXPECT_EQ(faults(y, 0, room, kept_), 0);
  EXPECT_EQ(count_others(y, room, large, -1, 0), 0);
}

INSTANTIATE_TEST_SUITE_P(Shares, LargeSelections, testing::Values(0, 1, 50, 99, 100));

TEST(LargeUnique, LeavesOneOfEach) {
  for (const Index run : {1, 3, 1000, 50'000}) {
    const auto x = numbers<std::int32_t>(large, 1, run);
    const Index expected = (large + run - 1) / run;
    EXPECT_EQ(unique(x), expected);
    EXPECT_EQ(count_others(x, 0, expected), 0) << "runs of " << run;
  }
}

/// Partitions that a GPU's multiprocessors just hold, and larger ones.
TEST(LargePartitions, AroundWhatIsHeldOnChip) {
  constexpr Index part = on_host ? 100 : 1;
  for (const Index n : {6'400'001 / part, 6'500'003 / part, 6'600'007 / part})
    for (const Index share : {1, 50, 99}) {
      SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(share) + " per cent");
      const Kept kept{share};
      const Index count = count_kept(kept, n);
      const auto x = numbers<std::int32_t>(n, 1), y = numbers<std::int32_t>(n, 3);
      Kokkos::deep_copy(y, -1);
      EXPECT_EQ(partition(x, y, kept), count);
      EXPECT_EQ(partition(x, kept), count);
      for (const auto& view : {x, y}) {
        EXPECT_EQ(faults(view, 0, count, kept), 0);
        EXPECT_EQ(faults(view, count, n, kept, false), 0);
      }
    }
}

/// Calls one after another, and on two instances at once, find what they should.
TEST(LargeSelections, OnInstancesSideBySide) {
  const Kept kept{37};
  const Index n = large / 7, count = count_kept(kept, n);
  const auto execs = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const Selection<Exec> first(execs[0], n, 4), second(execs[1], n, 4);
  const auto x = numbers<std::int32_t>(n, 0);
  const auto a = numbers<std::int32_t>(n, 1), b = numbers<std::int32_t>(n, 2);
  const Kokkos::View<Index, Exec> a_count("count"), b_count("count");
  Kokkos::fence();
  for (int call = 0; call < 50; ++call) {
    first.copy_if(x, a, kept, a_count);
    second.copy_if(x, b, kept, b_count);
  }
  Kokkos::fence();
  Index found = 0;
  Kokkos::deep_copy(found, a_count);
  EXPECT_EQ(found, count);
  Kokkos::deep_copy(found, b_count);
  EXPECT_EQ(found, count);
  EXPECT_EQ(faults(a, 0, count, kept), 0);
  EXPECT_EQ(faults(b, 0, count, kept), 0);
}

struct EveryThird {
  KOKKOS_FUNCTION bool operator()(Index i, std::uint8_t) const { return i % 3 == 0; }
};
/// Elements that count up to 250, each three times or once.
struct CountUp {
  Kokkos::View<std::uint8_t*, Exec> view;
  KOKKOS_FUNCTION void operator()(const Index i) const {
    view(i) = static_cast<std::uint8_t>(i / 3 % 251);
  }
  KOKKOS_FUNCTION void operator()(const Index k, Index& wrong) const {
    wrong += view(k) != static_cast<std::uint8_t>(k % 251);
  }
};
TEST(LargeSelections, OfMoreElementsThan32BitsCount) {
  const Index n = on_host ? 100'000 : (Index(1) << 32) + 12'345;
  const Kokkos::View<std::uint8_t*, Exec> x("x", n);
  Kokkos::parallel_for("count up", Policy(0, n), CountUp{x});
  const Index expected = (n + 2) / 3;
  EXPECT_EQ(copy_if(x, x, by_index(EveryThird())), expected);
  Index wrong = -1;
  Kokkos::parallel_reduce("wrong", Policy(0, expected), CountUp{x}, wrong);
  EXPECT_EQ(wrong, 0);
}

struct Shape {
  Index rows, columns, padded, leading;
};

template <class T>
struct CountMisplaced {
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> wide;
  Index columns, leading;
  KOKKOS_FUNCTION void operator()(const Index i, Index& sum) const {
    const Index row = i / columns, column = i - row * columns;
    sum += wide(row, leading + column) != static_cast<T>(i);
  }
};

template <class T>
void check_pad(const Shape& s, Index offset) {
  SCOPED_TRACE(std::to_string(s.rows) + " rows of " + std::to_string(s.columns) + " to " +
               std::to_string(s.leading) + " + ... = " + std::to_string(s.padded) + ", from " +
               std::to_string(offset));
  using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Exec>;
  const auto memory = numbers<T>(s.rows * s.padded, offset);
  const Matrix narrow(memory.data(), s.rows, s.columns), wide(memory.data(), s.rows, s.padded);
  const auto misplaced = [&](const Matrix& matrix, Index leading) {
    Index sum = 0;
    Kokkos::parallel_reduce("misplaced", Policy(0, s.rows * s.columns),
                            CountMisplaced<T>{matrix, s.columns, leading}, sum);
    return sum;
  };
  const auto options = PadOptions().leading(s.leading);
  pad(narrow, wide, options);
  EXPECT_EQ(misplaced(wide, s.leading), 0);
  const Matrix copy("copy", s.rows, s.columns);
  unpad(wide, copy, options);
  EXPECT_EQ(misplaced(copy, 0), 0);
  unpad(wide, narrow, options);
  EXPECT_EQ(misplaced(narrow, 0), 0);
}

TEST(LargePadding, OfManyShapes) {
  constexpr Index part = on_host ? 100 : 1;
  for (const Index offset : {0, 4, 1}) {
    check_pad<std::int32_t>({7000 / part, 7000, 7001, 0}, offset);
    check_pad<std::int32_t>({8192 / part, 8192, 8448, 128}, offset);
    check_pad<std::int32_t>({5'000'000 / part, 10, 11, 1}, offset);
    check_pad<std::int32_t>({30'000 / part, 1000, 2100, 3}, offset);
    check_pad<std::int32_t>({300'000 / part, 100, 401, 300}, offset);
    check_pad<std::int32_t>({40, 1'000'000 / part, 1'000'000 / part + 3, 2}, offset);
    check_pad<std::int64_t>({3000 / part, 9000, 9002, 1}, offset);
    check_pad<std::uint16_t>({3001 / part, 10'001, 10'020, 7}, offset);
    check_pad<std::uint8_t>({3001 / part, 20'001, 20'100, 50}, offset);
  }
}

TEST(LargeShifts, MoveAll) {
  for (const Index places : {1, 4, 1000, 100'003}) {
    const auto x = numbers<std::int32_t>(large, 1);
    shift_left(x, places);
    EXPECT_EQ(count_others(x, 0, large - places, places), 0);
    shift_right(x, 2 * places);
    EXPECT_EQ(count_others(x, 2 * places, large, -places), 0);
  }
}

}  // namespace
}  // namespace sliding_large
