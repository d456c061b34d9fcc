// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SMITH_WATERMAN_SEGMENTS_HPP
#define WAVESCAN_IMPL_SMITH_WATERMAN_SEGMENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/smith_waterman/WaveScan_Scoring.hpp>
#include <impl/smith_waterman/WaveScan_Strips.hpp>

#include <cstdint>

/// @file
/// @brief The kernels of a traceback that work on pieces of a path.

namespace wavescan::Impl {

/// @brief A piece of a path: it leads from the upper left to the lower right corner of a[begin_a,
/// end_a) x b[begin_b, end_b).
struct PathPiece {
  Index begin_a = 0;
  Index end_a = 0;
  Index begin_b = 0;
  Index end_b = 0;
  KOKKOS_FUNCTION Index rows() const { return end_a - begin_a; }
  KOKKOS_FUNCTION Index columns() const { return end_b - begin_b; }
  /// @brief Only a gap is left, or nothing.
  bool is_gap() const { return rows() == 0 || columns() == 0; }
};

/// @brief Finds where a best path crosses from the upper into the lower half of its matrix.
///
/// Source: D. S. Hirschberg, "A linear space algorithm for computing maximal common subsequences",
/// CACM 18 (1975); E. W. Myers, W. Miller, "Optimal alignments in linear space", CABIOS 4 (1988).
/// Jobs come in pairs: the upper half, and the lower half read backwards.
template <class Exec>
struct FindCrossings {
  using team_type = typename Kokkos::TeamPolicy<Exec>::member_type;
  using reducer_type = Kokkos::MaxFirstLoc<Index, Index>;

  const StripJob* jobs;
  Index* crossings;  ///< for each pair the number of columns left of the crossing

  KOKKOS_FUNCTION void operator()(const team_type& team) const {
    const Index pair = team.league_rank();
    const StripJob& upper = jobs[2 * pair];
    const StripJob& lower = jobs[2 * pair + 1];
    const Index columns = upper.column_count;
    typename reducer_type::value_type best;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, columns + 1),
        [&](const Index j, typename reducer_type::value_type& found) {
          const Index score = upper.last_row[j] + lower.last_row[columns - j];
          if (score > found.val || (score == found.val && j < found.loc)) found = {score, j};
        },
        reducer_type(best));
    if (team.team_rank() == 0) crossings[pair] = best.loc;
  }
};

/// @brief Aligns small pieces, one thread each, and writes their columns out.
///
/// Reduces the sum of the pieces' scores.
struct AlignPieces {
  static constexpr int largest = 64;  ///< most rows and columns: bits of a mask

  ScoreTable table;
  const std::uint8_t* a;
  const std::uint8_t* b;
  const PathPiece* pieces;
  Index begin_a;  ///< where the whole path begins
  Index begin_b;
  char* path;  ///< columns of the path; a piece's stand at the end of its rows() + columns() bytes

  KOKKOS_FUNCTION void operator()(const Index k, Index& score) const {
    const PathPiece& piece = pieces[k];
    std::uint64_t diagonal[largest];  // where a best path comes from the upper left,
    std::uint64_t up[largest];        // or else from above
    score += fill(piece, diagonal, up);
    int i = static_cast<int>(piece.rows());
    int j = static_cast<int>(piece.columns());
    char* end = path + (piece.end_a - begin_a) + (piece.end_b - begin_b);
    while (i > 0 || j > 0) {
      if (i > 0 && j > 0 && bit(diagonal[i - 1], j - 1)) {
        --i;
        --j;
        *--end = table.first_match[a[piece.begin_a + i]] == table.first_match[b[piece.begin_b + j]]
                     ? '='
                     : 'X';
      } else if (i > 0 && (j == 0 || bit(up[i - 1], j - 1))) {
        --i;
        *--end = 'I';
      } else {
        --j;
        *--end = 'D';
      }
    }
  }

 private:
  KOKKOS_FUNCTION static bool bit(std::uint64_t mask, int k) { return (mask >> k) & 1; }

  /// @brief Computes the piece's matrix and keeps where entries come from; returns its score.
  KOKKOS_FUNCTION Index fill(const PathPiece& piece, std::uint64_t* diagonal,
                             std::uint64_t* up) const {
    const int columns = static_cast<int>(piece.columns());
    Index row[largest + 1];
    for (int j = 0; j <= columns; ++j) row[j] = -table.gap * j;
    for (int i = 0; i < static_cast<int>(piece.rows()); ++i) {
      const std::int32_t* const scores = table.scores + a[piece.begin_a + i] * table.letters;
      Index corner = row[0];
      row[0] = -table.gap * (i + 1);
      diagonal[i] = up[i] = 0;
      for (int j = 0; j < columns; ++j) {
        const Index matched = corner + scores[b[piece.begin_b + j]];
        const Index above = row[j + 1] - table.gap;
        Index best = row[j] - table.gap;
        if (above >= best) {
          best = above;
          up[i] |= std::uint64_t(1) << j;
        }
        if (matched >= best) {
          best = matched;
          diagonal[i] |= std::uint64_t(1) << j;
        }
        corner = row[j + 1];
        row[j + 1] = best;
      }
    }
    return row[columns];
  }
};

}  // namespace wavescan::Impl

#endif
