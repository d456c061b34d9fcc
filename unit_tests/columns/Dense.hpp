// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_COLUMNS_DENSE_HPP
#define WAVESCAN_TEST_COLUMNS_DENSE_HPP

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace columns {

/// @brief Solves a dense system in extended precision, with partial pivoting.
/// @param m rows of the matrix, each with its right-hand side behind
inline std::vector<long double> solve_dense(std::vector<std::vector<long double>> m) {
  const std::size_t n = m.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t r = k; r < n; ++r)
      if (std::abs(m[r][k]) > std::abs(m[pivot][k])) pivot = r;
    std::swap(m[k], m[pivot]);
    for (std::size_t r = k + 1; r < n; ++r) {
      const long double factor = m[r][k] / m[k][k];
      if (factor == 0) continue;
      for (std::size_t c = k; c <= n; ++c) m[r][c] -= factor * m[k][c];
    }
  }
  std::vector<long double> x(n);
  for (std::size_t i = n; i-- > 0;) {
    x[i] = m[i][n];
    for (std::size_t c = i + 1; c < n; ++c) x[i] -= m[i][c] * x[c];
    x[i] /= m[i][i];
  }
  return x;
}

}  // namespace columns

#endif
