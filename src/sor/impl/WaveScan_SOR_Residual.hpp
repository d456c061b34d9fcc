// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_RESIDUAL_HPP
#define WAVESCAN_IMPL_SOR_RESIDUAL_HPP

#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

/// @file
/// @brief The residual b - A x of all points that are not fixed, in one kernel.

namespace wavescan::Impl {

/// @brief What the residuals of some points add up to.
struct ResidualSum {
  double squares = 0;
  double largest = 0;
  Index points = 0;
  Index non_finite = 0;

  KOKKOS_FUNCTION void add(double r) {
    squares += r * r;
    largest = largest < Kokkos::abs(r) ? Kokkos::abs(r) : largest;
    ++points;
    if (!Kokkos::isfinite(r)) ++non_finite;
  }

  KOKKOS_FUNCTION void add(const ResidualSum& other) {
    squares += other.squares;
    largest = largest < other.largest ? other.largest : largest;
    points += other.points;
    non_finite += other.non_finite;
  }

  /// @brief The norm, NaN if any residual is not finite, zero without points.
  double norm(ResidualNorm which) const {
    if (non_finite > 0) return std::numeric_limits<double>::quiet_NaN();
    if (which == ResidualNorm::Maximum || points == 0) return largest;
    return std::sqrt(squares / static_cast<double>(points));
  }
};

/// @brief Kokkos reducer of ResidualSum.
struct ResidualReducer {
  using reducer = ResidualReducer;
  using value_type = ResidualSum;
  using result_view_type = Kokkos::View<value_type, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

  explicit ResidualReducer(value_type& result) : result_(&result) {}

  KOKKOS_FUNCTION void init(value_type& sum) const { sum = value_type{}; }
  KOKKOS_FUNCTION void join(value_type& sum, const value_type& other) const { sum.add(other); }
  KOKKOS_FUNCTION value_type& reference() const { return *result_; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(result_); }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }

 private:
  value_type* result_;
};

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

/// @brief Adds up residuals. Differences of nearly equal numbers: always taken in double.
template <class T, class Equations>
struct SORResiduals {
  Grid<const T> x;
  Grid<const T> rhs;
  FixedPoints fixed;
  Equations equations;

  KOKKOS_FUNCTION void operator()(Index i, Index j, ResidualSum& sum) const {
    if (fixed(i, j)) return;
    const SORCoefficients<double> c = equations(i, j);
    double r = rhs.data ? c.rhs * rhs(i, j) : 0;
    r += c.left * x(i, j - 1) + c.right * x(i, j + 1);
    r += c.up * x(i - 1, j) + c.down * x(i + 1, j);
    sum.add(r - c.center * x(i, j));
  }
};

/// @brief The norm of the residual; waits for it. NaN if the data hold NaN or infinity.
template <ExecutionSpace Exec, class X, class C>
double sor_residual_norm(const Exec& exec, const SORProblem<X, C>& problem, ResidualNorm norm) {
  using T = typename SORProblem<X, C>::value_type;
  if (problem.empty()) return 0;
  const auto p = in_memory_order(read_only(problem));
  const auto equations_of_p = make_equations(p.coefficients);
  const SORResiduals<T, std::remove_const_t<decltype(equations_of_p)>> residuals{
      p.x, p.rhs, p.fixed, equations_of_p};
  ResidualSum sum;
  Kokkos::parallel_reduce("WaveScan::sor::residual", interior_policy(exec, p), residuals,
                          ResidualReducer(sum));
  return sum.norm(norm);
}

}  // namespace wavescan::Impl

#endif
