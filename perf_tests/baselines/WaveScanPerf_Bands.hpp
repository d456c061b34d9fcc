// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_BANDS_HPP
#define WAVESCAN_PERF_BANDS_HPP

#include <WaveScan_Concepts.hpp>
#include <algorithm>
#include <baselines/WaveScanPerf_Window.hpp>
#include <cstddef>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Spin.hpp>

/// @file
/// @brief Peer-to-peer synchronisation of tiles as in PeerWave: a team draws a band of tiles by
/// ticket and computes them from left to right, each as soon as the tiles above it are done.
///
/// Source: M. Belviranli et al., "PeerWave: Exploiting Wavefront Parallelism on GPUs with Peer-SM
/// Synchronization", ICS 2015, as Hou et al. (section V-B) describe it.

namespace wavescan::Perf {

/// @brief Rows and columns of a tile.
struct TileSize {
  Index rows, columns;
};

/// @brief One thread for each row of a tile, where threads are many.
template <ExecutionSpace Exec>
int team_size_for(const TileSize& size) {
  return Impl::runs_on_host<Exec> ? 1 : static_cast<int>(size.rows);
}

/// @tparam Tile runs tile t of a band by `run(band, t)`, and says how many there are (`bands()`,
/// `tiles()`) and how many more of the band above must be done than itself follow from the left
/// (`lag()`)
template <class Exec, class Shape, template <class, class> class Tile>
struct BandsKernel {
  using team_type = typename Kokkos::TeamPolicy<Exec>::member_type;

  Shape shape;
  Index* ticket;    ///< the next band to be drawn
  Index* progress;  ///< tiles done, for each band

  KOKKOS_FUNCTION void operator()(const team_type& team) const {
    Tile<Shape, team_type> tile(shape, team);
    for (Index band = Impl::draw_ticket(team, ticket); band < shape.bands();
         band = Impl::draw_ticket(team, ticket))
      run_band(team, tile, band);
  }

 private:
  template <class T>
  KOKKOS_FUNCTION void run_band(const team_type& team, T& tile, Index band) const {
    const Index tiles = shape.tiles();
    for (Index t = 0; t < tiles; ++t) {
      const Index needed = t + 1 + shape.lag();
      if (band > 0 && team.team_rank() == 0)
        Impl::wait_until_at_least(progress + band - 1, needed < tiles ? needed : tiles);
      team.team_barrier();
      tile.run(band, t);
      team.team_barrier();
      if (team.team_rank() == 0) Impl::store_release(progress + band, t + 1);
    }
  }
};

/// @brief The counters of a pipeline, and its launch.
template <ExecutionSpace Exec>
class Bands {
 public:
  Bands(const Exec& exec, Index bands)
      : counters_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "bands"),
                  static_cast<std::size_t>(bands + 1)) {}

  template <template <class, class> class Tile, class Shape>
  void run(const Exec& exec, const char* name, const Shape& shape) const {
    Kokkos::deep_copy(exec, counters_, Index(0));
    const int team_size = team_size_for<Exec>(shape.size);
    const Index teams = std::min(shape.bands(), Impl::resident_teams(exec, team_size));
    Kokkos::parallel_for(
        name,
        Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams), team_size)
            .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(shape.scratch_bytes()))),
        BandsKernel<Exec, Shape, Tile>{shape, counters_.data(), counters_.data() + 1});
  }

 private:
  Kokkos::View<Index*, typename Exec::memory_space> counters_;
};

/// @brief Scratch memory for a number of values, of a tile's whole life.
template <class T, class Team>
KOKKOS_FUNCTION T* scratch_for(const Team& team, Index count) {
  return static_cast<T*>(team.team_scratch(0).get_shmem_aligned(
      static_cast<std::ptrdiff_t>(count) * static_cast<std::ptrdiff_t>(sizeof(T)), alignof(T)));
}

}  // namespace wavescan::Perf

#endif
