// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_STENCILPOINTS_HPP
#define WAVESCAN_IMPL_SOR_STENCILPOINTS_HPP

#include <WaveScan_Arithmetic.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief The points of stencils, in two dimensions and three, and sums of their terms.

namespace wavescan::Impl::sor {

enum class StencilPoint { Center, Left, Up, Front, Right, Down, Back };

/// @brief Some points of a stencil, in an order.
template <StencilPoint... Each>
struct StencilPoints {};

/// @brief A point's entry, of coefficients or values.
template <StencilPoint Which, class Entries>
KOKKOS_FORCEINLINE_FUNCTION constexpr const auto& entry(const Entries& e) {
  if constexpr (Which == StencilPoint::Center)
    return e.center;
  else if constexpr (Which == StencilPoint::Left)
    return e.left;
  else if constexpr (Which == StencilPoint::Up)
    return e.up;
  else if constexpr (Which == StencilPoint::Front)
    return e.front;
  else if constexpr (Which == StencilPoint::Right)
    return e.right;
  else if constexpr (Which == StencilPoint::Down)
    return e.down;
  else
    return e.back;
}

/// @brief s + the terms of some points.
template <StencilPoint... Each, class Coefficients, class Values, class T>
KOKKOS_FORCEINLINE_FUNCTION T add_terms(StencilPoints<Each...>, const Coefficients& c,
                                        const Values& x, T s) {
  ((s = fused_multiply_add(entry<Each>(c), entry<Each>(x), s)), ...);
  return s;
}

}  // namespace wavescan::Impl::sor

#endif
