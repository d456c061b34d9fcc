// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_GPU_CHUNKSTREAM_HPP
#define WAVESCAN_IMPL_GPU_CHUNKSTREAM_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_BulkCopy.hpp>
#include <impl/WaveScan_Gpu_Pipeline.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Spin.hpp>

#include <cstdint>

/// @file
/// @brief Streams of chunks from a block's shared memory to that of others, through device memory
/// and by the copy engine, so that warps that compute neither fence nor ask (CUDA, compute
/// capability 9.0 and newer).
///
/// A chunk goes from a ring of stages to its own place in device memory, and from there, as a whole
/// or in parts, to rings of others. The sender's thread tells by a number that grows how many of
/// its chunks are there.
///
/// Why the memory order suffices: what threads put into a stage comes before the bulk store by the
/// barrier at which they arrive and the sender's fence between the proxies. The sender waits until
/// its stores are in memory, orders the proxies and releases the number; the receiver acquires it
/// and orders the proxies before it loads; who waits at the barrier of the load sees the bytes.
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

/// @brief The work of the thread that sends a task's chunks.
/// @param filled  chunk k has its stage when its turn there has passed
/// @param emptied the thread arrives when the stage may be filled again
/// @param first   the number of the task's first chunk among all that the ring has seen
/// @param bytes   of a chunk, a multiple of 16
/// @param stage   where in shared memory the stage of chunk k is, by stage(k)
template <int Stages, class Stage>
__device__ void send_chunks(const ChunkStream& to, Barrier (&filled)[Stages],
                            Barrier (&emptied)[Stages], int first, int count, std::uint32_t bytes,
                            const Stage& stage) {
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
}

/// @brief A part of the chunks of a stream, which a lane receives.
struct ChunkPart {
  ChunkStream from;  ///< without chunks: nothing comes
  int ahead;         ///< with chunk k comes their chunk k + ahead, if there is one
  std::uint32_t chunk_bytes;
  std::uint32_t offset;  ///< of the part in their chunks and in the own stages
  std::uint32_t bytes;   ///< multiples of 16
};

/// @brief The work of the warp that receives what a task needs of others: each lane a part.
/// @param arrived where those wait who need chunk k
/// @param used    when chunk k's turn has passed there, its stage is free
template <int Stages, class Stage>
__device__ void receive_chunks(const ChunkPart& part, Barrier (&arrived)[Stages],
                               Barrier (&used)[Stages], int first, int count, const Stage& stage) {
  const std::uint64_t policy = stream_policy();
  Index known = 0;
  for (int k = 0; k < count; ++k) {
    const int theirs = k + part.ahead;
    const bool comes = part.from.chunks != nullptr && theirs < count;
    if (first + k >= Stages) wait_in_turn(used, first + k - Stages);
    if (comes && known <= theirs) known = wait_until_at_least(part.from.sent, Index(theirs + 1));
    order_bulk_copies();
    Barrier& barrier = barrier_of(arrived, first + k);
    if (comes) {
      barrier.arrive_expecting(part.bytes);
      bulk_load(stage(first + k) + part.offset,
                part.from.chunks + Index(theirs) * part.chunk_bytes + part.offset, part.bytes,
                &barrier, policy);
    } else {
      barrier.arrive();
    }
  }
}

}  // namespace wavescan::Impl::gpu

#endif
