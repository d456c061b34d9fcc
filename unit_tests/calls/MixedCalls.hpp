// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_MIXEDCALLS_HPP
#define WAVESCAN_TEST_MIXEDCALLS_HPP

#include <WaveScan_Filter.hpp>
#include <WaveScan_Pad.hpp>
#include <WaveScan_SOR.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_SummedAreaTable.hpp>

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// @file
/// @brief Free functions of several layers, one after the other on an instance, and what a serial
/// program makes of the same numbers.

namespace wavescan::Test {

struct IsSmall {
  KOKKOS_FUNCTION bool operator()(double x) const { return x < 50; }
};

class MixedCalls {
 public:
  using Exec = Kokkos::DefaultExecutionSpace;

  explicit MixedCalls(const Exec& exec) : exec_(exec) {}

  /// @brief Other numbers, whole and from 0 to 99.
  void reset(std::size_t salt) {
    std::vector<double> numbers;
    for (std::size_t k = 0; k < n; ++k)
      numbers.push_back(static_cast<double>((k * 37 + k / 7 * salt) % 100));
    Kokkos::deep_copy(exec_, x_, Kokkos::View<double*, Kokkos::HostSpace>(numbers.data(), n));
    clear();
    expected_ = Expected(numbers);
  }
  /// @brief Writes markers to all results.
  void clear() const {
    for (const auto& results : {sums_, filtered_, small_, rows_, table_, grid_})
      Kokkos::deep_copy(exec_, results, marker);
    Kokkos::deep_copy(exec_, count_, -1);
    exec_.fence();
  }

  /// @brief Waits for nothing.
  void enqueue() const {
    const Image image(x_.data(), rows, columns), grid(grid_.data(), rows, columns);
    inclusive_scan(exec_, x_, sums_);
    lfilter(exec_, {0.5, 0.25}, {1, -0.5}, x_, filtered_);
    copy_if(exec_, x_, small_, IsSmall(), count_);
    summed_area_table(exec_, image, Image(table_.data(), rows, columns));
    const Image narrow(rows_.data(), rows, columns), wide(rows_.data(), rows, columns + 1);
    Kokkos::deep_copy(exec_, narrow, image);
    pad(exec_, narrow, wide, PadOptions().fill(7.0));
    Kokkos::deep_copy(exec_, grid, image);
    sor_sweeps(exec_, grid, mean_of_five<double>(), 3);
  }

  /// @brief Waits for the results, and compares them.
  testing::AssertionResult are_right() const {
    exec_.fence();
    const Expected& e = expected_;
    const auto count = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), count_)();
    const std::pair<const char*, bool> results[] = {
        {"inclusive_scan", equal(sums_, e.sums)}, {"lfilter", equal(filtered_, e.filtered, 1e-12)},
        {"copy_if", equal(small_, e.small)},      {"copy_if's count", count == e.count},
        {"pad", equal(rows_, e.padded)},          {"summed_area_table", equal(table_, e.table)},
        {"sor_sweeps", equal(grid_, e.grid)}};
    for (const auto& [name, is_right] : results)
      if (!is_right) return testing::AssertionFailure() << name;
    return testing::AssertionSuccess();
  }

 private:
  static constexpr std::size_t rows = 130, columns = 210, n = rows * columns;
  static constexpr double marker = -1;
  using Array = Kokkos::View<double*>;
  using Image = Kokkos::View<double**, Kokkos::LayoutRight>;

  /// What a serial program makes of the numbers.
  struct Expected {
    std::vector<double> sums, filtered, small, padded, table, grid;
    std::int64_t count = 0;

    Expected() = default;
    explicit Expected(const std::vector<double>& x) : sums(n), filtered(n), table(n), grid(x) {
      for (std::size_t k = 0; k < n; ++k) {
        sums[k] = x[k] + (k > 0 ? sums[k - 1] : 0);
        filtered[k] = 0.5 * x[k] + (k > 0 ? 0.25 * x[k - 1] + 0.5 * filtered[k - 1] : 0);
        if (x[k] < 50) small.push_back(x[k]);
        padded.push_back(x[k]);
        if (k % columns == columns - 1) padded.push_back(7);
        table[k] = x[k] + (k % columns > 0 ? table[k - 1] : 0);
      }
      for (std::size_t k = columns; k < n; ++k) table[k] += table[k - columns];
      count = static_cast<std::int64_t>(small.size());
      small.resize(n, marker);
      for (int sweep = 0; sweep < 3; ++sweep)
        for (std::size_t i = 1; i + 1 < rows; ++i)
          for (std::size_t k = i * columns + 1; k + 1 < (i + 1) * columns; ++k) {
            double s = 0.2 * grid[k];
            for (const double y : {grid[k + 1], grid[k + columns], grid[k - columns]})
              s = std::fma(0.2, y, s);
            grid[k] = std::fma(grid[k - 1], 0.2, s);
          }
    }
  };

  static bool equal(const Array& found, const std::vector<double>& expected, double tolerance = 0) {
    const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
    return std::equal(expected.begin(), expected.end(), on_host.data(), [&](double x, double y) {
      return std::abs(x - y) <= tolerance * std::abs(x);
    });
  }

  Exec exec_;
  Expected expected_;
  Array x_{"x", n}, sums_{"sums", n}, filtered_{"filtered", n}, small_{"small", n},
      rows_{"rows", n + rows}, table_{"table", n}, grid_{"grid", n};
  Kokkos::View<std::int64_t> count_{"count"};
};

}  // namespace wavescan::Test

#endif
