// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_TUNING_LOOPS_HPP
#define WAVESCAN_TOOL_TUNING_LOOPS_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Loop.hpp>
#include <WaveScan_Operators.hpp>
#include <cstdint>

// The loops that are measured: from hardly any work for an entry to much, with all kinds of
// weights, with and without inputs.
namespace wavescan_tool {

/// @brief As a summed-area table: one operator, no weights.
struct Summed {
  using algebra_type = wavescan::Plus<std::int32_t>;
  static constexpr int operations = 4;
  KOKKOS_FUNCTION std::int32_t partial(std::int64_t i, std::int64_t j, std::int32_t up,
                                       std::int32_t up_left, const auto& old) const {
    return wavescan::wrapping_add(old(i, j), wavescan::wrapping_subtract(up, up_left));
  }
};

/// @brief As an alignment: (max, +), one weight.
struct Aligned {
  using algebra_type = wavescan::MaxPlus<std::int32_t>;
  static constexpr int operations = 8;
  KOKKOS_FUNCTION std::int32_t weight() const { return -2; }
  KOKKOS_FUNCTION std::int32_t partial(std::int64_t i, std::int64_t j, std::int32_t up,
                                       std::int32_t up_left, const auto&) const {
    const std::int32_t score = ((i * 7 + j * 5) & 3) == 0 ? 2 : -1;
    const std::int32_t diagonal = up_left + score, above = up - 2;
    const std::int32_t best = diagonal > above ? diagonal : above;
    return best > 0 ? best : 0;
  }
};

/// @brief As SOR: old values ahead, one weight.
template <class T>
struct Relaxed {
  using algebra_type = wavescan::PlusTimes<T>;
  static constexpr int operations = 10;
  KOKKOS_FUNCTION T weight() const { return T(0.2); }
  KOKKOS_FUNCTION T partial(std::int64_t i, std::int64_t j, T up, T, const auto& old) const {
    return wavescan::multiply_add(
        T(0.2), up,
        wavescan::multiply_add(
            T(0.2), old(i, j),
            wavescan::multiply_add(T(0.2), old(i, j + 1), T(0.2) * old(i + 1, j))));
  }
};

/// @brief A weight for each entry.
template <class T>
struct Varying {
  using algebra_type = wavescan::PlusTimes<T>;
  static constexpr int operations = 8;
  KOKKOS_FUNCTION T weight(std::int64_t i, std::int64_t j) const {
    return T(0.0625) * static_cast<T>((i + j) & 7);
  }
  KOKKOS_FUNCTION T partial(std::int64_t, std::int64_t, T up, T up_left, const auto&) const {
    return wavescan::multiply_add(T(0.25), up, T(0.125) * up_left);
  }
};

/// @brief As SOR with a right-hand side: an array besides its own.
template <class T>
struct Fed {
  using algebra_type = wavescan::PlusTimes<T>;
  using Values = Kokkos::Array<T, 1>;
  static constexpr int operations = 12;
  Kokkos::Array<wavescan::LoopInput<T>, 1> fed;
  KOKKOS_FUNCTION auto inputs() const { return fed; }
  KOKKOS_FUNCTION T weight() const { return T(0.2); }
  KOKKOS_FUNCTION T partial(std::int64_t i, std::int64_t j, T up, T up_left, const auto& old,
                            const Values& values) const {
    return wavescan::multiply_add(T(0.1), values[0], Relaxed<T>{}.partial(i, j, up, up_left, old));
  }
};

/// @brief As SOR with coefficients that vary: many arrays, and weights among them.
template <class T>
struct Conducting {
  using algebra_type = wavescan::PlusTimes<T>;
  using Values = Kokkos::Array<T, 6>;
  static constexpr int operations = 10;
  Kokkos::Array<wavescan::LoopInput<T>, 6> fed;
  KOKKOS_FUNCTION auto inputs() const { return fed; }
  KOKKOS_FUNCTION T weight(std::int64_t, std::int64_t, const Values& values) const {
    return values[0];
  }
  KOKKOS_FUNCTION T partial(std::int64_t i, std::int64_t j, T up, T, const auto& old,
                            const Values& values) const {
    using wavescan::multiply_add;
    const T ahead = multiply_add(values[1], old(i, j + 1), values[2] * old(i + 1, j));
    return multiply_add(values[3], up, multiply_add(values[4], old(i, j), ahead + values[5]));
  }
};

/// @brief Much work for an entry.
template <class T>
struct Heavy {
  using algebra_type = wavescan::PlusTimes<T>;
  static constexpr int operations = 128;
  KOKKOS_FUNCTION T weight() const { return T(0.5); }
  KOKKOS_FUNCTION T partial(std::int64_t, std::int64_t, T up, T up_left, const auto&) const {
    T x = up;
    for (int k = 0; k < 60; ++k) x = wavescan::multiply_add(x, T(0.5), up_left);
    return T(0.25) * x;
  }
};

}  // namespace wavescan_tool

#endif
