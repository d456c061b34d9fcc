// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_ALIGNPROBLEM_HPP
#define WAVESCAN_IMPL_ALIGN_ALIGNPROBLEM_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/align/host/WaveScan_HostAligner.hpp>
#include <impl/smith_waterman/WaveScan_Local.hpp>
#include <impl/smith_waterman/WaveScan_Progress.hpp>
#include <impl/smith_waterman/WaveScan_Scoring.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

/// @file
/// @brief From arguments to what computes an alignment.

namespace wavescan::Impl {

template <class V, class Exec>
concept LetterView = ViewOfRank<V, 1> && AccessibleFrom<V, Exec> &&
    std::same_as<typename V::non_const_value_type, char>;

/// @brief Alignments are computed by lanes of this space's threads.
template <ExecutionSpace Exec>
inline constexpr bool aligns_by_lanes = runs_on_host<Exec>&& has_vectors;

inline void require_usable(std::string_view operation, const AffineGap& gap) {
  if (gap.open == 0)
    require(gap.extend > 0, operation, "gap", "must have a penalty greater than 0", gap.extend);
  require(gap.open >= 0, operation, "gap", "must have costs that are not negative", gap.open);
  require(gap.extend >= 0, operation, "gap", "must have costs that are not negative", gap.extend);
}

/// @brief What gaps cost in kernels.
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

/// @brief The scores of a table as hosts' lanes want them.
inline HostScoring host_scoring(const Kokkos::View<Index*, Kokkos::HostSpace>& scores,
                                Index letters, const GapCosts& costs) {
  HostScoring scoring;
  scoring.letters = letters;
  scoring.scores.assign(scores.data(), scores.data() + scores.extent(0));
  scoring.complete(costs.open, costs.extend);
  return scoring;
}

template <class V>
CodeSequence code_sequence(const V& codes) {
  return {codes.data(), 1, static_cast<Index>(codes.extent(0))};
}

/// @brief Checks the arguments, encodes the sequences and calls `compute(aligner)`.
template <ExecutionSpace Exec, class A, class B, Substitution S, class Compute>
auto with_aligner(const char* operation, const Exec& exec, const A& a, const B& b,
                  const Scoring<S>& scoring, const std::function<void(double)>& report,
                  const Compute& compute) -> decltype(compute(std::declval<HostAligner&>())) {
  static_assert(LetterView<A, Exec> && LetterView<B, Exec>,
                "WaveScan: 'a' and 'b' must be Views of char of rank 1 that the execution space "
                "can reach");
  require_usable(operation, scoring.gap);
  const LetterSequence letters_a = letter_sequence(a);
  const LetterSequence letters_b = letter_sequence(b);
  const Index shorter = std::min(letters_a.length, letters_b.length);
  const AlignmentEdges edges = AlignmentEdges::of(scoring.mode, scoring.free_ends);
  if (edges.local && shorter == 0) return {};
  const Kokkos::Profiling::ScopedRegion region(std::string("WaveScan::") + operation);
  const Alphabet alphabet = common_alphabet(exec, letters_a, letters_b);
  const auto scores = tabulate(exec, alphabet, scoring.substitution);
  const Index largest = largest_score(scores);
  require(largest <= score_limit, operation, "substitution",
          "must score a pair of letters with at most 8388608", largest);
  const GapCosts costs = checked_costs(operation, scoring.gap, edges.local, largest * shorter);
  if (edges.local && largest == 0) return {};

  Progress progress(report);
  if constexpr (!aligns_by_lanes<Exec>) {
    if (edges.local && scoring.gap.open == 0) {
      const auto problem = encode(exec, letters_a, letters_b, alphabet, scores, costs.open);
      LocalAlignment<Exec> alignment(exec, problem, progress);
      return compute(alignment);
    }
  }
  using HostExec = std::conditional_t<runs_on_host<Exec>, Exec, Kokkos::DefaultHostExecutionSpace>;
  static_assert(aligns_by_lanes<HostExec> || !runs_on_host<Exec>,
                "WaveScan: alignments on hosts need a compiler with vector types (g++ 12, clang)");
  const auto codes_of = [&](const LetterSequence& letters) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(),
                                               encode(exec, letters, alphabet));
  };
  const auto codes_a = codes_of(letters_a), codes_b = codes_of(letters_b);
  exec.fence("WaveScan::align: letters are on the host");
  const HostScoring on_host = host_scoring(scores, alphabet.size, costs);
  HostExec host_exec;
  if constexpr (runs_on_host<Exec>) host_exec = exec;
  LanePasses passes(on_host, HostThreads::of(host_exec), progress);
  HostAligner aligner(passes, code_sequence(codes_a), code_sequence(codes_b), edges);
  return compute(aligner);
}

}  // namespace wavescan::Impl

#endif
