// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_BLOCKTHOMAS_HPP
#define WAVESCAN_IMPL_COLUMNS_BLOCKTHOMAS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/columns/WaveScan_Equations.hpp>
#include <impl/columns/WaveScan_Thomas.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

/// @file
/// @brief Block tridiagonal systems by Thomas' algorithm, a thread each.

namespace wavescan::Impl::columns {

/// @brief Blocks of a diagonal, or columns of right-hand sides: number (r, c) of block i of line l
/// lies at data[l * line_stride + i * stride + r * row_stride + c * column_stride].
template <class T>
struct BlockLines {
  T* data = nullptr;
  Index line_stride = 0, stride = 0, row_stride = 0, column_stride = 0;
  /// Of a transposed diagonal: block i is where number i + shift would be, around a cyclic system.
  Index shift = 0, period = 0;

  KOKKOS_FORCEINLINE_FUNCTION T* at(Index line, Index i) const {
    i += shift;
    if (period != 0) i = i < 0 ? i + period : i >= period ? i - period : i;
    return data + line * line_stride + i * stride;
  }
  /// @brief R x C numbers.
  template <int R, int C>
  KOKKOS_FORCEINLINE_FUNCTION auto load(Index line, Index i) const {
    Coefficients<std::remove_const_t<T>, R, C> m;
    const T* const from = at(line, i);
    for (int r = 0; r < R; ++r)
      for (int c = 0; c < C; ++c) m.entry[r][c] = from[r * row_stride + c * column_stride];
    return m;
  }
  template <int R, int C>
  KOKKOS_FORCEINLINE_FUNCTION void store(
      Index line, Index i, const Coefficients<std::remove_const_t<T>, R, C>& m) const {
    T* const to = at(line, i);
    for (int r = 0; r < R; ++r)
      for (int c = 0; c < C; ++c) to[r * row_stride + c * column_stride] = m.entry[r][c];
  }
};

/// @brief Block tridiagonal systems as kernels see them.
template <class T>
struct BlockSystems {
  BlockLines<const T> diagonal[3];  ///< number 1 + o has the coefficients of x_{i+o}
  BlockLines<const T> right;
  BlockLines<T> x;
  LineExtents extents;
  bool cyclic = false;
};

/// @brief Eliminates x_{i-1} in row i: what is x_i by the unknowns before the first row, where
/// there are any, and by x_{i+1}.
/// @param before the same of x_{i-1}
/// @param with_left whether there is something before the first row
template <class T, int M>
KOKKOS_FORCEINLINE_FUNCTION Equation<T, M> eliminate_block(const Equation<T, M>& before,
                                                           const Coefficients<T, M>& lower,
                                                           const Coefficients<T, M>& diagonal,
                                                           const Coefficients<T, M>& upper,
                                                           const Coefficients<T, M, 1>& known,
                                                           bool with_left) {
  Coefficients<T, M> pivot = diagonal - lower * before.right;
  Equation<T, M> e{before.left, upper, known - lower * before.known};
  if (with_left) {
    e.left = -(lower * before.left);
    solve_small(pivot, Invert(), e.left, e.right, e.known);
  } else {
    solve_small(pivot, Invert(), e.right, e.known);
  }
  return e;
}

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
