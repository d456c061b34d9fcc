// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_HOST_HOSTFILTER_HPP
#define WAVESCAN_IMPL_FILTER_HOST_HOSTFILTER_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_BlockChain.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/filter/WaveScan_DoubleDouble.hpp>
#include <impl/filter/WaveScan_FilterPass.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/host/WaveScan_LaneFilter.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

/// @file
/// @brief Filters on the host, in the lanes of vectors: memory is read once and written once.
///
/// Where there are enough lines, a lane takes a line, and a thread a strip of lines. Few lines are
/// divided into blocks that fit in a core's cache, which threads draw by ticket. A block is divided
/// once more, into a run for each lane: these are filtered from states of zero to find what they
/// leave behind, which brings the block into the cache; then the thread takes the state before the
/// block from the thread of the block before, hands on the state after it, and filters the runs
/// from the states that enter them. What a run leaves behind is found from its last samples alone
/// where the filter has forgotten those before: their share is less than a rounding unit of twice
/// the samples' precision. They are looked at all the same, because what is no number stays for
/// ever. Where all fits in the caches of all cores, a thread does not draw blocks but has the same
/// ones in each call, as in scans. The partition of a line does not depend on the number of
/// threads, so that two threads or twenty give the same result.
///
/// What runs and blocks do to states is computed in twice the samples' precision: there are few,
/// and filters whose states grow much before they decay need it.

namespace wavescan::Impl::filter {

/// @brief Assignment of a filter's lines to tasks.
struct HostTasks {
  static constexpr Index max_groups = 16;  ///< of runs, in a strip
  static constexpr Index most_owned = 4;   ///< blocks of a thread, which its core's cache holds
  Index strip = 1;                         ///< lines of a task
  Index block = 0;                         ///< samples of a line; 0 if lines are not divided
  Index blocks = 1;                        ///< of a line
  Index run = 0;                           ///< samples of a run of a block
  Index last_run = 0;
  Index tasks = 0;
  Index owners = 0;  ///< workers that own blocks; 0 if they draw them

  /// @brief The first of the blocks, of all lines, that an owner has.
  Index first_of(Index owner) const { return tasks * owner / owners; }

  HostTasks() = default;
  /// @param runs    that vectors work on at once
  /// @param least   samples that a run must have
  /// @param bytes   of a sample
  /// @param divides whether lines may be divided
  WAVESCAN_SELDOM HostTasks(LineExtents extents, Index threads, Index runs, Index least,
                            Index bytes, bool divides) {
    // Of few samples some more blocks, so that more threads have something to do.
    constexpr Index many = 16, most_bytes = 128 * 1024, least_bytes = 64 * 1024;
    const Index block_bytes =
        std::clamp(extents.lines * extents.length * bytes / many, least_bytes, most_bytes);
    // Neighbouring runs begin an odd number of cache lines apart, so that they do not want the same
    // place in the first-level cache.
    const Index unit = 64 / bytes;
    // Two visits are worth it from here on.
    const Index shortest = 2 * runs * std::max(unit, least);
    const bool few = extents.lines < runs || ceil_div(extents.lines, runs) < threads;
    if (divides && few && extents.length >= shortest && extents.lines < 4 * runs * threads) {
      run = std::min(block_bytes / bytes, extents.length) / runs / unit * unit;
      if (run / unit % 2 == 0) run -= unit;
      block = run * runs;
      blocks = ceil_div(extents.length, block);
      last_run = (extents.length - (blocks - 1) * block) / runs;
      if (last_run < least) last_run = 0;
      tasks = extents.lines * blocks;
      if (tasks <= most_owned * threads) owners = std::min(tasks, threads);
    } else {
      strip = std::clamp<Index>(ceil_div(extents.lines, threads * runs), 1, max_groups) * runs;
      tasks = ceil_div(extents.lines, strip);
    }
  }
};

/// @brief The transition of states over a run, in twice the samples' precision, whatever their
/// number.
template <class T>
class RunMatrix {
  using Wide = std::conditional_t<std::same_as<T, float>, double, DoubleDouble>;

 public:
  RunMatrix() = default;  ///< nothing is left of them
  WAVESCAN_SELDOM RunMatrix(const TransitionPowers& transition, Index samples)
      : order_(transition.order()) {
    for (const DoubleDouble& entry : transition.exact_power(samples))
      entries_.push_back(static_cast<Wide>(entry));
    for (int r = 0; r < order_; ++r) {
      coupled_.push_back(0);
      while (coupled_[r] < order_ && transition.couples(r, coupled_[r])) ++coupled_[r];
    }
  }
  /// @brief Adds matrix * state to what a run of zero states has left.
  void advance(const T* state, T* left) const {
    for (int r = 0; r < order_; ++r) {
      Wide sum = left[r];
      for (int c = 0; c < coupled_[r]; ++c) sum = sum + entries_[r * order_ + c] * Wide(state[c]);
      left[r] = static_cast<T>(static_cast<double>(sum));
    }
  }

 private:
  int order_ = 0;
  std::vector<int> coupled_;  ///< of each state: those that have a share in it, the first ones
  std::vector<Wide> entries_;
};

/// @brief Transitions of states over a run, a last block's run, and a block.
template <class T>
struct RunMatrices {
  RunMatrix<T> run, last_run, block;
};

/// @brief A filter on the host, as a kernel: of a strip, or of all blocks that the thread draws.
template <class T>
class HostFilterKernel {
  static constexpr int max_states = max_order + 1;
  static constexpr int pitch = lane_pitch<T>;

 public:
  static constexpr bool runs_alone = true;

  /// @param form what `lanes` filters by
  /// @param remembered samples that have a share in the state after them
  /// @param keeps whether those before have one if they are not finite
  /// @param chain of lines, from which blocks are drawn, too
  HostFilterKernel(const void* form, const AnyLaneFilter<T>& lanes, Index remembered, bool keeps,
                   const Problem<T>& problem, const HostTasks& tasks,
                   const RunMatrices<T>& matrices, const BlockChain<T>& chain)
      : form_(form),
        lanes_(lanes),
        remembered_(remembered),
        keeps_(keeps),
        problem_(problem),
        tasks_(tasks),
        matrices_(matrices),
        chain_(chain) {}

  void operator()(const Index task) const {
    if (tasks_.block == 0)
      filter_strip(task * tasks_.strip);
    else if (tasks_.owners > 0)
      filter_own(tasks_.first_of(task), tasks_.first_of(task + 1));
    else
      draw_blocks();
  }
  /// @brief The work of all: a thread alone had better filter a block while it is in its cache.
  void alone() const {
    if (tasks_.block == 0)
      for (Index task = 0; task < tasks_.tasks; ++task) filter_strip(task * tasks_.strip);
    else
      draw_blocks();
  }

 private:
  /// Where lines lie next to each other, a few samples of all lines of the strip come in turn: that
  /// is how they lie in memory.
  void filter_strip(Index first_line) const {
    const Index lines = std::min(tasks_.strip, problem_.extents.lines - first_line);
    const Index length = problem_.extents.length;
    const int runs = lanes_.runs();
    if (problem_.extents.lines == 1) {  // lanes would have nothing to do
      T state[max_states];
      load(0, state, 1);
      filter_one(0, 0, length, state);
      return store(0, state, 1);
    }
    alignas(64) T states[HostTasks::max_groups * max_states * pitch];
    const auto states_of = [&](Index line) {
      return states + line / runs * lanes_.states() * pitch + line % runs;
    };
    std::fill(states, states_of((lines - 1) / runs * runs + runs), T(0));
    for (Index l = 0; l < lines; ++l) load(first_line + l, states_of(l), pitch);
    const Index samples = problem_.in.line_stride == 1 ? 16 : std::max<Index>(length, 1);
    for (Index begin = 0; begin < length; begin += samples)
      for (Index l = 0; l < lines; l += runs)
        filter(first_line + l, begin, 0, std::min<Index>(lines - l, runs),
               std::min(samples, length - begin), states_of(l));
    for (Index l = 0; l < lines; ++l) store(first_line + l, states_of(l), pitch);
  }

  void draw_blocks() const {
    for (Index t = chain_.draw(); t < tasks_.tasks; t = chain_.draw())
      filter_blocks(t / tasks_.blocks, t % tasks_.blocks, t % tasks_.blocks + 1);
  }
  /// @brief Filters blocks [first, end) of all lines; first those of the last line, for which
  /// others wait.
  void filter_own(Index first, Index end) const {
    while (end > first) {
      const Index line = (end - 1) / tasks_.blocks, begin = std::max(first, line * tasks_.blocks);
      filter_blocks(line, begin - line * tasks_.blocks, end - line * tasks_.blocks);
      end = begin;
    }
  }

  /// @brief A block that has been filtered from states of zero.
  struct Block {
    alignas(64) T runs[max_states * pitch];  ///< the states after them
    T entering[max_states];
    T own[max_states];  ///< what the block leaves if nothing enters
    static void take(const T* states, int count, int run, T* to) {
      for (int i = 0; i < count; ++i) to[i] = states[i * pitch + run];
    }
  };
  Index run_of(Index b) const { return b == tasks_.blocks - 1 ? tasks_.last_run : tasks_.run; }

  /// @brief Filters some blocks in a row, the last one first: it is the one in the cache.
  void filter_blocks(Index line, Index first, Index end) const {
    const int count = lanes_.states();
    Block blocks[HostTasks::most_owned];
    for (Index b = first; b < end; ++b) begin_block(line, b, blocks[b - first]);

    T state[max_states];
    if (first == 0)
      load(line, state, 1);
    else
      std::copy_n(chain_.wait_for(line, first - 1), count, state);
    for (Index b = first; b < end; ++b) {
      Block& block = blocks[b - first];
      std::copy_n(state, count, block.entering);
      if (b == tasks_.blocks - 1) continue;
      matrices_.block.advance(state, block.own);
      std::copy_n(block.own, count, state);
    }
    if (end < tasks_.blocks) {
      std::copy_n(state, count, chain_.states(line, end - 1));
      chain_.post(line, end - 1);
    }
    for (Index b = end; b-- > first;) finish_block(line, b, blocks[b - first]);
  }

  void begin_block(Index line, Index b, Block& block) const {
    const Index run = run_of(b);
    const int runs = lanes_.runs(), count = lanes_.states();
    std::fill_n(block.runs, count * pitch, T(0));
    if (run > 0) {
      const Index begin = b * tasks_.block;
      Index skipped = std::max<Index>(run - remembered_, 0);
      if (keeps_ && skipped > 0 && !lanes_.are_finite(problem_.in.from(line, begin), runs * run))
        skipped = 0;
      filter(line, begin + skipped, run, runs, run - skipped, block.runs, false);
    }
    if (b == tasks_.blocks - 1) return;
    std::fill_n(block.own, count, T(0));
    for (int r = 0; r < runs; ++r) {
      T next[max_states];
      Block::take(block.runs, count, r, next);
      matrices_.run.advance(block.own, next);
      std::copy_n(next, count, block.own);
    }
  }

  void finish_block(Index line, Index b, Block& block) const {
    const bool last = b == tasks_.blocks - 1;
    const Index begin = b * tasks_.block, run = run_of(b);
    const Index end = std::min(begin + tasks_.block, problem_.extents.length);
    const RunMatrix<T>& over_run = last ? matrices_.last_run : matrices_.run;
    const int runs = lanes_.runs(), count = lanes_.states();
    T* const state = block.entering;
    if (run > 0) {
      for (int r = 0; r < runs; ++r) {
        T next[max_states];
        Block::take(block.runs, count, r, next);
        over_run.advance(state, next);
        for (int i = 0; i < count; ++i) block.runs[i * pitch + r] = state[i];
        std::copy_n(next, count, state);
      }
      filter(line, begin, run, runs, run, block.runs);
      Block::take(block.runs, count, runs - 1, state);
    }
    filter_one(line, begin + run * runs, end, state);
    if (last) store(line, state, 1);
  }

  void filter_one(Index line, Index begin, Index end, T* state) const {
    lanes_.filter_run(form_, problem_.in.from(line, begin), problem_.out.from(line, begin),
                      end - begin, state);
  }
  /// @brief Filters samples from `first` on: of some lines or, if `run` is not 0, of the line's
  /// runs of that length.
  void filter(Index line, Index first, Index run, Index count, Index length, T* states,
              bool stores = true) const {
    const Lines<const T>& in = problem_.in;
    const Lines<T>& out = problem_.out;
    lanes_.filter(form_,
                  {{&in(line, first), run > 0 ? run * in.stride : in.line_stride, in.stride},
                   {&out(line, first), run > 0 ? run * out.stride : out.line_stride, out.stride},
                   static_cast<int>(count),
                   length},
                  states, stores);
  }
  void load(Index line, T* state, Index stride) const {
    const StateLines<const T>& from = problem_.initial;
    for (int i = 0; i < lanes_.states(); ++i)
      state[i * stride] = from.data != nullptr && i < from.count ? from(line, i) : T(0);
  }
  void store(Index line, const T* state, Index stride) const {
    const StateLines<T>& to = problem_.final;
    for (int i = 0; to.data != nullptr && i < std::min(lanes_.states(), to.count); ++i)
      to(line, i) = state[i * stride];
  }

  const void* form_;
  AnyLaneFilter<T> lanes_;
  Index remembered_;
  bool keeps_;
  Problem<T> problem_;
  HostTasks tasks_;
  const RunMatrices<T>& matrices_;
  BlockChain<T> chain_;
};

template <class Form>
inline constexpr bool has_host_filter = LaneFilter<Baseline, Form>::available;

/// @brief A pass by the host's kernel, compiled once for all forms.
template <ExecutionSpace Exec, class T>
class HostPass final : public FilterPass<Exec, T> {
 public:
  template <class Form>
  WAVESCAN_SELDOM HostPass(const Exec& exec, const Form& form, LineExtents extents)
      : lanes_(AnyLaneFilter<T>::template of<Form>()), used_states_(used_states(form)) {
    static_assert(std::is_trivially_copyable_v<Form>);
    form_.resize(sizeof form);
    std::memcpy(form_.data(), &form, sizeof form);
    if constexpr (has_feedback<Form>) {
      const Transition<Form> transition(form);
      prepare(exec, &transition, extents);
    } else {
      prepare(exec, nullptr, extents);
    }
  }

  bool has_own_kernel() const override { return true; }

  void enqueue(const Exec& exec, const Problem<T>& problem) const override {
    const HostFilterKernel<T> kernel(
        form_.data(), lanes_, remembered_, has_feedback_, problem, tasks_, matrices_,
        {chain_.data(), problem.extents.lines, threads_, lanes_.states()});
    if (tasks_.block > 0) set_all(exec, chain_, std::byte(0));
    const Index workers = tasks_.block > 0 ? std::min(tasks_.tasks, threads_) : tasks_.tasks;
    // Without feedback samples do not wait for each other.
    const double seconds_per_state = (has_feedback_ ? .05e-9 : .02e-9) * sizeof(T);
    const auto samples = static_cast<double>(problem.extents.lines * problem.extents.length);
    enqueue_workers(exec, "WaveScan::filter::host", workers,
                    seconds_per_state * used_states_ * samples, kernel);
  }

  std::size_t bytes() const override { return chain_.size(); }

 private:
  /// Of a state, once it is multiplied by this.
  static constexpr double negligible =
      double(std::numeric_limits<T>::epsilon()) * double(std::numeric_limits<T>::epsilon());

  /// @brief Lines stay whole where the powers of matrices would be less accurate than the loop.
  /// @param transition null without feedback
  WAVESCAN_SELDOM void prepare(const Exec& exec, const TransitionPowers* transition,
                               LineExtents extents) {
    threads_ = resident_teams(exec, 1);
    has_feedback_ = transition != nullptr;
    remembered_ = max_order;
    const bool divides = !transition || transition->growth() <= max_growth_of_exact;
    tasks_ =
        HostTasks(extents, threads_, lanes_.runs(), transition ? 0 : max_order, sizeof(T), divides);
    if (tasks_.block == 0) return;
    if (transition) {
      // A few more than need be, so that vectors stay aligned; and all if they are nearly all.
      remembered_ = ceil_div(transition->memory(tasks_.run, negligible), 64) * 64;
      if (remembered_ > tasks_.run * 3 / 4) remembered_ = tasks_.run;
      matrices_ = {
          {*transition, tasks_.run}, {*transition, tasks_.last_run}, {*transition, tasks_.block}};
    }
    allocate(exec, chain_, "WaveScan::filter::chain",
             BlockChain<T>::bytes(extents.lines, threads_, lanes_.states()));
  }

  std::vector<std::byte> form_;
  AnyLaneFilter<T> lanes_;
  int used_states_;
  bool has_feedback_ = true;
  Index remembered_ = 0;
  Index threads_ = 0;
  HostTasks tasks_;
  RunMatrices<T> matrices_;
  Kokkos::View<std::byte*, typename Exec::memory_space> chain_;
};

}  // namespace wavescan::Impl::filter

#endif
