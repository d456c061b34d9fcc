// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_ALIGNEDCOLUMNS_HPP
#define WAVESCAN_IMPL_MPI_ALIGNEDCOLUMNS_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_BlockMoves.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/host/WaveScan_LanePass.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <vector>

/// @file
/// @brief The matrix of two sequences, whose columns are distributed over processes.
///
/// A process walks down its columns in bands of rows. What enters a band from the left comes from
/// the process with the columns before while the band above is computed; what leaves it goes to the
/// one after while the next one is. So processes follow each other, a band apart (Sandes and Melo,
/// "CUDAlign 3.0", CCGrid 2014).

namespace wavescan::Impl::mpi {

/// @brief One process' columns of a matrix.
template <ExecutionSpace Exec>
class AlignedColumns {
 public:
  /// @param exec   instance on the host, whose threads compute
  /// @param blocks columns of all processes, in any order
  /// @param rows   of the matrix
  /// @param band   rows of a band; 0: chosen
  AlignedColumns(const Transport<Exec>& transport, const std::vector<Block>& blocks, Index rows,
                 Index band = 0)
      : transport_(transport), rows_(rows), columns_(blocks[own_rank()]) {
    int places = 0;
    for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
      const Block& block = blocks[rank];
      if (block.count == 0) continue;
      ++places;
      total_ = std::max(total_, block.end());
      if (columns_.count == 0) continue;
      if (block.end() == columns_.first) left_ = static_cast<int>(rank);
      if (block.first == columns_.end()) right_ = static_cast<int>(rank);
    }
    band_ = std::max<Index>(band > 0 ? band : chosen_band(rows, places), 1);
  }

  /// @brief The best score, and where it ends. Collective.
  /// @param a, b letters of all rows, and of this process' columns
  AlignmentScore end(const LanePasses& passes, const CodeSequence& a, const CodeSequence& b,
                     const AlignmentEdges& edges) {
    const ScoreBounds& costs = passes.scoring().costs;
    borders_.set_edges(edges, costs.open);
    compute(passes, a, b, edges.free.end_a);
    Ends ends;
    if (!edges.local)
      see_edges(ends, costs.extend, edges.free);
    else if (found_.score > 0)
      ends.see({found_.score, found_.row + 1, columns_.first + found_.column + 1});
    return best_of_all(ends);
  }

  /// @brief This process' columns of the last row. Collective.
  /// @param pass letters of all rows and of this process' columns, and the whole matrix's borders
  const std::vector<BoundaryEntry>& last_row(const LanePasses& passes, const PassProblem& pass) {
    borders_ = pass;
    compute(passes, pass.a, pass.b, false);
    return row_;
  }

 private:
  using buffer_type = typename Transport<Exec>::template buffer_type<BoundaryEntry>;
  static constexpr int tag = 3;

  std::size_t own_rank() const { return static_cast<std::size_t>(transport_.comm().rank()); }

  /// @brief Chooses the rows of a band: many bands let all processes begin soon; large ones keep
  /// all threads busy.
  static Index chosen_band(Index rows, int places) {
    constexpr Index least = 2048, most = 32768;
    return places <= 1 ? rows : std::clamp<Index>(rows / (32 * Index(places)), least, most);
  }

  void compute(const LanePasses& passes, const CodeSequence& a, const CodeSequence& b,
               bool wants_column) {
    const bool takes_part = rows_ > 0 && columns_.count > 0;
    together(transport_.comm(), "mpi::align", {}, [&] {
      if (takes_part) reserve(wants_column);
    });
    std::exception_ptr error;
    if (takes_part) walk(passes, a, b, error);
    Agreement(transport_.comm(), "mpi::align", {}, error).reach();
  }

  /// @brief Makes arrays: once computations have begun, no process may be missing.
  void reserve(bool wants_column) {
    row_.resize(static_cast<std::size_t>(columns_.count));
    if (wants_column && right_ == no_rank) last_column_.resize(static_cast<std::size_t>(rows_));
    for (auto* buffers : {&came_, &sent_})
      for (buffer_type& buffer : *buffers)
        buffer = transport_.template buffer<BoundaryEntry>(band_);
  }

  /// @brief Computes band after band. What goes wrong is told, but no process is left waiting.
  void walk(const LanePasses& passes, const CodeSequence& a, const CodeSequence& b,
            std::exception_ptr& error) {
    const ScoreBounds& costs = passes.scoring().costs;
    PassProblem problem;
    static_cast<PassBorders&>(problem) = borders_;
    problem.above_open += columns_.first * costs.extend;
    problem.left_corner = borders_.above(columns_.first - 1, costs.extend);
    problem.b = b;
    problem.row = row_.data();

    const Index bands = (rows_ + band_ - 1) / band_;
    std::array<std::optional<Exchange<Exec>>, 2> receives, sends;
    const auto expect = [&](Index k) {
      if (k >= bands) return;
      auto& exchange = receives[static_cast<std::size_t>(k % 2)].emplace(transport_);
      exchange.receive(came_[static_cast<std::size_t>(k % 2)], left_, tag);
    };
    expect(0);
    for (Index k = 0; k < bands; ++k) {
      const auto slot = static_cast<std::size_t>(k % 2);
      receives[slot]->wait();
      expect(k + 1);
      if (sends[slot]) sends[slot]->wait();
      problem.first_row = k * band_;
      problem.a = a.part(problem.first_row, std::min(band_, rows_ - problem.first_row));
      if (left_ != no_rank) problem.left_column = came_[slot].view().data();
      if (right_ != no_rank) problem.right_column = sent_[slot].view().data();
      if (last_column_.size() > 0) problem.last_column = last_column_.data() + problem.first_row;
      if (!error)
        error = exception_of([&] {
          const BestEntry cell = passes.run(problem);
          if (cell.precedes(found_)) found_ = cell;
        });
      auto& exchange = sends[slot].emplace(transport_);
      exchange.send(sent_[slot], right_, tag);
      if (left_ != no_rank) problem.left_corner = problem.left_column[problem.a.length - 1].h;
    }
    for (auto& exchange : sends)
      if (exchange) exchange->wait();
  }

  /// @brief The best of some ends.
  struct Ends {
    AlignmentScore best;
    bool any = false;
    /// @brief The best one is that of the best score which ends first in `a`, and then in `b`.
    void see(const AlignmentScore& end) {
      const BestEntry cell{end.score, end.end_a, end.end_b};
      if (!any || cell.precedes({best.score, best.end_a, best.end_b})) best = end;
      any = true;
    }
  };

  /// @brief Sees where alignments may end that are not local, of which this process has entries.
  void see_edges(Ends& ends, Index extend, const FreeEnds& free) const {
    const Index last = rows_ - 1;
    const bool is_first = left_ == no_rank;
    const bool is_last = right_ == no_rank && (columns_.count > 0 || total_ == 0);
    const auto below = [&](Index j) {
      return rows_ == 0 ? borders_.above(columns_.first + j, extend)
                        : row_[static_cast<std::size_t>(j)].h;
    };
    for (Index j = free.end_b ? 0 : columns_.count - 1; j < columns_.count; ++j)
      if (j >= 0 && (free.end_b || columns_.first + j + 1 == total_))
        ends.see({below(j), rows_, columns_.first + j + 1});
    if (is_first && (free.end_b || total_ == 0)) ends.see({borders_.left(last, extend), rows_, 0});
    if (!is_last || !free.end_a) return;
    ends.see({borders_.above(total_ - 1, extend), 0, total_});
    for (Index i = 0; i < rows_; ++i)
      ends.see({total_ == 0 ? borders_.left(i, extend) : last_column_[static_cast<std::size_t>(i)],
                i + 1, total_});
  }

  AlignmentScore best_of_all(const Ends& own) const {
    Ends ends;
    const auto& [score, a, b] = own.best;
    for (const auto& [other, end_a, end_b, any] :
         all_numbers<4>(transport_.comm(), {score, a, b, own.any}))
      if (any) ends.see({other, end_a, end_b});
    return ends.best;
  }

  Transport<Exec> transport_;
  Index rows_, total_ = 0, band_ = 0;
  Block columns_;
  int left_ = no_rank, right_ = no_rank;
  BestEntry found_;                         ///< of local alignments
  PassBorders borders_;                     ///< of the whole matrix
  std::array<buffer_type, 2> came_, sent_;  ///< columns to the left and to the right of bands
  std::vector<BoundaryEntry> row_;          ///< the last one that was computed
  std::vector<Index> last_column_;          ///< of the matrix, if alignments may end there
};

}  // namespace wavescan::Impl::mpi

#endif
