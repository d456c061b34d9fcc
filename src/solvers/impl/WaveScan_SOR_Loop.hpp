// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_LOOP_HPP
#define WAVESCAN_IMPL_SOR_LOOP_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Grid.hpp>
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

/// @brief The loop without fixed points: a constant weight.
template <class T>
struct SORLoop {
  using algebra_type = FusedPlusTimes<T>;

  SORCoefficients<T> coefficients;
  Grid<const T> rhs;

  KOKKOS_FORCEINLINE_FUNCTION T weight() const { return coefficients.left; }

  template <class Old>
  KOKKOS_FORCEINLINE_FUNCTION T partial(Index i, Index j, T up, T, const Old& old) const {
    const SORCoefficients<T>& c = coefficients;
    const T center = old(i, j);
    T s = rhs.data ? fused_multiply_add(c.center, center, c.rhs * rhs(i, j)) : c.center * center;
    s = fused_multiply_add(c.right, T(old(i, j + 1)), s);
    s = fused_multiply_add(c.down, T(old(i + 1, j)), s);
    return fused_multiply_add(c.up, up, s);
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
template <class T>
struct MaskedSORLoop {
  using algebra_type = CuttingPlusTimes<T>;

  SORLoop<T> loop;
  FixedPoints fixed;

  KOKKOS_FORCEINLINE_FUNCTION T weight(Index i, Index j) const {
    return fixed(i, j) ? T(0) : loop.weight();
  }

  template <class Old>
  KOKKOS_FORCEINLINE_FUNCTION T partial(Index i, Index j, T up, T up_left, const Old& old) const {
    return fixed(i, j) ? T(old(i, j)) : loop.partial(i, j, up, up_left, old);
  }
};

}  // namespace wavescan::Impl

#endif
