// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_HOSTALIGNER_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_HOSTALIGNER_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/host/WaveScan_LanePass.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>
#include <impl/align/host/WaveScan_LanePath.hpp>
#include <impl/align/host/WaveScan_LaneScoring.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

/// @file
/// @brief The passes of an alignment on hosts: forwards for its end, backwards for its beginning,
/// and between them for its path.

namespace wavescan::Impl {

/// @brief Which letters need not be aligned.
struct AlignmentEdges {
  bool local = false;
  FreeEnds free{false, false, false, false};

  static AlignmentEdges of(AlignmentMode mode, const FreeEnds& free_ends) {
    AlignmentEdges edges;
    edges.local = mode == AlignmentMode::Local;
    if (mode == AlignmentMode::SemiGlobal) edges.free = free_ends;
    return edges;
  }
  /// @brief Of the reversed sequences, aligned from a known end.
  AlignmentEdges from_end() const { return {local, {false, free.begin_a, false, free.begin_b}}; }
};

class HostAligner {
 public:
  HostAligner(LanePasses& passes, const CodeSequence& a, const CodeSequence& b,
              const AlignmentEdges& edges)
      : passes_(passes), a_(a), b_(b), edges_(edges) {}

  AlignmentScore score() { return end_of(a_, b_, edges_, unknown); }

  Alignment align() {
    Progress& progress = passes_.progress();
    progress.remaining(4 * product(a_.length, b_.length));
    Alignment alignment;
    const AlignmentScore end = score();
    alignment.score = end.score;
    if (edges_.local && end.score == 0) {
      progress.finish();
      return alignment;
    }
    alignment.end_a = end.end_a;
    alignment.end_b = end.end_b;
    progress.remaining(3 * product(end.end_a, end.end_b));
    find_beginning(alignment);
    find_path(alignment);
    return alignment;
  }

  /// @brief Adds the path to what is known: score, beginning and end.
  void find_path(Alignment& alignment) {
    Progress& progress = passes_.progress();
    progress.remaining(
        2 * product(alignment.end_a - alignment.begin_a, alignment.end_b - alignment.begin_b));
    LanePath path(passes_, a_, b_);
    write(path.find(alignment.begin_a, alignment.end_a, alignment.begin_b, alignment.end_b),
          alignment);
    progress.finish();
  }

 private:
  static constexpr Index unknown = std::numeric_limits<Index>::max();

  static double product(Index rows, Index columns) {
    return static_cast<double>(rows) * static_cast<double>(columns);
  }

  /// @brief The best score and where it ends: at the smallest end_a, and then the smallest end_b.
  AlignmentScore end_of(const CodeSequence& a, const CodeSequence& b, const AlignmentEdges& edges,
                        Index target) {
    const LaneScores& costs = passes_.scoring().costs;
    PassProblem pass;
    pass.a = a;
    pass.b = b;
    pass.local = edges.local;
    pass.free_left = edges.free.begin_a;
    pass.free_above = edges.free.begin_b;
    pass.left_open = pass.above_open = costs.open;
    pass.target = target;
    const bool empty = a.length == 0 || b.length == 0;
    if (edges.local && empty) return {};
    std::vector<BoundaryEntry> row(static_cast<std::size_t>(b.length));
    std::vector<Index> column(static_cast<std::size_t>(edges.free.end_a ? a.length : 0));
    pass.row = row.data();
    if (edges.free.end_a) pass.last_column = column.data();
    if (!empty) {
      const BestCell best = passes_.run(pass);
      if (edges.local) return {best.score, best.row + 1, best.column + 1};
    }

    const auto entry = [&](Index i, Index j) {
      if (i == 0) return pass.above(j - 1, costs);
      if (j == 0) return pass.left(i - 1, costs);
      return i == a.length ? row[static_cast<std::size_t>(j - 1)].h
                           : column[static_cast<std::size_t>(i - 1)];
    };
    AlignmentScore best{entry(a.length, b.length), a.length, b.length};
    // From the last one on, so that of equal ones the first stays.
    if (edges.free.end_b)
      for (Index j = b.length; j-- > 0;)
        if (const Index value = entry(a.length, j); value >= best.score)
          best = {value, a.length, j};
    if (edges.free.end_a)
      for (Index i = a.length; i-- > 0;)
        if (const Index value = entry(i, b.length); value >= best.score)
          best = {value, i, b.length};
    return best;
  }

  /// @brief No best alignment ends before the end that was found, so a best one of the reversed
  /// prefixes is one that ends there.
  void find_beginning(Alignment& alignment) {
    if (!edges_.local && !edges_.free.begin_a && !edges_.free.begin_b) return;
    const AlignmentScore begin =
        end_of(a_.part(0, alignment.end_a).reversed(), b_.part(0, alignment.end_b).reversed(),
               edges_.from_end(), alignment.score);
    check(begin.score, alignment.score);
    alignment.begin_a = alignment.end_a - begin.end_a;
    alignment.begin_b = alignment.end_b - begin.end_b;
  }

  void write(const std::vector<PathRun>& runs, Alignment& alignment) const {
    CigarWriter cigar(alignment);
    const LaneScores& costs = passes_.scoring().costs;
    Index score = 0, i = alignment.begin_a, j = alignment.begin_b;
    for (const PathRun& run : runs) {
      if (run.kind != 'M') {
        cigar.add(run.kind, run.count);
        (run.kind == 'I' ? i : j) += run.count;
        score -= costs.open + (run.count - 1) * costs.extend;
        continue;
      }
      for (Index k = 0; k < run.count; ++k, ++i, ++j) {
        cigar.add(a_[i] == b_[j] ? '=' : 'X', 1);
        score += passes_.scoring().score(a_[i], b_[j]);
      }
    }
    cigar.flush();
    check(score, alignment.score);
  }

  static void check(Index found, Index expected) {
    if (found != expected)
      throw std::logic_error("WaveScan::align: internal error: a pass found the score " +
                             std::to_string(found) + " instead of " + std::to_string(expected));
  }

  LanePasses& passes_;
  CodeSequence a_, b_;
  AlignmentEdges edges_;
};

}  // namespace wavescan::Impl

#endif
