// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_BLOCKKERNEL_HPP
#define WAVESCAN_IMPL_GPU_BLOCKKERNEL_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>

#include <cstddef>
#include <cstdint>

namespace wavescan::Impl::gpu {

/// @brief Kernels for GPUs with bulk copies (CUDA, compute capability 9.0 and newer), whose blocks
/// are objects: `Block{parameters, memory}.run()` is what a block's threads do.
/// @tparam Block also has its type `Parameters`, the most threads `block_threads`, and
///               `memory_alignment`, 16 or more
template <class Block>
__global__ void __launch_bounds__(Block::block_threads, 1)
    block_kernel([[maybe_unused]] const WAVESCAN_GRID_CONSTANT
                 typename Block::Parameters parameters) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ char memory[];
  constexpr std::size_t alignment = Block::memory_alignment;
  if constexpr (alignment > 16) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    Block{parameters, memory + (alignment - address % alignment) % alignment}.run();
  } else {
    Block{parameters, memory}.run();
  }
#endif
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
