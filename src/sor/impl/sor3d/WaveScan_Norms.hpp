// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_NORMS_HPP
#define WAVESCAN_IMPL_SOR3D_NORMS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor3d/WaveScan_Points.hpp>
#include <impl/sor3d/WaveScan_Problem.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

/// @file
/// @brief Norms over all points that are not fixed, each in one kernel: of the residual b - A x,
/// and of how far a pass has moved the unknowns.

namespace wavescan::Impl::sor3d {

template <class Terms, class Fixed, class Strips>
struct SumOfUnknowns {
  Terms terms;
  Fixed fixed;
  Strips strips;
  double scale;
  KOKKOS_FUNCTION void operator()(Index item, sor::ResidualSum& sum) const {
    sor::ResidualSum own;
    strips.for_each(item, [&](Index k, Index i, Index j) {
      if (!fixed(k, i, j)) own.add(scale * terms(k, i, j));
    });
    sum.add(own);
  }
};

/// @brief The norm of terms(k, i, j) over the points that are not fixed; waits for it. NaN if a
/// term is not finite.
template <ExecutionSpace Exec, class P, class Terms>
double norm_of_unknowns(const Exec& exec, const P& p, const Terms& terms, ResidualNorm norm) {
  using S = Strips<runs_on_host<Exec>>;
  const S strips{1, p.interior_planes(), p.interior_rows(), p.interior_columns()};
  return sor::scaled_norm(norm, [&](double scale) {
    sor::ResidualSum sum;
    if (strips.count() > 0)
      Kokkos::parallel_reduce(
          "WaveScan::sor3d::norm", strips_policy(exec, strips),
          SumOfUnknowns<Terms, decltype(P::fixed), S>{terms, p.fixed, strips, scale},
          sor::ResidualReducer(sum));
    return sum;
  });
}

/// @brief Residuals. The equation of a point is made once where it is the same everywhere.
template <class T, class Coefficients>
class ResidualTerms {
 public:
  Box<const T> x;
  Field<T> rhs;
  Coefficients coefficients;
  SORCoefficients3D<double> equation{};

  KOKKOS_FUNCTION double operator()(Index k, Index i, Index j) const {
    const auto values = values_around(x, k, i, j);
    const double b = static_cast<double>(rhs(k, i, j));
    if constexpr (std::same_as<Coefficients, CoefficientFields<T>>)
      return residual(sor::equation_of(coefficients_at(coefficients, k, i, j)), values, b);
    else
      return residual(equation, values, b);
  }

 private:
  KOKKOS_FUNCTION static double residual(const SORCoefficients3D<double>& c,
                                         const SevenPointValues<T>& x, double b) {
    return sor::residual_of(c, c.rhs * b, x);
  }
};

/// @brief The norm of the residual; waits for it.
template <ExecutionSpace Exec, class P>
double residual_norm(const Exec& exec, const P& problem, ResidualNorm norm) {
  using T = typename P::value_type;
  const auto given = read_only(problem);
  const auto p = has_closer_planes(given.x) ? exchanged(given) : given;
  ResidualTerms<T, decltype(P::coefficients)> terms{p.x, {p.rhs, T(0)}, p.coefficients};
  if constexpr (!P::varies) terms.equation = sor::equation_of(p.coefficients);
  return norm_of_unknowns(exec, p, terms, norm);
}

/// @brief Differences of x and what it was before, in double.
template <class T>
struct UpdateTerms {
  Box<const T> x;
  Box<const T> before;
  KOKKOS_FUNCTION double operator()(Index k, Index i, Index j) const {
    return static_cast<double>(x(k, i, j)) - static_cast<double>(before(k, i, j));
  }
};

/// @brief The norm of x - before; waits for it.
template <ExecutionSpace Exec, class P, class T = typename P::value_type>
double update_norm(const Exec& exec, const P& problem, const Box<const T>& before,
                   ResidualNorm norm) {
  const bool exchanges = has_closer_planes(problem.x);
  const auto p = exchanges ? exchanged(problem) : problem;
  const UpdateTerms<T> terms{read_only(p.x), exchanges ? exchanged(before) : before};
  return norm_of_unknowns(exec, p, terms, norm);
}

}  // namespace wavescan::Impl::sor3d

#endif
