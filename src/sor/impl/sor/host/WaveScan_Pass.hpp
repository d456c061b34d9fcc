// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_HOST_PASS_HPP
#define WAVESCAN_IMPL_SOR_HOST_PASS_HPP

#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_Problem.hpp>

#include <algorithm>

namespace wavescan::Impl::sor {

/// @brief How a grid is divided into the tasks of host threads: bands of as many rows as a register
/// has lanes, and blocks of as many steps.
struct HostDecomposition {
  Index bands;
  Index blocks;  ///< of a band

  HostDecomposition(Index rows, Index columns, int lanes, int stages)
      : bands(ceil_div(rows + stages, lanes)),
        blocks(ceil_div(columns + lanes + stages + 1, lanes)) {}
};

/// @brief Where a band lies.
struct HostPlace {
  Index rows;     ///< of unknowns
  Index columns;  ///< of unknowns
  Index first;    ///< row of the old values in lane 0

  bool row_inside(Index i) const { return i >= 1 && i <= rows; }
  bool columns_inside(Index from, Index to) const { return from >= 1 && to <= columns; }
};

/// @brief How far a band is, on a cache line of its own.
struct alignas(64) HostProgress {
  Index blocks = 0;  ///< done, in all passes
};

/// @brief Some passes of several sweeps over a grid whose columns lie next to each other, forwards
/// or backwards, in memory: what all bands share.
template <class Problem>
struct HostPasses {
  using V = typename Problem::value_type;

  Problem problem;
  Grid<V> from;  ///< what the first pass reads: x, or another array with the same halo
  HostDecomposition decomp;
  Index passes;
  Index batch;          ///< blocks that are handed on together
  V* edges;             ///< the last rows of bands, for each of two passes; see HostBand
  Index edges_of_pass;  ///< entries
  HostProgress* progress;
  Index* ticket;
  Criterion criterion;  ///< of a pass that measures, which is the only one
  ResidualSum* sums;    ///< that bands measure

  /// @brief Calls run(*this, pass, band) for the bands of all passes that this thread draws.
  ///
  /// Whatever a band waits for is the matter of an earlier ticket, so that waiting ends however few
  /// threads there are.
  template <class Run>
  void work(const Run& run) const {
    const auto draw = [this] { return Kokkos::atomic_fetch_add(ticket, Index(1)); };
    for (Index t = draw(); t < passes * decomp.bands; t = draw())
      run(*this, t / decomp.bands, t % decomp.bands);
  }

  /// Two passes share the workspace in turn: a pass starts when the one before the last has ended.
  V* edges_for(Index pass) const { return edges + pass % 2 * edges_of_pass; }
  Index* progress_of(Index pass, Index band) const {
    return &progress[pass % 2 * decomp.bands + band].blocks;
  }

  /// @brief Waits until `blocks` blocks of a band, or all if it has less, are done.
  /// @param known what was seen of its progress, zero at first. Only if that is too little it is
  ///        looked at again: each look takes its cache line from the thread that stores it.
  void wait_for(Index pass, Index band, Index blocks, Index& known) const {
    const Index target = pass * decomp.blocks + std::min(blocks, decomp.blocks);
    if (pass < 0 || band < 0 || known >= target) return;
    known = wait_until_at_least(progress_of(pass, band), target);
  }
  /// @brief Tells others that so many blocks are done, if these are enough to tell.
  void publish(Index pass, Index band, Index blocks) const {
    if (blocks % batch == 0 || blocks == decomp.blocks)
      store_release(progress_of(pass, band), pass * decomp.blocks + blocks);
  }
};

}  // namespace wavescan::Impl::sor

#endif
