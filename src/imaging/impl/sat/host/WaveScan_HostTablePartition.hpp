// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_HOST_HOSTTABLEPARTITION_HPP
#define WAVESCAN_IMPL_SAT_HOST_HOSTTABLEPARTITION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sat/WaveScan_TableProblem.hpp>

#include <algorithm>

namespace wavescan::Impl {

/// @brief The partition of tables of one size among threads.
struct HostTablePartition {
  static constexpr Index max_rows = 256;  ///< of a band

  Index images = 1;
  Index band = 1;  ///< rows
  Index bands = 1;
  Index tile = 1;  ///< columns
  Index tiles = 1;
  bool whole_images = true;  ///< one thread does all bands of an image
  bool two_passes = false;   ///< all bands are summed up before entries are computed
  bool reduces = false;      ///< each band is summed up before its entries are computed
  Index workers = 1;

  HostTablePartition() = default;
  /// @brief Facts that are known beside the shape.
  struct Facts {
    bool in_caches = false;   ///< they hold images and tables
    bool can_reduce = false;  ///< bands can be summed up before their entries are computed
    Index many_images = 0;    ///< of which each is one thread's; 0: so many that none is idle long
  };

  HostTablePartition(const sat::TableShape& shape, Index max_columns, Index threads,
                     const Facts& facts)
      : images(shape.images),
        band(std::clamp<Index>(shape.rows / 8, 1, rows_that_fit(shape.columns))),
        bands(ceil_div(shape.rows, band)) {
    const Index columns = shape.columns;
    constexpr Index few_pixels = 1 << 15;  // not worth waking threads for
    constexpr Index unit = 64;             // a multiple of what vectors take at once
    // Many threads follow each other by tiles that are too narrow to be read fast.
    constexpr Index many_threads = 8;
    const Index narrow =
        facts.can_reduce && threads >= many_threads ? std::min<Index>(512, max_columns) : unit;
    if (images * bands * band * columns < few_pixels) threads = 1;
    whole_images =
        threads == 1 || images >= (facts.many_images > 0 ? facts.many_images : 4 * threads);
    two_passes = facts.in_caches && !whole_images;
    // Where threads follow each other, each is a tile behind the one before.
    tile = std::clamp(ceil_div(columns, 2 * threads * unit) * unit, narrow, max_columns);
    reduces =
        facts.can_reduce && !whole_images && !two_passes && ceil_div(columns, tile) < 2 * threads;
    if (whole_images || two_passes || reduces) tile = max_columns;
    tiles = ceil_div(columns, tile);
    workers = std::min(threads, tasks());
  }

  /// @brief The rows of a band: few enough to stay in the cache, enough to make up for starting a
  /// band and for fetching the entries above it from the cache of another core.
  static Index rows_that_fit(Index columns) {
    return std::clamp<Index>((1 << 15) / columns, 64, max_rows);
  }

  Index tasks() const { return whole_images ? images : images * bands; }
  /// @brief Images that are worked on at a time.
  Index slots() const { return whole_images || two_passes ? workers : images; }
  /// @brief The row of the workspace for what a band sums up to in the first of two passes.
  Index ahead(Index image, Index band_of_it) const { return slots() + image * bands + band_of_it; }
  /// @brief Rows of the workspace.
  Index rows() const { return slots() + (two_passes ? tasks() : 0); }
  /// @brief The first of a worker's tasks, where each has its own.
  Index first_task(Index worker) const { return tasks() * worker / workers; }
};

/// @brief Rows [row, row + rows) and columns [column, column + columns) of a table.
struct TableTile {
  Index row = 0, rows = 0;
  Index column = 0, columns = 0;

  /// @param all_rows of the table
  void go_to_band(const HostTablePartition& partition, Index band, Index all_rows) {
    row = band * partition.band;
    rows = std::min(partition.band, all_rows - row);
  }
  /// @param all_columns of the table
  void go_to_tile(const HostTablePartition& partition, Index number, Index all_columns) {
    column = number * partition.tile;
    columns = std::min(partition.tile, all_columns - column);
  }
};

/// @brief Whether images and tables stay in caches, where reading images twice costs less than what
/// threads that follow each other take out of the caches of others. Of many cores it is their own
/// caches that hold them.
inline bool fits_in_caches(Index all_bytes, Index threads) {
  constexpr Index shared = 12 << 20, own = 1 << 20;
  return all_bytes <= std::max(shared, threads * own);
}

/// @brief Whether stores should bypass the caches, which saves reading what they overwrite: where
/// the output is much larger than the caches and its rows have few ends.
inline bool prefers_streaming(Index row_bytes, Index all_bytes) {
  constexpr Index few_ends = 512, many_bytes = 16 << 20;
  return row_bytes >= few_ends && all_bytes >= many_bytes;
}

}  // namespace wavescan::Impl

#endif
