// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TRIDIAGONALSOLVE_HPP
#define WAVESCAN_TRIDIAGONALSOLVE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/columns/WaveScan_CheckSystems.hpp>
#include <impl/columns/WaveScan_SolveSystems.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <string_view>

namespace wavescan {

/// @brief Solves tridiagonal systems: a_i x_{i-1} + b_i x_i + c_i x_{i+1} = d_i.
///
///     tridiagonal_solve([exec,] lower, diagonal, upper, right, x [, options])
///
/// By elimination without pivoting: for systems that are diagonally dominant or positive definite.
/// A pivot of zero makes infinities or NaN, not an error; what is not a number in one system stays
/// there.
///
/// On NVIDIA and AMD GPUs systems of up to some thousand unknowns (4096 of double, 8192 of float;
/// a quarter of it on Turing and AMD GPUs) are solved in one pass that reads all numbers once and
/// writes x once: each thread eliminates in a chunk of rows in registers, the chunks' last
/// unknowns are solved for by cyclic reduction, and what remains is substituted. It is fastest
/// where systems lie behind each other or side by side in all Views. Longer ones are solved by
/// scans of the pivots' recurrence and of the substitutions, or, cyclic ones and on hosts, by a
/// thread each.
///
/// - `lower`, `diagonal`, `upper`: Views of float or double: of the rank of `right`; of rank 1
///   beside right-hand sides of rank 2, the matrix of all systems; or of rank 0, one number for all
///   rows. a_0 and the last c do not matter if systems are not cyclic
/// - `right`: View of rank 1 or 2
/// - `x`: View of at least these extents, may be `right` itself
/// - `options`: TridiagonalOptions: `axis`, the dimension along which a system lies, the last one
///   by default; `cyclic`; `transposed`; `label`. Or ScanOptions with an axis or a label
///
/// Work: O(elements). Memory: none in one pass; otherwise one to three numbers for each element,
/// allocated by the call, which waits where their deallocation does.
///
/// Sources: Wang, A parallel method for tridiagonal equations, ACM Transactions on Mathematical
/// Software 7 (1981), for chunks; Stone, An efficient parallel algorithm for the solution of a
/// tridiagonal linear system of equations, Journal of the ACM 20 (1973), for the scan of pivots.
///
/// @throws std::invalid_argument if extents differ, Views partly overlap, or the axis is wrong
template <ExecutionSpace Exec, AnyView A, AnyView B, AnyView C, AnyView D, AnyView X,
          class Options = TridiagonalOptions>
void tridiagonal_solve(const Exec& exec, const A& lower, const B& diagonal, const C& upper,
                       const D& right, const X& x, const Options& given = {}) {
  static_assert(Impl::columns::are_options<Options>,
                "WaveScan: options are TridiagonalOptions, or ScanOptions() with an axis or a "
                "label, as in ScanOptions().axis(0); systems have no carries");
  using T = typename X::value_type;
  constexpr std::string_view operation = "tridiagonal_solve";
  constexpr int rank = static_cast<int>(X::rank());
  static_assert(std::floating_point<T> && std::same_as<typename D::non_const_value_type, T> &&
                    Impl::columns::is_diagonal<A, T, rank> &&
                    Impl::columns::is_diagonal<B, T, rank> &&
                    Impl::columns::is_diagonal<C, T, rank>,
                "WaveScan: all Views must be of float, or all of double, and 'x' writable; "
                "diagonals have no larger rank than 'x'");
  static_assert(D::rank() == X::rank() && (rank == 1 || rank == 2),
                "WaveScan: 'right' and 'x' must be of rank 1, or both of rank 2");
  const TridiagonalOptions options = Impl::columns::options_of(operation, given);
  const int along = Impl::checked_axis(operation, rank, options.axis());
  const Impl::Footprint rights = right, results = x;
  const Impl::LineExtents extents = Impl::line_extents(rights, along);
  Impl::columns::require_covers(operation, "lower", lower, rights, extents);
  Impl::columns::require_covers(operation, "diagonal", diagonal, rights, extents);
  Impl::columns::require_covers(operation, "upper", upper, rights, extents);
  Impl::require_extents_of(operation, "x", results, "right", rights);
  const Impl::Footprint written = results.within(rights);
  Impl::require_disjoint(operation, "lower", lower, "x", written);
  Impl::require_disjoint(operation, "diagonal", diagonal, "x", written);
  Impl::require_disjoint(operation, "upper", upper, "x", written);
  Impl::require_same_or_disjoint(operation, "right", rights, "x", written);
  if (extents.lines == 0 || extents.length == 0) return;
  const auto all = Impl::lines_of(right, along);
  const Kokkos::Profiling::ScopedRegion region(
      options.label().empty() ? "WaveScan::tridiagonal_solve" : options.label());
  Impl::columns::solve(exec, Impl::columns::Systems<T>{
                                 Impl::columns::make_matrices<T>(
                                     Impl::columns::diagonal_lines(lower, along),
                                     Impl::columns::diagonal_lines(diagonal, along),
                                     Impl::columns::diagonal_lines(upper, along), extents.length,
                                     options.is_cyclic(), options.is_transposed()),
                                 Impl::Lines<const T>{all.data, all.line_stride, all.stride},
                                 Impl::lines_of(x, along), extents});
}

/// @brief tridiagonal_solve on the default instance of x's execution space.
template <AnyView A, AnyView B, AnyView C, AnyView D, AnyView X, class Options = TridiagonalOptions>
void tridiagonal_solve(const A& lower, const B& diagonal, const C& upper, const D& right,
                       const X& x, const Options& options = {}) {
  tridiagonal_solve(typename X::execution_space(), lower, diagonal, upper, right, x, options);
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/columns/WaveScan_Instantiations.hpp>
#endif

#endif
