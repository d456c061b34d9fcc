// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_HOSTALIGNER_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_HOSTALIGNER_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignProgress.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_Aligner.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/WaveScan_PathParts.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/host/WaveScan_LanePass.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>
#include <impl/align/host/WaveScan_LanePath.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
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
  const LetterScores& scoring() const { return passes_.scoring(); }
  Progress& progress() { return passes_.progress(); }

  AlignmentScore end_of(const AlignmentPrefixes& prefixes, const AlignmentEdges& edges,
                        Index target) {
    const ScoreBounds& costs = scoring().costs;
    auto pass = pass_over<PassProblem>(prefixes, a_, b_, edges, costs);
    const Index m = pass.a.length, n = pass.b.length;
    if (edges.local) pass.target = target;
    const bool empty = m == 0 || n == 0;
    if (edges.local && empty) return {};
    std::vector<BoundaryEntry> row(static_cast<std::size_t>(edges.local ? 0 : n));
    std::vector<Index> column(static_cast<std::size_t>(edges.free.end_a ? m : 0));
    if (!edges.local) pass.row = row.data();
    if (edges.free.end_a) pass.last_column = column.data();
    if (!empty) {
      const BestEntry best = passes_.run(pass);
      if (edges.local) return best.end();
    }

    const auto entry = [&](Index i, Index j) {
      if (i == 0) return pass.above(j - 1, costs.extend);
      if (j == 0) return pass.left(i - 1, costs.extend);
      return i == m ? row[static_cast<std::size_t>(j - 1)].h
                    : column[static_cast<std::size_t>(i - 1)];
    };
    AlignmentScore best{entry(m, n), m, n};
    // From the last one on, so that of equal ones the first stays.
    if (edges.free.end_b)
      for (Index j = n; j-- > 0;)
        if (const Index value = entry(m, j); value >= best.score) best = {value, m, j};
    if (edges.free.end_a)
      for (Index i = m; i-- > 0;)
        if (const Index value = entry(i, n); value >= best.score) best = {value, i, n};
    return best;
  }

  std::vector<PathRun> path(const Alignment& ends) {
    return LanePath(passes_, a_, b_).find({whole_path(ends, scoring().costs)});
  }

 private:
  const LanePasses& passes_;
  CodeSequence a_, b_;
};

using HostAligner = Aligner<HostAlgorithm>;

/// @brief The part of the work that a device leaves to the host, with what the host needs for it.
class HostSide {
 public:
  HostSide(const LetterScores& scoring, std::vector<std::uint8_t> codes_a,
           std::vector<std::uint8_t> codes_b, Progress& progress)
      : codes_a_(std::move(codes_a)),
        codes_b_(std::move(codes_b)),
        passes_(scoring, exec_, progress),
        algorithm(passes_, code_sequence(codes_a_), code_sequence(codes_b_)) {}

  /// @brief The runs through parts that follow each other.
  /// @param transposed whether the parts' rows are letters of `b`
  std::vector<PathRun> follow(const std::vector<PathPart>& parts, bool transposed) {
    const CodeSequence &a = algorithm.a(), &b = algorithm.b();
    return LanePath(passes_, transposed ? b : a, transposed ? a : b).follow(parts);
  }

 private:
  Kokkos::DefaultHostExecutionSpace exec_;
  std::vector<std::uint8_t> codes_a_, codes_b_;
  LanePasses passes_;

 public:
  HostAlgorithm algorithm;
};

}  // namespace wavescan::Impl

#endif
