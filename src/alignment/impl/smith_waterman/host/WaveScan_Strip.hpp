// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SMITH_WATERMAN_HOST_STRIP_HPP
#define WAVESCAN_IMPL_SMITH_WATERMAN_HOST_STRIP_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/smith_waterman/WaveScan_Strips.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

/// @file
/// @brief A host thread walks down a strip, a vector register at a time.
///
/// A row of the strip is cut into as many segments as a register has lanes; lane l works through
/// segment l. Each lane starts without its left neighbour, and the share that comes from the
/// segments to the left is put right afterwards: the weighted scan of Hou et al. (equation II-3)
/// across the lanes, in the algebra (max, +). The correction of a row is applied when the next row
/// reads it, so that a row costs one pass.
///
/// Entries are held relative to the corner of a block of rows. In a block of R x C entries they
/// differ by no more than (R + C) (largest score + 2 gap), so 16 bits suffice for usual scores
/// however long the sequences are.

namespace wavescan::Impl {

/// @brief The most lanes of all targets' registers.
template <class V>
inline constexpr int max_strip_lanes = 64 / static_cast<int>(sizeof(V));

/// @brief What takes the time of a strip, in a target's registers.
template <class Target, class V>
struct StripRow;

/// @brief The same of the best target. (More lanes than AVX2's would make rows shorter than the
/// scan across the lanes.)
template <class V>
struct BestStripRow {
  int lanes;
  /// @brief Computes a row but for the shares of the segments to the left; returns whether some
  /// entry is greater than `seen`.
  /// @param row      entries less one gap: what they offer to the right and below
  /// @param scores   one gap higher
  /// @param entering what the row above still lacks
  /// @param best     becomes each lane's largest entry
  bool (*run)(V* row, const V* scores, const V* entering, Index segment, V gap, V floor, V seen,
              V* best);
  /// @brief Gives the row what it lacks, and adds `shift` to it and to the shares.
  void (*move)(V* row, V* entering, Index segment, V gap, V shift);

  static BestStripRow find() {
    return dispatch(
        [](auto target) {
          using Row = StripRow<decltype(target), V>;
          return BestStripRow{Row::lanes, &Row::run, &Row::move};
        },
        Avx2{});
  }
};

/// @brief The widest strip whose blocks of `block_rows` rows fit the integers V, a multiple of the
/// lanes; may be 0 or negative.
template <class V>
Index widest_strip(Index largest_score, Index gap, Index block_rows) {
  const Index range = static_cast<Index>(std::numeric_limits<V>::max()) -
                      static_cast<Index>(std::numeric_limits<V>::min());
  const Index steps = range / (largest_score + 2 * gap + 1) - 8;
  constexpr Index lanes = max_strip_lanes<V>;
  return (steps - block_rows) / lanes * lanes;
}

/// @tparam V integers for the entries of a block
template <class V>
class HostStrip {
 public:
  static constexpr int max_lanes = max_strip_lanes<V>;
  static constexpr std::size_t alignment = 64;

  static std::size_t scratch_bytes(const StripLaunch& launch, int) {
    return alignment +
           static_cast<std::size_t>((launch.table.letters + 1) * launch.strip_columns) * sizeof(V);
  }

  template <class Team>
  KOKKOS_FUNCTION HostStrip(const Team& team, const StripLaunch& launch)
      : table_(launch.table),
        gap_(static_cast<V>(launch.table.gap)),
        block_rows_(launch.block_rows),
        capacity_(launch.strip_columns),
        row_(static_cast<V*>(team.team_scratch(1).get_shmem_aligned(
            scratch_bytes(launch, 1) - alignment, alignment))),
        profile_(row_ + capacity_) {
    KOKKOS_IF_ON_HOST((of_row_ = BestStripRow<V>::find();))
  }

  template <class Team>
  KOKKOS_FUNCTION void run(const Team&, const StripView& strip) {
    lanes_ = of_row_.lanes;
    segment_ = ceil_div(strip.columns(), lanes_);
    tabulate_profile(strip);
    best_ = strip.best();
    for (Index first = 0; first < strip.rows(); first += block_rows_) {
      const Index last = first + block_rows_ < strip.rows() ? first + block_rows_ : strip.rows();
      strip.wait_for(last);
      if (strip.is_needless(first)) break;
      if (first == 0)
        enter(strip);
      else
        move_base(left_);
      run_block(strip, first, last);
      strip.publish(last);
    }
    if (strip.wants_last_row()) store_last_row(strip);
    strip.store_best(best_);
    strip.publish(strip.rows());
  }

 private:
  /// Values in memory are true ones; the others are relative to `base_`, the corner of the block,
  /// which lies as low in V's range as entries of the block can fall below it.
  KOKKOS_FUNCTION Index origin() const {
    return static_cast<Index>(std::numeric_limits<V>::min()) +
           Index(gap_) * (block_rows_ + capacity_ + 4) + 4;
  }
  KOKKOS_FUNCTION V relative(Index value) const { return static_cast<V>(value - base_ + origin()); }
  KOKKOS_FUNCTION Index absolute(V value) const { return Index(value) + base_ - origin(); }
  /// A bound (not an entry), which may be out of reach in this block.
  KOKKOS_FUNCTION V relative_bound(Index value) const {
    const Index low = static_cast<Index>(std::numeric_limits<V>::min()) + 2 * Index(gap_) + 2;
    const Index high = std::numeric_limits<V>::max();
    const Index r = value - base_ + origin();
    return static_cast<V>(r < low ? low : r > high ? high : r);
  }

  /// Element k of the strip's row lies in lane k / segment, at k % segment.
  KOKKOS_FUNCTION Index position(Index k) const { return k % segment_ * lanes_ + k / segment_; }

  /// @brief For each letter of the rows a row of scores, one gap higher, as `row_` is one lower.
  KOKKOS_FUNCTION void tabulate_profile(const StripView& strip) const {
    for (Index k = 0; k < segment_ * lanes_; ++k) {
      V* const column = profile_ + position(k);
      const bool inside = k < strip.columns();
      const std::int32_t* const scores = table_.scores + (inside ? strip.column_offset(k) : 0);
      for (Index letter = 0; letter < table_.letters; ++letter)
        column[letter * capacity_] = static_cast<V>(
            inside ? scores[letter * strip.row_stride()] + Index(gap_) : -Index(gap_) - 1);
    }
  }

  /// @brief Loads the row above the first one.
  KOKKOS_FUNCTION void enter(const StripView& strip) {
    base_ = left_ = strip.left(-1);
    for (Index k = 0; k < segment_ * lanes_; ++k)
      row_[position(k)] = static_cast<V>(relative(strip.top(k)) - gap_);
    entering_[0] = static_cast<V>(relative(left_) - gap_);
    for (int l = 1; l < lanes_; ++l) entering_[l] = row_[(segment_ - 1) * lanes_ + l - 1];
    strip.hand_over(-1, strip.top(strip.columns() - 1));
  }

  /// @brief Makes `base` the new corner. First gives the row what it lacks: only complete rows keep
  /// within reach of the new base.
  KOKKOS_FUNCTION void move_base(Index base) {
    of_row_.move(row_, entering_, segment_, gap_, static_cast<V>(base_ - base));
    base_ = base;
  }

  KOKKOS_FUNCTION void run_block(const StripView& strip, Index first, Index last) {
    const V floor = relative_bound(strip.floor());
    V seen = strip.wants_best() ? relative_bound(best_.score) : std::numeric_limits<V>::max();
    for (Index r = first; r < last; ++r) {
      V best[max_lanes];
      const bool greater = of_row_.run(row_, profile_ + strip.row_letter(r) * capacity_, entering_,
                                       segment_, gap_, floor, seen, best);
      left_ = strip.left(r);
      strip.hand_over(r, correct_lanes(left_));
      if (greater) {
        seen = keep_best(strip, r, best);
        strip.announce(best_);
      }
    }
  }

  /// @brief Scans across the lanes: what enters each lane of the row from the left. Returns the
  /// right-most entry of the row.
  KOKKOS_FUNCTION Index correct_lanes(Index left) {
    const V* const last = row_ + (segment_ - 1) * lanes_;
    const V fading = static_cast<V>(gap_ * segment_);
    V share = static_cast<V>(relative(left) - gap_);
    for (int l = 0; l < lanes_; ++l) {
      const V through = static_cast<V>(share - fading);
      entering_[l] = share;
      share = last[l] > through ? last[l] : through;
    }
    return absolute(static_cast<V>(share + gap_));
  }

  /// @brief Finds the first of the row's largest entries. A share from the left is less than the
  /// entry it comes from, so the uncorrected row is right here.
  KOKKOS_FUNCTION V keep_best(const StripView& strip, Index r, const V* best) {
    V largest = best[0];
    for (int l = 1; l < lanes_; ++l) largest = best[l] > largest ? best[l] : largest;
    int lane = 0;
    while (best[lane] != largest) ++lane;
    Index j = 0;
    while (row_[j * lanes_ + lane] != static_cast<V>(largest - gap_)) ++j;
    best_ = {absolute(largest), strip.row_number(r), strip.first_column() + lane * segment_ + j};
    return largest;
  }

  KOKKOS_FUNCTION void store_last_row(const StripView& strip) const {
    strip.store_last_border();
    for (Index k = 0; k < strip.columns(); ++k) {
      const V stored = row_[position(k)];
      const V share = static_cast<V>(entering_[k / segment_] - gap_ * (k % segment_ + 1));
      strip.store_last(k, absolute(static_cast<V>((stored > share ? stored : share) + gap_)));
    }
  }

  ScoreTable table_;
  BestStripRow<V> of_row_;
  int lanes_ = 0;
  V gap_;
  Index block_rows_;
  Index capacity_;  // columns of the widest strip
  V* row_;
  V* profile_;
  alignas(alignment) V entering_[max_lanes];  // share that enters each lane from the left
  Index segment_ = 0;
  Index base_ = 0;
  Index left_ = 0;  // the left neighbour's entry of the last row computed
  BestEntry best_;
};

/// @brief Strips for host threads.
struct HostStripAlgorithm {
  using narrow = HostStrip<std::int16_t>;
  using wide = HostStrip<std::int32_t>;

  static StripShape choose(Index threads, Index rows, const StripScores& scores) {
    // A row of a strip and its scores stay in a core's first cache.
    constexpr Index widest = 2048;
    StripShape shape;
    shape.smallest_strip = 256;
    shape.block_rows = std::clamp<Index>(rows / (4 * threads), 16, 64);
    shape.scratch_level = 1;
    const Index fits = widest_strip<std::int16_t>(scores.largest, scores.gap, shape.block_rows);
    shape.narrow = fits >= shape.smallest_strip;
    shape.strip_columns = std::min(
        widest, shape.narrow
                    ? fits
                    : widest_strip<std::int32_t>(scores.largest, scores.gap, shape.block_rows));
    shape.entries_between_reports = Index(1) << 31;  // some tenths of a second
    return shape;
  }
};

}  // namespace wavescan::Impl

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/smith_waterman/host/WaveScan_Strip.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl {

template <class V>
struct StripRow<WAVESCAN_TARGET, V> {
  using vector = TargetVector<WAVESCAN_TARGET, V>;
  static constexpr int lanes = vector::lanes;

  WAVESCAN_TARGET_FUNCTION static bool run(V* row, const V* scores, const V* entering,
                                           Index segment, V gap_value, V floor_value, V seen,
                                           V* best_values) {
    const vector gap = vector::all(gap_value), floor = vector::all(floor_value);
    vector share = vector::load(entering), diagonal = share, left = floor, best = floor;
    for (Index j = 0; j < segment; ++j) {
      share = share - gap;
      const vector up = max(vector::load(row + j * lanes), share);
      const vector matched = diagonal + vector::load(scores + j * lanes);
      const vector value = max(max(matched, max(up, floor)), left);
      best = max(best, value);
      left = value - gap;
      left.store(row + j * lanes);
      diagonal = up;
    }
    best.store(best_values);
    bool greater = false;
    for (int l = 0; l < lanes; ++l) greater |= best_values[l] > seen;
    return greater;
  }

  WAVESCAN_TARGET_FUNCTION static void move(V* row, V* entering, Index segment, V gap_value,
                                            V shift_value) {
    const vector gap = vector::all(gap_value), shift = vector::all(shift_value);
    vector share = vector::load(entering);
    (share + shift).store(entering);
    for (Index j = 0; j < segment; ++j) {
      share = share - gap;
      (max(vector::load(row + j * lanes), share) + shift).store(row + j * lanes);
    }
  }
};

}  // namespace wavescan::Impl

#endif
