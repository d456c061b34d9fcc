// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_GPU_INTERFACESYSTEM_HPP
#define WAVESCAN_IMPL_COLUMNS_GPU_INTERFACESYSTEM_HPP

#include <impl/WaveScan_Gpu_Cluster.hpp>
#include <impl/WaveScan_Gpu_Reciprocal.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/columns/WaveScan_Equations.hpp>

/// @file
/// @brief The interface system of chunks that neighbouring threads hold, by parallel cyclic
/// reduction.
///
/// In a warp, equations go from lane to lane. More warps are chunks of lanes once more: each
/// reduces its own to what depends on the last lane of the warp before and on its own last lane,
/// and the system of these, which all warps solve, is again one of lanes.

namespace wavescan::Impl::columns {

/// @brief The last unknowns of a thread's chunk, and those of the chunk before.
template <class T, int M>
struct LastUnknowns {
  Column<T, M> before, own;
};

/// @brief A block's threads wait for each other, or those of a cluster.
__device__ inline void sync_blocks(int cluster) {
  if (cluster == 1)
    __syncthreads();
  else
    gpu::sync_cluster();
}

/// @brief Neighbouring lanes, as many as a power of two.
class Lanes {
 public:
  __device__ explicit Lanes(int count) : count_(count), rank_(gpu::lane() & (count - 1)) {}

  __device__ int rank() const { return rank_; }
  __device__ bool is_first() const { return rank_ == 0; }
  __device__ bool is_last() const { return rank_ == count_ - 1; }
  /// @brief The value of the lane so many ranks away, around the ends.
  template <class V>
  __device__ V from(const V& value, int distance) const {
    return gpu::broadcast(value,
                          (gpu::lane() & ~(count_ - 1)) | ((rank_ + distance) & (count_ - 1)));
  }

  /// @brief Reduces the equations by parallel cyclic reduction: each to the unknowns outside the
  /// lanes; in a ring, to its own unknown.
  /// @param end lanes from this rank on keep what they have; they are outside
  template <class T, int M>
  __device__ Equation<T, M> reduce(Equation<T, M> e, int end, bool ring) const {
    for (int distance = 1; distance < count_; distance *= 2) {
      Equation<T, M> below = from(e, -distance), above = from(e, distance);
      if (!ring && rank_ < distance) below = Equation<T, M>::is_left();
      if (!ring && rank_ + distance >= end) above = Equation<T, M>::is_right();
      e = eliminate_both(e, below, above, gpu::Reciprocal());
    }
    return e;
  }

  /// @brief Solves the system of the lanes' chunks.
  /// @param ring whether the first and the last chunk are neighbours; if not, nothing is outside
  template <class T, int M>
  __device__ LastUnknowns<T, M> solve(const Ends<T, M>& ends, bool ring) const {
    using C = Column<T, M>;
    Equation<T, M> after = from(ends.first, 1);
    if (!ring && is_last()) after = Equation<T, M>::is_zero();  // whatever another system has
    const Equation<T, M> e = reduce(ends.beside(after, gpu::Reciprocal()), count_, ring);
    const C last = ring ? solve_ring(e, gpu::Reciprocal()) : e.known;
    const C before = from(last, -1);
    return {!ring && is_first() ? C(T(0)) : before, last};
  }

 private:
  int count_, rank_;
};

/// @brief The threads that have the chunks of a system: neighbouring ones, in each block of a
/// cluster as many; all of these numbers are powers of two.
struct ChunkThreads {
  int chunks;       ///< of a system
  int cluster = 1;  ///< blocks that share a system

  KOKKOS_FUNCTION int of_block() const { return chunks / cluster; }
  /// @brief Chunks whose threads are lanes of one warp.
  KOKKOS_FUNCTION int of_warp() const {
    return of_block() < gpu::warp_size ? of_block() : gpu::warp_size;
  }
  /// @brief Whether all of a system's threads are lanes of one warp.
  KOKKOS_FUNCTION bool are_lanes() const { return of_warp() == chunks; }
};

/// @brief Solves interface systems. All threads of the block, or the cluster, call it.
/// @param shared an element for each group of lanes of the block, if systems are not those of lanes
template <class T, int M>
__device__ LastUnknowns<T, M> solve_interface(const Ends<T, M>& ends, const ChunkThreads& threads,
                                              bool ring, Ends<T, M>* shared) {
  using C = Column<T, M>;
  using S = Square<T, M>;
  const Lanes lanes(threads.of_warp());
  if (threads.are_lanes()) return lanes.solve(ends, ring);

  // The last lane's own unknown is outside of what the lanes reduce.
  const Equation<T, M> e = lanes.reduce(ends.beside(lanes.from(ends.first, 1), gpu::Reciprocal()),
                                        threads.of_warp() - 1, false);
  const Equation<T, M> before_last = lanes.from(e, -1);
  const int group = static_cast<int>(threadIdx.x) / threads.of_warp();
  if (lanes.is_first()) shared[group].first = eliminate_after(ends.first, e);
  if (lanes.is_last())
    shared[group].last =
        eliminate_before(before_last,
                         FactoredRow<T, M>::of(ends.last.left, S(T(1)), ends.last.right,
                                               before_last, gpu::Reciprocal()),
                         ends.last.known);
  sync_blocks(threads.cluster);

  // The same lanes, as many as there are groups, solve the system of these.
  const int of_block = threads.of_block() / threads.of_warp(), rank = group & (of_block - 1);
  const Lanes groups(threads.chunks / threads.of_warp());
  Ends<T, M>* const there = shared + (group - rank) + (groups.rank() & (of_block - 1));
  const LastUnknowns<T, M> of_groups = groups.solve(
      threads.cluster == 1 ? *there : *gpu::in_block(groups.rank() / of_block, there), ring);
  const int own = (threads.cluster == 1 ? 0 : gpu::cluster_rank()) * of_block + rank;
  const C outside = groups.from(of_groups.before, own - groups.rank());
  const C last = groups.from(of_groups.own, own - groups.rank());
  const C x = lanes.is_last() ? last : e.value(outside, last);
  const C before = lanes.from(x, -1);
  return {lanes.is_first() ? outside : before, x};
}

}  // namespace wavescan::Impl::columns

#endif
