// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_COMPARE_HPP
#define WAVESCAN_TEST_COMPARE_HPP

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace wavescan::Test {

template <class T>
std::string show(const T& value) {
  std::ostringstream text;
  text.precision(17);
  if constexpr (requires { text << +value; })
    text << +value;
  else
    text << "another value";
  return text.str();
}

/// @brief Whether two lists agree by ==; tells the first place where they do not.
template <class T>
testing::AssertionResult equal(const std::vector<T>& got, const std::vector<T>& expected) {
  if (got.size() != expected.size())
    return testing::AssertionFailure() << got.size() << " instead of " << expected.size();
  for (std::size_t k = 0; k < got.size(); ++k)
    if (!(got[k] == expected[k]))
      return testing::AssertionFailure() << "element " << k << " of " << got.size() << ": "
                                         << show(got[k]) << " instead of " << show(expected[k]);
  return testing::AssertionSuccess();
}

/// @brief Whether two lists agree bit for bit (-0.0 is not 0.0, NaNs may be equal).
template <class T>
testing::AssertionResult same_bits(const std::vector<T>& got, const std::vector<T>& expected) {
  if (got.size() != expected.size())
    return testing::AssertionFailure() << got.size() << " instead of " << expected.size();
  for (std::size_t k = 0; k < got.size(); ++k)
    if (std::memcmp(&got[k], &expected[k], sizeof(T)) != 0)
      return testing::AssertionFailure() << "bits of element " << k << " of " << got.size() << ": "
                                         << show(got[k]) << " instead of " << show(expected[k]);
  return testing::AssertionSuccess();
}

/// @brief An exact value (in long double) and how far a computed one may be from it.
struct Bounded {
  long double value = 0;
  long double error = 0;
};

/// @brief The error bound of n roundings in T of terms whose magnitudes add up to `magnitude`:
/// gamma_n = n u / (1 - n u), and what may be lost to underflow (Higham, Accuracy and Stability of
/// Numerical Algorithms, section 3.1).
template <class T>
long double rounding_bound(std::int64_t n, long double magnitude) {
  const long double nu = static_cast<long double>(n) * std::numeric_limits<T>::epsilon() / 2;
  const long double underflow = static_cast<long double>(n) * std::numeric_limits<T>::min();
  return nu / (1 - nu) * magnitude + underflow * (1 + magnitude);
}

template <class T>
testing::AssertionResult within(const std::vector<T>& got, const std::vector<Bounded>& expected) {
  if (got.size() != expected.size())
    return testing::AssertionFailure() << got.size() << " instead of " << expected.size();
  for (std::size_t k = 0; k < got.size(); ++k) {
    const long double error = std::abs(static_cast<long double>(got[k]) - expected[k].value);
    if (!(error <= expected[k].error))
      return testing::AssertionFailure()
             << "element " << k << " of " << got.size() << ": " << show(got[k]) << " is "
             << show(static_cast<double>(error)) << " away from "
             << show(static_cast<double>(expected[k].value)) << ", at most "
             << show(static_cast<double>(expected[k].error)) << " is allowed";
  }
  return testing::AssertionSuccess();
}

}  // namespace wavescan::Test

#endif
