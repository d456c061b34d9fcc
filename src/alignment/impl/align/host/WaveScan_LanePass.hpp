// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANEPASS_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANEPASS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/align/WaveScan_CodeSequence.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/host/WaveScan_LaneBlock.hpp>
#include <impl/align/host/WaveScan_LaneScoring.hpp>
#include <impl/align/host/WaveScan_LaneShape.hpp>
#include <impl/align/host/WaveScan_LaneState.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// @brief A pass over the matrix of two sequences, by lanes that are neighbouring strips of rows.
///
/// As many strips as a register has lanes are a *group*. Threads draw groups by ticket and walk
/// along their columns; the last row of a group, of which low bits suffice, is what the next group
/// begins with, and a counter says how much of it is there.

namespace wavescan::Impl {

/// @brief A matrix, or some of its rows, and what is wanted of it.
struct PassProblem : PassBorders {
  CodeSequence a, b;                                 ///< letters of the pass's rows and of columns
  Index target = std::numeric_limits<Index>::max();  ///< local: no entry is larger
  /// [columns], if it is wanted: becomes the last row; if `first_row` > 0, it is the row above the
  /// pass before.
  BoundaryEntry* row = nullptr;
  Index* last_column = nullptr;  ///< [rows], if it is wanted

  // Where columns are those of a part of the matrix. In columns, e is the gap of letters of `b`.
  const BoundaryEntry* left_column =
      nullptr;                            ///< [rows]: column -1, if it is not as PassBorders say
  Index left_corner = 0;                  ///< the entry above that
  BoundaryEntry* right_column = nullptr;  ///< [rows], if it is wanted

  double cells() const { return static_cast<double>(a.length) * static_cast<double>(b.length); }
  bool wants_last_column() const { return last_column != nullptr || right_column != nullptr; }
  /// @brief Returns the entry before the pass's row i; rows below the last one begin as that does.
  BoundaryEntry beginning_of(Index i, const ScoreBounds& costs) const {
    if (left_column != nullptr && i >= 0) return left_column[std::min(i, a.length - 1)];
    const Index h = left_column != nullptr ? left_corner : left(i, costs.extend);
    return {h, h - costs.open};
  }
};

class LanePass {
 public:
  /// @param threads that are going to call work()
  LanePass(const LetterScores& scoring, const PassProblem& problem, const LaneShape& shape,
           const LaneLoops& loops, Index threads)
      : scoring_(scoring), problem_(problem), shape_(shape), loops_(loops), lanes_(loops.lanes) {
    choose_rows(threads);
    letters_.prepare(loops, scoring, problem.a, problem.b, groups_ * lanes_ * shape_.rows,
                     shape_.columns);
    progress_ = std::vector<Counter>(static_cast<std::size_t>(groups_));
    fill_first_row();
  }

  Index groups() const { return groups_; }
  double group_cells() const {
    return static_cast<double>(shape_.rows * lanes_) * static_cast<double>(problem_.b.length);
  }

  /// @brief Lets the groups before `end` be drawn, and returns how many entries that are more.
  double open_until(Index end) {
    const Index before = std::exchange(end_, end);
    return group_cells() * static_cast<double>(end - before);
  }

  /// @brief Draws groups and computes them; several threads may. Returns the best entry of theirs.
  BestEntry work() {
    if (next_.load(std::memory_order_relaxed) >= end_) return {};
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
  /// @brief Whether no later group holds an entry that matters.
  bool done() const { return last_needed_.load() < next_.load(); }

 private:
  struct alignas(64) Counter {
    Index columns = 0;
  };

  /// @brief Gives every thread as many groups, so that none computes the last one alone.
  void choose_rows(Index threads) {
    const Index m = problem_.a.length;
    const auto groups_of = [&](Index rows) { return ceil_div(m, lanes_ * rows); };
    Index groups = groups_of(shape_.rows);
    if (groups > 1) {
      constexpr Index least_rows = 8;
      groups =
          std::max(groups, std::min(ceil_div(groups, threads) * threads, groups_of(least_rows)));
    }
    // A shape that can be used for `shape.rows` rows can be used for fewer.
    shape_.rows = static_cast<int>(ceil_div(m, groups * lanes_));
    shape_.reference = std::min(shape_.reference, shape_.rows - 1);
    groups_ = groups_of(shape_.rows);
  }
  void fill_first_row() {
    const ScoreBounds& costs = scoring_.costs;
    const Index columns = problem_.b.length;
    const int bytes = loops_.entry_bytes;
    row_memory_.reserve(2 * (columns * bytes + LaneMemory::alignment));
    row_h_ = row_memory_.take(columns, bytes);
    row_e_ = row_memory_.take(columns, bytes);
    const auto fill = [&](const LaneNumbers& row, const auto& value) {
      row.visit([&](auto* entries) {
        for (Index j = 0; j < columns; ++j)
          entries[j] = static_cast<std::remove_reference_t<decltype(*entries)>>(value(j));
      });
    };
    const auto opened = [&](Index j) {
      return (problem_.first_row > 0 ? problem_.row[j].h : problem_.above(j, costs.extend)) -
             costs.open;
    };
    fill(row_h_, opened);
    if (problem_.first_row > 0 && costs.affine())
      fill(row_e_, [&](Index j) { return problem_.row[j].e; });
    else
      row_e_.copy(row_h_, columns);
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
        : pass_(pass), problem_(pass.problem_), lanes_(pass.loops_, pass.scoring_, pass.shape_, 4) {
      for (LaneNumbers* part : {&lanes_.out_h, &lanes_.out_e, &lanes_.above_h, &lanes_.above_e})
        *part = lanes_.take_block();
      lanes_.chained = true;
      if (!pass.letters_.compares()) {
        profile_.prepare(pass.loops_.entry_bytes, lanes_.rows, lanes_.lanes, pass.shape_.columns);
        profile_.set_stride(pass.letters_.profile().stride());
      }
    }

    /// @brief The best entry; if another thread has a better one, only the score.
    BestEntry best() {
      if (best_.entry.score >= pass_.best_score_.load(std::memory_order_relaxed))
        best_.resolve(pass_.scoring_, problem_.a, problem_.b);
      BestEntry best = best_.entry;
      best.row += problem_.first_row;
      return best;
    }

    void run(Index group) {
      first_row_ = group * lanes_.lanes * lanes_.rows;
      const Index rows_left = problem_.a.length - first_row_;
      const Index used = std::min<Index>(lanes_.lanes, ceil_div(rows_left, lanes_.rows));
      out_lane_ = static_cast<int>(used) - 1;
      lanes_.out_row =
          static_cast<int>(std::min<Index>(rows_left, Index(lanes_.lanes) * lanes_.rows) - 1 -
                           Index(out_lane_) * lanes_.rows);
      is_last_ = group == pass_.groups_ - 1;
      start(used);
      const Index n = problem_.b.length, steps = n + used - 1;
      Index published = 0;
      for (Index t = 0; t < steps;) {
        Index columns = std::min<Index>(pass_.shape_.columns, steps - t);
        if (begins_one_by_one() && t < used) {
          start_lane(static_cast<int>(t));
          columns = 1;
        }
        if (problem_.wants_last_column() && t + columns > n - 1)
          columns = t < n - 1 ? n - 1 - t : 1;
        if (group > 0 && t < n) pass_.wait_for(group - 1, std::min(n, t + columns));
        const bool found = run_block(t, static_cast<int>(columns));
        if (found) keep_best(t);
        store_row(t);
        t += columns;
        const Index stored = std::min(t - out_lane_, n);
        if (stored >= published + published_at_once || stored == n)
          pass_.publish(group, published = stored);
        if (problem_.wants_last_column() && t >= n) store_last_column(static_cast<int>(t - n));
      }
      if (best_.entry.score >= problem_.target) pass_.no_more_than(group);
    }

   private:
    Index base_of(int lane) const { return origin_ + lanes_.base_of(lane); }
    /// @brief An entry of [..][lanes].
    Index true_value(const LaneNumbers& entries, int lane, int row = 0) const {
      return base_of(lane) + entries[row * lanes_.lanes + lane];
    }
    Index row_of(int lane) const { return first_row_ + Index(lane) * lanes_.rows; }
    BoundaryEntry beginning_of(Index row) const { return problem_.beginning_of(row, lanes_.costs); }
    /// @brief Whether lanes have to begin anew when they come to their first column.
    bool begins_one_by_one() const { return !problem_.local || problem_.left_column != nullptr; }

    /// @brief Sets the state to that at the left boundary.
    void start(Index used) {
      origin_ = beginning_of(first_row_).h;
      for (int l = 0; l < lanes_.lanes; ++l) {
        start_lane(l);
        if (profile_.used()) profile_.set_lane(l, pass_.letters_.profile().rows(row_of(l)));
        lanes_.bottom_h.set(l, lanes_.corner[l]);
        lanes_.bottom_e.set(l, lanes_.corner[l]);
      }
      if (!profile_.used())
        for (int l = 0; l < lanes_.lanes; ++l)
          for (int r = 0; r < lanes_.rows; ++r)
            lanes_.a.set(r * lanes_.lanes + l, pass_.letters_.row_letter(row_of(l) + r));
      best_lane_ = -1;
      set_thresholds();
      used_ = static_cast<int>(used);
    }
    void start_lane(int l) {
      const Index open = lanes_.open, first = row_of(l);
      const Index base = beginning_of(first + lanes_.reference).h - open - lanes_.center;
      lanes_.set_base(l, base - origin_);
      lanes_.base_low.set(l, base);
      lanes_.corner.set(l, beginning_of(first - 1).h - open - base);
      for (int r = 0; r < lanes_.rows; ++r) {
        const BoundaryEntry entry = beginning_of(first + r);
        lanes_.h.set(r * lanes_.lanes + l, entry.h - open - base);
        lanes_.f.set(r * lanes_.lanes + l, entry.e - base);
      }
    }

    bool run_block(Index t, int columns) {
      move_origin();
      lanes_.columns = columns;
      load_row(t, pass_.row_h_, lanes_.above_h);
      if (lanes_.affine) load_row(t, pass_.row_e_, lanes_.above_e);
      lanes_.least = lanes_.counted((problem_.local ? 0 : -unreachable) - origin_);
      lanes_.move_bases();
      if (profile_.used()) {
        profile_.gather(pass_.loops_, pass_.letters_.chained_offsets(t), -1, lanes_);
      } else {
        lanes_.b = pass_.letters_.chained_letters(t);
        lanes_.step_b = -1;
      }
      return lanes_.run();
    }

    /// @brief Loads the row above lane 0: beyond the last column, as in that.
    void load_row(Index t, const LaneNumbers& row, const LaneNumbers& above) const {
      const Index n = problem_.b.length;
      const Index left = std::clamp<Index>(n - t, 0, lanes_.columns);
      if (left > 0) above.copy(row.from(t), left);
      above.from(left).fill(lanes_.columns - left, row[n - 1]);
    }
    /// @brief Stores the lowest row: of the last group true values, of others what lanes need.
    void store_row(Index t) {
      const int l = out_lane_, lanes = lanes_.lanes;
      const Index first = std::max<Index>(l - t, 0),
                  last = std::min<Index>(lanes_.columns, problem_.b.length + l - t);
      if (!is_last_) {
        const auto store = [&](const LaneNumbers& row, const LaneNumbers& out) {
          row.visit([&](auto* entries) {
            const auto* const from = out.as<std::remove_reference_t<decltype(*entries)>>();
            for (Index c = first; c < last; ++c) entries[t - l + c] = from[c * lanes + l];
          });
        };
        store(pass_.row_h_, lanes_.out_h);
        if (lanes_.affine) store(pass_.row_e_, lanes_.out_e);
      } else if (problem_.row != nullptr) {
        const Index low = lanes_.base_low[l], base = base_of(l);
        const auto store = [&](const LaneNumbers& out, const auto& value) {
          // The difference wraps around as in vectors.
          out.visit([&](auto* entries) {
            using V = std::remove_reference_t<decltype(*entries)>;
            for (Index c = first; c < last; ++c)
              value(problem_.row[t - l + c],
                    base + static_cast<V>(static_cast<std::uint64_t>(entries[c * lanes + l]) -
                                          static_cast<std::uint64_t>(low)));
          });
        };
        store(lanes_.out_h, [&](BoundaryEntry& entry, Index h) {
          entry.h = h + lanes_.open;
          entry.e = h;
        });
        if (lanes_.affine) store(lanes_.out_e, [](BoundaryEntry& entry, Index e) { entry.e = e; });
      }
    }
    void store_last_column(int lane) {
      for (int r = 0; r < lanes_.rows; ++r) {
        const Index row = row_of(lane) + r;
        if (row >= problem_.a.length) break;
        const Index h = true_value(lanes_.h, lane, r) + lanes_.open;
        if (problem_.last_column) problem_.last_column[row] = h;
        if (problem_.right_column)
          problem_.right_column[row] = {
              h, lanes_.affine ? true_value(lanes_.f, lane, r) : h - lanes_.open};
      }
    }

    /// @brief Sets the thresholds for entries of interest. In lanes down to the best one equal
    /// entries are of interest, too, as they may lie in an earlier row; so may those of another
    /// thread.
    void set_thresholds() {
      const Index others = pass_.best_score_.load(std::memory_order_relaxed);
      const auto set = [&](int l, Index least) {
        lanes_.set_threshold(l, std::max(least, others - 1) - origin_);
      };
      int l = 0;
      if (problem_.local && best_.entry.score > 0)
        for (; l < lanes_.lanes && may_lie_in_an_earlier_row(l); ++l) set(l, best_.entry.score - 1);
      for (; l < lanes_.lanes; ++l) set(l, problem_.local ? best_.entry.score : unreachable);
    }
    /// @brief Lanes' bases stay near each other, but all of them may go far.
    void move_origin() {
      constexpr Index far = Index(1) << 28;
      const Index way = lanes_.base[0];
      if (way < far && way > -far) return;
      origin_ += way;
      for (int l = 0; l < lanes_.lanes; ++l) lanes_.base.set(l, lanes_.base[l] - way);
      set_thresholds();
    }

    bool may_lie_in_an_earlier_row(int l) const {
      return l < best_lane_ ||
             (l == best_lane_ && !(best_.is_resolved && best_.entry.row == row_of(l)));
    }

    /// Blocks with a better entry are few.
    WAVESCAN_SELDOM void keep_best(Index t) {
      const Index others = pass_.best_score_.load(std::memory_order_relaxed);
      const int begun = begins_one_by_one() && t < used_ ? static_cast<int>(t) + 1 : used_;
      const auto is_found = [&](int l) { return lanes_.best[l] > lanes_.threshold[l]; };
      Index least = std::max(best_.entry.score, others);
      for (int l = 0; l < begun; ++l)
        if (is_found(l)) least = std::max(least, true_value(lanes_.best, l));
      for (int l = 0; l < begun; ++l) {
        if (!is_found(l)) continue;
        const Index score = true_value(lanes_.best, l);
        if (score < least || (score == best_.entry.score && (best_lane_ < 0 || l > best_lane_)))
          continue;
        if (score == best_.entry.score && l == best_lane_) {
          LaneSnapshot other;
          take(other, score, l, t);
          best_.see_equal(other, pass_.scoring_, problem_.a, problem_.b);
          continue;
        }
        take(best_.snapshot, score, l, t);
        best_.replace();
        best_lane_ = l;
        pass_.found(score);
      }
      set_thresholds();
    }
    void take(LaneSnapshot& snapshot, Index score, int l, Index t) const {
      lanes_.take(snapshot, l, base_of(l));
      snapshot.score = score;
      snapshot.first_row = row_of(l);
      snapshot.first_column = t - l;
    }
    LanePass& pass_;
    const PassProblem& problem_;
    LaneState lanes_;  ///< bases and thresholds are counted from `origin_` on
    Index origin_ = 0;
    LaneProfile profile_;
    Index first_row_ = 0;
    bool is_last_ = false;  ///< of all groups
    int out_lane_ = 0, used_ = 0;
    LaneBest best_;
    int best_lane_ = -1;  ///< of this group; -1: the best entry is another group's
  };

  void found(Index score) {
    Index best = best_score_.load(std::memory_order_relaxed);
    while (score > best && !best_score_.compare_exchange_weak(best, score)) {
    }
  }
  void no_more_than(Index group) {
    Index last = last_needed_.load();
    while (group < last && !last_needed_.compare_exchange_weak(last, group)) {
    }
  }

  /// Columns of a cache line at least, so that threads do not take turns in writing and reading it.
  static constexpr Index published_at_once = 64;
  static constexpr Index unreachable = std::numeric_limits<Index>::max() / 4;

  const LetterScores& scoring_;
  PassProblem problem_;
  LaneShape shape_;
  LaneLoops loops_;
  int lanes_;
  Index groups_ = 0;
  LaneLetters letters_;
  LaneMemory row_memory_;
  LaneNumbers row_h_, row_e_;  ///< [columns]: low bits of H - o, and of E, above a group
  std::vector<Counter> progress_;
  std::atomic<Index> next_ = 0, last_needed_ = std::numeric_limits<Index>::max();
  std::atomic<Index> best_score_ = 0;  ///< of all threads
  Index end_ = 0;
};

}  // namespace wavescan::Impl

#endif
