// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_ARGUMENTS_HPP
#define WAVESCAN_IMPL_SOR_ARGUMENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SORVariableCoefficients.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_ArgumentChecks.hpp>
#include <impl/sor/WaveScan_Problem.hpp>

#include <concepts>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief The checks of what users give, and its way into kernels.

namespace wavescan::Impl::sor {

/// @brief Elements that are to be written have addresses of their own. Two share one where the
/// strides' least common multiple is reached in both dimensions.
template <class X>
void require_distinct_elements(std::string_view operation, std::string_view argument, const X& x) {
  const Grid<typename X::value_type> g = grid_of(x);
  if (g.rows < 2 && g.columns < 2) return;
  const Index divisor = std::gcd(g.row_stride, g.column_stride);
  if (divisor > 0 && (g.column_stride / divisor >= g.rows || g.row_stride / divisor >= g.columns))
    return;
  reject(operation, argument, "must have no elements that overlap",
         "strides " + std::to_string(g.row_stride) + " and " + std::to_string(g.column_stride));
}

/// @brief What kernels get for the coefficients: the constants themselves, ...
template <ExecutionSpace Exec, class X, class C>
C checked_coefficients(std::string_view operation, std::string_view, const X&,
                       const C& coefficients) {
  require_finite(operation, coefficients);
  return coefficients;
}

/// @brief ... or a field for each.
template <ExecutionSpace Exec, class X,
          VariableStencilCoefficients<typename X::non_const_value_type, 2> C>
auto checked_coefficients(std::string_view operation, std::string_view x_name, const X& x,
                          const C& c) {
  using T = typename X::non_const_value_type;
  return map_named_coefficients(c, [&](const char* name, const auto& given) -> CoefficientField<T> {
    require_coefficient<Exec>(operation, name, given, x_name, x);
    if (given.varies()) return {grid_of(given.values()), T(0)};
    return {{}, given.constant()};
  });
}

/// @brief Checks the arguments of all SOR operations and gathers them. An input that is not
/// allocated is none.
/// @param x_name how the user knows x
template <ExecutionSpace Exec, class X, class C, class Rhs, class Mask>
auto make_problem(std::string_view operation, std::string_view x_name, const X& x,
                  const C& coefficients, const SORInputs<Rhs, Mask>& inputs) {
  using T = typename X::non_const_value_type;
  constexpr bool has_coefficients = CoefficientsOfSOR<C, T>;
  constexpr bool have_inputs = inputs_fit<Exec, X, Rhs, Mask>();
  static_assert(has_coefficients,
                "WaveScan: the coefficients must be SORCoefficients, NinePointCoefficients or "
                "variable ones, of the type of x's elements: for a View of float, "
                "poisson<float>(omega, h)");
  static_assert(AccessibleFrom<X, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'x'");
  if constexpr (!has_coefficients || !have_inputs) {  // enough has been said
    return Problem<typename X::value_type>{};
  } else {
    require_distinct_elements(operation, x_name, x);
    const auto checked = checked_coefficients<Exec>(operation, x_name, x, coefficients);
    using Checked = std::remove_const_t<decltype(checked)>;
    using Fixed = std::conditional_t<std::same_as<Mask, NoInput> && !FieldsOfStencil<Checked>,
                                     NoFixedPoints, FixedPoints>;
    Problem<typename X::value_type, Checked, Fixed> problem{checked, grid_of(x)};
    if constexpr (AnyView<Rhs>)
      if (inputs.rhs().is_allocated()) {
        require_input(operation, "rhs", inputs.rhs(), x_name, x);
        problem.rhs = grid_of(typename Rhs::const_type(inputs.rhs()));
      }
    if constexpr (AnyView<Mask>)
      if (inputs.mask().is_allocated()) {
        require_input(operation, "mask", inputs.mask(), x_name, x);
        problem.fixed = FixedPoints::of(grid_of(inputs.mask()));
      }
    return problem;
  }
}

/// @brief Checks the array that sweeps start from, which becomes `x`.
template <ExecutionSpace Exec, class From, class X>
Grid<const typename X::value_type> start_of(std::string_view operation, const From& from,
                                            const X& x) {
  require_start<Exec>(operation, from, x);
  return grid_of(typename From::const_type(from));
}

template <StencilCoefficients C>
void require_diagonal(const C& c, std::string_view operation = "sor_solve") {
  if constexpr (!FieldsOfStencil<C>)
    require_diagonal_of(c.center, operation);
  else if (!c.center.values.data)
    require_diagonal_of(c.center.constant, operation);
}

}  // namespace wavescan::Impl::sor

#endif
