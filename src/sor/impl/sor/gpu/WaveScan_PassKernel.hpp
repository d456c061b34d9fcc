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
template <class V>
__global__ void speculation_check_kernel(const WAVESCAN_GRID_CONSTANT GpuPass<V> pass) {
  using Bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, unsigned long long>;
  const auto bits_at = [](const auto* checks, Index place) {
    return reinterpret_cast<const Bits*>(checks) + place;
  };
  const Decomposition& decomp = pass.decomp;
  const int sweeps = decomp.sweeps;
  bool valid = true;
  const int block = static_cast<int>(blockIdx.x) / check_parts;
  const int thread = static_cast<int>(threadIdx.x + blockIdx.x % check_parts * blockDim.x);
  const int threads = static_cast<int>(blockDim.x) * check_parts;
  const int row_block = block / decomp.column_blocks;
  const int column_block = block - row_block * decomp.column_blocks;
  if (column_block > 0) {
    const int first = decomp.first_band(row_block);
    const Index rows = decomp.bands_of_block() * 32;
    const Bits* const left = bits_at(pass.left_checks, block * sweeps * rows);
    const Bits* const right = bits_at(pass.right_checks, (block - 1) * sweeps * rows);
    const int end = (decomp.end_band(row_block) - first) * 32;
    for (int i = (decomp.first_owned_band(row_block) - first) * 32 + thread; i < end; i += threads)
#pragma unroll 4
      for (int s = 1; s <= sweeps; ++s) {
        const int row = 32 * first + i - s;
        const Index place = (s - 1) * rows + i;
        const bool equal = left[place] == right[place];
        valid &= equal || row < 1 || row > decomp.m;
      }
  }
  if (row_block > 0) {
    const Index values = Index(decomp.steps()) * (sweeps + 1);
    const Bits* const top = bits_at(pass.top_checks, block * values);
    const Bits* const bottom = bits_at(pass.bottom_checks, (block - decomp.column_blocks) * values);
    const int first_column = decomp.first_column(column_block);
    const int begin = column_block > 0 ? decomp.left_check_column(column_block) + 1 : 1;
    const bool more = column_block + 1 < decomp.column_blocks;
    for (int s = 1; s <= sweeps; ++s) {
      const int last = decomp.last_relaxed_column(column_block) + (more ? sweeps - s : 0);
      const int late = 31 + s - first_column;  // steps
#pragma unroll 4
      for (int t = begin + late + thread; t <= last + late && t < decomp.steps(); t += threads) {
        const Index place = Index(t) * (sweeps + 1) + s;
        valid &= top[place] == bottom[place];
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
