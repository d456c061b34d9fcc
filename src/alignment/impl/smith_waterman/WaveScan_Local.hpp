// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SMITH_WATERMAN_LOCAL_HPP
#define WAVESCAN_IMPL_SMITH_WATERMAN_LOCAL_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/smith_waterman/WaveScan_Progress.hpp>
#include <impl/smith_waterman/WaveScan_Scoring.hpp>
#include <impl/smith_waterman/WaveScan_StripRunner.hpp>
#include <impl/smith_waterman/WaveScan_Traceback.hpp>

#include <algorithm>

/// @file
/// @brief The passes of a local alignment: forwards for its end, backwards for its beginning, and
/// between them for its path.

namespace wavescan::Impl {

/// @brief Local alignment of encoded sequences.
template <ExecutionSpace Exec, class Algorithm = TeamStripAlgorithm>
class LocalAlignment {
 public:
  LocalAlignment(const Exec& exec, const ScoringProblem<Exec>& problem, Progress& progress)
      : problem_(problem),
        progress_(progress),
        runner_(exec, problem, problem.largest * std::min(problem.length_a(), problem.length_b()),
                progress),
        traceback_(exec, problem, runner_) {}

  /// @brief The best entry of the matrix; row and column -1 if there is no positive one.
  BestEntry best() { return runner_.best(forward(problem_.length_a(), problem_.length_b())); }

  AlignmentScore score() {
    const BestEntry end = best();
    return {end.score, end.row + 1, end.column + 1};
  }

  Alignment align() {
    const double entries = product(problem_.length_a(), problem_.length_b());
    progress_.remaining(4 * entries);
    const BestEntry end = best();
    Alignment alignment;
    if (end.score == 0) return alignment;
    alignment.score = end.score;
    alignment.end_a = end.row + 1;
    alignment.end_b = end.column + 1;
    // No alignment of this score ends before this end, so the best of the reversed prefixes is this
    // one.
    progress_.remaining(3 * product(alignment.end_a, alignment.end_b));
    const BestEntry begin =
        runner_.best(backward(alignment.end_a, alignment.end_b), alignment.score);
    alignment.begin_a = end.row - begin.row;
    alignment.begin_b = end.column - begin.column;
    progress_.remaining(2 * product(begin.row + 1, begin.column + 1));
    traceback_(alignment);
    progress_.finish();
    return alignment;
  }

 private:
  static double product(Index rows, Index columns) {
    return static_cast<double>(rows) * static_cast<double>(columns);
  }
  StripJob forward(Index rows, Index columns) const {
    StripJob job;
    job.rows = {problem_.a.data(), 1};
    job.columns = {problem_.b.data(), 1};
    job.row_count = rows;
    job.column_count = columns;
    return job;
  }
  StripJob backward(Index rows, Index columns) const {
    StripJob job = forward(rows, columns);
    job.rows = {problem_.a.data() + rows - 1, -1};
    job.columns = {problem_.b.data() + columns - 1, -1};
    return job;
  }

  const ScoringProblem<Exec>& problem_;
  Progress& progress_;
  StripRunner<Exec, Algorithm> runner_;
  Traceback<Exec, Algorithm> traceback_;
};

}  // namespace wavescan::Impl

#endif
