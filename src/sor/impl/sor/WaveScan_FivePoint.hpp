// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_FIVEPOINT_HPP
#define WAVESCAN_IMPL_SOR_FIVEPOINT_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_NinePointCoefficients.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/sor/WaveScan_Stencil.hpp>
#include <impl/sor/WaveScan_VectorStencil.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief The values at the points of stencils in two dimensions, of five points and of nine.

namespace wavescan::Impl::sor {

/// @brief The values at the points of the five-point stencil.
template <class V>
struct FivePointValues {
  V center, left, up, right, down;
};
/// @brief Those of the nine-point stencil.
template <class V>
struct NinePointValues {
  V center, left, up_right, up, up_left, right, down_left, down, down_right;
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
/// @brief The values at the points of a stencil.
template <class C>
using ValuesOf = typename ValuesOfStencil<C>::type;

/// @brief Those of a grid, at and around a point.
template <class C, class T, StencilPoint... Each>
KOKKOS_FORCEINLINE_FUNCTION ValuesOf<C> values_around(const Grid<const T>& x, Index i, Index j,
                                                      StencilPoints<Each...>) {
  return {x(i, j), x(i + row_offset<Each>, j + column_offset<Each>)...};
}
template <class C, class T>
KOKKOS_FORCEINLINE_FUNCTION ValuesOf<C> values_around(const Grid<const T>& x, Index i, Index j) {
  return values_around<C>(x, i, j, NeighboursOf<C>());
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
