// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SORARGUMENTS_HPP
#define WAVESCAN_IMPL_SOR_SORARGUMENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SORVariableCoefficients.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_ArgumentChecks.hpp>
#include <impl/sor/WaveScan_Box.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// @file
/// @brief The checks of arguments, and their conversion for kernels.

namespace wavescan::Impl::sor {

/// @brief Checks that elements to be written have addresses of their own. Two share one where the
/// strides' least common multiple is reached in both dimensions.
template <ViewOfRank<2> X>
void require_distinct_elements(std::string_view operation, std::string_view argument, const X& x) {
  const auto g = array_of(x);
  if (g.rows < 2 && g.columns < 2) return;
  const Index divisor = std::gcd(g.row_stride, g.column_stride);
  if (divisor > 0 && (g.column_stride / divisor >= g.rows || g.row_stride / divisor >= g.columns))
    return;
  reject(operation, argument, "must have no elements that overlap",
         "strides " + std::to_string(g.row_stride) + " and " + std::to_string(g.column_stride));
}
/// @brief Checks the same in three dimensions, as far as strides tell: each dimension must step
/// over all of the closer ones.
template <ViewOfRank<3> X>
void require_distinct_elements(std::string_view operation, std::string_view argument, const X& x) {
  const auto b = array_of(x);
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

/// @brief Checks constant coefficients, which kernels get as they are.
template <ExecutionSpace Exec, class X, class C>
C checked_coefficients(std::string_view operation, std::string_view, const X&,
                       const C& coefficients) {
  require_finite(operation, coefficients);
  return coefficients;
}

/// @brief Checks coefficients that vary, and returns a field for each, for kernels.
template <ExecutionSpace Exec, class X,
          VariableStencilCoefficients<typename X::non_const_value_type, X::rank()> C>
auto checked_coefficients(std::string_view operation, std::string_view x_name, const X& x,
                          const C& c) {
  using Field = FieldOf<typename X::non_const_value_type, X::rank()>;
  return map_named_coefficients(c, [&](const char* name, const auto& given) -> Field {
    require_coefficient<Exec>(operation, name, given, x_name, x);
    if (given.varies()) return {array_of(given.values()), 0};
    return {{}, given.constant()};
  });
}

/// @brief Says of what type coefficients must be; whether they are.
template <class C, class X>
constexpr bool coefficients_fit() {
  using T = typename X::non_const_value_type;
  if constexpr (X::rank() == 2) {
    static_assert(CoefficientsOfSOR<C, T>,
                  "WaveScan: the coefficients must be SORCoefficients, NinePointCoefficients or "
                  "variable ones, of the type of x's elements: for a View of float, "
                  "poisson<float>(omega, h)");
    return CoefficientsOfSOR<C, T>;
  } else {
    static_assert(
        CoefficientsOfSOR3D<C, T>,
        "WaveScan: the coefficients must be SORCoefficients3D or VariableCoefficients3D, of "
        "the type of x's elements: for a View of float, poisson_3d<float>(omega, h)");
    return CoefficientsOfSOR3D<C, T>;
  }
}

/// @brief A problem without inputs, for which all kinds of problems of its rank can be made: in
/// three dimensions kernels know two.
template <class Mask, class X, class C, class Array>
auto without_inputs(const C& c, const Array& x) {
  if constexpr (std::same_as<Mask, NoInput> && !FieldsOfStencil<C>)
    return Problem<X, C>{c, x};
  else if constexpr (rank_of<C> == 3 && !FieldsOfStencil<C>)
    return with_fields(Problem<X, C>{c, x});
  else
    return Problem<X, C, FixedPointsOf<rank_of<C>>>{c, x};
}

/// @brief Checks the arguments of all SOR operations and gathers them. An input that is not
/// allocated is none.
/// @param x_name how the user knows x
template <ExecutionSpace Exec, class X, class C, class Rhs, class Mask>
auto make_problem(std::string_view operation, std::string_view x_name, const X& x,
                  const C& coefficients, const SORInputs<Rhs, Mask>& inputs) {
  using V = typename X::value_type;
  constexpr bool has_coefficients = coefficients_fit<C, X>();
  constexpr bool have_inputs = inputs_fit<Exec, X, Rhs, Mask>();
  static_assert(AccessibleFrom<X, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'x'");
  if constexpr (!has_coefficients || !have_inputs) {  // enough has been said
    return Problem<V, DefaultSORCoefficients<X>>{};
  } else {
    require_distinct_elements(operation, x_name, x);
    auto problem = without_inputs<Mask, V>(
        checked_coefficients<Exec>(operation, x_name, x, coefficients), array_of(x));
    if constexpr (AnyView<Rhs>)
      if (inputs.rhs().is_allocated()) {
        require_input(operation, "rhs", inputs.rhs(), x_name, x);
        problem.rhs = array_of(typename Rhs::const_type(inputs.rhs()));
      }
    if constexpr (AnyView<Mask>)
      if (inputs.mask().is_allocated()) {
        require_input(operation, "mask", inputs.mask(), x_name, x);
        problem.fixed = decltype(problem.fixed)::of(array_of(inputs.mask()));
      }
    return problem;
  }
}

/// @brief Checks the array that sweeps start from, which becomes `x`.
template <ExecutionSpace Exec, class From, class X>
auto start_of(std::string_view operation, const From& from, const X& x) {
  require_start<Exec>(operation, from, x);
  return array_of(typename From::const_type(from));
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
