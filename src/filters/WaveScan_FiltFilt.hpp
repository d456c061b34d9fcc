// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_FILTFILT_HPP
#define WAVESCAN_FILTFILT_HPP

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <WaveScan_Filter.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/filter/WaveScan_Extension.hpp>
#include <impl/filter/WaveScan_FilterPass.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_MakeFilterProblem.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

/// @file
/// @brief Filters that run forwards and backwards, so that nothing is delayed, and averages that
/// begin with the first sample.

namespace wavescan {

/// @brief Ways to continue lines beyond their ends before they are filtered both ways.
enum class FilterPadding {
  Odd,       ///< turned by 180 degrees around the last sample: 2 x_0 - x_j
  Even,      ///< mirrored: x_j
  Constant,  ///< the last sample
  None,
};

/// @brief Options of filtfilt and sosfiltfilt: `{.axis = 0, .length = 50}`.
struct FiltFiltOptions {
  /// Dimension to filter along; -1: the last one.
  int axis = -1;
  /// How lines are continued; SciPy's `padtype`.
  FilterPadding padding = FilterPadding::Odd;
  /// Samples that continue a line at either end, less than it has; -1: as many as SciPy takes
  /// without its `padlen`.
  std::int64_t length = -1;

  friend bool operator==(const FiltFiltOptions&, const FiltFiltOptions&) = default;
};

/// @brief A plan for filtering lines of one length forwards and backwards. It owns the workspace
/// and allocates nothing afterwards.
///
/// Memory: what two Filters need, the continuations of lines, a state for each of them; and a copy
/// of the lines, which is filtered instead of y where that needs_copy.
/// Work: that of two filters, and of two copies where there is that copy.
///
/// Source: Gustafsson, Determining the initial states in forward-backward filtering, IEEE
/// Transactions on Signal Processing 44 (1996), as SciPy's method "pad".
///
/// @tparam T float, double, or Kokkos::complex of these
template <ExecutionSpace Exec, FilterSample T>
class ForwardBackwardFilter {
 public:
  /// @brief Makes a plan from a transfer function: SciPy's `filtfilt`.
  /// @param options their axis does not matter here
  /// @param copies  false: the plan is only for a y that does not need_copy
  /// @throws std::invalid_argument as Filter and lfilter_zi, or if lines are not longer than the
  ///         continuation
  static ForwardBackwardFilter direct_form(const Exec& exec, const std::vector<double>& b,
                                           const std::vector<double>& a, std::int64_t lines,
                                           std::int64_t length, const FiltFiltOptions& options = {},
                                           bool copies = true) {
    const Impl::Calling calling("ForwardBackwardFilter");
    Impl::filter::require_transfer_function("ForwardBackwardFilter", b, a);
    const auto taps = static_cast<std::int64_t>(std::max(a.size(), b.size()));
    const Impl::filter::Extension extension("ForwardBackwardFilter", lines, length, options,
                                            3 * taps);
    return {exec, extension, lfilter_zi(b, a), 1, copies, [&](std::int64_t samples) {
              return Filter<Exec, T>::direct_form(exec, b, a, lines, samples);
            }};
  }

  /// @brief Makes a plan from a cascade of second-order sections: SciPy's `sosfiltfilt`.
  static ForwardBackwardFilter sections(const Exec& exec, const std::vector<FilterSection>& sos,
                                        std::int64_t lines, std::int64_t length,
                                        const FiltFiltOptions& options = {}, bool copies = true) {
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
    return {exec,
            extension,
            state,
            static_cast<int>(sos.size()),
            copies,
            [&](std::int64_t samples) {
              return Filter<Exec, T>::sections(exec, sos, lines, samples); }};
  }

  /// @brief Whether lines of y along an axis are no neighbours in memory or, on devices, do not all
  /// begin as far from a multiple of 16 bytes: then a copy of them is filtered.
  template <AnyView Y>
  static bool needs_copy(const Y& y, const FiltFiltOptions& options = {}) {
    const int axis =
        Impl::checked_axis("ForwardBackwardFilter", static_cast<int>(Y::rank()), options.axis);
    return !are_tiled(Impl::lines_of(y, axis), Impl::line_extents(y, axis).lines);
  }

  /// @brief Filters x to y along an axis. See wavescan::filtfilt.
  /// @param options their axis is what matters here
  /// @throws std::invalid_argument as filtfilt, or if y needs the copy that the plan is without
  template <class X, class Y>
  void apply(const X& x, const Y& y, const FiltFiltOptions& options = {}) const {
    const Impl::filter::Problem<T> problem = Impl::filter::make_problem<Exec, T>(
        "ForwardBackwardFilter", {0, 0}, {extension_.lines, extension_.length}, x, y,
        ScanOptions().axis(options.axis));
    const bool in_copy = !are_tiled(problem.out, extension_.lines);
    Impl::require(!in_copy || copies_, "ForwardBackwardFilter", "y",
                  "must need no copy, as the plan has none", "lines that do");
    if (extension_.lines == 0 || extension_.length == 0) return;
    const Kokkos::Profiling::ScopedRegion region("WaveScan::filtfilt");
    const Lines before = lines_of(before_), after = lines_of(after_),
                work = in_copy ? lines_of(copy_) : problem.out;
    const bool is_continued = extension_.padding > 0;
    if (is_continued) {
      const Impl::filter::Continue<T> continuation{
          extension_, problem.in, before, after, first_states(input(before)), sections_};
      Impl::filter::enqueue_each(exec_, "WaveScan::filtfilt::continue", continuation.items(),
                                 continuation);
    }
    Input in = problem.in;
    if (!have_same_alignment(in, work)) {
      copy(in, work);
      in = input(work);
    }
    if (is_continued)
      filter(*of_ends_, input(before), before);
    else
      begin_with(in);
    filter(filter_, in, work);
    if (is_continued) filter(*of_ends_, input(after), after);
    begin_with(is_continued ? last_of(after, extension_.padding)
                            : last_of(work, extension_.length));
    if (is_continued) filter_back(*of_ends_, after, extension_.padding);
    filter_back(filter_, work, extension_.length);
    if (in_copy) copy(input(work), problem.out);
  }

  /// @brief Bytes of device memory that the plan holds.
  std::size_t workspace_bytes() const {
    return filter_.workspace_bytes() + (of_ends_ ? of_ends_->workspace_bytes() : 0) +
           (copy_.span() + before_.span() + after_.span() + first_states_.size() + states_.size()) *
               sizeof(T);
  }

 private:
  using Memory = typename Exec::memory_space;
  using Rows = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;
  using Real = typename Impl::filter::RealOf<T>::type;
  using Lines = Impl::Lines<T>;
  using Input = Impl::Lines<const T>;

  template <class MakeFilter>
  ForwardBackwardFilter(const Exec& exec, const Impl::filter::Extension& extension,
                        const std::vector<double>& state, int sections, bool copies,
                        const MakeFilter& filter_of)
      : exec_(exec),
        extension_(extension),
        sections_(sections),
        values_(static_cast<int>(state.size()) / sections),
        copies_(copies),
        filter_(filter_of(extension.length)) {
    const auto rows = [&](Rows& view, const char* name, std::int64_t samples) {
      Impl::allocate(exec, view, name, extension.lines, Impl::filter::Extension::pitch(samples));
    };
    if (copies) rows(copy_, "WaveScan::filtfilt::copy", extension.length);
    if (extension.padding > 0) {
      of_ends_.emplace(filter_of(extension.padding));
      rows(before_, "WaveScan::filtfilt::before", extension.padding);
      rows(after_, "WaveScan::filtfilt::after", extension.padding);
    }
    Impl::allocate(exec, first_states_, "WaveScan::filtfilt::first_states", state.size());
    Impl::allocate(exec, states_, "WaveScan::filtfilt::states",
                   static_cast<std::int64_t>(state.size()) * extension.lines);
    const auto host = Kokkos::create_mirror_view(first_states_);
    for (std::size_t i = 0; i < state.size(); ++i) host(i) = T(static_cast<Real>(state[i]));
    Kokkos::deep_copy(first_states_, host);
  }

  static Lines lines_of(const Rows& rows) {
    return {rows.data(), static_cast<std::int64_t>(rows.stride(0)), 1};
  }
  static Input input(const Lines& lines) { return {lines.data, lines.line_stride, lines.stride}; }
  static Input last_of(const Lines& lines, std::int64_t length) {
    return input(Impl::filter::in_direction(lines, length, true));
  }
  /// @brief Whether filters go through such lines fast, in place.
  template <class Element>
  static bool are_tiled(const Impl::Lines<Element>& lines, std::int64_t count) {
    const bool same_alignment = Impl::runs_on_host<Exec> || count <= 1 ||
                                lines.line_stride * static_cast<std::int64_t>(sizeof(T)) % 16 == 0;
    return lines.stride == 1 && same_alignment;
  }
  /// @brief Whether they go fast from one to the other.
  bool have_same_alignment(const Input& from, const Lines& to) const {
    const auto offset = [](const T* data) { return reinterpret_cast<std::uintptr_t>(data) % 16; };
    return are_tiled(from, extension_.lines) &&
           (Impl::runs_on_host<Exec> || offset(from.data) == offset(to.data));
  }

  void copy(const Input& from, const Lines& to) const {
    Impl::filter::enqueue_samples(exec_, "WaveScan::filtfilt::copy", extension_.lines,
                                  extension_.length, Impl::filter::CopyLines<T>{from, to});
  }
  /// @brief Lets lines begin as if their first sample had come for ever.
  void begin_with(const Input& first) const {
    Impl::filter::enqueue_each(exec_, "WaveScan::filtfilt::states",
                               static_cast<std::int64_t>(states_.size()), first_states(first));
  }
  Impl::filter::ScaleStates<T> first_states(const Input& first) const {
    return {first_states_.data(), 1, first, extension_.lines, values_, states_.data()};
  }
  template <class Element>
  Impl::filter::StateLines<Element> states() const {
    return {states_.data(), values_, values_ * extension_.lines, 1, values_, values_ * sections_};
  }
  /// @brief Filters lines from the states on, and leaves those after them.
  void filter(const Filter<Exec, T>& by, const Input& from, const Lines& to) const {
    by.enqueue({from, to, by.extents_, states<const T>(), states<T>()});
  }
  /// @brief Filters lines from the last sample to the first, in place.
  void filter_back(const Filter<Exec, T>& by, const Lines& lines, std::int64_t length) const {
    const Lines to = Impl::filter::in_direction(lines, length, true);
    filter(by, input(to), to);
  }

  Exec exec_;
  Impl::filter::Extension extension_;
  int sections_;
  int values_;  ///< of a section's state
  bool copies_;
  Filter<Exec, T> filter_;
  std::optional<Filter<Exec, T>> of_ends_;  ///< of continuations, if there are
  Rows copy_, before_, after_;
  Kokkos::View<T*, Memory> first_states_;  ///< of a filter whose input is one
  Kokkos::View<T*, Memory> states_;        ///< (section, line, value)
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
  const auto along = ScanOptions().axis(options.axis);
  const auto extents = Impl::filter::extents_along<X, Y>("filtfilt", x, along);
  using Plan = ForwardBackwardFilter<Exec, typename Y::value_type>;
  const bool copies = Plan::needs_copy(y, options);
  const std::tuple key(b, a, extents.lines, extents.length, options, copies);
  Impl::kept_plan_of<Plan>(exec, key, [&] {
    return Plan::direct_form(exec, b, a, extents.lines, extents.length, options, copies);
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
  const auto along = ScanOptions().axis(options.axis);
  const auto extents = Impl::filter::extents_along<X, Y>("sosfiltfilt", x, along);
  using Plan = ForwardBackwardFilter<Exec, typename Y::value_type>;
  const bool copies = Plan::needs_copy(y, options);
  const std::tuple key(sos, extents.lines, extents.length, options, copies);
  Impl::kept_plan_of<Plan>(exec, key, [&] {
    return Plan::sections(exec, sos, extents.lines, extents.length, options, copies);
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
    using Pass = Impl::filter::PassFor<Exec, Form>;
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
