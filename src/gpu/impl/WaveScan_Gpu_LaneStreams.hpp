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
///
/// Where words come into the block's own shared memory, from blocks of its cluster, looks are
/// short, and the warp that needs the values receives them itself (OwnValues).

namespace wavescan::Impl::gpu {

/// @brief Receives until `end`. Called by all lanes of a warp.
///
/// A lane's stream has a position, that of its next value; the flag gets the number, in steps of
/// `Unit`, that all lanes' positions have reached. What others wait for is done first. (More looks
/// on their way at a time, for one value or several, make all of them take longer.)
///
/// @param stream with position(), that of its next value; wanted(), whether there is one; place()
///               and tag(), where and how it comes; take_if(came, value); advance_if(done), to the
///               next value; and turn(), which does what that leaves to be done
template <class V, class Stream, FlagOrder Order, int Unit>
__device__ void receive_by_lanes(Stream& stream, int end, BlockFlag<Order, Unit>& flag,
                                 const Watchdog& watchdog) {
  StallTimer timer(watchdog);
  int published = 0;
  while (published < end) {
    typename Tagged<V>::Found found;
    const bool wanted = stream.wanted();
    found.load_if(wanted, stream.place());
    const bool came = found.has_tag(stream.tag());
    stream.take_if(wanted && came, found.value());
    stream.advance_if(came || !wanted);
    if (all(stream.position() >= published + Unit)) {
      sync_warp();
      do flag.publish(published += Unit);
      while (published < end && all(stream.position() >= published + Unit));
      timer.restart();
    } else if (any(timer.expires_after_look())) {
      flag.publish(end);
      return;
    }
    stream.turn();
  }
}

/// @brief Values that a warp receives for itself, a lane one at a time, between other work.
/// @tparam Stream see receive_by_lanes; it has a place, too, where nothing is wanted
template <class V, class Stream, class Access>
class OwnValues {
 public:
  __device__ explicit OwnValues(const Stream& stream) : stream_(stream) { look(); }

  __device__ void look() {
    wanted_ = stream_.wanted();
    found_.load_if(true, stream_.place(), Access());
  }
  __device__ bool has_come() const {
    const bool is_there = found_.has_tag(stream_.tag());
    return !wanted_ || is_there;
  }
  /// @brief Takes the value that has come, and goes on to the next one.
  __device__ void take() {
    stream_.take_if(wanted_, found_.value());
    stream_.advance_if(true);
    stream_.turn();
  }

 private:
  Stream stream_;
  typename Tagged<V>::Found found_;
  bool wanted_ = false;
};

/// @brief Waits, unless what has been seen suffices, for a flag and for a value of each lane, which
/// all of them take; for waits of less than a microsecond.
template <FlagOrder Order, int Unit, class V, class Stream, class Access>
__device__ void wait_for_both(const BlockFlag<Order, Unit>& flag, int value, int& seen,
                              OwnValues<V, Stream, Access>& values) {
  bool has_come = values.has_come();
  for (LookLimit looks; !all(has_come && seen - value >= 0); looks.count()) {
    seen = flag.look();
    values.look();
    has_come = values.has_come();
  }
  sync_warp();
  flag.rely_on(value);
  values.take();
  sync_warp();
}

}  // namespace wavescan::Impl::gpu

#endif
