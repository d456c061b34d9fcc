// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef APPLICATIONS_OPERATORS_HPP
#define APPLICATIONS_OPERATORS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

/// @file
/// @brief Operators of scans that do not commute. Each joins two runs of elements, the earlier one
/// first.

namespace applications {

/// @brief Maps of the states of a finite automaton to states, one after the other. A map is a word
/// in which each state's image has `Bits` bits: 4 states fit into 8 bits, 16 states into 64.
///
/// Source: Hillis and Steele, "Data parallel algorithms", CACM 29(12), 1986 (parsing a regular
/// language).
template <class Word, int Bits>
struct Composition {
  using value_type = Word;
  static constexpr int states = sizeof(Word) * 8 / Bits;

  KOKKOS_FUNCTION static constexpr unsigned image(Word map, unsigned state) {
    return static_cast<unsigned>(map >> Bits * state) & ((1u << Bits) - 1);
  }
  /// @brief The map that sends state s to f(s), a function of the host.
  template <class F>
  static constexpr Word map_of(const F& f) {
    Word map = 0;
    for (unsigned s = 0; s < states; ++s) map |= static_cast<Word>(Word(f(s)) << Bits * s);
    return map;
  }
  KOKKOS_FUNCTION constexpr Word operator()(Word first, Word second) const {
    Word map = 0;
    for (unsigned s = 0; s < states; ++s)
      map |= static_cast<Word>(Word(image(second, image(first, s))) << Bits * s);
    return map;
  }
  KOKKOS_FUNCTION constexpr Word identity() const {
    Word map = 0;
    for (unsigned s = 0; s < states; ++s) map |= static_cast<Word>(Word(s) << Bits * s);
    return map;
  }
};

/// @brief What a run of limbs of a sum does: its last limb, before a carry enters it, and the
/// carries.
struct CarryRun {
  enum Carry : std::uint32_t { none, one, same_as_enters, no_limb };
  std::uint64_t sum;
  Carry into_last;  ///< `same_as_enters`: as enters the run
  Carry out;
};

/// @brief Carry look-ahead.
struct Carries {
  using value_type = CarryRun;
  KOKKOS_FUNCTION CarryRun operator()(const CarryRun& a, const CarryRun& b) const {
    const auto after_a = [&](CarryRun::Carry c) {
      return c == CarryRun::same_as_enters ? a.out : c;
    };
    const bool empty = b.into_last == CarryRun::no_limb;
    return {empty ? a.sum : b.sum, empty ? a.into_last : after_a(b.into_last), after_a(b.out)};
  }
  KOKKOS_FUNCTION CarryRun identity() const {
    return {0, CarryRun::no_limb, CarryRun::same_as_enters};
  }
};

/// @brief s -> matrix s + offset, of two numbers.
struct AffineMap {
  double m00, m01, m10, m11, v0, v1;
};
struct MapComposition {
  using value_type = AffineMap;
  KOKKOS_FUNCTION AffineMap operator()(const AffineMap& a, const AffineMap& b) const {
    return {b.m00 * a.m00 + b.m01 * a.m10,      b.m00 * a.m01 + b.m01 * a.m11,
            b.m10 * a.m00 + b.m11 * a.m10,      b.m10 * a.m01 + b.m11 * a.m11,
            b.m00 * a.v0 + b.m01 * a.v1 + b.v0, b.m10 * a.v0 + b.m11 * a.v1 + b.v1};
  }
  KOKKOS_FUNCTION AffineMap identity() const { return {1, 0, 0, 1, 0, 0}; }
};

/// @brief Products of matrices of two rows and columns modulo P, which is below 2^31.
struct Matrix {
  std::uint32_t m00, m01, m10, m11;
};
template <std::uint64_t P>
struct MatrixProduct {
  using value_type = Matrix;
  static KOKKOS_FUNCTION std::uint32_t entry(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                             std::uint64_t d) {
    return static_cast<std::uint32_t>((a * b + c * d) % P);
  }
  KOKKOS_FUNCTION Matrix operator()(const Matrix& a, const Matrix& b) const {
    return {entry(a.m00, b.m00, a.m01, b.m10), entry(a.m00, b.m01, a.m01, b.m11),
            entry(a.m10, b.m00, a.m11, b.m10), entry(a.m10, b.m01, a.m11, b.m11)};
  }
  KOKKOS_FUNCTION Matrix identity() const { return {1, 0, 0, 1}; }
};
inline constexpr std::uint64_t fibonacci_modulus = 1000000007;

}  // namespace applications

#endif
