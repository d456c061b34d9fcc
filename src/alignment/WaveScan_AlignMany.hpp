// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_ALIGNMANY_HPP
#define WAVESCAN_ALIGNMANY_HPP

#include <WaveScan_Align.hpp>
#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_DeviceBatch.hpp>
#include <impl/align/WaveScan_HostThreads.hpp>
#include <impl/align/WaveScan_LetterCodes.hpp>
#include <impl/align/WaveScan_PairBatch.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// @brief Alignments of many pairs of sequences: one with many others, or pair by pair.

namespace wavescan {

/// @brief Sequences one behind the other: sequence k is letters[offsets(k), offsets(k + 1)).
/// @tparam Letters View of char of rank 1
/// @tparam Offsets View of std::int64_t of rank 1, one longer than there are sequences
template <ViewOfRank<1> Letters, ViewOfRank<1> Offsets>
struct SequenceSet {
  Letters letters;
  Offsets offsets;
  std::int64_t size() const {
    return offsets.extent(0) == 0 ? 0 : static_cast<std::int64_t>(offsets.extent(0)) - 1;
  }
};
template <class Letters, class Offsets>
SequenceSet(const Letters&, const Offsets&) -> SequenceSet<Letters, Offsets>;

/// @brief Copies sequences into a set on the host.
inline auto sequence_set(const std::vector<std::string>& sequences) {
  std::size_t length = 0;
  for (const std::string& sequence : sequences) length += sequence.size();
  const auto allocate = [](const std::string& name) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, name);
  };
  const Kokkos::View<char*, Kokkos::HostSpace> letters(allocate("letters"), length);
  const Kokkos::View<std::int64_t*, Kokkos::HostSpace> offsets(allocate("offsets"),
                                                               sequences.size() + 1);
  std::int64_t at = 0;
  for (std::size_t k = 0; k < sequences.size(); ++k) {
    offsets(k) = at;
    std::copy(sequences[k].begin(), sequences[k].end(), letters.data() + at);
    at += static_cast<std::int64_t>(sequences[k].size());
  }
  offsets(sequences.size()) = at;
  return SequenceSet<Kokkos::View<char*, Kokkos::HostSpace>,
                     Kokkos::View<std::int64_t*, Kokkos::HostSpace>>{letters, offsets};
}

namespace Impl {

/// @brief Returns the begins of a set's sequences, on the host.
template <ExecutionSpace Exec, class Set>
std::vector<Index> checked_offsets(const char* operation, const char* argument, const Exec& exec,
                                   const Set& set) {
  using Offsets = decltype(set.offsets);
  static_assert(LetterView<decltype(set.letters), Exec> && AccessibleFrom<Offsets, Exec> &&
                    std::same_as<typename Offsets::non_const_value_type, std::int64_t>,
                "WaveScan: a SequenceSet must hold a View of char and one of std::int64_t, both of "
                "rank 1, that the execution space can reach");
  CallMemory<Exec> memory(exec);
  const auto dense = memory.template take<Index>(static_cast<Index>(set.offsets.extent(0)));
  Kokkos::deep_copy(exec, dense, set.offsets);
  const std::vector<Index> offsets = values_on_host(exec, dense);
  for (std::size_t k = 0; k < offsets.size(); ++k)
    require(offsets[k] >= (k == 0 ? 0 : offsets[k - 1]), operation, argument,
            "must have offsets that do not fall", offsets[k]);
  if (!offsets.empty())
    require(offsets.back() <= static_cast<Index>(set.letters.extent(0)), operation, argument,
            "must have offsets within its letters", offsets.back());
  return offsets;
}

/// @brief Checks the arguments, encodes the sequences and calls compute(threads of the host,
/// batch); empty if there are no pairs.
template <ExecutionSpace Exec, class A, class B, Substitution S, class Compute>
auto with_batch(const char* operation, const Exec& exec, const A& a, const B& b,
                const Scoring<S>& scoring, const AlignOptions& options, const Compute& compute)
    -> decltype(compute(std::declval<HostThreads>(), std::declval<PairBatch>())) {
  require_usable(operation, scoring.gap);
  require_no_checkpoint(operation, options);
  const std::vector<Index> offsets_a = checked_offsets(operation, "a", exec, a),
                           offsets_b = checked_offsets(operation, "b", exec, b);
  const Index count = checked_pairs(operation, a, b);
  if (count == 0) return {};
  const Kokkos::Profiling::ScopedRegion region(std::string("WaveScan::") + operation);
  const LetterSequence letters_a = letter_sequence(a.letters);
  const LetterSequence letters_b = letter_sequence(b.letters);
  std::vector<BatchPair> pairs(static_cast<std::size_t>(count));
  const auto length = [](const std::vector<Index>& offsets, Index k) {
    return offsets[static_cast<std::size_t>(k) + 1] - offsets[static_cast<std::size_t>(k)];
  };
  const auto of = [](const auto& set, Index k) { return set.size() == 1 ? 0 : k; };
  Index shorter = 0;
  for (Index k = 0; k < count; ++k)
    shorter = std::max(shorter, std::min(length(offsets_a, of(a, k)), length(offsets_b, of(b, k))));
  const TabulatedScores table =
      tabulated_scores(operation, exec, letters_a, letters_b, scoring, shorter);
  const auto codes_a = codes_on_host(exec, letters_a, table.alphabet),
             codes_b = codes_on_host(exec, letters_b, table.alphabet);
  const auto host = host_instance(exec);
  const HostThreads threads = HostThreads::of(host);
  threads.share(count, 10e-9, [&](Index begin, Index end) {
    const auto sequence = [&](const auto& codes, const std::vector<Index>& offsets, Index at) {
      return code_sequence(codes).part(offsets[static_cast<std::size_t>(at)], length(offsets, at));
    };
    for (Index k = begin; k < end; ++k)
      pairs[static_cast<std::size_t>(k)] = {sequence(codes_a, offsets_a, of(a, k)),
                                            sequence(codes_b, offsets_b, of(b, k)), k};
  });
  return compute(threads, PairBatch{table, AlignmentEdges::of(scoring.mode, scoring.free_ends),
                                    options, std::move(pairs), a.size() == 1});
}

}  // namespace Impl

/// @brief The best scores of many alignments, and where they end, as align_score says of each.
/// Waits for the results.
///
/// Sequence k of `a` is aligned with sequence k of `b`; if one of them holds a single sequence, it
/// is aligned with all of the other's: a query with a data base, say.
///
/// Method: local alignments of sequences of similar lengths share vector registers, each in a lane
/// of its own (as in T. Rognes, BMC Bioinformatics 12, 2011, but with entries of 8 bits however
/// large scores become); others are computed one by one, as in align_score. Threads draw them by
/// length.
///
/// NVIDIA GPUs: a few lanes of a warp align two pairs at a time (as in CUDASW++ 4.0, B. Schmidt et
/// al., BMC Bioinformatics 25, 2024, with places of the best entries), where the sequences are.
///
/// Work: the sum of the matrices' sizes. Memory: of all sequences, and for each thread what the
/// largest one takes; on NVIDIA GPUs 32 bytes a pair, and 8 bytes for each resident warp and letter
/// of the longest `b` if an `a` has more than 512 letters. Other GPUs' sequences are copied to the
/// host.
///
/// @param exec    execution space instance; left out: the default one of a's space
/// @param a, b    sets of as many sequences, or one of a single one
/// @param scoring pairs of letters, gaps and mode
/// @param options progress callback
/// @return a score for each pair, in order
/// @throws std::invalid_argument if the sets do not belong together, if offsets fall or lie beyond
///         the letters; otherwise as align_score
template <ExecutionSpace Exec, class A, class OffsetsA, class B, class OffsetsB,
          Substitution S = MatchMismatch>
std::vector<AlignmentScore> align_scores(const Exec& exec, const SequenceSet<A, OffsetsA>& a,
                                         const SequenceSet<B, OffsetsB>& b,
                                         const Scoring<S>& scoring = {},
                                         const AlignOptions& options = {}) {
  std::vector<AlignmentScore> results;
  if (Impl::with_device_batch("align_scores", exec, a, b, scoring, options,
                              [&](const auto& pairs) { results = pairs.ends(); }))
    return results;
  return Impl::with_batch("align_scores", exec, a, b, scoring, options,
                          [](const auto& threads, Impl::PairBatch batch) {
                            return Impl::batch_scores(threads, std::move(batch));
                          });
}

/// @brief align_scores on the default instance of the letters' execution space.
template <class A, class OffsetsA, class B, class OffsetsB, Substitution S = MatchMismatch>
std::vector<AlignmentScore> align_scores(const SequenceSet<A, OffsetsA>& a,
                                         const SequenceSet<B, OffsetsB>& b,
                                         const Scoring<S>& scoring = {},
                                         const AlignOptions& options = {}) {
  return align_scores(typename A::execution_space(), a, b, scoring, options);
}

/// @brief align_scores whose results stay where the execution space has them; on NVIDIA GPUs they
/// are enqueued, and need not be there when it returns.
/// @param scores contiguous View of AlignmentScore, as many as pairs
/// @throws std::invalid_argument if `scores` has another length or is not contiguous
template <ExecutionSpace Exec, class A, class OffsetsA, class B, class OffsetsB,
          ViewOfRank<1> Scores, Substitution S = MatchMismatch>
void align_scores(const Exec& exec, const SequenceSet<A, OffsetsA>& a,
                  const SequenceSet<B, OffsetsB>& b, const Scores& scores,
                  const Scoring<S>& scoring = {}, const AlignOptions& options = {}) {
  static_assert(
      AccessibleFrom<Scores, Exec> && std::same_as<typename Scores::value_type, AlignmentScore>,
      "WaveScan: 'scores' must be a View of AlignmentScore, not const, that the "
      "execution space can reach");
  const Impl::Index count = Impl::checked_pairs("align_scores", a, b);
  Impl::require(static_cast<Impl::Index>(scores.extent(0)) == count, "align_scores", "scores",
                "must have as many entries as there are pairs (" + std::to_string(count) + ")",
                scores.extent(0));
  Impl::require(scores.span_is_contiguous(), "align_scores", "scores", "must be contiguous",
                scores.stride(0));
  if (Impl::with_device_batch("align_scores", exec, a, b, scoring, options,
                              [&](const auto& pairs) { pairs.find_ends(scores.data()); }))
    return;
  const std::vector<AlignmentScore> found = align_scores(exec, a, b, scoring, options);
  Impl::copy_to_device(exec, scores.data(), found.data(), static_cast<Impl::Index>(found.size()));
  exec.fence("WaveScan::align_scores: scores are there");
}

/// @brief Best alignments of many pairs, as align says of each; otherwise as align_scores. Ends and
/// beginnings are found where that finds scores, paths by the host's threads, which take pairs one
/// by one.
template <ExecutionSpace Exec, class A, class OffsetsA, class B, class OffsetsB,
          Substitution S = MatchMismatch>
std::vector<Alignment> align_many(const Exec& exec, const SequenceSet<A, OffsetsA>& a,
                                  const SequenceSet<B, OffsetsB>& b, const Scoring<S>& scoring = {},
                                  const AlignOptions& options = {}) {
  std::vector<Alignment> results;
  if (Impl::with_device_batch("align_many", exec, a, b, scoring, AlignOptions{},
                              [&](const auto& pairs) { results = pairs.stretches(); }))
    return Impl::with_batch("align_many", exec, a, b, scoring, options,
                            [&](const auto& threads, Impl::PairBatch batch) {
                              Impl::find_batch_paths(threads, std::move(batch), results);
                              return std::move(results);
                            });
  return Impl::with_batch("align_many", exec, a, b, scoring, options,
                          [](const auto& threads, Impl::PairBatch batch) {
                            return Impl::batch_alignments(threads, std::move(batch));
                          });
}

/// @brief align_many on the default instance of the letters' execution space.
template <class A, class OffsetsA, class B, class OffsetsB, Substitution S = MatchMismatch>
std::vector<Alignment> align_many(const SequenceSet<A, OffsetsA>& a,
                                  const SequenceSet<B, OffsetsB>& b, const Scoring<S>& scoring = {},
                                  const AlignOptions& options = {}) {
  return align_many(typename A::execution_space(), a, b, scoring, options);
}

}  // namespace wavescan

#if defined(WAVESCAN_CALLS_KERNELS)
#include <impl/batch/WaveScan_Instantiations.hpp>
#else
#include <impl/align/host/WaveScan_HostBatch.hpp>
#endif

#endif
