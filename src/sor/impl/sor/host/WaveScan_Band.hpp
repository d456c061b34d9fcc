// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR_HOST_BAND_HPP
#define WAVESCAN_IMPL_SOR_HOST_BAND_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/WaveScan_FivePoint.hpp>
#include <impl/sor/host/WaveScan_Inputs.hpp>
#include <impl/sor/host/WaveScan_Pass.hpp>
#include <impl/sor/host/WaveScan_Sum.hpp>
#include <impl/sor/host/WaveScan_Window.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace wavescan::Impl::sor {

template <class Target, class Problem, int Lanes>
class HostBand;

}  // namespace wavescan::Impl::sor

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor/host/WaveScan_Band.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor {

/// @brief A band of rows, some sweeps at once, with the operations of the serial loop.
///
/// Each lane of a register has a row, and is one column behind the lane above it. S stages are in
/// flight, each one row above and one column behind the one before: in step t, lane l of stage s
/// (stage 0 being the old values) stands at row `first + l - s` and column `t - 1 - l - s`. With
///
///     v[s](t)   the values of stage s at these places
///     u[s](t)   the same of the rows above: v[s](t), one lane higher
///
/// a point's neighbours are all at hand,
///
///     center = u[s-1](t-2), right = u[s-1](t-1), down = v[s-1](t-1), up = u[s](t-1),
///     left = v[s](t-1),
///
/// so that a step of a sweep costs its five multiply-adds, a rotation, and the hand-over between
/// bands: the last lane's values go to memory (`edges`), from where they enter the next band's
/// first lane, at the same columns. Slot k of the edges holds column k - s of stage s. A band takes
/// slot t and overwrites slot t - lanes, so that one array serves all bands of a pass.
///
/// A stage is a sweep; a pass that measures has another one after them, which adds up the residuals
/// of what it sees and hands it on as it is.
///
/// Steps are done in blocks. Blocks of old values and of inputs come in through, and blocks of
/// results leave through, transpositions in registers; that every row is read from another column
/// on makes the skew. Lanes outside the unknowns keep their values: `Inside` says that a block has
/// none.
///
/// Passes of different depths share all but the steps, if as many lanes are enough for their
/// inputs.
/// @tparam Lanes of HostInputs
template <class Problem, int Lanes>
class HostBand<WAVESCAN_TARGET, Problem, Lanes> {
  using V = typename Problem::value_type;
  using Vector = TargetVector<WAVESCAN_TARGET, V>;
  using Passes = HostPasses<Problem>;
  static constexpr int W = Vector::lanes;
  using Inputs = HostInputs<WAVESCAN_TARGET, Problem, Lanes>;
  static constexpr int max_stages = Inputs::max_stages;
  using Stencil = VectorFivePoint<WAVESCAN_TARGET, V>;
  using Coefficients = typename Stencil::Coefficients;
  using Sum = HostSum<WAVESCAN_TARGET, V, Inputs::may_be_fixed>;

 public:
  template <int Sweeps, bool Transposed, bool Measured>
  WAVESCAN_TARGET_FUNCTION static void run(const Passes& passes, Index pass, Index band) {
    HostBand self(passes, pass, band, Sweeps, Measured);
    self.template run_blocks<Sweeps, Transposed, Measured>();
    if constexpr (Measured) passes.sums[band] = self.sum_.total(self.measured_points());
  }

 private:
  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED HostBand(const Passes& passes, Index pass,
                                                         Index band, int sweeps, bool measured)
      : passes_(passes),
        sweeps_(sweeps),
        stages_(sweeps + (measured ? 1 : 0)),
        old_(pass == 0 ? passes.from : passes.problem.x),
        x_(passes.problem.x),
        place_{passes.problem.interior_rows(), passes.problem.interior_columns(),
               1 + (passes.first_band + band) * W},
        pass_(pass),
        band_(band),
        edges_(passes.edges_for(pass)),
        from_zero_(pass == 0 && passes.from_zero),
        old_rows_(old_, place_.first, 1, place_.rows + 1, -1),
        result_rows_(x_, place_.first - stages_, 1, place_.rows, -1 - stages_),
        inputs_(passes.problem, place_, stages_, measured) {}

  template <int Sweeps, bool Transposed, bool Measured>
  WAVESCAN_TARGET_FUNCTION void run_blocks() {
    constexpr int S = Sweeps + (Measured ? 1 : 0);
    constexpr int slot = S + 1;  // entries of a slot of the edges
    // How far the pass before must be ahead: results trail the old values by 2 S steps.
    constexpr Index past_blocks = (2 * S + 2 * W - 2) / W;
    const Vector zero = Vector::all(0);
    for (int s = 0; s <= S; ++s) {
      v_[s] = zero;
      u_[s] = zero;
      before_[s] = zero;
    }
    inputs_.prepare();
    if (band_ == 0 && passes_.first_band > 0) {
      enter(passes_.part.entering);
    } else if (band_ == 0) {
      Index known = 0;
      passes_.wait_for(pass_ - 2, passes_.bands - 1, passes_.decomp.blocks, known);
      for (Index j = 0; j < old_.columns; ++j) edges_[j * slot] = old_(0, j);
    }
    // The last one of the pass before to write rows of this band.
    const Index below = std::min(band_ + (S + W - 1) / W, passes_.bands - 1);
    Index known_below = 0, known_above = 0;
    passes_.wait_for(pass_ - 1, below, 1 + past_blocks, known_below);
    fetch_old_values(0);
    for (int t = -Inputs::early_steps(S); t <= W; t += W) inputs_.fetch(t, t);
    for (Index block = 0; block < passes_.decomp.blocks; ++block) {
      const Index t = block * W;
      for (const HostCut<V>& cut : passes_.part.cuts)
        if (cut.step == t && t > 0) tell(cut);
      passes_.wait_for(pass_, band_ - 1, block + 2, known_above);
      if (rows_inside() && place_.columns_inside(t - W - S, t + W - 3))
        step_through<Sweeps, Transposed, Measured, true>(t);
      else
        step_through<Sweeps, Transposed, Measured, false>(t);
      for (const HostTap<V>& tap : passes_.part.leaving)
        if (tap.row == place_.first + W - 1) tell(tap, t);
      // What comes next does not depend on the steps, and is done while their chain goes on.
      passes_.wait_for(pass_ - 1, below, block + 2 + past_blocks, known_below);
      fetch_old_values(t + W);
      inputs_.advance();
      inputs_.fetch(t + 2 * W, W);
      store_results(t);
      passes_.publish(pass_, band_, block + 1);
    }
  }

  /// @brief Unknowns, and fixed points, of the stage that measures.
  Index measured_points() const {
    const Index top = place_.first - (passes_.criterion == Criterion::Update ? sweeps_ : stages_);
    const Index rows = std::min(top + W - 1, place_.rows) - std::max<Index>(top, 1) + 1;
    return std::max<Index>(rows, 0) * place_.columns;
  }

  /// @brief Brings what left another band above to where that band would have left it.
  void enter(const HostTap<V>& tap) const {
    const int slot = stages_ + 1;
    for (Index j = 0; j < old_.columns; ++j)
      for (Index s = 0; s <= sweeps_; ++s) {
        const bool told = s > 0 && place_.columns_inside(j, j);
        edges_[(j + s) * slot + s] =
            told ? tap.values[(s - 1) * place_.columns + j - 1] : old_(tap.row - s, j);
      }
  }
  /// @brief Copies what has left the last lane in the steps from t on.
  void tell(const HostTap<V>& tap, Index t) const {
    const int slot = stages_ + 1;
    for (Index k = t - W; k < t; ++k)
      for (Index s = 1; s <= sweeps_; ++s)
        if (place_.columns_inside(k - s, k - s))
          tap.values[(s - 1) * place_.columns + k - s - 1] = edges_[k * slot + s];
  }

  /// @brief Copies what the next step takes from those before, but for lane 0's row above, which
  /// the band above has only later.
  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED void tell(const HostCut<V>& cut) const {
    const Index above = place_.first - 1;  // rows, with the halo's
    V* values = cut.values + above / W * HostCut<V>::values_of_band(W, sweeps_);
    for (Index s = 1; s <= sweeps_; ++s)
      for (const auto& [kept, lower] : {std::pair{&v_[s], 0}, {&before_[s], 1}}) {
        kept->store(values);
        // Rows above the halo are nobody's.
        const Index nobodys = std::clamp<Index>(s - 1 + lower - above, 0, W);
        std::fill_n(values, nobodys, V(0));
        values += W;
      }
  }

  bool rows_inside() const {
    return place_.first - stages_ >= 1 && place_.first + W - 2 <= place_.rows;
  }

  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED void fetch_old_values(Index t) {
    const bool unknowns =
        place_.first + W - 1 <= place_.rows && place_.columns_inside(t - W, t + W - 2);
    if (from_zero_ && unknowns) {
      std::fill_n(old_values_, W * W, V(0));
    } else if (!from_zero_ && place_.columns_inside(t - W + 1, t + W - 3)) {
      Vector block[W];
#pragma GCC unroll 16
      for (int l = 0; l < W; ++l) {
        old_rows_.prefetch(l, t);
        block[l] = Vector::load(old_rows_.block(l, t));
      }
      Vector::transpose(block);
#pragma GCC unroll 16
      for (int k = 0; k < W; ++k) block[k].store(old_values_ + old_rows_.element(k) * W);
    } else {
      for (Index k = 0; k < W; ++k)
        for (Index l = 0; l < W; ++l) {
          const Index i = place_.first + l;
          const Index j = t + k - 1 - l;
          const bool there = i < old_.rows && j >= 0 && j < old_.columns;
          const bool zero = from_zero_ && place_.row_inside(i) && place_.columns_inside(j, j);
          old_values_[k * W + l] = there && !zero ? old_(i, j) : V(0);
        }
    }
  }

  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED void store_results(Index t) {
    const Index row = place_.first - stages_;
    const Index column = t - 1 - stages_;
    if (place_.columns_inside(column - (W - 1), column + W - 1)) {
      Vector block[W];
#pragma GCC unroll 16
      for (int k = 0; k < W; ++k) block[k] = Vector::load(results_ + result_rows_.element(k) * W);
      Vector::transpose(block);
      const bool elsewhere = old_.data != x_.data;  // where nothing has been read yet
#pragma GCC unroll 16
      for (int l = 0; l < W; ++l) {
        if (place_.row_inside(row + l)) block[l].store(result_rows_.block(l, t));
        if (elsewhere) result_rows_.prefetch(l, t);
      }
    } else {
      for (Index k = 0; k < W; ++k)
        for (Index l = 0; l < W; ++l)
          if (place_.row_inside(row + l) && place_.columns_inside(column + k - l, column + k - l))
            x_(row + l, column + k - l) = results_[k * W + l];
    }
  }

  template <int Sweeps, bool Transposed, bool Measured, bool Inside>
  WAVESCAN_TARGET_FUNCTION void step_through(Index t) {
    constexpr int S = Sweeps + (Measured ? 1 : 0), slot = S + 1;
    using Seen = typename Inputs::template Seen<Measured>;
    const typename Inputs::all_type all = inputs_.all();
    Vector v[S + 1], u[S + 1], before[S + 1];
#pragma GCC unroll 16
    for (int s = 0; s <= S; ++s) {
      v[s] = v_[s];
      u[s] = u_[s];
      before[s] = before_[s];
    }
    // Locals: after a store of a vector the compiler takes all members for changed.
    const HostPlace place = place_;
    const bool has_b = inputs_.has_b();
    const bool updates = Measured && passes_.criterion == Criterion::Update;
    struct NoSum {};
    std::conditional_t<Measured, Sum, NoSum> sum;
    if constexpr (Measured) sum = sum_;
    const V* front = inputs_.front();
    const V* entering = edges_ + t * slot;
    V* leaving = edges_ + (t - W) * slot;
    for (int k = 0; k < W; ++k) {
#pragma GCC unroll 16
      for (int s = S; s >= 0; --s) {
        if (s == 0) {
          v[0] = Vector::load(old_values_ + k * W);
        } else {
          const V* const step = front - Inputs::behind(s);
          const Index column = t + k - 1 - s;
          const Index first_lane = std::max(column - place.columns, 1 - place.first + s);
          const Index last_lane = std::min(column - 1, place.rows - place.first + s);
          const FivePointValues<Vector> near{before[s - 1], v[s], u[s], u[s - 1], v[s - 1]};
          Vector result = near.center;
          if (s <= Sweeps) {
            const Coefficients& c = Seen::coefficients(all, step);
            result = Stencil::template relaxed<Transposed, Inputs::may_be_fixed>(
                c, Seen::rhs_times_b(c, step, has_b), near);
            if constexpr (Inputs::may_be_fixed)
              result = select_marked(Seen::fixed(step), before[s - 1], result);
            if constexpr (!Inside)
              result =
                  Vector::select(Vector::between(first_lane, last_lane), result, before[s - 1]);
          }
          if constexpr (Measured) {
            typename Sum::Lanes lanes{first_lane, last_lane, Vector::all(0)};
            if constexpr (Inputs::may_be_fixed) lanes.fixed = Seen::fixed(step);
            if (s == Sweeps && updates)
              sum.template add_update<Inside>(lanes, result, before[s - 1]);
            if (s > Sweeps && !updates)
              sum.template add_residual<Inside>(lanes, Seen::equations(inputs_, step), near,
                                                Seen::b(step));
          }
          v[s] = result;
        }
        const Vector rotated = v[s].rotated();
        rotated.store_first(leaving + s);
        before[s] = u[s];
        u[s] = rotated.with_first(entering + s);
      }
      v[S].store(results_ + k * W);
      front += Inputs::pitch;
      entering += slot;
      leaving += slot;
    }
    if constexpr (Measured) sum_ = sum;
#pragma GCC unroll 16
    for (int s = 0; s <= S; ++s) {
      v_[s] = v[s];
      u_[s] = u[s];
      before_[s] = before[s];
    }
  }

  const Passes& passes_;
  const int sweeps_;
  const int stages_;
  const Grid<V> old_;  ///< what the pass reads
  const Grid<V> x_;    ///< and writes
  const HostPlace place_;
  const Index pass_, band_;
  V* const edges_;
  const bool from_zero_;
  const HostRows<V, W, W> old_rows_;
  const HostRows<V, W, W> result_rows_;
  // What every step uses comes before the inputs, which are long.
  Vector v_[max_stages + 1], u_[max_stages + 1], before_[max_stages + 1];
  alignas(64) V old_values_[W * W];
  alignas(64) V results_[W * W];
  Sum sum_;
  Inputs inputs_;
};

}  // namespace wavescan::Impl::sor

#endif
