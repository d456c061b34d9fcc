// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SUM_HPP
#define WAVESCAN_IMPL_SOR_SUM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#include <impl/WaveScan_SOR_Strips.hpp>

#include <cmath>
#include <limits>

/// @file
/// @brief Sums over all points that are not fixed, in one kernel.

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

/// @brief Adds up terms(i, j), a point at a time or a strip of a column, for which the sum is
/// fetched once.
template <class Terms>
struct SORSum {
  Terms terms;
  FixedPoints fixed;
  ColumnStrips<16> strips;

  KOKKOS_FUNCTION void operator()(Index i, Index j, ResidualSum& sum) const {
    if (!fixed(i, j)) sum.add(terms(i, j));
  }

  KOKKOS_FUNCTION void operator()(Index k, ResidualSum& sum) const {
    const ColumnStrip strip = strips(k);
    ResidualSum own;
    // Without a mask nothing is in the way of loads ahead.
    if (fixed.word == FixedPoints::Word::None)
      for (Index i = strip.begin; i < strip.end; ++i) own.add(terms(i, strip.column));
    else
      for (Index i = strip.begin; i < strip.end; ++i) (*this)(i, strip.column, own);
    sum.add(own);
  }
};

/// @brief The sum of terms(i, j) over the points that are not fixed; waits for it.
template <ExecutionSpace Exec, class X, class C, class Terms>
ResidualSum sum_of_unknowns(const Exec& exec, const char* label, const SORProblem<X, C>& problem,
                            const Terms& terms) {
  ResidualSum sum;
  if (problem.empty()) return sum;
  const SORSum<Terms> add{
      terms, problem.fixed, {1, problem.interior_rows(), problem.interior_columns()}};
  if constexpr (runs_on_host<Exec>)
    Kokkos::parallel_reduce(
        label, rectangle_policy(exec, 1, problem.interior_rows(), problem.interior_columns()), add,
        ResidualReducer(sum));
  else
    Kokkos::parallel_reduce(label, strips_policy(exec, add.strips), add, ResidualReducer(sum));
  return sum;
}

}  // namespace wavescan::Impl

#endif
