// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRKERNEL_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRKERNEL_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
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
/// A matrix is divided into bands of rows. Warps draw bands, those of the first pass first and
/// from the top to the bottom, and walk along their columns, each some chunks of columns behind the
/// warp of the band above. A row of messages for each pass suffices: a band sends a chunk long
/// after it has received it. A launch may leave bands to the next one, which finds the row of the
/// last one's tag.

namespace wavescan::Impl {

inline constexpr int pair_warps = 4;   ///< of a block, at most
inline constexpr int pair_blocks = 2;  ///< of a multiprocessor

/// @brief Arguments of a launch, whatever its kernel.
struct PairArguments {
  const PairPass* passes = nullptr;
  const int* pass_of_band = nullptr;  ///< of each band among those of all passes
  int first_band = 0, bands = 0;      ///< of this launch, among those of all passes
  DeviceScores scores;
  PairRange range;
  unsigned warp_bytes = 0;     ///< of shared memory
  void* beginnings = nullptr;  ///< of chunks, of all warps; null if no pass is local
  PairStage stage;
  void* states = nullptr;  ///< of bands between stages; null: there are none
  gpu::TaskQueue::Launch queue;
};

template <class Band>
__global__ void __launch_bounds__(pair_warps* gpu::warp_size, pair_blocks)
    align_pairs(WAVESCAN_GRID_CONSTANT const PairArguments arguments) {
  using Memory = typename Band::Memory;
  using Beginning = typename Memory::Beginning;
  extern __shared__ uint4 block_memory[];
  const gpu::TaskQueue queue(arguments.queue);
  auto& memory = *reinterpret_cast<Memory*>(reinterpret_cast<char*>(block_memory) +
                                            gpu::warp() * arguments.warp_bytes);
  auto* const beginnings = static_cast<Beginning*>(arguments.beginnings) +
                           Index(blockIdx.x * gpu::warps() + gpu::warp()) * pair_beginnings;
  auto* const states = static_cast<Beginning*>(arguments.states);
  std::uint32_t heartbeat = 0;
  while (true) {
    const Index drawn = queue.draw();
    if (drawn >= arguments.bands) break;
    const Index task = arguments.first_band + drawn;
    const PairPass pass = arguments.passes[arguments.pass_of_band[task]];
    Band band(queue, pass, arguments.scores, arguments.range, memory, beginnings,
              static_cast<int>(task - pass.first_task), static_cast<int>(drawn));
    if (!band.run(heartbeat, arguments.stage, states ? states + task : nullptr)) break;
    gpu::sync_warp();
  }
  __syncthreads();
  if (threadIdx.x == 0) queue.leave(static_cast<std::uint32_t>(arguments.bands));
}

/// @brief A kernel, for callers that are compiled once for all of them.
struct PairKernel {
  void (*run)(PairArguments);
  int band_rows;                ///< of a band
  int strips;                   ///< of a band
  int message_words;            ///< of a chunk of columns
  std::size_t beginning_bytes;  ///< of a chunk's beginning, or a band's state

  /// @tparam Rows of a strip
  template <class Cells, bool Affine, int Rows>
  static PairKernel of() {
    using Band = PairBand<Cells, Affine, Rows>;
    return {&align_pairs<Band>, Band::rows, Band::strips,
            Band::Stream::words_per_lane * gpu::warp_size,
            sizeof(typename Band::Memory::Beginning)};
  }

  Index band_count(Index rows) const { return ceil_div(rows, band_rows); }
  /// @brief Words of the messages of a pass.
  Index words(Index columns) const { return ceil_div(columns, pair_chunk) * message_words; }
};

}  // namespace wavescan::Impl

#endif
