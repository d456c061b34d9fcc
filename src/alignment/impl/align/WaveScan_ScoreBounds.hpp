// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_SCOREBOUNDS_HPP
#define WAVESCAN_IMPL_ALIGN_SCOREBOUNDS_HPP

#include <WaveScan_Concepts.hpp>

#include <algorithm>
#include <utility>

/// @file
/// @brief Bounds of the differences between a block's entries and a reference row's entry before
/// the block: which types they fit, on whatever device, and how many rows and columns a block may
/// have.
///
/// Let s be the largest score of a pair, -x the least, o and e the costs of a gap's first and of
/// each further letter. Of two entries, the second di rows below and dj columns right of the first:
///
/// - It is larger by (s + e) max(di, dj) + (o - e) at most. Cut off the last columns of its best
///   path: the letters that were matched there become gap letters of one gap.
/// - It is smaller by the cheaper one of two ways to get there: by two gaps, 2 (o - e) + e (di +
///   dj), or by pairs and a gap, x min(di, dj) + (o - e) + e |di - dj|.
///
/// And if the second is d rows above and dj columns right of the first:
///
/// - It is larger by s dj + (o - e) + e (d + dj) at most: of its best path, what is right of the
///   first's column is replaced by a gap.
/// - It is smaller by s d + (o - e) + e (d + dj) at most, by the same reasoning about rows.
///
/// Rows above the reference row so take more of the range than as many below it.
///
/// A floor of 0, and boundaries that are free or cost what gaps cost, keep all that true. E and F
/// lie s + 2 o below the entry of their place at most, and both lose e before they are compared.

namespace wavescan::Impl {

/// @brief Scores and costs that bound the differences between entries.
struct ScoreBounds {
  Index largest = 0;  ///< score of a pair, at least 0
  Index least = 0;    ///< score of a pair, at most 0
  Index open = 1;     ///< cost of a gap's first letter
  Index extend = 1;   ///< cost of each further letter, at most `open`
  bool affine() const { return open != extend; }
};

/// @brief The range of entries in a block, relative to the reference row's before it. With fewer
/// rows it is smaller.
/// @param has_gaps E and F are among the entries
struct EntryRange {
  Index below = 0;
  Index above = 0;
};
inline EntryRange entry_range(const ScoreBounds& scores, int rows, int columns, int reference,
                              bool has_gaps) {
  const Index s = scores.largest, x = -scores.least, e = scores.extend, opening = scores.open - e;
  const Index up = reference + 1;  // to the row above the first one
  const Index down = rows - 1 - reference, right = columns;
  const auto fall = [&](Index di, Index dj) {
    const Index pairs = std::min(di, dj), others = std::max(di, dj) - pairs;
    return std::min(2 * opening + e * (di + dj), x * pairs + opening + e * others);
  };
  EntryRange range;
  range.above =
      std::max(s * right + opening + e * (up + right), (s + e) * std::max(down, right) + opening);
  range.below = s * up + opening + e * (up + right);
  // The fall is linear between its corners: along an edge, and along the diagonal.
  const Index both = std::min(down, right);
  for (const auto& [di, dj] :
       {std::pair{down, right}, {down, Index(0)}, {Index(0), right}, {both, both}})
    range.below = std::max(range.below, fall(di, dj));
  range.below += std::max(has_gaps ? s + 2 * scores.open + e : scores.open, x);
  return range;
}

}  // namespace wavescan::Impl

#endif
