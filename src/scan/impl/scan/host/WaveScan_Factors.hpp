// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOST_FACTORS_HPP
#define WAVESCAN_IMPL_SCAN_HOST_FACTORS_HPP

#include <WaveScan_Concepts.hpp>

#include <cmath>
#include <concepts>
#include <limits>

/// @file
/// @brief Products of many floating-point numbers that neither underflow nor overflow.
///
/// Factors are multiplied as they are, a few at a time, which costs next to nothing. What has
/// become too small or too large then moves into an exponent. Only if the product may have left the
/// range of normal numbers on the way are these few multiplied anew, one by one. That takes factors
/// of 2 and more, since others cannot lead back from there.

namespace wavescan::Impl {

/// @brief A product of numbers, (factor * absorbed) * 2^exponent.
template <std::floating_point T>
struct FactorProduct {
  using limits = std::numeric_limits<T>;
  /// How many factors may come before the product is looked at again.
  static constexpr Index few = 16;

  T factor = 1;
  T committed = 1;  ///< `factor` when it was committed
  T absorbed = 1;   ///< the product of all zeros, infinities and NaN
  int exponent = 0;

  /// @brief Whether a product of a few more factors below 2 can go on as it is.
  static bool in_range(const T& product) {
    constexpr T smallest = lowest(), largest = 1 / lowest();
    return std::abs(product) >= smallest && std::abs(product) <= largest;
  }

  /// @brief Brings the product back into range.
  /// @param all_below_2 whether the factors since it was committed are
  /// @param factors     called for these `count` ones
  template <class Factors>
  [[nodiscard]] FactorProduct rescaled(bool all_below_2, Index count,
                                       const Factors& factors) const {
    FactorProduct p = *this;
    const T size = std::abs(factor);
    if (absorbed == 0 && size <= limits::max()) {  // so it remains
      p.factor = std::copysign(T(1), factor);
    } else if (!(all_below_2 && size >= limits::min() * (Index(2) << few) &&
                 size <= limits::max()) &&
               !was_normal(count, factors)) {
      p.factor = committed;
      for (Index i = 0; i < count; ++i) {
        int e = 0;
        p.factor *= fraction(factors(i), e);
        p.exponent += e;
        p.normalize();
      }
    }
    if (!in_range(p.factor)) p.normalize();
    p.committed = p.factor;
    return p;
  }

  /// @brief True if the product is simply `factor`.
  bool is_plain() const { return exponent == 0 && absorbed == 1; }

  /// @brief The product of s and all factors, rounded to the nearest number of type T.
  T times(const T& s) const {
    if (!(absorbed == 1)) return s * (factor * absorbed);
    int e = 0;
    const T f = fraction(s, e);
    return std::ldexp(f * factor, e + exponent);
  }

 private:
  /// A quarter of the exponents is left to the next few factors.
  static constexpr T lowest() {
    T power = 1;
    for (int n = 0; n < 3 * limits::max_exponent / 4; ++n) power /= 2;
    return power;
  }

  /// @brief x = fraction * 2^e, with a magnitude in [0.5, 1) if x is neither zero, infinite nor
  /// NaN.
  static T fraction(const T& x, int& e) { return std::isfinite(x) ? std::frexp(x, &e) : x; }

  /// @brief Whether the product was a normal number after each of the factors.
  template <class Factors>
  bool was_normal(Index count, const Factors& factors) const {
    bool normal = true;
    T product = committed;
    for (Index i = 0; i < count; ++i) {
      product *= factors(i);
      normal &= std::abs(product) >= limits::min() && std::abs(product) <= limits::max();
    }
    return normal;
  }

  void normalize() {
    if (factor == 0 || !std::isfinite(factor)) {
      absorbed *= factor;
      factor = 1;
      return;
    }
    int e = 0;
    factor = fraction(factor, e);
    exponent += e;
  }
};

}  // namespace wavescan::Impl

#endif
