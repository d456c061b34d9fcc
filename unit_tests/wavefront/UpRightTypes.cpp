// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "../support/WaveScanTest_Operators.hpp"
#include "CheckWavefront.hpp"

// Loops with the upper right neighbour on values of 1 to 32 bytes, and with inputs.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

/// Values of a word's parts, of two words, and of more than GPU kernels take.
template <class T>
void check_type() {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Shape s : {Shape{3, 3}, Shape{4, 700}, Shape{131, 67}, Shape{70, 301}})
    check_schedules(AllAround<T>{}, random_start<T>(random, s.rows * s.columns),
                    row_major(s.rows, s.columns), inside_halo(s.rows, s.columns));
}
TEST(UpRight, Uint8) { check_type<std::uint8_t>(); }
TEST(UpRight, Uint64) { check_type<std::uint64_t>(); }

/// An operator of the user whose operands must keep their order, on 32 bytes.
struct UpRightProducts {
  using algebra_type = MatrixProduct<std::uint64_t, 2>;
  using Matrix = algebra_type::Matrix;
  KOKKOS_FUNCTION static Matrix sum(const Matrix& a, const Matrix& b, const Matrix& c) {
    Matrix s;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        s.entry[i][j] = a.entry[i][j] + 3 * b.entry[i][j] + 5 * c.entry[i][j];
    return s;
  }
  KOKKOS_FUNCTION Matrix partial(I i, I j, Matrix up, Matrix up_left, Matrix up_right,
                                 const auto& old) const {
    return sum(old(i, j), up, sum(up_left, up_right, up_right));
  }
  KOKKOS_FUNCTION Matrix boundary(I, I) const { return algebra_type{}.identity(); }
  template <class A>
  Matrix original(const A& a, I i, I j) const {
    const Matrix up_right = a(i - 1, j + 1);
    return algebra_type{}(a(i, j - 1),
                          sum(a(i, j), a(i - 1, j), sum(a(i - 1, j - 1), up_right, up_right)));
  }
};
TEST(UpRight, ThirtyTwoBytes) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Shape s : {Shape{1, 1}, Shape{5, 300}, Shape{70, 131}}) {
    std::vector<UpRightProducts::Matrix> start;
    for (I k = 0; k < s.rows * s.columns; ++k)
      start.push_back(UpRightProducts::algebra_type::random(random));
    check_schedules(UpRightProducts{}, start, row_major(s.rows, s.columns),
                    whole(s.rows, s.columns));
  }
}

TEST(UpRight, Inputs) {
  Random random;
  SCOPED_TRACE(random.trace());
  using T = std::uint64_t;
  for (const Shape s : {Shape{1, 1}, Shape{33, 65}, Shape{7, 1200}, Shape{140, 201}}) {
    const auto terms = random.values<T>(s.rows * s.columns);
    const GuardedArray<T> input(row_major(s.rows, s.columns), terms);
    const auto at = [&](const std::vector<T>& a, I i, I j) {
      return i < 0 || j < 0 || j >= s.columns ? T(0)
                                              : a[static_cast<std::size_t>(i * s.columns + j)];
    };
    std::vector<T> expected(terms.size());
    for (I i = 0; i < s.rows; ++i)
      for (I j = 0; j < s.columns; ++j)
        expected[static_cast<std::size_t>(i * s.columns + j)] =
            at(terms, i, j) + 5 * at(expected, i - 1, j) + 7 * at(expected, i - 1, j - 1) +
            11 * at(expected, i - 1, j + 1) + at(expected, i, j - 1);
    const Kokkos::View<const T**, Kokkos::LayoutStride> values = input.matrix();
    for (const Schedule schedule :
         {Schedule::Serial, Schedule::RowSweep, Schedule::TileSkewed, Schedule::Auto}) {
      const GuardedArray<T> array(row_major(s.rows, s.columns), random.values<T>(terms.size()));
      wavefront(AllAroundFromInput{grid_of(values)}, array.matrix(), {.schedule = schedule});
      EXPECT_TRUE(equal(array.values(), expected)) << to_string(schedule);
      EXPECT_TRUE(array.guards_intact());
    }
  }
}

}  // namespace
