// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_DOUBLEDOUBLE_HPP
#define WAVESCAN_IMPL_FILTER_DOUBLEDOUBLE_HPP

#include <Kokkos_Core.hpp>

/// @file
/// @brief Numbers of twice double's precision, as unevaluated sums of two.
///
/// Sources: Dekker, A floating-point technique for extending the available precision, Numerische
/// Mathematik 18 (1971); Joldes, Muller, Popescu, Tight and rigorous error bounds for basic
/// building blocks of double-word arithmetic, ACM TOMS 44 (2017).

namespace wavescan::Impl::filter {

/// @brief high + low, where low is at most half a unit in the last place of high.
struct DoubleDouble {
  double high = 0, low = 0;

  KOKKOS_DEFAULTED_FUNCTION DoubleDouble() = default;
  KOKKOS_FUNCTION DoubleDouble(double x) : high(x) {}  // NOLINT(google-explicit-constructor)
  KOKKOS_FUNCTION DoubleDouble(double h, double l) : high(h), low(l) {}
  KOKKOS_FUNCTION explicit operator double() const { return high; }

  KOKKOS_FUNCTION friend DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }
  KOKKOS_FUNCTION friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble s = exact_sum(a.high, b.high), t = exact_sum(a.low, b.low);
    const DoubleDouble v = exact_sum(s.high, s.low + t.high);
    return exact_sum(v.high, v.low + t.low);
  }
  KOKKOS_FUNCTION friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    // As fused operations, so that no compiler fuses these products with other sums.
    const double product = Kokkos::fma(a.high, b.high, 0.0);
    const double rest = Kokkos::fma(a.high, b.high, -product);
    return exact_sum(product, Kokkos::fma(a.high, b.low, Kokkos::fma(a.low, b.high, rest)));
  }

 private:
  KOKKOS_FUNCTION static DoubleDouble exact_sum(double a, double b) {
    const double sum = a + b, of_b = sum - a;
    return {sum, (a - (sum - of_b)) + (b - of_b)};
  }
};

}  // namespace wavescan::Impl::filter

#endif
