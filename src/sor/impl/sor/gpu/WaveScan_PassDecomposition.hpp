// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_PASSDECOMPOSITION_HPP
#define WAVESCAN_IMPL_SOR_GPU_PASSDECOMPOSITION_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>

/// @file
/// @brief The decomposition of a pass of several sweeps.
///
/// A warp relaxes a *band* of 32 rows from left to right. Lane l follows lane l-1 by a column, and
/// sweep s of the pass follows sweep s-1 by a column and a row: at its step t lane l of band
/// p does sweep s at
///
///     row 32 p + l - s,  column first_column + t - l - s        (sweep 0: reads the old value)
///
/// so each band needs the band above, and nothing from below. The warps of a block of threads take
/// consecutive bands, a *group*. The grid is divided into *blocks* of groups and columns that start
/// early, in an overlap, from the old values instead of waiting for each other. Where there are
/// fewer bands than warps, groups of all of them lie side by side, in blocks next to each other.
///
/// A pass may be followed by others in the same launch. Each lies some rows higher than the one
/// before, so that what it reads in a band has been written in that band or above, and it can
/// follow closely.

namespace wavescan::Impl::sor {

/// @brief One group of bands of one block and pass.
struct Ticket {
  int block;
  int row_block;
  int column_block;
  int group;
  int pass;
};

/// @brief The place of a warp in its block of threads.
struct WarpPlace {
  int beside;  ///< which of the groups that lie side by side
  int level;   ///< which band of the group
};

/// @brief The skew of tiles: by how many columns those of a band, and with them what a block owns,
/// begin early.
///
/// If rows of an array begin `per_row` columns further off cache lines from row to row, and `run`
/// of them make up a line, then tiles of `run` rows can begin at lines in each. Elsewhere tiles
/// begin at multiples of 16 bytes, by up to three columns early.
struct TileSkew {
  static constexpr int band_rows = 32;

  int first = 0;  ///< in a band's first row of old values
  int per_row = 0;
  int run = 0;  ///< zero: tiles do not begin at lines

  /// @brief The skew of a row of a band's tiles of old values, of which the rows of lanes are one.
  KOKKOS_FUNCTION int read(int row) const { return first + per_row * (row % run); }
  /// @brief The skew of a row of the results, which lie higher by the number of sweeps.
  KOKKOS_FUNCTION int written(int row, int sweeps) const { return read(row) - per_row * sweeps; }

  KOKKOS_FUNCTION int max_read() const { return run > 0 ? read(run - 1) : 3; }
  KOKKOS_FUNCTION int max_written(int sweeps) const {
    return run > 0 ? written(run - 1, sweeps) : 3;
  }
  KOKKOS_FUNCTION int min_written(int sweeps) const { return run > 0 ? written(0, sweeps) : 0; }

  /// @brief The number of columns of tiles by which a lane may be ahead of the first one.
  KOKKOS_FUNCTION int ahead() const { return per_row > 0 ? max_read() - (run - 1) : first; }
  /// @brief The number of columns of tiles by which some lane's results are behind the first lane's
  /// place.
  KOKKOS_FUNCTION int behind(int sweeps) const {
    return band_rows - (per_row > 0 ? run : 1) - min_written(sweeps);
  }

  bool operator==(const TileSkew&) const = default;
};

/// @brief Columns at which the grid is divided among devices: multiples of the tiles' width, as if
/// blocks began there. Zero: there is none.
struct OuterPartitions {
  int behind = 0;  ///< what is left of it, but for some columns, is another device's
  int ahead = 0;   ///< another device begins early before it, and has what is right of it

  bool operator==(const OuterPartitions&) const = default;
};

/// @brief The decomposition. Rows and columns are counted from the halo's.
///
/// Kernels ask for tickets in their innermost loops, so that quotients are kept here.
struct Decomposition {
  static constexpr int band_rows = TileSkew::band_rows;

  int sweeps;  ///< of a pass
  int m;       ///< unknowns in a column
  int n;       ///< unknowns in a row
  int chunk;   ///< columns of a tile
  int warps;   ///< of a block of threads, that relax
  int stack;   ///< bands of a group: all these warps, or a part of them
  int beside;  ///< groups that a block of threads relaxes side by side
  int slots;   ///< tiles that a warp has in shared memory
  int passes;  ///< that follow each other in one launch
  TileSkew skew;
  OuterPartitions partitions;

  int bands;
  int row_blocks;
  int column_blocks;
  int teams;            ///< blocks, or what lies side by side of them
  int groups;           ///< that a block owns
  int overlap_groups;   ///< that a block relaxes above those
  int max_groups;       ///< of a block
  int width;            ///< columns that a block owns, a multiple of `chunk`
  int overlap_columns;  ///< to the left of those, a multiple of `chunk`
  int chunks;           ///< that the steps of a band pass through

  KOKKOS_FUNCTION int blocks() const { return row_blocks * column_blocks; }
  KOKKOS_FUNCTION int steps() const { return chunks * chunk; }
  KOKKOS_FUNCTION int tickets() const { return passes * teams * max_groups; }
  KOKKOS_FUNCTION int bands_of_block() const { return max_groups * stack; }

  /// @brief Rows by which a pass lies higher than the one before: at least those that its sweeps
  /// reach, in multiples of what tiles are sorted by.
  KOKKOS_FUNCTION static constexpr int pass_shift(int depth) { return (depth + 3) / 4 * 4; }
  KOKKOS_FUNCTION int first_row(const Ticket& t, int band) const {
    return band_rows * band - t.pass * pass_shift(sweeps);
  }

  /// @brief Places for the last rows of a block's groups: a group reuses the place of the group
  /// before the last, whose rows have all been read by then, or it could not have come so far.
  KOKKOS_FUNCTION int row_places() const { return max_groups > 2 ? 2 : 1; }

  /// @brief Tickets in an order in which each needs earlier ones only, and about in that in which
  /// they can begin: a pass is a group behind the one before.
  KOKKOS_FUNCTION Ticket ticket(int index) const {
    const int rank = index / teams;
    int diagonal = 0;
    for (int end = max_groups + passes - 1; end - diagonal > 1;) {
      const int middle = (diagonal + end) / 2;
      (before_diagonal(middle) <= rank ? diagonal : end) = middle;
    }
    const int first_pass = diagonal < max_groups ? 0 : diagonal - max_groups + 1;
    const int pass = first_pass + rank - before_diagonal(diagonal);
    const int block = (index - rank * teams) * beside;
    const int row_block = block / column_blocks;
    return {block, row_block, block - row_block * column_blocks, diagonal - pass, pass};
  }
  KOKKOS_FUNCTION WarpPlace place(int warp) const { return {warp / stack, warp % stack}; }
  /// @brief The part of a ticket that one of the groups side by side takes.
  KOKKOS_FUNCTION Ticket part(Ticket ticket, const WarpPlace& place) const {
    ticket.block += place.beside;
    ticket.column_block += place.beside;
    return ticket;
  }
  /// @brief The band of a warp, given its part of a ticket; `bands` or more if it has none.
  KOKKOS_FUNCTION int band(const Ticket& part, const WarpPlace& place) const {
    if (part.column_block >= column_blocks) return bands;
    return first_band(part.row_block) + part.group * stack + place.level;
  }
  /// @brief Tickets of a block whose group and pass add up to less than `sum`.
  KOKKOS_FUNCTION int before_diagonal(int sum) const {
    const auto without_end = [this](int s) {
      return s <= 0 ? 0 : s <= passes ? s * (s + 1) / 2 : passes * (2 * s - passes + 1) / 2;
    };
    return without_end(sum) - without_end(sum - max_groups);
  }

  KOKKOS_FUNCTION int first_owned_band(int row_block) const { return row_block * groups * stack; }
  KOKKOS_FUNCTION int first_band(int row_block) const {
    return row_block == 0 ? 0 : first_owned_band(row_block) - overlap_groups * stack;
  }
  KOKKOS_FUNCTION int end_band(int row_block) const {
    return row_block == row_blocks - 1 ? bands : first_owned_band(row_block + 1);
  }
  KOKKOS_FUNCTION int groups_of(int row_block) const {
    return (end_band(row_block) - first_band(row_block) + stack - 1) / stack;
  }
  KOKKOS_FUNCTION bool is_last_group(const Ticket& t) const {
    return t.group == groups_of(t.row_block) - 1;
  }

  KOKKOS_FUNCTION int first_owned_column(int column_block) const { return column_block * width; }
  KOKKOS_FUNCTION int first_column(int column_block) const {
    return column_block == 0 ? -margin() : first_owned_column(column_block) - overlap_columns;
  }
  /// @brief Columns to the left of the grid: if tiles begin late in some rows, these begin before.
  KOKKOS_FUNCTION int margin() const { return skew.min_written(sweeps) < 0 ? chunk : 0; }
  KOKKOS_FUNCTION int last_owned_column(int column_block) const {
    return column_block == column_blocks - 1 ? n : (column_block + 1) * width - 1;
  }
  /// @brief Whether a block, or what is ahead of the last one, has a neighbour on its left.
  KOKKOS_FUNCTION bool is_checked(int column_block) const {
    return column_block == 0               ? partitions.behind > 0
           : column_block == column_blocks ? partitions.ahead > 0
                                           : true;
  }
  /// @brief The column left of all that a block owns, where it must agree with that neighbour.
  KOKKOS_FUNCTION int left_check_column(int column_block) const {
    const int begin = column_block == 0               ? partitions.behind
                      : column_block == column_blocks ? partitions.ahead
                                                      : first_owned_column(column_block);
    return begin - 1 - skew.max_written(sweeps);
  }
  /// @brief The last column that a block owns in any row, or would own without skew.
  KOKKOS_FUNCTION int last_relaxed_column(int column_block) const {
    const int late = skew.min_written(sweeps) < 0 ? -skew.min_written(sweeps) : 0;
    const int last = last_owned_column(column_block) + late;
    return last < n ? last : n;
  }
  /// @brief The last column whose old value is needed: each sweep looks a column ahead.
  KOKKOS_FUNCTION int last_column(int column_block) const {
    const int last = last_relaxed_column(column_block) + sweeps;
    return last < n + 1 ? last : n + 1;
  }
  KOKKOS_FUNCTION int loaded_chunks(int column_block) const {
    return (last_column(column_block) + skew.max_read() - first_column(column_block)) / chunk + 1;
  }

  /// @brief Tiles with columns of the halo are not stored, because the halo is not ours: the first
  /// column of tiles of a block that are.
  KOKKOS_FUNCTION int first_stored_column(int column_block) const {
    return column_block > 0 ? first_owned_column(column_block)
                            : (skew.max_written(sweeps) / chunk + 1) * chunk;
  }
  /// @brief The column of tiles from which on they are not stored: the next block's, or that.
  KOKKOS_FUNCTION int end_of_stored_columns(int column_block) const {
    const int last = (n + 1 + skew.min_written(sweeps)) / chunk * chunk;
    const int next = first_owned_column(column_block + 1);
    return column_block + 1 == column_blocks || next > last ? last : next;
  }

  /// @brief Bands of all passes.
  static int bands_of(int sweeps, int m, int passes) {
    return (m + sweeps + (passes - 1) * pass_shift(sweeps)) / band_rows + 1;
  }

  /// The two check columns of a band are never under way at once.
  static constexpr int narrowest = 96;

  /// @brief Divides into about so many blocks; overlaps are rounded up. Groups lie side by side if
  /// warps are left over for that.
  static Decomposition make(int sweeps, int m, int n, int chunk, int warps, int slots,
                            int row_blocks, int column_blocks, int overlap_rows,
                            int overlap_columns, int passes = 1, const TileSkew& skew = {},
                            const OuterPartitions& partitions = {}) {
    const auto divide_up = [](int a, int b) { return (a + b - 1) / b; };
    Decomposition c{};
    c.sweeps = sweeps;
    c.m = m;
    c.n = n;
    c.chunk = chunk;
    c.warps = warps;
    c.slots = slots;
    c.passes = passes;
    c.skew = skew;
    c.partitions = partitions;
    c.bands = bands_of(sweeps, m, passes);
    c.stack = passes == 1 && column_blocks > 1 && warps % c.bands == 0 ? c.bands : warps;
    c.beside = warps / c.stack;
    const int all_groups = divide_up(c.bands, c.stack);
    c.groups = divide_up(all_groups, std::max(1, row_blocks));
    c.overlap_groups = divide_up(overlap_rows, c.stack * band_rows);
    c.groups = std::max(c.groups, c.overlap_groups);
    c.row_blocks = divide_up(all_groups, c.groups);
    c.overlap_columns =
        overlap_columns > 0
            ? divide_up(overlap_columns + skew.max_written(sweeps) + 1, chunk) * chunk
            : 0;
    c.width = std::max({divide_up(divide_up(n + 1, std::max(1, column_blocks)), chunk) * chunk,
                        c.overlap_columns, narrowest + partitions.behind});
    c.column_blocks = partitions.ahead == 0
                          ? divide_up(n + 1, c.width)
                          : 1 + std::max(0, (partitions.ahead - narrowest) / c.width);
    c.teams = divide_up(c.blocks(), c.beside);
    for (int b = 0; b < c.row_blocks; ++b) c.max_groups = std::max(c.max_groups, c.groups_of(b));
    for (const int b : {0, std::min(1, c.column_blocks - 1), c.column_blocks - 1}) {
      const int along = c.last_relaxed_column(b) - c.first_column(b);
      c.chunks = std::max(
          {c.chunks, divide_up(along + band_rows + sweeps + 1, chunk), c.loaded_chunks(b)});
    }
    return c;
  }
};

}  // namespace wavescan::Impl::sor

#endif
