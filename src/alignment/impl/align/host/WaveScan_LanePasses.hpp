// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANEPASSES_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANEPASSES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/align/WaveScan_AlignProgress.hpp>
#include <impl/align/WaveScan_Checkpoint.hpp>
#include <impl/align/WaveScan_HostThreads.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/host/WaveScan_LaneBlock.hpp>
#include <impl/align/host/WaveScan_LanePass.hpp>
#include <impl/align/host/WaveScan_LaneShape.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

/// @file
/// @brief Runs passes: chooses how wide entries are, and calls the threads.

namespace wavescan::Impl {

/// @brief How lanes are made, where not as the library would: for tests.
struct LaneChoice {
  int bytes = 0;          ///< of an entry; 0: as few as do
  bool baseline = false;  ///< without run-time dispatch
  int rows = 0;           ///< of a lane, at most; 0: chosen
};

/// @brief Calls use(an entry of the type to choose) for so many rows.
template <class Use>
auto with_entries(const ScoreBounds& scores, Index rows, const LaneChoice& choice, const Use& use) {
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
  // Entries of 32 bits are for scores that are rare.
  if constexpr (sizeof(V) == 4) return BestLaneLoops<V>::find(Baseline{});
  return choice.baseline ? BestLaneLoops<V>::find(Baseline{}) : BestLaneLoops<V>::find(Avx512{});
}

/// @brief The rows of the largest of some matrices.
inline Index most_rows(const std::vector<PassProblem>& problems) {
  Index most = 0;
  for (const PassProblem& problem : problems) most = std::max(most, problem.a.length);
  return most;
}

class LanePasses;

/// @brief Computes passes by entries of type V, and returns the best entry of all. Not inline, so
/// that it can be compiled in a library.
template <class V>
BestEntry run_passes(const LanePasses& passes, const std::vector<PassProblem>& problems);

/// @brief Runs passes with one scoring.
///
/// Lanes take long to compile. Only the constructor for an execution space names their code, and it
/// is a template: files that align nothing compile none.
class LanePasses {
 public:
  /// @param exec instance on the host, which must stay alive, or threads
  template <class Exec>
  LanePasses(const LetterScores& scoring, const Exec& exec, Progress& progress,
             const LaneChoice& choice = {})
      : scoring_(scoring),
        threads_(HostThreads::of(exec)),
        progress_(progress),
        choice_(choice),
        run_as_{&run_passes<std::uint8_t>, &run_passes<std::int16_t>, &run_passes<std::int32_t>} {
    static_assert(has_vectors && sizeof(Exec) > 0,
                  "WaveScan: alignments need a compiler with vector types (g++ 12, clang)");
  }

  /// @brief Passes of this scoring on other threads, by default the calling one.
  LanePasses on(Progress& progress, HostThreads threads = {}) const {
    return LanePasses(*this, progress, std::move(threads));
  }

  const LetterScores& scoring() const { return scoring_; }
  const HostThreads& threads() const { return threads_; }
  const LaneChoice& choice() const { return choice_; }
  Progress& progress() const { return progress_; }

  /// @brief Computes a matrix; returns its best entry if the problem is local.
  BestEntry run(const PassProblem& problem) const {
    Checkpoint* const checkpoint = progress_.checkpoint();
    if (checkpoint != nullptr && checkpoint->has_step()) return run_kept(problem, *checkpoint);
    return run_rows({problem});
  }
  /// @brief Computes several matrices of which no best entry is wanted. Threads without work in one
  /// go on with the next one, unless it is to be told how far each is.
  void run(const std::vector<PassProblem>& problems) const {
    if (threads_.count > 1 && !progress_.wanted() && progress_.checkpoint() == nullptr)
      run_rows(problems);
    else
      for (const PassProblem& problem : problems) run(problem);
  }

 private:
  LanePasses(const LanePasses& other, Progress& progress, HostThreads threads)
      : scoring_(other.scoring_),
        threads_(std::move(threads)),
        progress_(progress),
        choice_(other.choice_),
        run_as_(other.run_as_) {}

  /// @brief Computes as many rows at a time as take some seconds.
  BestEntry run_kept(const PassProblem& problem, Checkpoint& checkpoint) const {
    const Index m = problem.a.length, n = problem.b.length;
    Checkpoint::Pass& pass =
        checkpoint.next_pass(n, problem.last_column != nullptr ? m : 0, progress_);
    constexpr Index least_rows = 1024;
    const double entries = checkpoint.entries_at_once(5e9 * static_cast<double>(threads_.count));
    const Index at_once =
        std::max(least_rows, static_cast<Index>(entries / static_cast<double>(n)));
    checkpoint.run(pass, m, at_once, problem.target, [&](Index count) {
      PassProblem rows = problem;
      rows.first_row = pass.rows;
      rows.a = problem.a.part(pass.rows, count);
      rows.row = pass.row.data();
      if (problem.last_column != nullptr) rows.last_column = pass.column.data() + pass.rows;
      return run_rows({rows});
    });
    if (problem.row != nullptr) std::copy(pass.row.begin(), pass.row.end(), problem.row);
    std::copy(pass.column.begin(), pass.column.end(), problem.last_column);
    return pass.best;
  }
  BestEntry run_rows(const std::vector<PassProblem>& problems) const {
    const auto with = [&](auto entry) { return run_as_[sizeof(entry) / 2](*this, problems); };
    return with_entries(scoring_.costs, most_rows(problems), choice_, with);
  }

  const LetterScores& scoring_;
  HostThreads threads_;
  Progress& progress_;
  LaneChoice choice_;
  /// For entries of 1, 2 and 4 bytes.
  std::array<BestEntry (*)(const LanePasses&, const std::vector<PassProblem>&), 3> run_as_;
};

template <class V>
BestEntry run_passes(const LanePasses& passes, const std::vector<PassProblem>& problems) {
  const LetterScores& scoring = passes.scoring();
  const HostThreads& threads = passes.threads();
  Progress& progress = passes.progress();
  const BestLaneLoops<V> loops = loops_of<V>(passes.choice());
  const Index most =
      passes.choice().rows > 0 ? passes.choice().rows : std::numeric_limits<int>::max();
  const Index count = static_cast<Index>(problems.size());
  std::deque<LanePass<V>> all;
  Index groups = 0;
  for (const PassProblem& problem : problems) {
    const LaneShape shape = lane_shape<V>(
        scoring.costs, std::min<Index>(most, ceil_div(problem.a.length, loops.lanes)));
    if (!shape) throw std::logic_error("WaveScan::align: internal error: scores are too large");
    all.emplace_back(scoring, problem, shape, loops, ceil_div(threads.count, count));
    groups = std::max(groups, all.back().groups());
  }
  constexpr double cells_a_second = 5e9, cells_between_reports = 1e9;
  Index at_once = groups;
  if (progress.wanted()) {
    const double cells = cells_between_reports * static_cast<double>(threads.count);
    at_once = std::max(threads.count, static_cast<Index>(cells / all.front().group_cells()));
  }
  BestEntry best;
  std::mutex mutex;
  for (Index done = 0; done < groups && !all.front().done(); done += at_once) {
    double cells = 0, exact_cells = 0;
    for (LanePass<V>& pass : all) cells += pass.open_until(std::min(pass.groups(), done + at_once));
    for (const PassProblem& problem : problems) exact_cells += problem.cells();
    threads.run(std::min(threads.count, count * at_once), cells / cells_a_second, [&](Index) {
      for (LanePass<V>& pass : all) {
        const BestEntry found = pass.work();
        const std::lock_guard lock(mutex);
        if (found.precedes(best)) best = found;
      }
    });
    progress.add(std::min(cells, exact_cells));
  }
  return best;
}

}  // namespace wavescan::Impl

#endif
