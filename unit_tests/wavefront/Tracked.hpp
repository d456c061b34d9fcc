// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_TRACKED_HPP
#define WAVESCAN_TEST_TRACKED_HPP

#include <cmath>
#include <limits>

namespace wavescan::Test {

/// @brief A number that knows how far a computation in T may be from it: running error analysis
/// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.3) of products and sums.
template <class T>
struct Tracked {
  long double value = 0;
  long double error = 0;

  Tracked() = default;
  explicit Tracked(T exact) : value(exact) {}
  Tracked(long double v, long double e) : value(v), error(e) {}

  friend Tracked operator+(const Tracked& a, const Tracked& b) {
    return rounded(a.value + b.value, a.error + b.error);
  }
  friend Tracked operator*(const Tracked& a, const Tracked& b) {
    return rounded(a.value * b.value,
                   std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error);
  }

 private:
  static Tracked rounded(long double v, long double e) {
    constexpr long double unit = std::numeric_limits<T>::epsilon() / 2.0L;
    return {v, e + unit * (std::abs(v) + e) + std::numeric_limits<T>::denorm_min()};
  }
};

}  // namespace wavescan::Test

#endif
