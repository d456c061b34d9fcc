// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SMITH_WATERMAN_TRACEBACK_HPP
#define WAVESCAN_IMPL_SMITH_WATERMAN_TRACEBACK_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/smith_waterman/WaveScan_Scoring.hpp>
#include <impl/smith_waterman/WaveScan_Segments.hpp>
#include <impl/smith_waterman/WaveScan_StripRunner.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// @file
/// @brief The path of an alignment in linear memory, by divide and conquer.
///
/// The score of a path through the middle row is the sum of a forward and a backward score, which
/// strips compute. Where it is best, the path is cut in two. All pieces of one level of the
/// recursion are computed by one kernel; pieces of at most 64 x 64 are aligned directly.

namespace wavescan::Impl {

template <ExecutionSpace Exec, class Algorithm>
class Traceback {
 public:
  Traceback(const Exec& exec, const ScoringProblem<Exec>& problem,
            StripRunner<Exec, Algorithm>& runner)
      : exec_(exec), problem_(problem), runner_(runner) {}

  /// @brief Fills in CIGAR and counts of an alignment whose score and positions are known.
  void operator()(Alignment& alignment) {
    std::vector<PathPiece> pieces{
        {alignment.begin_a, alignment.end_a, alignment.begin_b, alignment.end_b}};
    while (divide(pieces)) {
    }
    const Index score = write(pieces, alignment);
    if (score != alignment.score)
      throw std::logic_error("WaveScan::smith_waterman: internal error: the path has score " +
                             std::to_string(score) + " instead of " +
                             std::to_string(alignment.score));
  }

 private:
  static bool is_small(const PathPiece& piece) {
    return piece.is_gap() || std::max(piece.rows(), piece.columns()) <= AlignPieces::largest;
  }

  /// @brief Cuts all large pieces in two; false if there was none.
  bool divide(std::vector<PathPiece>& pieces) {
    std::vector<StripJob> jobs;
    for (const PathPiece& piece : pieces)
      if (!is_small(piece)) add_halves(piece, jobs);
    if (jobs.empty()) return false;
    const auto crossings = find_crossings(jobs);

    std::vector<PathPiece> divided;
    std::size_t next = 0;
    for (const PathPiece& piece : pieces) {
      if (is_small(piece)) {
        divided.push_back(piece);
        continue;
      }
      const StripJob& upper = jobs[2 * next];
      const Index crossing = crossings[next++];
      const Index a = piece.begin_a + (upper.transposed ? crossing : upper.row_count);
      const Index b = piece.begin_b + (upper.transposed ? upper.row_count : crossing);
      divided.push_back({piece.begin_a, a, piece.begin_b, b});
      divided.push_back({a, piece.end_a, b, piece.end_b});
    }
    pieces = std::move(divided);
    return true;
  }

  /// @brief Adds the jobs of a piece: its upper half forwards, its lower half backwards. Rows are
  /// the longer side.
  void add_halves(const PathPiece& piece, std::vector<StripJob>& jobs) const {
    const bool transposed = piece.columns() > piece.rows();
    const std::uint8_t* rows = problem_.a.data() + piece.begin_a;
    const std::uint8_t* columns = problem_.b.data() + piece.begin_b;
    Index row_count = piece.rows();
    Index column_count = piece.columns();
    if (transposed) {
      std::swap(rows, columns);
      std::swap(row_count, column_count);
    }
    StripJob upper;
    upper.transposed = transposed;
    upper.rows = {rows, 1};
    upper.columns = {columns, 1};
    upper.row_count = row_count / 2;
    upper.column_count = column_count;
    StripJob lower = upper;
    lower.rows = {rows + row_count - 1, -1};
    lower.columns = {columns + column_count - 1, -1};
    lower.row_count = row_count - upper.row_count;
    jobs.push_back(upper);
    jobs.push_back(lower);
  }

  std::vector<Index> find_crossings(const std::vector<StripJob>& jobs) {
    const StripJob* const on_device = runner_.last_rows(jobs);
    const std::size_t pairs = jobs.size() / 2;
    CallMemory<Exec> memory(exec_);
    const auto crossings = memory.template take<Index>(static_cast<Index>(pairs));
    const int team_size = runs_on_host<Exec> ? 1 : 128;
    Kokkos::parallel_for("WaveScan::smith_waterman::find_crossings",
                         Kokkos::TeamPolicy<Exec>(exec_, static_cast<int>(pairs), team_size),
                         FindCrossings<Exec>{on_device, crossings.data()});
    return values_on_host(exec_, crossings);
  }

  /// @brief Aligns the small pieces and writes CIGAR and counts; returns the score of the path.
  Index write(const std::vector<PathPiece>& pieces, Alignment& alignment) {
    std::vector<PathPiece> aligned;
    for (const PathPiece& piece : pieces)
      if (!piece.is_gap()) aligned.push_back(piece);
    CallMemory<Exec> memory(exec_);
    const auto on_device = memory.copy_of(aligned);
    const auto path = memory.template zeros<char>(alignment.end_a - alignment.begin_a +
                                                  alignment.end_b - alignment.begin_b);
    Index score = 0;
    Kokkos::parallel_reduce(
        "WaveScan::smith_waterman::align_pieces",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>, Kokkos::Schedule<Kokkos::Dynamic>>(
            exec_, 0, static_cast<Index>(aligned.size())),
        AlignPieces{problem_.table(), problem_.a.data(), problem_.b.data(), on_device.data(),
                    alignment.begin_a, alignment.begin_b, path.data()},
        score);
    const std::vector<char> letters = values_on_host(exec_, path);

    CigarWriter cigar(alignment);
    for (const PathPiece& piece : pieces) {
      if (piece.is_gap()) {
        cigar.add('I', piece.rows());
        cigar.add('D', piece.columns());
        score -= problem_.gap * (piece.rows() + piece.columns());
        continue;
      }
      const Index begin = piece.begin_a - alignment.begin_a + piece.begin_b - alignment.begin_b;
      for (Index k = 0; k < piece.rows() + piece.columns(); ++k)
        if (const char column = letters[static_cast<std::size_t>(begin + k)]; column != '\0')
          cigar.add(column, 1);
    }
    cigar.flush();
    return score;
  }

  Exec exec_;
  const ScoringProblem<Exec>& problem_;
  StripRunner<Exec, Algorithm>& runner_;
};

}  // namespace wavescan::Impl

#endif
