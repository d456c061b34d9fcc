// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_ALIGNPROBLEM_HPP
#define WAVESCAN_IMPL_ALIGN_ALIGNPROBLEM_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/align/WaveScan_Aligner.hpp>
#include <impl/align/WaveScan_Checkpoint.hpp>
#include <impl/align/host/WaveScan_HostAligner.hpp>
#include <impl/smith_waterman/WaveScan_Local.hpp>
#include <impl/smith_waterman/WaveScan_Progress.hpp>
#include <impl/smith_waterman/WaveScan_Scoring.hpp>
#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)
#include <impl/align/gpu/WaveScan_PairAligner.hpp>
#endif

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// @brief The letters of both sequences together, and the scores of all their pairs, row-major.
struct TabulatedScores {
  Alphabet alphabet;
  std::vector<Index> scores;
  Index largest = 0;  ///< at least 0
  GapCosts costs;

  HostScoring for_lanes() const {
    HostScoring scoring;
    scoring.letters = alphabet.size;
    scoring.scores = scores;
    scoring.complete(costs.open, costs.extend);
    return scoring;
  }
  Kokkos::View<Index*, Kokkos::HostSpace> view() const {
    const Kokkos::View<Index*, Kokkos::HostSpace> copy("WaveScan::align::scores", scores.size());
    std::copy(scores.begin(), scores.end(), copy.data());
    return copy;
  }
};

/// @brief The scores of the letters that occur. Waits for `exec`, whose kernels look at the letters
/// where only they can.
template <ExecutionSpace Exec, Substitution S>
TabulatedScores tabulated_scores(const char* operation, const Exec& exec, const LetterSequence& a,
                                 const LetterSequence& b, const Scoring<S>& scoring,
                                 Index shorter) {
  TabulatedScores table;
  if constexpr (runs_on_host<Exec>) {
    exec.fence("WaveScan::align: letters are there");
    bool occurs[256] = {};
    for (const LetterSequence& sequence : {a, b})
      for (Index k = 0; k < sequence.length; ++k)
        occurs[static_cast<unsigned char>(sequence(k))] = true;
    LetterSet letters;
    for (int letter = 0; letter < 256; ++letter)
      if (occurs[letter]) letters.insert(static_cast<char>(letter));
    table.alphabet = alphabet_of(letters);
    for (int x = 0; x < table.alphabet.size; ++x)
      for (int y = 0; y < table.alphabet.size; ++y)
        table.scores.push_back(static_cast<Index>(
            scoring.substitution(table.alphabet.letters[x], table.alphabet.letters[y])));
  } else {
    table.alphabet = common_alphabet(exec, a, b);
    const auto scores = tabulate(exec, table.alphabet, scoring.substitution);
    table.scores.assign(scores.data(), scores.data() + scores.extent(0));
  }
  for (const Index score : table.scores) table.largest = std::max(table.largest, score);
  require(table.largest <= score_limit, operation, "substitution",
          "must score a pair of letters with at most 8388608", table.largest);
  table.costs = checked_costs(operation, scoring.gap, scoring.mode == AlignmentMode::Local,
                              table.largest * shorter);
  return table;
}

/// @brief The space whose threads compute what the instance's own space has no kernels for.
template <ExecutionSpace Exec>
auto host_instance(const Exec& exec) {
  if constexpr (runs_on_host<Exec>)
    return exec;
  else
    return Kokkos::DefaultHostExecutionSpace();
}

/// @brief The letters' codes on the host. Waits for `exec`.
template <ExecutionSpace Exec>
std::vector<std::uint8_t> codes_on_host(const Exec& exec, const LetterSequence& letters,
                                        const Alphabet& alphabet) {
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(letters.length));
  if constexpr (runs_on_host<Exec>) {
    for (Index k = 0; k < letters.length; ++k)
      codes[static_cast<std::size_t>(k)] = alphabet.codes[static_cast<unsigned char>(letters(k))];
  } else {
    const auto on_device = encode(exec, letters, alphabet);
    Kokkos::deep_copy(exec,
                      Kokkos::View<std::uint8_t*, Kokkos::HostSpace>(codes.data(), codes.size()),
                      on_device);
    exec.fence("WaveScan::align: letters are on the host");
  }
  return codes;
}
inline CodeSequence code_sequence(const std::vector<std::uint8_t>& codes) {
  return {codes.data(), 1, static_cast<Index>(codes.size())};
}

/// @brief What a checkpoint is compared with. Waits for `exec`.
template <ExecutionSpace Exec>
AlignmentFingerprint fingerprint_of(const Exec& exec, const LetterSequence& a,
                                    const LetterSequence& b, const TabulatedScores& table,
                                    const AlignmentEdges& edges) {
  const auto of_letters = [&](const LetterSequence& sequence) {
    WordHash hash;
    hash.add(static_cast<std::uint64_t>(sequence.length));
    for (const std::uint8_t code : codes_on_host(exec, sequence, table.alphabet))
      hash.add(static_cast<unsigned char>(table.alphabet.letters[code]));
    return hash.value();
  };
  WordHash scoring;
  for (const Index score : table.scores) scoring.add(static_cast<std::uint64_t>(score));
  const FreeEnds& free = edges.free;
  for (const Index number :
       {table.costs.open, table.costs.extend, Index(edges.local), Index(free.begin_a),
        Index(free.end_a), Index(free.begin_b), Index(free.end_b)})
    scoring.add(static_cast<std::uint64_t>(number));
  return {of_letters(a), of_letters(b), scoring.value()};
}

/// @brief Checks the arguments, encodes the sequences and calls `compute(aligner)`.
template <ExecutionSpace Exec, class A, class B, Substitution S, class Compute>
auto with_aligner(const char* operation, const Exec& exec, const A& a, const B& b,
                  const Scoring<S>& scoring, const AlignOptions& options, const Compute& compute)
    -> decltype(compute(std::declval<HostAligner&>())) {
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
  const TabulatedScores table =
      tabulated_scores(operation, exec, letters_a, letters_b, scoring, shorter);
  if (edges.local && table.largest == 0) return {};

  std::optional<Checkpoint> checkpoint;
  if (!options.checkpoint.empty())
    checkpoint.emplace(operation, options.checkpoint, options.checkpoint_seconds,
                       fingerprint_of(exec, letters_a, letters_b, table, edges));
  Progress progress(options.progress, checkpoint ? &*checkpoint : nullptr);
  const auto finish = [&](auto& aligner) {
    auto result = compute(aligner);
    if (checkpoint) checkpoint->finish();
    return result;
  };
  [[maybe_unused]] bool is_for_host = false;
#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)
  if constexpr (std::same_as<Exec, Kokkos::Cuda>) {
    is_for_host = PairPasses<Exec>::is_for_host(letters_a.length, letters_b.length);
    const HostScoring scores = table.for_lanes();
    if (!is_for_host && PairPasses<Exec>::suit(exec, scores)) {
      Aligner aligner(PairAlgorithm<Exec>(exec, scores, encode(exec, letters_a, table.alphabet),
                                          encode(exec, letters_b, table.alphabet), progress),
                      edges);
      return finish(aligner);
    }
  }
#endif
  if constexpr (!aligns_by_lanes<Exec>) {
    if (edges.local && scoring.gap.open == 0 && !checkpoint && !is_for_host) {
      const auto problem =
          encode(exec, letters_a, letters_b, table.alphabet, table.view(), table.costs.open);
      LocalAlignment<Exec> alignment(exec, problem, progress);
      return compute(alignment);
    }
  }
  if constexpr (aligns_by_lanes<Exec> || !runs_on_host<Exec>) {
    const auto codes_a = codes_on_host(exec, letters_a, table.alphabet),
               codes_b = codes_on_host(exec, letters_b, table.alphabet);
    const HostScoring on_host = table.for_lanes();
    const auto host = host_instance(exec);
    LanePasses passes(on_host, host, progress);
    HostAligner aligner(passes, code_sequence(codes_a), code_sequence(codes_b), edges);
    return finish(aligner);
  } else {
    throw std::runtime_error(std::string("WaveScan::") + operation +
                             ": only local alignments with linear gaps are there without a "
                             "compiler that has vector types (g++ 12, clang)");
  }
}

}  // namespace wavescan::Impl

#endif
