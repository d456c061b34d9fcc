// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_ALIGNEDPAIR_HPP
#define WAVESCAN_IMPL_ALIGN_ALIGNEDPAIR_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/align/WaveScan_HostThreads.hpp>
#include <impl/align/WaveScan_LetterCodes.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// @brief Translation of arguments to two sequences and their scores, which know no types of users
/// any more. What computes an alignment of these is declared only: its headers take long to
/// compile.

namespace wavescan::Impl {

template <class V, class Exec>
concept LetterView = ViewOfRank<V, 1> && AccessibleFrom<V, Exec> &&
    std::same_as<typename V::non_const_value_type, char>;

inline void require_usable(std::string_view operation, const AffineGap& gap) {
  if (gap.open == 0)
    require(gap.extend > 0, operation, "gap", "must have a penalty greater than 0", gap.extend);
  require(gap.open >= 0, operation, "gap", "must have costs that are not negative", gap.open);
  require(gap.extend >= 0, operation, "gap", "must have costs that are not negative", gap.extend);
}

/// @brief The costs of gaps in kernels.
struct GapCosts {
  Index open = 0;  ///< of the first letter
  Index extend = 0;
};

/// @brief Checks what gaps cost. In a local alignment a gap that costs more than letters can score
/// is as good as one that costs just that.
/// @param attainable what letters can score
inline GapCosts checked_costs(std::string_view operation, const AffineGap& gap, bool local,
                              Index attainable) {
  constexpr Index beyond = std::numeric_limits<Index>::max();
  GapCosts costs{gap.open > beyond - gap.extend ? beyond : gap.open + gap.extend, gap.extend};
  if (local) {
    costs.open = affordable_gap(costs.open, attainable);
    costs.extend = std::min(costs.open, costs.extend);
  }
  require(costs.open <= score_limit, operation, "gap",
          local ? "must have a penalty of at most 8388608, or more than any alignment can score"
                : "must have a first letter that costs at most 8388608",
          gap.open > beyond - gap.extend ? gap.open : gap.open + gap.extend);
  return costs;
}

/// @brief The letters of both sequences together, and the scores of all their pairs, row-major.
struct TabulatedScores {
  Alphabet alphabet;
  std::vector<Index> scores;
  Index largest = 0;  ///< at least 0
  GapCosts costs;
};

/// @brief Whether a pair of letters is a match of the CIGAR.
template <Substitution S>
bool letters_match(const S& substitution, char a, char b) {
  if constexpr (requires { substitution.matches(a, b); })
    return substitution.matches(a, b);
  else
    return a == b;
}

/// @brief The scores of the letters that occur. Waits for `exec`, whose kernels look at the letters
/// where only they can.
template <ExecutionSpace Exec, Substitution S>
TabulatedScores tabulated_scores(const char* operation, const Exec& exec, const LetterSequence& a,
                                 const LetterSequence& b, const Scoring<S>& scoring,
                                 Index shorter) {
  TabulatedScores table;
  if constexpr (runs_on_host<Exec>) {
    exec.fence("WaveScan::align: letters are there");
    LetterSet letters;
    for (const LetterSequence& sequence : {a, b})
      HostThreads::of(exec).share(sequence.length, .5e-9, [&](Index begin, Index end) {
        bool occurs[256] = {};
        for (Index k = begin; k < end; ++k) occurs[static_cast<unsigned char>(sequence(k))] = true;
        LetterSet found;
        for (int letter = 0; letter < 256; ++letter)
          if (occurs[letter]) found.insert(static_cast<char>(letter));
        for (int w = 0; w < 4; ++w) Kokkos::atomic_or(&letters.words[w], found.words[w]);
      });
    table.alphabet = alphabet_of(letters);
    for (int x = 0; x < table.alphabet.size; ++x)
      for (int y = 0; y < table.alphabet.size; ++y)
        table.scores.push_back(static_cast<Index>(
            scoring.substitution(table.alphabet.letters[x], table.alphabet.letters[y])));
  } else {
    table.alphabet = common_alphabet(exec, a, b);
    table.scores = tabulate(exec, table.alphabet, scoring.substitution);
  }
  Alphabet& alphabet = table.alphabet;
  for (int k = 0; k < alphabet.size; ++k) {
    int first = 0;
    while (first < k &&
           !letters_match(scoring.substitution, alphabet.letters[first], alphabet.letters[k]))
      ++first;
    alphabet.first_match[k] = static_cast<std::uint8_t>(first);
  }
  table.largest = largest_score(table.scores);
  require(table.largest <= score_limit, operation, "substitution",
          "must score a pair of letters with at most 8388608", table.largest);
  table.costs = checked_costs(operation, scoring.gap, scoring.mode == AlignmentMode::Local,
                              table.largest * shorter);
  return table;
}

/// @brief The ends of sequences whose letters need not be aligned.
struct AlignmentEdges {
  bool local = false;
  FreeEnds free{false, false, false, false};

  static AlignmentEdges of(AlignmentMode mode, const FreeEnds& free_ends) {
    AlignmentEdges edges;
    edges.local = mode == AlignmentMode::Local;
    if (mode == AlignmentMode::SemiGlobal) edges.free = free_ends;
    return edges;
  }
  /// @brief Returns the edges of the reversed sequences, aligned from a known end.
  AlignmentEdges from_end() const { return {local, {false, free.begin_a, false, free.begin_b}}; }
};

/// @brief Two sequences, whose letters the execution space reaches, and what they are scored by.
struct AlignedPair {
  const char* operation;
  LetterSequence a, b;
  AlignmentEdges edges;
  TabulatedScores table{};
};

/// @brief Returns what computes alignments for an execution space: threads of hosts, whatever
/// provides them, or the space. The instance must stay alive.
template <ExecutionSpace Exec>
auto aligning_place(const Exec& exec) {
  if constexpr (runs_on_host<Exec>)
    return HostThreads::of(exec);
  else
    return exec;
}
template <ExecutionSpace Exec>
using AligningPlace = decltype(aligning_place(std::declval<const Exec&>()));

/// @brief Defined in impl/align/WaveScan_AlignProblem.hpp.
/// @tparam Result AlignmentScore or Alignment
template <class Result, class Place>
Result align_on(const Place& place, const AlignedPair& pair, const AlignOptions& options);

/// @brief Checks the arguments, tabulates scores and aligns.
template <class Result, ExecutionSpace Exec, class A, class B, Substitution S>
Result align_pair(const char* operation, const Exec& exec, const A& a, const B& b,
                  const Scoring<S>& scoring, const AlignOptions& options = {}) {
  static_assert(LetterView<A, Exec> && LetterView<B, Exec>,
                "WaveScan: 'a' and 'b' must be Views of char of rank 1 that the execution space "
                "can reach");
  require_usable(operation, scoring.gap);
  AlignedPair pair{operation, letter_sequence(a), letter_sequence(b),
                   AlignmentEdges::of(scoring.mode, scoring.free_ends)};
  const Index shorter = std::min(pair.a.length, pair.b.length);
  if (pair.edges.local && shorter == 0) return {};
  const Kokkos::Profiling::ScopedRegion region(std::string("WaveScan::") + operation);
  pair.table = tabulated_scores(operation, exec, pair.a, pair.b, scoring, shorter);
  if (pair.edges.local && pair.table.largest == 0) return {};
  return align_on<Result>(aligning_place(exec), pair, options);
}

}  // namespace wavescan::Impl

#endif
