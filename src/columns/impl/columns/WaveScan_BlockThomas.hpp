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
#include <impl/columns/WaveScan_Thomas.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/columns/gpu/WaveScan_GpuColumns.hpp>
#endif

#include <Kokkos_Core.hpp>

/// @file
/// @brief Block tridiagonal systems by Thomas' algorithm, a thread each.

namespace wavescan::Impl::columns {

/// @brief Solves a system for each thread. Neighbouring threads take neighbouring systems.
template <class T, int M>
struct BlockThomas {
  BlockSystems<T> s;
  BlockLines<T> upper;
  BlockLines<T> left;  ///< of cyclic systems

  KOKKOS_FUNCTION void operator()(Index line) const {
    const Index n = s.extents.length, last = n - 1;
    const bool cyclic = s.cyclic;
    using E = Equation<T, M>;
    const Coefficients<T, M> zero(T(0));
    E e = cyclic ? E::is_left() : E::is_zero();
    for (Index i = 0; i < n; ++i) {
      const bool has_lower = i > 0 || cyclic, has_upper = i < last || cyclic;
      e = eliminate_block(e, has_lower ? block(0, line, i) : zero, block(1, line, i),
                          has_upper ? block(2, line, i) : zero,
                          s.right.template load<M, 1>(line, i), cyclic);
      s.x.store(line, i, e.known);
      upper.store(line, i, e.right);
      if (cyclic) left.store(line, i, e.left);
    }
    Coefficients<T, M, 1> own = e.known;
    if (cyclic) {
      auto first = E::is_right();
      for (Index i = last - 1; i >= 0; --i) first = eliminate_after(row(line, i), first);
      own = solve_ring(Ends<T, M>{e, first}.beside(first));
      s.x.store(line, last, own);
    }
    Coefficients<T, M, 1> x = own;
    for (Index i = last - 1; i >= 0; --i) {
      x = s.x.template load<M, 1>(line, i) - upper.template load<M, M>(line, i) * x;
      if (cyclic) x = x - left.template load<M, M>(line, i) * own;
      s.x.store(line, i, x);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Equation<T, M> row(Index line, Index i) const {
    return {left.template load<M, M>(line, i), upper.template load<M, M>(line, i),
            s.x.template load<M, 1>(line, i)};
  }
  KOKKOS_FORCEINLINE_FUNCTION Coefficients<T, M> block(int number, Index line, Index i) const {
    return s.diagonal[number].template load<M, M>(line, i);
  }
};

template <int M, ExecutionSpace Exec, class T>
void solve_blocks(const Exec& exec, const BlockSystems<T>& s) {
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec> && M <= largest_block_in_one_pass)
    if (enqueue_block_rows<M>(exec, s)) return;
#endif
  const Index lines = s.extents.lines, n = s.extents.length, entries = lines * n * M * M;
  const auto memory =
      kept_array<T>(exec, "WaveScan::columns::blocks", (s.cyclic ? 2 : 1) * entries);
  // On devices, numbers of neighbouring systems lie side by side.
  const auto blocks = [&](T* data) {
    return runs_on_host<Exec> ? BlockLines<T>{data, n * M * M, M * M, M, 1}
                              : BlockLines<T>{data, 1, lines * M * M, lines * M, lines};
  };
  BlockThomas<T, M> each{s, blocks(memory->data()), {}};
  if (s.cyclic) each.left = blocks(memory->data() + entries);
  enqueue_each(exec, "WaveScan::columns::block_thomas", lines, each);
}

}  // namespace wavescan::Impl::columns

#endif
