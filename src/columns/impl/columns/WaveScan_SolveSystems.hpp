// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_SOLVESYSTEMS_HPP
#define WAVESCAN_IMPL_COLUMNS_SOLVESYSTEMS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/columns/WaveScan_Systems.hpp>
#include <impl/columns/WaveScan_Thomas.hpp>
#include <impl/columns/WaveScan_ThreeScans.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/columns/gpu/WaveScan_GpuColumns.hpp>
#endif

#include <limits>

/// @file
/// @brief How systems are solved: on NVIDIA and AMD GPUs in one pass where they are not too long.

namespace wavescan::Impl::columns {

/// @brief The chunks of systems whose matrices are factorized for an execution space: a single one
/// where a thread solves a system.
template <ExecutionSpace Exec, class T>
Chunks factored_chunks(Index length) {
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec>)
    if (length <= longest_in_one_pass<T>) return Chunks::of(length, chunk_rows<T>);
#endif
  return Chunks::of(length, std::numeric_limits<int>::max());
}

/// @brief Numbers for each entry that a thread for each system keeps: on devices those of
/// neighbouring systems lie side by side.
template <ExecutionSpace Exec, class T>
Lines<T> loop_lines(T* data, const LineExtents& extents) {
  return runs_on_host<Exec> ? Lines<T>{data, extents.length, 1} : Lines<T>{data, 1, extents.lines};
}

/// @param memory for each entry a number, and of cyclic systems two
template <ExecutionSpace Exec, class T, class Rows>
void enqueue_thomas(const Exec& exec, const Rows& rows, const Lines<const T>& right,
                    const Lines<T>& x, const LineExtents& extents, bool cyclic, T* memory) {
  const Lines<T> upper = loop_lines<Exec>(memory, extents);
  Lines<T> fill;
  if (cyclic) fill = loop_lines<Exec>(memory + extents.lines * extents.length, extents);
  enqueue_each(exec, "WaveScan::columns::thomas", extents.lines,
               Thomas<T, Rows>{rows, right, x, extents.length, upper, fill});
}

template <ExecutionSpace Exec, class T>
void solve(const Exec& exec, const Systems<T>& s) {
  const bool cyclic = s.matrices.cyclic;
  const LineExtents& extents = s.extents;
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec>) {
    if (enqueue_blocks<false>(exec, s.matrices, s.right, s.x, extents)) return;
    if (!cyclic && solve_by_tiles(exec, s)) return;
  }
#endif
  // Scans take about eight times the work of a loop.
  constexpr Index short_system = 256;
  if (!cyclic && 8 * extents.lines < static_cast<Index>(exec.concurrency()) &&
      extents.length > short_system)
    return solve_by_scans(exec, s);
  const auto memory = kept_array<T>(exec, "WaveScan::columns::rows",
                                    (cyclic ? 2 : 1) * extents.lines * extents.length);
  enqueue_thomas(exec, MatrixRows<T>{s.matrices, extents.length}, s.right, s.x, extents, cyclic,
                 memory->data());
}

/// @brief Enqueues what `solve_factored` needs of matrices.
template <ExecutionSpace Exec, class T>
void factorize(const Exec& exec, const Matrices<T>& matrices, const Lines<T>& lower,
               const Lines<T>& inverse, const Lines<T>& upper, const LineExtents& extents) {
  const Chunks chunks = factored_chunks<Exec, T>(extents.length);
  enqueue_each(
      exec, "WaveScan::columns::factorize", extents.lines * chunks.count,
      Factorize<T>{{matrices, extents.length}, lower, inverse, upper, extents.lines, chunks});
}

/// @param memory as in `enqueue_thomas`, where there is a single chunk
template <ExecutionSpace Exec, class T>
void solve_factored(const Exec& exec, const FactoredSystems<T>& s, T* memory) {
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec>) {
    const Matrices<T> factors{s.factors.lower, s.factors.inverse, s.factors.upper, s.cyclic};
    if (enqueue_blocks<true>(exec, factors, s.right, s.x, s.extents)) return;
  }
#endif
  enqueue_thomas(exec, FactoredRows<T>{s.factors}, s.right, s.x, s.extents, s.cyclic, memory);
}

}  // namespace wavescan::Impl::columns

#endif
