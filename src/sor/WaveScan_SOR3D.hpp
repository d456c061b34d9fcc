// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SOR3D_HPP
#define WAVESCAN_SOR3D_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <WaveScan_SOR3DPlan.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SOROptions.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/sor3d/WaveScan_Arguments.hpp>
#include <impl/sor3d/WaveScan_Norms.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

/// @file
/// @brief Successive over-relaxation (SOR) in natural order on a box of points.
///
/// The unknowns are the interior of x, an array of (l+2) x (m+2) x (n+2): the outermost planes,
/// rows and columns are a halo that holds boundary values and is never written. Its edges are never
/// used. An x with less than 3 planes, rows or columns has no unknowns, and nothing is done.
///
/// Source: D. M. Young, "Iterative Solution of Large Linear Systems", 1971, chapter 3.

namespace wavescan {

/// @brief Relaxes x by `count` sweeps of SOR in natural order.
///
/// A forward sweep visits the unknowns plane by plane, each of them row by row, and computes, with
/// the coefficients c (of the point, where they vary),
///
///     s = c.rhs * b                      (only with a right-hand side)
///     s = fma(c.center, x, s)            (c.center * x without one)
///     s = fma(c.right, x_right, s)
///     s = fma(c.down, x_down, s)
///     s = fma(c.back, x_back, s)
///     s = fma(c.front, x_front, s)       (updated before)
///     s = fma(c.up, x_up, s)             (updated before)
///     x = fma(x_left, c.left, s)         (updated before)
///
/// with `fma` being fused_multiply_add. A backward sweep is the same in the other direction, with
/// left and right, up and down, front and back exchanged. These bits come out on every machine,
/// whatever the shape, the layout, the inputs and the number of threads. Where coefficients vary,
/// or there is a mask, and the last coefficient is zero, the last operation is left out.
///
/// Enqueues on `exec` and returns. Keeps its workspace for the next such call: see
/// WaveScan_Workspaces.hpp. Data that are not finite are not looked for. Work: O(l m n)
/// a sweep, of 7 multiply-adds a point. On hosts up to 8 sweeps go through the planes together,
/// with one pass over the memory; rows are computed in vector registers where those of x and all
/// Views are contiguous (LayoutRight), else one number at a time.
///
/// @param exec         execution space instance; left out: the default instance of X's space
/// @param x            View of float or double, (l+2) x (m+2) x (n+2) with its halo, any layout
///                     whose dimensions lie within each other
/// @param coefficients of the step: SORCoefficients3D (poisson_3d, or your own) or
///                     VariableCoefficients3D
/// @param count        number of sweeps
/// @param inputs       right-hand side, mask of fixed points, of rank 3
/// @param options      order; the schedule must be hybrid
/// @throws std::invalid_argument if extents differ, elements of x overlap, an input or a View of
/// coefficients shares memory with x, a constant coefficient is not finite, the count is negative
/// or the schedule is not hybrid
template <ExecutionSpace Exec, ViewOfRank<3> X, class C = SORCoefficients3D<SORValue<X>>,
          class Rhs = NoInput, class Mask = NoInput>
void sor_sweeps(const Exec& exec, const X& x, const C& coefficients, int count,
                const SORInputs<Rhs, Mask>& inputs = {}, const SOROptions& options = {}) {
  const Impl::Calling calling("sor_sweeps");
  Impl::kept_like<SOR3D<Exec, SORValue<X>>>(exec, x, options)
      ->sweeps(x, coefficients, count, inputs);
}

/// @brief Sweeps that start from one array, or ZeroGuess, and end in another: see sor_sweeps in two
/// dimensions.
///
/// @param exec         execution space instance; left out: the default instance of To's space
/// @param from         View with the extents and the value type of `to`, any layout, or ZeroGuess{}
/// @param to           View of float or double, (l+2) x (m+2) x (n+2) with its halo, any layout
/// @param coefficients of the step, see above
/// @param count        number of sweeps; with none `to` is what is started from
/// @param inputs       right-hand side, mask of fixed points
/// @param options      order; the schedule must be hybrid
/// @throws std::invalid_argument as above, with `to` for x, and if `from` shares memory with `to`
template <ExecutionSpace Exec, Impl::StartOfSOR3D From, ViewOfRank<3> To,
          class C = SORCoefficients3D<SORValue<To>>, class Rhs = NoInput, class Mask = NoInput>
void sor_sweeps(const Exec& exec, const From& from, const To& to, const C& coefficients, int count,
                const SORInputs<Rhs, Mask>& inputs = {}, const SOROptions& options = {}) {
  const Impl::Calling calling("sor_sweeps");
  Impl::kept_like<SOR3D<Exec, SORValue<To>>>(exec, to, options)
      ->sweeps(from, to, coefficients, count, inputs);
}

/// @brief Relaxes x by sweeps of SOR until the residual, or the update, is small: all that is said
/// of sor_solve in two dimensions about criteria, reasons to stop and progress holds here.
///
/// Waits for the norm at every check, which takes a pass of its own. Work: that of sor_sweeps.
///
/// @param exec         execution space instance; left out: the default instance of X's space
/// @param x            View of float or double, (l+2) x (m+2) x (n+2) with its halo, any layout:
///                     the initial guess, then the solution
/// @param coefficients of the step, see sor_sweeps
/// @param inputs       right-hand side, mask of fixed points
/// @param control      criterion, tolerances, limits, progress
/// @param options      order, restore; the schedule must be hybrid
/// @return why it stopped, after how many sweeps, and all residuals
/// @throws std::invalid_argument as sor_sweeps, and if the constant coefficient center is 1 (a
/// matrix with zeros on its diagonal), a tolerance or max_sweeps is negative, or check_every is not
/// positive
template <ExecutionSpace Exec, ViewOfRank<3> X, class C = SORCoefficients3D<SORValue<X>>,
          class Rhs = NoInput, class Mask = NoInput>
SolveReport sor_solve(const Exec& exec, const X& x, const C& coefficients,
                      const SORInputs<Rhs, Mask>& inputs = {}, const SolveControl& control = {},
                      const SOROptions& options = {}) {
  const Impl::Calling calling("sor_solve");
  return Impl::kept_like<SOR3D<Exec, SORValue<X>>>(exec, x, options)
      ->solve(x, coefficients, inputs, control);
}

/// @brief The norm of the residual of the linear system that SOR relaxes (see SORCoefficients3D),
/// b - A x, over all unknowns that are not fixed, in the units of b; where the coefficient rhs is
/// zero, of the equation without b as it is. Computed in double, in one pass over x; waits for it.
///
/// @param exec         execution space instance; left out: the default instance of X's space
/// @param x            View of float or double, (l+2) x (m+2) x (n+2) with its halo, any layout
/// @param coefficients of the step, see sor_sweeps
/// @param inputs       right-hand side, mask of fixed points
/// @param norm         root mean square or maximum
/// @return the norm, whatever the range of the residuals' squares; zero if there are no unknowns,
/// NaN if a residual is not finite
/// @throws std::invalid_argument if extents differ, an input or a View of coefficients shares
/// memory with x, or a constant coefficient is not finite
template <ExecutionSpace Exec, ViewOfRank<3> X, class C = SORCoefficients3D<SORValue<X>>,
          class Rhs = NoInput, class Mask = NoInput>
double sor_residual(const Exec& exec, const X& x, const C& coefficients,
                    const SORInputs<Rhs, Mask>& inputs = {},
                    ResidualNorm norm = ResidualNorm::RootMeanSquare) {
  const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_residual");
  return Impl::sor3d::residual_norm(
      exec, Impl::sor3d::make_problem<Exec>("sor_residual", "x", x, coefficients, inputs), norm);
}

/// @brief sor_sweeps on the default instance of the View's execution space.
template <ViewOfRank<3> X, class C = SORCoefficients3D<SORValue<X>>, class Rhs = NoInput,
          class Mask = NoInput>
void sor_sweeps(const X& x, const C& coefficients, int count,
                const SORInputs<Rhs, Mask>& inputs = {}, const SOROptions& options = {}) {
  sor_sweeps(typename X::execution_space(), x, coefficients, count, inputs, options);
}

/// @brief sor_sweeps from one array to another on the default instance of To's execution space.
template <Impl::StartOfSOR3D From, ViewOfRank<3> To, class C = SORCoefficients3D<SORValue<To>>,
          class Rhs = NoInput, class Mask = NoInput>
void sor_sweeps(const From& from, const To& to, const C& coefficients, int count,
                const SORInputs<Rhs, Mask>& inputs = {}, const SOROptions& options = {}) {
  sor_sweeps(typename To::execution_space(), from, to, coefficients, count, inputs, options);
}

/// @brief sor_solve on the default instance of the View's execution space.
template <ViewOfRank<3> X, class C = SORCoefficients3D<SORValue<X>>, class Rhs = NoInput,
          class Mask = NoInput>
SolveReport sor_solve(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {},
                      const SolveControl& control = {}, const SOROptions& options = {}) {
  return sor_solve(typename X::execution_space(), x, coefficients, inputs, control, options);
}

/// @brief sor_residual on the default instance of the View's execution space.
template <ViewOfRank<3> X, class C = SORCoefficients3D<SORValue<X>>, class Rhs = NoInput,
          class Mask = NoInput>
double sor_residual(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {},
                    ResidualNorm norm = ResidualNorm::RootMeanSquare) {
  return sor_residual(typename X::execution_space(), x, coefficients, inputs, norm);
}

}  // namespace wavescan

#endif
