// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SMITHWATERMAN_HPP
#define WAVESCAN_SMITHWATERMAN_HPP

#include <WaveScan_Align.hpp>
#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>

/// @file
/// @brief Smith-Waterman: local alignment of two sequences with a linear gap penalty.

namespace wavescan {

/// @brief Options of the computation of an alignment.
using SmithWatermanOptions = AlignOptions;

/// @brief The best score of a local alignment, and where it ends. Waits for the result.
///
/// Among equal scores the one with the smallest end_a is returned, and among these the one with the
/// smallest end_b. Empty sequences, or ones without a pair of letters of positive score, give 0 and
/// positions 0. The result does not depend on the number of threads.
///
/// It is align_score of local alignments with linear gaps, in work, memory and devices. The
/// substitution is asked once for each pair of letters that occur.
///
/// @param exec         execution space instance; left out: the default one of a's space
/// @param a, b         Views of char, of m and n letters, any layout; letters are compared as they
///                     are (upper and lower case differ)
/// @param substitution score of a letter of `a` with one of `b`, see Substitution
/// @param gap          what a letter without a partner costs, greater than 0
/// @throws std::invalid_argument if the gap penalty is not positive, or if it or a score of the
///         substitution is larger than 2^23 (a penalty that no alignment can afford is allowed)
template <ExecutionSpace Exec, class A, class B, Substitution S = MatchMismatch>
AlignmentScore smith_waterman_score(const Exec& exec, const A& a, const B& b,
                                    const S& substitution = {}, const LinearGap& gap = {}) {
  return Impl::align_pair<AlignmentScore>("smith_waterman_score", exec, a, b,
                                          Scoring<S>{substitution, gap});
}

/// @brief smith_waterman_score on the default instance of a's execution space.
template <ViewOfRank<1> A, class B, Substitution S = MatchMismatch>
AlignmentScore smith_waterman_score(const A& a, const B& b, const S& substitution = {},
                                    const LinearGap& gap = {}) {
  return smith_waterman_score(typename A::execution_space(), a, b, substitution, gap);
}

/// @brief A best local alignment of two sequences, in linear memory. Waits for the result.
///
/// It is align of local alignments with linear gaps: it ends where smith_waterman_score says, and
/// of the alignments that end there it is one with the largest begin_a, and among these the largest
/// begin_b; its path is the same in every run and on every number of threads.
///
/// Work: O(m n), at most four times that of the score alone. Memory: O(m + n).
///
/// @param exec         execution space instance; left out: the default one of a's space
/// @param a, b         Views of char, of m and n letters
/// @param substitution score of a letter of `a` with one of `b`, see Substitution
/// @param gap          what a letter without a partner costs, greater than 0
/// @param options      progress and checkpoints
/// @return positions, CIGAR (b is the reference) and counts; empty if the best score is 0
/// @throws std::invalid_argument as smith_waterman_score
template <ExecutionSpace Exec, class A, class B, Substitution S = MatchMismatch>
Alignment smith_waterman(const Exec& exec, const A& a, const B& b, const S& substitution = {},
                         const LinearGap& gap = {}, const SmithWatermanOptions& options = {}) {
  return Impl::align_pair<Alignment>("smith_waterman", exec, a, b, Scoring<S>{substitution, gap},
                                     options);
}

/// @brief smith_waterman on the default instance of a's execution space.
template <ViewOfRank<1> A, class B, Substitution S = MatchMismatch>
Alignment smith_waterman(const A& a, const B& b, const S& substitution = {},
                         const LinearGap& gap = {}, const SmithWatermanOptions& options = {}) {
  return smith_waterman(typename A::execution_space(), a, b, substitution, gap, options);
}

}  // namespace wavescan

#endif
