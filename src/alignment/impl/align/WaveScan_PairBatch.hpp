// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_PAIRBATCH_HPP
#define WAVESCAN_IMPL_ALIGN_PAIRBATCH_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>

#include <vector>

/// @file
/// @brief Many pairs of sequences for the host, which know no types of users any more. What
/// computes alignments of these is declared only: its headers take long to compile.

namespace wavescan::Impl {

/// @brief Two sequences, and what is found out about them.
struct BatchPair {
  CodeSequence a, b;
  Index number = 0;  ///< of the result
  double cells() const { return static_cast<double>(a.length) * static_cast<double>(b.length); }
};

/// @brief Pairs of sequences, and what they are scored by.
struct PairBatch {
  const TabulatedScores& table;
  AlignmentEdges edges;
  const AlignOptions& options;
  std::vector<BatchPair> pairs;
  bool same_query;  ///< all pairs have the same `a`
};

/// @brief The best scores, in the order of the pairs' numbers.
/// @tparam Threads HostThreads
template <class Threads>
std::vector<AlignmentScore> batch_scores(const Threads& threads, PairBatch batch);
template <class Threads>
std::vector<Alignment> batch_alignments(const Threads& threads, PairBatch batch);
/// @brief Adds paths to alignments of which scores, beginnings and ends are known.
template <class Threads>
void find_batch_paths(const Threads& threads, PairBatch batch, std::vector<Alignment>& results);

}  // namespace wavescan::Impl

#endif
