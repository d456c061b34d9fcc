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

/// @brief Exchange of values between the chunks of systems that lie side by side, through a block's
/// shared memory: neighbouring threads have neighbouring systems.
template <class T, int M>
struct SideBySide {
  const ChunkedSystems& p;
  char* memory;

  static std::size_t shared_bytes(const ChunkedSystems& p) {
    const auto chunks = static_cast<std::size_t>(p.chunks.count / p.cluster),
               systems = static_cast<std::size_t>(p.side_by_side);
    return (systems * (chunks + 1) +
            systems * chunks / std::min(chunks, std::size_t(gpu::warp_size))) *
           sizeof(Ends<T, M>);
  }

  /// @brief The thread's system among those of the block.
  __device__ int system() const { return static_cast<int>(threadIdx.x) & (p.side_by_side - 1); }
  /// @brief The thread's chunk among those that the block has of a system.
  __device__ int chunk() const { return static_cast<int>(threadIdx.x) / p.side_by_side; }
  __device__ int chunks() const { return p.chunks.count / p.cluster; }

  /// @brief Solves the interface systems. All threads of the block, or the cluster, call it.
  __device__ LastUnknowns<T, M> solve(const Ends<T, M>& ends) const {
    // The lanes of a warp solve for chunks of the same systems. A number of a chunk's lies apart
    // from the next one, and a system begins a number later, so that banks differ.
    const int thread = static_cast<int>(threadIdx.x), of_system = chunks();
    const int pitch = of_system + 1, size = p.side_by_side * pitch;
    T* const shared = reinterpret_cast<T*>(memory);
    T* const here = shared + system() * pitch + chunk();
    store_apart(here, size, ends);
    __syncthreads();
    const int solved = thread / of_system, rank = thread & (of_system - 1);
    T* const there = shared + solved * pitch + rank;
    using Solution = LastUnknowns<T, M>;
    const Solution solution =
        solve_interface(load_apart<Ends<T, M>>(there, size), {p.chunks.count, p.cluster}, p.cyclic,
                        reinterpret_cast<Ends<T, M>*>(shared + numbers_of<Ends<T, M>> * size));
    store_apart(there, size, solution);  // where only this thread has read
    sync_blocks(p.cluster);
    return load_apart<Solution>(here, size);
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

/// @brief A block for systems that lie side by side: threads load rows of these straight to
/// registers.
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
    return SideBySide<T, M>::shared_bytes(p);
  }

  __device__ void run() const {
    const SideBySide<T, M> side_by_side{p, memory};
    const typename Rows::Own own(
        p, static_cast<Index>(blockIdx.x / p.cluster) * p.side_by_side + side_by_side.system(),
        p.rank_of_block() * side_by_side.chunks() + side_by_side.chunk());
    Rows rows(p);
    const LastUnknowns<T, M> solution = side_by_side.solve(rows.eliminate(own));
    if (own.is_there) rows.substitute(own, solution.before, solution.own);
  }
};

}  // namespace wavescan::Impl::columns

#endif
