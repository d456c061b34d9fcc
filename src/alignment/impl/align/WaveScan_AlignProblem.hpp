// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_ALIGNPROBLEM_HPP
#define WAVESCAN_IMPL_ALIGN_ALIGNPROBLEM_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/align/WaveScan_AlignProgress.hpp>
#include <impl/align/WaveScan_AlignSelection.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_Aligner.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/WaveScan_Checkpoint.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_LetterCodes.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/host/WaveScan_HostAligner.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>
#if defined(WAVESCAN_HAS_NVCC_KERNELS)
#include <impl/align/gpu/WaveScan_PairAlgorithm.hpp>
#endif

#include <concepts>
#include <cstdint>
#include <optional>

/// @file
/// @brief Computations of alignments.

namespace wavescan::Impl {

/// @brief Returns the fingerprint that a checkpoint is compared with. Waits for the space.
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

template <class Result, class Place>
Result align_on(const Place& place, const AlignedPair& pair, const AlignOptions& options) {
  const LetterScores scoring(pair.table);
  std::optional<Checkpoint> checkpoint;
  if (!options.checkpoint.empty())
    checkpoint.emplace(pair.operation, options.checkpoint, options.checkpoint_seconds,
                       fingerprint_of(place, pair));
  Progress progress(options.progress, checkpoint ? &*checkpoint : nullptr);
  const auto finish = [&](auto& aligner) {
    Result result;
    if constexpr (std::same_as<Result, AlignmentScore>)
      result = aligner.score();
    else
      result = aligner.align();
    if (checkpoint) checkpoint->finish();
    return result;
  };
#if defined(WAVESCAN_HAS_NVCC_KERNELS)
  if constexpr (runs_on_gpu<Place>) {
    const OnePair one{PairPasses<Place>::supports(place, scoring), pair.a.length, pair.b.length};
    if (select_algorithm(one) == AlignAlgorithm::WarpBands) {
      CallMemory<Place> memory(place);
      using Algorithm = PairAlgorithm<Place, HostSide>;
      Algorithm algorithm(memory, scoring, encode(memory, pair.a, pair.table.alphabet),
                          encode(memory, pair.b, pair.table.alphabet), progress);
      Aligner<Algorithm&> aligner(algorithm, pair.edges);
      return finish(aligner);
    }
  }
#endif
  const auto codes_a = codes_on_host(place, pair.a, pair.table.alphabet),
             codes_b = codes_on_host(place, pair.b, pair.table.alphabet);
  const auto threads = host_instance(place);
  LanePasses passes(scoring, threads, progress);
  HostAligner aligner({passes, code_sequence(codes_a), code_sequence(codes_b)}, pair.edges);
  return finish(aligner);
}

}  // namespace wavescan::Impl

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/aligner/WaveScan_Instantiations.hpp>
#endif

#endif
