// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SORCOEFFICIENTS_HPP
#define WAVESCAN_SORCOEFFICIENTS_HPP

#include <Kokkos_Macros.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_Stencil.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

/// @file
/// @brief The coefficients of successive over-relaxation (SOR), and the relaxation factor.

namespace wavescan {

/// @brief The constant coefficients of one relaxation step,
///
///     x = center*x + left*x_left + up*x_up + right*x_right + down*x_down + rhs*b
///
/// in which a forward sweep finds the left and upper neighbour updated already. The step relaxes
/// the linear system A x = b with
///
///     A x = ((1-center)*x - left*x_left - up*x_up - right*x_right - down*x_down) / rhs
template <class T>
struct SORCoefficients {
  T center;
  T left;
  T up;
  T right;
  T down;
  T rhs;
};

namespace Impl::sor {

template <class E>
struct StencilOf<SORCoefficients<E>> {
  using before = StencilPoints<StencilPoint::Left, StencilPoint::Up>;
  template <class F>
  using with = SORCoefficients<F>;
  KOKKOS_FUNCTION static constexpr StencilPoint transpose(StencilPoint point) {
    return transposed(point);
  }
};

}  // namespace Impl::sor

/// @brief The coefficients by which every point becomes the mean of itself and its four neighbours:
/// all are 1/5.
///
/// Up to rounding this is poisson(0.8, 1). Source: Hou et al., IPDPS 2018, section IV.
template <class T>
SORCoefficients<T> mean_of_five() {
  const T fifth = static_cast<T>(0.2);
  return {fifth, fifth, fifth, fifth, fifth, fifth};
}

/// @brief SOR for Poisson's equation -Laplace(u) = f with five points on a square mesh:
///
///     x = (1-omega)*x + omega/4 * (x_left + x_up + x_right + x_down + h*h*b)
///
/// `center` is computed from the rounded omega/4, so that constants stay constant in T's arithmetic
/// too (exactly for omega >= 0.5).
///
/// @param omega relaxation factor in (0, 2); 1 is Gauss-Seidel, see optimal_omega
/// @param h     mesh width, > 0, in the units in which f is per square of length
/// @throws std::invalid_argument if omega lies outside (0, 2) or h is not positive and finite
template <class T>
SORCoefficients<T> poisson(double omega, double h) {
  Impl::require(omega > 0 && omega < 2, "poisson", "omega", "must lie in (0, 2)", omega);
  Impl::require(h > 0 && std::isfinite(h), "poisson", "h", "must be positive and finite", h);
  const T quarter = static_cast<T>(omega / 4);
  return {
      T(1) - T(4) * quarter, quarter, quarter, quarter, quarter, static_cast<T>(omega / 4 * h * h)};
}

namespace Impl {

/// @brief 1 - cos(pi/(k+1)), without cancellation for large k.
inline double gap_of_line(std::int64_t k) {
  const double sine = std::sin(std::numbers::pi / (2 * (static_cast<double>(k) + 1)));
  return 2 * sine * sine;
}
/// @brief 2 / (1 + sqrt(1 - rho^2)) for the gap 1 - rho.
inline double omega_of_gap(double gap) { return 2 / (1 + std::sqrt(gap * (2 - gap))); }

}  // namespace Impl

/// @brief The relaxation factor with which `poisson` converges fastest on m x n unknowns,
///
///     omega = 2 / (1 + sqrt(1 - rho^2)),  rho = (cos(pi/(m+1)) + cos(pi/(n+1))) / 2
///
/// with rho the spectral radius of Jacobi's method; each sweep then reduces the error by about
/// omega - 1. Source: D. M. Young, "Iterative Solution of Large Linear Systems", 1971, chapter 6.
///
/// @param m rows of unknowns (without the halo), >= 1
/// @param n columns of unknowns, >= 1
/// @throws std::invalid_argument if m or n is less than 1
inline double optimal_omega(std::int64_t m, std::int64_t n) {
  Impl::require(m >= 1, "optimal_omega", "m", "must be at least 1", m);
  Impl::require(n >= 1, "optimal_omega", "n", "must be at least 1", n);
  return Impl::omega_of_gap((Impl::gap_of_line(m) + Impl::gap_of_line(n)) / 2);
}

/// @brief The step seen from the other end of all dimensions.
template <Impl::sor::StencilCoefficients C>
C reversed(const C& c) {
  return Impl::sor::moved<Impl::sor::opposite>(c);
}

/// @brief The step with rows and columns swapped.
template <Impl::sor::StencilCoefficients C>
KOKKOS_FUNCTION C transposed(const C& c) {
  return Impl::sor::moved<Impl::sor::transposed>(c);
}

namespace Impl {

template <sor::StencilCoefficients C>
void require_finite(std::string_view operation, const C& c) {
  sor::for_each_coefficient(c, [&](const char* name, auto value) {
    require(std::isfinite(value), operation, name, "must be finite", value);
  });
}

}  // namespace Impl
}  // namespace wavescan

#endif
