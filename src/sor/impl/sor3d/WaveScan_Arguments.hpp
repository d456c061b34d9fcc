// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_ARGUMENTS_HPP
#define WAVESCAN_IMPL_SOR3D_ARGUMENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <WaveScan_SORInputs.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_ArgumentChecks.hpp>
#include <impl/sor3d/WaveScan_Box.hpp>
#include <impl/sor3d/WaveScan_Problem.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// @file
/// @brief The checks of what users give, and its way into kernels.

namespace wavescan::Impl::sor3d {

/// @brief Elements that are to be written have addresses of their own, as far as strides tell: each
/// dimension must step over all of the closer ones.
template <class X>
void require_distinct_elements(std::string_view operation, std::string_view argument, const X& x) {
  const Box<typename X::value_type> b = box_of(x);
  std::array<std::pair<Index, Index>, 3> dimensions{std::pair{b.plane_stride, b.planes},
                                                    std::pair{b.row_stride, b.rows},
                                                    std::pair{b.column_stride, b.columns}};
  std::sort(dimensions.begin(), dimensions.end());
  Index reach = 0;
  for (const auto& [stride, extent] : dimensions) {
    if (extent > 1 && stride <= reach)
      reject(operation, argument,
             "must have no elements that overlap, and dimensions that lie within each other",
             "strides " + std::to_string(b.plane_stride) + ", " + std::to_string(b.row_stride) +
                 " and " + std::to_string(b.column_stride));
    if (extent > 1) reach += (extent - 1) * stride;
  }
}

/// @brief What kernels get for the coefficients: the constants themselves, ...
template <ExecutionSpace Exec, class X, class T>
SORCoefficients3D<T> checked_coefficients(std::string_view operation, std::string_view, const X&,
                                          const SORCoefficients3D<T>& coefficients) {
  require_finite(operation, coefficients);
  return coefficients;
}

/// @brief ... or a field for each.
template <ExecutionSpace Exec, class X, class T, class MemorySpace>
CoefficientFields<T> checked_coefficients(std::string_view operation, std::string_view x_name,
                                          const X& x,
                                          const VariableCoefficients3D<T, MemorySpace>& c) {
  return sor::map_named_coefficients(c, [&](const char* name, const auto& given) -> Field<T> {
    sor::require_coefficient<Exec>(operation, name, given, x_name, x);
    if (given.varies()) return {box_of(given.values()), T(0)};
    return {{}, given.constant()};
  });
}

/// @brief Checks the arguments of all operations and gathers them. An input that is not allocated
/// is none.
/// @param x_name how the user knows x
template <ExecutionSpace Exec, class X, class C, class Rhs, class Mask>
auto make_problem(std::string_view operation, std::string_view x_name, const X& x,
                  const C& coefficients, const SORInputs<Rhs, Mask>& inputs) {
  using T = typename X::non_const_value_type;
  constexpr bool has_coefficients = CoefficientsOfSOR3D<C, T>;
  constexpr bool have_inputs = sor::inputs_fit<Exec, X, Rhs, Mask>();
  static_assert(
      has_coefficients,
      "WaveScan: the coefficients must be SORCoefficients3D or VariableCoefficients3D, of "
      "the type of x's elements: for a View of float, poisson_3d<float>(omega, h)");
  static_assert(AccessibleFrom<X, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'x'");
  if constexpr (!has_coefficients || !have_inputs) {  // enough has been said
    return ConstantProblem<typename X::value_type>{};
  } else {
    require_distinct_elements(operation, x_name, x);
    constexpr bool constant = std::same_as<Mask, NoInput> && std::same_as<C, SORCoefficients3D<T>>;
    using V = typename X::value_type;
    std::conditional_t<constant, ConstantProblem<V>, VariableProblem<V>> problem{};
    const auto checked = checked_coefficients<Exec>(operation, x_name, x, coefficients);
    if constexpr (!constant && std::same_as<C, SORCoefficients3D<T>>)
      problem.coefficients = with_fields(checked);
    else
      problem.coefficients = checked;
    problem.x = box_of(x);
    if constexpr (AnyView<Rhs>)
      if (inputs.rhs().is_allocated()) {
        sor::require_input(operation, "rhs", inputs.rhs(), x_name, x);
        problem.rhs = box_of(typename Rhs::const_type(inputs.rhs()));
      }
    if constexpr (AnyView<Mask>)
      if (inputs.mask().is_allocated()) {
        sor::require_input(operation, "mask", inputs.mask(), x_name, x);
        problem.fixed = FixedPoints::of(box_of(inputs.mask()));
      }
    return problem;
  }
}

/// @brief Checks the array that sweeps start from, which becomes `x`.
template <ExecutionSpace Exec, class From, class X>
Box<const typename X::value_type> start_of(std::string_view operation, const From& from,
                                           const X& x) {
  sor::require_start<Exec>(operation, from, x);
  return box_of(typename From::const_type(from));
}

template <class T>
void require_diagonal(const SORCoefficients3D<T>& c) {
  sor::require_diagonal_of(c.center);
}
template <class T>
void require_diagonal(const CoefficientFields<T>& c) {
  if (!c.center.values.data) sor::require_diagonal_of(c.center.constant);
}

}  // namespace wavescan::Impl::sor3d

#endif
