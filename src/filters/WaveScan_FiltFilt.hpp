// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_FILTFILT_HPP
#define WAVESCAN_FILTFILT_HPP

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <WaveScan_Filter.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/filter/WaveScan_Extension.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_MakeProblem.hpp>
#include <impl/filter/WaveScan_Pass.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

/// @file
/// @brief Filters that run forwards and backwards, so that nothing is delayed, and averages that
/// begin with the first sample.

namespace wavescan {

/// @brief How lines are continued beyond their ends before they are filtered both ways.
enum class FilterPadding {
  Odd,       ///< turned by 180 degrees around the last sample: 2 x_0 - x_j
  Even,      ///< mirrored: x_j
  Constant,  ///< the last sample
  None,
};

/// @brief Options of filtfilt and sosfiltfilt: `FiltFiltOptions().axis(0).length(50)`.
class FiltFiltOptions {
 public:
  /// @brief Dimension to filter along; -1, the default, is the last one.
  FiltFiltOptions axis(int dimension) const {
    FiltFiltOptions changed = *this;
    changed.axis_ = dimension;
    return changed;
  }
  /// @brief How lines are continued; Odd by default. SciPy's `padtype`.
  FiltFiltOptions padding(FilterPadding kind) const {
    FiltFiltOptions changed = *this;
    changed.padding_ = kind;
    return changed;
  }
  /// @brief By how many samples at either end, less than a line has. SciPy's `padlen`, whose
  /// default it has: -1.
  FiltFiltOptions length(std::int64_t samples) const {
    FiltFiltOptions changed = *this;
    changed.length_ = samples;
    return changed;
  }
  int axis() const { return axis_; }
  FilterPadding padding() const { return padding_; }
  /// @brief Samples, or -1 for the default.
  std::int64_t length() const { return length_; }

  friend bool operator==(const FiltFiltOptions&, const FiltFiltOptions&) = default;

 private:
  int axis_ = -1;
  FilterPadding padding_ = FilterPadding::Odd;
  std::int64_t length_ = -1;
};

/// @brief A plan for filtering lines of one length forwards and backwards. It owns the workspace
/// and allocates nothing afterwards.
///
/// Memory: a copy of the lines with their continuations, and a state for each.
/// Work: that of two filters, and of two copies, three on devices.
///
/// Source: Gustafsson, Determining the initial states in forward-backward filtering, IEEE
/// Transactions on Signal Processing 44 (1996), as SciPy's method "pad".
///
/// @tparam T float, double, or Kokkos::complex of these
template <ExecutionSpace Exec, FilterSample T>
class ForwardBackwardFilter {
 public:
  /// @brief By a transfer function: SciPy's `filtfilt`.
  /// @param options their axis does not matter here
  /// @throws std::invalid_argument as Filter and lfilter_zi, or if lines are not longer than the
  ///         continuation
  static ForwardBackwardFilter direct_form(const Exec& exec, const std::vector<double>& b,
                                           const std::vector<double>& a, std::int64_t lines,
                                           std::int64_t length,
                                           const FiltFiltOptions& options = {}) {
    const Impl::Calling calling("ForwardBackwardFilter");
    Impl::filter::require_transfer_function("ForwardBackwardFilter", b, a);
    const auto taps = static_cast<std::int64_t>(std::max(a.size(), b.size()));
    const Impl::filter::Extension extension("ForwardBackwardFilter", lines, length, options,
                                            3 * taps);
    return {exec, extension, lfilter_zi(b, a), 0,
            Filter<Exec, T>::direct_form(exec, b, a, lines, extension.extended())};
  }

  /// @brief By a cascade of second-order sections: SciPy's `sosfiltfilt`.
  static ForwardBackwardFilter sections(const Exec& exec, const std::vector<FilterSection>& sos,
                                        std::int64_t lines, std::int64_t length,
                                        const FiltFiltOptions& options = {}) {
    const Impl::Calling calling("ForwardBackwardFilter");
    Impl::filter::require_sections("ForwardBackwardFilter", sos);
    std::vector<double> state;
    std::int64_t no_zero = 0, no_pole = 0;
    for (const FilterSection& s : sos) {
      no_zero += s[2] == 0;
      no_pole += s[5] == 0;
    }
    for (const auto& of_section : sosfilt_zi(sos))
      state.insert(state.end(), of_section.begin(), of_section.end());
    const auto taps = 2 * static_cast<std::int64_t>(sos.size()) + 1 - std::min(no_zero, no_pole);
    const Impl::filter::Extension extension("ForwardBackwardFilter", lines, length, options,
                                            3 * taps);
    return {exec, extension, state, static_cast<int>(sos.size()),
            Filter<Exec, T>::sections(exec, sos, lines, extension.extended())};
  }

  /// @brief Filters x to y along an axis. See wavescan::filtfilt.
  /// @param options their axis is what matters here
  template <class X, class Y>
  void apply(const X& x, const Y& y, const FiltFiltOptions& options = {}) const {
    const Impl::filter::Problem<T> problem = Impl::filter::make_problem<Exec, T>(
        "ForwardBackwardFilter", {0, 0}, {extension_.lines, extension_.length}, x, y,
        ScanOptions().axis(options.axis()));
    if (extension_.lines == 0 || extension_.length == 0) return;
    const Kokkos::Profiling::ScopedRegion region("WaveScan::filtfilt");
    using Impl::filter::enqueue_samples;
    const Impl::Lines<T> rows{extended_.data(), static_cast<std::int64_t>(extended_.stride(0)), 1};
    enqueue_samples(exec_, "WaveScan::filtfilt::extend", extension_.lines, extension_.extended(),
                    Impl::filter::Extend<T>{extension_, problem.in, rows});
    filter(ScanOptions());
    // Kernels of GPUs filter forwards only.
    constexpr bool turns = !Impl::runs_on_host<Exec>;
    if constexpr (turns)
      enqueue_samples(exec_, "WaveScan::filtfilt::turn", extension_.lines,
                      extension_.extended() / 2, Impl::filter::Turn<T>{extension_, rows});
    filter(ScanOptions().reverse(!turns));
    enqueue_samples(
        exec_, "WaveScan::filtfilt::take", extension_.lines, extension_.length,
        Impl::filter::Take<T>{extension_, {rows.data, rows.line_stride, 1}, problem.out, turns});
  }

  /// @brief Bytes of device memory that the plan holds.
  std::size_t workspace_bytes() const {
    return filter_.workspace_bytes() +
           (extended_.span() + first_states_.size() + states_.size()) * sizeof(T);
  }

 private:
  using Memory = typename Exec::memory_space;
  using Rows = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;
  using States = Kokkos::View<T***, Kokkos::LayoutRight, Memory>;

  ForwardBackwardFilter(const Exec& exec, const Impl::filter::Extension& extension,
                        const std::vector<double>& state, int sections,
                        const Filter<Exec, T>& filter)
      : exec_(exec), extension_(extension), sections_(sections), filter_(filter) {
    const int passes = std::max(sections, 1);
    Impl::allocate(exec, extended_, "WaveScan::filtfilt::rows", extension.lines,
                   extension.padded());
    Impl::allocate(exec, first_states_, "WaveScan::filtfilt::first_states", state.size());
    Impl::allocate(exec, states_, "WaveScan::filtfilt::states", passes, extension.lines,
                   state.size() / static_cast<std::size_t>(passes));
    const auto host = Kokkos::create_mirror_view(first_states_);
    for (std::size_t i = 0; i < state.size(); ++i) host(i) = T(static_cast<Real>(state[i]));
    Kokkos::deep_copy(first_states_, host);
  }
  using Real = typename Impl::filter::RealOf<T>::type;

  /// @brief Filters the extended lines in place, as if their first sample had come for ever.
  template <class Options>
  void filter(const Options& options) const {
    const std::int64_t first = options.is_reverse() ? extension_.extended() - 1 : 0;
    Impl::filter::enqueue_each(
        exec_, "WaveScan::filtfilt::states", static_cast<std::int64_t>(states_.size()),
        Impl::filter::ScaleStates<T>{
            first_states_.data(),
            1,
            {extended_.data() + first, static_cast<std::int64_t>(extended_.stride(0)), 1},
            extension_.lines,
            static_cast<std::int64_t>(states_.extent(2)),
            states_.data()});
    const auto rows = extension_.used(extended_);
    if (sections_ > 0)
      filter_.apply(rows, rows, options.axis(1).carry_in(states_));
    else
      filter_.apply(
          rows, rows,
          options.axis(1).carry_in(Rows(states_.data(), states_.extent(1), states_.extent(2))));
  }

  Exec exec_;
  Impl::filter::Extension extension_;
  int sections_;
  Filter<Exec, T> filter_;
  Rows extended_;
  Kokkos::View<T*, Memory> first_states_;  ///< of a filter whose input is one
  States states_;                          ///< (section, line, value)
};

/// @brief Filters x to y forwards, then backwards: SciPy's `filtfilt`. The result has no delay, and
/// the square of the filter's gain.
///
///     filtfilt([exec,] b, a, x, y [, options])
///
/// Lines are continued beyond their ends, and begin in the state in which the filter would be if
/// their first sample had come for ever. Enqueues on `exec` and returns. Keeps its workspace
/// for the next such call: see WaveScan_Workspaces.hpp.
///
/// - `b`, `a`: as for lfilter, without a pole at 1
/// - `x`: View of rank 1 or 2 of float, double, or Kokkos::complex of these
/// - `y`: View of at least these extents; may be `x` itself
/// - `options`: `axis`, `padding`, `length`, see FiltFiltOptions; 3 max(len(a), len(b)) samples of
///   odd continuation by default
///
/// @throws std::invalid_argument as lfilter and lfilter_zi, and if lines are not longer than the
///         continuation
template <ExecutionSpace Exec, AnyView X, AnyView Y>
void filtfilt(const Exec& exec, const std::vector<double>& b, const std::vector<double>& a,
              const X& x, const Y& y, const FiltFiltOptions& options = {}) {
  const Impl::Calling calling("filtfilt");
  const auto extents = Impl::filter::extents_along<X, Y>("filtfilt", x, options);
  using Plan = ForwardBackwardFilter<Exec, typename Y::value_type>;
  Impl::kept_plan_of<Plan>(exec, std::tuple(b, a, extents.lines, extents.length, options), [&] {
    return Plan::direct_form(exec, b, a, extents.lines, extents.length, options);
  })->apply(x, y, options);
}

/// @brief filtfilt on the default instance of y's execution space.
template <AnyView X, AnyView Y>
void filtfilt(const std::vector<double>& b, const std::vector<double>& a, const X& x, const Y& y,
              const FiltFiltOptions& options = {}) {
  filtfilt(typename Y::execution_space(), b, a, x, y, options);
}

/// @brief Filters x to y by a cascade forwards, then backwards: SciPy's `sosfiltfilt`. All else as
/// for filtfilt; the default continuation is that of SciPy for cascades.
template <ExecutionSpace Exec, AnyView X, AnyView Y>
void sosfiltfilt(const Exec& exec, const std::vector<FilterSection>& sos, const X& x, const Y& y,
                 const FiltFiltOptions& options = {}) {
  const Impl::Calling calling("sosfiltfilt");
  const auto extents = Impl::filter::extents_along<X, Y>("sosfiltfilt", x, options);
  using Plan = ForwardBackwardFilter<Exec, typename Y::value_type>;
  Impl::kept_plan_of<Plan>(exec, std::tuple(sos, extents.lines, extents.length, options), [&] {
    return Plan::sections(exec, sos, extents.lines, extents.length, options);
  })->apply(x, y, options);
}

/// @brief sosfiltfilt on the default instance of y's execution space.
template <AnyView X, AnyView Y>
void sosfiltfilt(const std::vector<FilterSection>& sos, const X& x, const Y& y,
                 const FiltFiltOptions& options = {}) {
  sosfiltfilt(typename Y::execution_space(), sos, x, y, options);
}

/// @brief y_0 = x_0, y_j = alpha x_j + (1 - alpha) y_{j-1}: the exponential moving average that
/// begins with the first sample (`ewm(alpha, adjust=False).mean()` of pandas).
///
///     exponential_moving_average([exec,] alpha, x, y [, options])
///
/// @param alpha   weight of the newest sample, more than 0 and at most 1. One for a time constant
///                of n samples is 1 - exp(-1 / n), one for a span of n samples 2 / (n + 1)
/// @param x       View of rank 1 or 2 of float, double, or Kokkos::complex of these
/// @param y       View of at least these extents; may be `x` itself
/// @param options `axis` (the last one by default), `reverse`, `label`; no carries
/// @throws std::invalid_argument if alpha is no such weight, and as lfilter
template <ExecutionSpace Exec, AnyView X, AnyView Y, class Options = ScanOptions<>>
void exponential_moving_average(const Exec& exec, double alpha, const X& x, const Y& y,
                                const Options& options = {}) {
  static_assert(std::same_as<Options, ScanOptions<>>,
                "WaveScan: options are ScanOptions() with an axis, reverse or a label; averages "
                "have no carries");
  using T = typename Y::value_type;
  using Real = typename Impl::filter::RealOf<T>::type;
  constexpr const char* operation = "exponential_moving_average";
  Impl::require(alpha > 0 && alpha <= 1, operation, "alpha", "must be more than 0, at most 1",
                alpha);
  const auto extents = Impl::filter::extents_along<X, Y>(operation, x, options);
  auto problem = Impl::filter::make_problem<Exec, T>(operation, {0, 1}, extents, x, y, options);
  if (extents.lines == 0 || extents.length == 0) return;
  const Kokkos::Profiling::ScopedRegion region(
      options.label().empty() ? "WaveScan::exponential_moving_average" : options.label());
  // Not a Filter, which would be compiled for all orders.
  const auto enqueue = [&](const auto& form) {
    using Form = std::remove_cvref_t<decltype(form)>;
    using Pass = Impl::filter::PassOf<Exec, Form>;
    Impl::kept_plan_of<Pass>(exec, std::tuple(alpha, extents.lines, extents.length), [&] {
      return Pass(exec, form, extents);
    })->enqueue(exec, problem);
  };
  if (alpha == 1) return enqueue(Impl::filter::finite_form<T>({1}, {1}));
  const auto states = Impl::kept_array<T>(exec, "WaveScan::filter::states", extents.lines);
  Impl::filter::enqueue_each(
      exec, "WaveScan::filter::first_states", extents.lines,
      Impl::filter::ScaleStates<T>{nullptr, static_cast<Real>(1 - alpha), problem.in, extents.lines,
                                   1, states->data()});
  problem.initial.data = states->data();
  problem.initial.line_stride = 1;
  problem.initial.count = 1;
  enqueue(Impl::filter::direct_form<T, 1>({alpha}, {1, alpha - 1}));
}

/// @brief exponential_moving_average on the default instance of y's execution space.
template <AnyView X, AnyView Y, class Options = ScanOptions<>>
void exponential_moving_average(double alpha, const X& x, const Y& y, const Options& options = {}) {
  exponential_moving_average(typename Y::execution_space(), alpha, x, y, options);
}

}  // namespace wavescan

#endif
