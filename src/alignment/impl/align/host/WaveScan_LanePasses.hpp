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
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

/// @file
/// @brief Runs passes: chooses how wide entries are, and calls the threads.

namespace wavescan::Impl {

/// @brief A choice of lanes other than the library's: for tests.
struct LaneChoice {
  int bytes = 0;          ///< of an entry; 0: as few as do
  bool baseline = false;  ///< without run-time dispatch
  int rows = 0;           ///< of a lane, at most; 0: chosen
};

/// @brief The loops for entries of the type to choose, for so many rows. A template, so that files
/// that align nothing do not compile them.
template <class Threads>
LaneLoops choose_loops(const ScoreBounds& scores, Index rows, const LaneChoice& choice) {
  const auto find = [&](auto entry) {
    using V = decltype(entry);
    return choice.baseline ? find_lane_loops<V, Baseline>() : find_lane_loops<V, Avx512>();
  };
  const LaneLoops bytes = find(std::uint8_t()), words = find(std::int16_t());
  const auto cost = [&](const LaneLoops& loops) {
    if (choice.bytes != 0 && choice.bytes != loops.entry_bytes)
      return std::numeric_limits<double>::infinity();
    const LaneShape shape = lane_shape(loops, scores, ceil_div(rows, 64 / loops.entry_bytes));
    return shape ? shape.cost * loops.entry_bytes : std::numeric_limits<double>::infinity();
  };
  const double of_bytes = cost(bytes), of_words = cost(words);
  if (std::min(of_bytes, of_words) == std::numeric_limits<double>::infinity())
    return find_lane_loops<std::int32_t, Baseline>();
  return of_bytes <= of_words ? bytes : words;
}

/// @brief The rows of the largest of some matrices.
inline Index most_rows(const std::vector<PassProblem>& problems) {
  Index most = 0;
  for (const PassProblem& problem : problems) most = std::max(most, problem.a.length);
  return most;
}

class LanePasses;

/// @brief Computes passes, and returns the best entry of all. Not inline, so that it can be
/// compiled in a library.
/// @tparam Threads HostThreads; a parameter, for else every file that includes this would compile
/// it
template <class Threads>
BestEntry run_passes(const Threads& threads, const LanePasses& passes,
                     const std::vector<PassProblem>& problems);

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
        run_(&run_passes<HostThreads>) {
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
        run_(other.run_) {}

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
    return run_(threads_, *this, problems);
  }

  const LetterScores& scoring_;
  HostThreads threads_;
  Progress& progress_;
  LaneChoice choice_;
  BestEntry (*run_)(const HostThreads&, const LanePasses&, const std::vector<PassProblem>&);
};

template <class Threads>
BestEntry run_passes(const Threads& threads, const LanePasses& passes,
                     const std::vector<PassProblem>& problems) {
  const LetterScores& scoring = passes.scoring();
  Progress& progress = passes.progress();
  const LaneLoops loops =
      choose_loops<Threads>(scoring.costs, most_rows(problems), passes.choice());
  const Index most =
      passes.choice().rows > 0 ? passes.choice().rows : std::numeric_limits<int>::max();
  const Index count = static_cast<Index>(problems.size());
  std::vector<std::unique_ptr<LanePass>> all;
  Index groups = 0;
  for (const PassProblem& problem : problems) {
    const LaneShape shape = lane_shape(
        loops, scoring.costs, std::min<Index>(most, ceil_div(problem.a.length, loops.lanes)));
    if (!shape) throw std::logic_error("WaveScan::align: internal error: scores are too large");
    all.push_back(
        std::make_unique<LanePass>(scoring, problem, shape, loops, ceil_div(threads.count, count)));
    groups = std::max(groups, all.back()->groups());
  }
  constexpr double cells_a_second = 5e9, cells_between_reports = 1e9;
  Index at_once = groups;
  if (progress.wanted()) {
    const double cells = cells_between_reports * static_cast<double>(threads.count);
    at_once = std::max(threads.count, static_cast<Index>(cells / all.front()->group_cells()));
  }
  BestEntry best;
  std::mutex mutex;
  for (Index done = 0; done < groups && !all.front()->done(); done += at_once) {
    double cells = 0, exact_cells = 0;
    for (const auto& pass : all)
      cells += pass->open_until(std::min(pass->groups(), done + at_once));
    for (const PassProblem& problem : problems) exact_cells += problem.cells();
    threads.run(std::min(threads.count, count * at_once), cells / cells_a_second, [&](Index) {
      for (const auto& pass : all) {
        const BestEntry found = pass->work();
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
