// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SOR_REFERENCE_HPP
#define WAVESCAN_TEST_SOR_REFERENCE_HPP

#include <WaveScan_SORCoefficients.hpp>

#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScanTest_SpecialNumbers.hpp>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// @brief SOR as plain loops over plain arrays.

namespace wavescan::Test {

using Exec = Kokkos::DefaultExecutionSpace;

/// @brief a*b+c as GPUs and hosts with the instruction compute it, or as a host without it does.
template <class T>
T plain_multiply_add(T a, T b, T c) {
#if defined(__x86_64__)
  static const bool has_fma = __builtin_cpu_supports("fma");
  if (std::same_as<Exec::memory_space, Kokkos::HostSpace> && !has_fma) return a * b + c;
#endif
  return std::fma(a, b, c);
}

/// @brief m x n unknowns in arrays of (m+2) x (n+2) entries, row by row.
template <class T>
struct PlainSOR {
  std::int64_t m;
  std::int64_t n;
  SORCoefficients<T> c;
  std::vector<T> x;
  std::vector<T> rhs{};                    ///< empty: none
  std::vector<int> mask{};                 ///< empty: none
  std::vector<SORCoefficients<T>> each{};  ///< of every entry; empty: c everywhere

  PlainSOR(std::int64_t rows, std::int64_t columns, const SORCoefficients<T>& coefficients)
      : m(rows), n(columns), c(coefficients), x(size(), T(0)) {}

  std::size_t size() const { return static_cast<std::size_t>((m + 2) * (n + 2)); }
  std::size_t at(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i * (n + 2) + j);
  }
  bool unknown(std::int64_t i, std::int64_t j) const {
    return i > 0 && i <= m && j > 0 && j <= n && (mask.empty() || mask[at(i, j)] == 0);
  }

  const SORCoefficients<T>& coefficients(std::int64_t i, std::int64_t j) const {
    return each.empty() ? c : each[at(i, j)];
  }

  void forward_pass() {
    for (std::int64_t i = 1; i <= m; ++i)
      for (std::int64_t j = 1; j <= n; ++j) {
        if (!unknown(i, j)) continue;
        const SORCoefficients<T>& k = coefficients(i, j);
        T s = first_term(i, j);
        s = plain_multiply_add(k.right, x[at(i, j + 1)], s);
        s = plain_multiply_add(k.down, x[at(i + 1, j)], s);
        s = plain_multiply_add(k.up, x[at(i - 1, j)], s);
        x[at(i, j)] = last_term(k.left, x[at(i, j - 1)], s);
      }
  }

  void backward_pass() {
    for (std::int64_t i = m; i >= 1; --i)
      for (std::int64_t j = n; j >= 1; --j) {
        if (!unknown(i, j)) continue;
        const SORCoefficients<T>& k = coefficients(i, j);
        T s = first_term(i, j);
        s = plain_multiply_add(k.left, x[at(i, j - 1)], s);
        s = plain_multiply_add(k.up, x[at(i - 1, j)], s);
        s = plain_multiply_add(k.down, x[at(i + 1, j)], s);
        x[at(i, j)] = last_term(k.right, x[at(i, j + 1)], s);
      }
  }

  /// @brief The root mean square of b - A x.
  double residual() const {
    double squares = 0;
    double points = 0;
    for (std::int64_t i = 1; i <= m; ++i)
      for (std::int64_t j = 1; j <= n; ++j) {
        if (!unknown(i, j)) continue;
        const SORCoefficients<T>& k = coefficients(i, j);
        const double sum = double(k.left) * x[at(i, j - 1)] + double(k.up) * x[at(i - 1, j)] +
                           double(k.right) * x[at(i, j + 1)] + double(k.down) * x[at(i + 1, j)];
        const double r = (rhs.empty() ? 0.0 : double(rhs[at(i, j)])) +
                         (sum - (1 - double(k.center)) * x[at(i, j)]) / double(k.rhs);
        squares += r * r;
        points += 1;
      }
    return std::sqrt(squares / points);
  }

 private:
  T first_term(std::int64_t i, std::int64_t j) const {
    const SORCoefficients<T>& k = coefficients(i, j);
    if (rhs.empty()) return k.center * x[at(i, j)];
    const T b = k.rhs * rhs[at(i, j)];
    return plain_multiply_add(k.center, x[at(i, j)], b);
  }

  T last_term(T weight, T neighbour, T s) const {
    return !each.empty() && weight == T(0) ? s : plain_multiply_add(weight, neighbour, s);
  }
};

/// @brief All coefficients, for loops over them.
template <class T>
inline constexpr std::array members_of_coefficients{
    &SORCoefficients<T>::center, &SORCoefficients<T>::left, &SORCoefficients<T>::up,
    &SORCoefficients<T>::right,  &SORCoefficients<T>::down, &SORCoefficients<T>::rhs};

/// @brief Coefficients of which no two are alike, so that mixed up neighbours show.
template <class T>
SORCoefficients<T> five_different() {
  return {T(0.15), T(0.25), T(-0.2), T(0.1), T(0.3), T(0.7)};
}

/// @brief Random numbers in [-1, 1), and NaN where nothing may be read: in the corners of x and
/// the halo of the right-hand side. A fifth of the points are fixed, by masks of more than a byte.
template <class T>
PlainSOR<T> random_sor(std::int64_t m, std::int64_t n, const SORCoefficients<T>& c, bool with_rhs,
                       bool with_mask, Random& random) {
  PlainSOR<T> p(m, n, c);
  for (T& value : p.x) value = random.value<T>();
  for (const std::int64_t i : {std::int64_t(0), m + 1})
    for (const std::int64_t j : {std::int64_t(0), n + 1}) p.x[p.at(i, j)] = nan<T>;
  if (with_rhs) {
    p.rhs.assign(p.size(), nan<T>);
    for (std::int64_t i = 1; i <= m; ++i)
      for (std::int64_t j = 1; j <= n; ++j) p.rhs[p.at(i, j)] = random.value<T>();
  }
  if (with_mask) {
    p.mask.assign(p.size(), 0);
    for (int& entry : p.mask) entry = random.integer(0, 4) == 0 ? 256 : 0;
  }
  return p;
}

}  // namespace wavescan::Test

#endif
