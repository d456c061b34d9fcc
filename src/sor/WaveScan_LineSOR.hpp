// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_LINESOR_HPP
#define WAVESCAN_LINESOR_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SOROptions.hpp>
#include <WaveScan_SORVariableCoefficients.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/line_sor/WaveScan_LineSweeps.hpp>
#include <impl/sor/WaveScan_SORArguments.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

/// @file
/// @brief SOR in which rows are relaxed as a whole: for equations whose points depend on their left
/// and right neighbours much more than on the others.

namespace wavescan {

/// @brief The order in which a sweep relaxes its rows, each as a whole.
enum class Relaxation {
  Lines,      ///< one after the other
  ZebraLines  ///< the first, third, ... all at once, and then the others
};

/// @brief Relaxes x by `count` sweeps of line SOR.
///
/// All unknowns of a row are relaxed together: x* is the solution of their equations, in which
/// other rows have their present values, and with the coefficients of a step of SOR a row becomes
/// center x + (1 - center) x*. The coefficients mean what they mean to sor_sweeps. Columns are
/// relaxed by handing over transposed arrays.
///
/// Enqueues on `exec` and returns. Keeps its workspace for the next such call: see
/// WaveScan_Workspaces.hpp. Work: O(m n) a sweep; memory: with Lines four numbers for each column,
/// with ZebraLines two arrays like x, and two more where coefficients vary or there is a mask. Rows
/// run in parallel with ZebraLines; with Lines one team has all of them, a single thread on a host.
/// Sums depend on the team's size in their last bits.
///
/// @param exec         execution space instance; left out: the default instance of X's space
/// @param x            View of float or double, (m+2) x (n+2) with its halo, any layout
/// @param coefficients of the step, of five points or of nine, constant or variable
/// @param count        number of sweeps
/// @param inputs       right-hand side, mask of fixed points
/// @param relaxation   the order of rows
/// @param order        forward, backward or symmetric; backward ZebraLines begin with the second
/// row
/// @throws std::invalid_argument as sor_sweeps, and if the constant coefficient center is 1
///
/// Source: U. Trottenberg, C. Oosterlee, A. Schüller, "Multigrid", 2001, section 5.1.
template <ExecutionSpace Exec, ViewOfRank<2> X, class C = SORCoefficients<SORValue<X>>,
          class Rhs = NoInput, class Mask = NoInput>
void sor_line_sweeps(const Exec& exec, const X& x, const C& coefficients, int count,
                     const SORInputs<Rhs, Mask>& inputs = {},
                     Relaxation relaxation = Relaxation::Lines,
                     SweepOrder order = SweepOrder::Forward) {
  constexpr auto operation = "sor_line_sweeps";
  Impl::require(count >= 0, operation, "count", "must not be negative", count);
  const auto problem = Impl::sor::make_problem<Exec>(operation, "x", x, coefficients, inputs);
  Impl::sor::require_diagonal(problem.coefficients, operation);
  const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_line_sweeps");
  Impl::line_sor::sweep(exec, problem, count, relaxation == Relaxation::ZebraLines,
                        order != SweepOrder::Backward, order != SweepOrder::Forward);
}

/// @brief sor_line_sweeps on the default instance of X's execution space.
template <ViewOfRank<2> X, class C = SORCoefficients<SORValue<X>>, class Rhs = NoInput,
          class Mask = NoInput>
void sor_line_sweeps(const X& x, const C& coefficients, int count,
                     const SORInputs<Rhs, Mask>& inputs = {},
                     Relaxation relaxation = Relaxation::Lines,
                     SweepOrder order = SweepOrder::Forward) {
  sor_line_sweeps(typename X::execution_space(), x, coefficients, count, inputs, relaxation, order);
}

}  // namespace wavescan

#endif
