// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_BLOCKKERNEL_HPP
#define WAVESCAN_IMPL_GPU_BLOCKKERNEL_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>

#include <cstddef>
#include <cstdint>

namespace wavescan::Impl::gpu {

/// @brief Whether a kernel runs with any mover; others need bulk copies, and are empty without.
template <class Block>
inline constexpr bool takes_any_mover = requires {
  requires Block::any_mover;
};

/// @brief The number of blocks that a multiprocessor should have room for: registers are given
/// accordingly.
template <class Block>
inline constexpr int blocks_together = 1;
template <class Block>
  requires(Block::blocks_together > 0)
inline constexpr int blocks_together<Block> = Block::blocks_together;

/// @brief Kernels whose blocks are objects: `Block{given, memory}.run()` is what a block's
/// threads do.
/// @tparam Block also has its type `Parameters`, the most threads `block_threads`, and
///               `memory_alignment`, 16 or more; perhaps `any_mover`
///               or `blocks_together`
template <class Block>
__global__ void __launch_bounds__(Block::block_threads, blocks_together<Block>)
    block_kernel([[maybe_unused]] const WAVESCAN_GRID_CONSTANT
                 typename Block::Parameters parameters) {
  extern __shared__ char memory[];
  constexpr std::size_t alignment = Block::memory_alignment;
#if defined(WAVESCAN_HAS_HIP_KERNELS) && defined(WAVESCAN_DEVICE_PASS)
  // Where the launch put them: Clang may copy them to each thread's stack, as nvcc does without
  // WAVESCAN_GRID_CONSTANT.
  const auto& given = *(const typename Block::Parameters*)(__builtin_amdgcn_kernarg_segment_ptr());
#else
  const auto& given = parameters;
#endif
  if constexpr (mover != Mover::Bulk && !takes_any_mover<Block>) {
  } else if constexpr (alignment > 16) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    Block{given, memory + (alignment - address % alignment) % alignment}.run();
  } else {
    Block{given, memory}.run();
  }
}

/// @brief Enqueues such a kernel.
/// @param shared_bytes of a block, from a multiple of the alignment on
template <class Block>
void launch_blocks(const LaunchOptions& options, Index blocks, int threads,
                   std::size_t shared_bytes, const typename Block::Parameters& parameters) {
  const std::size_t skipped = Block::memory_alignment > 16 ? Block::memory_alignment : 0;
  launch(options, block_kernel<Block>, blocks, threads, shared_bytes + skipped, parameters);
}

}  // namespace wavescan::Impl::gpu

#endif
