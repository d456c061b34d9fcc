// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR3D_SEVENPOINT_HPP
#define WAVESCAN_IMPL_SOR3D_SEVENPOINT_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/WaveScan_StencilPoints.hpp>
#include <impl/sor3d/WaveScan_Box.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief The seven-point stencil: its points, the update and the residual, of numbers and of a
/// host's vectors. Nothing else says which terms there are and in which order they are added.
///
/// Every way to sweep keeps this order, `fma` being `fused_multiply_add`:
///
///     s = rhs * b                   (only with a right-hand side)
///     s = fma(center, x, s)         (center * x without one)
///     s = fma(right, x_right, s)
///     s = fma(down, x_down, s)
///     s = fma(back, x_back, s)
///     s = fma(front, x_front, s)
///     s = fma(up, x_up, s)          (the partial value)
///     x = fma(x_left, left, s)
///
/// A box whose planes and columns were exchanged keeps the order of the one that was given.

namespace wavescan::Impl::sor3d {

using sor::add_terms;
using sor::entry;
using sor::StencilPoint;
using sor::StencilPoints;

/// @brief The values at the stencil's points.
template <class V>
struct SevenPointValues {
  V center, left, up, front, right, down, back;
};

/// @brief The order of terms: the right-hand side and the center, these, and then the last one.
/// @tparam Exchanged whether the box that was given has planes and columns exchanged
template <bool Exchanged>
struct UpdateOrder {
  using partial = StencilPoints<StencilPoint::Right, StencilPoint::Down, StencilPoint::Back,
                                StencilPoint::Front, StencilPoint::Up>;
  static constexpr StencilPoint last = StencilPoint::Left;
};
template <>
struct UpdateOrder<true> {
  using partial = StencilPoints<StencilPoint::Back, StencilPoint::Down, StencilPoint::Right,
                                StencilPoint::Left, StencilPoint::Up>;
  static constexpr StencilPoint last = StencilPoint::Front;
};

/// @brief f of each coefficient.
template <class C, class F>
KOKKOS_FORCEINLINE_FUNCTION auto map_coefficients(const SORCoefficients3D<C>& c, const F& f) {
  return SORCoefficients3D<decltype(f(c.center))>{f(c.center), f(c.left), f(c.up),   f(c.front),
                                                  f(c.right),  f(c.down), f(c.back), f(c.rhs)};
}

/// @brief The step seen from the last point.
template <class C>
SORCoefficients3D<C> reversed(const SORCoefficients3D<C>& c) {
  return {c.center, c.right, c.down, c.back, c.left, c.up, c.front, c.rhs};
}
/// @brief The step with planes and columns exchanged.
template <class C>
SORCoefficients3D<C> exchanged(const SORCoefficients3D<C>& c) {
  return {c.center, c.front, c.up, c.left, c.back, c.down, c.right, c.rhs};
}

/// @brief The update of a point.
/// @tparam Cuts whether the weight zero cuts the last neighbour off, even NaN and infinity
/// @param  b    without a right-hand side -0, which changes nothing, and then `rhs` is positive
template <bool Exchanged, bool Cuts, class T>
KOKKOS_FORCEINLINE_FUNCTION T relaxed(const SORCoefficients3D<T>& c, const SevenPointValues<T>& x,
                                      T b) {
  using Order = UpdateOrder<Exchanged>;
  const T own = fused_multiply_add(c.center, x.center, c.rhs * b);
  const T s = add_terms(typename Order::partial(), c, x, own);
  const T weight = entry<Order::last>(c);
  return Cuts && weight == T(0) ? s : fused_multiply_add(entry<Order::last>(x), weight, s);
}

/// @brief The values at and around a point.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION SevenPointValues<T> values_around(const Box<const T>& x, Index k,
                                                              Index i, Index j) {
  return {x(k, i, j),     x(k, i, j - 1), x(k, i - 1, j), x(k - 1, i, j),
          x(k, i, j + 1), x(k, i + 1, j), x(k + 1, i, j)};
}

/// @brief The equation of a point, over rhs: with (1 - center) / rhs in the place of center and 1
/// in that of rhs. Where rhs is zero the equation without a right-hand side, as it is.
template <class T>
KOKKOS_FUNCTION SORCoefficients3D<double> equation_of(const SORCoefficients3D<T>& c) {
  const bool has_rhs = c.rhs != T(0);
  const double scale = has_rhs ? 1 / static_cast<double>(c.rhs) : 1;
  auto equation = map_coefficients(c, [&](T a) { return static_cast<double>(a) * scale; });
  equation.center = (1 - static_cast<double>(c.center)) * scale;
  equation.rhs = has_rhs ? 1 : 0;
  return equation;
}

/// @brief The residual of a point; differences of nearly equal numbers, always taken in double.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION double residual_of(const SORCoefficients3D<double>& c,
                                               const SevenPointValues<T>& x, double b) {
  double r = c.rhs * b;
  r += c.left * static_cast<double>(x.left) + c.right * static_cast<double>(x.right);
  r += c.up * static_cast<double>(x.up) + c.down * static_cast<double>(x.down);
  r += c.front * static_cast<double>(x.front) + c.back * static_cast<double>(x.back);
  return r - c.center * static_cast<double>(x.center);
}

template <class Target, class V>
struct VectorSevenPoint;

}  // namespace wavescan::Impl::sor3d

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor3d/WaveScan_SevenPoint.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor3d {

/// @brief The same of a target's vectors of V, as only code for the target may hold them.
template <class V>
struct VectorSevenPoint<WAVESCAN_TARGET, V> {
  using Vector = TargetVector<WAVESCAN_TARGET, V>;
  using Coefficients = SORCoefficients3D<Vector>;

  WAVESCAN_TARGET_INLINED static Coefficients in_all_lanes(const SORCoefficients3D<V>& c) {
    return {Vector::all(c.center), Vector::all(c.left), Vector::all(c.up),   Vector::all(c.front),
            Vector::all(c.right),  Vector::all(c.down), Vector::all(c.back), Vector::all(c.rhs)};
  }

  /// @brief All but the left neighbour's share, of points side by side.
  WAVESCAN_TARGET_INLINED static Vector partial_value(const Coefficients& c,
                                                      const SevenPointValues<Vector>& x, Vector b) {
    const Vector own = Vector::multiply_add(c.center, x.center, c.rhs * b);
    return add_terms(UpdateOrder<false>::partial(), c, x, own);
  }

 private:
  template <StencilPoint... Each>
  WAVESCAN_TARGET_INLINED static Vector add_terms(StencilPoints<Each...>, const Coefficients& c,
                                                  const SevenPointValues<Vector>& x, Vector s) {
    ((s = Vector::multiply_add(entry<Each>(c), entry<Each>(x), s)), ...);
    return s;
  }
};

}  // namespace wavescan::Impl::sor3d

#endif
