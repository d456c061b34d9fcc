// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_ALIGN_HPP
#define WAVESCAN_MPI_ALIGN_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_AlignedColumns.hpp>
#include <impl/WaveScan_MPI_BlockMoves.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/align/WaveScan_AlignProblem.hpp>
#include <impl/smith_waterman/WaveScan_Scoring.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// @brief The score of two sequences, the second of which is distributed over processes.

namespace wavescan::Impl::mpi {

/// @brief The letters of all processes, one of each.
inline std::string letters_of_all(const Communicator& comm, std::string_view own) {
  std::vector<unsigned char> occurs(256);
  for (const char letter : own) occurs[static_cast<unsigned char>(letter)] = 1;
  check(MPI_Allreduce(MPI_IN_PLACE, occurs.data(), static_cast<int>(occurs.size()),
                      MPI_UNSIGNED_CHAR, MPI_MAX, comm.get()),
        "MPI_Allreduce");
  std::string letters;
  for (std::size_t letter = 0; letter < occurs.size(); ++letter)
    if (occurs[letter] != 0) letters += static_cast<char>(letter);
  return letters;
}

template <ViewOfRank<1> V>
std::string text_of(const V& view) {
  const Kokkos::View<char*, Kokkos::LayoutRight, typename V::execution_space> contiguous(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "WaveScan::mpi::letters"), view.extent(0));
  Kokkos::deep_copy(contiguous, view);
  std::string text(view.extent(0), ' ');
  Kokkos::deep_copy(
      Kokkos::View<char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(text.data(), text.size()),
      contiguous);
  return text;
}

/// @brief mpi::align_score in bands of so many rows; 0: chosen.
template <ExecutionSpace Exec, class A, class B, Substitution S>
AlignmentScore align_score(MPI_Comm given, const Exec& exec, const A& a, const B& b,
                           const Scoring<S>& scoring, Index band) {
  constexpr const char* operation = "mpi::align_score";
  static_assert(LetterView<A, Exec> && LetterView<B, Exec>,
                "WaveScan: 'a' and 'b' must be Views of char of rank 1 that the execution space "
                "can reach");
  const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::align_score");
  const Communicator comm = Communicator::duplicate(operation, given);
  std::string text_a, text_b;
  together(comm, operation, {}, [&] {
    require_usable(operation, scoring.gap);
    exec.fence("WaveScan::mpi::align_score: letters are there");
    text_a = text_of(a);
    text_b = text_of(b);
  });
  const auto counts = all_numbers<1>(comm, {static_cast<std::int64_t>(text_b.size())});
  const auto blocks =
      consecutive_blocks(comm.size(), 0, [&](std::size_t rank) { return counts[rank][0]; });
  const auto rows = static_cast<Index>(text_a.size());
  const Index shorter = std::min(rows, blocks.back().end());
  const std::string letters = letters_of_all(comm, text_a + text_b);
  const AlignmentEdges edges = AlignmentEdges::of(scoring.mode, scoring.free_ends);
  const FreeEnds& free = edges.free;

  const auto host = host_instance(exec);
  TabulatedScores table;
  WordHash scores;
  const std::exception_ptr error = exception_of([&] {
    const LetterSequence all{letters.data(), 1, static_cast<Index>(letters.size())};
    table = tabulated_scores(operation, host, all, all, scoring, shorter);
    for (const Index score : table.scores) scores.add(static_cast<std::uint64_t>(score));
  });
  Agreement(comm, operation,
            {{"operation", number_of_call<S>(operation)},
             {"a", number_of(text_a)},
             {"substitution", static_cast<std::int64_t>(scores.value())},
             {"gap", table.costs.open},
             {"gap", table.costs.extend},
             {"mode", static_cast<int>(scoring.mode)},
             {"free_ends", free.begin_a + 2 * free.end_a + 4 * free.begin_b + 8 * free.end_b}},
            error)
      .reach();
  if (edges.local && (shorter == 0 || table.largest == 0)) return {};

  const auto code = [&](const std::string& text) {
    std::vector<std::uint8_t> codes(text.size());
    std::transform(text.begin(), text.end(), codes.begin(), [&](char letter) {
      return table.alphabet.codes[static_cast<unsigned char>(letter)];
    });
    return codes;
  };
  const auto codes_a = code(text_a), codes_b = code(text_b);
  const HostScoring on_host = table.for_lanes();
  Progress progress({});
  const LanePasses passes(on_host, host, progress);
  using Host = std::remove_const_t<decltype(host)>;
  AlignedColumns<Host> columns(Transport<Host>(host, comm), blocks, rows, band);
  return columns.end(passes, code_sequence(codes_a), code_sequence(codes_b), edges);
}

}  // namespace wavescan::Impl::mpi

namespace wavescan::mpi {

/// @brief The best score of an alignment of two sequences of which the second one is distributed,
/// and where it ends: what wavescan::align_score returns for the whole, ties included.
///
/// Every process has all of `a` and a block of consecutive letters of `b`, of any length, also 0;
/// blocks follow each other in the order of ranks. Positions are those in the whole sequences, and
/// all processes get them. The threads of hosts compute; letters on devices are copied.
///
/// Each process computes its columns of the matrix, in bands of rows, and hands the last column of
/// a band on to the next process, which computes that band while this one computes the one below.
/// Method: Gotoh (1982) as in wavescan::align_score; Sandes and Melo, "CUDAlign 3.0: Parallel
/// Biological Sequence Comparison in Large GPU Clusters", CCGrid 2014 (columns, borders on the way
/// while processes compute).
///
/// Cost, for m letters of `a` on P processes with blocks of n: m n entries each; with bands of r
/// rows (m / (32 P), but 2048 to 32768), m / r messages of 16 r bytes to the next process, and (P -
/// 1) r n entries' time until all are busy. Besides some reductions. Memory: O(m + n).
///
/// @param comm    communicator
/// @param exec    execution space instance; left out: the default one of a's space
/// @param a, b    Views of char, any layout: all letters of one sequence, the same on all
///                processes, and this process' letters of the other one
/// @param scoring pairs, gaps and mode, the same on all processes
/// @throws std::invalid_argument on all processes, as wavescan::align_score, or if they differ in
///         `a` or in the scoring
template <ExecutionSpace Exec, class A, class B, Substitution S = MatchMismatch>
AlignmentScore align_score(MPI_Comm comm, const Exec& exec, const A& a, const B& b,
                           const Scoring<S>& scoring = {}) {
  return Impl::mpi::align_score(comm, exec, a, b, scoring, 0);
}

/// @brief mpi::align_score on the default instance of a's execution space.
template <ViewOfRank<1> A, class B, Substitution S = MatchMismatch>
AlignmentScore align_score(MPI_Comm comm, const A& a, const B& b, const Scoring<S>& scoring = {}) {
  return align_score(comm, typename A::execution_space(), a, b, scoring);
}

}  // namespace wavescan::mpi

#endif
