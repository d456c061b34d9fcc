// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_PASSKERNEL_HPP
#define WAVESCAN_IMPL_SOR_GPU_PASSKERNEL_HPP

#include <impl/WaveScan_Gpu_Fence.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/gpu/WaveScan_GpuBand.hpp>
#include <impl/sor/gpu/WaveScan_GpuPass.hpp>
#include <impl/sor/gpu/WaveScan_PassNorm.hpp>
#include <impl/sor/gpu/WaveScan_RowExchange.hpp>
#include <impl/sor/gpu/WaveScan_TileCopies.hpp>

/// @file
/// @brief The kernel of a pass, and the one that checks its speculation.

namespace wavescan::Impl::sor {

/// @brief Some sweeps. All blocks of threads are resident.
template <class Shape>
__global__ void __launch_bounds__(32 * Shape::all_warps, 1)
    pass_kernel(const WAVESCAN_GRID_CONSTANT GpuPass<typename Shape::value_type> pass) {
  using V = typename Shape::value_type;
  extern __shared__ unsigned char wavescan_sor_memory[];
  if (pass.only_if_failed && *static_cast<volatile unsigned*>(&pass.state->failed) == 0) return;
  const gpu::LaunchTags tags = pass.state->launch.tags();

  const PassMemory<Shape> shared(wavescan_sor_memory, pass.decomp, pass.slot_bytes);
  const int warps = pass.decomp.warps;
  const int all_slots = warps * pass.decomp.slots;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < all_slots; i += static_cast<int>(blockDim.x)) {
    shared.full[i].init(gpu::tile_arrivals);
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
    GpuBand<Shape> band(pass, shared, warp);
    band.run();
    if constexpr (Shape::measured != Measurement::Nothing) {
      const ResidualSum sum = sum_of_warp(band.measured());
      if (thread % 32 == 0) {
        pass.measured[1 + static_cast<int>(blockIdx.x) * warps + warp] = sum;
        gpu::fence_before_publish();
      }
    }
  } else if (const int copiers = PassSizes::copiers(Shape::all_warps, warps);
             warp < warps + copiers) {
    // The compiler should see if a single thread copies: it then needs no loops over threads.
    const int lane = thread % 32;
    const int band = warp - warps + (Shape::has_copiers ? 0 : copiers * lane);
    if (band < warps && (lane == 0 || Shape::stores_as_warp || !Shape::has_copiers))
      TileCopier<Shape>(pass, shared, band, tags).run();
  } else if (warp == warps + copiers)
    RowExchange<Shape>(pass, shared).run_importer(tags);
  else
    RowExchange<Shape>(pass, shared).run_exporter(tags);

  __syncthreads();
  if (warp > 0 || !pass.state->launch.blocks.arrive()) return;
  if constexpr (Shape::measured != Measurement::Nothing) {
    gpu::fence_after_look();
    const ResidualSum sum = sum_of_all(pass.measured + 1, static_cast<int>(gridDim.x) * warps);
    if (thread == 0) *pass.measured = sum;
  }
  if (thread == 0) {
    pass.state->launch.end(
        tags, static_cast<std::uint32_t>(pass.decomp.passes * pass.decomp.max_groups) - 1);
    if (pass.only_if_failed) {
      pass.state->failed = 0;
      ++pass.state->redone;
    }
  }
}

/// @brief Blocks of threads that check one block.
inline constexpr int check_parts = 4;

/// @brief The speculation check: compares the values at which blocks meet. If they all fit, each
/// block had, by induction from the first one, what the serial loop has there, and so is right
/// throughout. By the way it copies the halo, which saves a launch.
template <class Shape>
__global__ void speculation_check_kernel(
    const WAVESCAN_GRID_CONSTANT GpuPass<typename Shape::value_type> pass) {
  using V = typename Shape::value_type;
  using Bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, unsigned long long>;
  constexpr int T = Shape::sweeps;
  const Decomposition& decomp = pass.decomp;
  bool valid = true;
  const int block = static_cast<int>(blockIdx.x) / check_parts;
  const int thread = static_cast<int>(threadIdx.x + blockIdx.x % check_parts * blockDim.x);
  const int threads = static_cast<int>(blockDim.x) * check_parts;
  {
    const int row_block = block / decomp.column_blocks;
    const int column_block = block - row_block * decomp.column_blocks;
    if (column_block > 0) {
      const int first = decomp.first_band(row_block);
      const int bands = decomp.bands_of_block();
      const int begin = (decomp.first_owned_band(row_block) - first) * 32;
      const int end = (decomp.end_band(row_block) - first) * 32;
      for (int i = begin + thread; i < end; i += threads)
#pragma unroll
        for (int s = 1; s <= T; ++s) {
          const int row = 32 * first + i - s;
          if (row < 1 || row > decomp.m) continue;
          const std::int64_t place =
              (static_cast<std::int64_t>(block) * T + s - 1) * bands * 32 + i;
          const auto* const left = reinterpret_cast<const Bits*>(pass.left_checks);
          const auto* const right = reinterpret_cast<const Bits*>(pass.right_checks);
          valid &= left[place] == right[place - static_cast<std::int64_t>(T) * bands * 32];
        }
    }
    if (row_block > 0) {
      const std::size_t words = static_cast<std::size_t>(decomp.steps()) * Shape::words;
      const std::uint32_t* const top = pass.top_checks + block * words;
      const std::uint32_t* const bottom =
          pass.bottom_checks + (block - decomp.column_blocks) * words;
      const int first_column = decomp.first_column(column_block);
      const int begin =
          (column_block > 0 ? decomp.left_check_column(column_block) + 1 : 1) - first_column;
      const int end = decomp.last_relaxed_column(column_block) - first_column;
      constexpr int words_of_value = Shape::words / (T + 1);
      for (int i = thread; i < static_cast<int>(words); i += threads) {
        const int t = i / Shape::words;
        const int s = i % Shape::words / words_of_value;
        const int column = t - 31 - s;
        const bool more = column_block + 1 < decomp.column_blocks;
        if (s > 0 && column >= begin && column <= end + (more ? T - s : 0))
          valid &= top[i] == bottom[i];
      }
    }
  }
  if (!valid) pass.state->failed = 1;
  if (!pass.halo.data) return;
  for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < Kokkos::max(pass.out.rows, pass.out.columns);
       i += static_cast<Index>(gridDim.x) * blockDim.x)
    CopyHalo<V>{pass.halo, pass.out}(i);
}

}  // namespace wavescan::Impl::sor

#endif
