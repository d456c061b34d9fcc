// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_FENCE_HPP
#define WAVESCAN_IMPL_GPU_FENCE_HPP

#include <Kokkos_Core.hpp>

/// @file
/// @brief Fences for what blocks leave for each other in device memory, where it is too much for
/// tagged words.
///
/// Why they suffice: a block stores its data, calls fence_before_publish, and then stores (or
/// counts up) a flag by a relaxed access. Who has seen that flag by a relaxed access and then
/// called fence_after_look finds the data: fence to fence, with the flag between them, is what
/// release and acquire are in the memory model, and both are at the scope of the device. Data that
/// other threads of the block have stored must have been ordered before by a barrier of the block,
/// and data of bulk copies by order_bulk_copies.

namespace wavescan::Impl::gpu {

/// @brief Makes what this thread has stored, or knows to be stored, visible to a thread that sees
/// what it stores from here on.
__device__ inline void fence_before_publish() { __threadfence(); }

/// @brief Orders loads after a look that has found something: what was stored before that is there.
__device__ inline void fence_after_look() { __threadfence(); }

}  // namespace wavescan::Impl::gpu

#endif
