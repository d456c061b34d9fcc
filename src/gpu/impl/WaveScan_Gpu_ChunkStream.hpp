// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_CHUNKSTREAM_HPP
#define WAVESCAN_IMPL_GPU_CHUNKSTREAM_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_AsyncCopy.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Spin.hpp>

#include <cstdint>

/// @file
/// @brief Streams of chunks from a block's shared memory to that of others, through device memory:
/// by the copy engine if the mover is bulk, else by a warp each. So warps that compute neither
/// fence nor ask (CUDA).
///
/// A chunk goes from a ring of stages to its own place in device memory, and from there, as a whole
/// or in parts, to rings of others. The sender's thread tells by a number that grows how many of
/// its chunks are there.
///
/// Why the memory order suffices: what threads put into a stage comes before the bulk store by the
/// barrier at which they arrive and the sender's fence between the proxies. The sender waits until
/// its stores are in memory, orders the proxies and releases the number; the receiver acquires it
/// and orders the proxies before it loads; who waits at the barrier of the load sees the bytes. A
/// warp's lanes store, and meet before one of them releases the number; each acquires it.
///
/// Why waits end: the sender waits for its own block only; the receiver for senders whose blocks
/// must be running, as those of earlier tasks in a queue are. Nothing is waited for that a receiver
/// does: each chunk has a place of its own.

namespace wavescan::Impl::gpu {

/// @brief A cache policy for data that somebody will load soon.
__device__ inline std::uint64_t reuse_policy() {
  std::uint64_t policy = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
#endif
  return policy;
}

/// @brief Chunks of a task in device memory.
struct ChunkStream {
  char* chunks;
  Index* sent;  ///< how many are there; zero at first
};

/// @brief The work of the warp that sends a task's chunks.
/// @param filled  chunk k has its stage when its turn there has passed
/// @param emptied the warp arrives, `storing_arrivals` times, when the stage may be filled again
/// @param first   the number of the task's first chunk among all that the ring has seen
/// @param bytes   of a chunk, a multiple of 16
/// @param stage   where in shared memory the stage of chunk k is, by stage(k)
template <int Stages, class Stage>
__device__ void send_chunks(const ChunkStream& to, Barrier (&filled)[Stages],
                            Barrier (&emptied)[Stages], int first, int count, std::uint32_t bytes,
                            const Stage& stage) {
  if constexpr (mover == Mover::Bulk) {
    if (lane() != 0) return;
    const std::uint64_t policy = reuse_policy();
    for (int sent = 0; sent < count;) {
      int end = sent;
      do {  // what is ready besides goes along
        wait_in_turn(filled, first + end);
        order_before_bulk_copies();
        bulk_store(to.chunks + Index(end) * bytes, stage(first + end), bytes, policy);
        ++end;
      } while (end < count && end - sent < Stages / 2 &&
               barrier_of(filled, first + end).passed((first + end) / Stages & 1));
      commit_stores();
      complete_stores();
      order_bulk_copies();
      store_release(to.sent, Index(end));
      for (; sent < end; ++sent) barrier_of(emptied, first + sent).arrive();
    }
  } else {
    for (int k = 0; k < count; ++k) {
      wait_in_turn(filled, first + k);
      sync_warp();
      const auto* const from = reinterpret_cast<const uint4*>(stage(first + k));
      auto* const chunk = reinterpret_cast<uint4*>(to.chunks + Index(k) * bytes);
#pragma unroll 4
      for (std::uint32_t i = lane(); i < bytes / 16; i += warp_size) chunk[i] = from[i];
      arrive_as_warp(barrier_of(emptied, first + k));
      if (lane() == 0) store_release(to.sent, Index(k + 1));
    }
  }
}

/// @brief A part of the chunks of a stream.
struct ChunkPart {
  ChunkStream from;  ///< without chunks: nothing comes
  int ahead;         ///< with chunk k comes their chunk k + ahead, if there is one
  std::uint32_t chunk_bytes;
  std::uint32_t offset;  ///< of the part in their chunks and in the own stages
  std::uint32_t bytes;   ///< multiples of 16

  __device__ bool comes(int k, int count) const {
    return from.chunks != nullptr && k + ahead < count;
  }
  /// @brief Waits until it is there.
  /// @param known how many chunks of the stream are
  __device__ const char* of_chunk(int k, Index& known) const {
    const Index theirs = k + ahead;
    if (known <= theirs) known = wait_until_at_least(from.sent, theirs + 1);
    return from.chunks + theirs * chunk_bytes + offset;
  }
};

/// @brief The work of the warp that receives what a task needs of others, in some parts.
/// @param part_of part_of(k) is the k-th part
/// @param arrived where those wait who need chunk k; the warp arrives receiver_arrivals times
/// @param used    when chunk k's turn has passed there, its stage is free
template <int Parts, int Stages, class PartOf, class Stage>
__device__ void receive_chunks(const PartOf& part_of, Barrier (&arrived)[Stages],
                               Barrier (&used)[Stages], int first, int count, const Stage& stage) {
  const auto await_stage = [&](int k) {
    if (first + k >= Stages) wait_in_turn(used, first + k - Stages);
  };
  if constexpr (mover == Mover::Bulk) {
    if (lane() >= Parts) return;
    const ChunkPart part = part_of(lane());
    const std::uint64_t policy = stream_policy();
    Index known = 0;
    for (int k = 0; k < count; ++k) {
      await_stage(k);
      const bool comes = part.comes(k, count);
      const char* const from = comes ? part.of_chunk(k, known) : nullptr;
      order_bulk_copies();
      Barrier& barrier = barrier_of(arrived, first + k);
      if (comes) {
        barrier.arrive_expecting(part.bytes);
        bulk_load(stage(first + k) + part.offset, from, part.bytes, &barrier, policy);
      } else {
        barrier.arrive();
      }
    }
  } else {
    Index known[Parts] = {};
    for (int k = 0; k < count; ++k) {
      await_stage(k);
#pragma unroll
      for (int p = 0; p < Parts; ++p) {
        const ChunkPart part = part_of(p);
        if (!part.comes(k, count)) continue;
        const char* const from = part.of_chunk(k, known[p]);
        sync_warp();
        char* const to = stage(first + k) + part.offset;
#pragma unroll 4
        for (std::uint32_t i = lane() * 16; i < part.bytes; i += warp_size * 16)
          copy_async_once(to + i, from + i);
      }
      arrive_with_loads(barrier_of(arrived, first + k));
    }
  }
}
template <int Parts>
inline constexpr int receiver_arrivals = mover == Mover::Bulk ? Parts : loading_arrivals;

}  // namespace wavescan::Impl::gpu

#endif
