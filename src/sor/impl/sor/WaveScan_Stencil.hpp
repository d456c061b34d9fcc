// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_STENCIL_HPP
#define WAVESCAN_IMPL_SOR_STENCIL_HPP

#include <WaveScan_Arithmetic.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

/// @file
/// @brief Stencils, in two dimensions and three: their points, the order in which terms are added,
/// the update and the residual. Nothing else says which terms there are.
///
/// A stencil is one list, PointsBefore: the points that a forward sweep has come from. Those that
/// it has yet to come to are their opposites, in the same order; so are the members of
/// coefficients. Every way to sweep adds up the terms in this order, `fma` being
/// `fused_multiply_add`:
///
///     s = rhs * b                   (only with a right-hand side)
///     s = fma(center, x, s)         (center * x without one)
///     s = fma(right, x_right, s)    and the other opposites, in the order of the list
///     s = fma(up, x_up, s)          and the other points of the list, last to second
///     x = fma(x_left, left, s)      (s was the partial value)
///
/// What is known first comes first: between an updated neighbour and the point stand as few
/// operations as can be. A transposed array keeps the order of the one that was given: UpdateOrder.

namespace wavescan::Impl::sor {

enum class StencilPoint {
  Center,
  Left,
  Up,
  Front,
  UpLeft,
  UpRight,
  Right,
  Down,
  Back,
  DownRight,
  DownLeft
};

/// @brief Some points of a stencil, in an order.
template <StencilPoint... Each>
struct StencilPoints {};

/// @brief The place of a point, counted from the center.
struct StencilOffset {
  int plane, row, column;
};

KOKKOS_FUNCTION constexpr StencilOffset offset_of(StencilPoint point) {
  switch (point) {
    case StencilPoint::Center:
      return {0, 0, 0};
    case StencilPoint::Left:
      return {0, 0, -1};
    case StencilPoint::Up:
      return {0, -1, 0};
    case StencilPoint::Front:
      return {-1, 0, 0};
    case StencilPoint::UpLeft:
      return {0, -1, -1};
    case StencilPoint::UpRight:
      return {0, -1, 1};
    case StencilPoint::Right:
      return {0, 0, 1};
    case StencilPoint::Down:
      return {0, 1, 0};
    case StencilPoint::Back:
      return {1, 0, 0};
    case StencilPoint::DownRight:
      return {0, 1, 1};
    case StencilPoint::DownLeft:
      return {0, 1, -1};
  }
  return {};
}
/// Constants, which device code may read.
template <StencilPoint Point>
inline constexpr int plane_offset = offset_of(Point).plane;
template <StencilPoint Point>
inline constexpr int row_offset = offset_of(Point).row;
template <StencilPoint Point>
inline constexpr int column_offset = offset_of(Point).column;

KOKKOS_FUNCTION constexpr StencilPoint point_at(StencilOffset wanted) {
  for (int p = 0; p <= static_cast<int>(StencilPoint::DownLeft); ++p) {
    const StencilOffset o = offset_of(static_cast<StencilPoint>(p));
    if (o.plane == wanted.plane && o.row == wanted.row && o.column == wanted.column)
      return static_cast<StencilPoint>(p);
  }
  return StencilPoint::Center;
}
KOKKOS_FUNCTION constexpr StencilPoint itself(StencilPoint point) { return point; }
KOKKOS_FUNCTION constexpr StencilPoint opposite(StencilPoint point) {
  const StencilOffset o = offset_of(point);
  return point_at({-o.plane, -o.row, -o.column});
}
/// @brief The point with rows and columns swapped.
KOKKOS_FUNCTION constexpr StencilPoint transposed(StencilPoint point) {
  const StencilOffset o = offset_of(point);
  return point_at({o.plane, o.column, o.row});
}
/// @brief The point with planes and columns swapped, as `transposed` swaps them in boxes.
KOKKOS_FUNCTION constexpr StencilPoint transposed_in_box(StencilPoint point) {
  const StencilOffset o = offset_of(point);
  return point_at({o.column, o.row, o.plane});
}

/// @brief A point's entry, of coefficients or values.
template <StencilPoint Which, class Entries>
KOKKOS_FORCEINLINE_FUNCTION constexpr auto& entry(Entries& e) {
  if constexpr (Which == StencilPoint::Center)
    return e.center;
  else if constexpr (Which == StencilPoint::Left)
    return e.left;
  else if constexpr (Which == StencilPoint::Up)
    return e.up;
  else if constexpr (Which == StencilPoint::Front)
    return e.front;
  else if constexpr (Which == StencilPoint::UpLeft)
    return e.up_left;
  else if constexpr (Which == StencilPoint::UpRight)
    return e.up_right;
  else if constexpr (Which == StencilPoint::Right)
    return e.right;
  else if constexpr (Which == StencilPoint::Down)
    return e.down;
  else if constexpr (Which == StencilPoint::Back)
    return e.back;
  else if constexpr (Which == StencilPoint::DownRight)
    return e.down_right;
  else
    return e.down_left;
}

/// @brief The name of a coefficient in errors.
constexpr const char* name_of(StencilPoint point) {
  constexpr const char* names[]{
      "coefficients.center",     "coefficients.left",     "coefficients.up",
      "coefficients.front",      "coefficients.up_left",  "coefficients.up_right",
      "coefficients.right",      "coefficients.down",     "coefficients.back",
      "coefficients.down_right", "coefficients.down_left"};
  return names[static_cast<int>(point)];
}

/// @brief The stencil that coefficients belong to. Specialisations stand beside the coefficients:
/// - `before`: the points that a forward sweep has come from, as StencilPoints, in the order in
///   which members begin behind `center`;
/// - `with<E>`: coefficients of the stencil whose entries are E;
/// - `transpose`: what becomes of a point in a transposed array.
template <class Coefficients>
struct StencilOf;

template <class C>
concept StencilCoefficients = requires {
  typename StencilOf<C>::before;
};
template <class C>
using PointsBefore = typename StencilOf<C>::before;

template <StencilPoint... A, StencilPoint... B>
StencilPoints<A..., B...> operator+(StencilPoints<A...>, StencilPoints<B...>);
StencilPoints<> in_reverse(StencilPoints<>);
template <StencilPoint First, StencilPoint... Rest>
auto in_reverse(StencilPoints<First, Rest...>)
    -> decltype(in_reverse(StencilPoints<Rest...>()) + StencilPoints<First>());
template <StencilPoint Map(StencilPoint), StencilPoint... Each>
StencilPoints<Map(Each)...> mapped(StencilPoints<Each...>);
template <StencilPoint First, StencilPoint... Rest>
struct FirstOf {
  static constexpr StencilPoint first = First;
  using rest = StencilPoints<Rest...>;
};
template <StencilPoint... Each>
FirstOf<Each...> first_of(StencilPoints<Each...>);

/// @brief The neighbours of a stencil, in the order of the members of its coefficients.
template <class C>
using NeighboursOf = decltype(PointsBefore<C>() + mapped<opposite>(PointsBefore<C>()));

template <StencilPoint... Each>
constexpr int count(StencilPoints<Each...>) {
  return sizeof...(Each);
}
template <StencilPoint... Each>
constexpr bool contain(StencilPoints<Each...>, StencilPoint point) {
  return ((Each == point) || ...);
}
/// @brief The columns by which a forward sweep must be further in the row above, and by which a
/// sweep is behind the one before that is a row lower.
template <class C>
inline constexpr int lag_of = contain(PointsBefore<C>(), StencilPoint::UpRight) ? 2 : 1;

/// @brief The dimensions of a stencil.
template <class C>
inline constexpr int rank_of = contain(PointsBefore<C>(), StencilPoint::Front) ? 3 : 2;

/// @brief The number of coefficients.
template <class C>
inline constexpr int entries_of = count(NeighboursOf<C>()) + 2;

/// @brief The order in which terms are added: see above.
/// @tparam Transposed whether this is the transposed of the array that was given
template <class C, bool Transposed>
struct UpdateOrder {
 private:
  using before =
      decltype(mapped < Transposed ? StencilOf<C>::transpose : itself > (PointsBefore<C>()));
  using split = decltype(first_of(before()));

 public:
  /// The points whose values the sweep before has left, ...
  using old_points = decltype(mapped<opposite>(before()));
  /// ... those that this one has updated, ...
  using new_points = decltype(in_reverse(before()));
  /// ... the latter but for the last one, ...
  using partly_new = decltype(in_reverse(typename split::rest()));
  /// ... and both but for that one, whose share a scan along the row adds.
  using partial = decltype(old_points() + partly_new());
  static constexpr StencilPoint last = split::first;
};

/// @brief Returns f of each coefficient, in their order. On the host f may be a function of the
/// host.
#if defined(__NVCC__)
#pragma nv_exec_check_disable
#endif
template <class C, class F, StencilPoint... Each>
KOKKOS_FORCEINLINE_FUNCTION auto map_coefficients(const C& c, const F& f, StencilPoints<Each...>) {
  using R = std::remove_cvref_t<decltype(f(c.center))>;
  return typename StencilOf<C>::template with<R>{f(c.center), f(entry<Each>(c))..., f(c.rhs)};
}
#if defined(__NVCC__)
#pragma nv_exec_check_disable
#endif
template <class C, class F>
KOKKOS_FORCEINLINE_FUNCTION auto map_coefficients(const C& c, const F& f) {
  return map_coefficients(c, f, NeighboursOf<C>());
}
/// @brief Returns f(name, coefficient) of each coefficient, on the host.
template <class C, class F, StencilPoint... Each>
auto map_named_coefficients(const C& c, const F& f, StencilPoints<Each...>) {
  using R = std::remove_cvref_t<decltype(f("", c.center))>;
  return typename StencilOf<C>::template with<R>{f(name_of(StencilPoint::Center), c.center),
                                                 f(name_of(Each), entry<Each>(c))...,
                                                 f("coefficients.rhs", c.rhs)};
}
template <class C, class F>
auto map_named_coefficients(const C& c, const F& f) {
  return map_named_coefficients(c, f, NeighboursOf<C>());
}

/// @brief Calls use(name, coefficient) for each of them, in their order.
template <class C, class Use, StencilPoint... Each>
void for_each_coefficient(C& c, const Use& use, StencilPoints<Each...>) {
  use(name_of(StencilPoint::Center), c.center);
  (use(name_of(Each), entry<Each>(c)), ...);
  use("coefficients.rhs", c.rhs);
}
template <class C, class Use>
void for_each_coefficient(C& c, const Use& use) {
  for_each_coefficient(c, use, NeighboursOf<std::remove_const_t<C>>());
}

/// @brief The coefficients of an array whose points have moved.
template <StencilPoint Map(StencilPoint), class C, StencilPoint... Each>
KOKKOS_FORCEINLINE_FUNCTION C moved(const C& c, StencilPoints<Each...>) {
  return {c.center, entry<Map(Each)>(c)..., c.rhs};
}
template <StencilPoint Map(StencilPoint), class C>
KOKKOS_FORCEINLINE_FUNCTION C moved(const C& c) {
  return moved<Map>(c, NeighboursOf<C>());
}

/// @brief The coefficients that begin an array, in their order.
template <class C, class Array, StencilPoint... Each>
KOKKOS_FORCEINLINE_FUNCTION C coefficients_in(const Array& a, StencilPoints<Each...>) {
  int k = 0;  // in braces, in their order
  return {a[k], (static_cast<void>(Each), a[++k])..., a[k + 1]};
}
template <class C, class Array>
KOKKOS_FORCEINLINE_FUNCTION C coefficients_in(const Array& a) {
  return coefficients_in<C>(a, NeighboursOf<C>());
}

/// @brief Returns s + the terms of some points.
template <StencilPoint... Each, class Coefficients, class Values, class T>
KOKKOS_FORCEINLINE_FUNCTION T add_terms(StencilPoints<Each...>, const Coefficients& c,
                                        const Values& x, T s) {
  ((s = fused_multiply_add(entry<Each>(c), entry<Each>(x), s)), ...);
  return s;
}

/// @brief Returns the terms of the point itself and of the right-hand side.
template <class Coefficients, class T>
KOKKOS_FORCEINLINE_FUNCTION T own_terms(const Coefficients& c, T center, T b, bool has_rhs) {
  return has_rhs ? fused_multiply_add(c.center, center, c.rhs * b) : c.center * center;
}

/// @brief The partial value of a point: all but the last neighbour's share.
/// @param s its own_terms
template <bool Transposed, class C, class Values, class T>
KOKKOS_FORCEINLINE_FUNCTION T partial_value(const C& c, const Values& x, T s) {
  return add_terms(typename UpdateOrder<C, Transposed>::partial(), c, x, s);
}

/// @brief Adds the terms of points that the sweep has yet to come to: the first part of an update.
/// @param s its own_terms
template <bool Transposed, class C, class Values, class T>
KOKKOS_FORCEINLINE_FUNCTION T old_terms(const C& c, const Values& x, T s) {
  return add_terms(typename UpdateOrder<C, Transposed>::old_points(), c, x, s);
}
/// @brief Adds the terms of points that the sweep has come from: the second part, which gives what
/// `relaxed` does.
/// @tparam Cuts whether the weight zero cuts the last neighbour off, even NaN and infinity
/// @param  s    the old_terms
template <bool Transposed, bool Cuts = false, class C, class Values, class T>
KOKKOS_FORCEINLINE_FUNCTION T new_terms(const C& c, const Values& x, T s) {
  constexpr StencilPoint last = UpdateOrder<C, Transposed>::last;
  s = add_terms(typename UpdateOrder<C, Transposed>::partly_new(), c, x, s);
  const T weight = entry<last>(c);
  return Cuts && weight == T(0) ? s : fused_multiply_add(entry<last>(x), weight, s);
}

/// @brief The update of a point.
/// @param s its own_terms
template <bool Transposed, bool Cuts = false, class C, class Values, class T>
KOKKOS_FORCEINLINE_FUNCTION T relaxed(const C& c, const Values& x, T s) {
  return new_terms<Transposed, Cuts>(c, x, old_terms<Transposed>(c, x, s));
}

/// @brief The equation of a point, over rhs: with (1 - center) / rhs in the place of center and 1
/// in that of rhs. Where rhs is zero the equation without a right-hand side, as it is.
template <StencilCoefficients C>
KOKKOS_FUNCTION auto equation_of(const C& c) {
  using T = decltype(c.rhs);
  const bool has_rhs = c.rhs != T(0);
  const double scale = has_rhs ? 1 / static_cast<double>(c.rhs) : 1;
  auto equation = map_coefficients(c, [&](T a) { return static_cast<double>(a) * scale; });
  equation.center = (1 - static_cast<double>(c.center)) * scale;
  equation.rhs = has_rhs ? 1 : 0;
  return equation;
}

/// @brief The residual of a point; differences of nearly equal numbers, always taken in double.
/// @param r the right-hand side, multiplied by its coefficient
template <class Equation, class Values, StencilPoint... Before>
KOKKOS_FORCEINLINE_FUNCTION double residual_of(const Equation& c, double r, const Values& x,
                                               StencilPoints<Before...>) {
  const auto term = [](double coefficient, auto value) {
    return coefficient * static_cast<double>(value);
  };
  ((r += term(entry<Before>(c), entry<Before>(x)) +
         term(entry<opposite(Before)>(c), entry<opposite(Before)>(x))),
   ...);
  return r - term(c.center, x.center);
}
template <class Equation, class Values>
KOKKOS_FORCEINLINE_FUNCTION double residual_of(const Equation& c, double r, const Values& x) {
  return residual_of(c, r, x, PointsBefore<Equation>());
}

}  // namespace wavescan::Impl::sor

#endif
