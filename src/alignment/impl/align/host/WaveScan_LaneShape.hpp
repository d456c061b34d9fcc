// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANESHAPE_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANESHAPE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/host/WaveScan_LaneBlock.hpp>

#include <algorithm>
#include <limits>

/// @file
/// @brief Numbers of rows and columns of a lane's block (WaveScan_ScoreBounds.hpp).

namespace wavescan::Impl {

/// @brief Blocks of a lane.
struct LaneShape {
  int rows = 0;
  int columns = 0;    ///< 0: entries do not fit the type
  int reference = 0;  ///< row whose entry before the block is moved to `center`
  Index center = 0;
  double cost = 0;  ///< of an entry, more or less, beside other types of as many lanes
  explicit operator bool() const { return columns > 0; }
};

/// @brief The best blocks of a lane of at most `most_rows` rows.
inline LaneShape lane_shape(const LaneLoops& loops, const ScoreBounds& scores, Index most_rows) {
  constexpr int largest_rows = 32, largest_columns = 64;
  const Index values = Index(1) << 8 * loops.entry_bytes,
              least = loops.entry_bytes == 1 ? 0 : -values / 2;
  const bool has_gaps = loops.computes_gaps(scores.affine());
  LaneShape best;
  double best_cost = std::numeric_limits<double>::max();
  const int limit = static_cast<int>(std::clamp<Index>(most_rows, 1, largest_rows));
  // In vector registers' turns: of a column, of a block, and of moving a row's base.
  const auto cost_of = [](int rows, int columns) {
    return (10. + (35. + 1.2 * rows) / columns) / rows;
  };
  for (int rows = limit; rows >= 1; rows = rows > 8 ? (rows - 1) / 4 * 4 : rows - 1) {
    if (cost_of(rows, largest_columns) >= best_cost) break;  // fewer rows cost more
    for (int reference = 0; reference <= rows / 2; reference += std::max(rows / 8, 1)) {
      const auto range = [&](int columns) {
        return entry_range(scores, rows, columns, reference, has_gaps);
      };
      int columns = 0;
      for (int step = largest_columns; step > 0; step /= 2) {
        if (columns + step > largest_columns) continue;
        const EntryRange more = range(columns + step);
        if (more.below + more.above + 3 <= values) columns += step;
      }
      if (columns == 0) continue;
      const double cost = cost_of(rows, columns);
      if (cost >= best_cost) continue;
      best_cost = cost;
      best.rows = rows;
      best.columns = columns;
      best.reference = reference;
      best.center = least + range(columns).below - scores.open + 1;
      best.cost = 1 + cost;
    }
  }
  return best;
}

}  // namespace wavescan::Impl

#endif
