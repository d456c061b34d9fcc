// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_LOOP_HPP
#define WAVESCAN_IMPL_SOR_LOOP_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Loop.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>

/// @file
/// @brief A sweep of SOR as a wavefront loop.
///
/// Every way to run it keeps this order of operations, `fma` being `fused_multiply_add`:
///
///     s = rhs * b                   (only with a right-hand side)
///     s = fma(center, x, s)         (center * x without one)
///     s = fma(right, x_right, s)
///     s = fma(down, x_down, s)
///     s = fma(up, x_up, s)          (the partial value)
///     x = fma(x_left, left, s)
///
/// What is known first comes first: between an updated neighbour and the point stand two operations
/// at most.

namespace wavescan::Impl {

/// @brief (+, ·) with the bits that kernels for late chosen targets have.
template <class T>
struct FusedPlusTimes : PlusTimes<T> {
  KOKKOS_FORCEINLINE_FUNCTION T advance(const T& a, const T& w, const T& b) const {
    return fused_multiply_add(a, w, b);
  }
};

/// @brief The partial value, given what the point itself and the right-hand side come to.
template <class T, class Old>
KOKKOS_FORCEINLINE_FUNCTION T sor_partial(const SORCoefficients<T>& c, T s, Index i, Index j, T up,
                                          const Old& old) {
  s = fused_multiply_add(c.right, T(old(i, j + 1)), s);
  s = fused_multiply_add(c.down, T(old(i + 1, j)), s);
  return fused_multiply_add(c.up, up, s);
}

/// @brief The loop without fixed points: a constant weight.
template <class T>
struct SORLoop {
  using algebra_type = FusedPlusTimes<T>;
  using Values = Kokkos::Array<T, 1>;

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
    const T center = old(i, j);
    const T s = rhs.data ? fused_multiply_add(c.center, center, c.rhs * b[0]) : c.center * center;
    return sor_partial(c, s, i, j, up, old);
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
/// @tparam Fixed which points are: FixedPoints or MarkedPoints
template <class T, class Fixed = FixedPoints>
struct MaskedSORLoop {
  using algebra_type = CuttingPlusTimes<T>;
  using Values = typename SORLoop<T>::Values;

  SORLoop<T> loop;
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

}  // namespace wavescan::Impl

#endif
