// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SCANORACLE_HPP
#define WAVESCAN_TEST_SCANORACLE_HPP

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "WaveScanTest_Array.hpp"
#include "WaveScanTest_Compare.hpp"

/// @file
/// @brief Scans as plain loops.

namespace wavescan::Test {

template <class T>
struct Scanned {
  std::vector<T> inclusive;
  std::vector<T> exclusive;
  T last;  ///< the state after the last element
};

/// @brief Sums modulo 2^32.
inline std::int32_t wrapping_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
/// @brief s w + x modulo 2^32.
inline std::int32_t wrapping_step(std::int32_t s, std::int32_t w, std::int32_t x) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(s) * static_cast<std::uint32_t>(w) +
                                   static_cast<std::uint32_t>(x));
}

/// @brief The state after s and element j, x.
template <class T>
using Advance = std::function<T(const T& s, const T& x, std::size_t j)>;

/// @brief s_j = advance(s_{j-1}, x_j, j), from `carry` on, or from x_0 without one.
template <class T, class X>
Scanned<T> scan_line(const std::vector<X>& x, const std::optional<T>& carry, const T& identity,
                     const Advance<T>& advance) {
  Scanned<T> result;
  bool started = carry.has_value();
  T state = identity;
  if (carry) state = *carry;
  for (std::size_t j = 0; j < x.size(); ++j) {
    result.exclusive.push_back(state);
    const T element = static_cast<T>(x[j]);
    state = started ? T(advance(state, element, j)) : element;
    started = true;
    result.inclusive.push_back(state);
  }
  result.last = state;
  return result;
}

/// @brief Line `l` of a matrix that is given row by row: row l along axis 1, column l along axis 0.
template <class X>
std::vector<X> line_of(const std::vector<X>& matrix, const Placement& p, int axis, std::int64_t l) {
  std::vector<X> result;
  const std::int64_t length = axis == 0 ? p.rows : p.columns;
  for (std::int64_t j = 0; j < length; ++j)
    result.push_back(
        matrix[static_cast<std::size_t>(axis == 0 ? j * p.columns + l : l * p.columns + j)]);
  return result;
}

/// @brief y_j = w_j y_{j-1} + x_j in long double, with the error that T may make of it.
///
/// However products and sums are associated, an element that stands k places before j passes at
/// most 2k roundings, and a few more where pieces are joined: (1 + u)^n - 1 <= 2 n u for n u <= 1.
template <class T>
std::vector<Bounded> linear_recurrence(const std::vector<T>& x, const std::vector<T>& w,
                                       const std::optional<T>& carry) {
  constexpr long double unit = std::numeric_limits<T>::epsilon() / 2.0L;
  constexpr int joins = 64;
  std::vector<Bounded> result;
  long double y = 0;
  if (carry) y = *carry;
  long double magnitude = std::abs(y);  // of all terms together
  long double roundings = 0;            // each term's magnitude times its 2k roundings
  long double underflow = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const long double weight = j == 0 && !carry ? 0 : static_cast<long double>(w[j]);
    y = y * weight + x[j];
    roundings = (roundings + 2 * magnitude) * std::abs(weight);
    magnitude = magnitude * std::abs(weight) + std::abs(x[j]);
    underflow += (1 + magnitude) * std::numeric_limits<T>::min();
    result.push_back({y, 2 * unit * (roundings + joins * magnitude) + underflow});
  }
  return result;
}

}  // namespace wavescan::Test

#endif
