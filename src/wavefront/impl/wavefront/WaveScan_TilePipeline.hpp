// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_TILEPIPELINE_HPP
#define WAVESCAN_IMPL_WAVEFRONT_TILEPIPELINE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/wavefront/WaveScan_Algorithm.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

/// @file
/// @brief Schedule TilePipeline: persistent teams move tiles down the array, waiting on flags.
///
/// The array is divided into bands of rows, and a band into tiles. A team draws a band by ticket
/// and computes its tiles from left to right, each as soon as the tile above it is done (Hou et
/// al., section V-B, peer-to-peer synchronisation). Bands are drawn from the top, so the band above
/// has always started, and the pipeline moves on however few teams are resident. Tiles may be
/// sheared, for entries that need their upper right neighbour: then they end further left in the
/// band's last row than in the first row of the band below, which waits for as many tiles more.

namespace wavescan::Impl {

/// @tparam Tile CompensatedTile or SkewedTile of the problem and of such teams
template <class Team, class Tile>
struct PipelineKernel {
  using tile_type = Tile;

  typename Tile::problem_type problem;
  TileShape shape;
  Index bands;
  Index* ticket;    ///< the next band to be drawn
  Index* progress;  ///< tiles done, for each band

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    tile_type tile(problem, team, shape.columns);
    for (Index band = draw_ticket(team, ticket); band < bands; band = draw_ticket(team, ticket))
      run_band(team, tile, band);
  }

 private:
  KOKKOS_FUNCTION void run_band(const Team& team, tile_type& tile, Index band) const {
    const Block& range = problem.range;
    Block block;
    block.row_begin = range.row_begin + band * shape.rows;
    block.row_end = min(block.row_begin + shape.rows, range.row_end);
    // Sheared tiles end further left in lower rows; the last one has what is left of all.
    const Index end = range.column_end + (block.rows() - 1) * tile_type::shear;
    const Index all =
        ceil_div(range.columns() + (shape.rows - 1) * tile_type::shear, shape.columns);
    const Index ahead = ceil_div(shape.rows * tile_type::shear, shape.columns);
    Index done = 0;
    for (Index j = range.column_begin; j < end; j += shape.columns) {
      block.column_begin = j;
      block.column_end = min(j + shape.columns, end);
      if (band > 0 && team.team_rank() == 0)
        wait_until_at_least(progress + band - 1, min(done + 1 + ahead, all));
      team.team_barrier();
      tile.run(block);
      team.team_barrier();
      ++done;
      if (team.team_rank() == 0) store_release(progress + band, done);
    }
  }

  KOKKOS_FUNCTION static Index min(Index a, Index b) { return a < b ? a : b; }
};

/// @brief The workspace of schedule TilePipeline for arrays of one size.
/// @tparam Tile CompensatedTile or SkewedTile
template <ExecutionSpace Exec, class Problem, template <class, class> class Tile>
class TilePipeline {
 public:
  using team_type = typename Kokkos::TeamPolicy<Exec>::member_type;
  using kernel_type = PipelineKernel<team_type, Tile<Problem, team_type>>;

  /// @throws std::invalid_argument if no team can keep a row of such a tile in its scratch memory
  TilePipeline(const Exec& exec, const AlgorithmOptions& options)
      : shape_(options.tile),
        scratch_(checked_scratch(options.tile)),
        bands_(ceil_div(options.range.rows(), shape_.rows)) {
    allocate(exec, counters_, "WaveScan::wavefront::progress", bands_ + 1);
  }

  /// @brief Enqueues the loop on `exec`.
  void run(const Exec& exec, const Problem& problem) const {
    set_all(exec, counters_, 0);
    const kernel_type kernel{problem, shape_, bands_, counters_.data(), counters_.data() + 1};
    const Index teams = std::min(bands_, resident_teams(exec, shape_.team_size));
    Kokkos::parallel_for("WaveScan::wavefront::tile_pipeline",
                         Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams), shape_.team_size)
                             .set_scratch_size(0, Kokkos::PerTeam(scratch_)),
                         kernel);
  }

  void throw_if_stuck() const {}  // waits have no limit

 private:
  /// Kokkos, which counts the bytes by int, refuses more than the device has.
  static std::size_t checked_scratch(const TileShape& shape) {
    const std::size_t bytes = kernel_type::tile_type::scratch_bytes(shape.team_size, shape.columns);
    require(bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max()), "wavefront",
            "tile_columns", "must leave a row within a team's scratch memory", shape.columns);
    return bytes;
  }

  TileShape shape_;
  std::size_t scratch_;  ///< bytes a team
  Index bands_;
  Kokkos::View<Index*, typename Exec::memory_space> counters_;
};

}  // namespace wavescan::Impl

#endif
