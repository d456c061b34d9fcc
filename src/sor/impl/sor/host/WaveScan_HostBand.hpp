// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR_HOST_HOSTBAND_HPP
#define WAVESCAN_IMPL_SOR_HOST_HOSTBAND_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/WaveScan_StencilValues.hpp>
#include <impl/sor/host/WaveScan_HostInputs.hpp>
#include <impl/sor/host/WaveScan_HostPass.hpp>
#include <impl/sor/host/WaveScan_HostSum.hpp>
#include <impl/sor/host/WaveScan_HostWindow.hpp>

#include <algorithm>

namespace wavescan::Impl::sor {

template <class Target, class Problem, int Lanes>
class HostBand;

}  // namespace wavescan::Impl::sor

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor/host/WaveScan_HostBand.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor {

/// @brief A band of rows, some sweeps at once, with the operations of the serial loop.
///
/// Each lane of a register has a row, and is a *lag* behind the lane above it: one column, or two
/// if the stencil has the upper right neighbour. S stages are in flight, each one row above and a
/// lag behind the one before: in step t, lane l of stage s (stage 0 being the old values) stands at
/// row `first + l - s` and column `t - lag (1 + l + s)`. With
///
///     v[s](t)   the values of stage s at these places
///     u[s](t)   the same of the rows above: v[s](t), one lane higher
///
/// a point's neighbours are all at hand, for five points
///
///     center = u[s-1](t-2), right = u[s-1](t-1), down = v[s-1](t-1), up = u[s](t-1),
///     left = v[s](t-1),
///
/// so that a step of a sweep costs its multiply-adds, a rotation, and the hand-over between bands:
/// the last lane's values go to memory (`edges`), from where they enter the next band's first lane,
/// at the same columns. Slot k of the edges holds column k - lag s of stage s. A band takes
/// slot t and overwrites slot t - lag lanes, so that one array serves all bands of a pass.
///
/// A stage is a sweep; a pass that measures has another one after them, which adds up the residuals
/// of what it sees and hands it on as it is. It goes through a block when the sweeps have: so it is
/// compiled once, not for each number of sweeps.
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
  using Numbers = CoefficientsOf<Problem>;
  using Stencil = VectorStencil<WAVESCAN_TARGET, Numbers>;
  using Coefficients = typename Stencil::Coefficients;
  using Sum = HostSum<WAVESCAN_TARGET, Numbers, Inputs::may_be_fixed>;
  static constexpr int lag = lag_of<Numbers>;

  /// @brief The values of a stage in its last steps, the latest one first.
  struct History {
    Vector v[2 * lag - 1];  ///< the corners are as far back as that, without them down is
    Vector u[2 * lag];      ///< the center is
  };

 public:
  template <int Sweeps, bool Transposed, bool Measured>
  WAVESCAN_TARGET_FUNCTION static void run(const Passes& passes, Index pass, Index band) {
    HostBand self(passes, pass, band, Sweeps, Measured);
    Measure measuring = nullptr;
    if constexpr (Measured) measuring = &HostBand::measure;
    self.run_blocks(&HostBand::step_through<Sweeps, Transposed, true>,
                    &HostBand::step_through<Sweeps, Transposed, false>, measuring);
    if constexpr (Measured) passes.sums[band] = self.sum_.total(self.measured_points());
  }

 private:
  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED HostBand(const Passes& passes, Index pass,
                                                         Index band, int sweeps, bool measured)
      : passes_(passes),
        sweeps_(sweeps),
        updates_(measured && passes.criterion == Criterion::Update),
        stages_(sweeps + (measured && !updates_ ? 1 : 0)),
        old_(pass == 0 ? passes.from : passes.problem.x),
        x_(passes.problem.x),
        place_{passes.problem.interior_rows(), passes.problem.interior_columns(),
               1 + (passes.first_band + band) * W},
        pass_(pass),
        band_(band),
        edges_(passes.edges_for(pass)),
        from_zero_(pass == 0 && passes.from_zero),
        old_rows_(old_, place_.first, 1, place_.rows + 1, -lag),
        result_rows_(x_, place_.first - sweeps_, 1, place_.rows, -lag * (1 + sweeps_)),
        inputs_(passes.problem, place_, stages_, measured && !updates_) {}

  using Steps = void (HostBand::*)(Index);
  using Measure = void (HostBand::*)(Index, bool);

  /// @param inside does the steps of a block none of whose lanes is outside the unknowns, `others`
  /// those of any
  /// @param measuring follows them, or is null
  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED void run_blocks(Steps inside, Steps others,
                                                                Measure measuring) {
    const int S = stages_;
    const int slot = S + 1;  // entries of a slot of the edges
    // How far the pass before must be ahead: results trail the old values by 2 lag S steps.
    const Index past_blocks = (2 * lag * S + 2 * W - 2) / W;
    const Vector zero = Vector::all(0);
    for (int s = 0; s <= S; ++s) {
      for (Vector& v : history_[s].v) v = zero;
      for (Vector& u : history_[s].u) u = zero;
    }
    const Index first_block = passes_.part.entering_partition.step / W;
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
    fetch_old_values(first_block * W);
    const int early = first_block > 0 ? Inputs::past_steps(S) : Inputs::early_steps(S);
    for (int t = -early; t <= W; t += W) inputs_.fetch(first_block * W + t, t);
    if (first_block > 0) {
      passes_.wait_for(pass_, band_ - 1, first_block + 1, known_above);
      enter(passes_.part.entering_partition);
    }
    for (Index block = first_block; block < passes_.decomp.blocks; ++block) {
      const Index t = block * W;
      for (const HostPartition<V>& partition : passes_.part.partitions)
        if (partition.step == t && t > 0) tell(partition);
      passes_.wait_for(pass_, band_ - 1, block + 1 + lag, known_above);
      const bool unknowns =
          rows_inside() && place_.columns_inside(t - lag * (W + S), t + W - 1 - 2 * lag);
      if (measuring) before_ = history_[sweeps_];
      (this->*(unknowns ? inside : others))(t);
      if (measuring) (this->*measuring)(t, unknowns);
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
    const Index top = place_.first - stages_;
    const Index rows = std::min(top + W - 1, place_.rows) - std::max<Index>(top, 1) + 1;
    return std::max<Index>(rows, 0) * place_.columns;
  }

  /// @brief Brings what left another band above to where that band would have left it.
  WAVESCAN_SELDOM void enter(const HostTap<V>& tap) const {
    const int slot = stages_ + 1;
    for (Index j = 0; j < old_.columns; ++j)
      for (Index s = 0; s <= sweeps_; ++s) {
        const bool told = s > 0 && place_.columns_inside(j, j);
        edges_[(j + lag * s) * slot + s] =
            told ? tap.values[(s - 1) * place_.columns + j - 1] : old_(tap.row - s, j);
      }
  }
  /// @brief Copies what has left the last lane in the steps from t on.
  WAVESCAN_SELDOM void tell(const HostTap<V>& tap, Index t) const {
    const int slot = stages_ + 1;
    for (Index k = t - lag * W; k < t + (1 - lag) * W; ++k)
      for (Index s = 1; s <= sweeps_; ++s) {
        const Index column = k - lag * s;
        if (place_.columns_inside(column, column))
          tap.values[(s - 1) * place_.columns + column - 1] = edges_[k * slot + s];
      }
  }

  /// @brief Copies what the next step takes from those before, but for lane 0's row above, which
  /// the band above has only later; for five points.
  WAVESCAN_TARGET_FUNCTION WAVESCAN_SELDOM void tell(const HostPartition<V>& partition) const {
    const Index above = place_.first - 1;  // rows, with the halo's
    V* values = partition.values + above / W * HostPartition<V>::values_of_band(W, sweeps_);
    for (Index s = 1; s <= sweeps_; ++s) {
      values = tell(values, history_[s].v[0], s - 1 - above);
      values = tell(values, history_[s].u[1], s - above);
    }
  }
  /// @brief Copies one vector, whose first rows above the halo are nobody's.
  WAVESCAN_TARGET_FUNCTION static V* tell(V* values, const Vector& kept, Index nobodys) {
    kept.store(values);
    std::fill_n(values, std::clamp<Index>(nobodys, 0, W), V(0));
    return values + W;
  }

  /// @brief Begins at a partition, with what the part before has told of it; for five points.
  WAVESCAN_TARGET_FUNCTION WAVESCAN_SELDOM void enter(const HostPartition<V>& partition) {
    history_[0].v[0] = old_before(partition.step, 1, 0);
    history_[0].u[0] = old_before(partition.step, 1, 1);
    history_[0].u[1] = old_before(partition.step, 2, 1);
    const V* values =
        partition.values + (place_.first - 1) / W * HostPartition<V>::values_of_band(W, sweeps_);
    const V* above = edges_ + (partition.step - 1) * (stages_ + 1);
    for (Index s = 1; s <= sweeps_; ++s, values += 2 * W) {
      history_[s].v[0] = Vector::load(values);
      history_[s].u[0] = history_[s].v[0].rotated().with_first(above + s);
      history_[s].u[1] = Vector::load(values + W);
    }
  }
  /// @brief The old values at which lanes, or what is `up` rows above, were some steps ago.
  WAVESCAN_TARGET_FUNCTION Vector old_before(Index step, Index ago, Index up) const {
    alignas(64) V values[W];
    for (Index l = 0; l < W; ++l) {
      const Index i = place_.first - up + l, j = step - ago - (1 - up + l);
      values[l] = i < old_.rows && j >= 0 && j < old_.columns ? old_(i, j) : V(0);
    }
    return Vector::load(values);
  }

  bool rows_inside() const {
    return place_.first - stages_ >= 1 && place_.first + W - 2 <= place_.rows;
  }

  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED void fetch_old_values(Index t) {
    const bool unknowns =
        place_.first + W - 1 <= place_.rows && place_.columns_inside(t - lag * W, t + W - 1 - lag);
    if (from_zero_ && unknowns) {
      std::fill_n(old_values_, W * W, V(0));
    } else if (!from_zero_ && place_.columns_inside(t - lag * W + 1, t + W - 2 - lag)) {
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
          const Index j = t + k - lag * (1 + l);
          const bool there = i < old_.rows && j >= 0 && j < old_.columns;
          const bool zero = from_zero_ && place_.row_inside(i) && place_.columns_inside(j, j);
          old_values_[k * W + l] = there && !zero ? old_(i, j) : V(0);
        }
    }
  }

  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED void store_results(Index t) {
    const Index row = place_.first - sweeps_;
    const Index column = t - lag * (1 + sweeps_);
    if (place_.columns_inside(column - lag * (W - 1), column + W - 1)) {
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
          if (const Index j = column + k - lag * l;
              place_.row_inside(row + l) && place_.columns_inside(j, j))
            x_(row + l, j) = results_[k * W + l];
    }
  }

  template <int S, bool Transposed, bool Inside>
  WAVESCAN_TARGET_FUNCTION void step_through(Index t) {
    using Seen = typename Inputs::Seen;
    const int slot = stages_ + 1;
    const typename Inputs::all_type all = inputs_.all();
    History past[S + 1];
#pragma GCC unroll 16
    for (int s = 0; s <= S; ++s) past[s] = history_[s];
    // Locals: after a store of a vector the compiler takes all members for changed.
    const HostPlace place = place_;
    const bool multiplies = inputs_.multiplies();
    const bool updates = updates_;
    const V* front = inputs_.front();
    const V* entering = edges_ + t * slot;
    V* leaving = edges_ + (t - lag * W) * slot;
    for (int k = 0; k < W; ++k) {
#pragma GCC unroll 16
      for (int s = S; s >= 0; --s) {
        Vector result;
        if (s == 0) {
          result = Vector::load(old_values_ + k * W);
        } else {
          const V* const step = front - Inputs::behind(s);
          const auto near = values_near(past[s - 1], past[s], NeighboursOf<Numbers>());
          const Coefficients& c = Seen::coefficients(all, step);
          const Vector b = Seen::b(step);
          result = Stencil::template relaxed<Transposed, Inputs::may_be_fixed>(
              c, multiplies ? c.rhs * b : b, near);
          if constexpr (Inputs::may_be_fixed)
            result = select_marked(Seen::fixed(step), near.center, result);
          if constexpr (!Inside) {
            const auto [first, last] = lanes_inside(place, s, t + k);
            result = Vector::select(Vector::between(first, last), result, near.center);
          }
          if (s == S && updates) near.center.store(replaced_ + k * W);
        }
        const Vector rotated = result.rotated();
        rotated.store_first(leaving + s);
        push(past[s].v, result);
        push(past[s].u, rotated.with_first(entering + s));
      }
      past[S].v[0].store(results_ + k * W);
      front += Inputs::pitch;
      entering += slot;
      leaving += slot;
    }
#pragma GCC unroll 16
    for (int s = 0; s <= S; ++s) history_[s] = past[s];
  }

  /// @brief The stage that measures, in a block that sweeps have gone through.
  /// @param inside whether no lane is outside the unknowns
  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED void measure(Index t, bool inside) {
    const int s = stages_, slot = s + 1;
    const HostPlace place = place_;
    const bool updates = updates_;
    History before = before_, now = history_[s];
    Sum sum = sum_;
    const V* step = inputs_.front() - Inputs::behind(s);
    const V* entering = edges_ + t * slot;
    V* leaving = edges_ + (t - lag * W) * slot;
    for (int k = 0; k < W; ++k, step += Inputs::pitch, entering += slot, leaving += slot) {
      const auto [first, last] = lanes_inside(place, s, t + k);
      typename Sum::Lanes lanes{inside, first, last, Vector::all(0)};
      if constexpr (Inputs::may_be_fixed) lanes.fixed = Inputs::Seen::fixed(step);
      const Vector swept = Vector::load(results_ + k * W);
      if (updates) {
        sum.add_update(lanes, swept, Vector::load(replaced_ + k * W));
        continue;
      }
      const auto near = values_near(before, now, NeighboursOf<Numbers>());
      sum.add_residual(lanes, inputs_.equations(step), near, Inputs::Seen::b(step));
      const Vector above = near.center.rotated();
      above.store_first(leaving + s);
      push(now.v, near.center);
      push(now.u, above.with_first(entering + s));
      push(before.v, swept);
      push(before.u, swept.rotated().with_first(entering + sweeps_));
    }
    sum_ = sum;
    history_[s] = now;
  }

  struct LaneRange {
    Index first, last;
  };
  /// @brief The lanes that stage s has at unknowns in step t.
  static LaneRange lanes_inside(const HostPlace& place, int s, Index t) {
    const Index column = t - lag * (1 + s);  // of the first lane
    return {std::max(by_lag(column - place.columns + lag - 1), 1 - place.first + s),
            std::min(by_lag(column - 1), place.rows - place.first + s)};
  }

  /// @brief Returns n divided by the lag, rounded down.
  static Index by_lag(Index n) {
    static_assert(lag == 1 || lag == 2);
    return n >> (lag - 1);
  }

  template <int Size>
  WAVESCAN_TARGET_INLINED static void push(Vector (&past)[Size], Vector latest) {
#pragma GCC unroll 4
    for (int k = Size - 1; k > 0; --k) past[k] = past[k - 1];
    past[0] = latest;
  }

  /// @brief The values at a point and around it: of the stage before, or of this one.
  template <StencilPoint... Each>
  WAVESCAN_TARGET_INLINED static ValuesOf<Coefficients> values_near(const History& before,
                                                                    const History& now,
                                                                    StencilPoints<Each...>) {
    return {before.u[2 * lag - 1], value_near<Each>(before, now)...};
  }
  template <StencilPoint Point>
  WAVESCAN_TARGET_INLINED static Vector value_near(const History& before, const History& now) {
    constexpr int row = row_offset<Point>, column = column_offset<Point>;
    if constexpr (row > 0)
      return before.v[lag - column - 1];
    else if constexpr (row < 0)
      return now.u[lag - column - 1];
    else if constexpr (column > 0)
      return before.u[2 * lag - column - 1];
    else
      return now.v[-column - 1];
  }

  const Passes& passes_;
  const int sweeps_;
  const bool updates_;  ///< are measured, not residuals
  const int stages_;
  const Grid<V> old_;  ///< what the pass reads
  const Grid<V> x_;    ///< and writes
  const HostPlace place_;
  const Index pass_, band_;
  V* const edges_;
  const bool from_zero_;
  const HostRows<V, W, W, lag> old_rows_;
  const HostRows<V, W, W, lag> result_rows_;
  // What every step uses comes before the inputs, which are long.
  History history_[max_stages + 1];
  alignas(64) V old_values_[W * W];
  alignas(64) V results_[W * W];
  alignas(64) V replaced_[W * W];  ///< by the last sweep's results, if updates are measured
  History before_;                 ///< of the last sweep, before the present block
  Sum sum_;
  Inputs inputs_;
};

}  // namespace wavescan::Impl::sor

#endif
