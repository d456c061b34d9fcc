// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_FIVEPOINT_HPP
#define WAVESCAN_IMPL_SOR_FIVEPOINT_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_SORCoefficients.hpp>

/// @file
/// @brief The five-point stencil: its points, and the one place that says in which order their
/// terms are added.
///
/// Every way to sweep keeps this order, `fma` being `fused_multiply_add`:
///
///     s = rhs * b                   (only with a right-hand side)
///     s = fma(center, x, s)         (center * x without one)
///     s = fma(right, x_right, s)
///     s = fma(down, x_down, s)
///     s = fma(up, x_up, s)          (the partial value)
///     x = fma(x_left, left, s)
///
/// What is known first comes first: between an updated neighbour and the point stand two operations
/// at most. A grid whose rows and columns were exchanged keeps the order of the one that was given.

namespace wavescan::Impl::sor {

enum class StencilPoint { Center, Left, Up, Right, Down };

/// @brief Some points of the stencil, in an order.
template <StencilPoint... Each>
struct StencilPoints {};

/// @brief The values at the stencil's points.
template <class V>
struct FivePointValues {
  V center, left, up, right, down;
};

/// @brief A point's entry, of coefficients or values.
template <StencilPoint Which, class Entries>
KOKKOS_FORCEINLINE_FUNCTION constexpr const auto& entry(const Entries& e) {
  if constexpr (Which == StencilPoint::Center)
    return e.center;
  else if constexpr (Which == StencilPoint::Left)
    return e.left;
  else if constexpr (Which == StencilPoint::Up)
    return e.up;
  else if constexpr (Which == StencilPoint::Right)
    return e.right;
  else
    return e.down;
}

/// @brief The order of terms: the right-hand side and the center, these, and then the neighbour
/// that the sweep has just come from, whose share a scan along the row adds.
/// @tparam Transposed whether the grid that was given has rows and columns exchanged
template <bool Transposed>
struct UpdateOrder {
  using partial = StencilPoints<StencilPoint::Right, StencilPoint::Down, StencilPoint::Up>;
  static constexpr StencilPoint last = StencilPoint::Left;
};
template <>
struct UpdateOrder<true> {
  using partial = StencilPoints<StencilPoint::Down, StencilPoint::Right, StencilPoint::Left>;
  static constexpr StencilPoint last = StencilPoint::Up;
};

/// @brief s + the terms of some points. Vectors of hosts have this loop in HostBand and HostSum, as
/// it has to be compiled for their target.
template <StencilPoint... Each, class T>
KOKKOS_FORCEINLINE_FUNCTION T add_terms(StencilPoints<Each...>, const SORCoefficients<T>& c,
                                        const FivePointValues<T>& x, T s) {
  ((s = fused_multiply_add(entry<Each>(c), entry<Each>(x), s)), ...);
  return s;
}

/// @brief What a point itself and the right-hand side come to.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T own_terms(const SORCoefficients<T>& c, T center, T b, bool has_rhs) {
  return has_rhs ? fused_multiply_add(c.center, center, c.rhs * b) : c.center * center;
}

/// @brief The update of a point.
/// @param s its own_terms
template <bool Transposed, class T>
KOKKOS_FORCEINLINE_FUNCTION T relaxed(const SORCoefficients<T>& c, const FivePointValues<T>& x,
                                      T s) {
  using Order = UpdateOrder<Transposed>;
  s = add_terms(typename Order::partial(), c, x, s);
  return fused_multiply_add(entry<Order::last>(x), entry<Order::last>(c), s);
}

/// @brief The equation of a point, over rhs: with (1 - center) / rhs in the place of center and 1
/// in that of rhs. Where rhs is zero the equation without a right-hand side, as it is.
template <class T>
KOKKOS_FUNCTION SORCoefficients<double> equation_of(const SORCoefficients<T>& c) {
  const double scale = c.rhs == T(0) ? 1 : 1 / static_cast<double>(c.rhs);
  return {(1 - static_cast<double>(c.center)) * scale, static_cast<double>(c.left) * scale,
          static_cast<double>(c.up) * scale,           static_cast<double>(c.right) * scale,
          static_cast<double>(c.down) * scale,         c.rhs == T(0) ? 0.0 : 1.0};
}

/// @brief The order in which vectors add up a residual, from which the center's term is then
/// subtracted, ...
using ResidualOrder =
    StencilPoints<StencilPoint::Left, StencilPoint::Right, StencilPoint::Up, StencilPoint::Down>;
/// @brief ... and that of a GPU's pass, which has the values of its own row in double already.
using RowResidualOrder =
    StencilPoints<StencilPoint::Down, StencilPoint::Up, StencilPoint::Left, StencilPoint::Right>;

/// @brief The residual of a point, whose right-hand side has been multiplied by its coefficient.
KOKKOS_FORCEINLINE_FUNCTION double residual_of(const SORCoefficients<double>& c, double r,
                                               FivePointValues<double> x) {
  r += c.left * x.left + c.right * x.right;
  r += c.up * x.up + c.down * x.down;
  return r - c.center * x.center;
}

}  // namespace wavescan::Impl::sor

#endif
