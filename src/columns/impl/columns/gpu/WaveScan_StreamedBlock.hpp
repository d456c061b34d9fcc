// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_STREAMEDBLOCK_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_STREAMEDBLOCK_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/columns/gpu/WaveScan_BandRows.hpp>
#include <impl/columns/gpu/WaveScan_InterleavedBlock.hpp>

#include <cstddef>

/// @file
/// @brief Long systems side by side in one pass, by blocks that take some after the others.

namespace wavescan::Impl::columns {

/// @brief Whether shared memory has room for what is on its way to all threads with registers.
inline constexpr bool has_room_for_streams = gpu::block_memory >= 160 * 1024;

/// @brief Whether systems go through streams: of all bands only rows of tridiagonal matrices leave
/// registers for twice as many in a chunk.
template <int M>
inline constexpr bool has_streams =
    M == 1 && gpu::mover != gpu::Mover::Plain&& has_room_for_streams;

/// @brief Rows of a chunk.
template <class T>
inline constexpr int stream_rows = 2 * chunk_rows<T>;

/// @brief A block for systems that lie side by side and are long: it has as many as fit in a
/// multiprocessor's registers when they have been eliminated, so that its rows are long in memory.
///
/// No registers are left for numbers on their way. These go through shared memory: a thread copies
/// some rows of its chunk ahead, and behind the last ones the first ones of its next chunk, which
/// arrive while the interface systems of this one are solved. What a row knows waits there, too.
/// A number is copied, read and kept by the same thread.
template <class T, int M, bool Factored, bool Whole>
struct StreamedBlock {
  using Rows = BandRows<T, M, Factored, Whole>;
  using Parameters = typename Rows::Parameters;
  static constexpr int block_threads = has_room_for_streams ? 512 : 128;
  static constexpr int memory_alignment = 16;
  static constexpr bool any_mover = true;
  static constexpr int K = stream_rows<T>, arrays = Rows::arrays;
  static constexpr int ahead = K / 4;  ///< rows
  static_assert(K % ahead == 0, "a row's place is that of the row so many before");
  using Own = OwnChunk<K, Whole>;

  const Parameters& p;
  char* memory;

  static constexpr std::size_t rows_bytes = sizeof(T) * (arrays * ahead + K) * block_threads;
  static std::size_t shared_bytes(const ChunkedSystems& p) {
    return rows_bytes + SideBySide<T, M>::shared_bytes(p);
  }

  __device__ void run() const {
    const SideBySide<T, M> side_by_side{p, memory + rows_bytes};
    const Index tiles = (p.extents.lines + p.side_by_side - 1) / p.side_by_side,
                at_once = static_cast<Index>(gridDim.x) / p.cluster;
    Index tile = static_cast<Index>(blockIdx.x) / p.cluster;
    const auto own_of = [&](Index of) {
      return Own(p, of * p.side_by_side + side_by_side.system(),
                 p.rank_of_block() * side_by_side.chunks() + side_by_side.chunk());
    };
    Stream stream(*this, own_of(tile), tile < tiles);
#pragma unroll
    for (int k = 0; k < ahead; ++k) stream.copy(k);
    for (; tile < tiles; tile += at_once) {
      const Own own = own_of(tile);
      Chunk<T, K, M> chunk;
      auto e = ForwardElimination<T, M>::behind_chunk(own.missing);
#pragma unroll
      for (int k = 0; k < K; ++k) {
        gpu::wait_for_async_copies<ahead - 1>();
        T number[arrays];
#pragma unroll
        for (int i = 0; i < arrays; ++i) number[i] = *stream.place(k, i);
        const auto row = Rows::factored_row(e, [&](int i) { return number[i]; });
        chunk.row[k] = e.push(row, number[arrays - 1]);
        *stream.place_of_known(k) = chunk.row[k].known;
        if (k + ahead == K) stream.turn_to(own_of(tile + at_once), tile + at_once < tiles);
        stream.copy((k + ahead) % K);
      }
      const auto row_at = [&](int k) {
        BandRow<T, M> row = chunk.row[k];
        row.known = *stream.place_of_known(k);
        return row;
      };
      const LastUnknowns<T, M> solution = side_by_side.solve(chunk.ends(own.missing, e, row_at));
      if (!own.is_there) continue;
      T* to = &p.x(own.line, own.row(K - 1));
      chunk.substitute(
          solution.before, solution.own,
          [&](int k, T x) {
            if (own.has(k)) *to = x;
            to -= p.x.stride;
          },
          row_at);
    }
    gpu::wait_for_async_copies<0>();
    if (p.cluster != 1) gpu::sync_cluster();  // others have read from the block's shared memory
  }

 private:
  /// @brief The rows of a thread's chunks on their way to shared memory.
  class Stream {
   public:
    __device__ Stream(const StreamedBlock& block, const Own& own, bool there)
        : p(block.p),
          memory_(reinterpret_cast<T*>(block.memory) + threadIdx.x),
          missing_(own.missing),
          is_first_(own.is_first),
          is_last_(own.is_last) {
      turn_to(own, there);
    }
    /// @brief Goes on to the rows of another tile's chunk.
    /// @param there whether there is that tile
    __device__ void turn_to(const Own& own, bool there) {
      line_ = own.is_there ? own.line : p.extents.lines - 1;
      is_there_ = there;
#pragma unroll
      for (int i = 0; i < arrays; ++i) from_[i] = &Rows::array(p, i)(line_, own.row(0));
    }
    /// @brief The place at which number `i` of row k arrives.
    __device__ T* place(int k, int i) const {
      return memory_ + (k % ahead * arrays + i) * block_threads;
    }
    __device__ T* place_of_known(int k) const {
      return memory_ + (ahead * arrays + k) * block_threads;
    }
    /// @brief Starts to copy row k, the next one; all of its numbers are written, whether they are
    /// in memory or not.
    __device__ void copy(int k) {
      const bool has = Whole || k >= missing_;
#pragma unroll
      for (int i = 0; i < arrays; ++i) {
        const T* from = from_[i];
        from_[i] += Rows::array(p, i).stride;
        bool wanted = is_there_ && has;
        if (!has) *place(k, i) = number_of_no_row<T, M>(i);
        const int offset = i - M;
        if (!Factored && has && reaches_beyond(k, offset)) {
          if (!p.cyclic) {
            wanted = false;
            *place(k, i) = T(0);
          } else if (wanted) {
            from = p.matrices.place_beyond_ends(
                offset, line_, offset < 0 ? k - missing_ : p.extents.length - (K - k));
          }
        }
        gpu::copy_async_if<sizeof(T)>(wanted, place(k, i), from);
      }
      gpu::commit_async_copies();
    }

   private:
    __device__ bool reaches_beyond(int k, int offset) const {
      if (offset < 0) return is_first_ && k - missing_ < -offset;
      return offset > 0 && offset <= M && K - 1 - k < offset && is_last_;
    }

    const Parameters& p;
    T* memory_;
    const T* from_[arrays];
    Index line_;
    int missing_;
    bool is_first_, is_last_, is_there_;
  };
};

/// @brief Whether systems are solved by such blocks: from a length on from which others have a
/// multiprocessor for themselves, and wait for memory and for each other in turn.
template <class T, int M>
bool are_streamed(const Lines<T>& lines, Index length) {
  constexpr Index longest_in_small_blocks = 128;
  return has_streams<M> && lines.line_stride == 1 && lines.stride != 1 &&
         length > longest_in_small_blocks;
}

}  // namespace wavescan::Impl::columns

#endif
