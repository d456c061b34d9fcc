// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_HOST_PANELPASS_HPP
#define WAVESCAN_IMPL_SOR3D_HOST_PANELPASS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/sor/WaveScan_Box.hpp>
#include <impl/sor/host/WaveScan_TaskOrder.hpp>
#include <impl/sor3d/host/WaveScan_PanelRows.hpp>

#include <algorithm>

namespace wavescan::Impl::sor3d {

/// @brief The decomposition of a pass of some sweeps into the tasks of host threads.
///
/// Sweep s (from 0) reaches row i of plane k (both from 0) at the time i + k + 2 s: all that a row
/// needs, of this sweep and the one before, is relaxed earlier, so that rows with the same time
/// do not depend on each other, and as a sweep's values are overwritten only after they were read,
/// one array suffices. A panel is a range of times. Within a panel, step t takes `layers` planes of
/// each sweep, those of the next sweep behind those of the one before: `layers (t - s) + q`; and
/// for each time the rows of these planes, `stages` of them, at once. What a step needs are the
/// steps up to its own of this panel and of the one before.
///
/// So a panel walks through the planes with what it works on in a cache, and panels follow each
/// other one step apart.
struct PanelDecomposition {
  Index planes;   ///< of unknowns
  Index rows;     ///< of unknowns
  Index columns;  ///< of unknowns
  Index sweeps;
  Index layers;
  Index height;  ///< times of a panel

  Index stages() const { return sweeps * layers; }
  Index panels() const { return (rows + planes + 2 * sweeps - 4) / height + 1; }
  Index steps() const { return ceil_div(planes, layers) + sweeps - 1; }
  /// @brief The last panel of a pass that one of the next pass needs.
  Index panel_below(Index panel) const {
    return std::min(((panel + 1) * height + 2 * sweeps - 2) / height, panels() - 1);
  }

  struct Stage {
    Index sweep;
    Index plane;  ///< may lie outside
    Index time;   ///< of the plane's first row
  };
  Stage stage(Index step, Index number) const {
    const Index sweep = number / layers;
    const Index plane = layers * (step - sweep) + number % layers;
    return {sweep, plane, plane + 2 * sweep};
  }
  bool has_plane(const Stage& stage) const { return stage.plane >= 0 && stage.plane < planes; }
};

/// @brief Some passes of several sweeps: what all panels share.
template <class P>
struct PanelPasses : sor::HostTaskOrder {
  using T = typename P::value_type;
  static constexpr Index most_lanes = 16;

  HostRowKind<P> kind;
  HostRowKernel<P> kernel;
  Index lanes;  ///< rows that the kernel takes
  Box<T> from;  ///< what the first pass reads: x, or another array with the same halo
  PanelDecomposition decomp;
  T* nowhere;   ///< a row for each worker, to write to where there is none
  Index a_row;  ///< entries of each of them

  /// @brief Does a panel.
  void run(Index pass, Index panel, Index worker) const {
    T* const elsewhere = nowhere + worker * a_row + (from.column_stride < 0 ? a_row - 1 : 0);
    Index known_before = 0, known_above = 0, known_below = 0;
    const Index below = decomp.panel_below(panel);
    // The counters of two passes ago are used again.
    if (panel == 0) wait_for(pass - 2, bands - 1, blocks, known_before);
    for (Index step = 0; step < blocks; ++step) {
      Index first = (panel + 1) * decomp.height, last = panel * decomp.height - 1;
      for (Index n = 0; n < decomp.stages(); ++n) {
        const auto stage = decomp.stage(step, n);
        if (!decomp.has_plane(stage)) continue;
        first = std::min(first, stage.time);
        last = std::max(last, stage.time + decomp.rows - 1);
      }
      first = std::max(first, panel * decomp.height);
      last = std::min(last, (panel + 1) * decomp.height - 1);
      if (first > last) continue;
      wait_for(pass, panel - 1, step + 1, known_above);
      wait_for(pass - 1, below, step + decomp.sweeps + 1, known_below);
      for (Index time = first; time <= last; ++time) relax_rows(pass, step, time, elsewhere);
      if (step + 1 < blocks) publish(pass, panel, step + 1);
    }
    wait_for(pass, panel - 1, blocks, known_above);
    publish(pass, panel, blocks);
  }

 private:
  /// @brief The rows of a time, as many at once as the kernel takes. In the place of those that are
  /// outside, it does another one once more, for nothing.
  void relax_rows(Index pass, Index step, Index time, T* elsewhere) const {
    HostRow<P> rows[most_lanes];
    for (Index n = 0; n < decomp.stages(); n += lanes) {
      Index missing = 0, one = -1;
      for (Index l = 0; l < lanes; ++l) {
        const auto stage = decomp.stage(step, n + l);
        const Index i = time - stage.time;
        rows[l].to = nullptr;
        if (decomp.has_plane(stage) && i >= 0 && i < decomp.rows) {
          rows[l] = kind.row(pass == 0 && stage.sweep == 0 ? from : kind.problem.x, stage.plane + 1,
                             i + 1);
          one = l;
        } else {
          ++missing;
        }
      }
      if (one < 0) continue;
      for (Index l = 0; missing > 0 && l < lanes; ++l)
        if (rows[l].to == nullptr) {
          rows[l] = rows[one];
          rows[l].to = elsewhere;
          rows[l].step = from.column_stride < 0 ? -1 : 1;  // whatever that of x
        }
      kernel(kind, rows, decomp.columns);
    }
  }
};

}  // namespace wavescan::Impl::sor3d

#endif
