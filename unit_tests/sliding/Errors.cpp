// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_Pad.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_Unique.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Compare.hpp"
#include "../support/WaveScanTest_Errors.hpp"

// Every precondition that fails throws, names operation and argument, and leaves outputs alone.

namespace sliding_errors {
namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Kokkos::ALL;
using Range = Kokkos::pair<int, int>;
using Exec = Kokkos::DefaultExecutionSpace;

struct Positive {
  template <class... X>
  KOKKOS_FUNCTION bool operator()(const X&... x) const {
    return (true && ... && (x > 0));
  }
};
struct Number {
  KOKKOS_FUNCTION int operator()(std::int64_t i) const { return static_cast<int>(i); }
};
struct Any {
  template <class... X>
  KOKKOS_FUNCTION bool operator()(const X&...) const {
    return true;
  }
};

class SlidingErrors : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_TRUE(equal(in_.values(), std::vector<int>(12, 1))) << "something was written";
    EXPECT_TRUE(equal(out_.values(), std::vector<int>(12, -1))) << "something was written";
  }
  GuardedArray<int> in_{line(12), std::vector<int>(12, 1)};
  GuardedArray<int> out_{line(12)};
  decltype(in_.vector()) in = in_.vector();
  decltype(in_.vector()) out = out_.vector();
  Kokkos::View<int*> eleven{"eleven", 11};
  Kokkos::View<int*> twelve{"twelve", 12};
  Kokkos::View<int**> rows{"rows", 12, 3};
  Kokkos::View<int**> wide_rows{"wide", 12, 4};
  Kokkos::View<std::int64_t> count{"count"};
  Positive keep;
};

TEST_F(SlidingErrors, PartialOverlap) {
  const auto first = Kokkos::subview(out, Range(0, 8));
  const auto shifted = Kokkos::subview(out, Range(2, 10));
  EXPECT_TRUE(rejects("copy_if", "out", [&] { copy_if(first, shifted, keep); }));
  EXPECT_TRUE(rejects("copy_if", "out", [&] { copy_if(shifted, first, keep); }));
  EXPECT_TRUE(rejects("remove_copy_if", "out", [&] { remove_copy_if(first, shifted, keep); }));
  EXPECT_TRUE(rejects("unique_copy", "out", [&] { unique_copy(first, shifted); }));
  EXPECT_TRUE(rejects("partition", "out", [&] { partition(first, shifted, keep); }));
  EXPECT_TRUE(
      rejects("partition_copy", "out_false", [&] { partition_copy(in, first, shifted, keep); }));
  EXPECT_TRUE(
      rejects("partition_copy", "out_false", [&] { partition_copy(first, twelve, first, keep); }));
  EXPECT_TRUE(
      rejects("partition_copy", "out_true", [&] { partition_copy(first, shifted, twelve, keep); }));
  EXPECT_EQ(error_of([&] { copy_if(first, shifted, keep); }),
            "WaveScan::copy_if: argument 'out' must be 'in' itself or share no memory with it, got "
            "partly overlapping Views");
}

TEST_F(SlidingErrors, ViewsThatMoveTogetherOverlap) {
  const auto front = Kokkos::subview(out, Range(0, 6));
  const auto middle = Kokkos::subview(out, Range(3, 9));
  EXPECT_TRUE(rejects("remove_if", "view", [&] { remove_if(zip(front, middle), keep); }));
  EXPECT_TRUE(rejects("copy_if", "out", [&] { copy_if(zip(twelve, in), zip(out, out), keep); }));
  EXPECT_TRUE(rejects("copy_if", "out", [&] { copy_if(zip(out, in), zip(in, out), keep); }));
  EXPECT_TRUE(rejects("unique_by_key", "values", [&] { unique_by_key(front, middle, count); }));
  EXPECT_EQ(error_of([&] { remove_if(zip(front, middle), keep); }),
            "WaveScan::remove_if: argument 'view' must be Views that share no memory, got "
            "overlapping Views 0 and 1");
  EXPECT_EQ(error_of([&] { copy_if(zip(out, in), zip(in, out), keep); }),
            "WaveScan::copy_if: argument 'out' must share no memory with View 0 of 'in', got "
            "overlapping Views");
}

TEST_F(SlidingErrors, ElementsThatOverlapEachOther) {
  using Vector = decltype(in_.vector());
  const Vector one_place(out.data(), Kokkos::LayoutStride(12, 0));
  EXPECT_TRUE(rejects("copy_if", "out", [&] { copy_if(in, one_place, keep); }));
  EXPECT_TRUE(rejects("remove_if", "view", [&] { remove_if(one_place, keep); }));
  EXPECT_TRUE(
      rejects("partition_copy", "out_false", [&] { partition_copy(in, twelve, one_place, keep); }));
  EXPECT_TRUE(rejects("shift_left", "view", [&] { shift_left(one_place, 1); }));
  const Kokkos::View<int**, Kokkos::LayoutStride> diagonals(twelve.data(),
                                                            Kokkos::LayoutStride(4, 1, 3, 1));
  const Kokkos::View<int**, Kokkos::LayoutStride> sound("sound", Kokkos::LayoutStride(4, 3, 3, 1));
  EXPECT_TRUE(rejects("pad", "out", [&] { pad(sound, diagonals); }));
  EXPECT_TRUE(rejects("unpad", "out", [&] { unpad(sound, diagonals); }));
}

TEST_F(SlidingErrors, Extents) {
  EXPECT_TRUE(rejects("remove_if", "view", [&] { remove_if(zip(out, eleven), keep); }));
  EXPECT_TRUE(rejects("copy_if", "predicate", [&] { copy_if(in, out, eleven); }));
  EXPECT_TRUE(rejects("copy_if", "in", [&] {
    copy_if(zip(in, computed_input(11, Number())), zip(out, twelve), keep);
  }));
  EXPECT_TRUE(rejects("copy_if", "out", [&] { copy_if(rows, wide_rows, Any()); }));
  EXPECT_TRUE(rejects("partition", "out", [&] { partition(in, eleven, keep); }));
  EXPECT_TRUE(rejects("unique_by_key", "values", [&] { unique_by_key(out, eleven, count); }));
  EXPECT_EQ(error_of([&] { copy_if(in, out, eleven); }),
            "WaveScan::copy_if: argument 'predicate' must hold a flag for each of 12 elements, got "
            "11");
}

TEST_F(SlidingErrors, FlagsAndCount) {
  const Kokkos::View<std::int64_t> nowhere;
  const auto shifted = Kokkos::subview(out, Range(1, 9));
  EXPECT_TRUE(rejects("copy_if", "count", [&] { copy_if(in, out, keep, nowhere); }));
  EXPECT_TRUE(rejects("copy_if", "out", [&] {
    copy_if(Kokkos::subview(in, Range(0, 8)), Kokkos::subview(out, Range(0, 8)), shifted);
  }));
  const Kokkos::View<std::int64_t*> numbers("numbers", 12);
  EXPECT_TRUE(rejects("remove_if", "count",
                      [&] { remove_if(numbers, Positive(), Kokkos::subview(numbers, 3)); }));
  // One at a time: what is read, what is written, either way, and the flags.
  const Kokkos::View<std::int64_t*> others("others", 12), more("more", 12);
  const auto third = Kokkos::subview(numbers, 3);
  EXPECT_TRUE(rejects("copy_if", "count", [&] { copy_if(numbers, others, more, third); }));
  EXPECT_TRUE(rejects("copy_if", "count", [&] { copy_if(others, numbers, more, third); }));
  EXPECT_TRUE(rejects("copy_if", "count", [&] { copy_if(others, more, numbers, third); }));
  EXPECT_TRUE(rejects("partition_copy", "count", [&] {
    partition_copy(in, twelve, Kokkos::View<int*>(reinterpret_cast<int*>(third.data()), 12), keep,
                   third);
  }));
}

TEST_F(SlidingErrors, PlansOfOtherSizes) {
  const Exec exec;
  const Selection<Exec> small(exec, 11, sizeof(int)), narrow(exec, 12, 2);
  EXPECT_TRUE(rejects("copy_if", "in", [&] { small.copy_if(in, out, keep); }));
  EXPECT_TRUE(rejects("copy_if", "in", [&] { narrow.copy_if(in, out, keep); }));
  EXPECT_TRUE(rejects("remove_if", "view", [&] { small.remove_if(out, keep); }));
  const Partition<Exec> copies(exec, 12, sizeof(int), false);
  EXPECT_TRUE(rejects("partition", "plan", [&] { copies.partition(in, out, keep); }));
  EXPECT_TRUE(rejects("Selection", "elements", [&] { Selection<Exec>(exec, -1, 4); }));
  EXPECT_TRUE(rejects("Selection", "element_bytes", [&] { Selection<Exec>(exec, 1, -4); }));
  EXPECT_TRUE(rejects("Partition", "elements", [&] {
    Partition<Exec>(exec, std::numeric_limits<std::int64_t>::max() / 2, 4);
  }));
  EXPECT_TRUE(rejects("Partition", "element_bytes", [&] { Partition<Exec>(exec, 1, -4); }));
  EXPECT_TRUE(rejects("Padding", "elements", [&] { Padding<Exec>(exec, -1, 4); }));
  EXPECT_TRUE(rejects("Padding", "element_bytes", [&] { Padding<Exec>(exec, 1, -4); }));
  EXPECT_TRUE(rejects("Padding", "elements", [&] {
    Padding<Exec>(exec, std::numeric_limits<std::int64_t>::max() / 4, 4);
  }));
  EXPECT_TRUE(rejects("shift_left", "view", [&] { Padding<Exec>(exec, 5, 4).shift_left(out, 1); }));
  // Of nothing there may be any number.
  EXPECT_EQ(Selection<Exec>(exec, 5, 0).elements(), 5);
  EXPECT_EQ(Partition<Exec>(exec, 5, 0).elements(), 5);
  const Padding<Exec> of_nothing(exec, 5, 0);
  EXPECT_TRUE(rejects("pad", "in", [&] { of_nothing.pad(rows, wide_rows); }));
  const Padding<Exec> few(exec, 10, 4);
  EXPECT_TRUE(rejects("pad", "in", [&] { few.pad(rows, wide_rows); }));
}

TEST_F(SlidingErrors, Pads) {
  EXPECT_TRUE(rejects("pad", "out", [&] { pad(wide_rows, rows); }));
  EXPECT_TRUE(rejects("pad", "out", [&] { pad(rows, wide_rows, PadOptions().leading(2)); }));
  EXPECT_TRUE(rejects("pad", "leading", [&] { pad(rows, wide_rows, PadOptions().leading(-1)); }));
  EXPECT_TRUE(rejects("unpad", "in", [&] { unpad(rows, wide_rows); }));
  EXPECT_TRUE(rejects("unpad", "in", [&] { unpad(wide_rows, rows, PadOptions().leading(2)); }));
  EXPECT_TRUE(
      rejects("unpad", "leading", [&] { unpad(wide_rows, rows, PadOptions().leading(-1)); }));
  const Kokkos::View<int**> more_rows("more", 13, 4);
  EXPECT_TRUE(rejects("pad", "out", [&] { pad(rows, more_rows); }));
  EXPECT_TRUE(rejects("shift_left", "places", [&] { shift_left(out, -1); }));
  EXPECT_TRUE(rejects("shift_right", "places", [&] { shift_right(out, -1); }));
}

/// Rows that would have to move both ways; and Views of one memory whose layouts differ.
TEST_F(SlidingErrors, PadsAgainstEachOther) {
  using Matrix = Kokkos::View<int**, Kokkos::LayoutRight>;
  int* const data = out.data();
  const Matrix narrow(data + 2, 4, 2), wide(data, 4, 3);
  EXPECT_TRUE(rejects("pad", "out", [&] { pad(narrow, wide, PadOptions().fill(0)); }));
  const Kokkos::View<int**, Kokkos::LayoutLeft> left(data, 4, 2);
  EXPECT_TRUE(rejects("pad", "out", [&] { pad(left, wide); }));
}

}  // namespace
}  // namespace sliding_errors
