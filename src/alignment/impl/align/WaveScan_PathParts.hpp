// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_PATHPARTS_HPP
#define WAVESCAN_IMPL_ALIGN_PATHPARTS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignProgress.hpp>
#include <impl/align/WaveScan_Checkpoint.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

/// @file
/// @brief The path of a global alignment in linear memory, by divide and conquer (Hirschberg 1975;
/// with affine gaps, Myers and Miller, "Optimal alignments in linear space", 1988), on hosts, GPUs
/// and several processes.
///
/// Two passes reach the middle row from both sides. The path crosses it where the two scores add up
/// to the most: between letters, or within a gap of letters of `a`, which is then opened once only.
/// Both parts are divided again, until they are small enough for a matrix of their own. Devices
/// differ in how they compute passes and in which parts they take for small.
///
/// Of several best paths it is always the same one: it crosses at the first column, rather not
/// within a gap; in small matrices, followed back from their ends, a pair comes before a letter of
/// `a` alone, and that before one of `b`, and a gap ends as soon as possible. Nothing of that
/// depends on lanes or threads.

namespace wavescan::Impl {

/// @brief A stretch of a path: `count` columns of one kind.
struct PathRun {
  char kind;  ///< 'M': a pair; 'I': a letter of a; 'D': a letter of b
  Index count;
};

/// @brief Runs one after the other; where two of a kind meet they become one.
struct JoinedRuns {
  std::vector<PathRun> runs;
  void add(const PathRun& run) {
    if (run.count == 0) return;
    if (!runs.empty() && runs.back().kind == run.kind)
      runs.back().count += run.count;
    else
      runs.push_back(run);
  }
  void add(const std::vector<PathRun>& more) {
    for (const PathRun& run : more) add(run);
  }
};

/// @brief Returns the score of a path through two sequences.
inline Index score_of(const std::vector<PathRun>& runs, const LetterScores& scoring,
                      const CodeSequence& a, const CodeSequence& b) {
  Index score = 0, i = 0, j = 0;
  for (const PathRun& run : runs) {
    if (run.kind == 'M') {
      for (Index k = 0; k < run.count; ++k) score += scoring.score(a[i++], b[j++]);
    } else {
      (run.kind == 'I' ? i : j) += run.count;
      score -= scoring.costs.open + (run.count - 1) * scoring.costs.extend;
    }
  }
  return score;
}

/// @brief The place where the best path crosses a row. Of several places it is the first, and
/// rather not within a gap.
struct PathCrossing {
  Index score = std::numeric_limits<Index>::min();
  Index column = 0;      ///< columns before it
  Index within_gap = 0;  ///< 1: between two letters of `a` of one gap

  /// @brief Sees a place behind those that it has seen.
  /// @param above, below of passes from both sides, which meet there
  void see(Index place, const BoundaryEntry& above, const BoundaryEntry& below,
           const ScoreBounds& costs) {
    if (above.h + below.h > score) *this = {above.h + below.h, place, 0};
    if (!costs.affine()) return;
    const Index of_gap = above.e + below.e + costs.open - costs.extend;
    if (of_gap > score) *this = {of_gap, place, 1};
  }
};

/// @brief A part of the matrix that the path crosses from corner to corner.
struct PathPart {
  Index begin_a = 0, end_a = 0, begin_b = 0, end_b = 0;
  /// What the first letter of a gap of letters of `a` costs at the left edge's upper end, and at
  /// the right edge's lower end: less, if a gap ends or goes on there.
  Index open_begin = 0, open_end = 0;
  Index gap_after = 0;  ///< letters of `a` that follow without a partner

  Index rows() const { return end_a - begin_a; }
  Index columns() const { return end_b - begin_b; }
  double cells() const { return static_cast<double>(rows()) * static_cast<double>(columns()); }
  /// @brief Whether its matrix is followed through directly.
  bool is_small() const { return rows() <= 1 || columns() <= 1 || cells() <= 128 * 128; }
  Index middle() const { return begin_a + rows() / 2; }
  Checkpoint::Key key() const {
    return {Checkpoint::division, begin_a, end_a, begin_b, end_b, open_begin, open_end};
  }

  /// @brief The parts before and after a crossing, whose column is counted from the part's first.
  /// @param row the first one after it
  std::pair<PathPart, PathPart> divided(Index row, const PathCrossing& crossing,
                                        const ScoreBounds& costs) const {
    PathPart upper = *this, lower = *this;
    upper.end_a = lower.begin_a = row;
    upper.end_b = lower.begin_b = begin_b + crossing.column;
    upper.gap_after = 0;
    upper.open_end = lower.open_begin = costs.open;
    if (crossing.within_gap != 0) {
      --upper.end_a;
      ++lower.begin_a;
      upper.gap_after = 2;
      upper.open_end = lower.open_begin = costs.extend;
    }
    return {upper, lower};
  }
};

inline double cells_of(const std::vector<PathPart>& parts) {
  double cells = 0;
  for (const PathPart& part : parts) cells += part.cells();
  return cells;
}

/// @brief The two passes that reach a part's middle row, from above and from below. The columns of
/// the latter are reversed.
/// @tparam Pass a device's description of passes
template <class Pass>
std::array<Pass, 2> passes_to_middle(const PathPart& part, const CodeSequence& a,
                                     const CodeSequence& b, const ScoreBounds& costs) {
  std::array<Pass, 2> passes;
  auto& [above, below] = passes;
  const Index upper = part.middle() - part.begin_a;
  above.a = a.part(part.begin_a, upper);
  below.a = a.part(part.middle(), part.rows() - upper).reversed();
  above.b = b.part(part.begin_b, part.columns());
  below.b = above.b.reversed();
  above.left_open = part.open_begin;
  below.left_open = part.open_end;
  above.above_open = below.above_open = costs.open;
  return passes;
}

/// @brief Returns the entry before the first column of a pass's last row.
template <class Pass>
BoundaryEntry edge_of(const Pass& pass, const ScoreBounds& costs) {
  const Index gap = pass.left(pass.a.length - 1, costs.extend);
  return {gap, gap};
}

/// @brief Divides parts at their middle rows until all are done. Crossings of parts that took long
/// are kept in the checkpoint, if there is one, and taken from it.
/// @param crossings_of finds where the path crosses the middle rows of some parts
/// @param shared       the checkpoint, if the progress has none as threads divide parts side by
///                     side: crossings are kept then, but not how far passes are
template <class IsDone, class CrossingsOf>
void divide_parts(std::vector<PathPart>& parts, const ScoreBounds& costs, Progress& progress,
                  const IsDone& is_done, const CrossingsOf& crossings_of,
                  Checkpoint* shared = nullptr) {
  Checkpoint* const own = progress.checkpoint();
  Checkpoint* const checkpoint = own != nullptr ? own : shared;
  const auto is_kept = [&](const PathPart& part) {
    return checkpoint != nullptr && checkpoint->is_worth_keeping(part.cells());
  };
  const auto kept_crossing = [&](const PathPart& part) -> PathCrossing {
    if (const auto found = checkpoint->find(part.key())) {
      progress.skip(part.cells());
      const auto [column, within_gap, score] = *found;
      return {score, column, within_gap};
    }
    if (own != nullptr) own->begin(part.key());
    const PathCrossing crossing = crossings_of(std::vector<PathPart>{part}).front();
    checkpoint->remember(part.key(), {crossing.column, crossing.within_gap, crossing.score});
    return crossing;
  };
  while (!std::all_of(parts.begin(), parts.end(), is_done)) {
    std::vector<PathCrossing> crossings(parts.size());
    std::vector<PathPart> together;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (is_done(parts[k])) continue;
      if (is_kept(parts[k]))
        crossings[k] = kept_crossing(parts[k]);
      else
        together.push_back(parts[k]);
    }
    const auto found =
        together.empty() ? std::vector<PathCrossing>() : crossings_of(std::as_const(together));
    auto next = found.begin();
    std::vector<PathPart> divided;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const PathPart& part = parts[k];
      if (is_done(part)) {
        divided.push_back(part);
        continue;
      }
      const auto [upper, lower] =
          part.divided(part.middle(), is_kept(part) ? crossings[k] : *next++, costs);
      divided.push_back(upper);
      divided.push_back(lower);
    }
    parts = std::move(divided);
  }
}

/// @brief The parts between some rows, as far as the path was found to cross them.
/// @param rows  in their order; the path crosses each as in the part around it
/// @param found crossings of these rows, whose columns are those of the whole matrix
/// @param score of the path: a crossing of another score is none of its own
inline std::vector<PathPart> parts_between(const PathPart& whole, const std::vector<Index>& rows,
                                           const std::vector<PathCrossing>& found, Index score,
                                           const ScoreBounds& costs) {
  std::vector<PathPart> parts{whole};
  for (std::size_t k = 0; k < found.size(); ++k) {
    const PathPart part = parts.back();
    PathCrossing crossing = found[k];
    if (crossing.score != score || crossing.column < part.begin_b || crossing.column > part.end_b)
      continue;
    crossing.column -= part.begin_b;
    const auto [upper, lower] = part.divided(rows[k], crossing, costs);
    if (upper.rows() < 0 || lower.rows() < 0) continue;
    parts.back() = upper;
    parts.push_back(lower);
  }
  return parts;
}

/// @brief The runs of a path that was divided by parts_between. Of several best paths, rows may
/// have shown parts that do not fit each other: then it is found from the whole.
/// @param runs_through finds the runs through parts that follow each other
template <class RunsThrough>
std::vector<PathRun> runs_between(const PathPart& whole, const std::vector<PathPart>& parts,
                                  Index score, const LetterScores& scoring, const CodeSequence& a,
                                  const CodeSequence& b, const RunsThrough& runs_through) {
  std::vector<PathRun> runs = runs_through(parts);
  if (parts.size() > 1 && score_of(runs, scoring, a.part(whole.begin_a, whole.rows()),
                                   b.part(whole.begin_b, whole.columns())) != score)
    runs = runs_through(std::vector<PathPart>{whole});
  return runs;
}

}  // namespace wavescan::Impl

#endif
