// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRKERNEL_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRKERNEL_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/align/gpu/WaveScan_PairBand.hpp>
#include <impl/align/gpu/WaveScan_PairPass.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief Passes over matrices of pairs of long sequences, in one kernel (CUDA).
///
/// A matrix is partitioned into bands of rows. Warps draw bands, those of the first pass first and
/// from the top to the bottom, and walk along their columns, each some chunks of columns behind the
/// warp of the band above. A row of messages for each pass suffices: a band sends a chunk long
/// after it has received it. A launch may leave bands to the next one, which finds the row of the
/// last one's tag.

namespace wavescan::Impl {

inline constexpr int pair_warps = 4;   ///< of a block, at most
inline constexpr int pair_blocks = 2;  ///< of a multiprocessor

template <class Cells_, bool Affine, int Rows>
struct PairKernel {
  static constexpr const char* name = "WaveScan::align::pair";
  using Cells = Cells_;
  using Band = PairBand<Cells, Affine, Rows>;
  using Memory = typename Band::Memory;
  const PairPass* passes;
  const int* pass_of_band;  ///< of each band among those of all passes
  int first_band, bands;    ///< of this launch, among those of all passes
  DeviceScores scores;
  PairRange range;
  unsigned warp_bytes;                     ///< of shared memory
  typename Memory::Beginning* beginnings;  ///< of chunks, of all warps; null if no pass is local
  PairStage stage;
  typename Memory::Beginning* states;  ///< of bands between stages; null: there are none
  gpu::TaskQueue::Launch queue;

  static constexpr int band_rows = Band::rows;
  static constexpr int message_words = Band::Stream::words_per_lane * gpu::warp_size;
  static Index band_count(Index rows) { return (rows + band_rows - 1) / band_rows; }
  /// @brief Words of the messages of a pass.
  static std::size_t words(Index columns) {
    return static_cast<std::size_t>((columns + pair_chunk - 1) / pair_chunk) * message_words;
  }
};

template <class Kernel>
__global__ void __launch_bounds__(pair_warps* gpu::warp_size, pair_blocks)
    align_pairs(WAVESCAN_GRID_CONSTANT const Kernel kernel) {
  extern __shared__ uint4 block_memory[];
  const gpu::TaskQueue queue(kernel.queue);
  auto& memory = *reinterpret_cast<typename Kernel::Memory*>(reinterpret_cast<char*>(block_memory) +
                                                             gpu::warp() * kernel.warp_bytes);
  auto* const beginnings =
      kernel.beginnings + Index(blockIdx.x * gpu::warps() + gpu::warp()) * pair_beginnings;
  std::uint32_t heartbeat = 0;
  while (true) {
    const Index drawn = queue.draw();
    if (drawn >= kernel.bands) break;
    const Index task = kernel.first_band + drawn;
    const PairPass pass = kernel.passes[kernel.pass_of_band[task]];
    typename Kernel::Band band(queue, pass, kernel.scores, kernel.range, memory, beginnings,
                               static_cast<int>(task - pass.first_task), static_cast<int>(drawn));
    if (!band.run(heartbeat, kernel.stage, kernel.states ? kernel.states + task : nullptr)) break;
    gpu::sync_warp();
  }
  __syncthreads();
  if (threadIdx.x == 0) queue.leave(static_cast<std::uint32_t>(kernel.bands));
}

}  // namespace wavescan::Impl

#endif
