// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_ALIGNPROBLEM_HPP
#define WAVESCAN_IMPL_ALIGN_ALIGNPROBLEM_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_Aligner.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/WaveScan_Checkpoint.hpp>
#include <impl/align/host/WaveScan_CodeSequence.hpp>
#include <impl/align/host/WaveScan_HostAligner.hpp>
#include <impl/align/host/WaveScan_HostThreads.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>
#include <impl/align/host/WaveScan_LaneScoring.hpp>
#include <impl/smith_waterman/WaveScan_Local.hpp>
#include <impl/smith_waterman/WaveScan_Progress.hpp>
#include <impl/smith_waterman/WaveScan_Scoring.hpp>
#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)
#include <impl/align/gpu/WaveScan_PairAligner.hpp>
#endif

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// @file
/// @brief What computes an alignment.

namespace wavescan::Impl {

/// @brief What a checkpoint is compared with. Waits for the space.
template <class Place>
AlignmentFingerprint fingerprint_of(const Place& place, const AlignedPair& pair) {
  const TabulatedScores& table = pair.table;
  const auto of_letters = [&](const LetterSequence& sequence) {
    WordHash hash;
    hash.add(static_cast<std::uint64_t>(sequence.length));
    for (const std::uint8_t code : codes_on_host(place, sequence, table.alphabet))
      hash.add(static_cast<unsigned char>(table.alphabet.letters[code]));
    return hash.value();
  };
  WordHash scoring;
  for (const Index score : table.scores) scoring.add(static_cast<std::uint64_t>(score));
  const FreeEnds& free = pair.edges.free;
  for (const Index number :
       {table.costs.open, table.costs.extend, Index(pair.edges.local), Index(free.begin_a),
        Index(free.end_a), Index(free.begin_b), Index(free.end_b)})
    scoring.add(static_cast<std::uint64_t>(number));
  return {of_letters(pair.a), of_letters(pair.b), scoring.value()};
}

/// @brief Encodes the sequences and calls `compute(aligner)`.
template <class Place, class Compute>
auto with_aligner(const Place& place, const AlignedPair& pair, const AlignOptions& options,
                  const Compute& compute) -> decltype(compute(std::declval<HostAligner&>())) {
  constexpr bool by_lanes = std::same_as<Place, HostThreads>;
  const TabulatedScores& table = pair.table;
  std::optional<Checkpoint> checkpoint;
  if (!options.checkpoint.empty())
    checkpoint.emplace(pair.operation, options.checkpoint, options.checkpoint_seconds,
                       fingerprint_of(place, pair));
  Progress progress(options.progress, checkpoint ? &*checkpoint : nullptr);
  const auto finish = [&](auto& aligner) {
    auto result = compute(aligner);
    if (checkpoint) checkpoint->finish();
    return result;
  };
  [[maybe_unused]] bool is_for_host = false;
#if defined(KOKKOS_ENABLE_CUDA) && defined(__NVCC__)
  if constexpr (std::same_as<Place, Kokkos::Cuda>) {
    is_for_host = PairPasses<Place>::is_for_host(pair.a.length, pair.b.length);
    const HostScoring scores = table.for_lanes();
    if (!is_for_host && PairPasses<Place>::suit(place, scores)) {
      CallMemory<Place> memory(place);
      PairAlgorithm<Place> algorithm(memory, scores, encode(memory, pair.a, table.alphabet),
                                     encode(memory, pair.b, table.alphabet), progress);
      Aligner<PairAlgorithm<Place>&> aligner(algorithm, pair.edges);
      return finish(aligner);
    }
  }
#endif
  if constexpr (!by_lanes) {
    if (pair.edges.local && pair.linear_gaps && !checkpoint && !is_for_host) {
      CallMemory<Place> memory(place);
      const auto problem =
          encode(memory, pair.a, pair.b, table.alphabet, table.scores, table.costs.open);
      LocalAlignment<Place> alignment(place, problem, progress);
      return compute(alignment);
    }
  }
  if constexpr (by_lanes || !computes_on_host<Place>) {
    const auto codes_a = codes_on_host(place, pair.a, table.alphabet),
               codes_b = codes_on_host(place, pair.b, table.alphabet);
    const HostScoring on_host = table.for_lanes();
    const auto threads = host_instance(place);
    LanePasses passes(on_host, threads, progress);
    HostAligner aligner(passes, code_sequence(codes_a), code_sequence(codes_b), pair.edges);
    return finish(aligner);
  } else {
    throw std::runtime_error(std::string("WaveScan::") + pair.operation +
                             ": only local alignments with linear gaps are there without a "
                             "compiler that has vector types (g++ 12, clang)");
  }
}

template <class Place>
AlignmentScore best_score(const Place& place, const AlignedPair& pair,
                          const AlignOptions& options) {
  return with_aligner(place, pair, options, [](auto& aligner) { return aligner.score(); });
}
template <class Place>
Alignment best_alignment(const Place& place, const AlignedPair& pair, const AlignOptions& options) {
  return with_aligner(place, pair, options, [](auto& aligner) { return aligner.align(); });
}

}  // namespace wavescan::Impl

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/align/WaveScan_Instantiations.hpp>
#include <impl/aligner/WaveScan_Instantiations.hpp>
#endif

#endif
