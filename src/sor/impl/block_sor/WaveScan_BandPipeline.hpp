// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_BLOCK_SOR_BANDPIPELINE_HPP
#define WAVESCAN_IMPL_BLOCK_SOR_BANDPIPELINE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/block_sor/WaveScan_BandOrder.hpp>
#include <impl/block_sor/WaveScan_BlockSweeps.hpp>
#include <impl/wavefront/WaveScan_Algorithm.hpp>
#include <impl/wavefront/WaveScan_HostPipeline.hpp>
#include <impl/wavefront/WaveScan_Tiles.hpp>

#include <algorithm>
#include <type_traits>

/// @file
/// @brief Block SOR on any device: bands of rows in a pipeline, which goes on from plane to plane.
///
/// As in a wavefront's pipeline of tiles, teams draw bands and wait before each tile for the same
/// tile of the bands that it needs: that above, and in three dimensions that in front. Both have
/// been drawn before, so the pipeline moves on however few teams are resident.

namespace wavescan::Impl::block_sor {

template <class Team, class Sweep>
struct BandPipelineKernel {
  Sweep sweep;
  BandOrder order;
  TileShape shape;
  Index first_plane;
  Index* ticket;
  Index* progress;  ///< tiles done, for each band

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Index end = order.tickets();
    for (Index drawn = draw_ticket(team, ticket); drawn < end; drawn = draw_ticket(team, ticket))
      if (const auto band = order.of(drawn); band.exists) run(team, band.plane, band.band);
  }

 private:
  KOKKOS_FUNCTION void run(const Team& team, Index k, Index band) const {
    const auto problem = sweep.plane(first_plane + k);
    const Block& range = problem.range;
    SkewedTile tile(problem, team, shape.columns);
    Index* const done = progress + k * order.bands + band;
    Block block;
    block.row_begin = range.row_begin + band * shape.rows;
    block.row_end = Kokkos::min(block.row_begin + shape.rows, range.row_end);
    Index tiles = 0;
    for (Index j = range.column_begin; j < range.column_end; j += shape.columns) {
      block.column_begin = j;
      block.column_end = Kokkos::min(j + shape.columns, range.column_end);
      ++tiles;
      if (team.team_rank() == 0) {
        if (band > 0) wait_until_at_least(done - 1, tiles);
        if (k > 0) wait_until_at_least(done - order.bands, tiles);
      }
      team.team_barrier();
      tile.run(block);
      team.team_barrier();
      if (team.team_rank() == 0) store_release(done, tiles);
    }
  }
};

/// @brief Tiles small enough for all threads of a host to have some: measured with 2 and 16.
template <ExecutionSpace Exec>
TileShape choose_band_tile(const Exec& exec, Index rows, Index columns) {
  if constexpr (!runs_on_host<Exec>) return {32, 128, 32};
  const Index threads = resident_teams(exec, 1);
  if (threads == 1) return {rows, columns, 1};
  return {std::min<Index>(rows, 4),
          std::min(columns, std::max<Index>(ceil_div(columns, 2 * threads), 16)), 1};
}

/// @brief The sweeps of a matrix of blocks.
template <ExecutionSpace Exec, class M>
class BandPipeline {
  using traits = BlockTraits<typename M::value_type>;
  static constexpr int rank = static_cast<int>(M::view_type::rank());

 public:
  using number = typename traits::number;
  using Vector = typename traits::vector;
  using Sweep = BlockSweep<number, traits::size, rank>;

  /// @param c coefficients, whose `center` is the right-hand side's
  BandPipeline(const Exec& exec, const M& c) : coefficients_(c) {
    const auto x = sor::array_of(c.center);
    const auto inner = [](Index extent) { return std::max<Index>(extent - 2, 0); };
    const Index rows = inner(x.rows), columns = inner(x.columns);
    if (rows == 0 || columns == 0) return;
    if constexpr (rank == 3) order_.planes = inner(x.planes);
    shape_ = choose_band_tile(exec, rows, columns);
    order_.bands = ceil_div(rows, shape_.rows);
    allocate(exec, counters_, "WaveScan::block_sor::progress", order_.planes * order_.bands + 1);
  }

  template <bool Backward>
  void sweep(const Exec& exec, const sor::ArrayOf<Vector, rank>& x,
             const sor::ArrayOf<const Vector, rank>& b, number keep) const {
    if (order_.tickets() == 0) return;
    set_all(exec, counters_, 0);
    const auto c = stencil_matrix::checked_matrix<Exec>("block_sor_sweeps", coefficients_);
    const Pipeline pipeline{Sweep::template of<Backward>(c, x, b, keep),
                            order_,
                            shape_,
                            rank == 3 ? 1 : 0,
                            counters_.data(),
                            counters_.data() + 1};
    const Index teams = std::min(order_.tickets(), resident_teams(exec, shape_.team_size));
    constexpr auto label = "WaveScan::block_sor::pipeline";
    if constexpr (runs_on_host<Exec>) {
      constexpr double seconds_of_number = 15e-9;
      const double numbers = traits::size * static_cast<double>(coefficients_.center.size());
      enqueue_workers(exec, label, teams, seconds_of_number * numbers, HostKernel{pipeline});
    } else {
      Kokkos::parallel_for(
          label, Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams), shape_.team_size),
          pipeline);
    }
  }

  void throw_if_stuck() const {}  // waits have no limit

 private:
  using Team = std::conditional_t<runs_on_host<Exec>, SingleThread,
                                  typename Kokkos::TeamPolicy<Exec>::member_type>;
  using Pipeline = BandPipelineKernel<Team, Sweep>;
  struct HostKernel {
    Pipeline pipeline;
    void operator()(const Index) const { pipeline(SingleThread()); }
  };

  M coefficients_;
  BandOrder order_{1, 0};
  TileShape shape_{};
  Kokkos::View<Index*, typename Exec::memory_space> counters_;
};

}  // namespace wavescan::Impl::block_sor

#endif
