// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TRIDIAGONALSOLVE_HPP
#define WAVESCAN_TRIDIAGONALSOLVE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/columns/WaveScan_SolveBands.hpp>

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
/// scans of the pivots' recurrence and of the substitutions, cyclic ones by a thread each. Hosts
/// solve several in the lanes of vectors, or chunks of few long ones.
///
/// - `lower`, `diagonal`, `upper`: Views of float or double: of the rank of `right`; of rank 1
///   beside right-hand sides of rank 2, the matrix of all systems; or of rank 0, one number for all
///   rows. a_0 and the last c do not matter if systems are not cyclic
/// - `right`: View of rank 1 or 2
/// - `x`: View of at least these extents, may be `right` itself
/// - `options`: TridiagonalOptions: `axis`, the dimension along which a system lies, the last one
///   by default; `cyclic`; `transposed`; `refinements`; `label`. Or ScanOptions with an axis or a
///   label
///
/// Work: O(elements). Memory: none in one pass; otherwise one to three numbers for each element,
/// allocated by the call, which waits where their deallocation does. `refinements` takes one number
/// for each element more, two in place.
///
/// Sources: Wang, A parallel method for tridiagonal equations, ACM Transactions on Mathematical
/// Software 7 (1981), for chunks; Stone, An efficient parallel algorithm for the solution of a
/// tridiagonal linear system of equations, Journal of the ACM 20 (1973), for the scan of pivots.
///
/// @throws std::invalid_argument if extents differ, Views partly overlap, or the axis is wrong
template <ExecutionSpace Exec, AnyView A, AnyView B, AnyView C, AnyView D, AnyView X,
          class Options = TridiagonalOptions>
void tridiagonal_solve(const Exec& exec, const A& lower, const B& diagonal, const C& upper,
                       const D& right, const X& x, const Options& options = {}) {
  Impl::columns::solve_bands(exec, "tridiagonal_solve", options, right, x, lower, diagonal, upper);
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
