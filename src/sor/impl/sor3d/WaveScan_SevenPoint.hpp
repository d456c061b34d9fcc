// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_SEVENPOINT_HPP
#define WAVESCAN_IMPL_SOR3D_SEVENPOINT_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <impl/sor/WaveScan_Stencil.hpp>
#include <impl/sor3d/WaveScan_Box.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief The values at the points of the seven-point stencil.

namespace wavescan::Impl::sor3d {

using sor::StencilPoint;
using sor::StencilPoints;

/// @brief The values at the stencil's points.
template <class V>
struct SevenPointValues {
  V center, left, up, front, right, down, back;
};

/// @brief Those of a box, at and around a point.
template <class T, StencilPoint... Each>
KOKKOS_FORCEINLINE_FUNCTION SevenPointValues<T> values_around(const Box<const T>& x, Index k,
                                                              Index i, Index j,
                                                              StencilPoints<Each...>) {
  return {x(k, i, j), x(k + sor::plane_offset<Each>, i + sor::row_offset<Each>,
                        j + sor::column_offset<Each>)...};
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION SevenPointValues<T> values_around(const Box<const T>& x, Index k,
                                                              Index i, Index j) {
  return values_around(x, k, i, j, sor::NeighboursOf<SORCoefficients3D<T>>());
}

/// @brief The step with planes and columns exchanged.
template <class C>
SORCoefficients3D<C> exchanged(const SORCoefficients3D<C>& c) {
  return sor::moved<sor::exchanged>(c);
}

/// @brief The update of a point: see sor::relaxed.
/// @param b without a right-hand side -0, which changes nothing, and then `rhs` is positive
template <bool Exchanged, bool Cuts, class T>
KOKKOS_FORCEINLINE_FUNCTION T relaxed(const SORCoefficients3D<T>& c, const SevenPointValues<T>& x,
                                      T b) {
  return sor::relaxed<Exchanged, Cuts>(c, x, sor::own_terms(c, x.center, b, true));
}

}  // namespace wavescan::Impl::sor3d

#endif
