// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_COLUMNBLOCKS_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_COLUMNBLOCKS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/columns/WaveScan_Equations.hpp>
#include <impl/columns/WaveScan_Systems.hpp>
#include <impl/columns/gpu/WaveScan_Chunk.hpp>
#include <impl/columns/gpu/WaveScan_InterfaceSystem.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// @brief Blocks that solve systems in one pass: each thread has a chunk in registers, all numbers
/// are read once and x is written once.

namespace wavescan::Impl::columns {

/// @brief Rows of a chunk, of which a thread has three numbers each in registers.
template <class T>
inline constexpr int chunk_rows = sizeof(T) == 4 ? 16 : 8;

/// @brief Most threads of a block.
inline constexpr int most_threads = 512;

/// @brief What a kernel is given.
/// @tparam Factored whether matrices have been factorized
template <class T, bool Factored>
struct ColumnParameters {
  Matrices<T> matrices;  ///< if factored, lower / pivot, 1 / pivot, upper / pivot
  Lines<const T> right;
  Lines<T> x;
  LineExtents extents;
  Chunks chunks;
  int side_by_side = 1;          ///< systems of a block, of which each thread has one
  std::uint32_t reciprocal = 0;  ///< of the length, times 2^20, where a tile has several systems
};

/// @brief A thread's chunk.
template <class T>
struct OwnChunk {
  static constexpr int K = chunk_rows<T>;
  Index line;
  int begin;    ///< its first row
  int missing;  ///< rows of K that it has not: all of them behind the last line
  bool is_first, is_last;

  template <class Parameters>
  __device__ OwnChunk(const Parameters& p, Index own_line, int number)
      : line(own_line),
        begin(p.chunks.begin(number)),
        missing(own_line < p.extents.lines ? K - p.chunks.rows(number) : K),
        is_first(number == 0),
        is_last(number == p.chunks.count - 1) {}
  /// @brief Where row k of K is in the system.
  __device__ int row(int k) const { return begin + k - missing; }
  __device__ bool has(int k) const { return k >= missing; }
  __device__ bool has_first_row(int k) const { return is_first && k == missing; }
};

/// @brief Eliminates within a chunk, whose numbers `load(array, k)` returns: of lower, diagonal,
/// upper and right.
template <bool Factored, class T, class Parameters, class Load>
__device__ Ends<T> eliminate(Chunk<T, chunk_rows<T>>& chunk, const OwnChunk<T>& own,
                             const Parameters& p, const Load& load) {
  constexpr int K = chunk_rows<T>;
  T lower_of_first(0), upper_of_last(0);
  if (!Factored && p.matrices.cyclic && own.missing < K) {
    if (own.is_first) lower_of_first = p.matrices.lower_of_first(own.line);
    if (own.is_last) upper_of_last = p.matrices.upper_of_last(own.line);
  }
  const auto row_of = [&](int k, const Equation<T>& before) {
    if (!own.has(k)) return Chunk<T, K>::missing_row();
    if constexpr (Factored) {
      return FactoredRow<T>{load(0, k), load(1, k), load(2, k)};
    } else {
      const T lower = own.has_first_row(k) ? lower_of_first : load(0, k);
      const T upper = k == K - 1 && own.is_last ? upper_of_last : load(2, k);
      return FactoredRow<T>::of(lower, load(1, k), upper, before);
    }
  };
  return chunk.eliminate(own.missing, row_of,
                         [&](int k) { return own.has(k) ? load(3, k) : T(0); });
}

/// @brief A block for systems that lie side by side: neighbouring threads have neighbouring
/// systems, and load rows of these straight to registers. What the chunks of a system need of each
/// other goes through shared memory.
template <class T, bool Factored>
struct InterleavedBlock {
  using Parameters = ColumnParameters<T, Factored>;
  static constexpr int block_threads = most_threads;
  static constexpr int memory_alignment = 16;
  static constexpr bool any_mover = true;
  static constexpr int K = chunk_rows<T>;

  const Parameters& p;
  char* memory;

  /// @param threads of a block
  static std::size_t shared_bytes(const Parameters& p) {
    const auto chunks = static_cast<std::size_t>(p.chunks.count),
               systems = static_cast<std::size_t>(p.side_by_side);
    return systems * (chunks + 1) * sizeof(Ends<T>) +
           chunks * systems / gpu::warp_size * sizeof(Ends<T>);
  }

  __device__ void run() const {
    const int thread = static_cast<int>(threadIdx.x);
    const int chunks = p.chunks.count, systems = p.side_by_side;
    const int system = thread & (systems - 1), number = thread / systems;
    const OwnChunk<T> own(p, static_cast<Index>(blockIdx.x) * systems + system, number);
    Chunk<T, K> chunk;
    const Ends<T> ends = load(chunk, own);

    // The threads of a warp solve for chunks of the same systems. A number of a chunk's lies apart
    // from the next one, and a system begins a number later, so that banks differ.
    const int pitch = chunks + 1, size = systems * pitch;
    T* const shared = reinterpret_cast<T*>(memory);
    T* const here = shared + system * pitch + number;
    const T numbers[] = {ends.last.left,  ends.last.right,  ends.last.known,
                         ends.first.left, ends.first.right, ends.first.known};
#pragma unroll
    for (int i = 0; i < 6; ++i) here[i * size] = numbers[i];
    __syncthreads();
    const int solved = thread / chunks, rank = thread & (chunks - 1);
    T* const there = shared + solved * pitch + rank;
    const Ends<T> of_rank{{there[0], there[size], there[2 * size]},
                          {there[3 * size], there[4 * size], there[5 * size]}};
    const LastUnknowns<T> solution = solve_interface(of_rank, chunks, p.matrices.cyclic,
                                                     reinterpret_cast<Ends<T>*>(shared + 6 * size));
    there[0] = solution.own;  // which only this thread has read
    there[size] = solution.before;
    __syncthreads();

    if (own.missing == K) return;
    T* to = &p.x(own.line, own.row(K - 1));
    chunk.substitute(here[size], here[0], [&](int k, T x) {
      if (own.has(k)) *to = x;
      to -= p.x.stride;
    });
  }

 private:
  __device__ Ends<T> load(Chunk<T, K>& chunk, const OwnChunk<T>& own) const {
    T number[4][K];
    const Lines<const T> arrays[] = {p.matrices.lower, p.matrices.diagonal, p.matrices.upper,
                                     p.right};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const T* from = &arrays[i](own.line, own.row(0));
#pragma unroll
      for (int k = 0; k < K; ++k) {
        bool needed = own.has(k);
        if (!Factored && i == 0) needed &= !own.has_first_row(k);
        if (!Factored && i == 2 && k == K - 1) needed &= !own.is_last;
        number[i][k] = T(0);
        if (needed) number[i][k] = *from;
        from += arrays[i].stride;
      }
    }
    return eliminate<Factored, T>(chunk, own, p, [&](int i, int k) { return number[i][k]; });
  }
};

/// @brief A block for systems that lie behind each other: the chunks of a system belong to
/// neighbouring threads. Tiles go through shared memory, from threads that load neighbouring
/// numbers to those that need them. A tile is that of a warp, or of the block if a system needs
/// more than a warp.
template <class T, bool Factored>
struct ContiguousBlock {
  using Parameters = ColumnParameters<T, Factored>;
  static constexpr int block_threads = most_threads;
  static constexpr int memory_alignment = 16;
  static constexpr bool any_mover = true;
  static constexpr int K = chunk_rows<T>;

  const Parameters& p;
  char* memory;

  static constexpr std::size_t shared_bytes(int threads) {
    return static_cast<std::size_t>(threads) * 4 * K * sizeof(T) +
           static_cast<std::size_t>(threads / gpu::warp_size) * sizeof(Ends<T>);
  }

  __device__ void run() const {
    const int chunks = p.chunks.count;
    const bool of_warp = chunks <= gpu::warp_size;
    const int threads = of_warp ? gpu::warp_size : static_cast<int>(blockDim.x);
    const int tile = of_warp ? gpu::warp() : 0;
    const int thread = of_warp ? gpu::lane() : static_cast<int>(threadIdx.x);
    const int systems = threads / chunks, n = static_cast<int>(p.extents.length);
    const Index first_line =
        (static_cast<Index>(blockIdx.x) * (of_warp ? gpu::warps() : 1) + tile) * systems;
    const Index lines_left = p.extents.lines - first_line;
    const int numbers = lines_left <= 0        ? 0
                        : lines_left < systems ? static_cast<int>(lines_left) * n
                                               : systems * n;
    T* const shared = reinterpret_cast<T*>(memory) + tile * threads * 4 * K;
    const int size = threads * K;  // of an array

    const Lines<const T> arrays[] = {p.matrices.lower, p.matrices.diagonal, p.matrices.upper,
                                     p.right};
    for_each_number(thread, threads, numbers, [&](int i, int system, int row) {
#pragma unroll
      for (int array = 0; array < 4; ++array)
        gpu::copy_async<sizeof(T)>(shared + array * size + place(i),
                                   &arrays[array](first_line + system, row));
    });
    gpu::commit_async_copies();
    gpu::wait_for_async_copies<0>();
    sync(of_warp);

    const int system = thread / chunks;
    const OwnChunk<T> own(p, first_line + system, thread & (chunks - 1));
    const int begin = system * n + own.row(0);  // perhaps of rows that the chunk does not have
    Chunk<T, K> chunk;
    const Ends<T> ends = eliminate<Factored, T>(
        chunk, own, p, [&](int array, int k) { return shared[array * size + place(begin + k)]; });
    const LastUnknowns<T> solution =
        solve_interface(ends, chunks, p.matrices.cyclic,
                        reinterpret_cast<Ends<T>*>(reinterpret_cast<T*>(memory) +
                                                   static_cast<int>(blockDim.x) * 4 * K));
    T* const x = shared + 3 * size;  // in place of the chunk's right-hand side
    chunk.substitute(solution.before, solution.own, [&](int k, T value) {
      if (own.has(k)) x[place(begin + k)] = value;
    });
    sync(of_warp);
    for_each_number(thread, threads, numbers,
                    [&](int i, int of, int row) { p.x(first_line + of, row) = x[place(i)]; });
  }

 private:
  /// @brief Calls f(i, system, row) for the tile's numbers i that are the thread's to move.
  template <class F>
  __device__ void for_each_number(int thread, int threads, int numbers, const F& f) const {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const int i = k * threads + thread;
      // Exact for a warp's tile; no system but the first has the reciprocal zero.
      const int system = static_cast<int>((static_cast<std::uint32_t>(i) * p.reciprocal) >> 20);
      if (i < numbers) f(i, system, i - system * static_cast<int>(p.extents.length));
    }
  }
  /// @brief Where number i of a tile is: threads that read numbers K apart find them in different
  /// banks.
  static __device__ int place(int i) {
    constexpr int row_of_banks = 128 / sizeof(T);
    return i ^ (i / row_of_banks & (K - 1));
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
