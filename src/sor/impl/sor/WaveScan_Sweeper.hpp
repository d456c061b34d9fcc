// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SWEEPER_HPP
#define WAVESCAN_IMPL_SOR_SWEEPER_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SORAlgorithm.hpp>
#include <WaveScan_SOROptions.hpp>
#include <WaveScan_SORReport.hpp>
#include <WaveScan_Schedule.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_Backend.hpp>
#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/WaveScan_MaskEncoding.hpp>
#include <impl/sor/WaveScan_PeriodicHalo.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_SecondArray.hpp>
#include <impl/sor/WaveScan_SolveIteration.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>

/// @file
/// @brief The part of a plan for SOR that computes. Plans know it by a pointer, and call it by the
/// functions at the end: those the library WaveScan::kernels has, and files that call it compile
/// nothing of this.

namespace wavescan::Impl::sor {

// Read for devices only.
template <ExecutionSpace Exec, class T>
class Components;
template <ExecutionSpace Exec, class Problem>
class ComponentIteration;

/// @brief Sweeps over arrays of one size, in two dimensions or three, and their workspace.
///
/// In two dimensions wavefront loops do what the backend declines; in three it declines nothing.
template <ExecutionSpace Exec, class T, int Rank>
class Sweeper {
 public:
  using Array = ArrayOf<T, Rank>;
  using Extents = std::array<Index, Rank>;

  WAVESCAN_SELDOM Sweeper(const Exec& exec, const Extents& extents, const SOROptions& options)
      : exec_(exec),
        order_(options.order),
        chooses_(options.schedule == Schedule::Auto),
        periodic_{options.periodic_rows, options.periodic_columns},
        restore_(options.restore),
        loops_(exec, extents, checked(extents, options)) {
    if constexpr (Rank == 2)
      if (chooses_) backend_ = backend_type(exec, extents[0], extents[1], options.stall_seconds);
  }

  Schedule schedule() const { return loops_.schedule(); }

  /// @brief The one place that decides how sweeps from x to `to`, which may be x, are done.
  /// @param p a prepared problem
  template <class P>
  auto select(const P& p, const Array& to, const SweepRequest& request) const {
    using Selected = typename backend_type::Selected;
    if (request.count == 0 || p.empty()) return Selected{};
    Selected selected{};
    if constexpr (Can<P>::sweeps) selected = backend_.select(exec_, p, to, request);
    return selected;
  }
  template <class P>
  SORAlgorithm select_algorithm(const P& problem, int count) const {
    if (count == 0 || problem.empty()) return SORAlgorithm::None;
    const auto p = prepared(problem);
    const SORAlgorithm algorithm = select(p, p.x, request(periodic_.any() ? 1 : count)).algorithm;
    return algorithm == SORAlgorithm::None ? SORAlgorithm::Wavefront : algorithm;
  }

  template <class P>
  void sweep(const P& problem, int count) const {
    if (count > 0) sweep_to(prepared(problem), problem.x, request(count));
  }

  template <class P>
  void sweep_from_zero(const P& problem, int count) const {
    SweepRequest wanted = request(count);
    wanted.from_zero = true;
    if constexpr (Can<P>::starts_from_zero) {
      const auto selected = select(problem, problem.x, wanted);
      if (!periodic_.any() && selected.algorithm != SORAlgorithm::None)
        return backend_.run(exec_, selected, problem, problem.x, wanted);
    }
    if constexpr (encodes_masks && !std::same_as<typename P::fixed_type, NoFixedPoints>)
      if (problem.fixed.word != MaskWord::None && count > 0)
        return sweep_to(prepared(problem, true), problem.x, request(count));
    clear_unknowns(exec_, problem);
    sweep(problem, count);
  }

  /// @brief Sweeps from another array, of which all is copied that sweeps do not write.
  template <class P>
  void sweep_from(const ArrayOf<const T, Rank>& start, const P& problem, int count) const {
    auto p = prepared(problem);
    p.x = writable(start);  // and only read
    sweep_to(p, problem.x, request(count));
  }

  template <class P>
  SolveReport solve(const P& problem, const SolveControl& control) const {
    if constexpr (may_have_components<P>)
      if (finds_components(problem, control)) {
        ComponentIteration iteration(exec_, components_, problem, control, forward(), backward(),
                                     restore_);
        return Solver(iteration, control).run();
      }
    Iteration<Sweeper, P> iteration(*this, problem, control);
    return Solver<Iteration<Sweeper, P>>(iteration, control).run();
  }

  /// @brief Makes the workspace of sweeps in place.
  template <class P>
  void reserve_sweeps(const P& problem, int count) {
    reserve(problem, count, false);
  }

  template <class P>
  void reserve_solve(const P& problem, const SolveControl& control) {
    if constexpr (may_have_components<P>)
      if (finds_components(problem, control)) return;
    const int count = std::min(control.check_every, control.max_sweeps);
    const bool measures = reserve(problem, count, true) && !periodic_.any();
    if (problem.empty()) return;
    if (restore_) {
      P from_backup = problem;  // which a backend may take although it declines x
      from_backup.x = backup_.like(exec_, problem.x);
      reserve(from_backup, count, true);
    }
    if (control.criterion == Criterion::Update && !measures) before_.like(exec_, problem.x);
  }

  /// @brief Reports sweeps that have got stuck by now.
  void throw_if_stuck() const {
    loops_.throw_if_stuck();
    backend_.throw_if_stuck();
  }

 private:
  using backend_type = Backend<Exec, T, Rank>;
  template <class P>
  using Can = Capabilities<backend_type, Exec, P>;
  /// Kernels of devices fetch right-hand sides well ahead, which then tell of fixed points.
  static constexpr bool encodes_masks = Rank == 2 && !runs_on_host<Exec>;
  struct NoComponents {};
  using components_type = std::conditional_t<encodes_masks, Components<Exec, T>, NoComponents>;
  template <class Owner, class P>
  friend class Iteration;

  WAVESCAN_SELDOM static const SOROptions& checked(const Extents& extents,
                                                   const SOROptions& options) {
    constexpr const char* plan = Rank == 2 ? "SOR" : "SOR3D";
    constexpr const char* names[]{"planes", "rows", "columns"};
    const auto require_some = [&](const char* name, const auto& given) {
      require(given >= 0, plan, name, "must not be negative", given);
    };
    for (std::size_t r = 0; r < Rank; ++r) require_some(names[3 - Rank + r], extents[r]);
    require_some("stall_seconds", options.stall_seconds);
    if constexpr (Rank == 2) {
      require_some("tile_rows", options.tile_rows);
      require_some("tile_columns", options.tile_columns);
      require(options.schedule == Schedule::Auto || is_exact(options.schedule), plan, "schedule",
              "must be auto, serial or tile-skewed", to_string(options.schedule));
    } else {
      require(options.schedule == Schedule::Auto, plan, "schedule", "must be auto",
              to_string(options.schedule));
      require(!options.periodic_rows, plan, "periodic_rows", "must be false", "true");
      require(!options.periodic_columns, plan, "periodic_columns", "must be false", "true");
    }
    return options;
  }

  template <class V>
  static Grid<V> writable(const Grid<const V>& g) {
    return {const_cast<V*>(g.data), g.rows, g.columns, g.row_stride, g.column_stride};
  }
  template <class V>
  static Box<V> writable(const Box<const V>& b) {
    return {const_cast<V*>(b.data), b.planes,     b.rows,         b.columns,
            b.plane_stride,         b.row_stride, b.column_stride};
  }

  /// @brief The problem as kernels of the execution space want it.
  /// @param from_zero see with_encoded_mask
  template <class P>
  auto prepared(const P& problem, [[maybe_unused]] bool from_zero = false) const {
    if constexpr (encodes_masks)
      return with_dense<P::dense>(with_encoded_mask(exec_, problem, encoded_rhs_, from_zero));
    else
      return problem;
  }

  bool forward() const { return order_ != SweepOrder::Backward; }
  bool backward() const { return order_ != SweepOrder::Forward; }
  SweepRequest request(int count) const { return {count, forward(), backward()}; }

  /// @brief Enqueues sweeps of a prepared problem, from x to `to`, which may be x. If it is not,
  /// the halo is copied, and all of x where there is nothing to sweep.
  template <class P>
  void sweep_to(const P& p, const Array& to, const SweepRequest& request) const {
    if constexpr (Rank == 2)
      if (periodic_.any() && request.count > 0) {
        if (p.x.data != to.data) copy_entries(exec_, "WaveScan::sor::copy", read_only(p.x), to);
        P in_place = p;
        in_place.x = to;
        for (int k = 0; k < request.count; ++k)
          for (const bool backwards : {false, true}) {
            if (!(backwards ? request.backward : request.forward)) continue;
            wrap_halo(to);
            sweep_with_halo(in_place, to, {1, !backwards, backwards});
          }
        return;
      }
    sweep_with_halo(p, to, request);
  }
  void wrap_halo(const Array& x) const {
    if constexpr (Rank == 2) sor::wrap_halo(exec_, x, periodic_);
  }

  /// @brief Does such sweeps with the halo as it is.
  template <class P>
  WAVESCAN_SELDOM void sweep_with_halo(const P& p, const Array& to,
                                       const SweepRequest& request) const {
    if constexpr (Can<P>::sweeps) {
      const auto selected = select(p, to, request);
      if (selected.algorithm != SORAlgorithm::None)
        return backend_.run(exec_, selected, p, to, request);
    }
    const bool nothing = request.count == 0 || p.empty();
    if (p.x.data != to.data) {
      copy_entries(exec_, "WaveScan::sor::copy", read_only(p.x), to);
      P in_place = p;
      in_place.x = to;
      if (!nothing) sweep_with_halo(in_place, to, request);
    } else if constexpr (Rank == 2) {
      if (!nothing) loops_.sweep(p, request);
    }
  }

  /// @brief Sweeps, and what the last pass has measured, if the backend does that. Waits.
  template <class P>
  std::optional<ResidualSum> measured_sweep_to([[maybe_unused]] const P& p,
                                               [[maybe_unused]] const Array& to,
                                               [[maybe_unused]] SweepRequest request,
                                               [[maybe_unused]] Criterion criterion) const {
    if constexpr (Can<P>::measures) {
      if (periodic_.any()) return std::nullopt;
      request.measured = criterion;
      const auto selected = select(p, to, request);
      if (selected.algorithm != SORAlgorithm::None)
        return backend_.run_measured(exec_, selected, p, to, request);
    }
    return std::nullopt;
  }

  /// @brief Makes the workspace of sweeps in place; true if they can measure what checks need.
  template <class P>
  bool reserve(const P& problem, int count, [[maybe_unused]] bool measured) {
    if (problem.empty()) return true;
    const auto p = prepared(problem);
    if constexpr (Can<std::remove_const_t<decltype(p)>>::sweeps)
      if (backend_.reserve(exec_, p, request(periodic_.any() ? 1 : count), measured)) return true;
    if constexpr (Rank == 2) loops_.reserve(p);
    return false;
  }

  template <class P>
  static constexpr bool may_have_components =
      encodes_masks&& std::same_as<typename P::fixed_type, FixedPoints>&& FivePointProblem<P>;
  /// @brief Whether a solve had best visit the unknowns only. Hosts do so in each call.
  template <class P>
  bool finds_components(const P& problem, const SolveControl& control) const {
    return chooses_ && !periodic_.any() &&
           components_.find(exec_, problem, std::min(control.check_every, control.max_sweeps),
                            forward() && backward());
  }

  Exec exec_;
  SweepOrder order_;
  bool chooses_;  ///< whether another way than the loops' may be taken
  Periodic periodic_;
  bool restore_;
  SecondArray<Exec, T> backup_;       ///< of the last check
  SecondArray<Exec, T> before_;       ///< the last pass
  SecondArray<Exec, T> encoded_rhs_;  ///< the right-hand side with fixed points
  backend_type backend_;
  Loops<Exec, T, Rank> loops_;
  [[no_unique_address]] components_type components_;  ///< of unknowns
};

/// @name What plans call
/// No members, for to declare one as compiled elsewhere takes its whole class.
/// @{
template <ExecutionSpace Exec, class T, int Rank>
std::shared_ptr<Sweeper<Exec, T, Rank>> make_sweeper(const Exec& exec,
                                                     const std::array<Index, Rank>& extents,
                                                     const SOROptions& options) {
  const Calling calling(Rank == 2 ? "SOR" : "SOR3D");
  return std::make_shared<Sweeper<Exec, T, Rank>>(exec, extents, options);
}
template <ExecutionSpace Exec, class T, int Rank>
Schedule schedule_of(const Sweeper<Exec, T, Rank>& sweeper) {
  return sweeper.schedule();
}
template <ExecutionSpace Exec, class T, int Rank>
void throw_if_stuck(const Sweeper<Exec, T, Rank>& sweeper) {
  sweeper.throw_if_stuck();
}
template <ExecutionSpace Exec, class T, int Rank, class P>
SORAlgorithm select_algorithm(const Sweeper<Exec, T, Rank>& sweeper, const P& problem, int count) {
  return sweeper.select_algorithm(problem, count);
}
template <ExecutionSpace Exec, class T, int Rank, class P>
WAVESCAN_NOT_INLINED void sweep(const Sweeper<Exec, T, Rank>& sweeper, const P& problem,
                                int count) {
  sweeper.sweep(problem, count);
}
template <ExecutionSpace Exec, class T, int Rank, class P>
WAVESCAN_NOT_INLINED void sweep_from_zero(const Sweeper<Exec, T, Rank>& sweeper, const P& problem,
                                          int count) {
  sweeper.sweep_from_zero(problem, count);
}
template <ExecutionSpace Exec, class T, int Rank, class P>
WAVESCAN_NOT_INLINED void sweep_from(const Sweeper<Exec, T, Rank>& sweeper,
                                     const ArrayOf<const T, Rank>& start, const P& problem,
                                     int count) {
  sweeper.sweep_from(start, problem, count);
}
template <ExecutionSpace Exec, class T, int Rank, class P>
WAVESCAN_NOT_INLINED SolveReport solve(const Sweeper<Exec, T, Rank>& sweeper, const P& problem,
                                       const SolveControl& control) {
  return sweeper.solve(problem, control);
}
template <ExecutionSpace Exec, class T, int Rank, class P>
void reserve_sweeps(Sweeper<Exec, T, Rank>& sweeper, const P& problem, int count) {
  sweeper.reserve_sweeps(problem, count);
}
template <ExecutionSpace Exec, class T, int Rank, class P>
void reserve_solve(Sweeper<Exec, T, Rank>& sweeper, const P& problem, const SolveControl& control) {
  sweeper.reserve_solve(problem, control);
}
/// @}

}  // namespace wavescan::Impl::sor

#endif
