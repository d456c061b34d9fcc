// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_CONTIGUOUSBLOCK_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_CONTIGUOUSBLOCK_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_Barrier.hpp>
#include <impl/WaveScan_Gpu_Cluster.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/columns/gpu/WaveScan_BandRows.hpp>
#include <impl/columns/gpu/WaveScan_InterfaceSystem.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief Systems behind each other in one pass: all numbers are read once and x is written once.

namespace wavescan::Impl::columns {

/// @brief A block for systems that lie behind each other: the chunks of a system belong to
/// neighbouring threads. Tiles go through shared memory, from threads that load neighbouring
/// numbers to those that need them. A tile is that of a warp, or of the block if a system needs
/// more than a warp.
template <class T, int M, bool Factored, bool Whole>
struct ContiguousBlock {
  using Rows = BandRows<T, M, Factored, Whole>;
  using Parameters = typename Rows::Parameters;
  static constexpr int block_threads = Rows::threads_with_registers;
  static constexpr int memory_alignment = 16;
  static constexpr bool any_mover = true;
  static constexpr int K = Rows::K, arrays = Rows::arrays;

  const Parameters& p;
  char* memory;

  static constexpr std::size_t shared_bytes(int threads) {
    return static_cast<std::size_t>(threads) * arrays * K * sizeof(T) +
           static_cast<std::size_t>(threads / gpu::warp_size) * sizeof(Ends<T, M>);
  }

  __device__ void run() const {
    const ChunkThreads chunk_threads{p.chunks.count, p.cluster};
    const int chunks = chunk_threads.of_block();
    const bool of_warp = chunk_threads.are_lanes();
    const int threads = of_warp ? gpu::warp_size : static_cast<int>(blockDim.x);
    const int thread = of_warp ? gpu::lane() : static_cast<int>(threadIdx.x);
    const int systems = threads / chunks;
    const Index first_line =
        of_warp ? (static_cast<Index>(blockIdx.x) * gpu::warps() + gpu::warp()) * systems
                : static_cast<Index>(blockIdx.x / p.cluster);
    // A block has all rows of its systems, or some of those of one.
    const int first_chunk = p.rank_of_block() * chunks;
    const int first_row = p.chunks.begin(first_chunk),
              rows = p.chunks.begin(first_chunk + chunks) - first_row;
    const Index lines_left = p.extents.lines - first_line;
    T* const shared =
        reinterpret_cast<T*>(memory) + (of_warp ? gpu::warp() * arrays * threads * K : 0);
    const Tile tile{shared, threads * K,
                    (of_warp ? 0 : gpu::warp()) * gpu::warp_size * K + gpu::lane(),
                    lines_left <= 0        ? 0
                    : lines_left < systems ? static_cast<int>(lines_left) * rows
                                           : systems * rows};
    // Of transposed matrices not all of the first and the last system's numbers are there.
    const bool all_there = !p.matrices.transposed || (first_line > 0 && lines_left > systems);
    load(tile, first_line, first_row, p.dense && all_there);
    sync(of_warp);

    const int system = thread / chunks;
    const typename Rows::Own own(p, first_line + system, first_chunk + (thread & (chunks - 1)));
    const EndNumbers<T, M> end_numbers(p, own);
    const int begin =
        system * rows + own.row(0) - first_row;  // perhaps of rows that the chunk does not have
    const auto place_of_row = [&](int k) {
      if constexpr (Whole)
        return place(begin) ^ k;
      else
        return place(begin + k < 0 ? 0 : begin + k);
    };
    Chunk<T, K, M> chunk;
    const Ends<T, M> ends = Rows::eliminate_in(chunk, own.missing, [&](int i, int k) {
      // Rows before the chunk's own are read, too, and not used; racecheck could not know.
      return Rows::template number_of<!gpu::shows_flags>(
          i, k, own, end_numbers, [&] { return tile.of(i)[place_of_row(k)]; });
    });
    const LastUnknowns<T, M> solution =
        solve_interface(ends, chunk_threads, p.cyclic,
                        reinterpret_cast<Ends<T, M>*>(reinterpret_cast<T*>(memory) +
                                                      static_cast<int>(blockDim.x) * arrays * K));
    T* const x = tile.of(arrays - 1);  // in place of the chunk's right-hand side
    chunk.substitute(solution.before, solution.own, [&](int k, T value) {
      if (own.has(k)) x[place_of_row(k)] = value;
    });
    sync(of_warp);
    store(tile, first_line, first_row);
    if (p.cluster != 1) gpu::sync_cluster();  // others have read from the block's shared memory
  }

 private:
  /// @brief Numbers of neighbouring systems in shared memory, one array behind the other.
  struct Tile {
    T* memory;
    int size;   ///< of an array
    int first;  ///< of the numbers that the thread moves; the others follow, a warp's lanes apart
    int count;  ///< of an array's numbers that there are
    __device__ T* of(int array) const { return memory + array * size; }
  };
  static constexpr int row_of_banks = 128 / sizeof(T);
  /// @brief The place of number i in a tile: threads that read numbers K apart find them in
  /// different banks.
  static __device__ int place(int i) {
    return i ^ static_cast<int>(static_cast<unsigned>(i) / row_of_banks & (K - 1));
  }
  /// @brief The place of number k of those that a thread moves, of which the first one is at
  /// `first`.
  static __device__ int place(int first, int k) {
    return (first ^ (k * gpu::warp_size / row_of_banks & (K - 1))) + k * gpu::warp_size;
  }

  __device__ void load(const Tile& tile, Index first_line, int first_row, bool dense) const {
    if (dense) {
      const int first = place(tile.first);
#pragma unroll
      for (int i = 0; i < arrays; ++i) {
        const T* const from = &Rows::array(p, i)(first_line, first_row) + tile.first;
        T* const to = tile.of(i);
#pragma unroll
        for (int k = 0; k < K; ++k)
          gpu::copy_async_if<sizeof(T)>(tile.first + k * gpu::warp_size < tile.count,
                                        to + place(first, k), from + k * gpu::warp_size);
      }
    } else {
      for_each_number(tile, [&](int number, Index system, Index row) {
        const Index at = first_row + row;
#pragma unroll
        for (int i = 0; i < arrays; ++i) {
          // Of transposed matrices these lie outside of the Views; EndNumbers has what is needed.
          const Index column = at + (i <= 2 * M ? i - M : 0);
          if (!Factored && (column < 0 || column >= p.extents.length)) continue;
          gpu::copy_async<sizeof(T)>(tile.of(i) + place(number),
                                     &Rows::array(p, i)(first_line + system, at));
        }
      });
    }
    gpu::commit_async_copies();
    gpu::wait_for_async_copies<0>();
  }
  __device__ void store(const Tile& tile, Index first_line, int first_row) const {
    const T* const x = tile.of(arrays - 1);
    if (p.dense) {
      const int first = place(tile.first);
      T* const to = &p.x(first_line, first_row) + tile.first;
#pragma unroll
      for (int k = 0; k < K; ++k)
        if (tile.first + k * gpu::warp_size < tile.count)
          to[k * gpu::warp_size] = x[place(first, k)];
    } else {
      for_each_number(tile, [&](int number, Index system, Index row) {
        p.x(first_line + system, first_row + row) = x[place(number)];
      });
    }
  }
  /// @brief Calls f(number, system, row) for those of a tile that the thread moves.
  template <class F>
  __device__ void for_each_number(const Tile& tile, const F& f) const {
#pragma unroll 1
    for (int k = 0; k < K; ++k) {
      const int i = tile.first + k * gpu::warp_size;
      // Exact as long as tiles have at most 1024 numbers; a single system has the reciprocal zero.
      const int system = static_cast<int>((static_cast<std::uint32_t>(i) * p.reciprocal) >> 20);
      if (i < tile.count) f(i, system, i - system * static_cast<int>(p.extents.length));
    }
  }
  static __device__ void sync(bool of_warp) {
    if (of_warp)
      gpu::sync_warp();
    else
      __syncthreads();
  }
};

}  // namespace wavescan::Impl::columns

#endif
