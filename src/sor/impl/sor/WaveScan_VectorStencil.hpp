// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR_VECTORSTENCIL_HPP
#define WAVESCAN_IMPL_SOR_VECTORSTENCIL_HPP

#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/WaveScan_Stencil.hpp>

#include <type_traits>
#include <utility>

/// @file
/// @brief The update and the residual of any stencil, of a host's vectors: see
/// WaveScan_Stencil.hpp.

namespace wavescan::Impl::sor {

template <class Target, class C>
struct VectorStencil;

}  // namespace wavescan::Impl::sor

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor/WaveScan_VectorStencil.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor {

/// @brief The stencil of coefficients C, of a target's vectors, as only code for the target may
/// hold them. (Functions that take functions, as map_coefficients, would not be compiled for it.)
template <class C>
struct VectorStencil<WAVESCAN_TARGET, C> {
  using V = std::remove_cvref_t<decltype(std::declval<C>().center)>;
  using Vector = TargetVector<WAVESCAN_TARGET, V>;
  // Dependent on V, or nvcc would ask at once for operations that not all targets have.
  using Wide = TargetVector<WAVESCAN_TARGET, std::conditional_t<std::is_void_v<V>, void, double>>;
  template <class E>
  using with = typename StencilOf<C>::template with<E>;
  using Coefficients = with<Vector>;
  using Equation = with<Wide>;  ///< of a part of a vector's lanes, see widened_parts

  /// @brief Coefficients, or an equation, in all lanes.
  template <class E>
  WAVESCAN_TARGET_INLINED static auto in_all_lanes(const E& c) {
    return in_all_lanes(c, NeighboursOf<C>());
  }

  /// @brief Coefficients of each lane's own, in their order and so far from each other.
  template <int Pitch>
  WAVESCAN_TARGET_INLINED static Coefficients load(const V* p) {
    return load<Pitch>(p, NeighboursOf<C>());
  }

  /// @brief The equations of a part of the lanes: see sor::equation_of.
  WAVESCAN_TARGET_INLINED static Equation equation_of(const Coefficients& c, int p) {
    return equation_of(c, p, NeighboursOf<C>());
  }

  /// @brief The partial values of points: all but the last neighbour's share.
  /// @param s rhs * b
  template <bool Transposed, class Values>
  WAVESCAN_TARGET_INLINED static Vector partial_value(const Coefficients& c, Vector s,
                                                      const Values& x) {
    s = Vector::multiply_add(c.center, x.center, s);
    return add_terms(typename UpdateOrder<C, Transposed>::partial(), c, x, s);
  }

  /// @brief The update of points.
  /// @tparam Cuts whether the weight zero cuts the last neighbour off, even NaN and infinity
  /// @param  s    rhs * b
  template <bool Transposed, bool Cuts, class Values>
  WAVESCAN_TARGET_INLINED static Vector relaxed(const Coefficients& c, Vector s, const Values& x) {
    constexpr StencilPoint last = UpdateOrder<C, Transposed>::last;
    s = partial_value<Transposed>(c, s, x);
    const Vector all = Vector::multiply_add(entry<last>(c), entry<last>(x), s);
    return Cuts ? select_zero(entry<last>(c), s, all) : all;
  }

  /// @brief Adds the terms of old values: the first part of an update.
  template <bool Transposed, class Values>
  WAVESCAN_TARGET_INLINED static Vector old_terms(const Coefficients& c, Vector s,
                                                  const Values& x) {
    return add_terms(typename UpdateOrder<C, Transposed>::old_points(), c, x, s);
  }
  /// @brief Adds the terms of new values, number by number: the second part.
  template <bool Transposed, class Values>
  WAVESCAN_TARGET_INLINED static V new_terms(const C& c, V s, const Values& x) {
    return add_numbers(typename UpdateOrder<C, Transposed>::new_points(), c, x, s);
  }

  /// @brief The residuals of a part of the lanes.
  template <class Values>
  WAVESCAN_TARGET_INLINED static Wide residual_of(const Equation& c, int p, const Values& x,
                                                  Vector b) {
    const Wide r = add_pairs(PointsBefore<C>(), c, p, x, c.rhs * widened(b, p));
    return r - c.center * widened(x.center, p);
  }

 private:
  template <class E, StencilPoint... Each>
  WAVESCAN_TARGET_INLINED static auto in_all_lanes(const E& c, StencilPoints<Each...>) {
    using W = TargetVector<WAVESCAN_TARGET, std::remove_cvref_t<decltype(c.center)>>;
    return with<W>{W::all(c.center), W::all(entry<Each>(c))..., W::all(c.rhs)};
  }
  template <int Pitch, StencilPoint... Each>
  WAVESCAN_TARGET_INLINED static Coefficients load(const V* p, StencilPoints<Each...>) {
    int k = 0;  // in braces, in their order
    return {Vector::load(p), (static_cast<void>(Each), Vector::load(p + ++k * Pitch))...,
            Vector::load(p + (sizeof...(Each) + 1) * Pitch)};
  }
  template <StencilPoint... Each>
  WAVESCAN_TARGET_INLINED static Equation equation_of(const Coefficients& c, int p,
                                                      StencilPoints<Each...>) {
    const Wide one = Wide::all(1);
    const Wide rhs = widened(c.rhs, p);
    const Wide scale = one / select_zero(rhs, one, rhs);
    return {(one - widened(c.center, p)) * scale, widened(entry<Each>(c), p) * scale...,
            select_zero(rhs, rhs, one)};
  }
  template <StencilPoint... Each, class Values>
  WAVESCAN_TARGET_INLINED static Vector add_terms(StencilPoints<Each...>, const Coefficients& c,
                                                  const Values& x, Vector s) {
    ((s = Vector::multiply_add(entry<Each>(c), entry<Each>(x), s)), ...);
    return s;
  }
  template <StencilPoint... Each, class Values>
  WAVESCAN_TARGET_INLINED static V add_numbers(StencilPoints<Each...>, const C& c, const Values& x,
                                               V s) {
    ((s = fused(entry<Each>(c), entry<Each>(x), s)), ...);
    return s;
  }
  WAVESCAN_TARGET_INLINED static V fused(V a, V b, V c) {
    if constexpr (sizeof(V) == sizeof(float))
      return __builtin_fmaf(a, b, c);
    else
      return __builtin_fma(a, b, c);
  }
  template <StencilPoint... Before, class Values>
  WAVESCAN_TARGET_INLINED static Wide add_pairs(StencilPoints<Before...>, const Equation& c, int p,
                                                const Values& x, Wide r) {
    ((r = Wide::multiply_add(entry<Before>(c), widened(entry<Before>(x), p), r),
      r = Wide::multiply_add(entry<opposite(Before)>(c), widened(entry<opposite(Before)>(x), p),
                             r)),
     ...);
    return r;
  }
};

}  // namespace wavescan::Impl::sor

#endif
