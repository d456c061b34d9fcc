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
#include <impl/columns/WaveScan_BandElimination.hpp>
#include <impl/columns/WaveScan_Systems.hpp>
#include <impl/columns/gpu/WaveScan_Chunk.hpp>
#include <impl/columns/gpu/WaveScan_InterfaceSystem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// @file
/// @brief Blocks that solve systems in one pass: each thread has a chunk in registers, all numbers
/// are read once and x is written once.

namespace wavescan::Impl::columns {

/// @brief Rows of a chunk, of which a thread has 2 M + 1 numbers each in registers.
template <class T>
inline constexpr int chunk_rows = sizeof(T) == 4 ? 16 : 8;

/// @brief Most threads of a block, and so the registers that each may have.
template <int M>
inline constexpr int most_threads = M == 1 ? 512 : 256;

/// @brief What a kernel is given.
template <class T, int M>
struct ColumnParameters {
  Matrices<T, M> matrices;
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

/// @brief Numbers that are not needed as they are in memory: those that reach beyond the ends.
template <class T, int M>
struct EndNumbers {
  T lower[M][M], upper[M][M];  ///< of x_{i-1-j}, or x_{i+1+j}; of the row so far from the end

  template <class Own>
  __device__ EndNumbers(const ColumnParameters<T, M>& p, const Own& own) {
#pragma unroll
    for (int j = 0; j < M; ++j)
#pragma unroll
      for (int r = 0; r <= j; ++r) {
        lower[j][r] = upper[j][r] = T(0);
        if (!p.matrices.cyclic || !own.is_there || r >= p.extents.length) continue;
        if (own.is_first) lower[j][r] = p.matrices.beyond_ends(-1 - j, own.line, r);
        if (own.is_last)
          upper[j][r] = p.matrices.beyond_ends(1 + j, own.line, p.extents.length - 1 - r);
      }
  }
};

/// @brief What is common to blocks.
/// @tparam Factored whether matrices have been factorized
/// @tparam Whole    whether chunks of all threads have K rows
template <class T, int M, bool Factored, bool Whole>
struct ColumnBlock {
  using Parameters = ColumnParameters<T, M>;
  static constexpr int block_threads = most_threads<M>;
  static constexpr int memory_alignment = 16;
  static constexpr bool any_mover = true;
  static constexpr int K = chunk_rows<T>;
  static constexpr int arrays = 2 * M + 2;  ///< diagonals, and right-hand sides

  const Parameters& p;
  char* memory;

 protected:
  __device__ const Lines<const T>& array(int i) const {
    return i <= 2 * M ? p.matrices.diagonal[i] : p.right;
  }
  /// @brief The number of a block among those that share a system.
  __device__ int rank_of_block() const { return p.cluster == 1 ? 0 : gpu::cluster_rank(); }

  /// @brief What row k of K needs of array i: what `load()` finds in memory, or what stands in
  /// place of that.
  /// @tparam Always whether there is something to find, even if it is not needed
  template <bool Always, class Load>
  static __device__ T number_of(int i, int k, const OwnChunk<T, Whole>& own,
                                const EndNumbers<T, M>& ends, const Load& load) {
    T number = number_of_no_row<T, M>(i);
    bool in_memory = own.has(k);
    if (!Factored && i < M && own.is_first) {
      const int j = M - 1 - i;
#pragma unroll
      for (int r = 0; r <= j; ++r)
        if (k == own.missing + r) {
          number = ends.lower[j][r];
          in_memory = false;
        }
    }
    const int j = i - M - 1, r = K - 1 - k;
    if (!Factored && i > M && i <= 2 * M && r <= j && own.is_last && (r == 0 || own.has(k))) {
      number = ends.upper[j][r];
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
  template <class First = gpu::Reciprocal, class Number>
  static __device__ Ends<T, M> eliminate(Chunk<T, K, M>& chunk, int missing, const Number& number) {
    const auto row_of = [&](int k, const ForwardElimination<T, M>& before) {
      const auto of_row = [&](int i) { return number(i, k); };
      if constexpr (Factored) {
        FactoredBandRow<T, M> row;
        row.inverse = of_row(M);
#pragma unroll
        for (int j = 0; j < M; ++j) {
          row.lower[j] = of_row(M - 1 - j);
          row.upper[j] = of_row(M + 1 + j);
        }
        return row;
      } else {
        return k == 0 ? before.factor(of_row, First()) : before.factor(of_row, gpu::Reciprocal());
      }
    };
    return chunk.eliminate(missing, row_of, [&](int k) { return number(arrays - 1, k); });
  }
};

/// @brief A block for systems that lie side by side: neighbouring threads have neighbouring
/// systems, and load rows of these straight to registers. What the chunks of a system need of each
/// other goes through shared memory.
template <class T, int M, bool Factored, bool Whole>
struct InterleavedBlock : ColumnBlock<T, M, Factored, Whole> {
  using Base = ColumnBlock<T, M, Factored, Whole>;
  using Base::arrays, Base::K, Base::p, Base::memory;
  using typename Base::Parameters;

  static std::size_t shared_bytes(const Parameters& p) {
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
    const OwnChunk<T, Whole> own(p, static_cast<Index>(blockIdx.x / p.cluster) * systems + system,
                                 this->rank_of_block() * chunks + number);
    Chunk<T, K, M> chunk;

    // The lanes of a warp solve for chunks of the same systems. A number of a chunk's lies apart
    // from the next one, and a system begins a number later, so that banks differ.
    const int pitch = chunks + 1, size = systems * pitch;
    T* const shared = reinterpret_cast<T*>(memory);
    T* const here = shared + system * pitch + number;
    store_apart(here, size, load(chunk, own));
    __syncthreads();
    const int solved = thread / chunks, rank = thread & (chunks - 1);
    T* const there = shared + solved * pitch + rank;
    using Solution = LastUnknowns<T, M>;
    const Solution solution =
        solve_interface(load_apart<Ends<T, M>>(there, size), threads, p.matrices.cyclic,
                        reinterpret_cast<Ends<T, M>*>(shared + numbers_of<Ends<T, M>> * size));
    store_apart(there, size, solution);  // where only this thread has read
    sync_blocks(p.cluster);

    if (!own.is_there) return;
    const auto last = load_apart<Solution>(here, size);
    T* to = &p.x(own.line, own.row(K - 1));
    chunk.substitute(last.before, last.own, [&](int k, T x) {
      if (own.has(k)) *to = x;
      to -= p.x.stride;
    });
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

  __device__ Ends<T, M> load(Chunk<T, K, M>& chunk, const OwnChunk<T, Whole>& own) const {
    const EndNumbers<T, M> ends(p, own);
    T numbers[arrays][K];  // all are on their way before the first one is needed
    const Index line = own.is_there ? own.line : p.extents.lines - 1;
#pragma unroll
    for (int i = 0; i < arrays; ++i) {
      const T* from = &this->array(i)(line, own.row(0));
#pragma unroll
      for (int k = 0; k < K; ++k) {
        numbers[i][k] = Base::template number_of<false>(i, k, own, ends, [&] { return *from; });
        from += this->array(i).stride;
      }
    }
    // The branch in a division keeps the compiler from starting the loads as late as it can. Only
    // floats in whole chunks are faster without it (H200, by 8 to 26 %).
    using First = std::conditional_t<sizeof(T) == 4 && Whole, gpu::Reciprocal, Invert>;
    return Base::template eliminate<First>(chunk, own.missing,
                                           [&](int i, int k) { return numbers[i][k]; });
  }
};

/// @brief A block for systems that lie behind each other: the chunks of a system belong to
/// neighbouring threads. Tiles go through shared memory, from threads that load neighbouring
/// numbers to those that need them. A tile is that of a warp, or of the block if a system needs
/// more than a warp.
template <class T, int M, bool Factored, bool Whole>
struct ContiguousBlock : ColumnBlock<T, M, Factored, Whole> {
  using Base = ColumnBlock<T, M, Factored, Whole>;
  using Base::arrays, Base::K, Base::p, Base::memory;

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
    const int first_chunk = this->rank_of_block() * chunks;
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
    const OwnChunk<T, Whole> own(p, first_line + system, first_chunk + (thread & (chunks - 1)));
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
    const Ends<T, M> ends = Base::eliminate(chunk, own.missing, [&](int i, int k) {
      // Rows before the chunk's own are read, too, and not used; racecheck could not know.
      return Base::template number_of<!gpu::shows_flags>(
          i, k, own, end_numbers, [&] { return tile.of(i)[place_of_row(k)]; });
    });
    const LastUnknowns<T, M> solution =
        solve_interface(ends, chunk_threads, p.matrices.cyclic,
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

  __device__ void load(const Tile& tile, Index first_line, int first_row, bool dense) const {
    if (dense) {
      const int first = place(tile.first);
#pragma unroll
      for (int i = 0; i < arrays; ++i) {
        const T* const from = &this->array(i)(first_line, first_row) + tile.first;
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
                                     &this->array(i)(first_line + system, at));
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
