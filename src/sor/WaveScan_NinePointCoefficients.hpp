// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_NINEPOINTCOEFFICIENTS_HPP
#define WAVESCAN_NINEPOINTCOEFFICIENTS_HPP

#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_Stencil.hpp>

#include <cmath>
#include <string>

/// @file
/// @brief Coefficients of successive over-relaxation (SOR) with nine points, and the equations that
/// have them.

namespace wavescan {

/// @brief The constant coefficients of one relaxation step with all eight neighbours,
///
///     x = center*x + left*x_left + up_right*x_up_right + up*x_up + up_left*x_up_left
///                  + right*x_right + down_left*x_down_left + down*x_down
///                  + down_right*x_down_right + rhs*b
///
/// in which a forward sweep finds the left neighbour and the three upper ones updated already. The
/// step relaxes A x = b, with A as for SORCoefficients.
template <class T>
struct NinePointCoefficients {
  T center;
  T left;
  T up_right;
  T up;
  T up_left;
  T right;
  T down_left;
  T down;
  T down_right;
  T rhs;
};

namespace Impl::sor {

template <class E>
struct StencilOf<NinePointCoefficients<E>> {
  using before = StencilPoints<StencilPoint::Left, StencilPoint::UpRight, StencilPoint::Up,
                               StencilPoint::UpLeft>;
  template <class F>
  using with = NinePointCoefficients<F>;
  KOKKOS_FUNCTION static constexpr StencilPoint transpose(StencilPoint point) {
    return transposed(point);
  }
};

}  // namespace Impl::sor

/// @brief SOR for Poisson's equation -Laplace(u) = f with the compact stencil of nine points (the
/// "Mehrstellenverfahren") on a square mesh:
///
///     x = (1-omega)*x + omega/20 * (4*(x_left + x_up + x_right + x_down)
///         + x_up_left + x_up_right + x_down_left + x_down_right + 6*h*h*b)
///
/// With b = f + h*h/12 * Laplace(f) the error is O(h^4), where five points have O(h^2). Source: L.
/// Collatz, "The Numerical Treatment of Differential Equations", 1960, chapter V.
///
/// @param omega relaxation factor in (0, 2); 1 is Gauss-Seidel
/// @param h     mesh width, > 0
/// @throws std::invalid_argument if omega lies outside (0, 2) or h is not positive and finite
template <class T>
NinePointCoefficients<T> compact_poisson(double omega, double h) {
  Impl::require(omega > 0 && omega < 2, "compact_poisson", "omega", "must lie in (0, 2)", omega);
  Impl::require(h > 0 && std::isfinite(h), "compact_poisson", "h", "must be positive and finite",
                h);
  const T side = static_cast<T>(omega / 5), corner = static_cast<T>(omega / 20);
  return {
      T(1) - T(4) * side - T(4) * corner, side, corner, side, corner, side, corner, side, corner,
      static_cast<T>(omega * 0.3 * h * h)};
}

/// @brief A symmetric matrix of diffusion coefficients; x runs along rows, y down the columns.
struct DiffusionTensor {
  double xx;
  double xy;
  double yy;
};

/// @brief SOR for anisotropic diffusion -(K_xx u_xx + 2 K_xy u_xy + K_yy u_yy) = f on a square
/// mesh, central differences, the mixed derivative from the four corners:
///
///     u_xy = (u_down_right - u_down_left - u_up_right + u_up_left) / (4*h*h)
///
/// @param omega relaxation factor in (0, 2); 1 is Gauss-Seidel
/// @param h     mesh width, > 0
/// @param k     positive definite
/// @throws std::invalid_argument if omega lies outside (0, 2), h is not positive and finite, or k
/// is not positive definite
template <class T>
NinePointCoefficients<T> anisotropic_diffusion(double omega, double h, const DiffusionTensor& k) {
  constexpr auto operation = "anisotropic_diffusion";
  Impl::require(omega > 0 && omega < 2, operation, "omega", "must lie in (0, 2)", omega);
  Impl::require(h > 0 && std::isfinite(h), operation, "h", "must be positive and finite", h);
  Impl::require(k.xx > 0 && k.yy > 0 && k.xy * k.xy < k.xx * k.yy && std::isfinite(k.xx + k.yy),
                operation, "k", "must be positive definite", [&] {
                  return "xx = " + Impl::text_of(k.xx) + ", xy = " + Impl::text_of(k.xy) +
                         ", yy = " + Impl::text_of(k.yy);
                });
  const double scale = omega / (2 * (k.xx + k.yy));
  const T across = static_cast<T>(scale * k.xx), down = static_cast<T>(scale * k.yy);
  const T corner = static_cast<T>(scale * k.xy / 2);
  return {T(1) - T(2) * across - T(2) * down,
          across,
          -corner,
          down,
          corner,
          across,
          -corner,
          down,
          corner,
          static_cast<T>(scale * h * h)};
}

}  // namespace wavescan

#endif
