// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_HOST_HOSTSWEEPS_HPP
#define WAVESCAN_IMPL_SOR_HOST_HOSTSWEEPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_InplaceVector.hpp>
#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/host/WaveScan_HostLauncher.hpp>
#include <impl/sor/host/WaveScan_HostLoops.hpp>
#include <impl/sor/host/WaveScan_UnknownRuns.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <utility>

/// @file
/// @brief SOR on the host: temporal blocking in vector registers, in bands that follow each other.
///
/// Every value has the bits of the serial loop (see WaveScan_Stencil.hpp), however many threads
/// and lanes there are and however many sweeps a pass has: the order of operations is natural
/// order's, and multiply-adds are rounded once. Processors without AVX2 and FMA have the general
/// schedules.

namespace wavescan::Impl::sor {

/// @brief The ways of sweeping arrays of one size on the host.
/// @tparam Most the best target to use
template <ExecutionSpace Exec, class V, class Most = Avx512>
class HostSweeps {
  /// @brief Groups of passes, and how often all of them are done.
  struct Groups {
    InplaceVector<HostPassGroup, 4> each;
    int times = 1;
    bool empty() const { return each.empty() || times == 0; }
  };

 public:
  struct Selected : SelectedAlgorithm {
    Groups groups{};
  };
  bool choose = true;  ///< whether small grids are left to the serial loop

  HostSweeps() = default;
  HostSweeps(const Exec&, Index rows, Index columns, double = 0)
      : lanes_(rows < 3 || columns < 3 ? 0 : HostLauncher<Exec, V, Most>::lanes()) {}

  /// @brief Selects the way to do such sweeps from x to `to`, which may be x; None if other kernels
  /// must do them, or measure. Others do so, too, where the serial loop would have to copy x, or
  /// where it is as quick to clear an x that counts as zero.
  template <class P>
  WAVESCAN_SELDOM Selected select(const Exec& exec, const P& problem, const Grid<V>& to,
                                  const SweepRequest& r) const {
    const bool in_place = problem.x.data == to.data;
    const bool nothing = r.count == 0 && (!in_place || r.measured || r.from_zero);
    if (nothing || !supports(problem, to)) return {};
    if constexpr (has_mask<P>) {
      if (r.from_zero && problem.fixed.word != MaskWord::None) return {};
      if (!r.from_zero && !r.measured && prefers_runs(exec, problem, r.count))
        return {{SORAlgorithm::UnknownRuns}, {}};
    }
    const auto p = with_dense<P::dense>(problem);
    const Groups groups = groups_of(p, r.count, r.forward, r.backward);
    const Selected passes{{SORAlgorithm::VectorPasses}, groups};
    const bool profitable = is_profitable(exec, p, groups);
    if (r.measured) return profitable ? passes : Selected{};
    const bool strips = !groups.empty() && in_strips(p, groups);
    if (r.from_zero) return profitable && !strips ? passes : Selected{};
    if (profitable || strips) return passes;
    make_room(exec, p, groups, false);  // for fewer sweeps, which may be quicker in bands
    return in_place ? Selected{{SORAlgorithm::SerialLoop}, {}} : Selected{};
  }

  /// @brief Enqueues what was selected. If they differ, x keeps its values, and the halo and its
  /// corners are copied as well.
  template <class P>
  void run(const Exec& exec, const Selected& selected, const P& problem, const Grid<V>& to,
           const SweepRequest& r) const {
    switch (selected.algorithm) {
      case SORAlgorithm::UnknownRuns:
        return sweep_runs(exec, problem, to, r.count, r.forward, r.backward);
      case SORAlgorithm::SerialLoop:
        return sweep_serially(exec, problem, r);
      default:
        const auto p = with_dense<P::dense>(problem);
        make_room(exec, p, selected.groups, false);
        run_groups(exec, p, to, selected.groups, 0, r.from_zero);
    }
  }

  /// @brief Does what `run` does, and returns what the last pass has measured: the updates it made,
  /// or the residuals it has left. Waits for that.
  template <class P>
  WAVESCAN_SELDOM ResidualSum run_measured(const Exec& exec, const Selected& selected,
                                           const P& problem, const Grid<V>& to,
                                           const SweepRequest& r) const {
    auto p = with_dense<P::dense>(problem);
    const Groups& groups = selected.groups;
    const bool symmetric = r.forward && r.backward;  // whose last pass is half a sweep
    const int but_last = symmetric ? 0 : r.count - groups.each.back().depth;
    bool runs = false;
    if constexpr (has_mask<P>) runs = prefers_runs(exec, problem, but_last);
    if (runs) sweep_runs(exec, problem, to, but_last, r.forward, r.backward);
    const Grid<V> from = runs ? to : run_groups(exec, p, to, groups, 1);
    p.x = to;
    return launcher_.measure(exec, for_bands(p), from, groups.each.back().last(), *r.measured);
  }

  /// @brief Lanes of the registers; zero where there are no bands.
  int lanes() const { return lanes_; }

  /// @brief The most sweeps of a pass.
  template <class P>
  static constexpr int max_depth() {
    return max_depth_on_host<BandProblem<P>>;
  }

  /// @brief Does one forward pass of `depth` sweeps, 1, 2, 4 or more up to max_depth, from x to
  /// `to`, with the halo, in bands, and tells what leaves some of these. False if there are no
  /// bands for such a problem; nothing is done then.
  /// @param part if something enters, or bands are left out, `to` is x
  template <class P>
  bool sweep_part(const Exec& exec, const P& problem, const Grid<V>& to, int depth,
                  const HostPart<V>& part) const {
    if (!supports(problem, to)) return false;
    auto p = with_dense<P::dense>(problem);
    const Grid<V> from = p.x;
    if (from.data != to.data) copy_halo(exec, from, to);
    p.x = to;
    enqueue(exec, p, from, {depth, 1, false}, part);
    return true;
  }

  /// @brief Makes the workspace of such sweeps, and of measuring them, beforehand. False if other
  /// kernels must do them, or measure fewer of them.
  template <class P>
  WAVESCAN_SELDOM bool reserve(const Exec& exec, const P& problem, const SweepRequest& r,
                               bool measured) const {
    if constexpr (has_mask<P>)
      if (runs_.supports(problem, r.count)) runs_.reserve(exec, problem);
    if (!supports(problem, problem.x)) return false;
    const auto p = with_dense<P::dense>(problem);
    const Groups groups = groups_of(p, r.count, r.forward, r.backward);
    make_room(exec, p, groups, false);
    if (measured) make_room(exec, p, groups, true);
    return !measured || (is_profitable(exec, p, groups) &&
                         is_profitable(exec, p, groups_of(p, 1, r.forward, r.backward)));
  }
  void throw_if_stuck() const {}

 private:
  /// @brief The problem as bands know it: those for constants have no mask.
  template <class P>
  static auto for_bands(const P& p) {
    if constexpr (!P::varies && std::same_as<typename P::fixed_type, FixedPoints>)
      return with_dense<P::dense>(with_fields(p));
    else
      return p;
  }
  template <class P>
  using BandProblem = decltype(for_bands(std::declval<P>()));

  template <class P>
  static bool prefers_strips(const P& p, const HostPassGroup& group) {
    return HostLauncher<Exec, V, Most>::prefers_strips(with_dense_rows(p), group);
  }

  template <class P>
  void enqueue(const Exec& exec, const P& p, const Grid<V>& from, const HostPassGroup& group,
               const HostPart<V>& part = {}) const {
    if constexpr (ConstantProblem<P>)
      if (part.is_whole() && prefers_strips(p, group))
        return launcher_.enqueue_strips(exec, p, from, group);
    launcher_.enqueue(exec, for_bands(p), from, group, part);
  }

  template <class P>
  bool supports(const P& given, const Grid<V>& to) const {
    const bool transposes = !has_dense_rows(given.x);
    if (transposes && !may_be_transposed<P>) return false;
    const auto p = with_dense_rows(given);
    return lanes_ > 0 && !p.empty() && has_dense_rows(p.x) &&
           has_dense_rows(transposes ? transposed(to) : to) &&
           (!p.rhs.data || has_dense_rows(p.rhs)) && have_dense_rows(p.coefficients);
  }
  template <class C>
  static bool have_dense_rows(const C& c) {
    bool dense = true;
    if constexpr (FieldsOfStencil<C>)
      for_each_coefficient(c, [&](const auto&, const CoefficientField<V>& field) {
        dense = dense && (!field.values.data || has_dense_rows(field.values));
      });
    return dense;
  }

  /// @brief Whether to visit the unknowns only, whose runs are found then.
  template <class P>
  bool prefers_runs(const Exec& exec, const P& p, int count) const {
    // A thread has some passes to do there, while all threads share a pass in strips.
    const bool leaves_threads_idle = !P::varies && 2 * count < resident_teams(exec, 1);
    return choose && !leaves_threads_idle && runs_.supports(p, count) && runs_.are_few(exec, p);
  }

  /// @brief Sweeps over the runs that have been found, from x to `to`.
  template <class P>
  void sweep_runs(const Exec& exec, P p, const Grid<V>& to, int count, bool forward,
                  bool backward) const {
    if constexpr (has_mask<P>) {
      if (p.x.data != to.data) copy_entries(exec, "WaveScan::sor::copy", read_only(p.x), to);
      p.x = to;
      runs_.sweep(exec, p, count, forward, backward);
    }
  }
  template <class P>
  static constexpr bool has_mask =
      FivePointProblem<P>&& std::same_as<typename P::fixed_type, FixedPoints>;

  template <class Problem>
  WAVESCAN_SELDOM Groups groups_of(const Problem& p, int count, bool forward, bool backward) const {
    Groups groups;
    if (forward && backward && ConstantProblem<BandProblem<Problem>> && prefers_turns(p, count)) {
      groups.each.push_back({1, 2 * Index(count), false, true});
      return groups;
    }
    if (forward && backward) {
      groups.each.push_back({1, 1, false});
      groups.each.push_back({1, 1, true});
      groups.times = count;
      return groups;
    }
    const bool strips = prefers_strips(p, {1, 1, backward});
    for (int depth = max_depth_on_host<BandProblem<Problem>>; depth >= 1; depth /= 2) {
      if (count < depth || (strips && depth > 1 && depth < least_at_once<Problem>())) continue;
      groups.each.push_back({depth, count / depth, backward});
      count %= depth;
    }
    return groups;
  }

  /// @brief The number of sweeps at once that make up for what moving values between lanes takes,
  /// so that single ones in strips are not quicker. Masks take more time in bands.
  template <class Problem>
  int least_at_once() const {
    return has_mask<Problem> ? 64 / lanes_ : std::min(8, 32 / lanes_);
  }

  /// @brief Whether symmetric sweeps are quicker as passes in turn: these move an array more,
  /// twice, and begin and end with one that is not in a cache yet. As measured with 1 and 2
  /// threads.
  template <class Problem>
  bool prefers_turns(const Problem& p, int count) const {
    constexpr Index cached = 1 << 24, most = 1 << 27;
    const Index bytes = p.x.rows * p.x.columns * static_cast<Index>(sizeof(V));
    return count >= (bytes <= cached ? least_at_once<Problem>() : 16) && bytes <= most;
  }

  template <class Problem>
  WAVESCAN_SELDOM void make_room(const Exec& exec, const Problem& p, const Groups& groups,
                                 bool measured) const {
    for (const HostPassGroup& group : groups.each)
      if (!measured && prefers_strips(p, group))
        launcher_.reserve_strips(exec, with_dense_rows(p));
      else
        launcher_.reserve(exec, for_bands(p), group, measured);
  }

  /// @brief Whether the first pass is done in strips, which are quicker than the serial loop.
  template <class P>
  static bool in_strips(const P& p, const Groups& groups) {
    return prefers_strips(p, groups.each.front());
  }

  /// @brief Whether bands are quicker than the serial loop: they spend long on their ends, and on
  /// lanes that have no row. Nanoseconds as measured with registers of 4 to 16 lanes and a thread;
  /// further threads make bands faster, by a quarter at least.
  template <class P>
  WAVESCAN_SELDOM bool is_profitable(const Exec& exec, const P& given, const Groups& groups) const {
    if (!choose || groups.empty()) return true;
    const auto p = with_dense_rows(given);
    const int depth = groups.each.front().depth;
    const HostDecomposition decomp(p.interior_rows(), p.interior_columns(), lanes_, depth,
                                   lag_of<CoefficientsOf<P>>);
    const auto lanes = static_cast<double>(lanes_);
    const double ends = 12 * lanes * lanes;
    constexpr int points = entries_of<CoefficientsOf<P>> - 1;
    const double block = lanes * (0.8 + 0.41 * lanes + 0.6 * points * depth);
    const auto updates = static_cast<double>(p.interior_rows() * p.interior_columns() * depth);
    const bool several = decomp.bands > 1 || groups.each.front().passes > 1;
    // Against the order of memory the serial loop waits for a cache line at each point, unless
    // points share lines or the array stays in the cache.
    constexpr Index line_bytes = 64, cache_bytes = 1 << 24;
    const Index row_bytes = p.x.columns * static_cast<Index>(sizeof(V));
    const bool waits = !has_dense_rows(given.x) && row_bytes >= 4 * line_bytes &&
                       p.x.rows * row_bytes > cache_bytes;
    const double update = (points == 5 ? 1.8 : 5.2) + (waits ? 8 : 0);
    const double serial = (several && resident_teams(exec, 1) > 1 ? 1.33 : 1) * update * updates;
    return static_cast<double>(decomp.bands) * (ends + static_cast<double>(decomp.blocks) * block) <
           serial;
  }

  /// @brief Enqueues all passes, or all but the last few, of which the first one goes from x to
  /// `to`, and returns where the values then are.
  template <class Problem>
  WAVESCAN_SELDOM Grid<V> run_groups(const Exec& exec, Problem p, const Grid<V>& to,
                                     const Groups& groups, Index but_last = 0,
                                     bool from_zero = false) const {
    Grid<V> from = p.x;
    if (!groups.empty() && from.data != to.data) copy_halo(exec, from, to);
    p.x = to;
    for (int k = 1; k <= groups.times; ++k)
      for (const HostPassGroup& given : groups.each) {
        HostPassGroup group = given;
        if (k == groups.times && &given == &groups.each.back()) group.passes -= but_last;
        if (group.passes == 0) continue;
        group.from_zero = std::exchange(from_zero, false);
        enqueue(exec, p, from, group);
        from = to;
      }
    return from;
  }

  int lanes_ = 0;
  HostLauncher<Exec, V, Most> launcher_;
  HostRuns<Exec, V> runs_;
};

template <class Exec, class V, class Most>
struct BackendTraits<HostSweeps<Exec, V, Most>> : SweepsOnly {
  template <class P>
  static constexpr bool starts_from_zero = FivePointProblem<P>;
  template <class P>
  static constexpr bool measures = true;
};

}  // namespace wavescan::Impl::sor

#endif
