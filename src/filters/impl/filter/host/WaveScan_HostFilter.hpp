// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_HOST_HOSTFILTER_HPP
#define WAVESCAN_IMPL_FILTER_HOST_HOSTFILTER_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_Problem.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/host/WaveScan_LaneFilter.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>

/// @file
/// @brief Filters on the host, in the lanes of vectors: memory is read once and written once.
///
/// Where there are enough lines, a lane takes a line, and a thread a strip of lines. Few lines are
/// cut into blocks that fit in a core's cache, which threads draw by ticket. A block is cut once
/// more, into a run for each lane: these are filtered from states of zero to find what they leave
/// behind, which brings the block into the cache; then the thread takes the state before the block
/// from the thread of the block before, hands on the state after it, and filters the runs from the
/// states that enter them. Where a line is cut does not depend on the number of threads, so that
/// two threads or twenty give the same result.
///
/// What runs and blocks do to states is computed in twice the samples' precision: there are few,
/// and filters whose states grow much before they decay need it.

namespace wavescan::Impl::filter {

/// @brief How the lines of a filter are shared out.
struct HostTasks {
  static constexpr Index max_groups = 16;  ///< of runs, in a strip
  Index strip = 1;                         ///< lines of a task
  Index block = 0;                         ///< samples of a line; 0 if lines are not cut
  Index blocks = 1;                        ///< of a line
  Index run = 0;                           ///< samples of a run of a block
  Index last_run = 0;
  Index tasks = 0;

  HostTasks() = default;
  /// @param runs  that vectors work on at once
  /// @param least samples that a run must have
  /// @param bytes of a sample
  HostTasks(LineExtents extents, Index threads, Index runs, Index least, Index bytes) {
    constexpr Index block_bytes = 128 * 1024;
    // Neighbouring runs begin an odd number of cache lines apart, so that they do not want the same
    // place in the first-level cache.
    const Index unit = 64 / bytes;
    // Two visits are worth it from here on.
    const Index shortest = 2 * runs * std::max(unit, least);
    const bool few = extents.lines < runs || ceil_div(extents.lines, runs) < threads;
    if (few && extents.length >= shortest && extents.lines < 4 * runs * threads) {
      run = std::min(block_bytes / bytes, extents.length) / runs / unit * unit;
      if (run / unit % 2 == 0) run -= unit;
      block = run * runs;
      blocks = ceil_div(extents.length, block);
      last_run = (extents.length - (blocks - 1) * block) / runs;
      if (last_run < least) last_run = 0;
      tasks = extents.lines * blocks;
    } else {
      strip = std::clamp<Index>(ceil_div(extents.lines, threads * runs), 1, max_groups) * runs;
      tasks = ceil_div(extents.lines, strip);
    }
  }
};

/// @brief What becomes of states over a run, a last block's run, and a block.
template <class Form>
struct RunPowers {
  ExactMatrix<Form> run, last_run, block;
};

/// @brief A filter on the host, as a kernel: of a strip, or of all blocks that the thread draws.
template <class Form>
class HostFilterKernel {
  using T = typename Form::value_type;
  static constexpr int K = Form::states;
  using State = StateVector<T, K>;
  using Lanes = AnyLaneFilter<Form>;
  using LaneStates = typename Lanes::States;

 public:
  using Powers = RunPowers<Form>;
  /// @brief What blocks tell each other. Two places for a line's state are enough: a block hands on
  /// its own when it has that of the block before, which by then had taken that of the one before.
  struct Messages {
    Index* ticket;
    Index* left;    ///< of each line: its blocks that have handed on their states
    State* states;  ///< (block % 2, line)
  };

  HostFilterKernel(const Form& form, const Lanes& lanes, const Problem<T>& problem,
                   const HostTasks& tasks, const Powers& powers, const Messages& messages)
      : form_(form),
        lanes_(lanes),
        problem_(problem),
        tasks_(tasks),
        powers_(powers),
        messages_(messages) {}

  void operator()(const Index task) const {
    if (tasks_.block == 0)
      filter_strip(task * tasks_.strip);
    else
      for (Index t = next_number(messages_.ticket); t < tasks_.tasks;
           t = next_number(messages_.ticket))
        filter_block(t / tasks_.blocks, t % tasks_.blocks);
  }

 private:
  /// Where lines lie next to each other, a few samples of all lines of the strip come in turn: that
  /// is how they lie in memory.
  void filter_strip(Index first_line) const {
    const Index lines = std::min(tasks_.strip, problem_.extents.lines - first_line);
    const Index length = problem_.extents.length;
    const int runs = lanes_.runs;
    LaneStates states[HostTasks::max_groups] = {};
    for (Index l = 0; l < lines; ++l)
      states[l / runs].set(static_cast<int>(l % runs),
                           problem_.initial.template load<K>(first_line + l));
    const Index samples = problem_.in.line_stride == 1 ? 16 : std::max<Index>(length, 1);
    for (Index begin = 0; begin < length; begin += samples)
      for (Index l = 0; l < lines; l += runs) {
        const Runs<T> some{
            {&problem_.in(first_line + l, begin), problem_.in.line_stride, problem_.in.stride},
            {&problem_.out(first_line + l, begin), problem_.out.line_stride, problem_.out.stride},
            static_cast<int>(std::min<Index>(lines - l, runs)),
            std::min(samples, length - begin)};
        lanes_.filter(form_, some, states[l / runs]);
      }
    for (Index l = 0; l < lines; ++l)
      problem_.final.store(first_line + l, states[l / runs].of(static_cast<int>(l % runs)));
  }

  void filter_block(Index line, Index b) const {
    const Index begin = b * tasks_.block, end = std::min(begin + tasks_.block, length());
    const bool last = b == tasks_.blocks - 1;
    const int runs = lanes_.runs;
    const Index run = last ? tasks_.last_run : tasks_.run;
    const ExactMatrix<Form>& over_run = last ? powers_.last_run : powers_.run;
    const auto runs_from = [&](Index first) -> Runs<T> {
      const Lines<const T>& in = problem_.in;
      const Lines<T>& out = problem_.out;
      return {{&in(line, begin + first), run * in.stride, in.stride},
              {&out(line, begin + first), run * out.stride, out.stride},
              runs,
              run - first};
    };
    LaneStates states{};
    if (run > 0) lanes_.states_only(form_, runs_from(first_remembered<Form>(run)), states);

    State state = b == 0 ? problem_.initial.template load<K>(line) : State{};
    Index* const left = messages_.left + line;
    const auto state_after = [&](Index block) -> State& {
      return messages_.states[block % 2 * problem_.extents.lines + line];
    };
    if (!last) {  // all that the next block waits for comes first
      State own{};
      for (int r = 0; r < runs; ++r) own = over_run.advance(own, states.of(r));
      if (b > 0) {
        wait_until_at_least(left, b);
        state = state_after(b - 1);
      }
      state_after(b) = powers_.block.advance(state, own);
      store_release(left, b + 1);
    } else if (b > 0) {
      wait_until_at_least(left, b);
      state = state_after(b - 1);
    }

    if (run > 0) {
      for (int r = 0; r < runs; ++r) {
        const State after = over_run.advance(state, states.of(r));
        states.set(r, state);
        state = after;
      }
      lanes_.filter(form_, runs_from(0), states);
      state = states.of(runs - 1);
    }
    for (Index j = begin + run * runs; j < end; ++j)
      problem_.out(line, j) = form_.step(problem_.in(line, j), state);
    if (last) problem_.final.store(line, state);
  }
  Index length() const { return problem_.extents.length; }

  Form form_;
  Lanes lanes_;
  Problem<T> problem_;
  HostTasks tasks_;
  const Powers& powers_;
  Messages messages_;
};

template <class Form>
inline constexpr bool has_host_filter = LaneFilter<Baseline, Form>::available;

/// @brief The workspace and the launch of the host's kernel for one filter.
template <ExecutionSpace Exec, class Form>
class HostFilter {
  using T = typename Form::value_type;
  static constexpr int K = Form::states;

 public:
  static constexpr double max_growth = max_growth_of_exact;

  HostFilter() = default;
  HostFilter(const Exec& exec, const Form&, const Transition<Form>& transition, LineExtents extents)
      : threads_(resident_teams(exec, 1)) {
    constexpr Index least = has_feedback<Form> ? 0 : max_order;
    tasks_ = HostTasks(extents, threads_, lanes_.runs, least, sizeof(T));
    if (tasks_.block == 0) return;
    powers_ = std::make_shared<const Powers>(Powers{
        {transition, tasks_.run}, {transition, tasks_.last_run}, {transition, tasks_.block}});
    allocate(exec, counters_, "WaveScan::filter::counters", extents.lines + 1);
    allocate(exec, states_, "WaveScan::filter::states", 2 * K * extents.lines);
  }

  /// @brief False of an empty plan.
  bool exists() const { return threads_ > 0; }
  static bool takes_reverse() { return true; }

  /// @brief Enqueues the filter; false if the plan is empty.
  bool enqueue(const Exec& exec, const Form& form, const Problem<T>& problem) const {
    if (!exists()) return false;
    using State = StateVector<T, K>;
    const HostFilterKernel<Form> kernel(
        form, lanes_, problem, tasks_, *powers_,
        {counters_.data(), counters_.data() + 1, reinterpret_cast<State*>(states_.data())});
    if (tasks_.block > 0) set_all(exec, counters_, Index(0));
    const Index workers = tasks_.block > 0 ? std::min(tasks_.tasks, threads_) : tasks_.tasks;
    // Without feedback samples do not wait for each other.
    constexpr double seconds_per_state = (has_feedback<Form> ? .05e-9 : .02e-9) * sizeof(T);
    const double seconds_per_sample = seconds_per_state * used_states(form);
    const auto samples = static_cast<double>(problem.extents.lines * problem.extents.length);
    enqueue_workers(exec, "WaveScan::filter::host", workers, seconds_per_sample * samples, kernel);
    return true;
  }

  std::size_t bytes() const {
    return counters_.size() * sizeof(Index) + states_.size() * sizeof(T);
  }

 private:
  Index threads_ = 0;
  AnyLaneFilter<Form> lanes_ = AnyLaneFilter<Form>::best();
  HostTasks tasks_;
  using Powers = RunPowers<Form>;
  std::shared_ptr<const Powers> powers_ = std::make_shared<const Powers>();
  Kokkos::View<Index*, typename Exec::memory_space> counters_;  ///< the ticket, then each line's
  Kokkos::View<T*, typename Exec::memory_space> states_;
};

}  // namespace wavescan::Impl::filter

#endif
