// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_MOVER_HPP
#define WAVESCAN_IMPL_GPU_MOVER_HPP

#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_Barrier.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_StreamingStore.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>

#include <cstdint>

/// @file
/// @brief Moves of tiles into shared memory and out of it: by the means of the GPUs that are
/// compiled for. Kernels are the same for all movers.
///
/// | mover | moves by | who |
/// |---|---|---|
/// | bulk (compute capability 9.0) | copies of any number of 16-byte words | a thread |
/// | async (8.0) | copies of a word to shared memory, which go on by themselves | a warp |
/// | plain (any GPU) | loads to registers | groups of warps, which take tiles in turn |
///
/// A plain mover's loads are on their way before their stage may be written: a group has a tile in
/// registers while others use those in shared memory.
///
/// A word of shared memory is filled and emptied by the same thread, whatever the tile: so a stage
/// may be filled again as soon as its thread has emptied it. Rings whose tiles a plain mover stores
/// have whole_rounds of stages, so that each group has its own.

namespace wavescan::Impl::gpu {

enum class Mover { Plain, Async, Bulk };

/// @brief The mover of this program.
inline constexpr Mover mover = compiled_device.has_bulk_copies()    ? Mover::Bulk
                               : compiled_device.has_async_copies() ? Mover::Async
                                                                    : Mover::Plain;

/// @brief Shared memory that a block may have on the GPUs that are compiled for.
inline constexpr int block_memory = [] {
  const int kilobytes = compiled_capability >= 120                               ? 99
                        : compiled_capability >= 90                              ? 227
                        : compiled_capability == 80 || compiled_capability == 87 ? 163
                        : compiled_capability >= 86                              ? 99
                        : compiled_capability == 70 || compiled_capability == 72 ? 96
                        : compiled_capability == 0 || compiled_capability == 75  ? 64
                                                                                 : 48;
  return kilobytes * 1024;
}();

/// @brief Whether the mover is bulk and a block may have as much as on Hopper, which other GPUs
/// with bulk copies have not.
inline constexpr bool has_hopper_memory = mover == Mover::Bulk && block_memory > 200 * 1024;

/// @brief Groups of warps that take tiles in turn.
inline constexpr int mover_groups = mover == Mover::Plain ? 2 : 1;
/// @brief The warps of a group.
inline constexpr int group_warps = mover == Mover::Plain ? 128 / warp_size : 1;
/// @brief Warps of a block that do nothing but move tiles.
inline constexpr int mover_warps = mover_groups * group_warps;

/// @brief Rounds a number of stages down, so that each group has as many as the others.
consteval int whole_rounds(int stages) { return stages / mover_groups * mover_groups; }

/// @brief The number of times that a warp arrives with what its lanes have loaded.
inline constexpr int loading_arrivals = (mover == Mover::Async ? warp_size : 0) + arrivals_of_warp;
/// @brief The warp arrives: with copies that are on their way, and with what lanes have stored.
__device__ inline void arrive_with_loads(Barrier& barrier) {
  if constexpr (mover == Mover::Async) barrier.arrive_after_copies();
  arrive_as_warp(barrier);
}

/// @brief The number of arrivals when a tile has been stored: of a thread if the mover is bulk,
/// else of a warp.
inline constexpr int storing_arrivals = mover == Mover::Bulk ? 1 : arrivals_of_warp;

/// @brief The number of arrivals when a tile has been filled.
inline constexpr int mover_arrivals = mover == Mover::Bulk ? 1 : group_warps * loading_arrivals;

/// @brief An action before a moving thread first writes to a stage: it is called often, and done
/// once.
template <class Act>
class BeforeWriting {
 public:
  __device__ explicit BeforeWriting(const Act& act) : act_(act) {}
  __device__ void operator()() {
    if (!done_) act_();
    done_ = true;
  }

 private:
  const Act& act_;
  bool done_ = false;
};

/// @brief One of the threads that move a block's tiles.
class MovingThread {
 public:
  /// @param first_warp that moves
  __device__ explicit MovingThread(int first_warp)
      : number_(static_cast<int>(threadIdx.x) - first_warp * warp_size),
        policy_(mover == Mover::Bulk ? stream_policy() : 0) {}

  /// @brief Whether the thread moves.
  /// @param lanes that do if the mover is bulk: several, if they take windows in turn
  static __device__ bool moves(int first_warp, int lanes = 1) {
    const int number = warp() - first_warp;
    return number >= 0 && number < mover_warps && (mover != Mover::Bulk || lane() < lanes);
  }
  /// @brief Brings a warp's lanes together: after a wait, which they leave one after the other, or
  /// to use barriers that the first of them has initialised.
  static __device__ void meet() {
    if constexpr (mover != Mover::Bulk) sync_warp();
  }

  /// @brief The block's tiles that the thread's group moves: the first one, and every so many.
  __device__ int first_tile() const {
    return mover_groups == 1 ? 0 : number_ / static_cast<int>(threads);
  }
  static constexpr int tile_step = mover_groups;
  /// @brief Whether the thread is the first one of its group.
  __device__ bool is_first() const { return mover == Mover::Bulk ? lane() == 0 : thread() == 0; }
  /// @brief Windows that a bulk mover's lanes take in turn, and other movers' threads together.
  static __device__ int first_window() { return mover == Mover::Bulk ? lane() : 0; }
  static constexpr int window_step = mover == Mover::Bulk ? warp_size : 1;

  /// @brief Starts to load 16-byte words.
  /// @return the bytes that will arrive at the barrier by themselves
  template <class Act>
  __device__ std::uint32_t load(char* to, const char* from, std::uint32_t bytes, Barrier& filled,
                                BeforeWriting<Act>& ready) const {
    if constexpr (mover == Mover::Bulk) {
      ready();
      bulk_load(to, from, bytes, &filled, policy_);
      return bytes;
    } else if constexpr (mover == Mover::Async) {
      ready();
      for (std::uint32_t i = first_of(to); i < bytes; i += stride)
        copy_async_once(to + i, from + i);
    } else {
      move<8>(
          first_of(to), bytes,
          [&](std::uint32_t i) { return load_streaming(reinterpret_cast<const uint4*>(from + i)); },
          [&] { ready(); },
          [&](std::uint32_t i, const uint4& word) { *reinterpret_cast<uint4*>(to + i) = word; });
    }
    return 0;
  }
  /// @brief Loads a few bytes of a 16-byte word.
  template <class Act>
  __device__ void load_rest(char* to, const char* from, int bytes,
                            BeforeWriting<Act>& ready) const {
    ready();
    if (!owns(to)) return;
    for (int i = 0; i < bytes; ++i) to[i] = from[i];
  }
  /// @brief Says that all loads of a tile have been started. All threads of the group call it.
  /// @param bytes of loads that arrive by themselves
  template <class Act>
  __device__ void fill(Barrier& filled, std::uint32_t bytes, BeforeWriting<Act>& ready) const {
    ready();
    if constexpr (mover == Mover::Bulk) {
      filled.arrive_expecting(bytes);
    } else {
      arrive_with_loads(filled);
    }
  }
  /// @brief Says that all loads of a tile have been started, where lanes have taken windows in
  /// turn.
  template <class Act>
  __device__ void fill_as_warp(Barrier& filled, std::uint32_t bytes,
                               BeforeWriting<Act>& ready) const {
    if constexpr (mover == Mover::Bulk) {
      ready();
      bytes = warp_reduce_to_first(bytes, Add());
      sync_warp();
      if (lane() != 0) return;
    }
    fill(filled, bytes, ready);
  }

  /// @brief Starts to store 16-byte words.
  __device__ void store(char* to, const char* from, std::uint32_t bytes) const {
    if constexpr (mover == Mover::Bulk)
      bulk_store(to, from, bytes, policy_);
    else
      move<4>(
          first_of(from), bytes,
          [&](std::uint32_t i) { return *reinterpret_cast<const uint4*>(from + i); }, [] {},
          [&](std::uint32_t i, const uint4& word) {
            store_word_streaming(reinterpret_cast<uint4*>(to + i), word);
          });
  }
  /// @brief Stores a few bytes of a 16-byte word.
  __device__ void store_rest(char* to, const char* from, int bytes) const {
    if (!owns(from)) return;
    for (int i = 0; i < bytes; ++i) to[i] = from[i];
  }

 private:
  /// Threads that move a tile together.
  static constexpr std::uint32_t threads = mover == Mover::Bulk ? 1 : group_warps * warp_size;
  static constexpr std::uint32_t stride = threads * 16;  ///< bytes

  /// @brief Moves the thread's words through registers, `Batch` at a time.
  template <int Batch, class Load, class Between, class Store>
  static __device__ void move(std::uint32_t first, std::uint32_t bytes, const Load& load,
                              const Between& between, const Store& store) {
    for (std::uint32_t i = first; i < bytes; i += Batch * stride) {
      uint4 word[Batch];
#pragma unroll
      for (int b = 0; b < Batch; ++b)
        if (i + b * stride < bytes) word[b] = load(i + b * stride);
      between();
#pragma unroll
      for (int b = 0; b < Batch; ++b)
        if (i + b * stride < bytes) store(i + b * stride, word[b]);
    }
  }

  /// @brief The number of a word of shared memory.
  static __device__ std::uint32_t word_of(const void* shared) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(shared)) / 16;
  }
  __device__ std::uint32_t thread() const { return static_cast<std::uint32_t>(number_) % threads; }
  __device__ bool owns(const void* shared) const {
    return mover == Mover::Bulk || word_of(shared) % threads == thread();
  }
  /// @brief The first of the thread's bytes from this word on.
  __device__ std::uint32_t first_of(const void* shared) const {
    return (thread() - word_of(shared)) % threads * 16;
  }

  int number_;
  std::uint64_t policy_;
};

}  // namespace wavescan::Impl::gpu

#endif
