// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_SOLVESYSTEMS_HPP
#define WAVESCAN_IMPL_COLUMNS_SOLVESYSTEMS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/columns/WaveScan_ColumnsSelection.hpp>
#include <impl/columns/WaveScan_Systems.hpp>
#include <impl/columns/WaveScan_Thomas.hpp>
#include <impl/columns/WaveScan_ThreeScans.hpp>
#include <impl/columns/host/WaveScan_EnqueueLanes.hpp>
#include <impl/columns/host/WaveScan_LaneChunks.hpp>
#include <impl/columns/host/WaveScan_LaneElimination.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/columns/gpu/WaveScan_GpuColumns.hpp>
#endif

#include <algorithm>
#include <limits>

/// @file
/// @brief Systems of bands, by the algorithm that WaveScan_ColumnsSelection.hpp selects.

namespace wavescan::Impl::columns {

/// @brief Numbers for each entry that a thread for each system keeps: on devices those of
/// neighbouring systems lie side by side.
template <ExecutionSpace Exec, class T>
Lines<T> loop_lines(T* data, const LineExtents& extents) {
  return runs_on_host<Exec> ? Lines<T>{data, extents.length, 1} : Lines<T>{data, 1, extents.lines};
}

#if defined(WAVESCAN_HAS_VECTORS)
/// @brief Numbers of a system's workspace, and of that of a thread, at most.
template <int M>
Index lane_numbers(Index length, bool cyclic) {
  return waiting_rows<M>(length, cyclic) * waiting_numbers<M>(cyclic);
}
template <ExecutionSpace Exec, class T, int M>
Index lane_workspace(const Exec& exec, Index length, bool cyclic) {
  return most_lane_numbers<T>(exec, lane_numbers<M>(length, cyclic));
}

/// @brief Solves several systems in the lanes of vectors, on a host.
/// @param memory of `lane_workspace` numbers; or null: it is allocated
template <bool Factored, ExecutionSpace Exec, class T, int M>
void solve_in_lanes(const Exec& exec, const Systems<T, M>& s, T* memory) {
  enqueue_lanes(exec, best_lanes<LaneElimination, T, M, Factored>(), LaneSystems<T, M>{s},
                s.right.line_stride == 1, lane_numbers<M>(s.extents.length, s.matrices.cyclic),
                memory);
}
#endif

/// @brief M arrays of numbers, one behind the other.
template <ExecutionSpace Exec, int M, class T>
EachOf<T, M> loop_arrays(T* data, const LineExtents& extents) {
  EachOf<T, M> arrays;
  for (int m = 0; m < M; ++m)
    arrays.number[m] = loop_lines<Exec>(data + m * extents.lines * extents.length, extents);
  return arrays;
}

/// @brief The algorithm for systems whose matrices are bands.
/// @param movable   whether a GPU's kernel can move the lines in tiles
/// @param has_lanes whether there is memory for the lanes of vectors
template <class T, int M, ExecutionSpace Exec>
ColumnsAlgorithm select_band_algorithm(const Exec& exec, const LineExtents& extents, bool cyclic,
                                       bool factorized, bool movable, bool has_lanes) {
  ColumnsRequest request{extents, M, cyclic, factorized, 0, movable, has_lanes && has_vectors};
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec>) request.longest_in_one_pass = longest_in_one_pass<T, M>;
#endif
  return select_algorithm(request, {runs_on_host<Exec>, static_cast<Index>(exec.concurrency())});
}

template <ExecutionSpace Exec, class T, int M>
void solve(const Exec& exec, const Systems<T, M>& s) {
  const bool cyclic = s.matrices.cyclic;
  const LineExtents& extents = s.extents;
  bool movable = false;
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec> && M == 1) movable = can_be_tiled(s);
#endif
  const ColumnsAlgorithm algorithm =
      select_band_algorithm<T, M>(exec, extents, cyclic, false, movable, true);
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec>) {
    if (algorithm == ColumnsAlgorithm::Chunks)
      return enqueue_blocks<false>(exec, s.matrices, s.right, s.x, extents);
    if constexpr (M == 1)
      if (algorithm == ColumnsAlgorithm::Tiles) return solve_by_tiles(exec, s);
  }
#endif
  if constexpr (M == 1 && !runs_on_host<Exec>)
    if (algorithm == ColumnsAlgorithm::Scans) return solve_by_scans(exec, s);
#if defined(WAVESCAN_HAS_VECTORS)
  if constexpr (runs_on_host<Exec>) {
    if (algorithm == ColumnsAlgorithm::LaneChunks) return solve_in_chunks(exec, s);
    if (algorithm == ColumnsAlgorithm::Lanes)
      return solve_in_lanes<false>(exec, s, static_cast<T*>(nullptr));
  }
#endif
  const Index entries = extents.lines * extents.length;
  const auto memory =
      kept_array<T>(exec, "WaveScan::columns::rows", (cyclic ? 2 : 1) * M * entries);
  EachOf<T, M> fill;
  if (cyclic) fill = loop_arrays<Exec, M>(memory->data() + M * entries, extents);
  enqueue_each(exec, "WaveScan::columns::thomas", extents.lines,
               Thomas<T, M>{{s.matrices, extents.length},
                            s.right,
                            s.x,
                            loop_arrays<Exec, M>(memory->data(), extents),
                            fill});
}

/// @brief The algorithm for systems whose matrices are factorized first.
template <class T, int M, ExecutionSpace Exec>
ColumnsAlgorithm select_factored_algorithm(const Exec& exec, const LineExtents& extents,
                                           bool cyclic, bool has_lanes = true) {
  return select_band_algorithm<T, M>(exec, extents, cyclic, true, false, has_lanes);
}

/// @brief Enqueues what `solve_factored` needs of matrices.
/// @param fill for an entry each, of cyclic systems that a thread each solves; else nothing
template <ExecutionSpace Exec, class T, int M>
void factorize(const Exec& exec, const Matrices<T, M>& matrices,
               const EachOf<T, 2 * M + 1>& factors, const EachOf<T, M>& fill,
               const LineExtents& extents) {
  const ColumnsAlgorithm algorithm =
      select_factored_algorithm<T, M>(exec, extents, matrices.cyclic);
  if constexpr (M == 1 && !runs_on_host<Exec>)
    if (algorithm == ColumnsAlgorithm::Scans)
      return factorize_by_scan(exec, matrices, factors, extents);
  Chunks chunks = Chunks::of(extents.length, std::numeric_limits<int>::max());
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if (algorithm == ColumnsAlgorithm::Chunks)
    chunks = Chunks::of(extents.length, rows_of_chunk<T, M>(factors.number[M], extents.length));
#endif
  enqueue_each(exec, "WaveScan::columns::factorize", extents.lines * chunks.count,
               Factorize<T, M>{{matrices, extents.length}, factors, fill, extents.lines, chunks});
}

template <ExecutionSpace Exec, class T, int M>
void solve_factored(const Exec& exec, const FactoredSystems<T, M>& s) {
  const ColumnsAlgorithm algorithm =
      select_factored_algorithm<T, M>(exec, s.extents, s.factors.cyclic, s.workspace != nullptr);
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec>)
    if (algorithm == ColumnsAlgorithm::Chunks)
      return enqueue_blocks<true>(exec, s.factors, s.right, s.x, s.extents);
#endif
  if constexpr (M == 1 && !runs_on_host<Exec>)
    if (algorithm == ColumnsAlgorithm::Scans) return solve_by_two_scans(exec, s);
#if defined(WAVESCAN_HAS_VECTORS)
  if constexpr (runs_on_host<Exec>)
    if (algorithm == ColumnsAlgorithm::Lanes)
      return solve_in_lanes<true>(exec, Systems<T, M>{s.factors, s.right, s.x, s.extents},
                                  s.workspace);
#endif
  enqueue_each(exec, "WaveScan::columns::substitute", s.extents.lines, Substitute<T, M>{s});
}

}  // namespace wavescan::Impl::columns

#endif
