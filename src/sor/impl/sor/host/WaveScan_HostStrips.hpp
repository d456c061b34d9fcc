// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR_HOST_HOSTSTRIPS_HPP
#define WAVESCAN_IMPL_SOR_HOST_HOSTSTRIPS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_StencilValues.hpp>
#include <impl/sor/host/WaveScan_HostPass.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>

namespace wavescan::Impl::sor {

/// @brief The decomposition of a single sweep: bands of rows, blocks of columns, strips of a
/// register.
struct StripSizes {
  /// Rows whose chains overlap. More of x and the right-hand side would compete for the same places
  /// in the first cache where a row is as long as a page.
  static constexpr int chains = 3;

  Index workers;  ///< that do it
  Index bands;
  Index blocks;
  double seconds;  ///< of a sweep, more or less

  /// @brief The sizes for so many threads, or fewer if these are as quick.
  ///
  /// A thread by itself goes along whole rows, as processors read ahead. Several begin one after
  /// the other, as soon as the first block above is done, and then take bands in turn. The smaller
  /// blocks are, the sooner all of them are at work; but each block waits for a message from
  /// another core and fetches the rows around it from there, and processors have to find out anew
  /// what to read ahead in each of its rows. Times as measured with 1 to 32 threads of a Xeon.
  /// @param bytes of the arrays for each point
  static StripSizes of(Index m, Index n, Index threads, Index bytes) {
    constexpr double update = 1e-9, fork = 4e-6;  // seconds
    constexpr Index own_cache = 3 << 19;
    StripSizes best{1, 1, 1, update * static_cast<double>(m * n)};
    const auto see = [&](Index workers, Index rounds, Index width) {
      const bool is_cached = m * n * bytes <= workers * own_cache;
      const double begin_row = is_cached ? 4e-9 : 95e-9;
      // The more threads, the more often one of them is held up, for which all below it wait.
      const double message = .6e-6 + .1e-6 * static_cast<double>(std::max<Index>(workers - 16, 0));
      const Index height = rows(m, workers * rounds), blocks = ceil_div(n, width);
      const double tile =
          static_cast<double>(height) * (update * static_cast<double>(width) + begin_row) + message;
      const Index steps = (rounds - 1) * std::max(blocks, workers) + blocks + workers - 1;
      const double time = fork + static_cast<double>(steps) * tile;
      if (time < best.seconds) best = {workers, ceil_div(m, height), blocks, time};
    };
    for (Index workers = threads; workers > 1; workers = (workers + 1) / 2)
      for (Index rounds = 1; rounds <= 16 && workers * rounds * 2 * chains <= m; rounds *= 2)
        for (Index width = 16; width <= 1024 && (width == 16 || 2 * width <= n); width *= 2)
          see(workers, rounds, width);
    return best;
  }
  static Index rows(Index m, Index bands) { return part(m, bands, chains); }
  static Index columns(Index n, Index blocks) { return part(n, blocks, 16); }

 private:
  static Index part(Index all, Index parts, Index multiple) {
    return ceil_div(ceil_div(all, parts), multiple) * multiple;
  }
};

template <class Target, class Problem, bool Transposed>
class HostStrips;

}  // namespace wavescan::Impl::sor

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor/host/WaveScan_HostStrips.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor {

/// @brief A band of rows in a single sweep, with the operations of the serial loop.
///
/// Strips of a few columns follow each other along the band. In each row of a strip the two terms
/// of new values are added number by number, while those of old values are added in vectors, for
/// the next strip. A number waits for the ones on its left and above it, but not for the rest of
/// the row above: so a processor that executes out of order is at several rows of a strip at once,
/// and the chain along a row, which holds up the serial loop, costs nothing. No value is moved
/// between lanes, and a strip begins and ends at once, so that small grids do not wait for a skew.
template <class Problem, bool Transposed>
class HostStrips<WAVESCAN_TARGET, Problem, Transposed> {
  using V = typename Problem::value_type;
  using Vector = TargetVector<WAVESCAN_TARGET, V>;
  using Stencil = VectorFivePoint<WAVESCAN_TARGET, V>;
  using Passes = HostPasses<Problem>;
  static constexpr int W = Vector::lanes;
  static constexpr int width = 8;  ///< of a strip
  static_assert(W <= width);
  static constexpr bool has_mask = !std::same_as<typename Problem::fixed_type, NoFixedPoints>;

 public:
  WAVESCAN_TARGET_FUNCTION static void run(const Passes& passes, Index pass, Index band) {
    const Problem& p = passes.problem;
    const Grid<V>& old = pass == 0 ? passes.from : p.x;
    const Index rows = StripSizes::rows(p.interior_rows(), passes.bands);
    const Index first = 1 + band * rows;
    const Index end = std::min(first + rows, p.x.rows - 1);
    const Index columns = StripSizes::columns(p.interior_columns(), passes.blocks);
    Index known = 0, known_below = 0, known_end = 0;
    // Two passes share their progress in turn.
    if (band == 0) passes.wait_for(pass - 2, passes.bands - 1, passes.blocks, known_end);
    for (Index block = 0; block < passes.blocks; ++block) {
      // The pass before then has stored what is to the right of this block and below, and the band
      // above what is above, of which it has read what is in the block.
      passes.wait_for(pass - 1, std::min(band + 1, passes.bands - 1), block + 2, known_below);
      passes.wait_for(pass, band - 1, block + 1, known);
      const Index from = 1 + block * columns;
      const Index to = std::min(from + columns, p.x.columns - 1);
      relax(old, p, first, end, from, to);
      passes.publish(pass, band, block + 1);
    }
  }

 private:
  WAVESCAN_TARGET_FUNCTION static void relax(const Grid<V>& from, const Problem& p, Index first,
                                             Index end, Index column, Index last) {
    constexpr int rows = StripSizes::chains;
    const Index stop = column + (last - column) / width * width;
    const bool ahead = p.x.column_stride > 0;
    const auto several = ahead ? &relax_strips<1, rows> : &relax_strips<-1, rows>;
    const auto single = ahead ? &relax_strips<1, 1> : &relax_strips<-1, 1>;
    Index row = first;
    for (; row + rows <= end; row += rows) several(from, p, row, column, stop);
    for (; row < end; ++row) single(from, p, row, column, stop);
    for (Index i = first; i < end && stop < last; ++i)
      for (Index j = stop; j < last; ++j) {
        const V b = p.rhs.data ? p.rhs(i, j) : V(0);
        const FivePointValues<V> x{from(i, j), p.x(i, j - 1), p.x(i - 1, j), from(i, j + 1),
                                   from(i + 1, j)};
        const V value = relaxed<Transposed>(
            p.coefficients, x, own_terms(p.coefficients, x.center, b, p.rhs.data != nullptr));
        p.x(i, j) = p.fixed(i, j) ? x.center : value;
      }
  }

  /// @brief Relaxes some rows, in all strips that end before a column.
  /// @tparam Step between columns in memory, 1 or -1
  template <int Step, int Rows>
  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED static void relax_strips(const Grid<V>& from,
                                                                         const Problem& p,
                                                                         Index first, Index column,
                                                                         Index last) {
    if (column >= last) return;
    const SORCoefficients<V> c = p.coefficients;
    // In memory a strip begins with its last column where columns run backwards.
    constexpr int begin = Step > 0 ? 0 : width - 1;
    const Index rows = p.x.row_stride;
    V* x = &p.x(first, column) + Step * begin;
    OldTerms<Step> old{Stencil::in_all_lanes(c), &from(first, column) + Step * begin,
                       p.rhs.data ? &p.rhs(first, column) + Step * begin : nullptr, from.row_stride,
                       p.rhs.row_stride};
    V sums[2][Rows][width], left[Rows];
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      old.add(r, sums[0][r]);
      left[r] = p.x(first + r, column - 1);
    }
    for (int turn = 0; column < last; column += width, x += Step * width, turn = 1 - turn) {
      old.advance();
      V above[width];
#pragma GCC unroll 16
      for (int k = 0; k < width; ++k) above[k] = (x - rows)[k];
#pragma GCC unroll 4
      for (int r = 0; r < Rows; ++r) {
        if (column + width < last) old.add(r, sums[1 - turn][r]);
        if constexpr (has_mask) {
          const Flags fixed = fixed_points<Step>(p.fixed, first + r, column);
          if (fixed.any()) {
            const V* const kept = old.row(r) - Step * width;
            if (fixed.all()) {
              std::memcpy(above, kept, sizeof above);
              left[r] = above[Step > 0 ? width - 1 : 0];
            } else {
              for (int n = 0; n < width; ++n) {
                const int k = Step > 0 ? n : width - 1 - n;
                left[r] = above[k] =
                    fixed.each[k] != 0 ? kept[k] : update(c, sums[turn][r][k], left[r], above[k]);
              }
            }
            if (!fixed.all() || kept != x + r * rows)
              std::memcpy(x + r * rows, above, sizeof above);
            continue;
          }
        }
#pragma GCC unroll 16
        for (int n = 0; n < width; ++n) {
          const int k = Step > 0 ? n : width - 1 - n;
          left[r] = above[k] = update(c, sums[turn][r][k], left[r], above[k]);
        }
#pragma GCC unroll 16
        for (int k = 0; k < width; ++k) x[r * rows + k] = above[k];
      }
    }
  }

  /// @brief A point's new value, from the sum of the terms of old ones.
  WAVESCAN_TARGET_INLINED static V update(const SORCoefficients<V>& c, V sum, V left, V above) {
    return Stencil::template new_terms<Transposed>(
        c, sum, FivePointValues<V>{V(0), left, above, V(0), V(0)});
  }

  /// @brief Flags of the fixed points of a strip, in the order of memory.
  struct Flags {
    unsigned char each[width];
    std::uint64_t together() const {
      std::uint64_t bits;
      static_assert(sizeof bits == sizeof each);
      std::memcpy(&bits, each, sizeof bits);
      return bits;
    }
    bool any() const { return together() != 0; }
    /// Of bytes that are 0 and 1, or all bits.
    bool all() const {
      constexpr std::uint64_t ones = std::numeric_limits<std::uint64_t>::max() / 255;
      return together() == ones || together() == 255 * ones;
    }
  };
  template <int Step>
  static Flags fixed_points(const FixedPoints& fixed, Index row, Index column) {
    Flags flags;
    const Grid<const unsigned char>& bytes = fixed.first_bytes;
    if (fixed.word == MaskWord::Char && bytes.column_stride == Step) {
      std::memcpy(flags.each, &bytes(row, column + (Step > 0 ? 0 : width - 1)), width);
    } else {
      for (int k = 0; k < width; ++k)
        flags.each[k] = fixed(row, column + (Step > 0 ? k : width - 1 - k)) ? 1 : 0;
    }
    return flags;
  }

  /// @brief The terms of old values, and of the right-hand side, of a strip.
  template <int Step>
  struct OldTerms {
    typename Stencil::Coefficients c;
    const V* old;            ///< of the first row
    const V* b;              ///< likewise, or null
    Index old_rows, b_rows;  ///< strides

    const V* row(Index r) const { return old + r * old_rows; }
    WAVESCAN_TARGET_INLINED void add(Index row, V* sums) const {
      const V* const x = this->row(row);
#pragma GCC unroll 16
      for (int k = 0; k < width; k += W) {
        const FivePointValues<Vector> near{Vector::load(x + k),
                                           {},
                                           {},
                                           Vector::load(x + k + Step),
                                           Vector::load(x + k + old_rows)};
        const Vector own = b ? Vector::multiply_add(c.center, near.center,
                                                    c.rhs * Vector::load(b + row * b_rows + k))
                             : c.center * near.center;
        Stencil::template old_terms<Transposed>(c, own, near).store(sums + k);
      }
    }
    WAVESCAN_TARGET_INLINED void advance() {
      old += Step * width;
      if (b) b += Step * width;
    }
  };
};

}  // namespace wavescan::Impl::sor

#endif
