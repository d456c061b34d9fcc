// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_OWNCHUNK_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_OWNCHUNK_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Cluster.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/columns/WaveScan_Equations.hpp>

/// @file
/// @brief The rows of a system that a thread has.

namespace wavescan::Impl::columns {

/// @brief Blocks that may share a system: as many as all devices with clusters have in one.
inline constexpr int most_blocks = gpu::mover == gpu::Mover::Bulk ? 8 : 1;

/// @brief Most threads of a block. Where they need very many registers, small blocks, of which a
/// multiprocessor has several, load while others compute; where there are no clusters, blocks may
/// be larger for the sake of long systems.
inline constexpr int most_threads_of_many_registers = most_blocks > 1 ? 128 : 256;

/// @brief Systems that are divided into chunks, and which threads have them.
struct ChunkedSystems {
  LineExtents extents;
  Chunks chunks;
  bool cyclic;
  int cluster = 1;       ///< blocks that share a system
  int side_by_side = 1;  ///< systems of a block, of which each thread has one

  /// @brief The number of a block among those that share a system.
  __device__ int rank_of_block() const { return cluster == 1 ? 0 : gpu::cluster_rank(); }
};

/// @brief A thread's chunk, of at most K rows.
/// @tparam Whole whether chunks of all threads have K rows
template <int K, bool Whole>
struct OwnChunk {
  Index line;
  int begin;    ///< its first row
  int missing;  ///< rows of K that it does not have
  bool is_first, is_last;
  bool is_there;  ///< not behind the last line

  __device__ OwnChunk(const ChunkedSystems& p, Index own_line, int number)
      : line(own_line),
        begin(Whole ? number * K : p.chunks.begin(number)),
        missing(Whole ? 0 : K - p.chunks.rows(number)),
        is_first(number == 0),
        is_last(number == p.chunks.count - 1),
        is_there(own_line < p.extents.lines) {}
  /// @brief The number of row k of K in the system.
  __device__ int row(int k) const { return begin + k - missing; }
  __device__ bool has(int k) const { return Whole || k >= missing; }
};

}  // namespace wavescan::Impl::columns

#endif
