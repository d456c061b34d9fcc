// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_NORMS_HPP
#define WAVESCAN_IMPL_SOR_NORMS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_StencilValues.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

/// @file
/// @brief Norms over all points that are not fixed, each in one kernel: of the residual b - A x,
/// and of how far a pass has moved the unknowns.

namespace wavescan::Impl::sor {

/// @brief The residuals, or updates, of some points combined: the sum of their squares, the largest
/// of them, and their numbers.
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

  /// @brief Whether a norm needs squares that are larger or smaller than a double can be.
  bool lacks_squares(ResidualNorm which) const {
    constexpr double smallest = 0x1p-960, most = std::numeric_limits<double>::max();
    return which == ResidualNorm::RootMeanSquare && non_finite == 0 && largest > 0 &&
           !(smallest <= squares && squares <= most);
  }
  /// @brief The power of two that brings the largest residual, not zero, close to one.
  double scale() const {
    constexpr int most = std::numeric_limits<double>::max_exponent - 2;
    return std::ldexp(1.0, std::clamp(-std::ilogb(largest), -most, most));
  }
  /// @brief The norm, NaN if any residual is not finite, zero without points. Where it lacks
  /// squares the largest residual stands for it, which is no smaller.
  double norm(ResidualNorm which) const {
    if (non_finite > 0) return std::numeric_limits<double>::quiet_NaN();
    if (which == ResidualNorm::Maximum || points == 0 || lacks_squares(which)) return largest;
    return std::sqrt(squares / static_cast<double>(points));
  }
};

/// @brief The norm of residuals, of which sum_of(scale) adds up the multiples: once as they are,
/// and once more, close to one, if their squares leave the range of double.
template <class SumOf>
double scaled_norm(ResidualNorm which, const SumOf& sum_of) {
  double scale = 1;
  ResidualSum sum = sum_of(scale);
  if (sum.lacks_squares(which)) {
    scale = sum.scale();
    sum = sum_of(scale);
  }
  return sum.norm(which) / scale;
}

/// @brief Kokkos reducer of ResidualSum.
struct ResidualReducer {
  using reducer = ResidualReducer;
  using value_type = ResidualSum;
  using result_view_type = Kokkos::View<value_type, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

  KOKKOS_FUNCTION explicit ResidualReducer(value_type& result) : result_(&result) {}

  KOKKOS_FUNCTION void init(value_type& sum) const { sum = value_type{}; }
  KOKKOS_FUNCTION void join(value_type& sum, const value_type& other) const { sum.add(other); }
  KOKKOS_FUNCTION value_type& reference() const { return *result_; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(result_); }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }

 private:
  value_type* result_;
};

/// @brief Adds up scale * terms(i, j), or terms(k, i, j), a strip at a time, for which the sum is
/// fetched once.
template <class Terms, int Rank, class Strips>
struct SumOfUnknowns {
  Terms terms;
  FixedPointsOf<Rank> fixed;
  Strips strips;
  double scale;

  KOKKOS_FUNCTION void operator()(Index k, ResidualSum& sum) const {
    ResidualSum own;
    // Without a mask nothing is in the way of loads ahead.
    if (fixed.word == MaskWord::None)
      strips.for_each(k, [&](auto... at) { own.add(scale * terms(at...)); });
    else
      strips.for_each(k, [&](auto... at) {
        if (!fixed(at...)) own.add(scale * terms(at...));
      });
    sum.add(own);
  }
};

/// @brief A kernel of a host that adds up strips, whatever its type: Kokkos' reduction is compiled
/// once for all of them.
struct AnyHostSum {
  const void* kernel;
  void (*add)(const void* kernel, Index strip, ResidualSum& sum);
  void operator()(const Index strip, ResidualSum& sum) const { add(kernel, strip, sum); }
};
template <ExecutionSpace Exec, class Kernel>
WAVESCAN_SELDOM ResidualSum sum_of(const Exec& exec, const char* label, Index strips,
                                   const Kernel& kernel) {
  ResidualSum sum;
  Kokkos::parallel_reduce(label,
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, strips),
                          kernel, ResidualReducer(sum));
  return sum;
}
template <ExecutionSpace Exec, class Kernel>
ResidualSum sum_of_strips(const Exec& exec, const char* label, Index strips, const Kernel& kernel) {
  if (strips == 0) return {};
  if constexpr (runs_on_host<Exec>)
    return sum_of(exec, label, strips,
                  AnyHostSum{&kernel, [](const void* k, Index strip, ResidualSum& to) {
                               (*static_cast<const Kernel*>(k))(strip, to);
                             }});
  else
    return sum_of(exec, label, strips, kernel);
}

/// @brief The norm of terms over the points that are not fixed; waits for it.
template <ExecutionSpace Exec, class P, class Terms>
WAVESCAN_SELDOM double norm_of_unknowns(const Exec& exec, const char* label, const P& problem,
                                        const Terms& terms, ResidualNorm norm) {
  constexpr int height = P::rank == 2 ? 16 : 8;
  const auto strips = strips_of<Exec, height>(problem.x, 1);
  using Sum = SumOfUnknowns<Terms, P::rank, std::remove_const_t<decltype(strips)>>;
  return scaled_norm(norm, [&](double scale) {
    return sum_of_strips(exec, label, strips.count(), Sum{terms, problem.fixed, strips, scale});
  });
}

/// @brief The equations of all points where they are the same.
template <StencilCoefficients C>
struct ConstantEquations {
  using equation_type = typename StencilOf<C>::template with<double>;
  equation_type equation;
  explicit ConstantEquations(const C& c) : equation(equation_of(c)) {}
  template <class... At>
  KOKKOS_FORCEINLINE_FUNCTION const equation_type& operator()(At...) const {
    return equation;
  }
};

/// @brief The equations of points where they differ.
template <FieldsOfStencil C>
struct VariableEquations {
  using equation_type = typename StencilOf<C>::template with<double>;
  C coefficients;
  explicit VariableEquations(const C& c) : coefficients(c) {}
  template <class... At>
  KOKKOS_FORCEINLINE_FUNCTION equation_type operator()(At... at) const {
    return equation_of(coefficients_at(coefficients, at...));
  }
};

template <StencilCoefficients C>
auto make_equations(const C& c) {
  if constexpr (FieldsOfStencil<C>)
    return VariableEquations<C>(c);
  else
    return ConstantEquations<C>(c);
}

/// @brief Residuals. Differences of nearly equal numbers: always taken in double.
template <class T, class Equations>
struct ResidualTerms {
  using equation_type = typename Equations::equation_type;
  using Array = ArrayOf<const T, rank_of<equation_type>>;
  Array x;
  Array rhs;
  Equations equations;

  template <class... At>
  KOKKOS_FUNCTION double operator()(At... at) const {
    const auto& c = equations(at...);
    using Coefficients = typename StencilOf<equation_type>::template with<T>;
    return residual_of(c, rhs.data ? c.rhs * rhs(at...) : 0, values_around<Coefficients>(x, at...));
  }
};

/// @brief The norm of the residual; waits for it. NaN if the data hold NaN or infinity.
template <ExecutionSpace Exec, class P>
double residual_norm(const Exec& exec, const P& problem, ResidualNorm norm) {
  using T = typename P::value_type;
  const auto p = in_memory_order(read_only(problem));
  const auto equations_of_p = make_equations(p.coefficients);
  const ResidualTerms<T, std::remove_const_t<decltype(equations_of_p)>> residuals{p.x, p.rhs,
                                                                                  equations_of_p};
  return norm_of_unknowns(exec, "WaveScan::sor::residual", p, residuals, norm);
}

/// @brief Differences of x and what it was before, in double.
template <class T, int Rank = 2>
struct UpdateTerms {
  ArrayOf<const T, Rank> x;
  ArrayOf<const T, Rank> before;
  template <class... At>
  KOKKOS_FUNCTION double operator()(At... at) const {
    return static_cast<double>(x(at...)) - static_cast<double>(before(at...));
  }
};

/// @brief The norm of x - before; waits for it. NaN if the data hold NaN or infinity.
template <ExecutionSpace Exec, class P, class T = typename P::value_type>
double update_norm(const Exec& exec, const P& problem, const ArrayOf<T, P::rank>& before,
                   ResidualNorm norm) {
  const auto p = in_memory_order(problem);
  const UpdateTerms<T, P::rank> updates{
      read_only(p.x), read_only(is_transposed_in_memory(problem.x) ? transposed(before) : before)};
  return norm_of_unknowns(exec, "WaveScan::sor::update", p, updates, norm);
}

}  // namespace wavescan::Impl::sor

#endif
