// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_INTERLEAVEDBLOCK_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_INTERLEAVEDBLOCK_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Cluster.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/columns/gpu/WaveScan_InterfaceSystem.hpp>
#include <impl/columns/gpu/WaveScan_OwnChunk.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

/// @file
/// @brief Systems side by side in one pass: all numbers are read once and x is written once.

namespace wavescan::Impl::columns {

/// @brief A block for systems that lie side by side: neighbouring threads have neighbouring
/// systems, and load rows of these straight to registers. What the chunks of a system need of each
/// other goes through shared memory.
/// @tparam Rows a thread's chunk
template <class Rows>
struct InterleavedBlock {
  using T = typename Rows::T;
  using Parameters = typename Rows::Parameters;
  static constexpr int M = Rows::M;
  static constexpr int block_threads = Rows::threads_with_registers;
  static constexpr int memory_alignment = 16;
  static constexpr bool any_mover = true;

  const Parameters& p;
  char* memory;

  static std::size_t shared_bytes(const ChunkedSystems& p) {
    const auto chunks = static_cast<std::size_t>(p.chunks.count / p.cluster),
               systems = static_cast<std::size_t>(p.side_by_side);
    return (systems * (chunks + 1) +
            systems * chunks / std::min(chunks, std::size_t(gpu::warp_size))) *
           sizeof(Ends<T, M>);
  }

  __device__ void run() const {
    const int thread = static_cast<int>(threadIdx.x);
    const ChunkThreads threads{p.chunks.count, p.cluster};
    const int chunks = threads.of_block(), systems = p.side_by_side;
    const int system = thread & (systems - 1), number = thread / systems;
    const typename Rows::Own own(p, static_cast<Index>(blockIdx.x / p.cluster) * systems + system,
                                 p.rank_of_block() * chunks + number);
    Rows rows(p);

    // The lanes of a warp solve for chunks of the same systems. A number of a chunk's lies apart
    // from the next one, and a system begins a number later, so that banks differ.
    const int pitch = chunks + 1, size = systems * pitch;
    T* const shared = reinterpret_cast<T*>(memory);
    T* const here = shared + system * pitch + number;
    store_apart(here, size, rows.eliminate(own));
    __syncthreads();
    const int solved = thread / chunks, rank = thread & (chunks - 1);
    T* const there = shared + solved * pitch + rank;
    using Solution = LastUnknowns<T, M>;
    const Solution solution =
        solve_interface(load_apart<Ends<T, M>>(there, size), threads, p.cyclic,
                        reinterpret_cast<Ends<T, M>*>(shared + numbers_of<Ends<T, M>> * size));
    store_apart(there, size, solution);  // where only this thread has read
    sync_blocks(p.cluster);

    if (!own.is_there) return;
    const auto last = load_apart<Solution>(here, size);
    rows.substitute(own, last.before, last.own);
  }

 private:
  template <class V>
  static constexpr int numbers_of = static_cast<int>(sizeof(V) / sizeof(T));

  /// @brief The numbers of a value, each `size` numbers behind the one before.
  template <class V>
  static __device__ void store_apart(T* to, int size, const V& value) {
    T numbers[numbers_of<V>];
    std::memcpy(numbers, &value, sizeof(V));
#pragma unroll
    for (int i = 0; i < numbers_of<V>; ++i) to[i * size] = numbers[i];
  }
  template <class V>
  static __device__ V load_apart(const T* from, int size) {
    T numbers[numbers_of<V>];
#pragma unroll
    for (int i = 0; i < numbers_of<V>; ++i) numbers[i] = from[i * size];
    V value;
    std::memcpy(&value, numbers, sizeof(V));
    return value;
  }
};

}  // namespace wavescan::Impl::columns

#endif
