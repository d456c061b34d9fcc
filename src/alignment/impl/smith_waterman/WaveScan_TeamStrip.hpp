// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SMITH_WATERMAN_TEAMSTRIP_HPP
#define WAVESCAN_IMPL_SMITH_WATERMAN_TEAMSTRIP_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/smith_waterman/WaveScan_Strips.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

/// @file
/// @brief A team walks down a strip in skewed order: for GPUs.
///
/// Each thread owns a few neighbouring columns and keeps their entries of the last row in
/// registers. In a step it computes a few rows of them, one step behind the thread to its left,
/// which hands its right-most entries on through the team's scratch memory.

namespace wavescan::Impl {

/// @tparam T integers that hold every entry of the matrix
template <class T>
class TeamStrip {
 public:
  static constexpr int columns_each = 8;
  static constexpr int rows_each = 4;

  static std::size_t scratch_bytes(const StripLaunch& launch, int team_size) {
    return 64 + edges_bytes(team_size) + best_bytes(team_size) + table_bytes(launch.table);
  }

  template <class Team>
  KOKKOS_FUNCTION TeamStrip(const Team& team, const StripLaunch& launch)
      : table_(launch.table),
        steps_per_block_(launch.block_rows / rows_each),
        rank_(team.team_rank()),
        size_(team.team_size()),
        best_of_threads_(allocate<BestEntry>(team, best_bytes(size_))),
        edges_(allocate<T>(team, edges_bytes(size_))) {
    if (table_bytes(launch.table) == 0) return;
    auto* const copy = allocate<std::int32_t>(team, table_bytes(launch.table));
    for (Index k = rank_; k < table_.letters * table_.letters; k += size_)
      copy[k] = table_.scores[k];
    table_.scores = copy;
    team.team_barrier();
  }

  template <class Team>
  KOKKOS_FUNCTION void run(const Team& team, const StripView& strip) {
    enter(team, strip);
    const Index steps = ceil_div(strip.rows(), rows_each) + size_ - 1;
    for (Index begin = 0; begin < steps; begin += steps_per_block_) {
      const Index end = min(begin + steps_per_block_, steps);
      if (rank_ == 0) strip.wait_for(min(end * rows_each, strip.rows()));
      team.team_barrier();
      if (stops(team, strip, (begin - size_ + 1) * rows_each)) break;
      for (Index step = begin; step < end; ++step) {
        const Index first = (step - rank_) * rows_each;
        if (first >= 0 && first < strip.rows()) run_rows(strip, step, first);
        team.team_barrier();
      }
      const Index finished = min((end - size_ + 1) * rows_each, strip.rows());
      if (rank_ == 0 && finished > 0) strip.publish(finished);
    }
    if (strip.wants_last_row()) store_last_row(strip);
    if (strip.wants_best()) reduce_best(team, strip);
    team.team_barrier();
    if (rank_ == 0) strip.publish(strip.rows());
  }

 private:
  static constexpr int outside = -1;
  static constexpr Index largest_copied_table = 4096;
  KOKKOS_FUNCTION static std::size_t table_bytes(const ScoreTable& table) {
    const Index entries = table.letters * table.letters;
    return entries > largest_copied_table
               ? 0
               : static_cast<std::size_t>(entries) * sizeof(std::int32_t);
  }
  KOKKOS_FUNCTION static std::size_t edges_bytes(int team_size) {
    return static_cast<std::size_t>(2 * team_size * rows_each) * sizeof(T);
  }
  KOKKOS_FUNCTION static std::size_t best_bytes(int team_size) {
    return static_cast<std::size_t>(team_size) * sizeof(BestEntry);
  }
  template <class U, class Team>
  KOKKOS_FUNCTION static U* allocate(const Team& team, std::size_t bytes) {
    return static_cast<U*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(U)));
  }
  KOKKOS_FUNCTION static Index min(Index x, Index y) { return x < y ? x : y; }

  /// Right-most entries that a thread computed in a step; two steps are kept.
  KOKKOS_FUNCTION T* edges(Index step, int rank) const {
    return edges_ + ((step & 1) * size_ + rank) * rows_each;
  }

  /// @brief Loads the row above the first one.
  template <class Team>
  KOKKOS_FUNCTION void enter(const Team& team, const StripView& strip) {
    first_column_ = Index(rank_) * columns_each;
    for (int q = 0; q < columns_each; ++q) {
      const Index c = first_column_ + q;
      offset_[q] = c < strip.columns() ? static_cast<int>(strip.column_offset(c)) : outside;
      row_[q] = static_cast<T>(strip.top(c));
    }
    if (rank_ == 0) strip.wait_for(1);
    team.team_barrier();
    corner_ = static_cast<T>(rank_ == 0 ? strip.left(-1) : strip.top(first_column_ - 1));
    if (rank_ == 0) strip.hand_over(-1, strip.top(strip.columns() - 1));
    best_ = {};
    best_.score = strip.wants_best() ? strip.best().score : 0;
  }

  /// @brief Whether the rows from r on are needless; the same answer for the whole team.
  template <class Team>
  KOKKOS_FUNCTION bool stops(const Team& team, const StripView& strip, Index r) const {
    int needless = 0;
    if (strip.wants_best())
      Kokkos::single(
          Kokkos::PerTeam(team), [&](int& result) { result = strip.is_needless(r) ? 1 : 0; },
          needless);
    return needless != 0;
  }

  /// @brief Computes rows [first, first + rows_each) of the thread's columns.
  KOKKOS_FUNCTION void run_rows(const StripView& strip, Index step, Index first) {
    const T gap = static_cast<T>(strip.gap());
    const T floor = static_cast<T>(strip.floor());
    const T mismatch = static_cast<T>(-2 * strip.gap() - 1);
    const T best_before = static_cast<T>(best_.score);
    for (int k = 0; k < rows_each; ++k) {
      const Index r = first + k;
      if (r >= strip.rows()) break;
      const int row_offset = strip.row_letter(r) * static_cast<int>(strip.row_stride());
      T left = rank_ == 0 ? static_cast<T>(strip.left(r)) : edges(step - 1, rank_ - 1)[k];
      T diagonal = corner_;
      corner_ = left;
      T largest = best_before;
      for (int q = 0; q < columns_each; ++q) {
        const T score = offset_[q] == outside
                            ? mismatch
                            : static_cast<T>(table_.scores[offset_[q] + row_offset]);
        const T gapped = (row_[q] < left ? left : row_[q]) - gap;
        T value = diagonal + score;
        value = value < gapped ? gapped : value;
        value = value < floor ? floor : value;
        diagonal = row_[q];
        row_[q] = left = value;
        largest = largest < value ? value : largest;
      }
      // Needless rows may have been given needless values from the left.
      if (strip.wants_best() && largest > static_cast<T>(best_.score) && !strip.is_needless(r))
        keep_best(strip, r, largest);
      edges(step, rank_)[k] = left;
      if (rank_ == size_ - 1) strip.hand_over(r, static_cast<Index>(left));
    }
    if (strip.wants_best() && static_cast<T>(best_.score) > best_before) strip.announce(best_);
  }

  KOKKOS_FUNCTION void keep_best(const StripView& strip, Index r, T largest) {
    int q = columns_each - 1;
    for (int k = columns_each - 1; k >= 0; --k)
      if (row_[k] == largest) q = k;
    best_ = {static_cast<Index>(largest), strip.row_number(r),
             strip.first_column() + first_column_ + q};
  }

  KOKKOS_FUNCTION void store_last_row(const StripView& strip) const {
    if (rank_ == 0) strip.store_last_border();
    for (int q = 0; q < columns_each; ++q)
      if (offset_[q] != outside) strip.store_last(first_column_ + q, static_cast<Index>(row_[q]));
  }

  template <class Team>
  KOKKOS_FUNCTION void reduce_best(const Team& team, const StripView& strip) const {
    best_of_threads_[rank_] = best_;
    team.team_barrier();
    if (rank_ != 0) return;
    BestEntry best = strip.best();
    for (int t = 0; t < size_; ++t)
      if (best_of_threads_[t].row >= 0 && best_of_threads_[t].precedes(best))
        best = best_of_threads_[t];
    strip.store_best(best);
  }

  ScoreTable table_;
  Index steps_per_block_;
  int rank_;
  int size_;
  BestEntry* best_of_threads_;
  T* edges_;
  // What the thread keeps of its columns, in registers:
  Index first_column_ = 0;
  int offset_[columns_each];  // of the column's letter in the table
  T row_[columns_each];
  T corner_ = 0;  // the entry left of its first column, in the row above
  BestEntry best_;
};

/// @brief Strips for teams of many threads.
struct TeamStripAlgorithm {
  using narrow = TeamStrip<std::int32_t>;
  using wide = TeamStrip<std::int64_t>;

  static StripShape choose(Index, Index, const StripScores& scores) {
    StripShape shape;
    shape.team_size = 32;
    shape.strip_columns = shape.smallest_strip = shape.team_size * narrow::columns_each;
    shape.block_rows = 16 * narrow::rows_each;
    // An entry, a score, two gaps and the floor's distance, added up in the worst way.
    shape.narrow = scores.attainable < std::numeric_limits<std::int32_t>::max() / 8;
    return shape;
  }
};

}  // namespace wavescan::Impl

#endif
