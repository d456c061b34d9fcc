// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_BLOCKTHOMAS_HPP
#define WAVESCAN_IMPL_COLUMNS_BLOCKTHOMAS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/columns/WaveScan_BlockSystems.hpp>
#include <impl/columns/WaveScan_ColumnsSelection.hpp>
#include <impl/columns/WaveScan_Thomas.hpp>
#include <impl/columns/host/WaveScan_EnqueueLanes.hpp>
#include <impl/columns/host/WaveScan_LaneBlocks.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/columns/gpu/WaveScan_GpuColumns.hpp>
#endif

#include <Kokkos_Core.hpp>

#include <limits>
#include <optional>

/// @file
/// @brief Block tridiagonal systems by Thomas' algorithm, a thread each, and who solves them.

namespace wavescan::Impl::columns {

/// @brief Solves x_i = known_i - left_i l - upper_i x_{i+1}, where x holds what is known.
/// @param end  what the last row leaves
/// @param left of cyclic systems; none if they are not
template <class T, int M>
KOKKOS_FUNCTION void substitute_blocks_back(const Equation<T, M>& end, Index line, Index length,
                                            const BlockLines<const T>& upper,
                                            const BlockLines<const T>& left,
                                            const BlockLines<T>& x) {
  using E = Equation<T, M>;
  const bool cyclic = left.data != nullptr;
  const Coefficients<T, M> zero(T(0));
  const auto row = [&](Index i) {
    return E{cyclic ? left.template load<M, M>(line, i) : zero, upper.template load<M, M>(line, i),
             x.template load<M, 1>(line, i)};
  };
  Coefficients<T, M, 1> own = end.known;
  if (cyclic) {
    E first = E::is_right();
    for (Index i = length - 2; i >= 0; --i) first = eliminate_after(row(i), first);
    own = solve_ring(Ends<T, M>{end, first}.beside(first));
    x.store(line, length - 1, own);
  }
  Coefficients<T, M, 1> after = own;
  for (Index i = length - 2; i >= 0; --i) {
    const E e = row(i);
    after = cyclic ? e.value(own, after) : e.known - e.right * after;
    x.store(line, i, after);
  }
}

/// @brief Solves a system for each thread. Neighbouring threads take neighbouring systems.
template <class T, int M>
struct BlockThomas {
  BlockSystems<T> s;
  BlockLines<T> upper;
  BlockLines<T> left;  ///< of cyclic systems; none if they are not

  KOKKOS_FUNCTION void operator()(Index line) const {
    auto e = s.cyclic ? Equation<T, M>::is_left() : Equation<T, M>::is_zero();
    for (Index i = 0; i < s.extents.length; ++i) {
      e = eliminate_block(e, s.template matrix<M>(0, line, i), s.template matrix<M>(1, line, i),
                          s.template matrix<M>(2, line, i), s.right.template load<M, 1>(line, i),
                          s.cyclic);
      s.x.store(line, i, e.known);
      upper.store(line, i, e.right);
      if (s.cyclic) left.store(line, i, e.left);
    }
    substitute_blocks_back(e, line, s.extents.length, constant_blocks(upper), constant_blocks(left),
                           s.x);
  }
};

/// @brief Factorizes a chunk for each thread: that of the same number of neighbouring systems by
/// neighbouring threads.
template <class T, int M>
struct FactorizeBlocks {
  BlockSystems<T> s;
  BlockFactors<T> factors;
  Chunks chunks;

  KOKKOS_FUNCTION void operator()(Index item) const {
    const Index line = item % s.extents.lines;
    const int chunk = static_cast<int>(item / s.extents.lines);
    const Index begin = chunks.begin(chunk), end = begin + chunks.rows(chunk);
    auto e = Equation<T, M>::is_left();
    for (Index i = begin; i < end; ++i) {
      const auto row =
          FactoredRow<T, M>::of(s.template matrix<M>(0, line, i), s.template matrix<M>(1, line, i),
                                s.template matrix<M>(2, line, i), e);
      e = eliminate_before(e, row, Coefficients<T, M, 1>(T(0)));
      factors.row[0].store(line, i, row.lower);
      factors.row[1].store(line, i, row.inverse);
      factors.row[2].store(line, i, row.upper);
      if (factors.left.data) factors.left.store(line, i, e.left);
    }
  }
};

/// @brief Solves systems whose matrices have been factorized in one chunk, a thread each.
template <class T, int M>
struct SubstituteBlocks {
  BlockSystems<T> s;         ///< with factors in place of matrices
  BlockLines<const T> left;  ///< of cyclic systems; none if they are not

  KOKKOS_FUNCTION void operator()(Index line) const {
    const Index last = s.extents.length - 1;
    auto e = Equation<T, M>::is_zero();
    for (Index i = 0; i <= last; ++i) {
      e.known = s.diagonal[1].template load<M, M>(line, i) * s.right.template load<M, 1>(line, i) -
                s.diagonal[0].template load<M, M>(line, i) * e.known;
      s.x.store(line, i, e.known);
    }
    if (left.data) {
      e.left = left.template load<M, M>(line, last);
      e.right = s.diagonal[2].template load<M, M>(line, last);
    }
    substitute_blocks_back(e, line, last + 1, s.diagonal[2], left, s.x);
  }
};

/// @brief The chunks in which GPUs solve a system with blocks of M in one pass; none if they do
/// not.
template <int M, class T, ExecutionSpace Exec>
std::optional<Chunks> one_pass_of_blocks([[maybe_unused]] const Exec& exec,
                                         [[maybe_unused]] Index length) {
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec> && M <= largest_block_in_one_pass) {
    BlockParameters<T> p{};
    if (share_block_rows<M>(p, length) > 0) return p.chunks;
  }
#endif
  return {};
}

/// @brief The algorithm for systems with blocks of M.
template <int M, class T, ExecutionSpace Exec>
ColumnsAlgorithm select_block_algorithm(const Exec& exec, const LineExtents& extents, bool cyclic) {
  ColumnsRequest request{extents, 0, cyclic};
  request.has_lanes = has_vectors;
  if (one_pass_of_blocks<M, T>(exec, extents.length)) request.longest_in_one_pass = extents.length;
  return select_algorithm(request, {runs_on_host<Exec>, static_cast<Index>(exec.concurrency())});
}

/// @brief Blocks of all rows of systems, of neighbouring systems side by side or one system
/// behind the other.
template <int M, class T>
BlockLines<T> block_array(T* data, const LineExtents& extents, bool side_by_side) {
  const Index lines = extents.lines, n = extents.length;
  return side_by_side ? BlockLines<T>{data, 1, lines * M * M, lines * M, lines}
                      : BlockLines<T>{data, n * M * M, M * M, M, 1};
}

template <int M, ExecutionSpace Exec, class T>
void solve_blocks(const Exec& exec, const BlockSystems<T>& s) {
  [[maybe_unused]] const ColumnsAlgorithm algorithm =
      select_block_algorithm<M, T>(exec, s.extents, s.cyclic);
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec> && M <= largest_block_in_one_pass)
    if (algorithm == ColumnsAlgorithm::Chunks) return enqueue_block_rows<M, false>(exec, s);
#endif
#if defined(WAVESCAN_HAS_VECTORS)
  if constexpr (runs_on_host<Exec>)
    if (algorithm == ColumnsAlgorithm::Lanes)
      return enqueue_lanes(exec, best_lanes<LaneBlocks, T, M, false>(), s, s.right.line_stride == 1,
                           s.extents.length * waiting_of_blocks<M, false>,
                           static_cast<T*>(nullptr));
#endif
  const Index entries = s.extents.lines * s.extents.length * M * M;
  const auto memory =
      kept_array<T>(exec, "WaveScan::columns::blocks", (s.cyclic ? 2 : 1) * entries);
  const auto array = [&](T* data) { return block_array<M>(data, s.extents, !runs_on_host<Exec>); };
  BlockThomas<T, M> each{s, array(memory->data()), {}};
  if (s.cyclic) each.left = array(memory->data() + entries);
  enqueue_each(exec, "WaveScan::columns::block_thomas", s.extents.lines, each);
}

template <int M, ExecutionSpace Exec, class T>
void factorize_blocks(const Exec& exec, const BlockSystems<T>& s, const BlockFactors<T>& factors) {
  const Chunks chunks =
      one_pass_of_blocks<M, T>(exec, s.extents.length)
          .value_or(Chunks::of(s.extents.length, std::numeric_limits<int>::max()));
  enqueue_each(exec, "WaveScan::columns::factorize_blocks", s.extents.lines * chunks.count,
               FactorizeBlocks<T, M>{s, factors, chunks});
}

/// @param s         with factors in place of matrices
/// @param left      coefficients of the last unknown, of cyclic systems that a thread each solves
/// @param workspace on hosts; see BlockPlan
template <int M, ExecutionSpace Exec, class T>
void solve_factored_blocks(const Exec& exec, const BlockSystems<T>& s,
                           const BlockLines<const T>& left, [[maybe_unused]] T* workspace) {
  [[maybe_unused]] const ColumnsAlgorithm algorithm =
      select_block_algorithm<M, T>(exec, s.extents, s.cyclic);
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec> && M <= largest_block_in_one_pass)
    if (algorithm == ColumnsAlgorithm::Chunks) return enqueue_block_rows<M, true>(exec, s);
#endif
#if defined(WAVESCAN_HAS_VECTORS)
  if constexpr (runs_on_host<Exec>)
    if (algorithm == ColumnsAlgorithm::Lanes)
      return enqueue_lanes(exec, best_lanes<LaneBlocks, T, M, true>(), s, s.right.line_stride == 1,
                           s.extents.length * waiting_of_blocks<M, true>, workspace);
#endif
  enqueue_each(exec, "WaveScan::columns::substitute_blocks", s.extents.lines,
               SubstituteBlocks<T, M>{s, left});
}

}  // namespace wavescan::Impl::columns

#endif
