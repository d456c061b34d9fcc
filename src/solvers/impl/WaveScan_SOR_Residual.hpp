// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_RESIDUAL_HPP
#define WAVESCAN_IMPL_SOR_RESIDUAL_HPP

#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>

#include <cmath>
#include <limits>

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

/// @brief Adds up residuals. Differences of nearly equal numbers: always taken in double.
template <class T>
struct SORResiduals {
  SORProblem<const T> problem;
  SORCoefficients<double> c;  ///< over rhs, and with 1 - center in the place of center

  explicit SORResiduals(const SORProblem<const T>& p) : problem(p) {
    const SORCoefficients<T>& given = p.coefficients;
    const double scale = given.rhs == T(0) ? 1 : 1 / static_cast<double>(given.rhs);
    c = {(1 - static_cast<double>(given.center)) * scale, static_cast<double>(given.left) * scale,
         static_cast<double>(given.up) * scale,           static_cast<double>(given.right) * scale,
         static_cast<double>(given.down) * scale,         given.rhs == T(0) ? 0.0 : 1.0};
  }

  KOKKOS_FUNCTION void operator()(Index i, Index j, ResidualSum& sum) const {
    if (problem.fixed(i, j)) return;
    double r = problem.rhs.data ? c.rhs * problem.rhs(i, j) : 0;
    r += c.left * problem.x(i, j - 1) + c.right * problem.x(i, j + 1);
    r += c.up * problem.x(i - 1, j) + c.down * problem.x(i + 1, j);
    sum.add(r - c.center * problem.x(i, j));
  }
};

/// @brief The norm of the residual; waits for it. NaN if the data hold NaN or infinity.
template <ExecutionSpace Exec, class X>
double sor_residual_norm(const Exec& exec, const SORProblem<X>& problem, ResidualNorm norm) {
  using T = typename SORProblem<X>::value_type;
  if (problem.interior_rows() == 0 || problem.interior_columns() == 0) return 0;
  const auto p = in_memory_order(read_only(problem));
  ResidualSum sum;
  Kokkos::parallel_reduce("WaveScan::sor::residual", interior_policy(exec, p), SORResiduals<T>(p),
                          ResidualReducer(sum));
  return sum.norm(norm);
}

}  // namespace wavescan::Impl

#endif
