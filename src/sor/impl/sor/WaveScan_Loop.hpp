// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_LOOP_HPP
#define WAVESCAN_IMPL_SOR_LOOP_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Loop.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/sor/WaveScan_FivePoint.hpp>
#include <impl/sor/WaveScan_Problem.hpp>

/// @file
/// @brief Sweeps of SOR as wavefront loops, with the order of operations of WaveScan_FivePoint.hpp.

namespace wavescan::Impl::sor {

/// @brief (+, ·) with the bits that kernels for late chosen targets have.
template <class T>
struct FusedPlusTimes : PlusTimes<T> {
  KOKKOS_FORCEINLINE_FUNCTION T advance(const T& a, const T& w, const T& b) const {
    return fused_multiply_add(a, w, b);
  }
};

/// @brief What a loop's partial value reads: all but the left neighbour.
template <class T, class Old>
KOKKOS_FORCEINLINE_FUNCTION FivePointValues<T> values_but_left(Index i, Index j, T up,
                                                               const Old& old) {
  return {old(i, j), T(0), up, old(i, j + 1), old(i + 1, j)};
}

/// @brief The old values that a loop asks for at a point, for kernels that have them at hand.
template <class T>
struct OldValues {
  T center, right, down;
  KOKKOS_FORCEINLINE_FUNCTION T operator()(Index i, Index j) const {
    return i > 0 ? down : j > 0 ? right : center;
  }
};

/// @brief The loop without fixed points: a constant weight.
template <class T>
struct ConstantLoop {
  using algebra_type = FusedPlusTimes<T>;
  using Values = Kokkos::Array<T, 1>;
  static constexpr bool exact = true;

  SORCoefficients<T> coefficients;
  Grid<const T> rhs;

  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<LoopInput<T>, 1> inputs() const {
    return {LoopInput<T>{rhs, T(0)}};
  }
  KOKKOS_FORCEINLINE_FUNCTION T weight() const { return coefficients.left; }

  template <class Old>
  KOKKOS_FORCEINLINE_FUNCTION T partial(Index i, Index j, T up, T, const Old& old,
                                        const Values& b) const {
    const SORCoefficients<T>& c = coefficients;
    const auto x = values_but_left(i, j, up, old);
    return partial_value<false>(c, x, own_terms(c, x.center, b[0], rhs.data != nullptr));
  }
};

/// @brief (+, ·) in which the weight zero cuts off what lies to the left, even NaN and infinity.
template <class T>
struct CuttingPlusTimes : FusedPlusTimes<T> {
  KOKKOS_FORCEINLINE_FUNCTION T advance(const T& a, const T& w, const T& b) const {
    return w == T(0) ? b : FusedPlusTimes<T>::advance(a, w, b);
  }
};

/// @brief The loop with fixed points, whose partial value is the old value and whose weight is
/// zero.
/// @tparam Fixed which points are: FixedPoints or EncodedMask
template <class T, class Fixed = FixedPoints>
struct MaskedLoop {
  using algebra_type = CuttingPlusTimes<T>;
  using Values = typename ConstantLoop<T>::Values;
  static constexpr bool exact = true;

  ConstantLoop<T> loop;
  Fixed fixed;

  KOKKOS_FORCEINLINE_FUNCTION auto inputs() const { return loop.inputs(); }
  KOKKOS_FORCEINLINE_FUNCTION T weight(Index i, Index j, const Values& b) const {
    return fixed(i, j, b[0]) ? T(0) : loop.weight();
  }

  template <class Old>
  KOKKOS_FORCEINLINE_FUNCTION T partial(Index i, Index j, T up, T up_left, const Old& old,
                                        const Values& b) const {
    const T relaxed = loop.partial(i, j, up, up_left, old, b);
    return fixed(i, j, b[0]) ? T(old(i, j)) : relaxed;
  }
};

/// @brief A sweep of SOR with coefficients of each point's own, with or without fixed points. The
/// operations and their order are those of ConstantLoop.
/// @tparam Fixed which points are: FixedPoints or EncodedMask
template <class T, class Fixed = FixedPoints>
struct VariableLoop {
  using algebra_type = CuttingPlusTimes<T>;
  /// What the coefficients and the right-hand side are at a point, in their order.
  using Values = Kokkos::Array<T, 7>;
  static constexpr bool exact = true;

  CoefficientFields<T> c;
  Grid<const T> rhs;
  Fixed fixed;

  /// Without a right-hand side it is 1 times -0, which changes nothing.
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<LoopInput<T>, 7> inputs() const {
    const LoopInput<T> one{{}, T(1)};
    return {c.center,
            c.left,
            c.up,
            c.right,
            c.down,
            rhs.data ? c.rhs : one,
            LoopInput<T>{rhs, T(-0.0)}};
  }

  KOKKOS_FORCEINLINE_FUNCTION T weight(Index i, Index j, const Values& here) const {
    return fixed(i, j, here[6]) ? T(0) : here[1];
  }

  template <class Old>
  KOKKOS_FORCEINLINE_FUNCTION T partial(Index i, Index j, T up, T, const Old& old,
                                        const Values& here) const {
    const auto x = values_but_left(i, j, up, old);
    const auto at_point = coefficients_in(here);
    const T partial =
        partial_value<false>(at_point, x, own_terms(at_point, x.center, here[6], true));
    return fixed(i, j, here[6]) ? x.center : partial;
  }
};

/// @brief The loop of a problem.
template <class T>
ConstantLoop<T> loop_of(const Problem<T>& p) {
  return {p.coefficients, p.rhs};
}
template <class T, class Fixed>
MaskedLoop<T, Fixed> loop_of(const MaskedProblem<T, Fixed>& p) {
  return {{p.coefficients, p.rhs}, p.fixed};
}
template <class T, class Fixed>
VariableLoop<T, Fixed> loop_of(const VariableProblem<T, Fixed>& p) {
  return {p.coefficients, p.rhs, p.fixed};
}

/// @brief The loop of a problem with a mask, for kernels that visit the unknowns only.
template <class T>
MaskedLoop<T, NoFixedPoints> loop_of_unknowns(const MaskedProblem<T>& p) {
  return {{p.coefficients, p.rhs}, {}};
}
template <class T>
VariableLoop<T, NoFixedPoints> loop_of_unknowns(const VariableProblem<T>& p) {
  return {p.coefficients, p.rhs, {}};
}

}  // namespace wavescan::Impl::sor

#endif
