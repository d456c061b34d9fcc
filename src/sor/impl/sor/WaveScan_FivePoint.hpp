// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR_FIVEPOINT_HPP
#define WAVESCAN_IMPL_SOR_FIVEPOINT_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/WaveScan_StencilPoints.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

/// @file
/// @brief The five-point stencil: its points, the update and the residual, of numbers and of a
/// host's vectors. Nothing else says which terms there are and in which order they are added.
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

/// @brief The values at the stencil's points.
template <class V>
struct FivePointValues {
  V center, left, up, right, down;
};

/// @brief Those of a grid, at and around a point.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION FivePointValues<T> values_around(const Grid<const T>& x, Index i,
                                                             Index j) {
  return {x(i, j), x(i, j - 1), x(i - 1, j), x(i, j + 1), x(i + 1, j)};
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION FivePointValues<double> widened(const FivePointValues<T>& x) {
  return {static_cast<double>(x.center), static_cast<double>(x.left), static_cast<double>(x.up),
          static_cast<double>(x.right), static_cast<double>(x.down)};
}

/// @brief f of each coefficient.
template <class C, class F>
KOKKOS_FORCEINLINE_FUNCTION auto map_coefficients(const SORCoefficients<C>& c, const F& f) {
  return SORCoefficients<decltype(f(c.center))>{f(c.center), f(c.left), f(c.up),
                                                f(c.right),  f(c.down), f(c.rhs)};
}

/// @brief The coefficients that begin an array, in their order.
template <class Array>
KOKKOS_FORCEINLINE_FUNCTION auto coefficients_in(const Array& a) {
  return SORCoefficients<typename Array::value_type>{a[0], a[1], a[2], a[3], a[4], a[5]};
}

/// @brief The order of terms: the right-hand side and the center, these, and then the neighbour
/// that the sweep has just come from, whose share a scan along the row adds.
/// @tparam Transposed whether the grid that was given has rows and columns exchanged
template <bool Transposed>
struct UpdateOrder {
  using partial = StencilPoints<StencilPoint::Right, StencilPoint::Down, StencilPoint::Up>;
  static constexpr StencilPoint last = StencilPoint::Left;
  /// The same in two parts: what the sweep before has left, and what this one has updated.
  using old_points = StencilPoints<StencilPoint::Right, StencilPoint::Down>;
  using new_points = StencilPoints<StencilPoint::Up, StencilPoint::Left>;
};
template <>
struct UpdateOrder<true> {
  using partial = StencilPoints<StencilPoint::Down, StencilPoint::Right, StencilPoint::Left>;
  static constexpr StencilPoint last = StencilPoint::Up;
  using old_points = StencilPoints<StencilPoint::Down, StencilPoint::Right>;
  using new_points = StencilPoints<StencilPoint::Left, StencilPoint::Up>;
};

/// @brief What a point itself and the right-hand side come to.
template <class Coefficients, class T>
KOKKOS_FORCEINLINE_FUNCTION T own_terms(const Coefficients& c, T center, T b, bool has_rhs) {
  return has_rhs ? fused_multiply_add(c.center, center, c.rhs * b) : c.center * center;
}

/// @brief The partial value of a point: all but the last neighbour's share.
/// @param s its own_terms
template <bool Transposed, class T>
KOKKOS_FORCEINLINE_FUNCTION T partial_value(const SORCoefficients<T>& c,
                                            const FivePointValues<T>& x, T s) {
  return add_terms(typename UpdateOrder<Transposed>::partial(), c, x, s);
}

/// @brief The update of a point.
/// @param s its own_terms
template <bool Transposed, class T>
KOKKOS_FORCEINLINE_FUNCTION T relaxed(const SORCoefficients<T>& c, const FivePointValues<T>& x,
                                      T s) {
  constexpr StencilPoint last = UpdateOrder<Transposed>::last;
  s = partial_value<Transposed>(c, x, s);
  return fused_multiply_add(entry<last>(x), entry<last>(c), s);
}

/// @brief The update in two parts: the terms of points that the sweep has yet to come to ...
/// @param s its own_terms
template <bool Transposed, class T>
KOKKOS_FORCEINLINE_FUNCTION T old_terms(const SORCoefficients<T>& c, const FivePointValues<T>& x,
                                        T s) {
  return add_terms(typename UpdateOrder<Transposed>::old_points(), c, x, s);
}
/// @brief ... and with those that it has come from: what relaxed gives.
/// @param s the sum of the former
template <bool Transposed, class T>
KOKKOS_FORCEINLINE_FUNCTION T new_terms(const SORCoefficients<T>& c, const FivePointValues<T>& x,
                                        T s) {
  return add_terms(typename UpdateOrder<Transposed>::new_points(), c, x, s);
}

/// @brief The equation of a point, over rhs: with (1 - center) / rhs in the place of center and 1
/// in that of rhs. Where rhs is zero the equation without a right-hand side, as it is.
template <class T>
KOKKOS_FUNCTION SORCoefficients<double> equation_of(const SORCoefficients<T>& c) {
  const bool has_rhs = c.rhs != T(0);
  const double scale = has_rhs ? 1 / static_cast<double>(c.rhs) : 1;
  auto equation = map_coefficients(c, [&](T a) { return static_cast<double>(a) * scale; });
  equation.center = (1 - static_cast<double>(c.center)) * scale;
  equation.rhs = has_rhs ? 1 : 0;
  return equation;
}

/// @brief The residual of a point, whose right-hand side has been multiplied by its coefficient.
KOKKOS_FORCEINLINE_FUNCTION double residual_of(const SORCoefficients<double>& c, double r,
                                               FivePointValues<double> x) {
  r += c.left * x.left + c.right * x.right;
  r += c.up * x.up + c.down * x.down;
  return r - c.center * x.center;
}

/// @brief The order in which vectors add up a residual, from which the center's term is then
/// subtracted, ...
using ResidualOrder =
    StencilPoints<StencilPoint::Left, StencilPoint::Right, StencilPoint::Up, StencilPoint::Down>;
/// @brief ... and that of a GPU's pass, which has the values of its own row in double already.
using RowResidualOrder =
    StencilPoints<StencilPoint::Down, StencilPoint::Up, StencilPoint::Left, StencilPoint::Right>;

/// @brief The residual in a GPU's pass.
KOKKOS_FORCEINLINE_FUNCTION double row_residual_of(const SORCoefficients<double>& c, double b,
                                                   const FivePointValues<double>& x) {
  return multiply_add(-c.center, x.center, add_terms(RowResidualOrder(), c, x, b));
}

template <class Target, class V>
struct VectorFivePoint;

}  // namespace wavescan::Impl::sor

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor/WaveScan_FivePoint.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor {

/// @brief The same of a target's vectors of V, as only code for the target may hold them.
template <class V>
struct VectorFivePoint<WAVESCAN_TARGET, V> {
  using Vector = TargetVector<WAVESCAN_TARGET, V>;
  // Dependent on V, or nvcc would ask at once for operations that not all targets have.
  using Wide = TargetVector<WAVESCAN_TARGET, std::conditional_t<std::is_void_v<V>, void, double>>;
  using Coefficients = SORCoefficients<Vector>;
  using Values = FivePointValues<Vector>;
  using Equation = SORCoefficients<Wide>;  ///< of a part of a vector's lanes, see widened_parts

  /// @brief Coefficients, or an equation, in all lanes.
  template <class E>
  WAVESCAN_TARGET_INLINED static auto in_all_lanes(const SORCoefficients<E>& c) {
    using W = TargetVector<WAVESCAN_TARGET, E>;
    return SORCoefficients<W>{W::all(c.center), W::all(c.left), W::all(c.up),
                              W::all(c.right),  W::all(c.down), W::all(c.rhs)};
  }

  /// @brief Coefficients of each lane's own, in their order and so far from each other.
  template <int Pitch>
  WAVESCAN_TARGET_INLINED static Coefficients load(const V* p) {
    return {Vector::load(p),
            Vector::load(p + Pitch),
            Vector::load(p + 2 * Pitch),
            Vector::load(p + 3 * Pitch),
            Vector::load(p + 4 * Pitch),
            Vector::load(p + 5 * Pitch)};
  }

  /// @brief The equations of a part of the lanes: see equation_of.
  WAVESCAN_TARGET_INLINED static Equation equation_of(const Coefficients& c, int p) {
    const Wide one = Wide::all(1);
    const Wide rhs = widened(c.rhs, p);
    const Wide scale = one / select_zero(rhs, one, rhs);
    return {(one - widened(c.center, p)) * scale,
            widened(c.left, p) * scale,
            widened(c.up, p) * scale,
            widened(c.right, p) * scale,
            widened(c.down, p) * scale,
            select_zero(rhs, rhs, one)};
  }

  /// @brief The update of points.
  /// @tparam Cuts whether the weight zero cuts the last neighbour off, even NaN and infinity
  /// @param  s    rhs * b
  template <bool Transposed, bool Cuts>
  WAVESCAN_TARGET_INLINED static Vector relaxed(const Coefficients& c, Vector s, const Values& x) {
    constexpr StencilPoint last = UpdateOrder<Transposed>::last;
    s = Vector::multiply_add(c.center, x.center, s);
    s = add_terms(typename UpdateOrder<Transposed>::partial(), c, x, s);
    const Vector all = Vector::multiply_add(entry<last>(c), entry<last>(x), s);
    return Cuts ? select_zero(entry<last>(c), s, all) : all;
  }

  /// @brief The update in two parts: the terms of old values ...
  template <bool Transposed>
  WAVESCAN_TARGET_INLINED static Vector old_terms(const Coefficients& c, Vector s,
                                                  const Values& x) {
    return add_terms(typename UpdateOrder<Transposed>::old_points(), c, x, s);
  }
  /// @brief ... and, number by number, those of new ones.
  template <bool Transposed>
  WAVESCAN_TARGET_INLINED static V new_terms(const SORCoefficients<V>& c, V s,
                                             const FivePointValues<V>& x) {
    return add_numbers(typename UpdateOrder<Transposed>::new_points(), c, x, s);
  }

  /// @brief The residuals of a part of the lanes.
  WAVESCAN_TARGET_INLINED static Wide residual_of(const Equation& c, int p, const Values& x,
                                                  Vector b) {
    const Wide r = add_widened(ResidualOrder(), c, p, x, c.rhs * widened(b, p));
    return r - c.center * widened(x.center, p);
  }

 private:
  template <StencilPoint... Each>
  WAVESCAN_TARGET_INLINED static Vector add_terms(StencilPoints<Each...>, const Coefficients& c,
                                                  const Values& x, Vector s) {
    ((s = Vector::multiply_add(entry<Each>(c), entry<Each>(x), s)), ...);
    return s;
  }
  template <StencilPoint... Each>
  WAVESCAN_TARGET_INLINED static V add_numbers(StencilPoints<Each...>, const SORCoefficients<V>& c,
                                               const FivePointValues<V>& x, V s) {
    ((s = fused(entry<Each>(c), entry<Each>(x), s)), ...);
    return s;
  }
  WAVESCAN_TARGET_INLINED static V fused(V a, V b, V c) {
    if constexpr (sizeof(V) == sizeof(float))
      return __builtin_fmaf(a, b, c);
    else
      return __builtin_fma(a, b, c);
  }
  template <StencilPoint... Each>
  WAVESCAN_TARGET_INLINED static Wide add_widened(StencilPoints<Each...>, const Equation& c, int p,
                                                  const Values& x, Wide r) {
    ((r = Wide::multiply_add(entry<Each>(c), widened(entry<Each>(x), p), r)), ...);
    return r;
  }
};

}  // namespace wavescan::Impl::sor

#endif
