// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PENTADIAGONALSOLVE_HPP
#define WAVESCAN_PENTADIAGONALSOLVE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_TridiagonalOptions.hpp>
#include <impl/columns/WaveScan_SolveBands.hpp>

namespace wavescan {

/// @brief Solves pentadiagonal systems: e_i x_{i-2} + a_i x_{i-1} + b_i x_i + c_i x_{i+1} +
/// f_i x_{i+2} = d_i.
///
///     pentadiagonal_solve([exec,] lower2, lower, diagonal, upper, upper2, right, x [, options])
///
/// By elimination without pivoting: for systems that are diagonally dominant or positive definite.
/// A pivot of zero makes infinities or NaN, not an error; what is not a number in one system stays
/// there.
///
/// On NVIDIA and AMD GPUs systems of up to some thousand unknowns (of double 8192 on GPUs with
/// clusters of blocks, from compute capability 9.0 on, else 2048, or 1024 on Turing and AMD GPUs;
/// of float twice as many) are solved in one pass, as those of tridiagonal_solve: what chunks of
/// rows need of each other is a system of blocks of two. Longer ones are solved by a thread each;
/// on hosts, several in the lanes of vectors, or chunks of few long ones. Of nearly singular
/// matrices chunks lose more digits than elimination from the first row on does; `refinements` gets
/// them back.
///
/// - `lower2`, `lower`, `diagonal`, `upper`, `upper2`: Views of float or double: of the rank of
///   `right`; of rank 1 beside right-hand sides of rank 2, the matrix of all systems; or of rank 0,
///   one number for all rows. What reaches beyond the ends is not read if systems are not cyclic
/// - `right`: View of rank 1 or 2
/// - `x`: View of at least these extents, may be `right` itself
/// - `options`: as of tridiagonal_solve. With `cyclic`, the two last unknowns come before the first
///   one
///
/// Work: O(elements). Memory: none in one pass; otherwise two numbers for each element, four of
/// cyclic systems, five of few long ones on hosts, and those that `refinements` takes.
///
/// Sources: those of tridiagonal_solve.
///
/// @throws std::invalid_argument if extents differ, Views partly overlap, or the axis is wrong
template <ExecutionSpace Exec, AnyView A2, AnyView A1, AnyView B, AnyView C1, AnyView C2, AnyView D,
          AnyView X, class Options = TridiagonalOptions>
void pentadiagonal_solve(const Exec& exec, const A2& lower2, const A1& lower, const B& diagonal,
                         const C1& upper, const C2& upper2, const D& right, const X& x,
                         const Options& options = {}) {
  Impl::columns::solve_bands(exec, "pentadiagonal_solve", options, right, x, lower2, lower,
                             diagonal, upper, upper2);
}

/// @brief pentadiagonal_solve on the default instance of x's execution space.
template <AnyView A2, AnyView A1, AnyView B, AnyView C1, AnyView C2, AnyView D, AnyView X,
          class Options = TridiagonalOptions>
void pentadiagonal_solve(const A2& lower2, const A1& lower, const B& diagonal, const C1& upper,
                         const C2& upper2, const D& right, const X& x,
                         const Options& options = {}) {
  pentadiagonal_solve(typename X::execution_space(), lower2, lower, diagonal, upper, upper2, right,
                      x, options);
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/columns/WaveScan_Instantiations.hpp>
#endif

#endif
