// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_PLAIN_LOOPS_HPP
#define WAVESCAN_TOOL_PLAIN_LOOPS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// The loops as one would write them first, on one core: what the demo compares times and results
// with. Arrays are stored row after row.
namespace wavescan_tool::plain {

/// @brief A sweep of SOR for -Laplace(u) = f on the inner points of a mesh; `rhs` (times h^2) and
/// `fixed` may be empty.
inline void sor_sweep(std::vector<double>& x, std::size_t rows, std::size_t columns, double omega,
                      const std::vector<double>& rhs, const std::vector<std::uint8_t>& fixed) {
  for (std::size_t i = 1; i + 1 < rows; ++i)
    for (std::size_t j = 1; j + 1 < columns; ++j) {
      const std::size_t k = i * columns + j;
      if (!fixed.empty() && fixed[k]) continue;
      const double sum = x[k - 1] + x[k + 1] + x[k - columns] + x[k + columns];
      x[k] = (1 - omega) * x[k] + omega / 4 * (rhs.empty() ? sum : sum + rhs[k]);
    }
}

inline void summed_area_table(const std::vector<std::uint16_t>& image, std::size_t rows,
                              std::size_t columns, std::vector<std::int64_t>& table) {
  for (std::size_t i = 0; i < rows; ++i) {
    std::int64_t row_sum = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t k = i * columns + j;
      row_sum += image[k];
      table[k] = row_sum + (i == 0 ? 0 : table[k - columns]);
    }
  }
}

/// @brief Counts for each bin, then row, then column; `levels` gray levels in `bins` bins.
inline void integral_histogram(const std::vector<std::uint16_t>& image, std::size_t rows,
                               std::size_t columns, std::size_t levels, std::size_t bins,
                               std::vector<std::int32_t>& histogram) {
  for (std::size_t z = 0; z < bins; ++z) {
    std::int32_t* plane = &histogram[z * image.size()];
    for (std::size_t i = 0; i < rows; ++i) {
      std::int32_t row_count = 0;
      for (std::size_t j = 0; j < columns; ++j) {
        const std::size_t k = i * columns + j;
        row_count += image[k] * bins / levels == z;
        plane[k] = row_count + (i == 0 ? 0 : plane[k - columns]);
      }
    }
  }
}

/// @brief The best score of a local alignment with a linear gap penalty.
inline int smith_waterman_score(const std::string& a, const std::string& b, int match, int mismatch,
                                int gap) {
  std::vector<int> row(b.size() + 1, 0);
  int best = 0;
  for (const char letter : a) {
    int up_left = 0, left = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int up = row[j + 1];
      const int diagonal = up_left + (letter == b[j] ? match : mismatch);
      left = std::max({0, diagonal, up - gap, left - gap});
      up_left = up;
      row[j + 1] = left;
      best = std::max(best, left);
    }
  }
  return best;
}

}  // namespace wavescan_tool::plain

#endif
