// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_HOST_HPP
#define WAVESCAN_IMPL_SOR_HOST_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_InplaceVector.hpp>
#include <impl/WaveScan_SOR_Copy.hpp>
#include <impl/WaveScan_SOR_HostLaunch.hpp>
#include <impl/WaveScan_SOR_HostRuns.hpp>
#include <impl/WaveScan_SOR_Loop.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#include <impl/WaveScan_SOR_Residual.hpp>
#include <impl/WaveScan_SOR_VariableLoop.hpp>
#include <impl/WaveScan_Wavefront_Problem.hpp>
#include <impl/WaveScan_Wavefront_Serial.hpp>

#include <optional>

/// @file
/// @brief SOR on the host: fused sweeps in vector registers, in bands that follow each other.
///
/// Every value has the bits of the serial loop (see WaveScan_SOR_Loop.hpp), however many threads
/// and lanes there are and however sweeps are fused: the order of operations is natural order's,
/// and multiply-adds are rounded once. Processors without AVX2 and FMA have the general schedules.

namespace wavescan::Impl {

/// @brief The ways of sweeping arrays of one size on the host.
/// @tparam Most the best target to use
template <ExecutionSpace Exec, class V, class Most = Avx512>
class SORHost {
  /// @brief Groups of passes, and how often all of them are done.
  struct Groups {
    InplaceVector<SORHostGroup, 4> each;
    int times = 1;
    bool empty() const { return each.empty() || times == 0; }
  };

 public:
  bool choose = true;  ///< whether small grids are left to the serial loop

  SORHost() = default;
  SORHost(const Exec&, Index rows, Index columns)
      : lanes_(rows < 3 || columns < 3 ? 0 : SORHostLauncher<Exec, V, Most>::lanes()) {}

  /// @brief Enqueues `count` sweeps, each of them a forward pass, a backward one or both, or
  /// returns false if other kernels must do them.
  template <class C>
  bool sweep(const Exec& exec, const SORProblem<V, C>& problem, int count, bool forward,
             bool backward) const {
    return sweep_to(exec, problem, problem.x, count, forward, backward);
  }

  /// @brief The same, with the result in `to` instead of x, which keeps its values; the halo and
  /// its corners are copied as well.
  template <class C>
  bool sweep_to(const Exec& exec, const SORProblem<V, C>& problem, const Grid<V>& to, int count,
                bool forward, bool backward) const {
    const bool in_place = problem.x.data == to.data;
    if (!suits(problem, to) || (count == 0 && !in_place)) return false;
    if (sweep_runs(exec, problem, to, count, forward, backward)) return true;
    return with_kernels_for(problem, [&](const auto& p) {
      const Groups groups = groups_of(p, count, forward, backward);
      const bool bands = pays(exec, p, groups);
      make_room(exec, p, groups, false);  // also for fewer sweeps, which may be quicker in bands
      if (bands)
        run(exec, p, to, groups);
      else if (in_place)
        run_serial_loop(exec, problem, count, forward, backward);
      return bands || in_place;
    });
  }

  /// @brief The same, and what the last pass has measured: the updates it made, or the residuals
  /// it has left. Waits for that. Nothing is done if other kernels must do it.
  template <class C>
  std::optional<ResidualSum> measured_sweep_to(const Exec& exec, const SORProblem<V, C>& problem,
                                               const Grid<V>& to, int count, bool forward,
                                               bool backward, Criterion criterion) const {
    if (count == 0 || !suits(problem, to)) return std::nullopt;
    return with_kernels_for(problem, [&](auto p) -> std::optional<ResidualSum> {
      const Groups groups = groups_of(p, count, forward, backward);
      if (!pays(exec, p, groups)) return std::nullopt;
      const bool symmetric = forward && backward;  // whose last pass is half a sweep
      const int but_last = symmetric ? 0 : count - groups.each.back().fused;
      const bool runs = sweep_runs(exec, problem, to, but_last, forward, backward);
      const Grid<V> from = runs ? to : run(exec, p, to, groups, 1);
      p.x = to;
      return launcher_.measure(exec, p, from, groups.each.back(), criterion);
    });
  }

  /// @brief Makes the workspace of such sweeps, and of measuring them, beforehand. False if other
  /// kernels must do them, or measure fewer of them.
  template <class C>
  bool reserve(const Exec& exec, const SORProblem<V, C>& problem, int count, bool forward,
               bool backward, bool measured) const {
    if (runs_.suits(problem, count)) runs_.reserve(exec, problem);
    return suits(problem, problem.x) && with_kernels_for(problem, [&](const auto& p) {
             const Groups groups = groups_of(p, count, forward, backward);
             make_room(exec, p, groups, measured);
             return !measured ||
                    (pays(exec, p, groups) && pays(exec, p, groups_of(p, 1, forward, backward)));
           });
  }

 private:
  /// @brief Calls use(p) with the problem as kernels know it: those for constants have no mask.
  template <class Use>
  static auto with_kernels_for(const SORProblem<V>& p, const Use& use) {
    return p.fixed.word == FixedPoints::Word::None ? use(p) : use(with_fields(p));
  }
  template <class Use>
  static auto with_kernels_for(const VariableSORProblem<V>& p, const Use& use) {
    return use(p);
  }

  template <class C>
  bool suits(const SORProblem<V, C>& given, const Grid<V>& to) const {
    const bool exchanged = !has_dense_rows(given.x);
    const auto p = exchanged ? transposed(given) : given;
    return lanes_ > 0 && !p.empty() && has_dense_rows(p.x) &&
           has_dense_rows(exchanged ? wavescan::transposed(to) : to) &&
           (!p.rhs.data || has_dense_rows(p.rhs)) && suit(p.coefficients);
  }
  static bool suit(const SORCoefficients<V>&) { return true; }
  static bool suit(const CoefficientFields<V>& c) {
    const auto suits = [](const CoefficientField<V>& field) {
      return !field.values.data || has_dense_rows(field.values);
    };
    return suits(c.center) && suits(c.left) && suits(c.up) && suits(c.right) && suits(c.down) &&
           suits(c.rhs);
  }

  /// @brief Sweeps over unknowns only, from x to `to`, if these are few.
  template <class C>
  bool sweep_runs(const Exec& exec, SORProblem<V, C> p, const Grid<V>& to, int count, bool forward,
                  bool backward) const {
    if (!choose || !runs_.suits(p, count) || !runs_.are_few(exec, p)) return false;
    if (p.x.data != to.data) copy_entries(exec, "WaveScan::sor::copy", read_only(p.x), to);
    p.x = to;
    runs_.sweep(exec, p, count, forward, backward);
    return true;
  }

  template <class Problem>
  static Groups groups_of(const Problem&, int count, bool forward, bool backward) {
    Groups groups;
    if (forward && backward) {
      groups.each.push_back({1, 1, false});
      groups.each.push_back({1, 1, true});
      groups.times = count;
      return groups;
    }
    for (int fused = most_fused_on_host<Problem>; fused >= 1; count %= fused, fused /= 2)
      if (count >= fused) groups.each.push_back({fused, count / fused, backward});
    return groups;
  }

  template <class Problem>
  void make_room(const Exec& exec, const Problem& p, const Groups& groups, bool measured) const {
    for (const SORHostGroup& group : groups.each) {
      launcher_.reserve(exec, p, group, false);
      if (measured) launcher_.reserve(exec, p, group, true);
    }
  }

  /// @brief Whether bands are quicker than the serial loop: they spend long on their ends, and on
  /// lanes that have no row. Nanoseconds as measured with registers of 4 to 16 lanes and a thread;
  /// further threads make bands faster, by a quarter at least.
  template <class C>
  bool pays(const Exec& exec, const SORProblem<V, C>& given, const Groups& groups) const {
    if (!choose || groups.empty()) return true;
    const auto p = has_dense_rows(given.x) ? given : transposed(given);
    const int fused = groups.each.front().fused;
    const SORHostCut cut(p.interior_rows(), p.interior_columns(), lanes_, fused);
    const auto lanes = static_cast<double>(lanes_);
    const double ends = 12 * lanes * lanes;
    const double block = lanes * (0.8 + 0.41 * lanes + 3.0 * fused);
    const auto updates = static_cast<double>(p.interior_rows() * p.interior_columns() * fused);
    const bool several = cut.bands > 1 || groups.each.front().passes > 1;
    // Against the order of memory the serial loop waits for a cache line at each point, unless
    // points share lines or the array stays in the cache.
    constexpr Index line_bytes = 64, cache_bytes = 1 << 24;
    const Index row_bytes = p.x.columns * static_cast<Index>(sizeof(V));
    const bool waits = !has_dense_rows(given.x) && row_bytes >= 4 * line_bytes &&
                       p.x.rows * row_bytes > cache_bytes;
    const double serial =
        (several && resident_teams(exec, 1) > 1 ? 2.4 : 1.8) * updates + (waits ? 8 : 0) * updates;
    return static_cast<double>(cut.bands) * (ends + static_cast<double>(cut.blocks) * block) <
           serial;
  }

  /// @brief Enqueues all passes, or all but the last few, of which the first one goes from x to
  /// `to`, and returns where the values then are.
  template <class Problem>
  Grid<V> run(const Exec& exec, Problem p, const Grid<V>& to, const Groups& groups,
              Index but_last = 0) const {
    Grid<V> from = p.x;
    if (!groups.empty() && from.data != to.data) copy_halo(exec, from, to);
    p.x = to;
    for (int k = 1; k <= groups.times; ++k)
      for (const SORHostGroup& given : groups.each) {
        SORHostGroup group = given;
        if (k == groups.times && &given == &groups.each.back()) group.passes -= but_last;
        if (group.passes == 0) continue;
        launcher_.enqueue(exec, p, from, group);
        from = to;
      }
    return from;
  }

  template <class C>
  static void run_serial_loop(const Exec& exec, const SORProblem<V, C>& p, int count, bool forward,
                              bool backward) {
    for (int sweep = 0; sweep < count; ++sweep) {
      if (forward) enqueue_serial(exec, p);
      if (backward) enqueue_serial(exec, reversed(p));
    }
  }
  static void enqueue_serial(const Exec& exec, const SORProblem<V>& p) {
    const SORLoop<V> loop{p.coefficients, p.rhs};
    if (p.fixed.word == FixedPoints::Word::None)
      enqueue_serial(exec, loop, p.x);
    else
      enqueue_serial(exec, MaskedSORLoop<V, FixedPoints>{loop, p.fixed}, p.x);
  }
  static void enqueue_serial(const Exec& exec, const VariableSORProblem<V>& p) {
    enqueue_serial(exec, VariableSORLoop<V, FixedPoints>{p.coefficients, p.rhs, p.fixed}, p.x);
  }
  template <class Loop>
  static void enqueue_serial(const Exec& exec, const Loop& loop, const Grid<V>& x) {
    run_serial(exec, WavefrontProblem<Loop>{
                         loop, row_recurrence(loop), x, {1, x.rows - 1, 1, x.columns - 1}});
  }

  int lanes_ = 0;
  SORHostLauncher<Exec, V, Most> launcher_;
  SORHostRuns<Exec, V> runs_;
};

}  // namespace wavescan::Impl

#endif
