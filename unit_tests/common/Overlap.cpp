// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <cstdint>
#include <impl/WaveScan_Overlap.hpp>
#include <set>
#include <vector>

#include "../support/WaveScanTest_Errors.hpp"
#include "../support/WaveScanTest_Random.hpp"

namespace {

using wavescan::Impl::may_overlap;
using wavescan::Impl::may_repeat;
using wavescan::Impl::require_disjoint;
using wavescan::Impl::require_same_or_disjoint;
using wavescan::Impl::same_elements;

template <class Data>
using StridedView = Kokkos::View<Data, Kokkos::LayoutStride, Kokkos::HostSpace,
                                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The oracle: addresses of all bytes of a View.
template <class View>
std::set<std::uintptr_t> bytes_of(const View& view) {
  std::set<std::uintptr_t> bytes;
  const auto add = [&](const auto& element) {
    const auto address = reinterpret_cast<std::uintptr_t>(&element);
    for (std::size_t b = 0; b < sizeof(element); ++b) bytes.insert(address + b);
  };
  if constexpr (View::rank() == 0)
    add(view());
  else if constexpr (View::rank() == 1)
    for (std::size_t i = 0; i < view.extent(0); ++i) add(view(i));
  else
    for (std::size_t i = 0; i < view.extent(0); ++i)
      for (std::size_t j = 0; j < view.extent(1); ++j) add(view(i, j));
  return bytes;
}

template <class A, class B>
bool share_a_byte(const A& a, const B& b) {
  const auto mine = bytes_of(a);
  for (const std::uintptr_t byte : bytes_of(b))
    if (mine.contains(byte)) return true;
  return false;
}

template <class A, class B>
bool overlap(const A& a, const B& b) {
  const bool answer = may_overlap(a, b);
  EXPECT_EQ(answer, may_overlap(b, a)) << "not symmetric";
  return answer;
}

template <class A, class B>
bool same(const A& a, const B& b) {
  return same_elements(a, b);
}

class Overlap : public testing::Test {
 protected:
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Range = Kokkos::pair<int, int>;
  Matrix a{"a", 8, 10};
  Matrix b{"b", 8, 10};
};

TEST_F(Overlap, AViewIsTheSameAsItself) {
  EXPECT_TRUE(same(a, a));
  EXPECT_TRUE(overlap(a, a));
  EXPECT_FALSE(same(a, b));
  const Kokkos::View<const double**, Kokkos::LayoutRight, Kokkos::HostSpace> as_const = a;
  EXPECT_TRUE(same(a, as_const));
}

TEST_F(Overlap, DifferentAllocationsAreDisjoint) { EXPECT_FALSE(overlap(a, b)); }

TEST_F(Overlap, EmptyViewsShareNothing) {
  const auto none = Kokkos::subview(a, Range(3, 3), Kokkos::ALL);
  EXPECT_FALSE(overlap(a, none));
  EXPECT_FALSE(overlap(none, none));
  EXPECT_FALSE(overlap(Matrix(), Matrix()));
}

TEST_F(Overlap, ShiftedByOneRowOverlaps) {
  const auto upper = Kokkos::subview(a, Range(0, 7), Kokkos::ALL);
  const auto lower = Kokkos::subview(a, Range(1, 8), Kokkos::ALL);
  EXPECT_TRUE(overlap(upper, lower));
  EXPECT_FALSE(same(upper, lower));
}

TEST_F(Overlap, InterleavedColumnsAreDisjoint) {
  for (int k = 1; k < 10; ++k) {
    EXPECT_FALSE(overlap(Kokkos::subview(a, Kokkos::ALL, 0), Kokkos::subview(a, Kokkos::ALL, k)));
    EXPECT_TRUE(overlap(Kokkos::subview(a, Kokkos::ALL, k), Kokkos::subview(a, Kokkos::ALL, k)));
  }
  EXPECT_TRUE(overlap(Kokkos::subview(a, Kokkos::ALL, 3), Kokkos::subview(a, 2, Kokkos::ALL)));
  EXPECT_FALSE(overlap(Kokkos::subview(a, 1, Kokkos::ALL), Kokkos::subview(a, 2, Kokkos::ALL)));
}

TEST_F(Overlap, SubBlocksSideBySideAreDisjoint) {
  const auto left = Kokkos::subview(a, Range(0, 8), Range(0, 5));
  const auto right = Kokkos::subview(a, Range(0, 8), Range(5, 10));
  const auto middle = Kokkos::subview(a, Range(0, 8), Range(4, 6));
  EXPECT_FALSE(overlap(left, right));
  EXPECT_TRUE(overlap(left, middle));
  EXPECT_TRUE(overlap(right, middle));
}

TEST_F(Overlap, TransposedSquareIsNotTheSame) {
  const Matrix square("square", 8, 8);
  const StridedView<double**> transposed(square.data(), Kokkos::LayoutStride(8, 1, 8, 8));
  EXPECT_FALSE(same(square, transposed));
  EXPECT_TRUE(overlap(square, transposed));
}

TEST_F(Overlap, OtherElementTypeIsNotTheSame) {
  const Kokkos::View<float*, Kokkos::HostSpace> floats("floats", 16);
  const StridedView<int*> ints(reinterpret_cast<int*>(floats.data()), Kokkos::LayoutStride(16, 1));
  const StridedView<double*> doubles(reinterpret_cast<double*>(floats.data()),
                                     Kokkos::LayoutStride(8, 1));
  EXPECT_TRUE(overlap(floats, ints));
  EXPECT_FALSE(same(floats, doubles));
}

TEST_F(Overlap, StridesOfDimensionsOfExtentOneDoNotMatter) {
  const StridedView<double**> row(a.data(), Kokkos::LayoutStride(1, 10, 10, 1));
  const StridedView<double**> other(a.data(), Kokkos::LayoutStride(1, 77, 10, 1));
  EXPECT_TRUE(same(row, other));
}

TEST_F(Overlap, ScalarsInsideAndOutside) {
  const auto inside = Kokkos::subview(a, 3, 4);
  EXPECT_TRUE(overlap(a, inside));
  EXPECT_TRUE(overlap(inside, inside));
  EXPECT_FALSE(overlap(inside, Kokkos::subview(a, 3, 5)));
  EXPECT_FALSE(overlap(Kokkos::subview(a, Kokkos::ALL, 3), inside));
}

/// A stride of either sign; a View keeps it modulo 2^64.
std::size_t random_stride(wavescan::Test::Random& random, std::int64_t low, std::int64_t high) {
  const std::int64_t stride = random.integer(low, high);
  return static_cast<std::size_t>(random.integer(0, 1) == 0 ? stride : -stride);
}

TEST(OverlapRandom, NeverMissesASharedByte) {
  wavescan::Test::Random random;
  SCOPED_TRACE(random.trace());
  std::vector<float> memory(4000);
  const auto matrix = [&] {
    const auto size = [&](std::int64_t low, std::int64_t high) {
      return static_cast<std::size_t>(random.integer(low, high));
    };
    return StridedView<float**>(memory.data() + 1000 + size(0, 80),
                                Kokkos::LayoutStride(size(1, 5), random_stride(random, 1, 12),
                                                     size(1, 12), random_stride(random, 1, 12)));
  };
  const auto vector = [&] {
    return StridedView<float*>(memory.data() + 1000 + random.integer(0, 80),
                               Kokkos::LayoutStride(static_cast<std::size_t>(random.integer(1, 12)),
                                                    random_stride(random, 1, 9)));
  };
  const auto check = [&](const auto& a, const auto& b) {
    if (!overlap(a, b)) {
      ASSERT_FALSE(share_a_byte(a, b)) << "strides " << a.stride(0) << " and " << b.stride(0)
                                       << ", offset " << b.data() - a.data();
    }
  };
  for (int k = 0; k < 3000; ++k) {
    check(matrix(), matrix());
    check(matrix(), vector());
    check(vector(), vector());
    // The same strides, for which the decision is a finer one.
    const auto a = matrix();
    auto b = matrix();
    b = StridedView<float**>(
        b.data(), Kokkos::LayoutStride(b.extent(0), a.stride(0), b.extent(1), a.stride(1)));
    check(a, b);
    if (HasFatalFailure()) return;
  }
}

/// Exactly, up to rank 2; of rank 3 none is missed.
TEST(OverlapRandom, OfElementsOfOneView) {
  wavescan::Test::Random random;
  SCOPED_TRACE(random.trace());
  const auto size = [&](std::int64_t low, std::int64_t high) {
    return static_cast<std::size_t>(random.integer(low, high));
  };
  std::vector<float> memory(200);
  float* const middle = memory.data() + 100;
  const auto repeats = [](const auto& view) {
    return bytes_of(view).size() < view.size() * sizeof(float);
  };
  for (int k = 0; k < 3000; ++k) {
    const StridedView<float*> vector(middle,
                                     Kokkos::LayoutStride(size(0, 3), random_stride(random, 0, 2)));
    ASSERT_EQ(may_repeat(vector), repeats(vector)) << vector.stride(0);
    const Kokkos::LayoutStride layout(size(0, 5), random_stride(random, 0, 9), size(1, 5),
                                      random_stride(random, 0, 9));
    const StridedView<float**> matrix(middle, layout);
    ASSERT_EQ(may_repeat(matrix), repeats(matrix))
        << matrix.extent(0) << " x " << matrix.extent(1) << ", strides " << matrix.stride(0) << ", "
        << matrix.stride(1);
    const StridedView<float***> box(
        middle, Kokkos::LayoutStride(2, size(0, 9), matrix.extent(0), matrix.stride(0),
                                     matrix.extent(1), matrix.stride(1)));
    std::set<const float*> places;
    for (std::size_t i = 0; i < box.extent(1); ++i)
      for (std::size_t j = 0; j < box.extent(2); ++j)
        for (const std::size_t h : {0u, 1u}) places.insert(&box(h, i, j));
    ASSERT_GE(may_repeat(box), places.size() < box.size());
  }
  const Kokkos::View<float***, Kokkos::LayoutLeft, Kokkos::HostSpace> array("array", 3, 4, 5);
  EXPECT_FALSE(may_repeat(array));
  EXPECT_FALSE(may_repeat(Kokkos::subview(array, Kokkos::ALL, 2, Kokkos::ALL)));
}

TEST(OverlapRandom, IsExactForSubBlocksOfOneMatrix) {
  wavescan::Test::Random random;
  SCOPED_TRACE(random.trace());
  const Kokkos::View<int**, Kokkos::LayoutLeft, Kokkos::HostSpace> left("left", 9, 11);
  const Kokkos::View<int**, Kokkos::LayoutRight, Kokkos::HostSpace> right("right", 9, 11);
  const auto range = [&](std::int64_t end) {
    const auto first = static_cast<int>(random.integer(0, end - 1));
    return Kokkos::pair<int, int>(first, static_cast<int>(random.integer(first + 1, end)));
  };
  for (int k = 0; k < 3000; ++k) {
    const auto rows = range(9), other_rows = range(9), columns = range(11),
               other_columns = range(11);
    const auto check = [&](const auto& whole) {
      const auto a = Kokkos::subview(whole, rows, columns);
      const auto b = Kokkos::subview(whole, other_rows, other_columns);
      ASSERT_EQ(overlap(a, b), share_a_byte(a, b))
          << "rows " << rows.first << ":" << rows.second << " and " << other_rows.first << ":"
          << other_rows.second << ", columns " << columns.first << ":" << columns.second << " and "
          << other_columns.first << ":" << other_columns.second;
    };
    check(left);
    check(right);
    if (HasFatalFailure()) return;
  }
}

TEST(OverlapRandom, AReversedViewIsNotTheSame) {
  std::vector<float> memory(10);
  const StridedView<float*> forwards(memory.data(), Kokkos::LayoutStride(10, 1));
  const StridedView<float*> backwards(memory.data() + 9,
                                      Kokkos::LayoutStride(10, static_cast<std::size_t>(-1)));
  EXPECT_FALSE(same_elements(forwards, backwards));
  EXPECT_TRUE(same_elements(backwards, backwards));
  EXPECT_TRUE(may_overlap(forwards, backwards));
  EXPECT_FALSE(may_repeat(backwards));
}

TEST_F(Overlap, RequirementsNameTheOperationAndTheArguments) {
  const auto upper = Kokkos::subview(a, Range(0, 7), Kokkos::ALL);
  const auto lower = Kokkos::subview(a, Range(1, 8), Kokkos::ALL);
  EXPECT_NO_THROW(require_same_or_disjoint("op", "in", a, "out", a));
  EXPECT_NO_THROW(require_same_or_disjoint("op", "in", a, "out", b));
  EXPECT_NO_THROW(require_disjoint("op", "in", a, "out", b));
  EXPECT_EQ(
      wavescan::Test::error_of([&] { require_same_or_disjoint("op", "in", upper, "out", lower); }),
      "WaveScan::op: argument 'out' must be 'in' itself or share no memory with it, got "
      "partly overlapping Views");
  EXPECT_EQ(wavescan::Test::error_of([&] { require_disjoint("op", "in", a, "out", a); }),
            "WaveScan::op: argument 'out' must share no memory with 'in', got overlapping Views");
}

// Wide elements whose ends reach into the next narrow ones.
TEST_F(Overlap, ElementsOfDifferentSizesBetweenEachOther) {
  struct Pair {
    int first, second;
  };
  std::vector<int> memory(64);
  const auto wide_at = [&](std::size_t place) {
    return StridedView<Pair*>(reinterpret_cast<Pair*>(&memory[place]),
                              Kokkos::LayoutStride(7, 2));  // of 8 bytes, every 16
  };
  const StridedView<int*> narrow(memory.data(), Kokkos::LayoutStride(7, 4));
  EXPECT_TRUE(overlap(narrow, wide_at(0)));
  EXPECT_FALSE(overlap(narrow, wide_at(1)));
  EXPECT_FALSE(overlap(narrow, wide_at(2)));
  EXPECT_TRUE(overlap(narrow, wide_at(3)));
}

}  // namespace
