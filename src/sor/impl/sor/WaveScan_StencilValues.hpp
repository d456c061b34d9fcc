// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_STENCILVALUES_HPP
#define WAVESCAN_IMPL_SOR_STENCILVALUES_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_NinePointCoefficients.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/sor/WaveScan_Stencil.hpp>
#include <impl/sor/WaveScan_VectorStencil.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief The values at the points of stencils: of five points, of nine, and of seven in three
/// dimensions.

namespace wavescan::Impl::sor {

/// @brief The values at the points of the five-point stencil.
template <class V>
struct FivePointValues {
  V center, left, up, right, down;
};
/// @brief The values at the points of the nine-point stencil.
template <class V>
struct NinePointValues {
  V center, left, up_right, up, up_left, right, down_left, down, down_right;
};
/// @brief The values at the points of the seven-point stencil.
template <class V>
struct SevenPointValues {
  V center, left, up, front, right, down, back;
};

template <class C>
struct ValuesOfStencil;
template <class T>
struct ValuesOfStencil<SORCoefficients<T>> {
  using type = FivePointValues<T>;
};
template <class T>
struct ValuesOfStencil<NinePointCoefficients<T>> {
  using type = NinePointValues<T>;
};
template <class T>
struct ValuesOfStencil<SORCoefficients3D<T>> {
  using type = SevenPointValues<T>;
};
/// @brief The values at the points of a stencil.
template <class C>
using ValuesOf = typename ValuesOfStencil<C>::type;

/// @brief An entry of an array beside a point.
template <StencilPoint Which, class Array>
KOKKOS_FORCEINLINE_FUNCTION auto beside(const Array& x, Index i, Index j) {
  return x(i + row_offset<Which>, j + column_offset<Which>);
}
template <StencilPoint Which, class Array>
KOKKOS_FORCEINLINE_FUNCTION auto beside(const Array& x, Index k, Index i, Index j) {
  return x(k + plane_offset<Which>, i + row_offset<Which>, j + column_offset<Which>);
}

/// @brief The values of an array at and around a point.
template <class C, class Array, StencilPoint... Each, class... At>
KOKKOS_FORCEINLINE_FUNCTION ValuesOf<C> values_at(const Array& x, StencilPoints<Each...>,
                                                  At... at) {
  return {x(at...), beside<Each>(x, at...)...};
}
template <class C, class Array, class... At>
KOKKOS_FORCEINLINE_FUNCTION ValuesOf<C> values_around(const Array& x, At... at) {
  return values_at<C>(x, NeighboursOf<C>(), at...);
}

/// @brief The residual in a GPU's pass, which has the values of its own row in double already.
KOKKOS_FORCEINLINE_FUNCTION double row_residual_of(const SORCoefficients<double>& c, double b,
                                                   const FivePointValues<double>& x) {
  using Order =
      StencilPoints<StencilPoint::Down, StencilPoint::Up, StencilPoint::Left, StencilPoint::Right>;
  return multiply_add(-c.center, x.center, add_terms(Order(), c, x, b));
}

/// @brief The five-point stencil of a host's vectors.
template <class Target, class V>
using VectorFivePoint = VectorStencil<Target, SORCoefficients<V>>;

}  // namespace wavescan::Impl::sor

#endif
