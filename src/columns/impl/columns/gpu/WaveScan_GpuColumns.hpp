// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_GPUCOLUMNS_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_GPUCOLUMNS_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/columns/gpu/WaveScan_ColumnBlocks.hpp>

#include <algorithm>
#include <cstddef>

/// @file
/// @brief Which blocks solve which systems.

namespace wavescan::Impl::columns {

/// @brief Blocks that may share a system: as many as all devices with clusters have in one.
inline constexpr int most_blocks = gpu::mover == gpu::Mover::Bulk ? 8 : 1;

/// @brief Most chunks of a system in a block, whose shared memory holds the numbers of these where
/// they lie behind each other.
template <class T>
inline constexpr int most_chunks = [] {
  int threads = most_threads;
  while (ContiguousBlock<T, false, false>::shared_bytes(threads) > std::size_t(gpu::block_memory))
    threads /= 2;
  return threads;
}();
/// @brief The longest systems that are solved in one pass: groups of chunks are no more than lanes.
template <class T>
inline constexpr Index longest_in_one_pass =
    Index(std::min(most_chunks<T>* most_blocks, gpu::warp_size* gpu::warp_size)) * chunk_rows<T>;

/// @brief Only devices with clusters are asked for them.
template <class Options>
void set_cluster(Options& options, int blocks) {
  if constexpr (requires { options.cluster; }) options.cluster = blocks;
}

/// @brief Solves systems in one pass. Returns false if they are too long for that.
template <bool Factored, class T>
bool enqueue_blocks(const gpu::Device& exec, const Matrices<T>& matrices,
                    const Lines<const T>& right, const Lines<T>& x, const LineExtents& extents) {
  using Contiguous = ContiguousBlock<T, Factored, false>;
  using WholeContiguous = ContiguousBlock<T, Factored, true>;
  using Interleaved = InterleavedBlock<T, Factored, false>;
  using WholeInterleaved = InterleavedBlock<T, Factored, true>;
  if (extents.length > longest_in_one_pass<T>) return false;
  ColumnParameters<T, Factored> p{matrices, right, x, extents,
                                  Chunks::of(extents.length, chunk_rows<T>)};
  const auto launch = [&]<class Block, class WholeBlock>(Index blocks, int threads,
                                                         std::size_t shared_bytes) {
    gpu::LaunchOptions options{exec, "WaveScan::columns", false};
    if (p.cluster > 1) set_cluster(options, p.cluster);
    if (extents.length == p.chunks.count * chunk_rows<T>)
      gpu::launch_blocks<WholeBlock>(options, blocks, threads, shared_bytes, p);
    else
      gpu::launch_blocks<Block>(options, blocks, threads, shared_bytes, p);
  };
  const int chunks = p.chunks.count;
  if (x.stride == 1 || x.line_stride != 1) {
    constexpr int usual_threads = std::max(128, gpu::warp_size);
    int threads = chunks > gpu::warp_size ? chunks : usual_threads;
    if (threads > most_chunks<T>) {
      p.cluster = threads / most_chunks<T>;
      threads = most_chunks<T>;
    }
    const Index systems = std::max(threads / chunks, 1);
    const bool several = gpu::warp_size / chunks > 1;
    const auto is_dense = [&](const auto& lines) {
      return lines.stride == 1 && (!several || lines.line_stride == extents.length);
    };
    // Of transposed matrices not all that a dense copy would read is there.
    p.dense = matrices.first_lower == 0 && is_dense(matrices.lower) &&
              is_dense(matrices.diagonal) && is_dense(matrices.upper) && is_dense(right) &&
              is_dense(x);
    if (several)
      p.reciprocal = static_cast<std::uint32_t>(ceil_div(Index(1) << 20, extents.length));
    launch.template operator()<Contiguous, WholeContiguous>(
        ceil_div(extents.lines, systems) * p.cluster, threads, Contiguous::shared_bytes(threads));
  } else {
    // Rows are whole lines of the cache, or parts of lines where blocks would have too many
    // threads. Where parts would be smaller than half a line, blocks share systems, but not many,
    // since clusters take their time to begin (measured on an H200).
    constexpr int line = 128 / sizeof(T);
    const int part = most_threads * static_cast<int>(sizeof(T)) / chunks;
    p.cluster = std::min(part >= 64 ? 1 : part >= 16 ? 2 : 4, most_blocks);
    const int threads = std::clamp(chunks / p.cluster * line, std::max(256, line), most_threads);
    p.side_by_side = threads / (chunks / p.cluster);
    launch.template operator()<Interleaved, WholeInterleaved>(
        ceil_div(extents.lines, p.side_by_side) * p.cluster, threads, Interleaved::shared_bytes(p));
  }
  return true;
}

}  // namespace wavescan::Impl::columns

#endif
