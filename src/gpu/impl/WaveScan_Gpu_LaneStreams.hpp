// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_LANESTREAMS_HPP
#define WAVESCAN_IMPL_GPU_LANESTREAMS_HPP

#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>

/// @file
/// @brief Tagged values from other blocks that a warp receives for other warps of its block: each
/// lane takes values of its own, in their order, and does not wait for the other lanes.
///
/// Why the memory order suffices: a value comes with its tag, as in a Mailbox; to the warps of the
/// block it is handed on by a flag.
///
/// Why waits end: blocks are all resident, and what is waited for is sent without waiting for what
/// comes after it; where nothing comes, the watchdog ends the wait, and the flag says that all has.

namespace wavescan::Impl::gpu {

/// @brief Receives until `end`. Called by all lanes of a warp.
///
/// A lane's stream has a position, that of its next value, which `advance` moves on; the flag gets
/// the number, in steps of `Unit`, that all lanes' positions have reached.
///
/// @param stream  with, for the values i = 0, ..., Ahead - 1 from the position on:
///                wanted(i), whether there is one; place(i) and tag(i), where and how it comes;
///                take(i, value); and advance(count), position()
template <class V, int Ahead, class Stream, FlagOrder Order, int Unit>
__device__ void receive_by_lanes(Stream& stream, int end, BlockFlag<Order, Unit>& flag,
                                 const Watchdog& watchdog) {
  StallTimer timer(watchdog);
  int published = 0;
  while (published < end) {
    typename Tagged<V>::Found found[Ahead];
#pragma unroll
    for (int i = 0; i < Ahead; ++i) found[i].load_if(stream.wanted(i), stream.place(i));
    int count = 0;
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      const bool wanted = stream.wanted(i);
      if (count < i || (wanted && !found[i].has_tag(stream.tag(i)))) continue;
      if (wanted) stream.take(i, found[i].value());
      ++count;
    }
    stream.advance(count);
    const int lowest = lowest_of_warp(stream.position());
    const int reached = lowest < end ? lowest / Unit * Unit : end;
    if (reached > published) {
      sync_warp();
      flag.publish(published = reached);
      timer.restart();
    } else if (any(timer.expires_after_look())) {
      flag.publish(end);
      return;
    }
  }
}

}  // namespace wavescan::Impl::gpu

#endif
