// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_COLUMNBLOCKS_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_COLUMNBLOCKS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_Barrier.hpp>
#include <impl/WaveScan_Gpu_Cluster.hpp>
#include <impl/WaveScan_Gpu_Reciprocal.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/columns/WaveScan_Equations.hpp>
#include <impl/columns/WaveScan_Systems.hpp>
#include <impl/columns/gpu/WaveScan_Chunk.hpp>
#include <impl/columns/gpu/WaveScan_InterfaceSystem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

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
  int cluster = 1;       ///< blocks that share a system
  int side_by_side = 1;  ///< systems of a block, of which each thread has one
  /// Of contiguous systems: all lines of a tile are one run of memory, in every array; and the
  /// reciprocal of the length, times 2^20, where a tile has several lines.
  bool dense = false;
  std::uint32_t reciprocal = 0;
};

/// @brief The number of a block among those that share a system.
template <class Parameters>
__device__ int rank_of_block(const Parameters& p) {
  return p.cluster == 1 ? 0 : gpu::cluster_rank();
}
/// @brief Keeps a block's shared memory until others have read it.
template <class Parameters>
__device__ void leave_cluster(const Parameters& p) {
  if (p.cluster != 1) gpu::sync_cluster();
}

/// @brief A thread's chunk.
/// @tparam Whole whether chunks of all threads have K rows
template <class T, bool Whole>
struct OwnChunk {
  static constexpr int K = chunk_rows<T>;
  Index line;
  int begin;    ///< its first row
  int missing;  ///< rows of K that it does not have
  bool is_first, is_last;
  bool is_there;  ///< not behind the last line

  template <class Parameters>
  __device__ OwnChunk(const Parameters& p, Index own_line, int number)
      : line(own_line),
        begin(Whole ? number * K : p.chunks.begin(number)),
        missing(Whole ? 0 : K - p.chunks.rows(number)),
        is_first(number == 0),
        is_last(number == p.chunks.count - 1),
        is_there(own_line < p.extents.lines) {}
  /// @brief Where row k of K is in the system.
  __device__ int row(int k) const { return begin + k - missing; }
  __device__ bool has(int k) const { return Whole || k >= missing; }
};

/// @brief Numbers that are not needed as they are in memory: those at a system's ends.
template <class T>
struct EndNumbers {
  T lower_of_first = 0, upper_of_last = 0;

  template <class Parameters, class Own>
  __device__ EndNumbers(const Parameters& p, const Own& own) {
    if (!p.matrices.cyclic || !own.is_there) return;
    if (own.is_first) lower_of_first = p.matrices.lower_of_first(own.line);
    if (own.is_last) upper_of_last = p.matrices.upper_of_last(own.line);
  }
};

/// @brief What row k of K needs of lower (array 0), diagonal, upper, or right (3): what `load()`
/// finds in memory, or what stands in place of that.
/// @tparam Always whether there is something to find, even if it is not needed
template <bool Factored, bool Always, class T, bool Whole, class Load>
__device__ T number_of(int array, int k, const OwnChunk<T, Whole>& own, const EndNumbers<T>& ends,
                       const Load& load) {
  T number = number_of_no_row<T>(array);
  bool in_memory = own.has(k);
  if (!Factored && array == 0 && own.is_first && k == own.missing) {
    number = ends.lower_of_first;
    in_memory = false;
  }
  if (!Factored && array == 2 && own.is_last && k == chunk_rows<T> - 1) {
    number = ends.upper_of_last;
    in_memory = false;
  }
  if constexpr (Always) {
    const T found = load();
    return in_memory ? found : number;
  } else {
    if (in_memory) number = load();
    return number;
  }
}

/// @brief Eliminates within a chunk, whose numbers `number(array, k)` returns.
/// @tparam First inverts the first pivot
template <bool Factored, class First = gpu::Reciprocal, class T, class Number>
__device__ Ends<T> eliminate(Chunk<T, chunk_rows<T>>& chunk, int missing, const Number& number) {
  const auto row_of = [&](int k, const Equation<T>& before) {
    if constexpr (Factored)
      return FactoredRow<T>{number(0, k), number(1, k), number(2, k)};
    else
      return k == 0 ? FactoredRow<T>::of(number(0, k), number(1, k), number(2, k), before, First())
                    : FactoredRow<T>::of(number(0, k), number(1, k), number(2, k), before,
                                         gpu::Reciprocal());
  };
  return chunk.eliminate(missing, row_of, [&](int k) { return number(3, k); });
}

/// @brief A block for systems that lie side by side: neighbouring threads have neighbouring
/// systems, and load rows of these straight to registers. What the chunks of a system need of each
/// other goes through shared memory.
template <class T, bool Factored, bool Whole>
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
    const auto chunks = static_cast<std::size_t>(p.chunks.count / p.cluster),
               systems = static_cast<std::size_t>(p.side_by_side);
    return (systems * (chunks + 1) +
            systems * chunks / std::min(chunks, std::size_t(gpu::warp_size))) *
           sizeof(Ends<T>);
  }

  __device__ void run() const {
    const int thread = static_cast<int>(threadIdx.x);
    const ChunkThreads threads{p.chunks.count, p.cluster};
    const int chunks = threads.of_block(), systems = p.side_by_side;
    const int system = thread & (systems - 1), number = thread / systems;
    const OwnChunk<T, Whole> own(p, static_cast<Index>(blockIdx.x / p.cluster) * systems + system,
                                 rank_of_block(p) * chunks + number);
    Chunk<T, K> chunk;
    const Ends<T> ends = load(chunk, own);

    // The lanes of a warp solve for chunks of the same systems. A number of a chunk's lies apart
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
    const LastUnknowns<T> solution = solve_interface(of_rank, threads, p.matrices.cyclic,
                                                     reinterpret_cast<Ends<T>*>(shared + 6 * size));
    there[0] = solution.own;  // which only this thread has read
    there[size] = solution.before;
    sync_blocks(p.cluster);

    if (!own.is_there) return;
    T* to = &p.x(own.line, own.row(K - 1));
    chunk.substitute(here[size], here[0], [&](int k, T x) {
      if (own.has(k)) *to = x;
      to -= p.x.stride;
    });
  }

 private:
  __device__ Ends<T> load(Chunk<T, K>& chunk, const OwnChunk<T, Whole>& own) const {
    const EndNumbers<T> ends(p, own);
    T numbers[4][K];  // all are on their way before the first one is needed
    const Index line = own.is_there ? own.line : p.extents.lines - 1;
    const Lines<const T> arrays[] = {p.matrices.lower, p.matrices.diagonal, p.matrices.upper,
                                     p.right};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const T* from = &arrays[i](line, own.row(0));
#pragma unroll
      for (int k = 0; k < K; ++k) {
        numbers[i][k] = number_of<Factored, false>(i, k, own, ends, [&] { return *from; });
        from += arrays[i].stride;
      }
    }
    // The branch in a division keeps the compiler from starting the loads as late as it can: with
    // it, doubles are 7 to 18 % faster and floats 5 to 15 % slower (H200).
    using First = std::conditional_t<sizeof(T) == 4, gpu::Reciprocal, Invert>;
    return eliminate<Factored, First>(chunk, own.missing,
                                      [&](int i, int k) { return numbers[i][k]; });
  }
};

/// @brief A block for systems that lie behind each other: the chunks of a system belong to
/// neighbouring threads. Tiles go through shared memory, from threads that load neighbouring
/// numbers to those that need them. A tile is that of a warp, or of the block if a system needs
/// more than a warp.
template <class T, bool Factored, bool Whole>
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
    const int first_chunk = rank_of_block(p) * chunks;
    const int first_row = p.chunks.begin(first_chunk),
              rows = p.chunks.begin(first_chunk + chunks) - first_row;
    const Index lines_left = p.extents.lines - first_line;
    T* const shared = reinterpret_cast<T*>(memory) + (of_warp ? gpu::warp() * 4 * threads * K : 0);
    const Tile tile{shared, threads * K,
                    (of_warp ? 0 : gpu::warp()) * gpu::warp_size * K + gpu::lane(),
                    lines_left <= 0        ? 0
                    : lines_left < systems ? static_cast<int>(lines_left) * rows
                                           : systems * rows};
    load(tile, first_line, first_row);
    sync(of_warp);

    const int system = thread / chunks;
    const OwnChunk<T, Whole> own(p, first_line + system, first_chunk + (thread & (chunks - 1)));
    const EndNumbers<T> end_numbers(p, own);
    const int begin =
        system * rows + own.row(0) - first_row;  // perhaps of rows that the chunk does not have
    const auto place_of_row = [&](int k) {
      if constexpr (Whole)
        return place(begin) ^ k;
      else
        return place(begin + k < 0 ? 0 : begin + k);
    };
    Chunk<T, K> chunk;
    const Ends<T> ends = eliminate<Factored>(chunk, own.missing, [&](int array, int k) {
      // Rows before the chunk's own are read, too, and not used; racecheck could not know.
      return number_of<Factored, !gpu::shows_flags>(
          array, k, own, end_numbers, [&] { return tile.of(array)[place_of_row(k)]; });
    });
    const LastUnknowns<T> solution =
        solve_interface(ends, chunk_threads, p.matrices.cyclic,
                        reinterpret_cast<Ends<T>*>(reinterpret_cast<T*>(memory) +
                                                   static_cast<int>(blockDim.x) * 4 * K));
    T* const x = tile.of(3);  // in place of the chunk's right-hand side
    chunk.substitute(solution.before, solution.own, [&](int k, T value) {
      if (own.has(k)) x[place_of_row(k)] = value;
    });
    sync(of_warp);
    store(tile, first_line, first_row);
    leave_cluster(p);
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
  /// @brief Where number i of a tile is: threads that read numbers K apart find them in different
  /// banks.
  static __device__ int place(int i) {
    return i ^ static_cast<int>(static_cast<unsigned>(i) / row_of_banks & (K - 1));
  }
  /// @brief The same for number k of those that a thread moves, of which the first one is at
  /// `first`.
  static __device__ int place(int first, int k) {
    return (first ^ (k * gpu::warp_size / row_of_banks & (K - 1))) + k * gpu::warp_size;
  }

  __device__ void load(const Tile& tile, Index first_line, int first_row) const {
    const Lines<const T> arrays[] = {p.matrices.lower, p.matrices.diagonal, p.matrices.upper,
                                     p.right};
    if (p.dense) {
      const int first = place(tile.first);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const T* const from = &arrays[i](first_line, first_row) + tile.first;
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
        for (int i = 0; i < 4; ++i) {
          // Of transposed matrices these lie outside of the Views; EndNumbers has what is needed.
          if (!Factored && ((i == 0 && at == 0) || (i == 2 && at == p.extents.length - 1)))
            continue;
          gpu::copy_async<sizeof(T)>(tile.of(i) + place(number),
                                     &arrays[i](first_line + system, at));
        }
      });
    }
    gpu::commit_async_copies();
    gpu::wait_for_async_copies<0>();
  }
  __device__ void store(const Tile& tile, Index first_line, int first_row) const {
    const T* const x = tile.of(3);
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
