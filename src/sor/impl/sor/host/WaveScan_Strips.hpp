// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR_HOST_STRIPS_HPP
#define WAVESCAN_IMPL_SOR_HOST_STRIPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/WaveScan_FivePoint.hpp>
#include <impl/sor/host/WaveScan_Pass.hpp>

#include <algorithm>

namespace wavescan::Impl::sor {

/// @brief How a single sweep is divided: bands of rows, blocks of columns, strips of a register.
struct StripSizes {
  static constexpr Index rows = 16;
  static constexpr Index columns = 128;

  static HostDecomposition decomposition(Index m, Index n) {
    HostDecomposition decomp(m, n, 1, 0);
    decomp.bands = ceil_div(m, rows);
    decomp.blocks = ceil_div(n, columns);
    return decomp;
  }
};

template <class Target, class Problem, bool Transposed>
class HostStrips;

}  // namespace wavescan::Impl::sor

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor/host/WaveScan_Strips.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor {

/// @brief A band of rows in a single sweep, with the operations of the serial loop.
///
/// Strips of a few columns go down the band one after the other. In each row of a strip the terms
/// of old values are added in vectors, and the two of new ones number by number. A number waits for
/// the ones on its left and above it, but not for the rest of the row above: so a processor that
/// executes out of order is at several rows of a strip at once, and the chain along a row, which
/// holds up the serial loop, costs nothing. No value is moved between lanes, and a strip begins and
/// ends at once, so that small grids do not wait for a skew.
template <class Problem, bool Transposed>
class HostStrips<WAVESCAN_TARGET, Problem, Transposed> {
  using V = typename Problem::value_type;
  using Vector = TargetVector<WAVESCAN_TARGET, V>;
  using Stencil = VectorFivePoint<WAVESCAN_TARGET, V>;
  using Passes = HostPasses<Problem>;
  static constexpr int W = Vector::lanes;
  static constexpr int width = std::max(W, 8);  ///< of a strip

 public:
  WAVESCAN_TARGET_FUNCTION static void run(const Passes& passes, Index, Index band) {
    const Problem& p = passes.problem;
    const Index first = 1 + band * StripSizes::rows;
    const Index end = std::min(first + StripSizes::rows, p.x.rows - 1);
    Index known = 0;
    for (Index block = 0; block < passes.blocks; ++block) {
      // The band above then has stored what is above this block, and read what is in it.
      passes.wait_for(0, band - 1, block + 1, known);
      const Index from = 1 + block * StripSizes::columns;
      const Index to = std::min(from + StripSizes::columns, p.x.columns - 1);
      if (p.x.column_stride > 0)
        relax<1>(passes.from, p, first, end, from, to);
      else
        relax<-1>(passes.from, p, first, end, from, to);
      passes.publish(0, band, block + 1);
    }
  }

 private:
  /// @tparam Step between columns in memory, 1 or -1
  template <int Step>
  WAVESCAN_TARGET_FUNCTION static void relax(const Grid<V>& from, const Problem& p, Index first,
                                             Index end, Index column, Index last) {
    for (; column + width <= last; column += width) relax_strip<Step>(from, p, first, end, column);
    for (Index i = first; i < end && column < last; ++i)
      for (Index j = column; j < last; ++j) {
        const V b = p.rhs.data ? p.rhs(i, j) : V(0);
        const FivePointValues<V> x{from(i, j), p.x(i, j - 1), p.x(i - 1, j), from(i, j + 1),
                                   from(i + 1, j)};
        p.x(i, j) = relaxed<Transposed>(p.coefficients, x,
                                        own_terms(p.coefficients, x.center, b, p.rhs.data != 0));
      }
  }

  template <int Step>
  WAVESCAN_TARGET_FUNCTION static void relax_strip(const Grid<V>& from, const Problem& p,
                                                   Index first, Index end, Index column) {
    const SORCoefficients<V> c = p.coefficients;
    const auto all = Stencil::in_all_lanes(c);
    // In memory a strip begins with its last column where columns run backwards.
    constexpr int begin = Step > 0 ? 0 : width - 1;
    const bool has_b = p.rhs.data != nullptr;
    const Index old_rows = from.row_stride, rows = p.x.row_stride, b_rows = p.rhs.row_stride;
    const V* old = &from(first, column) + Step * begin;
    V* x = &p.x(first, column) + Step * begin;
    const V* b = has_b ? &p.rhs(first, column) + Step * begin : nullptr;
    V above[width];
#pragma GCC unroll 16
    for (int k = 0; k < width; ++k) above[k] = (x - rows)[k];
    for (Index i = first; i < end; ++i) {
      V sums[width];
#pragma GCC unroll 16
      for (int k = 0; k < width; k += W) {
        const FivePointValues<Vector> near{Vector::load(old + k),
                                           {},
                                           {},
                                           Vector::load(old + k + Step),
                                           Vector::load(old + k + old_rows)};
        const Vector own =
            has_b ? Vector::multiply_add(all.center, near.center, all.rhs * Vector::load(b + k))
                  : all.center * near.center;
        Stencil::template old_terms<Transposed>(all, own, near).store(sums + k);
      }
      V left = x[(Step > 0 ? 0 : width - 1) - Step];
#pragma GCC unroll 16
      for (int n = 0; n < width; ++n) {
        const int k = Step > 0 ? n : width - 1 - n;
        left = above[k] = Stencil::template new_terms<Transposed>(
            c, sums[k], FivePointValues<V>{V(0), left, above[k], V(0), V(0)});
      }
#pragma GCC unroll 16
      for (int k = 0; k < width; ++k) x[k] = above[k];
      old += old_rows;
      x += rows;
      if (has_b) b += b_rows;
    }
  }
};

}  // namespace wavescan::Impl::sor

#endif
