// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_LINEARRECURRENCE_HPP
#define WAVESCAN_LINEARRECURRENCE_HPP

#include <WaveScan_Filter.hpp>
#include <impl/filter/WaveScan_Varying.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// @file
/// @brief Linear recurrences, with the same coefficients for all elements or with coefficients from
/// Views.

namespace wavescan {

/// @brief y_j = x_j + c_1 y_{j-1} + c_2 y_{j-2} + ... + c_K y_{j-K}, what is before the line being
/// zero.
///
///     linear_recurrence([exec,] coefficients, x, y [, options])
///
/// lfilter with b = {1} and a = {1, -c_1, ..., -c_K}: arguments and errors as there; states as
/// `lfiltic` makes them of outputs.
///
/// @param coefficients c_1 to c_K, up to 16
template <ExecutionSpace Exec, AnyView X, AnyView Y, class Options = ScanOptions<>>
void linear_recurrence(const Exec& exec, const std::vector<double>& coefficients, const X& x,
                       const Y& y, const Options& options = {}) {
  constexpr const char* operation = "linear_recurrence";
  const Impl::Calling calling(operation);
  Impl::require(coefficients.size() <= Impl::filter::max_order, operation, "coefficients",
                "must be at most 16", coefficients.size());
  Impl::filter::require_finite(operation, "coefficients", coefficients);
  std::vector<double> a{1};
  for (const double c : coefficients) a.push_back(-c);
  lfilter(exec, {1}, a, x, y, options);
}

/// @brief y_j = x_j + c_1(j) y_{j-1} + ... + c_K(j) y_{j-K} with coefficients from K Views.
///
///     linear_recurrence([exec,] coefficients, x, y [, options])
///
/// - `coefficients`: 1 to 16 Views of the rank and type of x and at least its extents; a
///   std::vector or a std::array of them
/// - `x`, `y`, `options`: as for lfilter; but `carry_in` and `carry_out` hold outputs, y_{-1},
///   y_{-2}, ... of each line: Views with the extents of x but K along the axis. A reverse
///   recurrence takes both elements and coefficients from the last one to the first.
///
/// Work: K operations an element, and K^2 + K more where there are too few lines for the machine's
/// threads and a line is divided into chunks. Memory: K^2 + K numbers for each chunk.
///
/// As accurate as the loop, as long as states do not grow much and decay again: the products of
/// coefficients over chunks are rounded to x's type.
///
/// @throws std::invalid_argument if there are no or more than 16 coefficients, if extents differ,
///         Views partly overlap, or the axis is wrong
template <ExecutionSpace Exec, AnyView C, AnyView X, AnyView Y, class Options = ScanOptions<>>
void linear_recurrence(const Exec& exec, const std::vector<C>& coefficients, const X& x, const Y& y,
                       const Options& options = {}) {
  using T = typename Y::value_type;
  constexpr const char* operation = "linear_recurrence";
  static_assert(std::same_as<typename C::non_const_value_type, T> && C::rank() == X::rank() &&
                    AccessibleFrom<C, Exec>,
                "WaveScan: 'coefficients' must have the rank and type of 'x', in memory that the "
                "execution space can reach");
  Impl::require(!coefficients.empty() && coefficients.size() <= Impl::filter::max_order, operation,
                "coefficients", "must be 1 to 16 Views", coefficients.size());
  const int order = static_cast<int>(coefficients.size());
  const auto extents = Impl::filter::extents_along<X, Y>(operation, x, options);
  const int axis = Impl::checked_axis(operation, static_cast<int>(X::rank()), options.axis());
  const auto problem =
      Impl::filter::make_problem<Exec, T>(operation, {0, order}, extents, x, y, options);
  for (const C& c : coefficients) {
    Impl::require_extents_of(operation, "coefficients", c, "x", x);
    Impl::require_disjoint(operation, "coefficients", c, "y", y);
  }
  if (extents.lines == 0) return;
  const Kokkos::Profiling::ScopedRegion region(
      options.label().empty() ? "WaveScan::linear_recurrence" : options.label());
  Impl::filter::enqueue_varying(
      exec, order,
      [&](int k) {
        const auto lines = Impl::lines_of(coefficients[static_cast<std::size_t>(k)], axis);
        return Impl::filter::in_direction<const T>({lines.data, lines.line_stride, lines.stride},
                                                   extents.length, options.is_reverse());
      },
      problem);
}
template <ExecutionSpace Exec, AnyView C, std::size_t K, AnyView X, AnyView Y,
          class Options = ScanOptions<>>
void linear_recurrence(const Exec& exec, const std::array<C, K>& coefficients, const X& x,
                       const Y& y, const Options& options = {}) {
  linear_recurrence(exec, std::vector<C>(coefficients.begin(), coefficients.end()), x, y, options);
}

/// @brief linear_recurrence with coefficients that lie side by side: c_k(j) = coefficients(j, k -
/// 1), or coefficients(i, j, k - 1) where x has rank 2.
/// @param coefficients View with one dimension more than x, of 1 to 16
template <ExecutionSpace Exec, AnyView C, AnyView X, AnyView Y, class Options = ScanOptions<>>
  requires(C::rank() == X::rank() + 1)
void linear_recurrence(const Exec& exec, const C& coefficients, const X& x, const Y& y,
                       const Options& options = {}) {
  const auto of_output = [&](std::size_t k) {
    if constexpr (C::rank() == 2)
      return Kokkos::subview(coefficients, Kokkos::ALL, k);
    else
      return Kokkos::subview(coefficients, Kokkos::ALL, Kokkos::ALL, k);
  };
  std::vector<decltype(of_output(0))> views;
  for (std::size_t k = 0; k < coefficients.extent(C::rank() - 1); ++k)
    views.push_back(of_output(k));
  linear_recurrence(exec, views, x, y, options);
}

/// @brief linear_recurrence on the default instance of y's execution space.
template <class Coefficients, AnyView X, AnyView Y, class Options = ScanOptions<>>
  requires(!ExecutionSpace<Coefficients>)
void linear_recurrence(const Coefficients& coefficients, const X& x, const Y& y,
                       const Options& options = {}) {
  linear_recurrence(typename Y::execution_space(), coefficients, x, y, options);
}
template <AnyView X, AnyView Y, class Options = ScanOptions<>>
void linear_recurrence(std::initializer_list<double> coefficients, const X& x, const Y& y,
                       const Options& options = {}) {
  linear_recurrence(typename Y::execution_space(), std::vector<double>(coefficients), x, y,
                    options);
}

}  // namespace wavescan

#endif
