// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANEPATH_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANEPATH_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignProgress.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/WaveScan_PathParts.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/WaveScan_SmallPath.hpp>
#include <impl/align/host/WaveScan_LanePass.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// @file
/// @brief Paths of global alignments on hosts (WaveScan_PathParts.hpp).

namespace wavescan::Impl {

/// @brief Follows the path through a small matrix, in memory of a byte an entry.
class SmallPath {
 public:
  SmallPath(const LetterScores& scoring, const CodeSequence& a, const CodeSequence& b)
      : scoring_(scoring), a_(a), b_(b) {}

  /// @brief Appends the part's runs.
  void append(const PathPart& part, JoinedRuns& runs) {
    const Index m = part.rows(), n = part.columns();
    if (m == 0 || n == 0) {
      runs.add({'D', n});
      runs.add({'I', m});
    } else {
      JoinedRuns backwards;
      const auto add = [&](PathKind kind, Index count) {
        backwards.add({path_letters[kind], count});
      };
      PathWalk<Index> walk{m - 1, n - 1, fill(part)};
      while (walk.is_inside())
        add(walk.go(steps_[static_cast<std::size_t>(walk.row * n + walk.column)]), 1);
      add(LetterOfA, walk.row + 1);
      add(LetterOfB, walk.column + 1);
      std::for_each(backwards.runs.rbegin(), backwards.runs.rend(),
                    [&](const PathRun& run) { runs.add(run); });
    }
    runs.add({'I', part.gap_after});
  }

 private:
  /// @brief Computes the steps; returns whether the path ends in a gap of letters of a.
  bool fill(const PathPart& part) {
    const Index m = part.rows(), n = part.columns();
    const ScoreBounds& costs = scoring_.costs;
    steps_.resize(static_cast<std::size_t>(m * n));
    row_.resize(static_cast<std::size_t>(n));
    for (Index j = 0; j < n; ++j) {
      const Index h = -costs.open - j * costs.extend;
      row_[static_cast<std::size_t>(j)] = {h, h - costs.open};
    }
    std::uint8_t* step = steps_.data();
    for (Index i = 0; i < m; ++i) {
      const std::uint8_t letter = a_[part.begin_a + i];
      Index diagonal = i == 0 ? 0 : -part.open_begin - (i - 1) * costs.extend;
      Index left = -part.open_begin - i * costs.extend, f = left - costs.open;
      for (Index j = 0; j < n; ++j) {
        BoundaryEntry& entry = row_[static_cast<std::size_t>(j)];
        Index h = diagonal + scoring_.score(letter, b_[part.begin_b + j]);
        diagonal = entry.h;
        *step++ = small_step(entry.h, left, costs.open, costs.extend, h, entry.e, f);
        entry.h = left = h;
      }
    }
    return row_.back().e + costs.open - part.open_end > row_.back().h;
  }

  const LetterScores& scoring_;
  CodeSequence a_, b_;
  std::vector<std::uint8_t> steps_;
  std::vector<BoundaryEntry> row_;  ///< above the row that is computed
};

/// @brief Finds paths of global alignments.
class LanePath {
 public:
  LanePath(const LanePasses& passes, const CodeSequence& a, const CodeSequence& b)
      : passes_(passes), a_(a), b_(b) {}

  /// @brief The runs through parts that follow each other.
  std::vector<PathRun> find(std::vector<PathPart> parts) {
    const double for_a_thread = cells_of(parts) / static_cast<double>(16 * passes_.threads().count);
    if (passes_.threads().count > 1) divide(parts, std::max(for_a_thread, 1e6), passes_);
    return follow(parts);
  }

  /// @brief Goes on with parts that are left to one thread each.
  std::vector<PathRun> follow(const std::vector<PathPart>& parts) {
    std::vector<JoinedRuns> runs(parts.size());
    std::atomic<std::size_t> next = 0;
    const double cells = 2 * cells_of(parts);
    const auto workers = std::min<Index>(passes_.threads().count, static_cast<Index>(parts.size()));
    passes_.threads().run(workers, cells / 5e9, [&](Index) {
      Progress none({});
      const LanePasses alone = passes_.on(none);
      SmallPath small(passes_.scoring(), a_, b_);
      for (std::size_t k; (k = next.fetch_add(1)) < parts.size();) {
        std::vector<PathPart> smaller{parts[k]};
        divide(smaller, 0, alone);
        for (const PathPart& part : smaller) small.append(part, runs[k]);
      }
    });
    passes_.progress().add(cells);
    JoinedRuns all;
    for (const JoinedRuns& some : runs) all.add(some.runs);
    return all.runs;
  }

 private:
  /// @brief Divides parts of more than `cells` entries until there are only smaller ones.
  void divide(std::vector<PathPart>& parts, double cells, const LanePasses& passes) const {
    divide_parts(
        parts, passes.scoring().costs, passes.progress(),
        [&](const PathPart& part) { return part.is_small() || part.cells() <= cells; },
        [&](const std::vector<PathPart>& together) {
          std::vector<PathCrossing> crossings;
          // A thread by itself is quicker with one after the other, in its cache.
          const std::size_t at_once = passes.threads().count > 1 ? together.size() : 1;
          for (std::size_t k = 0; k < together.size(); k += at_once)
            find_crossings({&together[k], at_once}, passes, crossings);
          return crossings;
        },
        passes_.progress().checkpoint());
  }

  void find_crossings(std::span<const PathPart> parts, const LanePasses& passes,
                      std::vector<PathCrossing>& crossings) const {
    const ScoreBounds& costs = passes.scoring().costs;
    std::vector<PassProblem> problems;
    Index columns = 0;
    for (const PathPart& part : parts) columns += 2 * part.columns();
    std::vector<BoundaryEntry> rows(static_cast<std::size_t>(columns));
    BoundaryEntry* row = rows.data();
    for (const PathPart& part : parts)
      for (PassProblem pass : passes_to_middle<PassProblem>(part, a_, b_, costs)) {
        pass.row = row;
        row += part.columns();
        problems.push_back(pass);
      }
    passes.run(problems);

    // With j columns before the crossing.
    const auto entry = [&](const PassProblem& pass, Index j) {
      return j > 0 ? pass.row[j - 1] : edge_of(pass, costs);
    };
    for (std::size_t k = 0; k < problems.size(); k += 2) {
      const Index n = problems[k].b.length;
      PathCrossing crossing;
      for (Index j = 0; j <= n; ++j)
        crossing.see(j, entry(problems[k], j), entry(problems[k + 1], n - j), costs);
      crossings.push_back(crossing);
    }
  }

  const LanePasses& passes_;
  CodeSequence a_, b_;
};

}  // namespace wavescan::Impl

#endif
