// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_ALIGNEDPATH_HPP
#define WAVESCAN_IMPL_MPI_ALIGNEDPATH_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_AlignedColumns.hpp>
#include <impl/WaveScan_MPI_BlockMoves.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/WaveScan_PathParts.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/host/WaveScan_LanePass.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>
#include <impl/align/host/WaveScan_LanePath.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <vector>

/// @file
/// @brief The path of a global alignment, found by several processes that all have both sequences.
///
/// It is the path that one process finds (WaveScan_PathParts.hpp), as it is divided in the same
/// rows. While parts are large, all processes together compute the passes that reach a middle row,
/// each some columns; smaller ones are dealt out.

namespace wavescan::Impl::mpi {

/// @brief Parts that follow each other, for a process: as many entries for each as is possible.
inline std::vector<PathPart> own_parts(const Communicator& comm,
                                       const std::vector<PathPart>& parts) {
  const double all = cells_of(parts);
  double before = 0;
  std::vector<PathPart> own;
  for (const PathPart& part : parts) {
    const double middle = before + part.cells() / 2;
    const int rank = all > 0 ? static_cast<int>(middle / all * comm.size()) : 0;
    if (std::min(rank, comm.size() - 1) == comm.rank()) own.push_back(part);
    before += part.cells();
  }
  return own;
}

/// @brief The runs of all processes, one after the other. Collective.
template <ExecutionSpace Exec>
std::vector<PathRun> runs_of_all(const Transport<Exec>& transport,
                                 const std::vector<PathRun>& own) {
  const Communicator& comm = transport.comm();
  const auto counts = all_numbers<1>(comm, {static_cast<std::int64_t>(own.size())});
  const auto blocks =
      consecutive_blocks(comm.size(), 0, [&](std::size_t rank) { return counts[rank][0]; });
  std::vector<PathRun> runs;
  together(comm, "mpi::align", {}, [&] {
    runs.resize(static_cast<std::size_t>(blocks.back().end()));
    std::copy(own.begin(), own.end(),
              runs.begin() + blocks[static_cast<std::size_t>(comm.rank())].first);
  });
  broadcast_blocks<Exec, PathRun>(transport, {runs.data(), blocks.back().end()}, blocks);
  JoinedRuns joined;
  joined.add(runs);
  return joined.runs;
}

template <ExecutionSpace Exec>
class AlignedPath {
 public:
  /// @param exec instance on the host, whose threads compute
  /// @param a, b letters, the same everywhere
  /// @param band rows of a band, see AlignedColumns
  /// @param most entries of a part that is left to one process; 0: chosen
  AlignedPath(const Transport<Exec>& transport, const LanePasses& passes, const CodeSequence& a,
              const CodeSequence& b, Index band, double most)
      : transport_(transport), passes_(passes), a_(a), b_(b), band_(band), most_(most) {}

  /// @brief The runs of a best path. Collective.
  std::vector<PathRun> find(const PathPart& whole) {
    constexpr double soon_done = 1e7;  // before processes would have told each other of it
    const double most =
        most_ > 0 ? most_ : std::max(whole.cells() / (16 * comm().size()), soon_done);
    std::vector<PathPart> parts{whole};
    if (comm().size() > 1)
      divide_parts(
          parts, costs(), passes_.progress(),
          [&](const PathPart& part) { return part.is_small() || part.cells() <= most; },
          [&](const std::vector<PathPart>& together) {
            std::vector<PathCrossing> crossings;
            for (const PathPart& part : together) crossings.push_back(crossing_of(part));
            return crossings;
          });
    std::vector<PathRun> runs;
    together(comm(), "mpi::align", {},
             [&] { runs = LanePath(passes_, a_, b_).find(own_parts(comm(), parts)); });
    return runs_of_all(transport_, runs);
  }

 private:
  const Communicator& comm() const { return transport_.comm(); }
  const ScoreBounds& costs() const { return passes_.scoring().costs; }

  /// @brief Finds where the path crosses a part's middle row. Collective.
  PathCrossing crossing_of(const PathPart& part) {
    const Index n = part.columns();
    const int all = comm().size();
    std::vector<Block> blocks, reversed;
    for (int rank = 0; rank < all; ++rank) {
      const Index first = n * rank / all, end = n * (rank + 1) / all;
      blocks.push_back({first, end - first});
      reversed.push_back({n - end, end - first});
    }
    const Block own = blocks[static_cast<std::size_t>(comm().rank())];
    PathPart block = part;
    block.begin_b = part.begin_b + own.first;
    block.end_b = block.begin_b + own.count;
    const auto [forwards, backwards] = passes_to_middle<PassProblem>(block, a_, b_, costs());
    AlignedColumns<Exec> from_above(transport_, blocks, forwards.a.length, band_),
        from_below(transport_, reversed, backwards.a.length, band_);
    const std::vector<BoundaryEntry>&above = from_above.last_row(passes_, forwards),
          &below = from_below.last_row(passes_, backwards);

    // At a place between two blocks the one to the left looks, for which it needs an entry of the
    // other's.
    const BoundaryEntry first = own.count > 0 ? below.back() : BoundaryEntry{};
    const auto firsts = all_numbers<2>(comm(), {first.h, first.e});
    BoundaryEntry next = edge_of(backwards, costs());
    for (std::size_t rank = blocks.size(); rank-- > 0;)
      if (blocks[rank].count > 0 && blocks[rank].first >= own.end())
        next = {firsts[rank][0], firsts[rank][1]};
    PathCrossing own_crossing;
    if (own.count > 0 && own.first == 0)
      own_crossing.see(0, edge_of(forwards, costs()), first, costs());
    for (Index j = 1; j <= own.count; ++j)
      own_crossing.see(own.first + j, above[static_cast<std::size_t>(j - 1)],
                       j < own.count ? below[static_cast<std::size_t>(own.count - j - 1)] : next,
                       costs());
    PathCrossing crossing;
    for (const auto& [score, column, within_gap] :
         all_numbers<3>(comm(), {own_crossing.score, own_crossing.column, own_crossing.within_gap}))
      if (score > crossing.score) crossing = {score, column, within_gap};
    return crossing;
  }

  const Transport<Exec>& transport_;
  const LanePasses& passes_;
  CodeSequence a_, b_;
  Index band_;
  double most_;
};

}  // namespace wavescan::Impl::mpi

#endif
