// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_BLOCKTRIDIAGONALSOLVE_HPP
#define WAVESCAN_BLOCKTRIDIAGONALSOLVE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/columns/WaveScan_SolveBlocks.hpp>

namespace wavescan {

/// @brief Solves block tridiagonal systems: A_i x_{i-1} + B_i x_i + C_i x_{i+1} = d_i, where each
/// x_i is a column of 2 to 5 unknowns and A_i, B_i and C_i are matrices of that size.
///
///     block_tridiagonal_solve([exec,] lower, diagonal, upper, right, x [, options])
///
/// By elimination, with pivoting within blocks and without between them: for systems that are
/// diagonally dominant by blocks, or positive definite. What is not a number in one system stays
/// there.
///
/// On NVIDIA and AMD GPUs systems with blocks of 2 and 3 of up to some thousand rows (4096 and 2048
/// of double, twice as many of float; a quarter without clusters of blocks) are solved in one pass,
/// as those of tridiagonal_solve. Larger blocks leave no registers for that: a thread solves a
/// system, in O(rows) steps one after the other, as on hosts; this is for many systems. It is
/// fastest where neighbouring systems are neighbours in memory, as in a View of LayoutLeft whose
/// first dimension counts systems.
///
/// - `lower`, `diagonal`, `upper`: Views (system, i, row, column) of rank 4, all of float or all of
///   double; of rank 3, (i, row, column), the matrix of all systems. A_0 and the last C do not
///   matter if systems are not cyclic
/// - `right`: View (system, i, row) of rank 3, or (i, row) of rank 2, one system
/// - `x`: View of at least these extents, may be `right` itself
/// - `options`: TridiagonalOptions: `axis`, the dimension of `right` along which a system lies, the
///   last but one by default, or 0, where it comes before that of systems in all Views; `cyclic`;
///   `transposed`, the whole matrix, so blocks, too; `label`
///
/// Work: O(systems rows size^3). Memory: none in one pass; otherwise a matrix for each row of each
/// system, two if cyclic, allocated by the first call and kept.
///
/// Compilation: for all sizes, unless the last dimension of `x` is a static one.
///
/// Source: Golub, Van Loan, Matrix Computations, 4th edition, section 4.5.1.
///
/// @throws std::invalid_argument if extents differ, Views partly overlap, blocks are smaller or
///         larger, or the axis is wrong
template <ExecutionSpace Exec, AnyView A, AnyView B, AnyView C, AnyView D, AnyView X>
void block_tridiagonal_solve(const Exec& exec, const A& lower, const B& diagonal, const C& upper,
                             const D& right, const X& x, const TridiagonalOptions& options = {}) {
  Impl::columns::check_and_solve_blocks(exec, options, lower, diagonal, upper, right, x);
}

/// @brief block_tridiagonal_solve on the default instance of x's execution space.
template <AnyView A, AnyView B, AnyView C, AnyView D, AnyView X>
void block_tridiagonal_solve(const A& lower, const B& diagonal, const C& upper, const D& right,
                             const X& x, const TridiagonalOptions& options = {}) {
  block_tridiagonal_solve(typename X::execution_space(), lower, diagonal, upper, right, x, options);
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/columns/WaveScan_Instantiations.hpp>
#endif

#endif
