// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_ALIGN_HPP
#define WAVESCAN_MPI_ALIGN_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_AlignedColumns.hpp>
#include <impl/WaveScan_MPI_AlignedPath.hpp>
#include <impl/WaveScan_MPI_AlignedWaves.hpp>
#include <impl/WaveScan_MPI_BlockMoves.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/align/WaveScan_AlignProblem.hpp>
#include <impl/align/WaveScan_AlignProgress.hpp>
#include <impl/align/WaveScan_AlignSelection.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_Aligner.hpp>
#include <impl/align/WaveScan_Checkpoint.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_LetterCodes.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/WaveScan_PathParts.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>
#include <impl/align/host/WaveScan_LanePath.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// @brief Alignments of two sequences, the second of which is distributed over processes.

namespace wavescan::mpi {

/// @brief A score, and the stretches a[begin_a, end_a) and b[begin_b, end_b) of a best alignment.
struct AlignmentSpan {
  std::int64_t score = 0;
  std::int64_t begin_a = 0;
  std::int64_t end_a = 0;
  std::int64_t begin_b = 0;
  std::int64_t end_b = 0;
};

}  // namespace wavescan::mpi

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
std::string letters_of(const V& view) {
  const Kokkos::View<char*, Kokkos::LayoutRight, typename V::execution_space> contiguous(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "WaveScan::mpi::letters"), view.extent(0));
  Kokkos::deep_copy(contiguous, view);
  std::string text(view.extent(0), ' ');
  Kokkos::deep_copy(
      Kokkos::View<char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(text.data(), text.size()),
      contiguous);
  return text;
}

/// @brief Two sequences on all processes: one of which each has all, and one of which each has a
/// block; and what can be done with them, for Aligner. All of that is collective.
template <ExecutionSpace Exec>
class DistributedPair {
 public:
  /// @brief Sizes by which matrices are partitioned.
  struct MatrixPartition {
    Index band = 0;   ///< hosts: rows of a band; 0: chosen
    Index bands = 0;  ///< GPUs: of a wave, however small the matrix is; 0: chosen
    Index slots = 0;  ///< GPUs: of a stage; 0: chosen
    double part = 0;  ///< entries of a part of the path that is left to one process; 0: chosen
  };

  /// @brief Collective.
  /// @param a, b letters of this process
  template <Substitution S>
  DistributedPair(const char* operation, MPI_Comm comm, const Exec& exec, const std::string& a,
                  const std::string& b, const Scoring<S>& scoring, const MatrixPartition& partition)
      : host_(host_instance(exec)),
        transport_(host_, Communicator::duplicate(operation, comm)),
        passes_(scoring_, host_, progress_),
        edges_(AlignmentEdges::of(scoring.mode, scoring.free_ends)),
        partition_(partition) {
    const Communicator& own = transport_.comm();
    const auto counts = all_numbers<1>(own, {static_cast<std::int64_t>(b.size())});
    blocks_ = consecutive_blocks(own.size(), 0, [&](std::size_t rank) { return counts[rank][0]; });
    const Index shorter = std::min(static_cast<Index>(a.size()), columns());
    const std::string letters = letters_of_all(own, a + b);
    TabulatedScores table;
    WordHash scores;
    Index warps = 0;
    const std::exception_ptr error = exception_of([&] {
      require_usable(operation, scoring.gap);
      const LetterSequence all{letters.data(), 1, static_cast<Index>(letters.size())};
      table = tabulated_scores(operation, host_, all, all, scoring, shorter);
      for (const Index score : table.scores) scores.add(static_cast<std::uint64_t>(score));
      for (const auto& [text, codes] : {std::pair{&a, &a_}, {&b, &b_}})
        for (const char letter : *text)
          codes->push_back(table.alphabet.codes[static_cast<unsigned char>(letter)]);
      scoring_ = LetterScores(table);
      scores_nothing_ = edges_.local && (shorter == 0 || table.largest == 0);
      if (edges_.local && !scores_nothing_) warps = Waves::warps(exec, scoring_);
      const OnePair pair{warps > 0, static_cast<Index>(a.size()), columns()};
      if (partition.bands == 0 && select_algorithm(pair) != AlignAlgorithm::WarpBands) warps = 0;
    });
    const FreeEnds& free = scoring.free_ends;
    warps = Agreement(
                own, operation,
                {{"operation", number_of_call<S>(operation)},
                 {"a", number_of(a)},
                 {"substitution", static_cast<std::int64_t>(scores.value())},
                 {"gap", table.costs.open},
                 {"gap", table.costs.extend},
                 {"mode", static_cast<int>(scoring.mode)},
                 {"free_ends", free.begin_a + 2 * free.end_a + 4 * free.begin_b + 8 * free.end_b}},
                error, warps)
                .reach();
    if (warps > 0)
      waves_ =
          std::make_unique<Waves>(exec, own, scoring_, a_, b_, blocks_,
                                  partition.bands > 0 ? partition.bands : warps, partition.slots);
  }

  DistributedPair(const DistributedPair&) = delete;
  DistributedPair& operator=(const DistributedPair&) = delete;

  Aligner<DistributedPair&> aligner() { return {*this, edges_}; }

  /// @name For Aligner
  /// @{
  Index rows() const { return static_cast<Index>(a_.size()); }
  Index columns() const { return blocks_.back().end(); }
  CodeSequence a() const { return code_sequence(a_); }
  CodeSequence b() const { return code_sequence(all_of_b_); }  ///< once the path is known
  const LetterScores& scoring() const { return scoring_; }
  Progress& progress() { return progress_; }

  AlignmentScore end_of(const AlignmentPrefixes& prefixes, const AlignmentEdges& edges, Index) {
    if (scores_nothing_) return {};
    if (waves_) return waves_->end(prefixes);
    const auto [rows, columns, reversed, for_path] = prefixes;
    std::vector<Block> blocks;
    for (const Block& block : blocks_) {
      const Block part = intersection(block, {0, columns});
      blocks.push_back({reversed ? columns - part.end() : part.first, part.count});
    }
    CodeSequence a = this->a().part(0, rows),
                 b = code_sequence(b_).part(0, blocks[own_rank()].count);
    if (reversed) {
      a = a.reversed();
      b = b.reversed();
    }
    return AlignedColumns<Host>(transport_, blocks, rows, partition_.band)
        .end(passes_, a, b, edges);
  }

  std::vector<PathRun> path(const Alignment& ends) {
    together(transport_.comm(), "mpi::align", {}, [&] {
      all_of_b_.resize(static_cast<std::size_t>(columns()));
      std::copy(b_.begin(), b_.end(), all_of_b_.begin() + blocks_[own_rank()].first);
    });
    broadcast_blocks<Host, std::uint8_t>(transport_, {all_of_b_.data(), columns()}, blocks_);
    const PathPart whole = whole_path(ends, scoring_.costs);
    if constexpr (has_pair_kernels<Exec>)
      if (waves_) return path_between_waves(whole, ends.score);
    return AlignedPath<Host>(transport_, passes_, a(), b(), partition_.band, partition_.part)
        .find(whole);
  }
  /// @}

 private:
  using Host = decltype(host_instance(std::declval<Exec>()));
  using Waves = AlignedWaves<Exec>;

  std::vector<PathRun> path_between_waves(const PathPart& whole, Index score) {
    const auto runs_through = [&](const std::vector<PathPart>& parts) {
      std::vector<PathRun> runs;
      together(transport_.comm(), "mpi::align", {}, [&] {
        runs = waves_->runs_through(own_parts(transport_.comm(), parts), [&](const auto& others) {
          return LanePath(passes_, a(), b()).follow(others);
        });
      });
      return runs_of_all(transport_, runs);
    };
    return runs_between(whole, waves_->divided(whole, score), score, scoring_, a(), b(),
                        runs_through);
  }
  std::size_t own_rank() const { return static_cast<std::size_t>(transport_.comm().rank()); }

  Host host_;
  Transport<Host> transport_;
  LetterScores scoring_;
  Progress progress_{{}};
  LanePasses passes_;
  AlignmentEdges edges_;
  MatrixPartition partition_;
  std::vector<Block> blocks_;
  std::vector<std::uint8_t> a_, b_;     ///< codes
  std::vector<std::uint8_t> all_of_b_;  ///< of all processes
  bool scores_nothing_ = false;         ///< no letters score
  std::unique_ptr<Waves> waves_;        ///< if GPUs compute
};

/// @brief The pair of which a process has these Views. Collective.
template <ExecutionSpace Exec, class A, class B, Substitution S>
auto distributed_pair(const char* operation, MPI_Comm comm, const Exec& exec, const A& a,
                      const B& b, const Scoring<S>& scoring,
                      const typename DistributedPair<Exec>::MatrixPartition& partition = {}) {
  static_assert(LetterView<A, Exec> && LetterView<B, Exec>,
                "WaveScan: 'a' and 'b' must be Views of char of rank 1 that the execution space "
                "can reach");
  exec.fence("WaveScan::mpi::align: letters are there");
  return DistributedPair<Exec>(operation, comm, exec, letters_of(a), letters_of(b), scoring,
                               partition);
}

}  // namespace wavescan::Impl::mpi

namespace wavescan::mpi {

/// @brief The best score of an alignment of two sequences of which the second one is distributed,
/// and where it ends: what wavescan::align_score returns for the whole, ties included.
///
/// Every process has all of `a` and a block of consecutive letters of `b`, of any length, also 0;
/// blocks follow each other in the order of ranks. Positions are those in the whole sequences, and
/// all processes get them. The threads of hosts compute, and letters on devices are copied; but
/// local alignments of letters on NVIDIA GPUs are computed there (if nvcc compiles the call).
///
/// Each process computes its columns of the matrix, in bands of rows, and hands the last column of
/// a band on to the next process, which computes that band while this one computes the one below.
/// Method: Gotoh (1982) as in wavescan::align_score; Sandes and Melo, "CUDAlign 3.0: Parallel
/// Biological Sequence Comparison in Large GPU Clusters", CCGrid 2014 (columns, borders on the way
/// while processes compute).
///
/// Cost, for m letters of `a` on P processes with blocks of n: m n entries each; with bands of r
/// rows (m / (32 P), but 2048 to 32768), m / r messages of 16 r bytes to the next process, and (P -
/// 1) r n entries' time until all are busy. Besides some reductions. Memory: O(m + n). On GPUs
/// processes share the rows instead (AlignedWaves): 16 bytes for each column and w bands of 1024
/// rows, w being the warps that a GPU has room for; memory O(m + P n) on each.
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
  const Impl::Calling calling("mpi::align_score");
  const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::align_score");
  return Impl::mpi::distributed_pair("mpi::align_score", comm, exec, a, b, scoring)
      .aligner()
      .score();
}

/// @brief mpi::align_score on the default instance of a's execution space.
template <ViewOfRank<1> A, class B, Substitution S = MatchMismatch>
AlignmentScore align_score(MPI_Comm comm, const A& a, const B& b, const Scoring<S>& scoring = {}) {
  return align_score(comm, typename A::execution_space(), a, b, scoring);
}

/// @brief mpi::align_score, and where the alignment begins: score and stretches are those of
/// wavescan::align for the whole, ties included.
///
/// Cost: at most twice that of mpi::align_score, whose arguments and errors it has.
template <ExecutionSpace Exec, class A, class B, Substitution S = MatchMismatch>
AlignmentSpan align_span(MPI_Comm comm, const Exec& exec, const A& a, const B& b,
                         const Scoring<S>& scoring = {}) {
  const Impl::Calling calling("mpi::align_span");
  const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::align_span");
  const Alignment found = Impl::mpi::distributed_pair("mpi::align_span", comm, exec, a, b, scoring)
                              .aligner()
                              .stretches();
  return {found.score, found.begin_a, found.end_a, found.begin_b, found.end_b};
}

/// @brief mpi::align_span on the default instance of a's execution space.
template <ViewOfRank<1> A, class B, Substitution S = MatchMismatch>
AlignmentSpan align_span(MPI_Comm comm, const A& a, const B& b, const Scoring<S>& scoring = {}) {
  return align_span(comm, typename A::execution_space(), a, b, scoring);
}

/// @brief A best alignment, of which all processes get everything. Score and stretches are those of
/// wavescan::align for the whole; on hosts its path is, too.
///
/// The path is divided where it crosses middle rows (Myers and Miller, CABIOS 4, 1988). Processes
/// compute the passes that reach these rows together, as those of mpi::align_score, until there are
/// parts for all of them, and each goes on with some. So the path depends neither on the number of
/// processes nor on how letters are distributed. GPUs divide it at rows that they kept when its
/// ends were found (Sandes and Melo, CCGrid 2014): of several best paths it may be another one for
/// another number of GPUs.
///
/// Cost: at most four times that of mpi::align_score, whose arguments and errors it has.
/// Memory: O(m + n) besides on each process, for all letters and the path; GPUs keep up to 4 GiB of
/// rows, twice.
///
/// @return positions in the whole sequences, CIGAR (`b` is the reference) and counts
template <ExecutionSpace Exec, class A, class B, Substitution S = MatchMismatch>
Alignment align(MPI_Comm comm, const Exec& exec, const A& a, const B& b,
                const Scoring<S>& scoring = {}) {
  const Impl::Calling calling("mpi::align");
  const Kokkos::Profiling::ScopedRegion region("WaveScan::mpi::align");
  return Impl::mpi::distributed_pair("mpi::align", comm, exec, a, b, scoring).aligner().align();
}

/// @brief mpi::align on the default instance of a's execution space.
template <ViewOfRank<1> A, class B, Substitution S = MatchMismatch>
Alignment align(MPI_Comm comm, const A& a, const B& b, const Scoring<S>& scoring = {}) {
  return align(comm, typename A::execution_space(), a, b, scoring);
}

}  // namespace wavescan::mpi

#endif
