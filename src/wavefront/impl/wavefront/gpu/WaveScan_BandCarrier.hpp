// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_BANDCARRIER_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_BANDCARRIER_HPP

#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/wavefront/gpu/WaveScan_RowMessages.hpp>

#include <cstdint>

/// @file
/// @brief The warp that carries a band's rows to shared memory and back.

namespace wavescan::Impl {

/// @brief Fetches chunks of a band ahead of the warp that computes it, and writes them behind it.
template <class Kernel>
class BandCarrier {
 public:
  using Ring = typename Kernel::Ring;
  using Inbox = typename Kernel::Inbox;

  /// @param inbox  of the band
  /// @param outbox the inbox of the band below: tells how far all of the band's rows are done
  /// @param first  whether the band is the first one, above which the Grid's row is taken
  __device__ BandCarrier(const Kernel& kernel, const gpu::TaskQueue& queue, const Ring& ring,
                         Inbox& inbox, Inbox& outbox, bool first)
      : kernel_(kernel),
        queue_(queue),
        ring_(ring),
        inbox_(inbox),
        outbox_(outbox),
        first_(first) {}

  /// @brief Carries the whole band; false if the launch is stuck.
  __device__ bool run() {
    const int width = kernel_.width();
    const int written = (width + chunk - 1) / chunk;  // chunks; another one may be read
    std::uint32_t last_heartbeat = 0;
    for (int k = 0; k < ahead; ++k) fetch(k);
    for (int k = 0; k < written + skew; ++k) {
      ring_.template wait<ahead - 1>();
      announce(k < written ? (k + 1) * chunk : Inbox::all);
      if (k >= skew) {
        const int end = (k - skew + 1) * chunk;
        if (!wait_for_number(queue_, outbox_.sent, end < width ? end : width)) return false;
        ring_.write();
        gpu::sync_warp();
      }
      fetch(k + ahead);
      queue_.heartbeat(last_heartbeat);
    }
    gpu::wait_for_async_copies<0>();
    return true;
  }

 private:
  static constexpr int chunk = Kernel::chunk;
  /// Chunks after which the last lane is done with one.
  static constexpr int skew = 1 + (Kernel::behind + chunk - 1) / chunk;
  /// Chunks that are fetched ahead.
  static constexpr int ahead = Ring::pitch / chunk - skew;
  static_assert(ahead > 0 && skew * chunk > Kernel::behind + Kernel::steps_at_once,
                "a chunk is written after those that the last lane needs have been announced");

  /// @brief Starts to copy a chunk of the band, and of the row above if that is not computed.
  __device__ void fetch(int k) {
    const int column = k * chunk + gpu::lane();
    if (first_ && gpu::lane() < chunk && column < kernel_.width()) fetch_above(column);
    ring_.fetch();
  }
  __device__ void fetch_above(int column) {
    const auto& problem = kernel_.problem;
    const Index i = problem.range.row_begin - 1, j = kernel_.blocks.origin + column;
    if (j < problem.range.column_begin) return;
    if (i >= 0)
      Kernel::Blocks::fetch_entry(&inbox_.value(column), &problem.grid(i, j));
    else
      inbox_.value(column) = problem.neighbour(i, j);
  }

  __device__ void announce(int columns) {
    if (first_) inbox_.sent.publish(columns);
    inbox_.fetched.publish(columns);
  }

  const Kernel& kernel_;
  const gpu::TaskQueue& queue_;
  Ring ring_;
  Inbox& inbox_;
  Inbox& outbox_;
  bool first_;
};

}  // namespace wavescan::Impl

#endif
