// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_RESIDUAL_HPP
#define WAVESCAN_IMPL_SOR_RESIDUAL_HPP

#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#include <impl/WaveScan_SOR_Sum.hpp>

#include <type_traits>

/// @file
/// @brief The residual b - A x of all points that are not fixed, in one kernel.

namespace wavescan::Impl {

/// @brief The equation of a point, over rhs: with (1 - center) / rhs in the place of center and 1
/// in that of rhs. Where rhs is zero the equation without a right-hand side, as it is.
template <class T>
KOKKOS_FUNCTION SORCoefficients<double> equation_of(const SORCoefficients<T>& c) {
  const double scale = c.rhs == T(0) ? 1 : 1 / static_cast<double>(c.rhs);
  return {(1 - static_cast<double>(c.center)) * scale, static_cast<double>(c.left) * scale,
          static_cast<double>(c.up) * scale,           static_cast<double>(c.right) * scale,
          static_cast<double>(c.down) * scale,         c.rhs == T(0) ? 0.0 : 1.0};
}

/// @brief The equations of all points where they are the same.
template <class T>
struct ConstantEquations {
  SORCoefficients<double> equation;
  explicit ConstantEquations(const SORCoefficients<T>& c) : equation(equation_of(c)) {}
  KOKKOS_FORCEINLINE_FUNCTION const SORCoefficients<double>& operator()(Index, Index) const {
    return equation;
  }
};

/// @brief The equations of points where they differ.
template <class T>
struct VariableEquations {
  CoefficientFields<T> coefficients;
  explicit VariableEquations(const CoefficientFields<T>& c) : coefficients(c) {}
  KOKKOS_FORCEINLINE_FUNCTION SORCoefficients<double> operator()(Index i, Index j) const {
    return equation_of(coefficients_at(coefficients, i, j));
  }
};

template <class T>
ConstantEquations<T> make_equations(const SORCoefficients<T>& c) {
  return ConstantEquations<T>(c);
}
template <class T>
VariableEquations<T> make_equations(const CoefficientFields<T>& c) {
  return VariableEquations<T>(c);
}

/// @brief The residual of a point, whose right-hand side has been multiplied by its coefficient.
KOKKOS_FORCEINLINE_FUNCTION double residual_of(const SORCoefficients<double>& c, double r,
                                               double center, double left, double up, double right,
                                               double down) {
  r += c.left * left + c.right * right;
  r += c.up * up + c.down * down;
  return r - c.center * center;
}

/// @brief Residuals. Differences of nearly equal numbers: always taken in double.
template <class T, class Equations>
struct SORResiduals {
  Grid<const T> x;
  Grid<const T> rhs;
  Equations equations;

  KOKKOS_FUNCTION double operator()(Index i, Index j) const {
    const SORCoefficients<double> c = equations(i, j);
    return residual_of(c, rhs.data ? c.rhs * rhs(i, j) : 0, x(i, j), x(i, j - 1), x(i - 1, j),
                       x(i, j + 1), x(i + 1, j));
  }
};

/// @brief The norm of the residual; waits for it. NaN if the data hold NaN or infinity.
template <ExecutionSpace Exec, class X, class C>
double sor_residual_norm(const Exec& exec, const SORProblem<X, C>& problem, ResidualNorm norm) {
  using T = typename SORProblem<X, C>::value_type;
  const auto p = in_memory_order(read_only(problem));
  const auto equations_of_p = make_equations(p.coefficients);
  const SORResiduals<T, std::remove_const_t<decltype(equations_of_p)>> residuals{p.x, p.rhs,
                                                                                 equations_of_p};
  return sum_of_unknowns(exec, "WaveScan::sor::residual", p, residuals).norm(norm);
}

}  // namespace wavescan::Impl

#endif
