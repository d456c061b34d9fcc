// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SORPLAN_HPP
#define WAVESCAN_SORPLAN_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <WaveScan_SORAlgorithm.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SOROptions.hpp>
#include <WaveScan_SORReport.hpp>
#include <WaveScan_SORVariableCoefficients.hpp>
#include <WaveScan_Schedule.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_Box.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SORArguments.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_Sweeper.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief A plan for SOR in two dimensions or three, which owns the workspace.

namespace wavescan {

/// @brief A plan for SOR on arrays of one size, which owns the workspace.
///
/// Calls allocate nothing, neither memory of the device nor of the host, once a call like them has
/// been made, or announced by `reserve_sweeps` or `reserve_solve`: a call with the same layout, no
/// more sweeps, and coefficients and inputs of the same kinds. (The history of a solve, and what
/// Kokkos itself needs for a launch, such as its label, are in the host's memory.) One plan must
/// not be used from two instances, nor from two threads, at a time; two plans may be.
///
/// Memory: for `solve` an array like x (see SOROptions::restore), with Criterion::Update another
/// one where no kernel measures updates, or their squares leave the range of double, and nine where
/// a GPU keeps the grid on the chip; for the sweeps a row of values or a counter for each row of
/// tiles; for masks on GPUs an array like x, or in solves with few unknowns some numbers for each
/// of these (a later call whose mask has more of them may allocate).
///
/// In three dimensions: for `solve` an array like x (see SOROptions::restore), with
/// Criterion::Update another one; on hosts some rows, and for masks of other types than bytes a
/// byte for each point; on GPUs that sweep along pencils about 0.7 of an array like x, and with a
/// mask another one.
///
/// @tparam Exec execution space
/// @tparam T    float or double
/// @tparam Rank dimensions: 2 or 3
template <ExecutionSpace Exec, class T, int Rank = 2>
class SOR {
  static_assert(std::same_as<T, float> || std::same_as<T, double>,
                "WaveScan: SOR works on float or double");
  static_assert(Rank == 2 || Rank == 3, "WaveScan: SOR works in two dimensions or three");
  using DefaultCoefficients =
      std::conditional_t<Rank == 2, SORCoefficients<T>, SORCoefficients3D<T>>;

 public:
  using value_type = T;

  /// @param exec    instance that all calls enqueue on
  /// @param rows    rows of x with its halo, m + 2
  /// @param columns columns of x with its halo, n + 2
  /// @param options order, schedule, tile size
  /// @throws std::invalid_argument if a size is negative, or the schedule is not exact
  SOR(const Exec& exec, std::int64_t rows, std::int64_t columns, const SOROptions& options = {})
  requires(Rank == 2) : SOR(exec, std::array<std::int64_t, 2>{rows, columns}, options) {}

  /// @param exec    instance that all calls enqueue on
  /// @param planes  planes of x with its halo, l + 2
  /// @param rows    rows of x with its halo, m + 2
  /// @param columns columns of x with its halo, n + 2
  /// @param options order, restore; the schedule must be auto, and tile sizes are not used
  /// @throws std::invalid_argument if a size is negative, or the schedule is another one
  SOR(const Exec& exec, std::int64_t planes, std::int64_t rows, std::int64_t columns,
      const SOROptions& options = {})
  requires(Rank == 3) : SOR(exec, std::array<std::int64_t, 3>{planes, rows, columns}, options) {}

  /// @brief A plan for arrays with the extents of `x`.
  template <ViewOfRank<Rank> X>
  static SOR like(const Exec& exec, const X& x, const SOROptions& options = {}) {
    return SOR(exec, extents_of(x), options);
  }

  /// @brief Enqueues `count` sweeps of x. See wavescan::sor_sweeps.
  /// @throws std::runtime_error if an earlier call got stuck, see SOROptions::stall_seconds
  template <AnyView X, class C = DefaultCoefficients, class Rhs = NoInput, class Mask = NoInput>
  void sweeps(const X& x, const C& coefficients, int count,
              const SORInputs<Rhs, Mask>& inputs = {}) const {
    const auto problem = checked_problem("sor_sweeps", "x", x, coefficients, inputs, count);
    const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_sweeps");
    Impl::sor::sweep(*sweeper_, problem, count);
  }

  /// @brief Enqueues `count` sweeps that start from a View, or ZeroGuess, and end in `to`. See
  /// wavescan::sor_sweeps.
  template <Impl::StartOfSORFor<Rank> From, AnyView To, class C = DefaultCoefficients,
            class Rhs = NoInput, class Mask = NoInput>
  void sweeps(const From& from, const To& to, const C& coefficients, int count,
              const SORInputs<Rhs, Mask>& inputs = {}) const {
    const auto problem = checked_problem("sor_sweeps", "to", to, coefficients, inputs, count);
    const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_sweeps");
    if constexpr (std::same_as<From, ZeroGuess>) {
      Impl::sor::sweep_from_zero(*sweeper_, problem, count);
    } else {
      Impl::sor::sweep_from(*sweeper_, Impl::sor::start_of<Exec>("sor_sweeps", from, to), problem,
                            count);
    }
  }

  /// @brief Sweeps until the residual is small. See wavescan::sor_solve.
  template <AnyView X, class C = DefaultCoefficients, class Rhs = NoInput, class Mask = NoInput>
  SolveReport solve(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {},
                    const SolveControl& control = {}) const {
    const auto problem = checked_solve(x, coefficients, inputs, control);
    const Kokkos::Profiling::ScopedRegion region("WaveScan::sor_solve");
    return Impl::sor::solve(*sweeper_, problem, control);
  }

  /// @brief Returns the algorithm that `count` sweeps of x would use. No sweep is enqueued; a mask
  /// may be read.
  /// @throws std::invalid_argument as sor_sweeps, and on GPUs std::runtime_error if sweeps before
  ///         have got stuck
  template <AnyView X, class C = DefaultCoefficients, class Rhs = NoInput, class Mask = NoInput>
  SORAlgorithm algorithm(const X& x, const C& coefficients, int count,
                         const SORInputs<Rhs, Mask>& inputs = {}) const {
    return Impl::sor::select_algorithm(
        *sweeper_, checked_problem("sor_sweeps", "x", x, coefficients, inputs, count), count);
  }

  /// @brief Waits for the calls.
  /// @throws std::runtime_error if one of them got stuck, see SOROptions::stall_seconds
  void wait() const {
    exec_.fence("WaveScan::sor::wait");
    throw_if_stuck();
  }

  /// @brief Reports calls that have got stuck by now, without waiting for any.
  /// @throws std::runtime_error if one has, see SOROptions::stall_seconds
  void throw_if_stuck() const { Impl::sor::throw_if_stuck(*sweeper_); }

  /// @brief Makes the workspace for `count` sweeps of arrays like these, so that not even the first
  /// call allocates. Values of x are neither read nor written.
  /// @throws std::invalid_argument as sor_sweeps
  template <AnyView X, class C = DefaultCoefficients, class Rhs = NoInput, class Mask = NoInput>
  void reserve_sweeps(const X& x, const C& coefficients, int count,
                      const SORInputs<Rhs, Mask>& inputs = {}) {
    Impl::sor::reserve_sweeps(
        *sweeper_, checked_problem("sor_sweeps", "x", x, coefficients, inputs, count), count);
  }
  /// @brief Makes the workspace for sweeps in three dimensions, whatever their number.
  template <AnyView X, class C = DefaultCoefficients, class Rhs = NoInput, class Mask = NoInput>
  void reserve_sweeps(const X& x, const C& coefficients,
                      const SORInputs<Rhs, Mask>& inputs = {}) requires(Rank == 3) {
    reserve_sweeps(x, coefficients, 1, inputs);
  }

  /// @brief Makes the workspace of a solve.
  /// @throws std::invalid_argument as sor_solve
  template <AnyView X, class C = DefaultCoefficients, class Rhs = NoInput, class Mask = NoInput>
  void reserve_solve(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs = {},
                     const SolveControl& control = {}) {
    Impl::sor::reserve_solve(*sweeper_, checked_solve(x, coefficients, inputs, control), control);
  }

  /// @brief The schedule that is run where sweeps have no kernels of their own: the one asked for,
  /// or what Auto chose.
  Schedule schedule() const requires(Rank == 2) { return Impl::sor::schedule_of(*sweeper_); }

 private:
  using Extents = std::array<std::int64_t, Rank>;

  SOR(const Exec& exec, const Extents& extents, const SOROptions& options)
      : exec_(exec),
        extents_(extents),
        sweeper_(Impl::sor::make_sweeper<Exec, T, Rank>(exec, extents, options)) {}

  template <class X>
  static Extents extents_of(const X& x) {
    Extents extents;
    for (int r = 0; r < Rank; ++r)
      extents[static_cast<std::size_t>(r)] = static_cast<std::int64_t>(x.extent(r));
    return extents;
  }

  template <class X, class C, class Rhs, class Mask>
  auto checked_problem(std::string_view operation, std::string_view name, const X& x,
                       const C& coefficients, const SORInputs<Rhs, Mask>& inputs,
                       int count = 0) const {
    Impl::require(count >= 0, operation, "count", "must not be negative", count);
    static_assert(Rank != 2 || ViewOfRank<X, 2>, "WaveScan: 'x' must be a Kokkos View of rank 2");
    static_assert(Rank != 3 || ViewOfRank<X, 3>, "WaveScan: 'x' must be a Kokkos View of rank 3");
    static_assert(std::same_as<typename X::value_type, T>,
                  "WaveScan: 'x' must have elements of the plan's type that are not const");
    if (extents_of(x) != extents_) {
      std::string text;
      for (const std::int64_t extent : extents_)
        text += (text.empty() ? "" : " x ") + std::to_string(extent);
      Impl::reject(operation, name, "must have the plan's extents (" + text + ")",
                   Impl::extents_of(x));
    }
    return Impl::sor::with_dense<Impl::sor::dense_of<X>>(
        Impl::sor::make_problem<Exec>(operation, name, x, coefficients, inputs));
  }
  template <class X, class C, class Rhs, class Mask>
  auto checked_solve(const X& x, const C& coefficients, const SORInputs<Rhs, Mask>& inputs,
                     const SolveControl& control) const {
    Impl::sor::require_valid(control);
    const auto problem = checked_problem("sor_solve", "x", x, coefficients, inputs);
    Impl::sor::require_diagonal(problem.coefficients);
    return problem;
  }

  Exec exec_;
  Extents extents_;
  std::shared_ptr<Impl::sor::Sweeper<Exec, T, Rank>> sweeper_;
};

/// @brief A plan for SOR in three dimensions.
template <ExecutionSpace Exec, class T>
using SOR3D = SOR<Exec, T, 3>;

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/sor/WaveScan_Instantiations.hpp>
#include <impl/sor3d/WaveScan_Instantiations.hpp>
#endif

#endif
