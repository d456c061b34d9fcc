// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "../support/WaveScanTest_Operators.hpp"
#include "CheckWavefront.hpp"

// Values of 1 to 32 bytes.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

/// Reads all neighbours there are, modulo 2^bits.
template <class T>
struct Wrapping {
  using algebra_type = PlusTimes<T>;
  KOKKOS_FUNCTION T weight() const { return T(3); }
  KOKKOS_FUNCTION T partial(I i, I j, T up, T up_left, const auto& old) const {
    return static_cast<T>(5 * up + 7 * up_left + 11 * old(i, j) + 13 * old(i, j + 1) +
                          17 * old(i + 1, j));
  }
  template <class A>
  T original(const A& a, I i, I j) const {
    return static_cast<T>(3 * a(i, j - 1) + 5 * a(i - 1, j) + 7 * a(i - 1, j - 1) + 11 * a(i, j) +
                          13 * a(i, j + 1) + 17 * a(i + 1, j));
  }
};

/// An operator of the user whose operands must keep their order, on matrices of four numbers.
template <class U>
struct Products {
  using algebra_type = MatrixProduct<U, 2>;
  using Matrix = typename algebra_type::Matrix;
  KOKKOS_FUNCTION static Matrix sum(const Matrix& a, const Matrix& b, const Matrix& c) {
    Matrix s;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        s.entry[i][j] = a.entry[i][j] + 3 * b.entry[i][j] + 5 * c.entry[i][j];
    return s;
  }
  KOKKOS_FUNCTION Matrix partial(I i, I j, Matrix up, Matrix up_left, const auto& old) const {
    return sum(old(i, j), up, up_left);
  }
  KOKKOS_FUNCTION Matrix boundary(I, I) const { return algebra_type{}.identity(); }
  template <class A>
  Matrix original(const A& a, I i, I j) const {
    return algebra_type{}(a(i, j - 1), sum(a(i, j), a(i - 1, j), a(i - 1, j - 1)));
  }
};

template <class L, class Values>
void check_types(const L& loop, IndexRange (*range)(I, I), const Values& values) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Shape s : {Shape{1, 1}, Shape{3, 700}, Shape{131, 67}, Shape{70, 301}})
    check_schedules(loop, values(random, s.rows * s.columns), row_major(s.rows, s.columns),
                    range(s.rows, s.columns));
}

TEST(WavefrontTypes, Uint8) {
  check_types(Wrapping<std::uint8_t>{}, inside_halo, random_start<std::uint8_t>);
}
TEST(WavefrontTypes, Uint16) {
  check_types(Wrapping<std::uint16_t>{}, inside_halo, random_start<std::uint16_t>);
}
TEST(WavefrontTypes, Uint64) {
  check_types(Wrapping<std::uint64_t>{}, inside_halo, random_start<std::uint64_t>);
}

template <class U>
std::vector<typename Products<U>::Matrix> random_matrices(Random& random, I count) {
  std::vector<typename Products<U>::Matrix> result;
  for (I k = 0; k < count; ++k) result.push_back(MatrixProduct<U, 2>::random(random));
  return result;
}
TEST(WavefrontTypes, SixteenBytes) {
  check_types(Products<std::uint32_t>{}, whole, random_matrices<std::uint32_t>);
}
TEST(WavefrontTypes, ThirtyTwoBytes) {
  check_types(Products<std::uint64_t>{}, whole, random_matrices<std::uint64_t>);
}

}  // namespace
