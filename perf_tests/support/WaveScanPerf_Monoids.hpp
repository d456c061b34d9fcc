// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_MONOIDS_HPP
#define WAVESCAN_PERF_MONOIDS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

/// @file
/// @brief User-defined types of 8, 12 and 16 bytes whose products do not commute.

namespace wavescan::Perf {

/// @brief x -> slope * x + offset. The product applies the left map first.
struct Affine {
  float slope = 1, offset = 0;

  static KOKKOS_FUNCTION Affine random(std::uint64_t bits) {
    return {(bits & 1) != 0 ? 1.f : -1.f, static_cast<float>(bits >> 60)};
  }
  friend KOKKOS_FUNCTION Affine operator*(const Affine& a, const Affine& b) {
    return {a.slope * b.slope, b.slope * a.offset + b.offset};
  }
  double number() const { return slope + offset; }
};

/// @brief The unitriangular matrix (1 x z; 0 1 y; 0 0 1): sums of x and of y, and of x_i y_j for
/// all i before j.
struct Unitriangular {
  std::uint32_t x = 0, y = 0, z = 0;

  static KOKKOS_FUNCTION Unitriangular random(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 24),
            static_cast<std::uint32_t>(bits >> 32)};
  }
  friend KOKKOS_FUNCTION Unitriangular operator*(const Unitriangular& a, const Unitriangular& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z + a.x * b.y};
  }
  double number() const { return z; }
};

/// @brief A rotation of space as a unit quaternion; random ones are among 1, i, j, k.
struct Rotation {
  float w = 1, x = 0, y = 0, z = 0;

  static KOKKOS_FUNCTION Rotation random(std::uint64_t bits) {
    const auto axis = bits & 3;
    return {axis == 0 ? 1.f : 0.f, axis == 1 ? 1.f : 0.f, axis == 2 ? 1.f : 0.f,
            axis == 3 ? 1.f : 0.f};
  }
  friend KOKKOS_FUNCTION Rotation operator*(const Rotation& a, const Rotation& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }
  double number() const { return w + 2 * x + 3 * y + 4 * z; }
};

/// @brief The product as an operator of WaveScan, which is one of CUB and Thrust as well.
template <class T>
struct Product {
  using value_type = T;
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const { return a * b; }
  KOKKOS_FUNCTION T identity() const { return {}; }
};

}  // namespace wavescan::Perf

#endif
