// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_BANDINBOX_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_BANDINBOX_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Turns.hpp>

#include <climits>

/// @file
/// @brief What a band of rows needs from others, in shared memory.

namespace wavescan::Impl {

/// @brief A number of columns. Warps that carry rows to and from global memory publish it, too.
using BandFlag = gpu::BlockFlag<gpu::FlagOrder::Program>;

/// @brief The row above a band, a ring of columns, and how far everybody is. Columns are counted
/// from 0 on; numbers only grow.
/// @tparam Columns that there is room for, a power of two
template <class T, int Columns>
struct BandInbox {
  static constexpr int room = Columns;
  static constexpr int all = INT_MAX;  ///< however many columns there are

  alignas(16) unsigned char values[Columns * sizeof(T)];
  BandFlag sent;     ///< columns of the row above that are here
  BandFlag taken;    ///< columns of it that are no longer needed
  BandFlag fetched;  ///< columns of the band's rows that are in shared memory

  __device__ __forceinline__ T& value(int column) {
    return reinterpret_cast<T*>(values)[column & (Columns - 1)];
  }

  /// @param wanted whether anybody takes what is sent
  __device__ void clear(bool wanted) {
    sent.clear();
    fetched.clear();
    taken.clear(wanted ? 0 : all);
  }
};

/// @brief Waits until a number of an inbox is at least `needed`. False if the launch is stuck.
__device__ inline bool wait_for_number(const Turns& turns, const BandFlag& number, int needed) {
  const auto reached = [&] { return !gpu::any(number.look() < needed); };
  if (!turns.wait(reached, Nap::Short)) return false;
  gpu::sync_warp();
  number.rely_on(needed);
  return true;
}

}  // namespace wavescan::Impl

#endif
