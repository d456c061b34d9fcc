// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_ALIGNER_HPP
#define WAVESCAN_IMPL_ALIGN_ALIGNER_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignProgress.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_Checkpoint.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_PathParts.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// @file
/// @brief The passes of an alignment, on whatever device: forwards for its end, backwards for its
/// beginning, and between them for its path.

namespace wavescan::Impl {

/// @brief The first letters of both sequences.
struct AlignmentPrefixes {
  Index rows = 0;
  Index columns = 0;
  bool reversed = false;  ///< beginning with the last ones of these
  bool for_path = false;  ///< the path will be asked for, too
};

inline constexpr Index unknown_score = std::numeric_limits<Index>::max();

/// @brief The pass over prefixes of two sequences.
/// @tparam Pass a device's description of passes
template <class Pass>
Pass pass_over(const AlignmentPrefixes& prefixes, const CodeSequence& a, const CodeSequence& b,
               const AlignmentEdges& edges, const ScoreBounds& costs) {
  Pass pass;
  pass.set_edges(edges, costs.open);
  pass.a = a.part(0, prefixes.rows);
  pass.b = b.part(0, prefixes.columns);
  if (prefixes.reversed) {
    pass.a = pass.a.reversed();
    pass.b = pass.b.reversed();
  }
  return pass;
}

/// @brief Returns the whole path between known ends.
inline PathPart whole_path(const Alignment& ends, const ScoreBounds& costs) {
  return {ends.begin_a, ends.end_a, ends.begin_b, ends.end_b, costs.open, costs.open, 0};
}

/// @tparam Algorithm what can be done with two sequences, or a reference to it:
///         - rows(), columns(): how long the sequences are; a(), b(): their letters' codes on the
///           host; scoring(), progress()
///         - end_of(prefixes, edges, target): the best score, and where it ends: at the smallest
///           end_a, and then the smallest end_b. `target` is the score, if it is known
///         - path(alignment): the runs of a best path from its beginning to its end, when `end_of`
///           has found both
template <class Algorithm>
class Aligner {
 public:
  Aligner(Algorithm algorithm, const AlignmentEdges& edges)
      : algorithm_(std::forward<Algorithm>(algorithm)), edges_(edges) {}

  AlignmentScore score();
  /// @brief Score, beginning and end.
  Alignment stretches(bool for_path = false);
  Alignment align();
  /// @brief Adds the path to what is known: score, beginning and end.
  void find_path(Alignment& alignment);

 private:
  static double product(Index rows, Index columns) {
    return static_cast<double>(rows) * static_cast<double>(columns);
  }

  AlignmentScore end(bool for_path) {
    return end_of({algorithm_.rows(), algorithm_.columns(), false, for_path}, edges_,
                  unknown_score);
  }

  /// @brief Finds the best score and its end as the algorithm does, or takes what a checkpoint
  /// holds of them.
  AlignmentScore end_of(const AlignmentPrefixes& prefixes, const AlignmentEdges& edges,
                        Index target) {
    Checkpoint* const checkpoint = algorithm_.progress().checkpoint();
    if (checkpoint == nullptr) return algorithm_.end_of(prefixes, edges, target);
    const Checkpoint::Key step{prefixes.reversed ? Checkpoint::beginning : Checkpoint::end,
                               0,
                               prefixes.rows,
                               0,
                               prefixes.columns,
                               0,
                               0};
    if (const auto found = checkpoint->find(step)) {
      algorithm_.progress().skip(product(prefixes.rows, prefixes.columns));
      const auto [score, end_a, end_b] = *found;
      return {score, end_a, end_b};
    }
    checkpoint->begin(step);
    const AlignmentScore result = algorithm_.end_of(prefixes, edges, target);
    checkpoint->remember(step, {result.score, result.end_a, result.end_b});
    return result;
  }

  /// @brief Finds the beginning: no best alignment ends before the end that was found, so a best
  /// one of the reversed prefixes is one that ends there.
  void find_beginning(Alignment& alignment, bool for_path) {
    if (!edges_.local && !edges_.free.begin_a && !edges_.free.begin_b) return;
    const AlignmentScore begin = end_of({alignment.end_a, alignment.end_b, true, for_path},
                                        edges_.from_end(), alignment.score);
    check(begin.score, alignment.score);
    alignment.begin_a = alignment.end_a - begin.end_a;
    alignment.begin_b = alignment.end_b - begin.end_b;
  }

  void write(const std::vector<PathRun>& runs, Alignment& alignment) {
    CigarWriter cigar(alignment);
    const CodeSequence letters_a = algorithm_.a(), letters_b = algorithm_.b();
    Index i = alignment.begin_a, j = alignment.begin_b;
    for (const PathRun& run : runs) {
      if (run.kind != 'M') {
        cigar.add(run.kind, run.count);
        (run.kind == 'I' ? i : j) += run.count;
        continue;
      }
      for (Index k = 0; k < run.count; ++k, ++i, ++j)
        cigar.add(algorithm_.scoring().are_match(letters_a[i], letters_b[j]) ? '=' : 'X', 1);
    }
    cigar.flush();
    check(score_of(runs, algorithm_.scoring(),
                   letters_a.part(alignment.begin_a, i - alignment.begin_a),
                   letters_b.part(alignment.begin_b, j - alignment.begin_b)),
          alignment.score);
  }

  static void check(Index found, Index expected) {
    if (found != expected)
      throw std::logic_error("WaveScan::align: internal error: a pass found the score " +
                             std::to_string(found) + " instead of " + std::to_string(expected));
  }

  Algorithm algorithm_;
  AlignmentEdges edges_;
};

template <class Algorithm>
AlignmentScore Aligner<Algorithm>::score() {
  Progress& progress = algorithm_.progress();
  progress.remaining(product(algorithm_.rows(), algorithm_.columns()));
  const AlignmentScore score = end(false);
  progress.finish();
  return score;
}

template <class Algorithm>
Alignment Aligner<Algorithm>::stretches(bool for_path) {
  Alignment alignment;
  const AlignmentScore end = this->end(for_path);
  alignment.score = end.score;
  if (edges_.local && end.score == 0) return alignment;
  alignment.end_a = end.end_a;
  alignment.end_b = end.end_b;
  algorithm_.progress().remaining(3 * product(end.end_a, end.end_b));
  find_beginning(alignment, for_path);
  return alignment;
}

template <class Algorithm>
Alignment Aligner<Algorithm>::align() {
  Progress& progress = algorithm_.progress();
  progress.remaining(4 * product(algorithm_.rows(), algorithm_.columns()));
  Alignment alignment = stretches(true);
  if (edges_.local && alignment.score == 0)
    progress.finish();
  else
    find_path(alignment);
  return alignment;
}

template <class Algorithm>
void Aligner<Algorithm>::find_path(Alignment& alignment) {
  Progress& progress = algorithm_.progress();
  progress.remaining(
      2 * product(alignment.end_a - alignment.begin_a, alignment.end_b - alignment.begin_b));
  write(algorithm_.path(alignment), alignment);
  progress.finish();
}

}  // namespace wavescan::Impl

#endif
