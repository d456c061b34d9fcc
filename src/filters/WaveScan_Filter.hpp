// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_FILTER_HPP
#define WAVESCAN_FILTER_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_MakeFilterProblem.hpp>
#include <impl/filter/WaveScan_MakePasses.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

/// @file
/// @brief Digital filters along the lines of Views.

namespace wavescan {

/// @brief A second-order section: b_0, b_1, b_2, a_0, a_1, a_2, a row of SciPy's `sos`.
using FilterSection = std::array<double, 6>;

/// @brief Sample types of filters: float, double, or Kokkos::complex of these.
template <class T>
concept FilterSample = std::floating_point<typename Impl::filter::RealOf<T>::type>;

template <ExecutionSpace Exec, FilterSample T>
class ForwardBackwardFilter;

/// @brief A plan for filters of lines of one length, which owns the workspace and allocates nothing
/// afterwards.
///
/// A filter is a scan whose state is K numbers (the z_i of direct form II transposed) and whose
/// weights are powers of the K x K matrix that moves a state over a sample. These are computed
/// once, in twice double precision, for the lengths that occur.
///
/// Calls enqueue work on the instance that the plan was made with and return. One plan must not be
/// used from two instances at a time.
///
/// Work: O(elements K); where lines are divided, O(elements K) more and O(K^2) for each part.
/// Memory: some K x K matrices, and K numbers for each resident team or line.
///
/// Results differ from those of the loop over samples by rounding. Hosts are as accurate as the
/// loop; GPUs make errors up to some ten (float) or some hundred times (double) as large, or, where
/// they would make larger ones (direct forms of higher order, poles near 1), are as accurate but at
/// some hundredths of the speed. Unstable filters are a loop of one thread for each line.
/// docs/pages/filters.md says more.
///
/// A filter without feedback (a_1, a_2, ... are zero in the samples' type) remembers as many
/// samples as it has states: infinities and NaN before them are forgotten. One with feedback keeps
/// them.
///
/// Source: Hou et al., IPDPS 2018, section V (weighted scan), with matrices as weights.
///
/// @tparam T float, double, or Kokkos::complex of these
template <ExecutionSpace Exec, FilterSample T>
class Filter {
 public:
  /// @brief Makes a plan from a transfer function:
  /// y_j = (b_0 x_j + b_1 x_{j-1} + ... - a_1 y_{j-1} - a_2 y_{j-2} - ...) / a_0.
  /// @param exec   instance that all calls enqueue on
  /// @param b, a   numerator and denominator, up to 17 coefficients each
  /// @param lines  number of independent signals; 1 for a View of rank 1
  /// @param length samples of each
  /// @throws std::invalid_argument if there are no or too many coefficients, if one is not finite,
  ///         if a_0 is zero, or if an extent is negative
  static Filter direct_form(const Exec& exec, const std::vector<double>& b,
                            const std::vector<double>& a, std::int64_t lines, std::int64_t length) {
    Impl::filter::require_transfer_function("Filter", b, a);
    Filter plan(exec, {lines, length}, {0, static_cast<int>(std::max(b.size(), a.size())) - 1});
    plan.passes_.push_back(Impl::filter::direct_pass<Exec, T>(exec, b, a, plan.extents_));
    return plan;
  }

  /// @brief A cascade of second-order sections. Eight of float, four of double or complex float,
  /// two of complex double take one pass over memory on hosts, half as many on devices, but eight
  /// of double on NVIDIA GPUs of compute capability 9.0, and two of float on AMD's. A section
  /// without feedback takes a pass of its own.
  /// @throws std::invalid_argument as direct_form
  static Filter sections(const Exec& exec, const std::vector<FilterSection>& sos,
                         std::int64_t lines, std::int64_t length) {
    Impl::filter::require_sections("Filter", sos);
    Filter plan(exec, {lines, length}, {static_cast<int>(sos.size()), 2});
    for (std::span<const FilterSection> rest = sos; !rest.empty();
         rest = rest.subspan(plan.sections_.back())) {
      plan.sections_.push_back(0);
      plan.passes_.push_back(
          Impl::filter::sections_pass<Exec, T>(exec, rest, plan.extents_, plan.sections_.back()));
    }
    return plan;
  }

  /// @brief Filters x to y. See wavescan::lfilter.
  template <class X, class Y, class Options = ScanOptions<>>
  void apply(const X& x, const Y& y, const Options& options = {}) const {
    auto problem = Impl::filter::make_problem<Exec, T>("Filter", shape_, extents_, x, y, options);
    if (extents_.lines == 0) return;
    const Kokkos::Profiling::ScopedRegion region(options.label().empty() ? "WaveScan::filter"
                                                                         : options.label());
    enqueue(problem);
  }

  /// @brief Bytes of device memory that the plan holds.
  std::size_t workspace_bytes() const {
    std::size_t bytes = 0;
    for (const auto& pass : passes_) bytes += pass->bytes();
    return bytes;
  }

 private:
  friend class ForwardBackwardFilter<Exec, T>;
  using Pass = Impl::filter::SharedPass<Exec, T>;

  Filter(const Exec& exec, Impl::LineExtents extents, const Impl::filter::StateShape& shape)
      : exec_(exec), extents_(extents), shape_(shape) {
    Impl::require(extents.lines >= 0, "Filter", "lines", "must not be negative", extents.lines);
    Impl::require(extents.length >= 0, "Filter", "length", "must not be negative", extents.length);
  }

  /// @brief Enqueues the passes of a problem that has been checked.
  void enqueue(Impl::filter::Problem<T> problem) const {
    if (shape_.sections == 0) return passes_[0]->enqueue(exec_, problem);
    const auto initial = problem.initial;
    const auto final = problem.final;
    int first = 0;
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      const auto count = static_cast<int>(sections_[i]);
      problem.initial = initial.of_sections(first, count);
      problem.final = final.of_sections(first, count);
      passes_[i]->enqueue(exec_, problem);
      problem.in = {problem.out.data, problem.out.line_stride, problem.out.stride};
      first += count;
    }
  }

  Exec exec_;
  Impl::LineExtents extents_;
  Impl::filter::StateShape shape_;
  std::vector<Pass> passes_;
  std::vector<std::size_t> sections_;  ///< of each pass of a cascade
};

/// @brief Filters x to y along an axis by a transfer function: SciPy's `lfilter`.
///
///     lfilter([exec,] b, a, x, y [, options])
///
/// y_j = (b_0 x_j + b_1 x_{j-1} + ... - a_1 y_{j-1} - a_2 y_{j-2} - ...) / a_0.
///
/// Enqueues on `exec` and returns. Keeps its workspace for the next such call: see
/// WaveScan_Workspaces.hpp.
///
/// - `b`, `a`: numerator and denominator, up to 17 coefficients each; orders above 2 or 3 are more
///   accurate as sections, see `sosfilt`
/// - `x`: View of rank 1 or 2 of float, double, or Kokkos::complex of these, any layout
/// - `y`: View of at least these extents and of the same type; may be `x` itself (in place)
/// - `options`: `axis` (the last one by default), `reverse`, `label`; `carry_in`, SciPy's `zi`, and
///   `carry_out`, its `zf`: Views with the extents of x but max(len(a), len(b)) - 1 along the axis.
///   Both may be the same View: blocks of a signal one after the other give what the whole signal
///   does.
///
/// @throws std::invalid_argument if coefficients are none, too many or not finite, if a_0 is zero,
///         if extents differ, Views partly overlap, or the axis is wrong
template <ExecutionSpace Exec, AnyView X, AnyView Y, class Options = ScanOptions<>>
void lfilter(const Exec& exec, const std::vector<double>& b, const std::vector<double>& a,
             const X& x, const Y& y, const Options& options = {}) {
  const Impl::Calling calling("lfilter");
  const auto extents = Impl::filter::extents_along<X, Y>("lfilter", x, options);
  using Plan = Filter<Exec, typename Y::value_type>;
  Impl::kept_plan_of<Plan>(exec, std::tuple(b, a, extents.lines, extents.length), [&] {
    return Plan::direct_form(exec, b, a, extents.lines, extents.length);
  })->apply(x, y, options);
}

/// @brief lfilter on the default instance of y's execution space.
template <AnyView X, AnyView Y, class Options = ScanOptions<>>
void lfilter(const std::vector<double>& b, const std::vector<double>& a, const X& x, const Y& y,
             const Options& options = {}) {
  lfilter(typename Y::execution_space(), b, a, x, y, options);
}

/// @brief Filters x to y along an axis by a cascade of second-order sections: SciPy's `sosfilt`.
///
///     sosfilt([exec,] sos, x, y [, options])
///
/// Eight sections of float, four of double or complex float, two of complex double take one pass
/// over memory on hosts, half as many on devices, but eight of double on NVIDIA GPUs of compute
/// capability 9.0, and two of float on AMD's; a section without feedback takes one of its own.
/// `carry_in` and `carry_out` are Views of (sections, extents of x but 2 along the axis). All else
/// as for lfilter.
///
/// @param sos rows of b_0, b_1, b_2, a_0, a_1, a_2
template <ExecutionSpace Exec, AnyView X, AnyView Y, class Options = ScanOptions<>>
void sosfilt(const Exec& exec, const std::vector<FilterSection>& sos, const X& x, const Y& y,
             const Options& options = {}) {
  const Impl::Calling calling("sosfilt");
  const auto extents = Impl::filter::extents_along<X, Y>("sosfilt", x, options);
  using Plan = Filter<Exec, typename Y::value_type>;
  Impl::kept_plan_of<Plan>(exec, std::tuple(sos, extents.lines, extents.length), [&] {
    return Plan::sections(exec, sos, extents.lines, extents.length);
  })->apply(x, y, options);
}

/// @brief sosfilt on the default instance of y's execution space.
template <AnyView X, AnyView Y, class Options = ScanOptions<>>
void sosfilt(const std::vector<FilterSection>& sos, const X& x, const Y& y,
             const Options& options = {}) {
  sosfilt(typename Y::execution_space(), sos, x, y, options);
}

/// @brief The state of a filter that has put out y_{-1}, y_{-2}, ... for x_{-1}, x_{-2}, ...:
/// SciPy's `lfiltic`. What is missing is zero.
/// @return max(len(a), len(b)) - 1 numbers, for `carry_in`
/// @throws std::invalid_argument as lfilter
inline std::vector<double> lfiltic(const std::vector<double>& b, const std::vector<double>& a,
                                   const std::vector<double>& y,
                                   const std::vector<double>& x = {}) {
  Impl::filter::require_transfer_function("lfiltic", b, a);
  const std::size_t order = std::max(b.size(), a.size()) - 1;
  std::vector<double> state(order, 0.0);
  for (std::size_t i = 0; i < order; ++i) {
    for (std::size_t k = i + 1; k < b.size() && k - i - 1 < x.size(); ++k)
      state[i] += b[k] * x[k - i - 1];
    for (std::size_t k = i + 1; k < a.size() && k - i - 1 < y.size(); ++k)
      state[i] -= a[k] * y[k - i - 1];
    state[i] /= a[0];
  }
  return state;
}

/// @brief The state in which a filter stays while its input is one: SciPy's `lfilter_zi`. Times the
/// first sample it is a state that begins without a transient.
/// @return max(len(a), len(b)) - 1 numbers
/// @throws std::invalid_argument as lfilter, and if the filter has a pole at 1: then there is none
inline std::vector<double> lfilter_zi(const std::vector<double>& b, const std::vector<double>& a) {
  Impl::filter::require_transfer_function("lfilter_zi", b, a);
  const double sum_a = std::accumulate(a.begin(), a.end(), 0.0);
  Impl::require(sum_a != 0, "lfilter_zi", "a", "must not sum up to zero (a pole at 1)", sum_a);
  const double gain = std::accumulate(b.begin(), b.end(), 0.0) / sum_a;
  // The output is the gain, so z_i is what is left of the terms from i + 1 on.
  std::vector<double> state(std::max(b.size(), a.size()) - 1, 0.0);
  double rest = 0;
  for (std::size_t i = state.size(); i > 0; --i) {
    if (i < b.size()) rest += b[i];
    if (i < a.size()) rest -= a[i] * gain;
    state[i - 1] = rest / a[0];
  }
  return state;
}

/// @brief lfilter_zi of a cascade: SciPy's `sosfilt_zi`.
/// @return two numbers for each section
/// @throws std::invalid_argument as sosfilt, and if a section has a pole at 1
inline std::vector<std::array<double, 2>> sosfilt_zi(const std::vector<FilterSection>& sos) {
  Impl::filter::require_sections("sosfilt_zi", sos);
  std::vector<std::array<double, 2>> states;
  double scale = 1;
  for (const FilterSection& s : sos) {
    const double sum_a = s[3] + s[4] + s[5];
    Impl::require(sum_a != 0, "sosfilt_zi", "sos",
                  "must have no section whose a sums up to zero (a pole at 1)", sum_a);
    const auto state = lfilter_zi({s[0], s[1], s[2]}, {s[3], s[4], s[5]});
    states.push_back({scale * state[0], scale * state[1]});
    scale *= (s[0] + s[1] + s[2]) / sum_a;
  }
  return states;
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/filter/WaveScan_Instantiations.hpp>
#endif

#endif
