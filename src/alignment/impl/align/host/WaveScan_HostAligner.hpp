// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_HOSTALIGNER_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_HOSTALIGNER_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_Aligner.hpp>
#include <impl/align/host/WaveScan_LanePass.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>
#include <impl/align/host/WaveScan_LanePath.hpp>
#include <impl/align/host/WaveScan_LaneScoring.hpp>

#include <cstddef>
#include <vector>

/// @file
/// @brief Alignments on hosts.

namespace wavescan::Impl {

class HostAlgorithm {
 public:
  HostAlgorithm(const LanePasses& passes, const CodeSequence& a, const CodeSequence& b)
      : passes_(passes), a_(a), b_(b) {}

  Index rows() const { return a_.length; }
  Index columns() const { return b_.length; }
  const CodeSequence& a() const { return a_; }
  const CodeSequence& b() const { return b_; }
  const HostScoring& scoring() const { return passes_.scoring(); }
  Progress& progress() { return passes_.progress(); }

  AlignmentScore end_of(const AlignmentPrefixes& prefixes, const AlignmentEdges& edges,
                        Index target) {
    const LaneScores& costs = passes_.scoring().costs;
    CodeSequence a = a_.part(0, prefixes.rows), b = b_.part(0, prefixes.columns);
    if (prefixes.reversed) {
      a = a.reversed();
      b = b.reversed();
    }
    PassProblem pass;
    pass.a = a;
    pass.b = b;
    pass.local = edges.local;
    pass.free_left = edges.free.begin_a;
    pass.free_above = edges.free.begin_b;
    pass.left_open = pass.above_open = costs.open;
    if (edges.local) pass.target = target;
    const bool empty = a.length == 0 || b.length == 0;
    if (edges.local && empty) return {};
    const bool wants_row = !edges.local || progress().checkpoint() != nullptr;
    std::vector<BoundaryEntry> row(static_cast<std::size_t>(wants_row ? b.length : 0));
    std::vector<Index> column(static_cast<std::size_t>(edges.free.end_a ? a.length : 0));
    if (wants_row) pass.row = row.data();
    if (edges.free.end_a) pass.last_column = column.data();
    if (!empty) {
      const BestCell best = passes_.run(pass);
      if (edges.local) return {best.score, best.row + 1, best.column + 1};
    }

    const auto entry = [&](Index i, Index j) {
      if (i == 0) return pass.above(j - 1, costs.extend);
      if (j == 0) return pass.left(i - 1, costs.extend);
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

  std::vector<PathRun> path(const Alignment& ends) {
    const Index open = scoring().costs.open;
    return LanePath(passes_, a_, b_)
        .find({{ends.begin_a, ends.end_a, ends.begin_b, ends.end_b, open, open, 0}});
  }

 private:
  const LanePasses& passes_;
  CodeSequence a_, b_;
};

class HostAligner : public Aligner<HostAlgorithm> {
 public:
  HostAligner(const LanePasses& passes, const CodeSequence& a, const CodeSequence& b,
              const AlignmentEdges& edges)
      : Aligner(HostAlgorithm(passes, a, b), edges) {}
};

}  // namespace wavescan::Impl

#endif
