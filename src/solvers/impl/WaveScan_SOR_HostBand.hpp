// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR_HOSTBAND_HPP
#define WAVESCAN_IMPL_SOR_HOSTBAND_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_SOR_HostPass.hpp>
#include <impl/WaveScan_TargetVector.hpp>

#include <algorithm>

namespace wavescan::Impl {

template <class Target, class V, int T, bool Transposed>
class SORHostBand;

}  // namespace wavescan::Impl

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/WaveScan_SOR_HostBand.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675  // it does not know "GCC unroll", and hands it on
#endif

namespace wavescan::Impl {

/// @brief A band of rows, T sweeps at once, with the operations of the serial loop.
///
/// Each lane of a register has a row, and is one column behind the lane above it. T sweeps are in
/// flight, each one row above and one column behind the one before: in step t, lane l of sweep s
/// (sweep 0 being the old values) stands at row `first + l - s` and column `t - 1 - l - s`. With
///
///     v[s](t)   the values of sweep s at these places
///     u[s](t)   the same of the rows above: v[s](t), one lane higher
///
/// a point's neighbours are all at hand,
///
///     center = u[s-1](t-2), right = u[s-1](t-1), down = v[s-1](t-1), up = u[s](t-1),
///     left = v[s](t-1),
///
/// so that a step of a sweep costs its five multiply-adds, a rotation, and the hand-over between
/// bands: the last lane's values go to memory (`edges`), from where they enter the next band's
/// first lane, at the same columns. Slot k of the edges holds column k - s of sweep s. A band takes
/// slot t and overwrites slot t - lanes, so that one array serves all bands of a pass.
///
/// Steps are done in blocks. Blocks of old values and of the right-hand side's shares come in
/// through, and blocks of results leave through, transpositions in registers; that every row is
/// read from another column on makes the skew. Lanes outside the unknowns keep their values:
/// `Inside` says that a block has none.
template <class V, int T, bool Transposed>
class SORHostBand<WAVESCAN_TARGET, V, T, Transposed> {
  using Vector = TargetVector<WAVESCAN_TARGET, V>;
  static constexpr int W = Vector::lanes;

 public:
  WAVESCAN_TARGET_FUNCTION static void run(const SORHostPasses<V>& passes, Index pass, Index band) {
    SORHostBand self(passes, pass, band);
    self.run_blocks();
  }

 private:
  static constexpr int slot = T + 1;  ///< entries of a slot of the edges
  /// Rows of shares that a block of steps needs, from `first - T` on, and as stored.
  static constexpr int share_rows = W + T - 1;
  static constexpr int share_lanes = (share_rows + W - 1) / W * W;
  /// Sweep T looks at shares from 2 T steps ago. Blocks are fetched one ahead, as most loads
  /// straddle two stores, and moved to the front of the window when its end is reached.
  static constexpr int past_steps = (2 * T + W - 1) / W * W;
  static constexpr int share_steps = past_steps + 4 * W;
  /// How far the pass before must be ahead: results trail the old values by 2 T steps.
  static constexpr int past_blocks = (2 * T + 2 * W - 2) / W;
  /// The top rows are ahead of step t = 0 at the first column, by so much in whole blocks.
  static constexpr int early_steps = (T + W - 3) / W * W;

  WAVESCAN_TARGET_FUNCTION SORHostBand(const SORHostPasses<V>& passes, Index pass, Index band)
      : passes_(passes),
        x_(passes.problem.x),
        rhs_(passes.problem.rhs),
        coefficients_(passes.problem.coefficients),
        rows_(passes.problem.interior_rows()),
        columns_(passes.problem.interior_columns()),
        pass_(pass),
        band_(band),
        first_(1 + band * W),
        edges_(passes.edges_for(pass)),
        old_rows_(x_, first_, 1, rows_ + 1, -1),
        rhs_rows_(rhs_, first_ - T, 1, rows_, T - 1),
        result_rows_(x_, first_ - T, 1, rows_, -1 - T) {}

  WAVESCAN_TARGET_FUNCTION void run_blocks() {
    const Vector zero = Vector::all(0);
    for (int s = 0; s <= T; ++s) {
      v_[s] = zero;
      u_[s] = zero;
      before_[s] = zero;
    }
    for (V& share : shares_) share = -V(0);  // changes no sum
    if (band_ == 0) {
      passes_.wait_for(pass_ - 2, passes_.cut.bands - 1, passes_.cut.blocks);
      for (Index j = 0; j < x_.columns; ++j) edges_[j * slot] = x_(0, j);
    }
    // The last one of the pass before to write rows of this band.
    const Index below = std::min(band_ + (T + W - 1) / W, passes_.cut.bands - 1);
    passes_.wait_for(pass_ - 1, below, 1 + past_blocks);
    fetch_old_values(0);
    for (int t = -early_steps; t <= W; t += W)
      fetch_shares(t, shares_ + (share_position_ + t) * share_lanes);
    for (Index block = 0; block < passes_.cut.blocks; ++block) {
      const Index t = block * W;
      passes_.wait_for(pass_, band_ - 1, block + 2);
      if (rows_inside() && columns_inside(t - W - T, t + W - 3))
        step_through<true>(t);
      else
        step_through<false>(t);
      // What comes next does not depend on the steps, and is done while their chain goes on.
      passes_.wait_for(pass_ - 1, below, block + 2 + past_blocks);
      fetch_old_values(t + W);
      advance_shares();
      fetch_shares(t + 2 * W, shares_ + (share_position_ + W) * share_lanes);
      store_results(t);
      passes_.publish(pass_, band_, block + 1);
    }
  }

  bool rows_inside() const { return first_ - T >= 1 && first_ + W - 2 <= rows_; }
  bool columns_inside(Index from, Index to) const { return from >= 1 && to <= columns_; }
  bool row_inside(Index i) const { return i >= 1 && i <= rows_; }

  /// @brief Rows of a grid, skewed: in step t, row l is at column `column - l + t`. Entries of a
  /// block of steps are one vector of a row; in memory that runs backwards its last element is
  /// the first step.
  template <class Element, int Rows>
  class SkewedRows {
   public:
    SkewedRows(const Grid<Element>& grid, Index row, Index first_row, Index last_row, Index column)
        : stride_(grid.column_stride) {
      for (int l = 0; l < Rows; ++l) {
        starts_[l] = grid.data + (std::clamp(row + l, first_row, last_row) * grid.row_stride +
                                  (column - l + (stride_ < 0 ? W - 1 : 0)) * stride_);
        for (Index t = 0; t < ahead; t += line) __builtin_prefetch(starts_[l] + t * stride_, 0, 2);
      }
    }
    Element* block(int l, Index t) const { return starts_[l] + t * stride_; }
    /// @brief The element of the block's vectors that is its step k.
    int element(int k) const { return stride_ < 0 ? W - 1 - k : k; }
    /// @brief Asks for what is needed some blocks later; in the second cache, as rows of some
    /// lengths compete for places in the first.
    void prefetch(int l, Index t) const { __builtin_prefetch(block(l, t + ahead), 0, 2); }

   private:
    static constexpr Index line = 64 / static_cast<Index>(sizeof(V));
    static constexpr Index ahead = 12 * line;
    Index stride_;
    Element* starts_[Rows];
  };

  /// @brief Brings a block of the W rows from `row` on into `window`, a step every `pitch` entries.
  template <bool Scaled, class Rows>
  WAVESCAN_TARGET_FUNCTION static void fetch(const Rows& rows, int row, Index t, V* window,
                                             int pitch, Vector factor) {
    Vector block[W];
#pragma GCC unroll 16
    for (int l = 0; l < W; ++l) {
      rows.prefetch(row + l, t);
      block[l] = Vector::load(rows.block(row + l, t));
    }
    Vector::transpose(block);
#pragma GCC unroll 16
    for (int k = 0; k < W; ++k)
      (Scaled ? Vector::multiply(block[k], factor) : block[k])
          .store(window + rows.element(k) * pitch);
  }

  WAVESCAN_TARGET_FUNCTION void fetch_old_values(Index t) {
    if (columns_inside(t - W + 1, t + W - 3)) {
      fetch<false>(old_rows_, 0, t, old_values_, W, Vector::all(1));
    } else {
      for (Index k = 0; k < W; ++k)
        for (Index l = 0; l < W; ++l) {
          const Index i = first_ + l;
          const Index j = t + k - 1 - l;
          old_values_[k * W + l] = i < x_.rows && j >= 0 && j < x_.columns ? x_(i, j) : V(0);
        }
    }
  }

  WAVESCAN_TARGET_FUNCTION void fetch_shares(Index t, V* window) const {
    if (!rhs_.data) return;
    const Index row = first_ - T;
    if (columns_inside(t - 1 + T - (share_lanes - 1), t + W - 2 + T)) {
      for (int l = 0; l < share_lanes; l += W)
        fetch<true>(rhs_rows_, l, t, window + l, share_lanes, Vector::all(coefficients_.rhs));
    } else {
      for (Index k = 0; k < W; ++k)
        for (Index l = 0; l < share_rows; ++l) {
          const Index i = row + l;
          const Index j = t + k - 1 + T - l;
          window[k * share_lanes + l] =
              row_inside(i) && columns_inside(j, j) ? coefficients_.rhs * rhs_(i, j) : V(0);
        }
    }
  }

  /// @brief Moves on to the next block of shares.
  WAVESCAN_TARGET_FUNCTION void advance_shares() {
    share_position_ += W;
    if (share_position_ + 2 * W > share_steps) {
      std::copy_n(shares_ + (share_position_ - past_steps) * share_lanes,
                  (past_steps + W) * share_lanes, shares_);
      share_position_ = past_steps;
    }
  }

  WAVESCAN_TARGET_FUNCTION void store_results(Index t) {
    const Index row = first_ - T;
    const Index column = t - 1 - T;
    if (columns_inside(column - (W - 1), column + W - 1)) {
      Vector block[W];
#pragma GCC unroll 16
      for (int k = 0; k < W; ++k) block[k] = Vector::load(results_ + result_rows_.element(k) * W);
      Vector::transpose(block);
#pragma GCC unroll 16
      for (int l = 0; l < W; ++l)
        if (row_inside(row + l)) block[l].store(result_rows_.block(l, t));
    } else {
      for (Index k = 0; k < W; ++k)
        for (Index l = 0; l < W; ++l)
          if (row_inside(row + l) && columns_inside(column + k - l, column + k - l))
            x_(row + l, column + k - l) = results_[k * W + l];
    }
  }

  template <bool Inside>
  WAVESCAN_TARGET_FUNCTION void step_through(Index t) {
    const Vector center = Vector::all(coefficients_.center);
    // The order of operations is that of the grid as it was given.
    const Vector right = Vector::all(coefficients_.right);
    const Vector down = Vector::all(coefficients_.down);
    const Vector up = Vector::all(coefficients_.up);
    const Vector left = Vector::all(coefficients_.left);
    Vector v[T + 1], u[T + 1], before[T + 1];
#pragma GCC unroll 16
    for (int s = 0; s <= T; ++s) {
      v[s] = v_[s];
      u[s] = u_[s];
      before[s] = before_[s];
    }
    const V* shares = shares_ + share_position_ * share_lanes;
    const V* entering = edges_ + t * slot;
    V* leaving = edges_ + (t - W) * slot;
    for (int k = 0; k < W; ++k) {
#pragma GCC unroll 16
      for (int s = T; s >= 0; --s) {
        if (s == 0) {
          v[0] = Vector::load(old_values_ + k * W);
        } else {
          Vector sum = Vector::load(shares - 2 * s * share_lanes + T - s);
          sum = Vector::multiply_add(center, before[s - 1], sum);
          if constexpr (Transposed) {
            sum = Vector::multiply_add(down, v[s - 1], sum);
            sum = Vector::multiply_add(right, u[s - 1], sum);
            sum = Vector::multiply_add(left, v[s], sum);
            sum = Vector::multiply_add(up, u[s], sum);
          } else {
            sum = Vector::multiply_add(right, u[s - 1], sum);
            sum = Vector::multiply_add(down, v[s - 1], sum);
            sum = Vector::multiply_add(up, u[s], sum);
            sum = Vector::multiply_add(left, v[s], sum);
          }
          if constexpr (!Inside) {
            const Index column = t + k - 1 - s;
            const auto unknown = Vector::between(std::max(column - columns_, 1 - first_ + s),
                                                 std::min(column - 1, rows_ - first_ + s));
            sum = Vector::select(unknown, sum, before[s - 1]);
          }
          v[s] = sum;
        }
        const Vector rotated = v[s].rotated();
        rotated.store_first(leaving + s);
        before[s] = u[s];
        u[s] = rotated.with_first(entering + s);
      }
      v[T].store(results_ + k * W);
      shares += share_lanes;
      entering += slot;
      leaving += slot;
    }
#pragma GCC unroll 16
    for (int s = 0; s <= T; ++s) {
      v_[s] = v[s];
      u_[s] = u[s];
      before_[s] = before[s];
    }
  }

  const SORHostPasses<V>& passes_;
  const Grid<V> x_;
  const Grid<const V> rhs_;
  const SORCoefficients<V> coefficients_;
  const Index rows_, columns_;  ///< of unknowns
  const Index pass_, band_;
  const Index first_;  ///< row of lane 0
  V* const edges_;
  const SkewedRows<V, W> old_rows_;
  const SkewedRows<const V, share_lanes> rhs_rows_;
  const SkewedRows<V, W> result_rows_;
  int share_position_ = past_steps;  ///< step of the window that is the first step of the block
  Vector v_[T + 1], u_[T + 1], before_[T + 1];
  alignas(64) V old_values_[W * W];
  alignas(64) V results_[W * W];
  alignas(64) V shares_[share_steps * share_lanes];
};

}  // namespace wavescan::Impl

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

#endif
