// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_BOXPROBLEM_HPP
#define WAVESCAN_IMPL_SOR3D_BOXPROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <impl/sor/WaveScan_Box.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_StencilValues.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

/// @file
/// @brief The types of problems that kernels in three dimensions know.

namespace wavescan::Impl::sor3d {

using sor::Box;
using sor::SevenPointValues;
template <class T>
using Field = sor::BoxField<T>;
using FixedPoints = sor::FixedPointsOf<3>;

/// @name The two kinds of problems
/// One for the same coefficients everywhere, without a mask, and one for everything.
/// @{
template <class X>
using ConstantProblem = sor::Problem<X, SORCoefficients3D<std::remove_const_t<X>>>;
template <class X>
using VariableProblem =
    sor::Problem<X, SORCoefficients3D<Field<std::remove_const_t<X>>>, FixedPoints>;
/// @}

/// @brief The update of a point: see sor::relaxed.
/// @param b without a right-hand side -0, which changes nothing, and then `rhs` is positive
template <bool Transposed, bool Cuts, class T>
KOKKOS_FORCEINLINE_FUNCTION T relaxed(const SORCoefficients3D<T>& c, const SevenPointValues<T>& x,
                                      T b) {
  return sor::relaxed<Transposed, Cuts>(c, x, sor::own_terms(c, x.center, b, true));
}

}  // namespace wavescan::Impl::sor3d

#endif
