// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_OPERATORS_HPP
#define WAVESCAN_TEST_OPERATORS_HPP

#include <Kokkos_Core.hpp>
#include <WaveScan_Algebras.hpp>
#include <cstdint>
#include <vector>

#include "WaveScanTest_Random.hpp"

/// @file
/// @brief Operators as users write them: associative, most of them without commuting, of 1 to 64
/// bytes. `random(Random&)` draws a value.

namespace wavescan::Test {

/// @brief The map x -> a x + b modulo 2^bits; maps compose in the order of their application.
template <class U>
struct Affine {
  struct Map {
    U a, b;
    bool operator==(const Map&) const = default;
  };
  using value_type = Map;
  KOKKOS_FUNCTION Map operator()(const Map& f, const Map& g) const {
    return {static_cast<U>(f.a * g.a), static_cast<U>(f.b * g.a + g.b)};
  }
  KOKKOS_FUNCTION Map identity() const { return {1, 0}; }
  static Map random(Random& r) { return {r.value<U>(), r.value<U>()}; }
};

/// @brief The product of N x N matrices of unsigned integers.
template <class U, int N>
struct MatrixProduct {
  struct Matrix {
    U entry[N][N];
    bool operator==(const Matrix&) const = default;
  };
  using value_type = Matrix;
  KOKKOS_FUNCTION Matrix operator()(const Matrix& a, const Matrix& b) const {
    Matrix c{};
    for (int i = 0; i < N; ++i)
      for (int k = 0; k < N; ++k)
        for (int j = 0; j < N; ++j)  // modulo 2^bits, where int would overflow, too
          c.entry[i][j] += static_cast<U>(1u * a.entry[i][k] * b.entry[k][j]);
    return c;
  }
  KOKKOS_FUNCTION Matrix identity() const {
    Matrix e{};
    for (int i = 0; i < N; ++i) e.entry[i][i] = 1;
    return e;
  }
  static Matrix random(Random& r) {
    Matrix m;
    for (auto& row : m.entry)
      for (U& x : row) x = r.value<U>();
    return m;
  }
};

/// @brief What the digits of two big numbers do to the carry of their sum.
struct CarryLookahead {
  enum class Carry : std::uint8_t { Kill, Propagate, Generate };
  using value_type = Carry;
  KOKKOS_FUNCTION Carry operator()(Carry low, Carry high) const {
    return high == Carry::Propagate ? low : high;
  }
  KOKKOS_FUNCTION Carry identity() const { return Carry::Propagate; }
  static Carry random(Random& r) { return static_cast<Carry>(r.integer(0, 2)); }
};

/// @brief What an input does to the N states of an automaton; inputs follow each other.
template <int N>
struct Automaton {
  struct Transition {
    std::uint8_t next[N];
    bool operator==(const Transition&) const = default;
  };
  using value_type = Transition;
  KOKKOS_FUNCTION Transition operator()(const Transition& f, const Transition& g) const {
    Transition h{};
    for (int s = 0; s < N; ++s) h.next[s] = g.next[f.next[s]];
    return h;
  }
  KOKKOS_FUNCTION Transition identity() const {
    Transition e{};
    for (int s = 0; s < N; ++s) e.next[s] = static_cast<std::uint8_t>(s);
    return e;
  }
  static Transition random(Random& r) {
    Transition t{};
    for (auto& s : t.next) s = static_cast<std::uint8_t>(r.integer(0, N - 1));
    return t;
  }
};

/// @brief The product modulo a number that is known at run time only.
struct ModularTimes {
  using value_type = std::uint32_t;
  std::uint32_t modulus = 1;
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return static_cast<std::uint32_t>(std::uint64_t(a) * b % modulus);
  }
  KOKKOS_FUNCTION std::uint32_t identity() const { return 1 % modulus; }
  std::uint32_t random(Random& r) const {
    return static_cast<std::uint32_t>(r.integer(0, std::int64_t(modulus) - 1));
  }
};

/// @brief Sums modulo a number that is known at run time only; weights multiply.
struct ModularAlgebra {
  using value_type = std::uint32_t;
  using weight_type = std::uint32_t;
  std::uint32_t modulus = 1;
  KOKKOS_FUNCTION std::uint32_t cut(std::uint64_t x) const {
    return static_cast<std::uint32_t>(x % modulus);
  }
  KOKKOS_FUNCTION std::uint32_t accumulate(std::uint32_t a, std::uint32_t b) const {
    return cut(std::uint64_t(a) + b);
  }
  KOKKOS_FUNCTION std::uint32_t distribute(std::uint32_t a, std::uint32_t w) const {
    return cut(std::uint64_t(a) * w);
  }
  KOKKOS_FUNCTION std::uint32_t compose(std::uint32_t w, std::uint32_t v) const {
    return distribute(w, v);
  }
  KOKKOS_FUNCTION std::uint32_t power(std::uint32_t w, std::int64_t k) const {
    return power_by_squaring(*this, w, k);
  }
  KOKKOS_FUNCTION std::uint32_t zero() const { return 0; }
  KOKKOS_FUNCTION std::uint32_t one() const { return 1 % modulus; }
};

template <class Op>
std::vector<typename Op::value_type> random_values(const Op& op, Random& random,
                                                   std::int64_t count) {
  std::vector<typename Op::value_type> result;
  for (std::int64_t k = 0; k < count; ++k) result.push_back(op.random(random));
  return result;
}

}  // namespace wavescan::Test

#endif
