// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANEPASS_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANEPASS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/align/host/WaveScan_LaneBlock.hpp>
#include <impl/align/host/WaveScan_LaneMemory.hpp>
#include <impl/align/host/WaveScan_LaneScoring.hpp>
#include <impl/align/host/WaveScan_LaneShape.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

/// @file
/// @brief A pass over the matrix of two sequences, by lanes that are neighbouring strips of rows.
///
/// As many strips as a register has lanes are a *group*. Threads draw groups by ticket and walk
/// along their columns; the last row of a group, of true values of 64 bits, is what the next group
/// begins with, and a counter says how much of it is there.

namespace wavescan::Impl {

/// @brief Entries that a row hands to the row below.
struct BoundaryEntry {
  Index h = 0;
  Index e = 0;
};

/// @brief A matrix, and what is wanted of it.
struct PassProblem {
  CodeSequence a, b;        ///< letters of rows and of columns; neither empty
  bool local = false;       ///< entries are at least 0, and the best one is wanted
  bool free_left = false;   ///< column -1 is 0; otherwise a gap
  bool free_above = false;  ///< row -1 is 0; otherwise a gap
  Index left_open = 0;      ///< what that gap's first letter costs
  Index above_open = 0;
  Index target = std::numeric_limits<Index>::max();  ///< local: no entry is larger
  BoundaryEntry* row = nullptr;                      ///< [columns]: becomes the last row
  Index* last_column = nullptr;                      ///< [rows], if it is wanted

  Index left(Index i, const LaneScores& scores) const {
    return local || free_left || i < 0 ? 0 : -left_open - i * scores.extend;
  }
  Index above(Index j, const LaneScores& scores) const {
    return local || free_above || j < 0 ? 0 : -above_open - j * scores.extend;
  }
  double cells() const { return static_cast<double>(a.length) * static_cast<double>(b.length); }
};

/// @brief The best entry: the largest one in the first row, and in it in the first column.
struct BestCell {
  Index score = 0;
  Index row = -1;
  Index column = -1;
  bool precedes(const BestCell& other) const {
    if (score != other.score) return score > other.score;
    return row != other.row ? row < other.row : column < other.column;
  }
};

/// @brief What blocks of a lane started from: enough to find an entry again.
struct LaneSnapshot {
  Index score = 0;
  Index first_row = 0, first_column = 0;  ///< column: of the block, may be negative
  int rows = 0, columns = 0;
  Index corner = 0;
  std::vector<Index> left_h, left_f, above_h, above_e;  ///< true values

  /// @brief The first entry in the block that has the score.
  BestCell find(const HostScoring& scoring, const CodeSequence& a, const CodeSequence& b) const {
    BestCell found{score, a.length, b.length};
    const LaneScores& costs = scoring.costs;
    std::vector<Index> h = left_h, f = left_f;
    Index corner_h = corner;
    for (int c = 0; c < columns; ++c) {
      const auto at = static_cast<std::size_t>(c);
      Index diagonal = corner_h, up = above_h[at], e = above_e[at];
      corner_h = up;
      const Index j = first_column + c;
      const bool inside = j >= 0 && j < b.length;
      for (int r = 0; r < rows; ++r) {
        const Index i = first_row + r;
        if (i >= a.length) break;
        const auto k = static_cast<std::size_t>(r);
        e = std::max(e - costs.extend, up - costs.open);
        f[k] = std::max(f[k] - costs.extend, h[k] - costs.open);
        const Index score_here = inside ? scoring.score(a[i], b[j]) : scoring.padding;
        const Index value = std::max({diagonal + score_here, e, f[k], Index(0)});
        diagonal = h[k];
        h[k] = up = value;
        if (inside && value == score && BestCell{score, i, j}.precedes(found))
          found = {score, i, j};
      }
    }
    return found;
  }
};

/// @brief A value as lanes count it; what lies beyond all of theirs becomes some such value.
template <class V>
BaseInteger<V> from_origin(Index value, Index origin) {
  constexpr Index beyond = std::numeric_limits<BaseInteger<V>>::max() / 2;
  return static_cast<BaseInteger<V>>(std::clamp(value - origin, -beyond, beyond));
}

/// @brief A lane's true values.
template <class V>
struct LaneView {
  Index base;
  int lane, lanes;

  Index value(const V* vectors, int k) const { return base + vectors[k * lanes + lane]; }

  /// @brief Copies what a block of the lane started from.
  void copy_to(LaneSnapshot& snapshot, const LaneScores& costs, int rows, int columns,
               const V* corner, const V* left_h, const V* left_f, const V* above_h,
               const V* above_e) const {
    const Index open = costs.open;
    const auto copy = [&](std::vector<Index>& to, const V* from, int count, Index offset) {
      to.resize(static_cast<std::size_t>(count));
      for (int k = 0; k < count; ++k) to[static_cast<std::size_t>(k)] = value(from, k) + offset;
    };
    snapshot.rows = rows;
    snapshot.columns = columns;
    snapshot.corner = value(corner, 0) + open;
    copy(snapshot.left_h, left_h, rows, open);
    copy(snapshot.above_h, above_h, columns, open);
    // Without affine gaps, what only opens gaps is as good as what goes on with them.
    copy(snapshot.left_f, costs.affine() ? left_f : left_h, rows, 0);
    copy(snapshot.above_e, costs.affine() ? above_e : above_h, columns, 0);
  }
};

/// @tparam V integers for the entries of a block
template <class V>
class LanePass {
 public:
  LanePass(const HostScoring& scoring, const PassProblem& problem, const LaneShape& shape,
           const BestLaneLoops<V>& loops)
      : scoring_(scoring), problem_(problem), loops_(loops), lanes_(loops.lanes) {
    const Index m = problem.a.length, per_row = Index(lanes_) * shape.rows;
    groups_ = ceil_div(m, per_row);
    rows_ = static_cast<int>(ceil_div(m, groups_ * lanes_));
    groups_ = ceil_div(m, Index(lanes_) * rows_);
    columns_ = shape.columns;
    center_ = static_cast<V>(shape.center);
    // The center of `shape.rows` rows serves fewer.
    letters_.prepare(scoring, problem.a, problem.b, lanes_, columns_);
    progress_ = std::vector<Counter>(static_cast<std::size_t>(groups_));
    fill_first_row();
  }

  Index groups() const { return groups_; }
  double group_cells() const {
    return static_cast<double>(rows_ * lanes_) * static_cast<double>(problem_.b.length);
  }

  /// @brief Lets the groups before `end` be drawn.
  void open_until(Index end) { end_ = end; }

  /// @brief Draws groups and computes them; several threads may. Returns the best entry of theirs.
  BestCell work() {
    Walker walker(*this);
    for (Index g; (g = next_.fetch_add(1)) < end_;) {
      if (g > last_needed_.load(std::memory_order_relaxed)) {
        publish(g, problem_.b.length);
        continue;
      }
      walker.run(g);
    }
    // A ticket too much was drawn.
    next_.fetch_sub(1);
    return walker.best();
  }
  /// @brief No later group holds an entry that matters.
  bool done() const { return last_needed_.load() < next_.load(); }

 private:
  struct alignas(64) Counter {
    Index columns = 0;
  };

  void fill_first_row() const {
    const LaneScores& costs = scoring_.costs;
    for (Index j = 0; j < problem_.b.length; ++j) {
      const Index h = problem_.above(j, costs);
      problem_.row[j] = {h, h - costs.open};
    }
  }
  void publish(Index group, Index columns) {
    store_release(&progress_[static_cast<std::size_t>(group)].columns, columns);
  }
  void wait_for(Index group, Index columns) const {
    wait_until_at_least(&progress_[static_cast<std::size_t>(group)].columns, columns);
  }

  /// @brief A thread's lanes.
  class Walker {
   public:
    explicit Walker(LanePass& pass)
        : pass_(pass),
          problem_(pass.problem_),
          costs_(pass.scoring_.costs),
          lanes_(pass.lanes_),
          rows_(pass.rows_),
          affine_(costs_.affine()),
          base_(static_cast<std::size_t>(lanes_)),
          threshold_(static_cast<std::size_t>(lanes_)) {
      const std::size_t column = static_cast<std::size_t>(lanes_),
                        strip = column * static_cast<std::size_t>(rows_),
                        block = column * static_cast<std::size_t>(pass.columns_);
      memory_.reserve((5 * strip + 9 * column + 4 * block + 2 * block) * sizeof(V) + 30 * 64);
      for (V** part : {&h_, &f_, &from_h_, &from_f_, &letters_a_}) *part = memory_.take<V>(strip);
      for (V** part : {&corner_, &corner_before_, &bottom_h_, &bottom_e_, &base_low_, &floor_,
                       &best_values_, &threshold_values_})
        *part = memory_.take<V>(column);
      for (V** part : {&seen_h_, &seen_e_, &out_h_, &out_e_, &above_h_, &above_e_})
        *part = memory_.take<V>(block);
      if (!pass.letters_.compares()) {
        profile_.prepare(rows_, lanes_, pass.columns_);
        profile_.set_stride(pass.letters_.profile().stride());
      }
    }

    BestCell best() {
      resolve();
      return best_;
    }

    void run(Index group) {
      first_row_ = group * lanes_ * rows_;
      const Index rows_left = problem_.a.length - first_row_;
      const Index used = std::min<Index>(lanes_, ceil_div(rows_left, rows_));
      out_lane_ = static_cast<int>(used) - 1;
      out_row_ = static_cast<int>(std::min<Index>(rows_left, Index(lanes_) * rows_) - 1 -
                                  Index(out_lane_) * rows_);
      start(used);
      const Index n = problem_.b.length, steps = n + used - 1;
      for (Index t = 0; t < steps;) {
        Index columns = std::min<Index>(pass_.columns_, steps - t);
        if (!problem_.local && t < used) {
          start_lane(static_cast<int>(t));
          columns = 1;
        }
        if (problem_.last_column && t + columns > n - 1) columns = t < n - 1 ? n - 1 - t : 1;
        if (group > 0 && t < n) pass_.wait_for(group - 1, std::min(n, t + columns));
        const bool found = run_block(t, static_cast<int>(columns));
        if (found) keep_best(t, static_cast<int>(columns));
        store_row(t, static_cast<int>(columns));
        t += columns;
        pass_.publish(group, std::clamp<Index>(t - out_lane_, 0, n));
        if (problem_.last_column && t >= n) store_last_column(static_cast<int>(t - n));
      }
      if (best_.score >= problem_.target) pass_.no_more_than(group);
    }

   private:
    Index base_of(int lane) const { return origin_ + base_[base_place<V>(lane, lanes_)]; }
    Index row_of(int lane) const { return first_row_ + Index(lane) * rows_; }

    /// @brief Everything as at the left boundary.
    void start(Index used) {
      origin_ = problem_.left(first_row_, costs_);
      for (int l = 0; l < lanes_; ++l) {
        start_lane(l);
        if (profile_.used()) profile_.set_lane(l, pass_.letters_.profile().rows(row_of(l)));
        bottom_h_[l] = bottom_e_[l] = corner_[l];
      }
      if (!profile_.used())
        for (int l = 0; l < lanes_; ++l)
          for (int r = 0; r < rows_; ++r)
            letters_a_[r * lanes_ + l] = pass_.letters_.row_letter(row_of(l) + r);
      best_lane_ = -1;
      set_thresholds();
      used_ = static_cast<int>(used);
    }
    void start_lane(int l) {
      const Index open = costs_.open, first = row_of(l);
      const Index base = problem_.left(first + rows_ / 2, costs_) - open - pass_.center_;
      base_[base_place<V>(l, lanes_)] = static_cast<BaseInteger<V>>(base - origin_);
      base_low_[l] = static_cast<V>(base);
      corner_[l] = static_cast<V>(problem_.left(first - 1, costs_) - open - base);
      for (int r = 0; r < rows_; ++r)
        h_[r * lanes_ + l] = f_[r * lanes_ + l] =
            static_cast<V>(problem_.left(first + r, costs_) - open - base);
    }

    bool run_block(Index t, int columns) {
      move_origin();
      const Index n = problem_.b.length;
      for (int c = 0; c < columns; ++c) {
        const BoundaryEntry& entry = problem_.row[std::min(t + c, n - 1)];
        above_h_[c] = static_cast<V>(entry.h - costs_.open);
        above_e_[c] = static_cast<V>(entry.e);
      }
      LaneBlock<V> block;
      block.rows = rows_;
      block.columns = columns;
      block.out_row = out_row_;
      block.chained = true;
      block.open = static_cast<V>(costs_.open);
      block.extend = static_cast<V>(costs_.extend);
      block.match = static_cast<V>(pass_.scoring_.match + costs_.open);
      block.mismatch = static_cast<V>(pass_.scoring_.mismatch + costs_.open);
      block.a = letters_a_;
      block.corner = corner_;
      block.bottom_h = bottom_h_;
      block.bottom_e = bottom_e_;
      block.base_low = base_low_;
      block.floor = floor_;
      block.best = best_values_;
      block.threshold = threshold_values_;
      block.above_h = above_h_;
      block.above_e = above_e_;
      block.seen_h = seen_h_;
      block.seen_e = seen_e_;
      block.out_h = out_h_;
      block.out_e = out_e_;
      block.from_h = h_;
      block.from_f = f_;
      LaneBases<V> bases;
      bases.base = base_.data();
      bases.threshold = threshold_.data();
      bases.floor = from_origin<V>(problem_.local ? 0 : -unreachable, origin_);
      bases.center = pass_.center_;
      pass_.loops_.move_bases(block, bases, from_h_, from_f_, affine_);
      std::copy_n(corner_, lanes_, corner_before_);
      block.from_h = from_h_;
      block.from_f = from_f_;
      block.h = h_;
      block.f = f_;
      if (profile_.used()) {
        profile_.gather(pass_.loops_, pass_.letters_.chained_offsets(t), -1, columns);
        block.profile = profile_.scores();
        block.profile_rows = profile_.rows();
      } else {
        block.b = pass_.letters_.chained_letters(t);
        block.step_b = -1;
      }
      return pass_.loops_.run[affine_ ? 1 : 0][profile_.used() ? 1 : 0](block);
    }

    Index true_value(int lane, V relative) const { return base_of(lane) + relative; }

    /// @brief What wraps around as in vectors.
    static V difference(V x, V y) {
      using U = std::make_unsigned_t<V>;
      return static_cast<V>(static_cast<U>(static_cast<U>(x) - static_cast<U>(y)));
    }

    void store_row(Index t, int columns) {
      const int l = out_lane_;
      const V low = base_low_[l];
      const Index base = base_of(l), open = costs_.open, first = std::max<Index>(l - t, 0),
                  last = std::min<Index>(columns, problem_.b.length + l - t);
      BoundaryEntry* const row = problem_.row + (t - l);
      for (Index c = first; c < last; ++c)
        row[c].h = base + difference(out_h_[c * lanes_ + l], low) + open;
      if (!affine_) return;
      for (Index c = first; c < last; ++c)
        row[c].e = base + difference(out_e_[c * lanes_ + l], low);
    }
    void store_last_column(int lane) {
      for (int r = 0; r < rows_; ++r)
        if (row_of(lane) + r < problem_.a.length)
          problem_.last_column[row_of(lane) + r] =
              true_value(lane, h_[r * lanes_ + lane]) + costs_.open;
    }

    /// @brief Of lanes down to the best one, equal entries are of interest, too: they may lie in an
    /// earlier row.
    void set_thresholds() {
      for (int l = 0; l < lanes_; ++l) {
        const Index threshold = !problem_.local                                   ? unreachable
                                : best_.score > 0 && may_lie_in_an_earlier_row(l) ? best_.score - 1
                                                                                  : best_.score;
        threshold_[base_place<V>(l, lanes_)] = from_origin<V>(threshold, origin_);
      }
    }
    /// @brief Lanes' bases stay near each other, but all of them may go far.
    void move_origin() {
      constexpr Index far = Index(1) << 28;
      const Index way = base_[0];
      if (way < far && way > -far) return;
      origin_ += way;
      for (auto& base : base_) base = static_cast<BaseInteger<V>>(base - way);
      set_thresholds();
    }

    bool may_lie_in_an_earlier_row(int l) const {
      return l < best_lane_ || (l == best_lane_ && !(is_resolved_ && best_.row == row_of(l)));
    }

    void keep_best(Index t, int columns) {
      for (int l = 0; l < used_; ++l) {
        if (!(best_values_[l] > threshold_values_[l])) continue;
        const Index score = true_value(l, best_values_[l]);
        if (score < best_.score || (score == best_.score && (best_lane_ < 0 || l > best_lane_)))
          continue;
        if (score == best_.score && l == best_lane_) {
          resolve();
          LaneSnapshot other;
          take(other, score, l, t, columns);
          const BestCell cell = other.find(pass_.scoring_, problem_.a, problem_.b);
          if (cell.precedes(best_)) best_ = cell;
          continue;
        }
        take(snapshot_, score, l, t, columns);
        best_.score = score;
        best_lane_ = l;
        is_resolved_ = false;
      }
      set_thresholds();
    }
    void take(LaneSnapshot& snapshot, Index score, int l, Index t, int columns) const {
      const LaneView<V> lane{base_of(l), l, lanes_};
      snapshot.score = score;
      snapshot.first_row = row_of(l);
      snapshot.first_column = t - l;
      lane.copy_to(snapshot, costs_, rows_, columns, corner_before_, from_h_, from_f_, seen_h_,
                   seen_e_);
    }
    void resolve() {
      if (is_resolved_) return;
      best_ = snapshot_.find(pass_.scoring_, problem_.a, problem_.b);
      is_resolved_ = true;
    }

    LanePass& pass_;
    const PassProblem& problem_;
    LaneScores costs_;
    int lanes_, rows_;
    bool affine_;
    LaneMemory memory_;
    V *h_, *f_, *from_h_, *from_f_, *letters_a_;
    V *corner_, *corner_before_, *bottom_h_, *bottom_e_, *base_low_, *floor_, *best_values_,
        *threshold_values_;
    V *seen_h_, *seen_e_, *out_h_, *out_e_, *above_h_, *above_e_;
    std::vector<BaseInteger<V>> base_, threshold_;  ///< from `origin_` on
    Index origin_ = 0;
    LaneProfile<V> profile_;
    Index first_row_ = 0;
    int out_lane_ = 0, out_row_ = 0, used_ = 0;
    BestCell best_;
    int best_lane_ = -1;  ///< of this group; -1: the best entry is another group's
    bool is_resolved_ = true;
    LaneSnapshot snapshot_;
  };

  void no_more_than(Index group) {
    Index last = last_needed_.load();
    while (group < last && !last_needed_.compare_exchange_weak(last, group)) {
    }
  }

  static constexpr Index unreachable = std::numeric_limits<Index>::max() / 4;

  const HostScoring& scoring_;
  PassProblem problem_;
  BestLaneLoops<V> loops_;
  int lanes_;
  int rows_ = 0;     ///< of a lane
  int columns_ = 0;  ///< of a block
  V center_ = 0;
  Index groups_ = 0;
  LaneLetters<V> letters_;
  std::vector<Counter> progress_;
  std::atomic<Index> next_ = 0, last_needed_ = std::numeric_limits<Index>::max();
  Index end_ = 0;
};

}  // namespace wavescan::Impl

#endif
