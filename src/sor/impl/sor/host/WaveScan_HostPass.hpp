// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_HOST_HOSTPASS_HPP
#define WAVESCAN_IMPL_SOR_HOST_HOSTPASS_HPP

#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/host/WaveScan_TaskOrder.hpp>

#include <array>
#include <limits>

namespace wavescan::Impl::sor {

/// @brief The most sweeps of a pass. More would not fit into the first cache where coefficients
/// come with every point.
template <class Problem>
inline constexpr int max_depth_on_host =
    (FieldsOfStencil<decltype(Problem::coefficients)> ? 4 : 8) / lag_of<CoefficientsOf<Problem>>;

/// @brief The decomposition of a grid into the tasks of host threads: bands of as many rows as a
/// register has lanes, and blocks of as many steps.
struct HostDecomposition {
  Index bands;
  Index blocks;  ///< of a band

  HostDecomposition(Index rows, Index columns, int lanes, int stages, int lag = 1)
      : bands(ceil_div(rows + stages, lanes)),
        blocks(ceil_div(columns + lag * (lanes + stages + 1), lanes)) {}
};

/// @brief The place of a band.
struct HostPlace {
  Index rows;     ///< of unknowns
  Index columns;  ///< of unknowns
  Index first;    ///< row of the old values in lane 0

  bool row_inside(Index i) const { return i >= 1 && i <= rows; }
  bool columns_inside(Index from, Index to) const { return from >= 1 && to <= columns; }
};

/// @brief Tells what leaves a band for the one below: in each sweep s of a pass, row `row` - s, in
/// the order of the sweep. These values, and the old ones from the next row on, are all that the
/// rows below depend on. Where a grid is computed in several parts that overlap, they tell whether
/// two parts agree.
template <class V>
struct HostTap {
  Index row = 0;        ///< a multiple of the lanes of a register; 0 for no tap
  V* values = nullptr;  ///< of the unknown columns, sweep by sweep
};
/// @brief Tells how far the bands of a pass are before a step at which they are divided: all that
/// the part to the right depends on, besides old values and the band above.
template <class V>
struct HostPartition {
  Index step = 0;       ///< a multiple of the lanes of a register; 0 for no partition
  V* values = nullptr;  ///< of each band, values_of_band(lanes, sweeps)

  static Index values_of_band(Index lanes, Index sweeps) { return 2 * lanes * sweeps; }
};
/// @brief The bands of a pass that are relaxed, and what enters and leaves them.
template <class V>
struct HostPart {
  std::array<HostTap<V>, 2> leaving;
  std::array<HostPartition<V>, 2> partitions;
  HostTap<V> entering;                            ///< into the first band: what left the one above
  HostPartition<V> entering_partition;            ///< into all bands, which begin there
  Index end = std::numeric_limits<Index>::max();  ///< the row above the first band left out

  /// @brief Whether all bands are relaxed, and nobody is told.
  bool is_whole() const {
    return leaving[0].row == 0 && leaving[1].row == 0 && partitions[0].step == 0 &&
           partitions[1].step == 0 && entering.row == 0 && entering_partition.step == 0 &&
           end == std::numeric_limits<Index>::max();
  }
};

/// @brief Some passes of several sweeps over a grid whose columns lie next to each other, forwards
/// or backwards, in memory: what all bands share.
template <class Problem>
struct HostPasses : HostTaskOrder {
  using V = typename Problem::value_type;

  Problem problem;
  Grid<V> from;    ///< what the first pass reads: x, or another array with the same halo
  bool from_zero;  ///< of which the unknowns are taken for zero
  HostDecomposition decomp;
  V* edges;             ///< the last rows of bands, for each of two passes; see HostBand
  Index edges_of_pass;  ///< entries
  Criterion criterion;  ///< of a pass that measures, which is the only one
  ResidualSum* sums;    ///< that bands measure
  HostPart<V> part;
  Index first_band;  ///< the bands that are relaxed are numbered from this one on

  /// Two passes share the workspace in turn: a pass starts when the one before the last has ended.
  V* edges_for(Index pass) const { return edges + pass % 2 * edges_of_pass; }
};

}  // namespace wavescan::Impl::sor

#endif
