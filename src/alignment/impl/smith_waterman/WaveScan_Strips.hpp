// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SMITH_WATERMAN_STRIPS_HPP
#define WAVESCAN_IMPL_SMITH_WATERMAN_STRIPS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/smith_waterman/WaveScan_Scoring.hpp>

#include <cstdint>
#include <limits>

/// @file
/// @brief Alignment matrices in linear memory: persistent teams walk down strips of columns.
///
/// A matrix is cut into strips of columns. A team draws a strip by ticket and walks down its rows,
/// keeping one row of it close by. The right-most entry of each row goes to the strip to the right
/// through memory, followed by a flag that counts rows (Hou et al., section V-B, peer-to-peer
/// synchronisation). Strips are drawn from the left, so the strip to the left has always started,
/// and the pipeline moves on however few teams are resident. Many matrices can be computed at once.
///
/// One recurrence serves local and global alignment:
///
///     H(i,j) = max(H(i-1,j-1) + s(i,j), H(i-1,j) - gap, H(i,j-1) - gap, floor)
///
/// with max(-k gap, floor) at distance k along the upper and left border. Local: floor 0. Global:
/// a floor below all that a best path can meet, which keeps values bounded.

namespace wavescan::Impl {

/// @brief Codes of letters, read in either direction.
struct Letters {
  const std::uint8_t* data = nullptr;
  Index stride = 1;
  KOKKOS_FORCEINLINE_FUNCTION int operator()(Index k) const { return data[k * stride]; }
};

/// @brief One matrix. Row r belongs to letter rows(r), column c to letter columns(c).
struct StripJob {
  Letters rows;
  Letters columns;
  Index row_count = 0;
  Index column_count = 0;
  bool transposed = false;    ///< the rows are letters of b: look scores up the other way round
  Index strip_columns = 0;    ///< columns of a strip
  Index first_ticket = 0;     ///< strips of the jobs before this one
  Index* handover = nullptr;  ///< right-most entries of a strip: the row above, then each row
  Index* last_row = nullptr;  ///< if set: the border's entry and those of the last row computed
};

/// @brief The best entry of a matrix: as much as a local alignment's end.
struct BestEntry {
  Index score = 0;
  Index row = -1;
  Index column = -1;
  /// @brief A higher score, or the same one in an earlier row, or in the same row further left.
  KOKKOS_FUNCTION bool precedes(const BestEntry& other) const {
    if (score != other.score) return score > other.score;
    return row != other.row ? row < other.row : column < other.column;
  }
};

/// @brief What one kernel computes: rows [row_begin, row_end) of all jobs.
struct StripLaunch {
  const StripJob* jobs = nullptr;
  Index job_count = 0;
  Index tickets = 0;  ///< strips of all jobs
  ScoreTable table;
  Index floor = 0;
  bool local = true;                                 ///< whether best entries are wanted
  Index target = std::numeric_limits<Index>::max();  ///< known best score: rows below are needless
  Index row_begin = 0;
  Index row_end = 0;
  Index strip_columns = 0;  ///< most columns of a strip
  Index block_rows = 0;     ///< rows after which a strip tells the next one
  Index* ticket = nullptr;
  Index* last_needed = nullptr;  ///< last row that can hold the first entry of score `target`
  Index* progress = nullptr;     ///< finished rows of this launch, for each ticket
  BestEntry* best = nullptr;     ///< for each ticket

  KOKKOS_FUNCTION const StripJob& job_of(Index drawn) const {
    Index low = 0;
    Index high = job_count;
    while (high - low > 1) {
      const Index middle = (low + high) / 2;
      (jobs[middle].first_ticket <= drawn ? low : high) = middle;
    }
    return jobs[low];
  }
};

/// @brief A strip as its team sees it: where values come from and where they go.
class StripView {
 public:
  KOKKOS_FUNCTION StripView(const StripLaunch& launch, Index ticket)
      : launch_(launch), job_(launch.job_of(ticket)), ticket_(ticket) {
    strip_ = ticket - job_.first_ticket;
    first_column_ = strip_ * job_.strip_columns;
    columns_ = min(job_.strip_columns, job_.column_count - first_column_);
    rows_ = min(launch.row_end, job_.row_count) - launch.row_begin;
  }

  KOKKOS_FUNCTION Index columns() const { return columns_; }
  /// @brief Rows of this launch; zero or less if the job has ended before.
  KOKKOS_FUNCTION Index rows() const { return rows_; }
  KOKKOS_FUNCTION Index gap() const { return launch_.table.gap; }
  KOKKOS_FUNCTION Index floor() const { return launch_.floor; }
  KOKKOS_FUNCTION Index first_column() const { return first_column_; }
  /// @brief Number of row r in the whole matrix.
  KOKKOS_FUNCTION Index row_number(Index r) const { return launch_.row_begin + r; }
  KOKKOS_FUNCTION int row_letter(Index r) const { return job_.rows(launch_.row_begin + r); }

  /// @brief Where the scores of a letter of the columns stand in the table ...
  KOKKOS_FUNCTION Index column_offset(Index c) const {
    return job_.columns(first_column_ + c) * (job_.transposed ? launch_.table.letters : 1);
  }
  /// @brief ... and how far apart those of letters of the rows are.
  KOKKOS_FUNCTION Index row_stride() const { return job_.transposed ? 1 : launch_.table.letters; }

  /// @brief The entry above column c (-1: above the left border). Columns beyond the end of the
  /// matrix go on as gaps would.
  KOKKOS_FUNCTION Index top(Index c) const {
    const Index column = first_column_ + c + 1;
    if (job_.last_row == nullptr || launch_.row_begin == 0) return border(column);
    const Index inside = min(column, job_.column_count);
    return max(job_.last_row[inside] - gap() * (column - inside), floor());
  }
  /// @brief The entry to the left of row r (-1: of the row above), once it has been waited for.
  KOKKOS_FUNCTION Index left(Index r) const {
    return strip_ == 0 ? border(launch_.row_begin + r + 1) : job_.handover[r + 1];
  }
  /// @brief Hands the right-most entry of row r (-1: of the row above) on. left(r) is then gone.
  KOKKOS_FUNCTION void hand_over(Index r, Index value) const { job_.handover[r + 1] = value; }
  /// @brief Stores an entry of the last row.
  KOKKOS_FUNCTION void store_last(Index c, Index value) const {
    job_.last_row[first_column_ + c + 1] = value;
  }
  /// @brief Stores the border's entry of the last row.
  KOKKOS_FUNCTION void store_last_border() const {
    if (strip_ == 0) job_.last_row[0] = border(launch_.row_begin + rows_);
  }
  KOKKOS_FUNCTION bool wants_last_row() const { return job_.last_row != nullptr; }
  KOKKOS_FUNCTION bool is_last() const { return first_column_ + columns_ == job_.column_count; }

  /// @brief Waits until the entries left of rows [0, count) are there.
  KOKKOS_FUNCTION void wait_for(Index count) const {
    if (strip_ > 0) wait_until_at_least(launch_.progress + ticket_ - 1, count);
  }
  /// @brief Tells the next strip that rows [0, count) are handed over.
  KOKKOS_FUNCTION void publish(Index count) const {
    store_release(launch_.progress + ticket_, count);
  }

  KOKKOS_FUNCTION bool wants_best() const { return launch_.local; }
  KOKKOS_FUNCTION BestEntry best() const { return launch_.best[ticket_]; }
  KOKKOS_FUNCTION void store_best(const BestEntry& entry) const { launch_.best[ticket_] = entry; }
  /// @brief Tells all strips that rows after this entry's are needless, if it has the target score.
  KOKKOS_FUNCTION void announce(const BestEntry& entry) const {
    if (entry.score == launch_.target) Kokkos::atomic_min(launch_.last_needed, entry.row);
  }
  /// @brief Whether row r and all after it are needless.
  KOKKOS_FUNCTION bool is_needless(Index r) const {
    return row_number(r) > Kokkos::atomic_load(launch_.last_needed);
  }

 private:
  KOKKOS_FUNCTION static Index min(Index x, Index y) { return x < y ? x : y; }
  KOKKOS_FUNCTION static Index max(Index x, Index y) { return x < y ? y : x; }
  KOKKOS_FUNCTION Index border(Index distance) const { return max(-gap() * distance, floor()); }

  const StripLaunch& launch_;
  const StripJob& job_;
  Index ticket_;
  Index strip_;
  Index first_column_;
  Index columns_;
  Index rows_;
};

/// @brief What decides about the shape of strips and the integers they count with.
struct StripScores {
  Index largest;  ///< largest score of a pair
  Index gap;
  Index attainable;  ///< entries lie within [-attainable - 1, attainable]
};

/// @brief How strips are cut and walked down.
struct StripShape {
  Index strip_columns = 0;   ///< most columns of a strip
  Index smallest_strip = 0;  ///< columns that a strip should have at least
  Index block_rows = 0;      ///< rows after which a strip tells the next one
  int team_size = 1;
  int scratch_level = 0;
  bool narrow = true;  ///< whether the smaller integers suffice
  /// @brief Size of a launch where a caller wants to know of the progress.
  Index entries_between_reports = std::numeric_limits<Index>::max();
};

/// @brief Persistent teams that take strips by ticket.
/// @tparam Strip how a team walks down a strip: HostStrip or TeamStrip
template <class Exec, class Strip>
struct StripKernel {
  using team_type = typename Kokkos::TeamPolicy<Exec>::member_type;
  StripLaunch launch;

  KOKKOS_FUNCTION void operator()(const team_type& team) const {
    Strip walker(team, launch);
    for (Index ticket = draw_ticket(team, launch.ticket); ticket < launch.tickets;
         ticket = draw_ticket(team, launch.ticket)) {
      const StripView strip(launch, ticket);
      if (strip.rows() > 0) walker.run(team, strip);
      team.team_barrier();
    }
  }
};

}  // namespace wavescan::Impl

#endif
