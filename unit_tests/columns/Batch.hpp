// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_COLUMNS_BATCH_HPP
#define WAVESCAN_TEST_COLUMNS_BATCH_HPP

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "Dense.hpp"

/// @file
/// @brief Many systems of any band, in Views that lie in any way.

namespace columns {

/// @brief How systems lie in memory: behind each other, side by side, or with gaps everywhere.
enum class Order { Contiguous, SideBySide, Apart };
inline constexpr Order all_orders[] = {Order::Contiguous, Order::SideBySide, Order::Apart};

/// @brief A number for each row of each system, in memory of its own, whose gaps are NaN.
template <class T>
struct Numbers {
  using View = Kokkos::View<T**, Kokkos::LayoutStride>;
  Kokkos::View<T*> memory;
  View view;
  std::size_t line_stride, stride;

  /// @param numbers one system after the other
  Numbers(const std::vector<T>& numbers, std::size_t lines, std::size_t n, Order order, int axis)
      : line_stride(order == Order::Contiguous   ? n
                    : order == Order::SideBySide ? 1
                                                 : 3 * n + 1),
        stride(order == Order::Contiguous   ? 1
               : order == Order::SideBySide ? lines
                                            : 3) {
    const std::size_t size = lines * n == 0 ? 0 : (lines - 1) * line_stride + (n - 1) * stride + 1;
    memory = Kokkos::View<T*>("numbers", size);
    const auto host = Kokkos::create_mirror_view(memory);
    Kokkos::deep_copy(host, std::numeric_limits<T>::quiet_NaN());
    for (std::size_t l = 0; l < lines; ++l)
      for (std::size_t i = 0; i < n; ++i) host(l * line_stride + i * stride) = numbers[l * n + i];
    Kokkos::deep_copy(memory, host);
    view = View(memory.data(), axis == 1 ? Kokkos::LayoutStride(lines, line_stride, n, stride)
                                         : Kokkos::LayoutStride(n, stride, lines, line_stride));
  }
  /// @brief System l as it is now. Nothing between systems may have been written.
  std::vector<std::vector<T>> lines() const {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory);
    std::vector<bool> used(host.extent(0));
    const bool along_last = view.stride(1) == stride && view.stride(0) == line_stride;
    const std::size_t count = view.extent(along_last ? 0 : 1), n = view.extent(along_last ? 1 : 0);
    std::vector<std::vector<T>> all(count, std::vector<T>(n));
    for (std::size_t l = 0; l < count; ++l)
      for (std::size_t i = 0; i < n; ++i) {
        all[l][i] = host(l * line_stride + i * stride);
        used[l * line_stride + i * stride] = true;
      }
    for (std::size_t k = 0; k < used.size(); ++k)
      EXPECT_TRUE(used[k] || std::isnan(host(k))) << "a gap was written: " << k;
    return all;
  }
};

/// @brief Systems whose rows reach M unknowns to both sides.
template <class T, int M>
struct Batch {
  std::size_t lines, n;
  bool cyclic, transposed;
  std::vector<T> diagonal[2 * M + 1], right;  ///< one system after the other

  /// @param beyond what a diagonal has beyond the sum of the others, at least
  Batch(std::size_t count, std::size_t length, bool is_cyclic = false, bool is_transposed = false,
        double beyond = 0.02)
      : lines(count), n(length), cyclic(is_cyclic), transposed(is_transposed) {
    std::mt19937 random(static_cast<unsigned>(31 * n + lines));
    std::uniform_real_distribution<double> any(-1, 1);
    for (auto& numbers : diagonal) numbers.resize(lines * n);
    for (std::size_t k = 0; k < lines * n; ++k) {
      double sum = beyond + std::abs(any(random));
      for (auto& numbers : diagonal) {
        numbers[k] = static_cast<T>(any(random));
        sum += std::abs(numbers[k]);
      }
      diagonal[M][k] = static_cast<T>(k % 3 == 1 ? -sum : sum);
      right.push_back(static_cast<T>(any(random)));
    }
    if (transposed)  // dominant by columns of what is stored, that is by rows of what is solved
      for (T& middle : diagonal[M]) middle = std::copysign(T(2 * M + 1), middle);
    spoil_ends();
  }
  /// What nobody may read is not a number.
  void spoil_ends() {
    for (std::size_t k = 0; k < lines * n && !cyclic; ++k)
      for (int offset = -M; offset <= M; ++offset)
        if (column(k % n, offset) < 0)
          diagonal[M + offset][k] = std::numeric_limits<T>::quiet_NaN();
  }
  /// The unknown that number `offset` of row i is of; -1 if there is none.
  std::int64_t column(std::size_t i, int offset) const {
    const auto size = static_cast<std::int64_t>(n), c = static_cast<std::int64_t>(i) + offset;
    if (c >= 0 && c < size) return c;
    return cyclic ? (c + 2 * size) % size : -1;
  }

  std::vector<long double> solution(std::size_t line) const {
    std::vector<std::vector<long double>> m(n, std::vector<long double>(n + 1, 0.0L));
    for (std::size_t i = 0; i < n; ++i) {
      for (int offset = -M; offset <= M; ++offset) {
        const std::int64_t c = column(i, offset);
        if (c < 0) continue;
        const auto other = static_cast<std::size_t>(c);
        (transposed ? m[other][i] : m[i][other]) += diagonal[M + offset][line * n + i];
      }
      m[i][n] = right[line * n + i];
    }
    return solve_dense(std::move(m));
  }
  /// @brief The largest error of an equation beside the sizes of its terms, in units of rounding;
  /// not of transposed systems.
  double residual(std::size_t line, const std::vector<T>& x) const {
    long double worst = 0, largest = 0;
    for (const T v : x) largest = std::max(largest, static_cast<long double>(std::abs(v)));
    for (std::size_t i = 0; i < n; ++i) {
      long double sum = -static_cast<long double>(right[line * n + i]), size = std::abs(sum);
      for (int offset = -M; offset <= M; ++offset) {
        const std::int64_t c = column(i, offset);
        if (c < 0) continue;
        const long double number = diagonal[M + offset][line * n + i];
        sum += number * x[static_cast<std::size_t>(c)];
        size += std::abs(number) * largest;
      }
      worst = std::max(worst, std::isfinite(sum) ? std::abs(sum) / size : 1.0L / 0.0L);
    }
    return static_cast<double>(worst) / std::numeric_limits<T>::epsilon();
  }

  Numbers<T> place(const std::vector<T>& numbers, Order order, int axis) const {
    return {numbers, lines, n, order, axis};
  }
  /// @brief Expects solutions of some systems.
  /// @param units of rounding of the largest unknown that are allowed
  void expect_solved(const Numbers<T>& x, const char* what, double units = 2e3) const {
    const auto got = x.lines();
    for (std::size_t l = 0; l<lines; l += lines> 3 ? lines / 2 : 1) {
      const auto expected = solution(l);
      long double largest = 0;
      for (const long double v : expected) largest = std::max(largest, std::abs(v));
      const double allowed =
          static_cast<double>(largest) * units * std::numeric_limits<T>::epsilon();
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_NEAR(static_cast<double>(got[l][i]), static_cast<double>(expected[i]), allowed)
            << what << ", system " << l << ", row " << i;
    }
  }
  std::string name(Order order, int axis) const {
    return std::to_string(lines) + " systems of " + std::to_string(n) + ", order " +
           std::to_string(static_cast<int>(order)) + ", axis " + std::to_string(axis) +
           (cyclic ? ", cyclic" : "") + (transposed ? ", transposed" : "");
  }
};

}  // namespace columns

#endif
