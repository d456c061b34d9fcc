// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_COLUMNS_BLOCKS_HPP
#define WAVESCAN_TEST_COLUMNS_BLOCKS_HPP

#include <WaveScan_TridiagonalOptions.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "Dense.hpp"

namespace columns {

/// @brief Systems of n blocks of M, and where their numbers are: (system, i, r, c), or (i, system,
/// r, c) for axis 0, with systems side by side or not.
template <class T>
struct Blocks {
  using Matrices = Kokkos::View<T****, Kokkos::LayoutStride>;
  using Columns = Kokkos::View<T***, Kokkos::LayoutStride>;
  std::size_t lines, n, M;
  int axis;
  bool side_by_side, cyclic, transposed;
  std::vector<T> numbers[4];  ///< lower, diagonal, upper, right: as they are in memory
  Kokkos::View<T*> memory[4];
  double allowed = 500 * std::numeric_limits<T>::epsilon();  ///< errors of unknowns

  Blocks(std::size_t count, std::size_t length, std::size_t size, int along, bool beside,
         bool is_cyclic, bool is_transposed)
      : lines(count),
        n(length),
        M(size),
        axis(along),
        side_by_side(beside),
        cyclic(is_cyclic),
        transposed(is_transposed) {
    std::mt19937 random(static_cast<unsigned>(n + 100 * M));
    std::uniform_real_distribution<double> any(-1, 1);
    for (std::size_t k = 0; k < 4; ++k) {
      numbers[k].resize(lines * n * M * (k < 3 ? M : 1));
      for (T& number : numbers[k]) number = static_cast<T>(any(random));
    }
    for (std::size_t l = 0; l < lines; ++l)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t r = 0; r < M; ++r) {
          // Rows of a block change places: it is the block that is dominant, not its diagonal.
          numbers[1][place(l, i, r, (r + 1) % M, M)] += static_cast<T>(3 * M);
          for (std::size_t c = 0; c < M && !cyclic; ++c) {
            if (i == 0) numbers[0][place(l, i, r, c, M)] = std::numeric_limits<T>::quiet_NaN();
            if (i == n - 1) numbers[2][place(l, i, r, c, M)] = std::numeric_limits<T>::quiet_NaN();
          }
        }
    for (int k = 0; k < 4; ++k) upload(k);
  }
  void upload(int k) {
    memory[k] = Kokkos::View<T*>("blocks", numbers[k].size());
    const auto host = Kokkos::create_mirror_view(memory[k]);
    for (std::size_t j = 0; j < numbers[k].size(); ++j) host(j) = numbers[k][j];
    Kokkos::deep_copy(memory[k], host);
  }
  /// @brief Block rows (-1, 2 + coupling, -1), positive definite, with a condition that grows as
  /// the square of their number: the coupling is semi-definite.
  void make_nearly_singular() {
    for (std::size_t l = 0; l < lines; ++l)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t r = 0; r < M; ++r)
          for (std::size_t c = 0; c < M; ++c) {
            const T one = r == c ? T(1) : T(0);
            if (cyclic || i > 0) numbers[0][place(l, i, r, c, M)] = -one;
            numbers[1][place(l, i, r, c, M)] = 2 * one + T(0.25) * (static_cast<T>(M) * one - T(1));
            if (cyclic || i < n - 1) numbers[2][place(l, i, r, c, M)] = -one;
          }
    for (int k = 0; k < 3; ++k) upload(k);
    const auto rows = static_cast<double>(n + 1);
    double largest = 0;
    for (std::size_t l = 0; l < lines; ++l)
      for (const long double v : solution(l))
        largest = std::max(largest, std::abs(static_cast<double>(v)));
    allowed = 4 * rows * rows * largest * std::numeric_limits<T>::epsilon();
  }
  std::size_t place(std::size_t l, std::size_t i, std::size_t r, std::size_t c,
                    std::size_t width) const {
    return side_by_side ? l + lines * (i + n * (r + M * c)) : c + width * (r + M * (i + n * l));
  }
  Matrices matrices(int k) const {
    const std::size_t line = place(1, 0, 0, 0, M), row = place(0, 1, 0, 0, M);
    return Matrices(memory[k].data(),
                    axis == 0 ? Kokkos::LayoutStride(n, row, lines, line, M, place(0, 0, 1, 0, M),
                                                     M, place(0, 0, 0, 1, M))
                              : Kokkos::LayoutStride(lines, line, n, row, M, place(0, 0, 1, 0, M),
                                                     M, place(0, 0, 0, 1, M)));
  }
  Columns right() const {
    const std::size_t line = place(1, 0, 0, 0, 1), row = place(0, 1, 0, 0, 1);
    return Columns(memory[3].data(),
                   axis == 0 ? Kokkos::LayoutStride(n, row, lines, line, M, place(0, 0, 1, 0, 1))
                             : Kokkos::LayoutStride(lines, line, n, row, M, place(0, 0, 1, 0, 1)));
  }
  /// @param solve of block_tridiagonal_solve's arguments
  template <class Solve>
  void solve(const Solve& solve) const {
    solve(matrices(0), matrices(1), matrices(2), right(), right(),
          wavescan::TridiagonalOptions{.axis = axis, .cyclic = cyclic, .transposed = transposed});
  }
  std::vector<long double> solution(std::size_t l) const {
    const std::size_t size = n * M;
    std::vector<std::vector<long double>> m(size, std::vector<long double>(size + 1, 0.0L));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t r = 0; r < M; ++r) {
        for (std::size_t k = 0; k < 3; ++k) {
          if (!cyclic && (i + k < 1 || i + k > n)) continue;
          for (std::size_t c = 0; c < M; ++c) {
            const std::size_t row = i * M + r, column = (i + k + n - 1) % n * M + c;
            (transposed ? m[column][row] : m[row][column]) += numbers[k][place(l, i, r, c, M)];
          }
        }
        m[i * M + r][size] = numbers[3][place(l, i, r, 0, 1)];
      }
    return solve_dense(std::move(m));
  }
  template <class Solve>
  void expect_solved(const Solve& call) const {
    SCOPED_TRACE(std::to_string(lines) + " systems of " + std::to_string(n) + " blocks of " +
                 std::to_string(M) + ", axis " + std::to_string(axis) +
                 (side_by_side ? ", side by side" : "") + (cyclic ? ", cyclic" : "") +
                 (transposed ? ", transposed" : ""));
    solve(call);
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory[3]);
    for (std::size_t l = 0; l<lines; l += lines> 2 ? lines - 1 : 1) {
      const auto expected = solution(l);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t r = 0; r < M; ++r)
          ASSERT_NEAR(static_cast<double>(host(place(l, i, r, 0, 1))),
                      static_cast<double>(expected[i * M + r]), allowed)
              << "system " << l << ", block " << i << ", row " << r;
    }
  }
};

}  // namespace columns

#endif
