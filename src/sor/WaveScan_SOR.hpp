// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SOR_HPP
#define WAVESCAN_SOR_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <WaveScan_SORCheck.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SOROptions.hpp>
#include <WaveScan_SORPlan.hpp>
#include <WaveScan_SORReport.hpp>
#include <WaveScan_SORVariableCoefficients.hpp>
#include <WaveScan_StencilMatrix.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_SORArguments.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

/// @file
/// @brief Successive over-relaxation (SOR) in natural order on a rectangular grid, or on a box of
/// points.
///
/// Source: Hou et al., "Highly Efficient Compensation-based Parallelism for Wavefront Loops on
/// GPUs", IPDPS 2018, section IV.
///
/// In three dimensions: D. M. Young, "Iterative Solution of Large Linear Systems", 1971, chapter 3.
///
/// The unknowns are the interior of x, an array of (m+2) x (n+2), or (l+2) x (m+2) x (n+2): the
/// outermost rows, columns and planes are a halo that holds boundary values and is not written but
/// where SOROptions say that it is periodic. Its corners are used by nine points only, in three
/// dimensions its edges never. An x with less than 3 rows, columns or planes has no unknowns, and
/// nothing is done.

namespace wavescan {
namespace Impl {

template <class Exec, class X>
using SORPlanFor = SOR<Exec, SORValue<X>, static_cast<int>(X::rank())>;

}  // namespace Impl

/// @brief Relaxes x by `count` sweeps of SOR in natural order.
///
/// A forward sweep visits the unknowns row by row and computes, with the coefficients c (of the
/// point, where they vary),
///
///     s = c.rhs * b                      (only with a right-hand side)
///     s = fma(c.center, x, s)            (c.center * x without one)
///     s = fma(c.right, x_right, s)
///     s = fma(c.down, x_down, s)
///     s = fma(c.up, x_up, s)             (updated before)
///     x = fma(x_left, c.left, s)         (updated before)
///
/// with `fma` being fused_multiply_add. A backward sweep is the same in the other direction, with
/// left and right, up and down swapped. These operations are done and these bits come out, on
/// every machine, whatever the shape, the layout, the schedule, the inputs and the number of
/// threads. Where coefficients vary and the last one is zero, the last operation is left out: not
/// even NaN comes from that neighbour.
///
/// In three dimensions a sweep visits the unknowns plane by plane, each of them row by row, and
/// adds between x_down and x_up
///
///     s = fma(c.back, x_back, s)
///     s = fma(c.front, x_front, s)       (updated before)
///
/// There a mask, too, leaves out the last operation where c.left is zero. On hosts up to 8 sweeps
/// go through the planes together, with one pass over the memory; rows are computed in vector
/// registers where those of x and all Views are contiguous (LayoutRight), else one number at a
/// time.
///
/// Enqueues on `exec` and returns. Keeps its workspace for the next such call (see
/// WaveScan_Workspaces.hpp), which also reports whether this one got stuck. Data that are not
/// finite are not looked for. Work: O(m n) a sweep, of 5 multiply-adds a point, O(l m n) of 7
/// in three dimensions; memory traffic: x once in and once out, and each input once.
///
/// @param exec         execution space instance; left out: the default instance of X's space
/// @param x            View of float or double, (m+2) x (n+2) with its halo, any layout, or
///                     (l+2) x (m+2) x (n+2), any layout whose dimensions lie within each other
/// @param coefficients of the step: SORCoefficients (mean_of_five, poisson, or your own),
///                     NinePointCoefficients or variable ones; of rank 3 SORCoefficients3D
///                     (poisson_3d, or your own) or VariableCoefficients3D
/// @param count        number of sweeps
/// @param inputs       right-hand side, mask of fixed points
/// @param options      order, schedule, tile size; of rank 3 the schedule must be auto
/// @throws std::invalid_argument if extents differ, elements of x overlap, an input or a View of
/// coefficients shares memory with x, a constant coefficient is not finite, the count is
/// negative, the schedule is not exact or, of rank 3, not auto, or rank 3 is to be periodic
/// @throws std::runtime_error if an earlier call got stuck, see SOROptions::stall_seconds
template <ExecutionSpace Exec, Impl::ViewOfPoints X, class C = Impl::DefaultSORCoefficients<X>,
          class Rhs = NoInput, class Mask = NoInput>
void sor_sweeps(const Exec& exec, const X& x, const C& coefficients, int count,
                const SORInputs<Rhs, Mask>& inputs = {}, SOROptions options = {}) {
  const Impl::Calling calling("sor_sweeps");
  options.restore = false;  // nothing is looked at
  Impl::kept_like<Impl::SORPlanFor<Exec, X>>(exec, x, options)
      ->sweeps(x, coefficients, count, inputs);
}

/// @brief Sweeps that start from one array and end in another.
///
/// `to` becomes what sor_sweeps makes of a copy of `from`, halo included; `from` is only read. With
/// ZeroGuess in its place all unknowns are zero at first, and `to` keeps its halo and the points
/// that are held fixed: one symmetric sweep of the right-hand side r is then SSOR as a
/// preconditioner, `to` = M^-1 r.
///
/// @param exec         execution space instance; left out: the default instance of To's space
/// @param from         View with the extents and the value type of `to`, any layout, or ZeroGuess{}
/// @param to           View of float or double, (m+2) x (n+2) with its halo, any layout
/// @param coefficients of the step, see above
/// @param count        number of sweeps; with none `to` is what is started from
/// @param inputs       right-hand side, mask of fixed points
/// @param options      order, schedule, tile size
/// @throws std::invalid_argument as above, with `to` for x, and if `from` shares memory with `to`
/// @throws std::runtime_error if an earlier call got stuck, see SOROptions::stall_seconds
template <ExecutionSpace Exec, StartOfSOR From, Impl::ViewOfPoints To,
          class C = Impl::DefaultSORCoefficients<To>, class Rhs = NoInput, class Mask = NoInput>
void sor_sweeps(const Exec& exec, const From& from, const To& to, const C& coefficients, int count,
                const SORInputs<Rhs, Mask>& inputs = {}, SOROptions options = {}) {
  const Impl::Calling calling("sor_sweeps");
  options.restore = false;
  Impl::kept_like<Impl::SORPlanFor<Exec, To>>(exec, to, options)
      ->sweeps(from, to, coefficients, count, inputs);
}

/// @brief Relaxes x by sweeps of SOR until the residual is small.
///
/// The residual is that of the linear system behind the coefficients (see sor_residual). It is
/// looked at before the first sweep and then every `control.check_every` sweeps. The solve stops
/// - Converged, when it is at most max(tolerance, relative_tolerance * initial residual);
/// - MaxSweeps, after control.max_sweeps sweeps;
/// - Diverged, when it exceeds divergence_factor * initial residual or is not finite any more; x is
///   then as it was at the check before (see SOROptions::restore);
/// - NonFinite, with x untouched, when it is not finite before the first sweep: NaN or infinity in
///   x, the halo, the right-hand side or the coefficients, or residuals too large for a double;
/// - Cancelled, when control.progress returns false.
///
/// With Criterion::Update the same holds for the update, the change of x by the last pass (a
/// symmetric sweep has two). It is looked at after the first sweep, which gives the initial value,
/// and then every `check_every` sweeps; see Criterion for what it says about the residual.
///
/// Residuals and updates whose squares leave the range of double, below 1e-144 or above 1e150, are
/// scaled, which takes another pass; for an update the sweeps since the last check are done again.
/// Only where a kernel measures updates and x is not kept (SOROptions::restore), the maximum of
/// such updates stands for their root mean square.
///
/// By default x has the bits of as many sweeps of the serial loop. How many those are depends on a
/// norm, whose terms are added up in an order of the machine's own.
///
/// Waits for the norm at every check. Work: that of sor_sweeps. On hosts with vectors of fused
/// multiply-adds the norm comes out of the last pass of sweeps, which for a residual costs about
/// half a sweep more, and for an update next to nothing. So does the update on GPUs that fuse
/// sweeps (compute capability 9.0 and newer, the same coefficients everywhere), its terms rounded
/// to the type of x, and the residual where that is faster than a pass of its own. Elsewhere a
/// check takes a pass of its own for a residual, which needs no memory, and for an update a copy of
/// x as well. Where sweeps can end in another array than they start from, there and on GPUs that
/// fuse sweeps, what x was at the check before remains without a copy; x itself is up to date when
/// `control.progress` is called and at the end. In three dimensions every check takes a pass of its
/// own.
///
/// @param exec         execution space instance; left out: the default instance of X's space
/// @param x            View of float or double, (m+2) x (n+2) or (l+2) x (m+2) x (n+2) with
///                     its halo: the initial guess, then the solution
/// @param coefficients of the step, see sor_sweeps
/// @param inputs       right-hand side, mask of fixed points
/// @param control      criterion, tolerances, limits, progress
/// @param options      order, schedule, tile size
/// @return why it stopped, after how many sweeps, and all residuals
/// @throws std::invalid_argument as sor_sweeps, and if the constant coefficient center is 1 (a
/// matrix with zeros on its diagonal), a tolerance or max_sweeps is negative, or check_every is not
/// positive
/// @throws std::runtime_error if sweeps got stuck, see SOROptions::stall_seconds
template <ExecutionSpace Exec, Impl::ViewOfPoints X, class C = Impl::DefaultSORCoefficients<X>,
          class Rhs = NoInput, class Mask = NoInput>
SolveReport sor_solve(const Exec& exec, const X& x, const C& coefficients,
                      const SORInputs<Rhs, Mask>& inputs = {}, const SolveControl& control = {},
                      const SOROptions& options = {}) {
  const Impl::Calling calling("sor_solve");
  return Impl::kept_like<Impl::SORPlanFor<Exec, X>>(exec, x, options)
      ->solve(x, coefficients, inputs, control);
}

/// @brief The norm of the residual of the linear system that SOR relaxes,
///
///     r = b - ((1-center)*x - left*x_left - up*x_up - right*x_right - down*x_down) / rhs
///
/// over all unknowns that are not fixed, in the units of b; where the coefficient rhs is zero, the
/// numerator alone. For poisson(omega, h) this is r = f + Laplace_h(x) whatever omega is. Computed
/// in double, in one pass over x; waits for the result.
///
/// @param exec         execution space instance; left out: the default instance of X's space
/// @param x            View of float or double, (m+2) x (n+2) with its halo, any layout
/// @param coefficients of the step, see sor_sweeps
/// @param inputs       right-hand side, mask of fixed points
/// @param norm         root mean square or maximum
/// @return the norm, whatever the range of the residuals' squares; zero if there are no unknowns,
/// NaN if a residual is not finite
/// @throws std::invalid_argument if extents differ, an input or a View of coefficients shares
/// memory with x, or a constant coefficient is not finite
template <ExecutionSpace Exec, Impl::ViewOfPoints X, class C = Impl::DefaultSORCoefficients<X>,
          class Rhs = NoInput, class Mask = NoInput>
double sor_residual(const Exec& exec, const X& x, const C& coefficients,
                    const SORInputs<Rhs, Mask>& inputs = {},
                    ResidualNorm norm = ResidualNorm::RootMeanSquare) {
  const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_residual");
  return Impl::sor::residual_norm(
      exec, Impl::sor::make_problem<Exec>("sor_residual", "x", x, coefficients, inputs), norm);
}

/// @brief sor_sweeps on the default instance of the View's execution space.
template <Impl::ViewOfPoints X, class C = Impl::DefaultSORCoefficients<X>, class Rhs = NoInput,
          class Mask = NoInput>
void sor_sweeps(const X& x, const C& coefficients, int count,
                const SORInputs<Rhs, Mask>& inputs = {}, const SOROptions& options = {}) {
  sor_sweeps(typename X::execution_space(), x, coefficients, count, inputs, options);
}

/// @brief sor_sweeps from one array to another on the default instance of To's execution space.
template <StartOfSOR From, Impl::ViewOfPoints To, class C = Impl::DefaultSORCoefficients<To>,
          class Rhs = NoInput, class Mask = NoInput>
void sor_sweeps(const From& from, const To& to, const C& coefficients, int count,
                const SORInputs<Rhs, Mask>& inputs = {}, const SOROptions& options = {}) {
  sor_sweeps(typename To::execution_space(), from, to, coefficients, count, inputs, options);
}

/// @brief sor_solve on the default instance of the View's execution space.
template <Impl::ViewOfPoints X, class C = Impl::DefaultSORCoefficients<X>, class Rhs = NoInput,
          class Mask = NoInput>
SolveReport sor_solve(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {},
                      const SolveControl& control = {}, const SOROptions& options = {}) {
  return sor_solve(typename X::execution_space(), x, coefficients, inputs, control, options);
}

/// @brief sor_residual on the default instance of the View's execution space.
template <Impl::ViewOfPoints X, class C = Impl::DefaultSORCoefficients<X>, class Rhs = NoInput,
          class Mask = NoInput>
double sor_residual(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {},
                    ResidualNorm norm = ResidualNorm::RootMeanSquare) {
  return sor_residual(typename X::execution_space(), x, coefficients, inputs, norm);
}

}  // namespace wavescan

#endif
