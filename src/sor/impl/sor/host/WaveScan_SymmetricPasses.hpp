// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SOR_HOST_SYMMETRICPASSES_HPP
#define WAVESCAN_IMPL_SOR_HOST_SYMMETRICPASSES_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_StencilValues.hpp>
#include <impl/sor/host/WaveScan_TaskOrder.hpp>

#include <algorithm>

namespace wavescan::Impl::sor {

/// @brief Passes of a sweep each, forwards and backwards in turn, with constant coefficients: what
/// all bands share.
///
/// Between passes values lie as a step wants them. A band has so many rows (`height`), and slot t
/// of band b their points of an antidiagonal: before a forward pass and after a backward one (1 + b
/// height + l, t - 1 - l), after a forward pass and before a backward one (b height + l, t - 2 -
/// l), for all l < height. So either pass loads and stores in place, and only the first and the
/// last one transpose. The right-hand side lies in the second way.
template <class P>
struct HostSymmetricPasses : HostTaskOrder {
  using V = typename P::value_type;

  P problem;       ///< x is where the last pass ends
  Grid<V> from;    ///< where the first one begins; with the halo of x
  bool from_zero;  ///< whether its unknowns are taken for zero instead
  Index height;
  V* values;  ///< (band, slot, row)
  V* rhs;     ///< likewise, times its coefficient; of one band more
  V* edges;   ///< (two passes, old and new, slot): what leaves a band for the next one

  static Index blocks_of(const P& p, Index height) {
    return ceil_div(p.interior_columns() + height + 4, height);
  }
  static Index bands_of(const P& p, Index height) {
    return ceil_div(p.interior_rows() + 1, height);
  }
  /// @brief Slots of a band, of which steps have all but the first and the last `height`.
  static Index slots_of(const P& p, Index height) { return (blocks_of(p, height) + 2) * height; }
  static Index entries(const P& p, Index height) {
    const Index slots = slots_of(p, height);
    return slots * (height * ((p.rhs.data ? 2 : 1) * bands_of(p, height) + 1) + 4);
  }

  HostSymmetricPasses(const P& p, const Grid<V>& from_grid, bool zero, Index count, Index rows,
                      V* memory, HostProgress* done)
      : HostTaskOrder{count, bands_of(p, rows), blocks_of(p, rows), 1, done + 1, &done->blocks},
        problem(p),
        from(from_grid),
        from_zero(zero),
        height(rows),
        values(memory),
        rhs(p.rhs.data ? memory + this->bands * slots() * height : nullptr),
        edges(memory + (entries(p, rows) - 4 * slots())) {}

  Index slots() const { return (blocks + 2) * height; }
  /// @brief Slot 0 of a band.
  V* band_in(V* array, Index band) const { return array + (band * slots() + height) * height; }
  V* edge(Index pass, bool is_new) const {
    return edges + (2 * (pass % 2) + (is_new ? 1 : 0)) * slots() + height;
  }
};

template <class Target, class P, bool Transposed>
class HostSymmetric;

}  // namespace wavescan::Impl::sor

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sor/host/WaveScan_SymmetricPasses.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl::sor {

/// @brief A band of rows in one of such passes, with the operations of the serial loop.
///
/// Lane l of the band's registers has a row, and is a column behind lane l - 1 in a forward pass.
/// With o(t) the old values of slot t, r(t) the results, and u and w what these are one lane
/// higher, a point's neighbours in step t are
///
///     center = u(t-2), right = u(t-1), down = o(t-1), up = w(t-1), left = r(t-1).
///
/// A backward pass is the same with steps, lanes and neighbours in the opposite order. Several
/// registers, whose chains do not depend on each other within a step, keep the processor busy while
/// it waits for each of them.
template <class P, bool Transposed>
class HostSymmetric<WAVESCAN_TARGET, P, Transposed> {
  using V = typename P::value_type;
  using Vector = TargetVector<WAVESCAN_TARGET, V>;
  using Stencil = VectorFivePoint<WAVESCAN_TARGET, V>;
  using Passes = HostSymmetricPasses<P>;
  static constexpr Index W = Vector::lanes;
  static constexpr int registers = 2;

 public:
  static constexpr Index height = registers * W;
  static constexpr Index slots_ahead = 48;  ///< to ask for

  WAVESCAN_TARGET_FUNCTION static void run(const Passes& passes, Index pass, Index band) {
    if (pass % 2 == 0)
      HostSymmetric(passes, pass, band)
          .relax_band(passes, false, &HostSymmetric::relax_block<false, true>,
                      &HostSymmetric::relax_block<false, false>);
    else
      HostSymmetric(passes, pass, passes.bands - 1 - band)
          .relax_band(passes, true, &HostSymmetric::relax_block<true, true>,
                      &HostSymmetric::relax_block<true, false>);
  }

 private:
  struct State {
    Vector old[registers], result[registers], up[registers], right[registers], center[registers];
  };

  HostSymmetric(const Passes& passes, Index pass, Index band)
      : m_(passes.problem.interior_rows()),
        n_(passes.problem.interior_columns()),
        pass_(pass),
        band_(band),
        above_(band * height),
        values_(passes.band_in(passes.values, band)),
        rhs_(passes.rhs ? passes.band_in(passes.rhs, band) : nullptr),
        old_edge_(passes.edge(pass, false)),
        new_edge_(passes.edge(pass, true)),
        rhs_below_(rhs_ ? rhs_ + passes.slots() * height : nullptr) {}

  using Blocks = void (HostSymmetric::*)(const typename Stencil::Coefficients&, State&,
                                         Index) const;

  /// @param inside relaxes a block none of whose lanes is outside the unknowns, `others` any
  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED void relax_band(const Passes& passes, bool backward,
                                                                Blocks inside, Blocks others) {
    const P& p = passes.problem;
    const Index turn = backward ? passes.bands - 1 - band_ : band_;
    Index known = 0;
    passes.wait_for(pass_ - 1, passes.bands - 1 - turn, passes.blocks, known);
    if (turn == 0) {
      Index last = 0;
      passes.wait_for(pass_ - 2, passes.bands - 1, passes.blocks, last);
      bring_edges(backward, p.x, passes.blocks);
    }
    const auto coefficients =
        Stencil::in_all_lanes(backward ? reversed(p.coefficients) : p.coefficients);
    State state;
    for (int q = 0; q < registers; ++q)
      state.old[q] = state.result[q] = state.up[q] = state.right[q] = state.center[q] =
          Vector::all(0);
    known = 0;
    for (Index block = 0; block < passes.blocks; ++block) {
      passes.wait_for(pass_, turn - 1, block + 2, known);
      const Index first = (backward ? passes.blocks - 1 - block : block) * height;
      const Index last = first + height - 1;
      if (pass_ == 0) {
        bring(read_only(passes.from), {1 + above_, 1}, 0, first, passes.from_zero, V(1), values_);
        if (rhs_) bring(p.rhs, {above_, 2}, 1, first, false, p.coefficients.rhs, rhs_);
      }
      const bool unknowns =
          lanes_from(backward, last) <= 0 && lanes_to(backward, first) >= height - 1;
      (this->*(unknowns ? inside : others))(coefficients, state, backward ? last : first);
      if (pass_ + 1 == passes.passes)
        take(p.x, backward ? Place{1 + above_, 1} : Place{above_, 2}, first);
      passes.publish(pass_, turn, block + 1);
    }
  }

  /// @brief The lanes whose results of a slot are unknowns.
  Index lanes_from(bool backward, Index t) const {
    return backward ? std::max(-above_, t - 1 - n_) : std::max(1 - above_, t - 2 - n_);
  }
  Index lanes_to(bool backward, Index t) const {
    return backward ? std::min(m_ - 1 - above_, t - 2) : std::min(m_ - above_, t - 3);
  }

  template <bool Backward, bool Inside>
  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED void relax_block(
      const typename Stencil::Coefficients& coefficients, State& state, Index t) const {
    constexpr Index way = Backward ? -1 : 1;
    constexpr Index leaving = Backward ? 0 : height - 1;
    const typename Stencil::Coefficients c = coefficients;
    State s = state;
    for (Index k = 0; k < height; ++k, t += way) {
      V* const at = values_ + t * height;
      Vector b[registers + 1], old[registers], result[registers];
#pragma GCC unroll 16
      for (int q = 0; q < registers; ++q) {
        __builtin_prefetch(at + way * slots_ahead * height + q * W, 1, 2);
        if (rhs_) __builtin_prefetch(rhs_ + (t + way * slots_ahead) * height + q * W, 0, 2);
        b[q] = rhs_ ? Vector::load(rhs_ + (Backward ? t + 2 : t) * height + q * W)
                    : Vector::all(-V(0));  // changes no sum
        old[q] = Vector::load(at + q * W);
      }
      if (Backward && rhs_) {
        b[registers] = Vector::all(rhs_below_[(t + 2 - height) * height]);
#pragma GCC unroll 16
        for (int q = 0; q < registers; ++q) b[q] = b[q].preceding(b[q + 1]);
      }
#pragma GCC unroll 16
      for (int q = 0; q < registers; ++q) {
        const FivePointValues<Vector> near{s.center[q], s.result[q], s.up[q], s.right[q], s.old[q]};
        result[q] = Stencil::template relaxed<Transposed, false>(c, b[q], near);
        if constexpr (!Inside)
          result[q] = Vector::select(
              Vector::between(lanes_from(Backward, t) - q * W, lanes_to(Backward, t) - q * W),
              result[q], near.center);
      }
      old_edge_[t - way * height] = at[leaving];
#pragma GCC unroll 16
      for (int q = 0; q < registers; ++q) result[q].store(at + q * W);
      new_edge_[t - way * height] = at[leaving];
      Vector old_there = Vector::all(old_edge_[t]), new_there = Vector::all(new_edge_[t]);
#pragma GCC unroll 16
      for (int each = 0; each < registers; ++each) {
        const int q = Backward ? registers - 1 - each : each;
        s.center[q] = s.right[q];
        s.right[q] = Backward ? old[q].preceding(old_there) : old[q].following(old_there);
        s.up[q] = Backward ? result[q].preceding(new_there) : result[q].following(new_there);
        s.old[q] = old_there = old[q];
        s.result[q] = new_there = result[q];
      }
    }
    state = s;
  }

  /// @brief The point in lane 0 of slot t: row `row`, column t - `behind`.
  struct Place {
    Index row, behind;
  };

  /// @brief Whether the W slots from t on have, in a register's lanes, no other points than those
  /// that are at least `halo` away from the grid's border.
  bool is_inside(Place place, Index t, Index halo) const {
    const Index column = t - place.behind;
    return place.row >= halo && place.row + W - 1 <= m_ + 1 - halo && column - (W - 1) >= halo &&
           column + W - 1 <= n_ + 1 - halo;
  }
  bool has(Index i, Index j, Index halo) const {
    return i >= halo && i <= m_ + 1 - halo && j >= halo && j <= n_ + 1 - halo;
  }
  static Place of_register(Place place, int q) { return {place.row + q * W, place.behind + q * W}; }
  static constexpr Index ahead = 12 * 64 / static_cast<Index>(sizeof(V));

  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED void bring(const Grid<const V>& from, Place first,
                                                           Index halo, Index begin, bool is_zero,
                                                           V factor, V* slots) const {
    for (Index t = begin; t < begin + height; t += W)
      for (int q = 0; q < registers; ++q) {
        const Place place = of_register(first, q);
        V* const to = slots + t * height + q * W;
        if (is_zero && is_inside(place, t, 1)) {
          for (int k = 0; k < W; ++k) Vector::all(0).store(to + k * height);
        } else if (!is_zero && is_inside(place, t, halo)) {
          const V* row = &from(place.row, t - place.behind);
          Vector block[W];
#pragma GCC unroll 16
          for (int l = 0; l < W; ++l, row += from.row_stride - 1) {
            __builtin_prefetch(row + ahead, 0, 2);
            block[l] = Vector::load(row);
          }
          Vector::transpose(block);
#pragma GCC unroll 16
          for (int k = 0; k < W; ++k)
            (halo > 0 ? block[k] * Vector::all(factor) : block[k]).store(to + k * height);
        } else {
          for (Index k = 0; k < W; ++k)
            for (Index l = 0; l < W; ++l) {
              const Index i = place.row + l, j = t + k - place.behind - l;
              const bool there = has(i, j, halo) && !(is_zero && has(i, j, 1));
              to[k * height + l] = there ? factor * from(i, j) : V(0);
            }
        }
      }
  }

  /// @brief Stores what enters the first band of a pass.
  void bring_edges(bool backward, const Grid<V>& x, Index blocks) const {
    const Index row = backward ? above_ + height : 0;
    for (Index t = 0; t < blocks * height; ++t) {
      const Index j = backward ? t - 2 - height : t;
      old_edge_[t] = has(row, j, 0) ? x(row, j) : V(0);
      new_edge_[t] = V(0);
    }
  }

  WAVESCAN_TARGET_FUNCTION WAVESCAN_NOT_INLINED void take(const Grid<V>& x, Place first,
                                                          Index begin) const {
    for (Index t = begin; t < begin + height; t += W)
      for (int q = 0; q < registers; ++q) {
        const Place place = of_register(first, q);
        const V* const from = values_ + t * height + q * W;
        if (is_inside(place, t, 1)) {
          V* row = &x(place.row, t - place.behind);
          Vector block[W];
#pragma GCC unroll 16
          for (int k = 0; k < W; ++k) block[k] = Vector::load(from + k * height);
          Vector::transpose(block);
#pragma GCC unroll 16
          for (int l = 0; l < W; ++l, row += x.row_stride - 1) {
            __builtin_prefetch(row + ahead, 1, 2);
            block[l].store(row);
          }
        } else {
          for (Index k = 0; k < W; ++k)
            for (Index l = 0; l < W; ++l) {
              const Index i = place.row + l, j = t + k - place.behind - l;
              if (has(i, j, 1)) x(i, j) = from[k * height + l];
            }
        }
      }
  }

  const Index m_, n_;
  const Index pass_, band_;
  const Index above_;  ///< rows of unknowns above the band, in forward passes
  V* const values_;
  V* const rhs_;
  V* const old_edge_;
  V* const new_edge_;
  const V* const rhs_below_;
};

}  // namespace wavescan::Impl::sor

#endif
