// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_GPUCOLUMNS_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_GPUCOLUMNS_HPP

#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/columns/gpu/WaveScan_BandRows.hpp>
#include <impl/columns/gpu/WaveScan_BlockRows.hpp>
#include <impl/columns/gpu/WaveScan_ContiguousBlock.hpp>
#include <impl/columns/gpu/WaveScan_InterleavedBlock.hpp>
#include <impl/columns/gpu/WaveScan_StreamedBlock.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

/// @file
/// @brief Assignment of systems to blocks of threads.

namespace wavescan::Impl::columns {

/// @brief Most chunks of a system in a block, whose shared memory holds the numbers of these where
/// they lie behind each other.
template <class T, int M>
inline constexpr int most_chunks = [] {
  int threads = most_band_threads<T, M>;
  while (ContiguousBlock<T, M, false, false>::shared_bytes(threads) >
         std::size_t(gpu::block_memory))
    threads /= 2;
  return threads;
}();
/// @brief The longest systems that are solved in one pass: groups of chunks are no more than lanes.
template <class T, int M>
inline constexpr Index longest_in_one_pass =
    Index(std::min(most_chunks<T, M>* most_blocks, gpu::warp_size* gpu::warp_size)) * chunk_rows<T>;

/// @brief Assigns systems that lie side by side to blocks.
/// @return threads of a block
template <class Rows>
int share_side_by_side(ChunkedSystems& p) {
  using T = typename Rows::T;
  // Rows are whole lines of the cache, or parts of lines where blocks would have too many threads.
  // Where parts would be smaller than half a line, blocks share systems, but not many, since
  // clusters take their time to begin (measured on an H200).
  constexpr int line = 128 / sizeof(T);
  const int chunks = p.chunks.count,
            part = Rows::most_threads * static_cast<int>(sizeof(T)) / chunks;
  p.cluster = std::min(part >= 64 ? 1 : part >= 16 ? 2 : 4, most_blocks);
  while (chunks / p.cluster > Rows::most_threads) p.cluster *= 2;
  constexpr int fewest_threads = Rows::M == 1 ? 256 : 128;
  const int threads = std::clamp(chunks / p.cluster * line, fewest_threads, Rows::most_threads);
  p.side_by_side = threads / (chunks / p.cluster);
  return threads;
}

/// @brief Enqueues one of two kernels.
/// @tparam WholeBlock where all chunks are whole
template <class Block, class WholeBlock, class Parameters>
void launch_chunks(const gpu::Device& exec, bool whole, const Parameters& p, Index blocks,
                   int threads, std::size_t shared_bytes) {
  const gpu::LaunchOptions options{exec, "WaveScan::columns", false, p.cluster};
  if (whole)
    gpu::launch_blocks<WholeBlock>(options, blocks, threads, shared_bytes, p);
  else
    gpu::launch_blocks<Block>(options, blocks, threads, shared_bytes, p);
}

/// @brief Rows of a chunk of systems that lie as factors do.
template <class T, int M>
int rows_of_chunk(const Lines<T>& factors, Index length) {
  return are_streamed<T, M>(factors, length) ? stream_rows<T> : chunk_rows<T>;
}

/// @brief Solves long systems side by side.
template <bool Factored, class T, int M>
void enqueue_streams(const gpu::Device& exec, BandParameters<T, M> p) {
  using Block = StreamedBlock<T, M, Factored, false>;
  using WholeBlock = StreamedBlock<T, M, Factored, true>;
  constexpr int threads = Block::block_threads;
  p.chunks = Chunks::of(p.extents.length, Block::K);
  // Blocks share systems so that these are not too few; larger clusters are worth it where they
  // would be very few (measured on an H200).
  const auto systems = [&] { return threads / (p.chunks.count / p.cluster); };
  while (systems() < (p.cluster == 1 ? 16 : 8) && p.cluster < most_blocks) p.cluster *= 2;
  p.side_by_side = systems();
  const Index tiles = ceil_div(p.extents.lines, p.side_by_side);
  // How many clusters run at once nobody knows: those that begin last are not to have much to do.
  constexpr int tiles_of_cluster = 4;
  const Index at_once =
      p.cluster > 1 ? ceil_div(tiles, tiles_of_cluster)
                    : std::min<Index>(tiles, gpu::device_properties(exec).multiProcessorCount);
  launch_chunks<Block, WholeBlock>(exec, p.extents.length == Index(p.chunks.count) * Block::K, p,
                                   at_once * p.cluster, threads, Block::shared_bytes(p));
}

/// @brief Solves systems of at most longest_in_one_pass rows.
/// @tparam Factored whether matrices have been factorized
template <bool Factored, class T, int M>
void enqueue_blocks(const gpu::Device& exec, const Matrices<T, M>& matrices,
                    const Lines<const T>& right, const Lines<T>& x, const LineExtents& extents) {
  // Of pentadiagonal matrices, all chunks may have rows that are missing: half as many kernels.
  constexpr bool has_whole = M == 1;
  using Contiguous = ContiguousBlock<T, M, Factored, false>;
  using WholeContiguous = ContiguousBlock<T, M, Factored, has_whole>;
  using Interleaved = InterleavedBlock<BandRows<T, M, Factored, false>>;
  using WholeInterleaved = InterleavedBlock<BandRows<T, M, Factored, has_whole>>;
  const Chunks all_chunks = Chunks::of(extents.length, chunk_rows<T>);
  BandParameters<T, M> p{{extents, all_chunks, matrices.cyclic}, matrices, right, x};
  const bool whole = extents.length == p.chunks.count * chunk_rows<T>;
  const int chunks = p.chunks.count;
  if constexpr (has_streams<M>) {
    // Factors are of chunks as these lie in memory, whatever x does.
    if (Factored ? are_streamed<const T, M>(matrices.of(0), extents.length)
                 : are_streamed<T, M>(x, extents.length))
      return enqueue_streams<Factored>(exec, p);
  }
  if (x.stride == 1 || x.line_stride != 1) {
    constexpr int usual_threads = std::max(128, gpu::warp_size);
    int threads = chunks > gpu::warp_size ? chunks : usual_threads;
    if (threads > most_chunks<T, M>) {
      p.cluster = threads / most_chunks<T, M>;
      threads = most_chunks<T, M>;
    }
    const Index systems = std::max(threads / chunks, 1);
    const bool several = gpu::warp_size / chunks > 1;
    const auto is_dense = [&](const auto& lines) {
      return lines.stride == 1 && (!several || lines.line_stride == extents.length) &&
             (!matrices.transposed || lines.line_stride >= extents.length);
    };
    p.dense = is_dense(right) && is_dense(x) &&
              std::all_of(std::begin(matrices.diagonal), std::end(matrices.diagonal), is_dense);
    if (several)
      p.reciprocal = static_cast<std::uint32_t>(ceil_div(Index(1) << 20, extents.length));
    launch_chunks<Contiguous, WholeContiguous>(exec, whole, p,
                                               ceil_div(extents.lines, systems) * p.cluster,
                                               threads, Contiguous::shared_bytes(threads));
  } else {
    const int threads = share_side_by_side<BandRows<T, M, Factored, false>>(p);
    launch_chunks<Interleaved, WholeInterleaved>(
        exec, whole, p, ceil_div(extents.lines, p.side_by_side) * p.cluster, threads,
        Interleaved::shared_bytes(p));
  }
}

/// @brief The largest blocks whose chunks, and interface systems, fit in registers.
inline constexpr int largest_block_in_one_pass = 3;

/// @brief Assigns systems with blocks of M to blocks of threads.
/// @return threads of a block; 0 if systems are too long for one pass, or for shared memory
template <int M, class T>
int share_block_rows(BlockParameters<T>& p, Index length) {
  using Rows = BlockRows<T, M, false>;
  constexpr int most_chunks =
      std::min(Rows::most_threads * most_blocks, gpu::warp_size * gpu::warp_size);
  if (length > Index(most_chunks) * Rows::K) return 0;
  p.chunks = Chunks::of(length, Rows::K);
  int threads = share_side_by_side<Rows>(p);
  const auto fits = [&] {
    return InterleavedBlock<Rows>::shared_bytes(p) <= std::size_t(gpu::block_memory);
  };
  for (; !fits() && threads > gpu::warp_size && p.side_by_side > 1; threads /= 2)
    p.side_by_side /= 2;
  return fits() ? threads : 0;
}

/// @brief Solves block tridiagonal systems that share_block_rows has threads for.
/// @tparam Factored whether there are factors in place of matrices
template <int M, bool Factored, class T>
void enqueue_block_rows(const gpu::Device& exec, const BlockSystems<T>& s) {
  using Block = InterleavedBlock<BlockRows<T, M, Factored>>;
  BlockParameters<T> p{{s.extents, {}, s.cyclic}, s};
  const int threads = share_block_rows<M>(p, s.extents.length);
  launch_chunks<Block, Block>(exec, true, p, ceil_div(s.extents.lines, p.side_by_side) * p.cluster,
                              threads, Block::shared_bytes(p));
}

}  // namespace wavescan::Impl::columns

#endif
