// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_RING_HPP
#define WAVESCAN_IMPL_SOR_GPU_RING_HPP

#include <impl/WaveScan_SOR_Gpu_Pass.hpp>
#include <impl/WaveScan_SOR_Gpu_Shared.hpp>

#include <cstdint>

/// @file
/// @brief How a warp hands the last row of its band to the warp below.

namespace wavescan::Impl {

/// @brief One side of a ring of rows, which travel in portions of a stride's steps.
///
/// Each portion has a barrier that says it is full and one that says it is free again. To arrive
/// at a barrier releases what was done before, and to wait acquires it: neither needs a fence.
template <class Shape>
class SORRing {
 public:
  /// @param band the one below the row
  __device__ SORRing(const SORShared<Shape>& shared, int band)
      : rows_(shared.ring(band)),
        full_(shared.row_full + band * Shape::portions),
        free_(shared.row_free + band * Shape::portions) {}

  /// @brief Where the row of step t of this ticket lies.
  __device__ std::uint32_t place(int t) const {
    return rows_ +
           (step(t) % Shape::ring) * static_cast<std::uint32_t>(sizeof(typename Shape::LastRow));
  }
  /// @brief Waits for the portion with step t.
  __device__ void wait_until_full(int t) const { wait_together(full_ + portion(t), round(t) & 1); }
  __device__ void wait_until_free(int t) const { wait_together(free_ + portion(t), ~round(t) & 1); }
  __device__ bool is_full(int t) const { return passed(full_ + portion(t), round(t) & 1); }
  __device__ bool is_free(int t) const { return passed(free_ + portion(t), ~round(t) & 1); }
  /// @brief By the thread that wrote it, or after the warp's lanes have met.
  __device__ void fill_if(bool wanted, int t) const { arrive_if(wanted, full_ + portion(t)); }
  __device__ void free_if(bool wanted, int t) const { arrive_if(wanted, free_ + portion(t)); }

  /// @brief Goes on to the next ticket.
  __device__ void advance(int steps) { begin_ += static_cast<unsigned>(steps); }

 private:
  __device__ unsigned step(int t) const { return begin_ + static_cast<unsigned>(t); }
  __device__ unsigned portion(int t) const { return step(t) / Shape::stride % Shape::portions; }
  __device__ unsigned round(int t) const { return step(t) / Shape::ring; }

  std::uint32_t rows_;  ///< address
  gpu::Barrier* full_;
  gpu::Barrier* free_;
  unsigned begin_ = 0;  ///< steps of all tickets before
};

}  // namespace wavescan::Impl

#endif
