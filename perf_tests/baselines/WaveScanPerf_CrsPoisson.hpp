// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_CRSPOISSON_HPP
#define WAVESCAN_PERF_CRSPOISSON_HPP

#include <vector>

namespace wavescan::Perf {

/// @brief -Laplace on a square or cubic mesh as a matrix in compressed rows, with a row for every
/// entry of an array with its halo. The halo is zero, and its rows are those of the identity.
template <class T>
struct CrsPoisson {
  std::vector<int> row_map{0};
  std::vector<int> columns;
  std::vector<T> values;

  CrsPoisson(int dimensions, int side, double h) {
    std::vector<int> neighbours;  // in the order of their rows
    for (int d = 0, stride = 1; d < dimensions; ++d, stride *= side) {
      neighbours.insert(neighbours.begin(), -stride);
      neighbours.push_back(stride);
    }
    const int rows = side * neighbours.back();
    const auto inside = [=](int row) {
      bool is = true;
      for (int d = 0; d < dimensions; ++d, row /= side)
        is = is && row % side > 0 && row % side < side - 1;
      return is;
    };
    const auto per_area = static_cast<T>(1 / (h * h));
    const auto add = [&](int column, T value) {
      columns.push_back(column);
      values.push_back(value);
    };
    neighbours.insert(neighbours.begin() + dimensions, 0);
    for (int row = 0; row < rows; ++row) {
      for (const int neighbour : neighbours)
        if (neighbour == 0)
          add(row, inside(row) ? 2 * static_cast<T>(dimensions) * per_area : T(1));
        else if (inside(row) && inside(row + neighbour))
          add(row + neighbour, -per_area);
      row_map.push_back(static_cast<int>(columns.size()));
    }
  }
};

}  // namespace wavescan::Perf

#endif
