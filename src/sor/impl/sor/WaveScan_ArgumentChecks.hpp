// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_ARGUMENTCHECKS_HPP
#define WAVESCAN_IMPL_SOR_ARGUMENTCHECKS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>

#include <cmath>
#include <concepts>
#include <string_view>

/// @file
/// @brief The checks that arrays of two dimensions and three have in common. `x_name` is how the
/// user knows x.

namespace wavescan::Impl::sor {

/// @brief Says of what types inputs must be; whether they are.
template <ExecutionSpace Exec, class X, class Rhs>
constexpr bool rhs_fits() {
  constexpr bool rank = ViewOfRank<Rhs, X::rank()>;
  constexpr bool type =
      std::same_as<typename Rhs::non_const_value_type, typename X::non_const_value_type>;
  static_assert(rank, "WaveScan: 'rhs' must have the rank of 'x'");
  static_assert(type, "WaveScan: 'rhs' must have the value type of 'x'");
  static_assert(AccessibleFrom<Rhs, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'rhs'");
  return rank && type;
}
template <ExecutionSpace Exec, class X, class Mask>
constexpr bool mask_fits() {
  constexpr bool rank = ViewOfRank<Mask, X::rank()>;
  constexpr bool type = std::integral<typename Mask::non_const_value_type>;
  static_assert(rank, "WaveScan: 'mask' must have the rank of 'x'");
  static_assert(type, "WaveScan: 'mask' must hold bool or an integral type");
  static_assert(AccessibleFrom<Mask, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'mask'");
  return rank && type;
}
template <ExecutionSpace Exec, class X, class Rhs, class Mask>
constexpr bool inputs_fit() {
  bool fit = true;
  if constexpr (!std::same_as<Rhs, NoInput>) fit = rhs_fits<Exec, X, Rhs>();
  if constexpr (!std::same_as<Mask, NoInput>) fit = mask_fits<Exec, X, Mask>() && fit;
  return fit;
}

/// @brief Checks a View that is read besides `x`.
inline void require_input(std::string_view operation, std::string_view name, const Footprint& input,
                          std::string_view x_name, const Footprint& x) {
  require_same_extents(operation, name, input, x_name, x);
  require_disjoint(operation, name, input, x_name, x);
}

/// @brief Checks the array that sweeps start from, which becomes `x`.
template <ExecutionSpace Exec, class X, class From>
void require_start(std::string_view operation, const From& from, const X& x) {
  static_assert(std::same_as<typename From::non_const_value_type, typename X::value_type>,
                "WaveScan: 'from' must have the value type of 'to'");
  static_assert(AccessibleFrom<From, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'from'");
  require_input(operation, "from", from, "to", x);
}

/// @brief Checks a coefficient, a constant or a View.
template <ExecutionSpace Exec, class X, class Coefficient>
void require_coefficient(std::string_view operation, std::string_view name,
                         const Coefficient& given, std::string_view x_name, const X& x) {
  static_assert(AccessibleFrom<typename Coefficient::view_type, Exec>,
                "WaveScan: the execution space cannot reach the memory of the coefficients");
  if (given.varies()) {
    require_input(operation, name, given.values(), x_name, x);
  } else {
    require(std::isfinite(given.constant()), operation, name, "must be finite", given.constant());
  }
}

/// @brief Checks that there is a linear system to solve: its diagonal is (1 - center) / rhs.
template <class T>
void require_diagonal_of(T center, std::string_view operation = "sor_solve") {
  require(center != T(1), operation, "coefficients.center",
          "must not be 1, which means a matrix with zeros on its diagonal", center);
}

inline void require_valid(const SolveControl& control) {
  const auto check = [](bool holds, const char* argument, const char* expectation, auto actual) {
    require(holds, "sor_solve", argument, expectation, actual);
  };
  check(control.tolerance >= 0, "tolerance", "must not be negative", control.tolerance);
  check(control.relative_tolerance >= 0, "relative_tolerance", "must not be negative",
        control.relative_tolerance);
  check(control.max_sweeps >= 0, "max_sweeps", "must not be negative", control.max_sweeps);
  check(control.check_every > 0, "check_every", "must be positive", control.check_every);
  check(control.divergence_factor >= 1, "divergence_factor", "must be at least 1",
        control.divergence_factor);
}

}  // namespace wavescan::Impl::sor

#endif
