// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SORLOOP_HPP
#define WAVESCAN_IMPL_SOR_SORLOOP_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Loop.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_StencilValues.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>

/// @file
/// @brief Sweeps of SOR as wavefront loops, with the order of operations of WaveScan_Stencil.hpp.

namespace wavescan::Impl::sor {

/// @brief The algebra (+, ·) with the bits that kernels for late chosen targets have.
template <class T>
struct FusedPlusTimes : PlusTimes<T> {
  KOKKOS_FORCEINLINE_FUNCTION T advance(const T& a, const T& w, const T& b) const {
    return fused_multiply_add(a, w, b);
  }
};

/// @brief `partial` of a loop, as wavefronts call it, from what Loop::partial_of makes of the
/// values at all points but the left one, and of the inputs.
template <class Loop, class C>
struct PartialOfStencil;

template <class Loop, class T>
struct PartialOfStencil<Loop, SORCoefficients<T>> {
  template <class Old, class Inputs>
  KOKKOS_FORCEINLINE_FUNCTION T partial(Index i, Index j, T up, T, const Old& old,
                                        const Inputs& here) const {
    const FivePointValues<T> x{old(i, j), T(0), up, old(i, j + 1), old(i + 1, j)};
    return static_cast<const Loop&>(*this).partial_of(i, j, x, here);
  }
};
template <class Loop, class T>
struct PartialOfStencil<Loop, NinePointCoefficients<T>> {
  template <class Old, class Inputs>
  KOKKOS_FORCEINLINE_FUNCTION T partial(Index i, Index j, T up, T up_left, T up_right,
                                        const Old& old, const Inputs& here) const {
    const NinePointValues<T> x{old(i, j),        T(0),          up_right,          up,
                               up_left,          old(i, j + 1), old(i + 1, j - 1), old(i + 1, j),
                               old(i + 1, j + 1)};
    return static_cast<const Loop&>(*this).partial_of(i, j, x, here);
  }
};

/// @brief The loop without fixed points: a constant weight.
/// @tparam C the coefficients
template <class T, class C = SORCoefficients<T>>
struct ConstantLoop : PartialOfStencil<ConstantLoop<T, C>, C> {
  using algebra_type = FusedPlusTimes<T>;
  using Inputs = Kokkos::Array<T, 1>;
  static constexpr bool exact = true;

  C coefficients;
  Grid<const T> rhs;

  ConstantLoop(const C& c, const Grid<const T>& b) : coefficients(c), rhs(b) {}

  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<LoopInput<T>, 1> inputs() const {
    return {LoopInput<T>{rhs, T(0)}};
  }
  KOKKOS_FORCEINLINE_FUNCTION T weight() const { return coefficients.left; }

  KOKKOS_FORCEINLINE_FUNCTION T partial_of(Index, Index, const ValuesOf<C>& x,
                                           const Inputs& b) const {
    const C& c = coefficients;
    return partial_value<false>(c, x, own_terms(c, x.center, b[0], rhs.data != nullptr));
  }
};

/// @brief The algebra (+, ·) in which the weight zero cuts off what lies to the left, even NaN and
/// infinity.
template <class T>
struct CuttingPlusTimes : FusedPlusTimes<T> {
  KOKKOS_FORCEINLINE_FUNCTION T advance(const T& a, const T& w, const T& b) const {
    return w == T(0) ? b : FusedPlusTimes<T>::advance(a, w, b);
  }
};

/// @brief The loop with fixed points, whose partial value is the old value and whose weight is
/// zero.
/// @tparam Fixed which points are: FixedPoints or EncodedMask
template <class T, class Fixed = FixedPoints, class C = SORCoefficients<T>>
struct MaskedLoop : PartialOfStencil<MaskedLoop<T, Fixed, C>, C> {
  using algebra_type = CuttingPlusTimes<T>;
  using Inputs = typename ConstantLoop<T, C>::Inputs;
  static constexpr bool exact = true;

  ConstantLoop<T, C> loop;
  Fixed fixed;

  MaskedLoop(const C& c, const Grid<const T>& b, const Fixed& f) : loop(c, b), fixed(f) {}

  KOKKOS_FORCEINLINE_FUNCTION auto inputs() const { return loop.inputs(); }
  KOKKOS_FORCEINLINE_FUNCTION T weight(Index i, Index j, const Inputs& b) const {
    return fixed(i, j, b[0]) ? T(0) : loop.weight();
  }

  KOKKOS_FORCEINLINE_FUNCTION T partial_of(Index i, Index j, const ValuesOf<C>& x,
                                           const Inputs& b) const {
    const T relaxed = loop.partial_of(i, j, x, b);
    return fixed(i, j, b[0]) ? x.center : relaxed;
  }
};

/// @brief A sweep of SOR with coefficients of each point's own, with or without fixed points. The
/// operations and their order are those of ConstantLoop.
/// @tparam Fixed which points are: FixedPoints or EncodedMask
template <class T, class Fixed = FixedPoints, class C = SORCoefficients<T>>
struct VariableLoop : PartialOfStencil<VariableLoop<T, Fixed, C>, C> {
  using algebra_type = CuttingPlusTimes<T>;
  using Fields = typename StencilOf<C>::template with<CoefficientField<T>>;
  /// The coefficients, and the right-hand side.
  static constexpr int count = sizeof(C) / sizeof(T) + 1;
  /// Their values at a point, in their order.
  using Inputs = Kokkos::Array<T, count>;
  static constexpr bool exact = true;

  Fields c;
  Grid<const T> rhs;
  Fixed fixed;

  VariableLoop(const Fields& fields, const Grid<const T>& given_rhs, const Fixed& f)
      : c(fields), rhs(given_rhs), fixed(f) {}

  /// Without a right-hand side it is 1 times -0, which changes nothing.
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<LoopInput<T>, count> inputs() const {
    return inputs(NeighboursOf<C>());
  }

  KOKKOS_FORCEINLINE_FUNCTION T weight(Index i, Index j, const Inputs& here) const {
    return fixed(i, j, here[count - 1]) ? T(0) : here[1];
  }

  KOKKOS_FORCEINLINE_FUNCTION T partial_of(Index i, Index j, const ValuesOf<C>& x,
                                           const Inputs& here) const {
    const C at_point = coefficients_in<C>(here);
    const T partial =
        partial_value<false>(at_point, x, own_terms(at_point, x.center, here[count - 1], true));
    return fixed(i, j, here[count - 1]) ? x.center : partial;
  }

 private:
  template <StencilPoint... Each>
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<LoopInput<T>, count> inputs(
      StencilPoints<Each...>) const {
    return {c.center, entry<Each>(c)..., rhs.data ? c.rhs : LoopInput<T>{{}, T(1)},
            LoopInput<T>{rhs, T(-0.0)}};
  }
};

/// @brief The loop of a problem.
template <class T, StencilCoefficients C, class Fixed>
auto loop_of(const Problem<T, C, Fixed>& p) {
  if constexpr (FieldsOfStencil<C>)
    return VariableLoop<T, Fixed, typename StencilOf<C>::template with<T>>(p.coefficients, p.rhs,
                                                                           p.fixed);
  else if constexpr (std::same_as<Fixed, NoFixedPoints>)
    return ConstantLoop<T, C>(p.coefficients, p.rhs);
  else
    return MaskedLoop<T, Fixed, C>(p.coefficients, p.rhs, p.fixed);
}

/// @brief A loop on the unknowns of x.
template <class Loop, class T>
WavefrontProblem<Loop> on_unknowns(const Loop& loop, const Grid<T>& x) {
  return {loop, row_recurrence(loop), x, {1, x.rows - 1, 1, x.columns - 1}};
}

/// @brief The loop of a problem with a mask, for kernels that visit the unknowns only.
template <class T>
MaskedLoop<T, NoFixedPoints> loop_of_unknowns(const MaskedProblem<T>& p) {
  return {p.coefficients, p.rhs, {}};
}
template <class T>
VariableLoop<T, NoFixedPoints> loop_of_unknowns(const VariableProblem<T>& p) {
  return {p.coefficients, p.rhs, {}};
}

}  // namespace wavescan::Impl::sor

#endif
