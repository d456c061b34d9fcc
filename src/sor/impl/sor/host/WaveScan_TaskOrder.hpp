// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_HOST_TASKORDER_HPP
#define WAVESCAN_IMPL_SOR_HOST_TASKORDER_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Spin.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace wavescan::Impl::sor {

/// @brief The progress of a band, on a cache line of its own.
struct alignas(64) HostProgress {
  Index blocks = 0;  ///< done, in all passes
};

/// @brief The tasks of host threads, and how they wait for each other: passes, each of them bands,
/// each of them blocks that are done in their order.
struct HostTaskOrder {
  Index passes;
  Index bands;
  Index blocks;            ///< of a band
  Index batch;             ///< blocks that are handed on together
  HostProgress* progress;  ///< of the bands of two passes, which share it in turn
  Index* ticket;
  Index workers = 1;  ///< that draw, if each has bands of its own

  /// @brief Calls run(pass, band) for the bands of all passes that this thread draws.
  ///
  /// Whatever a band waits for is the matter of an earlier ticket, so that waiting ends however few
  /// threads there are.
  ///
  /// Where there are several workers, each tries to draw the same bands in all calls, which then
  /// are in its cache: it lets the others draw first, for some microseconds.
  template <class Run>
  void work(const Run& run, Index worker = 0) const {
    const auto draw = [&] {
      if (workers > 1) await_turn(worker);
      return Kokkos::atomic_fetch_add(ticket, Index(1));
    };
    for (Index t = draw(); t < passes * bands; t = draw()) run(t / bands, t % bands);
  }

  /// @brief Joins all bands and blocks into one, for one worker that does the work of all: going
  /// along whole rows takes it a third of the time that it takes to go from block to block. Does so
  /// only where each worker has bands of its own, as these may have any size.
  void join_for_one_worker() {
    if (workers > 1) workers = bands = blocks = 1;
  }

  /// @brief Waits until so many blocks of a band, or all if it has less, are done.
  /// @param known what was seen of its progress, zero at first. Only if that is too little it is
  ///        looked at again: each look takes its cache line from the thread that stores it.
  void wait_for(Index pass, Index band, Index count, Index& known) const {
    const Index target = pass * blocks + std::min(count, blocks);
    if (pass < 0 || band < 0 || known >= target) return;
    known = await(progress_of(pass, band), target);
  }
  /// @brief Tells others that so many blocks are done, if these are enough to tell.
  void publish(Index pass, Index band, Index count) const {
    if (count % batch == 0 || count == blocks)
      store_release(progress_of(pass, band), pass * blocks + count);
  }

 private:
  WAVESCAN_NOT_INLINED static Index await(const Index* flag, Index target) {
    return wait_until_at_least(flag, target);
  }
  /// Bands in another core's cache take half as long again, in this call and the next one. But a
  /// thread that has no processor may not come for milliseconds.
  void await_turn(Index worker) const {
    constexpr int patience = 64;
    for (int tries = 0; tries < patience; ++tries) {
      const Index next = load_acquire(ticket);
      if (next >= passes * bands || next % bands % workers == worker) return;
      pause();
    }
  }
  Index* progress_of(Index pass, Index band) const {
    return &progress[pass % 2 * bands + band].blocks;
  }
};

}  // namespace wavescan::Impl::sor

#endif
