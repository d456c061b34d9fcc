// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_ALIGN_HPP
#define WAVESCAN_ALIGN_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>

/// @file
/// @brief Alignment of two sequences: local, global or semi-global, with linear or affine gaps and
/// any scores of pairs.

namespace wavescan {

/// @brief The best score of an alignment, and where it ends. Waits for the result.
///
/// Of several ends the one with the smallest end_a is returned, and of these the one with the
/// smallest end_b, on every device and any number of threads. A local score is 0, with positions 0,
/// if no pair of letters has a positive score.
///
/// Method: Gotoh's recurrence (J. Mol. Biol. 162, 1982), in vector registers of entries of 8, 16 or
/// 32 bits, whichever the scores allow, relative to bases of 64 bits: no sum can overflow.
///
/// Work: O(m n), on about min(m / 512, n / 64) threads at most. Memory: O(m + n); with scores that
/// are no MatchMismatch, a byte or two for each letter of `a` and each letter that occurs.
///
/// NVIDIA GPUs from Volta on compute everything, in entries of 16 bits likewise, or 32. What is
/// asked of other GPUs is computed on the host, by Kokkos' default space there.
///
/// @param exec    execution space instance; left out: the default one of a's space
/// @param a, b    Views of char, of m and n letters, any layout; upper and lower case differ
/// @param scoring pairs, gaps and mode
/// @throws std::invalid_argument if a gap's costs are negative or both zero, if a score or the cost
///         of a gap's first letter is larger than 2^23 (for local alignments, gaps that none can
///         afford are allowed)
template <ExecutionSpace Exec, class A, class B, Substitution S = MatchMismatch>
AlignmentScore align_score(const Exec& exec, const A& a, const B& b, const Scoring<S>& scoring = {},
                           const AlignOptions& options = {}) {
  return Impl::align_pair<AlignmentScore>("align_score", exec, a, b, scoring, options);
}

/// @brief align_score on the default instance of a's execution space.
template <ViewOfRank<1> A, class B, Substitution S = MatchMismatch>
AlignmentScore align_score(const A& a, const B& b, const Scoring<S>& scoring = {},
                           const AlignOptions& options = {}) {
  return align_score(typename A::execution_space(), a, b, scoring, options);
}

/// @brief A best alignment of two sequences, in linear memory. Waits for the result.
///
/// It ends where align_score says. Of the alignments that end there it is one with the largest
/// begin_a, and among these the largest begin_b. Its path is the same in every run, on any number
/// of threads and with every width of registers.
///
/// Method: a pass over both sequences finds the end, one over the reversed prefixes the beginning,
/// and divide and conquer what is between (Myers and Miller, CABIOS 4, 1988).
///
/// Work: O(m n), at most four times that of the score. Memory: O(m + n). Otherwise as align_score.
///
/// @return positions, CIGAR (b is the reference) and counts
template <ExecutionSpace Exec, class A, class B, Substitution S = MatchMismatch>
Alignment align(const Exec& exec, const A& a, const B& b, const Scoring<S>& scoring = {},
                const AlignOptions& options = {}) {
  return Impl::align_pair<Alignment>("align", exec, a, b, scoring, options);
}

/// @brief align on the default instance of a's execution space.
template <ViewOfRank<1> A, class B, Substitution S = MatchMismatch>
Alignment align(const A& a, const B& b, const Scoring<S>& scoring = {},
                const AlignOptions& options = {}) {
  return align(typename A::execution_space(), a, b, scoring, options);
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/pair/WaveScan_Instantiations.hpp>
#endif
#if !defined(WAVESCAN_CALLS_KERNELS)
#include <impl/align/WaveScan_AlignProblem.hpp>
#endif

#endif
