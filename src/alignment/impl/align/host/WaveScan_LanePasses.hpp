// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANEPASSES_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANEPASSES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/align/host/WaveScan_LaneBlock.hpp>
#include <impl/align/host/WaveScan_LanePass.hpp>
#include <impl/align/host/WaveScan_LaneScoring.hpp>
#include <impl/align/host/WaveScan_LaneShape.hpp>
#include <impl/smith_waterman/WaveScan_Progress.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>

/// @file
/// @brief Runs passes: chooses how wide entries are, and calls the threads.

namespace wavescan::Impl {

/// @brief The threads that a host computation may use, whatever provides them.
struct HostThreads {
  Index count = 1;
  /// Runs kernel(0) to kernel(workers - 1), of which none may wait for a later one, in about
  /// `alone` seconds if one thread does all.
  std::function<void(Index workers, double alone, const std::function<void(Index)>& kernel)> run =
      [](Index workers, double, const std::function<void(Index)>& kernel) {
        for (Index worker = 0; worker < workers; ++worker) kernel(worker);
      };

  /// @brief The threads of an execution space instance, which must stay alive.
  template <ExecutionSpace Exec>
  static HostThreads of(const Exec& exec) {
    HostThreads threads;
    threads.count = resident_teams(exec, 1);
    threads.run = [&exec](Index workers, double alone, const std::function<void(Index)>& kernel) {
      const auto call = [&kernel](Index worker) { kernel(worker); };
      run_workers(exec, "WaveScan::align", workers, alone, any_host_kernel(call));
      if constexpr (!runs_at_once<Exec>) exec.fence("WaveScan::align: threads are done");
    };
    return threads;
  }
};

/// @brief How lanes are made, where not as the library would: for tests.
struct LaneChoice {
  int bytes = 0;          ///< of an entry; 0: as few as do
  bool baseline = false;  ///< without run-time dispatch
  int rows = 0;           ///< of a lane, at most; 0: as suits
};

/// @brief Calls use(an entry of the type to choose) for so many rows.
template <class Use>
auto with_entries(const LaneScores& scores, Index rows, const LaneChoice& choice, const Use& use) {
  const auto cost = [&](auto entry) {
    using V = decltype(entry);
    if (choice.bytes != 0 && choice.bytes != static_cast<int>(sizeof(V)))
      return std::numeric_limits<double>::infinity();
    const LaneShape shape = lane_shape<V>(scores, ceil_div(rows, 64 / Index(sizeof(V))));
    return shape ? shape.cost * sizeof(V) : std::numeric_limits<double>::infinity();
  };
  const double bytes = cost(std::uint8_t()), words = cost(std::int16_t());
  if (bytes <= words && bytes < std::numeric_limits<double>::infinity()) return use(std::uint8_t());
  if (words < std::numeric_limits<double>::infinity()) return use(std::int16_t());
  return use(std::int32_t());
}

template <class V>
BestLaneLoops<V> loops_of(const LaneChoice& choice) {
  // Entries of 32 bits are for scores that hardly anybody has.
  if constexpr (sizeof(V) == 4) return BestLaneLoops<V>::find(Baseline{});
  return choice.baseline ? BestLaneLoops<V>::find(Baseline{}) : BestLaneLoops<V>::find(Avx512{});
}

/// @brief Runs passes with one scoring.
class LanePasses {
 public:
  LanePasses(const HostScoring& scoring, HostThreads threads, Progress& progress,
             const LaneChoice& choice = {})
      : scoring_(scoring), threads_(std::move(threads)), progress_(progress), choice_(choice) {}

  const HostScoring& scoring() const { return scoring_; }
  const HostThreads& threads() const { return threads_; }
  const LaneChoice& choice() const { return choice_; }
  Progress& progress() { return progress_; }

  /// @brief Computes a matrix; returns its best entry if the problem is local.
  BestCell run(const PassProblem& problem) {
    const auto with = [&](auto entry) { return run_as(entry, problem); };
    return with_entries(scoring_.costs, problem.a.length, choice_, with);
  }

 private:
  template <class V>
  BestCell run_as(V, const PassProblem& problem) {
    const BestLaneLoops<V> loops = loops_of<V>(choice_);
    const Index most = choice_.rows > 0 ? choice_.rows : std::numeric_limits<int>::max();
    const LaneShape shape = lane_shape<V>(
        scoring_.costs, std::min<Index>(most, ceil_div(problem.a.length, loops.lanes)));
    if (!shape) throw std::logic_error("WaveScan::align: internal error: scores are too large");
    LanePass<V> pass(scoring_, problem, shape, loops);
    constexpr double cells_a_second = 5e9, cells_between_reports = 1e9;
    Index at_once = pass.groups();
    if (progress_.wanted()) {
      const double cells = cells_between_reports * static_cast<double>(threads_.count);
      at_once = std::max(threads_.count, static_cast<Index>(cells / pass.group_cells()));
    }
    BestCell best;
    std::mutex mutex;
    for (Index done = 0; done < pass.groups() && !pass.done(); done += at_once) {
      const Index end = std::min(pass.groups(), done + at_once);
      pass.open_until(end);
      const double cells = pass.group_cells() * static_cast<double>(end - done);
      threads_.run(std::min(threads_.count, end - done), cells / cells_a_second, [&](Index) {
        const BestCell found = pass.work();
        const std::lock_guard lock(mutex);
        if (found.precedes(best)) best = found;
      });
      progress_.add(std::min(cells, problem.cells()));
    }
    return best;
  }

  const HostScoring& scoring_;
  HostThreads threads_;
  Progress& progress_;
  LaneChoice choice_;
};

}  // namespace wavescan::Impl

#endif
