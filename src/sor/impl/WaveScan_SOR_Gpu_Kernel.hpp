// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_KERNEL_HPP
#define WAVESCAN_IMPL_SOR_GPU_KERNEL_HPP

#include <impl/WaveScan_SOR_Gpu_Band.hpp>
#include <impl/WaveScan_SOR_Gpu_Copies.hpp>
#include <impl/WaveScan_SOR_Gpu_Norm.hpp>
#include <impl/WaveScan_SOR_Gpu_Pass.hpp>
#include <impl/WaveScan_SOR_Gpu_Rows.hpp>

/// @file
/// @brief The kernel of a pass, and the one that checks its seams.

namespace wavescan::Impl {

/// @brief Some sweeps, fused. All blocks of threads are resident.
template <class Shape>
__global__ void __launch_bounds__(32 * Shape::all_warps, 1)
    sor_pass_kernel(const WAVESCAN_GRID_CONSTANT SORPass<typename Shape::value_type> pass) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  using V = typename Shape::value_type;
  extern __shared__ unsigned char wavescan_sor_memory[];
  if (pass.only_if_failed && *static_cast<volatile unsigned*>(&pass.state->failed) == 0) return;
  const unsigned tag = *static_cast<volatile unsigned*>(&pass.state->tag);

  const SORShared<Shape> shared(wavescan_sor_memory, pass.cut, pass.slot_bytes);
  const int warps = pass.cut.warps;
  const int all_slots = warps * pass.cut.slots;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < all_slots; i += static_cast<int>(blockDim.x)) {
    shared.full[i].init(1);
    shared.done[i].init(gpu::arrivals_of_warp);
  }
  if (shared.progress + thread <= &shared.progress_of_exporter()) shared.progress[thread].clear();
  if (!pass.has_rhs) {
    const int values = (pass.slot_bytes - Shape::x_bytes) / static_cast<int>(sizeof(V));
    for (int i = thread; i < all_slots * values; i += static_cast<int>(blockDim.x))
      gpu::store_shared(
          shared.slots + static_cast<std::uint32_t>(i / values * pass.slot_bytes + Shape::x_bytes +
                                                    i % values * static_cast<int>(sizeof(V))),
          V(-0.0));
  }
  gpu::publish_barriers();
  gpu::order_before_bulk_copies();
  __syncthreads();

  const int warp = gpu::broadcast(thread / 32, 0);
  if (warp < warps) {
    SORBand<Shape> band(pass, shared, warp);
    band.run();
    if constexpr (Shape::measured != SORMeasured::Nothing) {
      const ResidualSum sum = sum_of_warp(band.measured());
      if (thread % 32 == 0) {
        pass.measured[1 + static_cast<int>(blockIdx.x) * warps + warp] = sum;
        __threadfence();
      }
    }
  } else if (const int copiers = Shape::copiers(warps); warp < warps + copiers) {
    // The compiler should see if a single thread copies: it then needs no loops over threads.
    const int lane = thread % 32;
    const int band = warp - warps + (Shape::has_copiers ? 0 : copiers * lane);
    if (band < warps && (lane == 0 || Shape::stores_as_warp || !Shape::has_copiers))
      SORCopies<Shape>(pass, shared, band).run(tag);
  } else if (warp == warps + copiers)
    SORRows<Shape>(pass, shared).run_importer(tag);
  else
    SORRows<Shape>(pass, shared).run_exporter(tag);

  __syncthreads();
  if (warp > 0) return;
  const int arrived = thread == 0 ? static_cast<int>(atomicAdd(&pass.state->arrived, 1u)) : 0;
  if (gpu::broadcast(arrived, 0) != static_cast<int>(gridDim.x) - 1) return;
  if constexpr (Shape::measured != SORMeasured::Nothing) {
    __threadfence();
    const ResidualSum sum = sum_of_all(pass.measured + 1, static_cast<int>(gridDim.x) * warps);
    if (thread == 0) *pass.measured = sum;
  }
  if (thread == 0) {
    pass.state->arrived = 0;
    pass.state->tag = tag + static_cast<unsigned>(pass.cut.passes * pass.cut.most_groups);
    if (pass.only_if_failed) {
      pass.state->failed = 0;
      ++pass.state->redone;
    }
  }
#else
  static_cast<void>(pass);
#endif
}

/// @brief Blocks of threads that check the seams of one block.
inline constexpr int seam_parts = 4;

/// @brief Compares the values at which blocks meet. If they all fit, each block had, by induction
/// from the first one, what the serial loop has there, and so is right throughout.
template <class Shape>
__global__ void sor_seams_kernel(
    const WAVESCAN_GRID_CONSTANT SORPass<typename Shape::value_type> pass) {
  using V = typename Shape::value_type;
  using Bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, unsigned long long>;
  constexpr int T = Shape::sweeps;
  const SORCut& cut = pass.cut;
  bool fits = true;
  const int block = static_cast<int>(blockIdx.x) / seam_parts;
  const int thread = static_cast<int>(threadIdx.x + blockIdx.x % seam_parts * blockDim.x);
  const int threads = static_cast<int>(blockDim.x) * seam_parts;
  {
    const int row_block = block / cut.column_blocks;
    const int column_block = block - row_block * cut.column_blocks;
    if (column_block > 0) {
      const int first = cut.first_band(row_block);
      const int bands = cut.bands_of_block();
      const int begin = (cut.first_owned_band(row_block) - first) * 32;
      const int end = (cut.end_band(row_block) - first) * 32;
      for (int i = begin + thread; i < end; i += threads)
#pragma unroll
        for (int s = 1; s <= T; ++s) {
          const int row = 32 * first + i - s;
          if (row < 1 || row > cut.m) continue;
          const std::int64_t place =
              (static_cast<std::int64_t>(block) * T + s - 1) * bands * 32 + i;
          const auto* const left = reinterpret_cast<const Bits*>(pass.left_seams);
          const auto* const right = reinterpret_cast<const Bits*>(pass.right_seams);
          fits &= left[place] == right[place - static_cast<std::int64_t>(T) * bands * 32];
        }
    }
    if (row_block > 0) {
      const std::size_t words = static_cast<std::size_t>(cut.steps()) * Shape::words;
      const std::uint32_t* const top = pass.top_seams + block * words;
      const std::uint32_t* const bottom = pass.bottom_seams + (block - cut.column_blocks) * words;
      const int first_column = cut.first_column(column_block);
      const int begin = (column_block > 0 ? cut.left_seam(column_block) + 1 : 1) - first_column;
      const int end = cut.last_relaxed_column(column_block) - first_column;
      constexpr int words_of_value = Shape::words / (T + 1);
      for (int i = thread; i < static_cast<int>(words); i += threads) {
        const int t = i / Shape::words;
        const int s = i % Shape::words / words_of_value;
        const int column = t - 31 - s;
        const bool more = column_block + 1 < cut.column_blocks;
        if (s > 0 && column >= begin && column <= end + (more ? T - s : 0))
          fits &= top[i] == bottom[i];
      }
    }
  }
  if (!fits) pass.state->failed = 1;
}

}  // namespace wavescan::Impl

#endif
