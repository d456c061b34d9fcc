// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SOR3DCOEFFICIENTS_HPP
#define WAVESCAN_SOR3DCOEFFICIENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <WaveScan_SORVariableCoefficients.hpp>
#include <impl/WaveScan_Require.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <numbers>
#include <type_traits>

/// @file
/// @brief The coefficients of successive over-relaxation (SOR) in three dimensions, and the
/// relaxation factor.

namespace wavescan {

/// @brief The coefficients of one relaxation step on a grid of planes, rows and columns,
///
///     x = center*x + left*x_left + up*x_up + front*x_front
///                  + right*x_right + down*x_down + back*x_back + rhs*b
///
/// with the neighbours of the point (k, i, j): left and right at j-1 and j+1, up and down at i-1
/// and i+1, front and back at k-1 and k+1. A forward sweep finds the first three updated already.
/// The step relaxes the linear system A x = b with
///
///     A x = ((1-center)*x - left*x_left - up*x_up - front*x_front
///                         - right*x_right - down*x_down - back*x_back) / rhs
template <class T>
struct SORCoefficients3D {
  T center;
  T left;
  T up;
  T front;
  T right;
  T down;
  T back;
  T rhs;
};

/// @brief Coefficients that differ from point to point: each is a View of rank 3 with the extents
/// of x, of any layout, or a constant, as in VariableCoefficients.
///
///     VariableCoefficients3D<double>{.center = 1 - omega, .left = left, .up = up, ...}
///
/// @tparam T           float or double
/// @tparam MemorySpace that of the Views
template <class T, class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
struct VariableCoefficients3D {
  using coefficient_type = SORCoefficient<T, MemorySpace, 3>;

  coefficient_type center{};
  coefficient_type left{};
  coefficient_type up{};
  coefficient_type front{};
  coefficient_type right{};
  coefficient_type down{};
  coefficient_type back{};
  coefficient_type rhs{};
};

namespace Impl::sor {

template <class E>
struct StencilOf<SORCoefficients3D<E>> {
  using before = StencilPoints<StencilPoint::Left, StencilPoint::Up, StencilPoint::Front>;
  template <class F>
  using with = SORCoefficients3D<F>;
  KOKKOS_FUNCTION static constexpr StencilPoint transpose(StencilPoint point) {
    return transposed_in_box(point);
  }
};
template <class T, class MemorySpace>
struct StencilOf<VariableCoefficients3D<T, MemorySpace>> : StencilOf<SORCoefficients3D<T>> {};

}  // namespace Impl::sor

/// @brief SORCoefficients3D<T> or VariableCoefficients3D<T>, for an array with elements T.
template <class C, class T>
concept CoefficientsOfSOR3D =
    std::same_as<C, SORCoefficients3D<T>> || Impl::sor::VariableStencilCoefficients<C, T, 3>;

namespace Impl {

/// @brief The constant coefficients for a View of rank 2 or 3.
template <AnyView X>
using DefaultSORCoefficients = std::conditional_t<X::rank() == 3, SORCoefficients3D<SORValue<X>>,
                                                  SORCoefficients<SORValue<X>>>;

}  // namespace Impl

/// @brief SOR for Poisson's equation -Laplace(u) = f with seven points on a cubic mesh:
///
///     x = (1-omega)*x
///       + omega/6 * (x_left + x_up + x_front + x_right + x_down + x_back + h*h*b)
///
/// `center` is computed from the rounded omega/6, so that constants stay constant but for one
/// rounding.
///
/// @param omega relaxation factor in (0, 2); 1 is Gauss-Seidel, see optimal_omega
/// @param h     mesh width, > 0, in the units in which f is per square of length
/// @throws std::invalid_argument if omega lies outside (0, 2) or h is not positive and finite
template <class T>
SORCoefficients3D<T> poisson_3d(double omega, double h) {
  Impl::require(omega > 0 && omega < 2, "poisson_3d", "omega", "must lie in (0, 2)", omega);
  Impl::require(h > 0 && std::isfinite(h), "poisson_3d", "h", "must be positive and finite", h);
  const T sixth = static_cast<T>(omega / 6);
  return {T(1) - T(6) * sixth,
          sixth,
          sixth,
          sixth,
          sixth,
          sixth,
          sixth,
          static_cast<T>(omega / 6 * h * h)};
}

/// @brief The relaxation factor with which `poisson_3d` converges fastest on l x m x n unknowns: as
/// in two dimensions, with rho = (cos(pi/(l+1)) + cos(pi/(m+1)) + cos(pi/(n+1))) / 3.
///
/// @param l planes of unknowns (without the halo), >= 1
/// @param m rows of unknowns, >= 1
/// @param n columns of unknowns, >= 1
/// @throws std::invalid_argument if one of them is less than 1
inline double optimal_omega(std::int64_t l, std::int64_t m, std::int64_t n) {
  Impl::require(l >= 1, "optimal_omega", "l", "must be at least 1", l);
  Impl::require(m >= 1, "optimal_omega", "m", "must be at least 1", m);
  Impl::require(n >= 1, "optimal_omega", "n", "must be at least 1", n);
  return Impl::omega_of_gap((Impl::gap_of_line(l) + Impl::gap_of_line(m) + Impl::gap_of_line(n)) /
                            3);
}

}  // namespace wavescan

#endif
