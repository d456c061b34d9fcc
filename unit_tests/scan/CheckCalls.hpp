// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SCAN_CHECKCALLS_HPP
#define WAVESCAN_TEST_SCAN_CHECKCALLS_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <WaveScan_Scan.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Compare.hpp"
#include "../support/WaveScanTest_Operators.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_ScanOracle.hpp"

/// @file
/// @brief Calls of scans that name neither identity nor carries in options, and what they mean.

namespace wavescan::Test {

/// @brief An operator as nothing but a function.
template <class Op>
struct FunctionOf {
  using T = typename Op::value_type;
  Op op;
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const { return op(a, b); }
};

/// @brief Scans of all lines of a matrix (row by row), along `axis`, as loops over each; `first`
/// stands before every line. They know the type of the states alone: functions of any type give
/// the same code.
template <class T>
struct ExpectedLines {
  std::vector<T> inclusive, exclusive;
  std::vector<T> last;  ///< one for each line

  ExpectedLines(const std::function<T(const T&, const T&)>& function, const std::vector<T>& x,
                const Placement& p, int axis, bool reverse, const std::optional<T>& first)
      : inclusive(x.size()), exclusive(x.size()) {
    const std::int64_t lines = axis == 0 ? p.columns : p.rows;
    for (std::int64_t l = 0; l < lines; ++l) {
      std::vector<T> values = line_of(x, p, axis, l);
      if (reverse) std::reverse(values.begin(), values.end());
      const auto scanned = scan_line<T>(
          values, first, T{}, [&](const T& a, const T& b, std::size_t) { return function(a, b); });
      const auto length = static_cast<std::int64_t>(values.size());
      for (std::int64_t j = 0; j < length; ++j) {
        const std::int64_t place = reverse ? length - 1 - j : j;
        const auto k =
            static_cast<std::size_t>(axis == 0 ? place * p.columns + l : l * p.columns + place);
        inclusive[k] = scanned.inclusive[static_cast<std::size_t>(j)];
        exclusive[k] = scanned.exclusive[static_cast<std::size_t>(j)];
      }
      last.push_back(scanned.last);
    }
  }
};
template <class Function, class T>
ExpectedLines(const Function&, const std::vector<T>&, const Placement&, int, bool,
              const std::optional<T>&) -> ExpectedLines<T>;

/// @brief Lengths around what divides a line into pieces: runs, tiles, blocks.
inline const std::vector<std::int64_t> call_lengths{0,    1,    2,    3,     31,    33,   127,
                                                    255,  257,  1023, 1025,  2047,  2049, 4097,
                                                    8191, 8193, 9973, 32769, 131071};

}  // namespace wavescan::Test

#endif
