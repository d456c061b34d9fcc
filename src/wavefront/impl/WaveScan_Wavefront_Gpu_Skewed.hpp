// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_GPU_SKEWED_HPP
#define WAVESCAN_IMPL_WAVEFRONT_GPU_SKEWED_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Wavefront_Gpu_BandRing.hpp>
#include <impl/WaveScan_Wavefront_Gpu_HandOver.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Sizes.hpp>
#include <impl/WaveScan_Wavefront_Gpu_SkewedBand.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Turns.hpp>
#include <impl/WaveScan_Wavefront_Gpu_Window.hpp>
#include <impl/WaveScan_Wavefront_Problem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Schedule TileSkewed on GPUs: natural order, each lane one step behind the lane above it.
///
/// A warp owns a band of rows, a lane R neighbouring ones of them. In a step a lane computes a
/// column of its rows in natural order and hands the lowest entry on to the lane below, which
/// computes the entries under it one step later. Bands that follow each other belong to the warps
/// of a block, which hand on the lowest row of a band through shared memory; the last of them does
/// so through global memory. Every entry is computed by the operations of the serial loop, so the
/// result has its bits.
///
/// All that counts is how long a step takes and how many steps lie between bands: with few rows or
/// columns nothing else is to be done meanwhile. So a step finds its old values in shared memory,
/// where they were copied a few hundred steps before, and leaves its results there.
///
/// Why old values are old: entries (i, j) with j from an entry's own column on are read for it at
/// the latest, and entries of the row below only for those that are computed before what overwrites
/// them. In the band, a lane overwrites what is under an entry one step later; in the band below,
/// after the value of the entry has arrived. Values are fetched ahead, never later.

namespace wavescan::Impl {

/// @brief What the skewed kernel is given.
/// @tparam Sizes its member `value` is a SkewedSizes
template <class Problem, class Sizes>
struct SkewedKernel {
  static constexpr const char* name = "WaveScan::wavefront::skewed_bands";
  using problem_type = Problem;
  using value_type = typename Problem::value_type;
  using Place = gpu::Tagged<value_type>;

  static constexpr int most_threads = Sizes::value.warps * gpu::warp_size;
  static constexpr int lanes = 32;                ///< that have rows; all, on most devices
  static constexpr int rows = Sizes::value.rows;  ///< of a lane
  static constexpr int band_rows = lanes * rows;
  static constexpr int chunk = Sizes::value.chunk;
  using Ring = BandRing<value_type, band_rows, chunk, Sizes::value.chunks>;
  using Blocks = typename Ring::Blocks;
  using Row = HandOver<value_type, Ring::pitch>;
  static constexpr int steps_at_once = 8;  ///< after which bands look at each other
  static_assert(lanes <= gpu::warp_size && chunk % steps_at_once == 0);

  Problem problem;
  Blocks blocks;
  Turns::Launch turns;
  gpu::TaggedWord* rows_sent;  ///< lowest rows of blocks' bands, by turns in one of two places
  int bands;

  static auto function() -> void (*)(SkewedKernel);
  SkewedKernel(const Problem& p, const Turns::Launch& launch, gpu::TaggedWord* words)
      : problem(p),
        blocks(p.grid, p.range.column_begin, p.range.column_end),
        turns(launch),
        rows_sent(words),
        bands(static_cast<int>(count_bands(p.range))) {}

  static Index count_bands(const Block& range) { return ceil_div(range.rows(), band_rows); }
  static constexpr std::size_t shared_bytes(int warps) {
    return static_cast<std::size_t>(warps) * Ring::bytes +
           static_cast<std::size_t>(warps + 1) * sizeof(Row);
  }

  /// @brief A warp for each scheduler of a multiprocessor, and more if there are so many bands.
  static GpuShape shape(const gpu::Device& exec, const Block& range) {
    const auto& device = gpu::device_properties(exec);
#if defined(KOKKOS_ENABLE_HIP)
    const std::size_t shared = device.sharedMemPerBlock;
#else
    const std::size_t shared = device.sharedMemPerBlockOptin;
#endif
    const Index bands = count_bands(range);
    const Index processors = device.multiProcessorCount;
    int warps = static_cast<int>(std::min(
        {std::max<Index>(ceil_div(bands, processors), 4), bands, Index(Sizes::value.warps)}));
    while (warps > 1 && shared_bytes(warps) > shared) --warps;
    return {std::min(ceil_div(bands, warps), processors), warps * gpu::warp_size,
            shared_bytes(warps)};
  }

  static std::size_t words(const Block& range) {
    return 2 * static_cast<std::size_t>(row_words(ceil_div(range.columns(), Ring::unit) + 1));
  }
  KOKKOS_FUNCTION static Index row_words(Index block_count) {
    return block_count * Ring::unit * Place::words;
  }
  /// @brief Where a block sends the lowest row of its last band. The block after the next one uses
  /// the same words: it sends an entry when the next one has, which then has received that column.
  __device__ gpu::TaggedWord* sent(int group) const {
    return rows_sent + (group & 1) * row_words(blocks.count);
  }

  /// @brief Groups of bands, one for each warp of a block.
  __device__ int groups() const { return (bands + gpu::warps() - 1) / gpu::warps(); }
  __device__ std::uint32_t tags() const { return static_cast<std::uint32_t>(groups()); }
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::most_threads)
    skewed_bands(WAVESCAN_GRID_CONSTANT const Kernel kernel) {
  extern __shared__ char memory[];
  auto* const shared = reinterpret_cast<unsigned char*>(memory);
  __shared__ Index drawn;
  const Turns turns(kernel.turns);
  bool stuck = false;
  while (true) {
    if (gpu::warp() == 0) {
      const Index group = turns.draw();
      if (gpu::lane() == 0) drawn = group;
    }
    if (threadIdx.x <= static_cast<unsigned>(gpu::warps())) {
      auto& row = SkewedBand<Kernel>::handed_over(shared, static_cast<int>(threadIdx.x));
      row.sent = row.taken = 0;
    }
    __syncthreads();
    if (drawn >= kernel.groups() || stuck) break;
    const int group = static_cast<int>(drawn);
    if (group * gpu::warps() + gpu::warp() < kernel.bands)
      stuck = !SkewedBand<Kernel>(kernel, turns, shared, group).run();
    stuck = __syncthreads_or(stuck);
  }
  if (threadIdx.x == 0) turns.leave(kernel.tags());
}

template <class Problem, class Sizes>
auto SkewedKernel<Problem, Sizes>::function() -> void (*)(SkewedKernel) {
  return skewed_bands<SkewedKernel>;
}

}  // namespace wavescan::Impl

#endif
