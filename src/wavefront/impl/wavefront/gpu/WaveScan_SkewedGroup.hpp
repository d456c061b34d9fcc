// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_SKEWEDGROUP_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_SKEWEDGROUP_HPP

#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/wavefront/gpu/WaveScan_BandCarrier.hpp>
#include <impl/wavefront/gpu/WaveScan_RowMessages.hpp>
#include <impl/wavefront/gpu/WaveScan_SkewedBand.hpp>

#include <cstddef>

/// @file
/// @brief The bands that a block computes at the same time, and which warp does what.

namespace wavescan::Impl {

/// @brief A block's part in a group of bands: its memory, and what its warps do.
template <class Kernel>
class SkewedGroup {
 public:
  using Ring = typename Kernel::Ring;
  using Inbox = typename Kernel::Inbox;

  /// @param memory of the block
  __device__ SkewedGroup(const Kernel& kernel, const gpu::TaskQueue& queue, unsigned char* memory,
                         int group)
      : kernel_(kernel), queue_(queue), memory_(memory), group_(group) {}

  /// @brief Clears the inboxes, one for each of the first threads.
  __device__ void clear() const {
    const int place = static_cast<int>(threadIdx.x);
    if (place <= Kernel::bands_at_once()) inbox(place).clear(exists(place));
  }

  /// @brief Does the warp's work; false if the launch is stuck.
  __device__ bool run() const {
    const int many = Kernel::bands_at_once(), warp = gpu::warp(), place = warp % many;
    if (warp == 2 * many)
      return group_ == 0 ||
             receive_row<value_type>(queue_, inbox(0), kernel_.sent(queue_, group_ - 1));
    if (warp > 2 * many)
      return !exists(many) ||
             send_row<value_type>(queue_, inbox(many), kernel_.sent(queue_, group_));
    if (!exists(place)) return true;
    if (warp < many)
      return SkewedBand<Kernel>(kernel_, queue_, band(place), ring(place), inputs(place),
                                inbox(place), inbox(place + 1))
          .run();
    return BandCarrier<Kernel>(kernel_, queue_, ring(place), inbox(place), inbox(place + 1),
                               band(place) == 0)
        .run();
  }

 private:
  using value_type = typename Kernel::value_type;
  using Inputs = typename Kernel::Inputs;

  __device__ int band(int place) const { return group_ * Kernel::bands_at_once() + place; }
  __device__ bool exists(int place) const { return band(place) < kernel_.bands; }
  __device__ unsigned char* band_memory(int place) const {
    return memory_ + static_cast<std::size_t>(place) * Kernel::band_bytes(Inputs::fetched());
  }
  __device__ Inbox& inbox(int place) const {
    return reinterpret_cast<Inbox*>(band_memory(Kernel::bands_at_once()))[place];
  }
  __device__ Ring ring(int place) const {
    const auto& problem = kernel_.problem;
    const Index first = kernel_.first_row(band(place)), end = problem.range.row_end;
    // Old values may be read of the range, and of the row below it.
    const Index read = end + (end < problem.grid.rows ? 1 : 0);
    return {kernel_.blocks, band_memory(place), first,
            Kernel::rows_from(first, end, Kernel::band_rows),
            Kernel::rows_from(first, read, Kernel::band_rows + 1)};
  }
  __device__ Inputs inputs(int place) const {
    const Index first = kernel_.first_row(band(place));
    return {kernel_.inputs,
            band_memory(place) + Ring::bytes,
            first,
            Kernel::rows_from(first, kernel_.problem.range.row_end, Kernel::band_rows),
            kernel_.blocks.origin,
            kernel_.blocks.lead,
            kernel_.width()};
  }

  const Kernel& kernel_;
  const gpu::TaskQueue& queue_;
  unsigned char* memory_;
  int group_;
};

}  // namespace wavescan::Impl

#endif
