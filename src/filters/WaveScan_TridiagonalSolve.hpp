// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TRIDIAGONALSOLVE_HPP
#define WAVESCAN_TRIDIAGONALSOLVE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/tridiagonal/WaveScan_Thomas.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <string_view>

namespace wavescan {

/// @brief Solves tridiagonal systems: a_i x_{i-1} + b_i x_i + c_i x_{i+1} = d_i.
///
///     tridiagonal_solve([exec,] lower, diagonal, upper, right, x [, options])
///
/// By the recurrences of Thomas, without pivoting: for systems that are diagonally dominant or
/// positive definite. Many systems are solved by a thread each. Few long ones are solved by three
/// scans: of 2 x 2 matrices for the pivots u_i = b_i - a_i c_{i-1} / u_{i-1}, and two weighted
/// ones, forwards for y_i = d_i - (a_i / u_{i-1}) y_{i-1} and backwards for x_i = (y_i - c_i
/// x_{i+1}) / u_i; on NVIDIA and AMD GPUs by two, of the elimination
/// without divisions and of the substitution, for many systems, too. A pivot of zero makes
/// infinities or NaN, not an error.
///
/// - `lower`, `diagonal`, `upper`, `right`: Views of rank 1 or 2 of float or double; a_0 and the
///   last c do not matter
/// - `x`: View of at least these extents, may be `right` itself
/// - `options`: `axis`, the dimension along which a system lies, the last one by default, and
///   `label`; there are no carries, and `reverse` is rejected: a system has no direction
///
/// Work: O(elements). Memory: one to three numbers for each element, allocated by the call, which
/// waits where their deallocation does.
///
/// Source: Stone, An efficient parallel algorithm for the solution of a tridiagonal linear system
/// of equations, Journal of the ACM 20 (1973), for the scan of pivots.
///
/// @throws std::invalid_argument if extents differ, Views partly overlap, or the axis is wrong
template <ExecutionSpace Exec, AnyView A, AnyView B, AnyView C, AnyView D, AnyView X,
          class Options = ScanOptions<>>
void tridiagonal_solve(const Exec& exec, const A& lower, const B& diagonal, const C& upper,
                       const D& right, const X& x, const Options& options = {}) {
  static_assert(std::same_as<Options, ScanOptions<>>,
                "WaveScan: options are ScanOptions() with an axis or a label, as in "
                "ScanOptions().axis(0); systems have no carries");
  using T = typename X::value_type;
  constexpr std::string_view operation = "tridiagonal_solve";
  static_assert(std::same_as<typename A::non_const_value_type, T> &&
                    std::same_as<typename B::non_const_value_type, T> &&
                    std::same_as<typename C::non_const_value_type, T> &&
                    std::same_as<typename D::non_const_value_type, T> && std::floating_point<T>,
                "WaveScan: all Views must be of float, or all of double, and 'x' writable");
  static_assert(A::rank() == X::rank() && B::rank() == X::rank() && C::rank() == X::rank() &&
                    D::rank() == X::rank() && (X::rank() == 1 || X::rank() == 2),
                "WaveScan: all Views must be of rank 1, or all of rank 2");
  const int along = Impl::checked_axis(operation, static_cast<int>(X::rank()), options.axis());
  Impl::require(!options.is_reverse(), operation, "options",
                "must not be reverse: a system has no direction", "reverse");
  const Impl::Footprint rights = right, results = x;
  Impl::require_extents_of(operation, "lower", lower, "right", rights);
  Impl::require_extents_of(operation, "diagonal", diagonal, "right", rights);
  Impl::require_extents_of(operation, "upper", upper, "right", rights);
  Impl::require_extents_of(operation, "x", results, "right", rights);
  const Impl::Footprint written = results.within(rights);
  Impl::require_disjoint(operation, "lower", lower, "x", written);
  Impl::require_disjoint(operation, "diagonal", diagonal, "x", written);
  Impl::require_disjoint(operation, "upper", upper, "x", written);
  Impl::require_same_or_disjoint(operation, "right", rights, "x", written);
  const Impl::LineExtents extents = Impl::line_extents(rights, along);
  if (extents.lines == 0 || extents.length == 0) return;
  const auto lines = [&](const auto& view) {
    const auto all = Impl::lines_of(view, along);
    return Impl::Lines<const T>{all.data, all.line_stride, all.stride};
  };
  const Kokkos::Profiling::ScopedRegion region(
      options.label().empty() ? "WaveScan::tridiagonal_solve" : options.label());
  Impl::tridiagonal::solve(
      exec, Impl::tridiagonal::Systems<T>{lines(lower), lines(diagonal), lines(upper), lines(right),
                                          Impl::lines_of(x, along), extents});
}

/// @brief tridiagonal_solve on the default instance of x's execution space.
template <AnyView A, AnyView B, AnyView C, AnyView D, AnyView X, class Options = ScanOptions<>>
void tridiagonal_solve(const A& lower, const B& diagonal, const C& upper, const D& right,
                       const X& x, const Options& options = {}) {
  tridiagonal_solve(typename X::execution_space(), lower, diagonal, upper, right, x, options);
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/tridiagonal/WaveScan_Instantiations.hpp>
#endif

#endif
