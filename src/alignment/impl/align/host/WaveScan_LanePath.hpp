// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANEPATH_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANEPATH_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_Checkpoint.hpp>
#include <impl/align/host/WaveScan_LanePass.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>
#include <impl/align/host/WaveScan_LaneScoring.hpp>
#include <impl/smith_waterman/WaveScan_Progress.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

/// @file
/// @brief The path of a global alignment in linear memory, by divide and conquer (Hirschberg 1975;
/// with affine gaps, Myers and Miller, "Optimal alignments in linear space", 1988).
///
/// Two passes reach the middle row from both sides. The path crosses it where the two scores add up
/// to the most: between letters, or within a gap of letters of `a`, which is then opened once only.
/// Both parts are treated alike, until they are small enough for a matrix of their own.
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
  void add(const std::vector<PathRun>& more) {
    for (const PathRun& run : more) {
      if (!runs.empty() && runs.back().kind == run.kind)
        runs.back().count += run.count;
      else
        runs.push_back(run);
    }
  }
};

/// @brief What a path through two sequences is worth.
inline Index score_of(const std::vector<PathRun>& runs, const HostScoring& scoring,
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

  /// @brief The parts before and after a crossing of a row.
  /// @param row        the first one after it
  /// @param column     columns of the part before it
  /// @param within_gap whether it lies between two letters of `a` of one gap
  std::pair<PathPart, PathPart> divided(Index row, Index column, bool within_gap,
                                        const LaneScores& costs) const {
    PathPart upper = *this, lower = *this;
    upper.end_a = lower.begin_a = row;
    upper.end_b = lower.begin_b = begin_b + column;
    upper.gap_after = 0;
    upper.open_end = lower.open_begin = costs.open;
    if (within_gap) {
      --upper.end_a;
      ++lower.begin_a;
      upper.gap_after = 2;
      upper.open_end = lower.open_begin = costs.extend;
    }
    return {upper, lower};
  }
};

/// @brief Where the best path crosses a row. Of several places it is the first, and rather not
/// within a gap.
struct PathCrossing {
  Index score = std::numeric_limits<Index>::min();
  Index column = 0;  ///< columns before it
  bool within_gap = false;

  /// @brief Sees a place behind those that it has seen.
  /// @param above, below of passes from both sides, which meet there
  void see(Index place, const BoundaryEntry& above, const BoundaryEntry& below,
           const LaneScores& costs) {
    if (above.h + below.h > score) *this = {above.h + below.h, place, false};
    if (!costs.affine()) return;
    const Index of_gap = above.e + below.e + costs.open - costs.extend;
    if (of_gap > score) *this = {of_gap, place, true};
  }
};

/// @brief Divides parts until all are done.
/// @param crossing_of finds where the path crosses a part's middle row
template <class IsDone, class CrossingOf>
void divide_parts(std::vector<PathPart>& parts, const LaneScores& costs, const IsDone& is_done,
                  const CrossingOf& crossing_of) {
  while (!std::all_of(parts.begin(), parts.end(), is_done)) {
    std::vector<PathPart> divided;
    for (const PathPart& part : parts) {
      if (is_done(part)) {
        divided.push_back(part);
        continue;
      }
      const PathCrossing crossing = crossing_of(part);
      const auto [upper, lower] =
          part.divided(part.middle(), crossing.column, crossing.within_gap, costs);
      divided.push_back(upper);
      divided.push_back(lower);
    }
    parts = std::move(divided);
  }
}

/// @brief Follows the path through a small matrix, in memory of a byte an entry.
class SmallPath {
 public:
  SmallPath(const HostScoring& scoring, const CodeSequence& a, const CodeSequence& b)
      : scoring_(scoring), a_(a), b_(b) {}

  /// @brief Appends the part's runs.
  void append(const PathPart& part, std::vector<PathRun>& runs) {
    const Index m = part.rows(), n = part.columns();
    if (m == 0 || n == 0) {
      if (n > 0) runs.push_back({'D', n});
      if (m > 0) runs.push_back({'I', m});
    } else {
      const bool ends_in_gap = fill(part);
      follow(m, n, ends_in_gap, runs);
    }
    if (part.gap_after > 0) runs.push_back({'I', part.gap_after});
  }

 private:
  enum Step : std::uint8_t { from_e = 1, from_f = 2, e_goes_on = 4, f_goes_on = 8 };

  /// @brief Computes the steps; returns whether the path ends in a gap of letters of a.
  bool fill(const PathPart& part) {
    const Index m = part.rows(), n = part.columns();
    const LaneScores& costs = scoring_.costs;
    steps_.resize(static_cast<std::size_t>(m * n));
    h_.resize(static_cast<std::size_t>(n));
    e_.resize(static_cast<std::size_t>(n));
    for (std::size_t j = 0; j < h_.size(); ++j) {
      h_[j] = -costs.open - static_cast<Index>(j) * costs.extend;
      e_[j] = h_[j] - costs.open;
    }
    std::uint8_t* step = steps_.data();
    for (Index i = 0; i < m; ++i) {
      const std::uint8_t letter = a_[part.begin_a + i];
      Index diagonal = i == 0 ? 0 : -part.open_begin - (i - 1) * costs.extend;
      Index left = -part.open_begin - i * costs.extend, f = left - costs.open;
      for (Index j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(j);
        std::uint8_t taken = 0;
        const Index e_opened = h_[at] - costs.open, f_opened = left - costs.open;
        Index e = e_[at] - costs.extend;
        f -= costs.extend;
        if (e > e_opened)
          taken |= e_goes_on;
        else
          e = e_opened;
        if (f > f_opened)
          taken |= f_goes_on;
        else
          f = f_opened;
        Index value = diagonal + scoring_.score(letter, b_[part.begin_b + j]);
        if (e > value) {
          value = e;
          taken |= from_e;
        }
        if (f > value) {
          value = f;
          taken = static_cast<std::uint8_t>((taken & ~from_e) | from_f);
        }
        diagonal = h_[at];
        h_[at] = left = value;
        e_[at] = e;
        *step++ = taken;
      }
    }
    return e_.back() + costs.open - part.open_end > h_.back();
  }

  void follow(Index m, Index n, bool in_e, std::vector<PathRun>& runs) const {
    const std::size_t first = runs.size();
    const auto add = [&](char kind, Index count) {
      if (runs.size() > first && runs.back().kind == kind)
        runs.back().count += count;
      else
        runs.push_back({kind, count});
    };
    bool in_f = false;
    Index i = m - 1, j = n - 1;
    while (i >= 0 && j >= 0) {
      const std::uint8_t step = steps_[static_cast<std::size_t>(i * n + j)];
      if (!in_e && !in_f) {
        in_e = (step & from_e) != 0;
        in_f = (step & from_f) != 0;
      }
      if (in_e) {
        add('I', 1);
        in_e = (step & e_goes_on) != 0;
        --i;
      } else if (in_f) {
        add('D', 1);
        in_f = (step & f_goes_on) != 0;
        --j;
      } else {
        add('M', 1);
        --i;
        --j;
      }
    }
    if (i >= 0) add('I', i + 1);
    if (j >= 0) add('D', j + 1);
    std::reverse(runs.begin() + static_cast<std::ptrdiff_t>(first), runs.end());
  }

  const HostScoring& scoring_;
  CodeSequence a_, b_;
  std::vector<std::uint8_t> steps_;
  std::vector<Index> h_, e_;
};

/// @brief Finds paths of global alignments.
class LanePath {
 public:
  LanePath(const LanePasses& passes, const CodeSequence& a, const CodeSequence& b)
      : passes_(passes), a_(a), b_(b) {}

  /// @brief The runs through parts that follow each other.
  std::vector<PathRun> find(std::vector<PathPart> parts) {
    double cells = 0;
    for (const PathPart& part : parts) cells += part.cells();
    const double for_a_thread = cells / static_cast<double>(16 * passes_.threads().count);
    if (passes_.threads().count > 1) divide(parts, std::max(for_a_thread, 1e6), passes_);
    return follow(parts);
  }

  /// @brief Goes on with parts that are left to one thread each.
  std::vector<PathRun> follow(const std::vector<PathPart>& parts) {
    std::vector<std::vector<PathRun>> runs(parts.size());
    std::atomic<std::size_t> next = 0;
    double cells = 0;
    for (const PathPart& part : parts) cells += part.cells();
    const auto workers = std::min<Index>(passes_.threads().count, static_cast<Index>(parts.size()));
    passes_.threads().run(workers, 2 * cells / 5e9, [&](Index) {
      Progress none({});
      const LanePasses alone = passes_.on(none);
      SmallPath small(passes_.scoring(), a_, b_);
      for (std::size_t k; (k = next.fetch_add(1)) < parts.size();) {
        std::vector<PathPart> smaller{parts[k]};
        divide(smaller, 0, alone);
        for (const PathPart& part : smaller) small.append(part, runs[k]);
      }
    });
    passes_.progress().add(2 * cells);
    JoinedRuns all;
    for (const auto& some : runs) all.add(some);
    return all.runs;
  }

 private:
  /// @brief Divides parts of more than `cells` entries until there are only smaller ones.
  void divide(std::vector<PathPart>& parts, double cells, const LanePasses& passes) const {
    divide_parts(
        parts, passes.scoring().costs,
        [&](const PathPart& part) { return part.is_small() || part.cells() <= cells; },
        [&](const PathPart& part) { return kept_crossing(part, passes); });
  }

  /// @brief Where the path crosses the middle row, from the checkpoint or for it.
  PathCrossing kept_crossing(const PathPart& part, const LanePasses& passes) const {
    Checkpoint* const checkpoint = passes_.progress().checkpoint();
    if (checkpoint == nullptr || !checkpoint->is_worth_keeping(part.cells()))
      return crossing_of(part, passes);
    if (const auto found = checkpoint->find(part.key())) {
      if (&passes == &passes_) passes.progress().skip(part.cells());
      const auto [column, within_gap, score] = *found;
      return {score, column, within_gap != 0};
    }
    if (&passes == &passes_) checkpoint->begin(part.key());
    const PathCrossing crossing = crossing_of(part, passes);
    checkpoint->remember(part.key(),
                         {crossing.column, crossing.within_gap ? 1 : 0, crossing.score});
    return crossing;
  }

  PathCrossing crossing_of(const PathPart& part, const LanePasses& passes) const {
    const LaneScores& costs = passes.scoring().costs;
    const Index rows = part.rows() / 2, n = part.columns();
    const auto size = static_cast<std::size_t>(n);
    std::vector<BoundaryEntry> above(size), below(size);
    PassProblem forwards;
    forwards.a = a_.part(part.begin_a, rows);
    forwards.b = b_.part(part.begin_b, n);
    forwards.left_open = part.open_begin;
    forwards.above_open = costs.open;
    forwards.row = above.data();
    PassProblem backwards;
    backwards.a = a_.part(part.begin_a + rows, part.rows() - rows).reversed();
    backwards.b = forwards.b.reversed();
    backwards.left_open = part.open_end;
    backwards.above_open = costs.open;
    backwards.row = below.data();
    passes.run(forwards);
    passes.run(backwards);

    // With j columns before the crossing.
    const auto entry = [&](const PassProblem& pass, Index j) {
      if (j > 0) return pass.row[j - 1];
      const Index edge = pass.left(pass.a.length - 1, costs.extend);
      return BoundaryEntry{edge, edge};
    };
    PathCrossing crossing;
    for (Index j = 0; j <= n; ++j)
      crossing.see(j, entry(forwards, j), entry(backwards, n - j), costs);
    return crossing;
  }

  const LanePasses& passes_;
  CodeSequence a_, b_;
};

}  // namespace wavescan::Impl

#endif
