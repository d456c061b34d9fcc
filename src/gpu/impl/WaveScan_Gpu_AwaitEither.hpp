// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_AWAITEITHER_HPP
#define WAVESCAN_IMPL_GPU_AWAITEITHER_HPP

#include <impl/WaveScan_Spin.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief A thread with two kinds of work, each of which has to wait for somebody.
///
/// Why it makes progress: each work is asked again and again, does what can be done now and comes
/// back, so that neither waits for the other. Another block may therefore need the first work for
/// what the second waits for, and the other way round: as long as the earliest item of all work, of
/// all blocks, waits for nobody, something is done in each round. A work may wait by itself only
/// while the other has nothing to do.
///
/// Memory is ordered by what the two look at; nothing is concluded here.

namespace wavescan::Impl::gpu {

/// @brief Does two kinds of work until there is no more. Where several threads call it together,
/// all functions answer the same to each of them.
/// @param more  whether something is left to be done
/// @param first does an item if it can, and says whether it did; likewise `second`
/// @param after what an item of the first work still takes that the second shall not wait for
template <class More, class First, class Second, class After>
__device__ void await_either(const More& more, const First& first, const Second& second,
                             const After& after) {
  while (more()) {
    const bool did_first = first();
    const bool did_second = second();
    if (did_first)
      after();
    else if (!did_second)
      back_off_for(64);
  }
}

}  // namespace wavescan::Impl::gpu

#endif
