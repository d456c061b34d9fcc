// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SMITH_WATERMAN_STRIPRUNNER_HPP
#define WAVESCAN_IMPL_SMITH_WATERMAN_STRIPRUNNER_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/smith_waterman/WaveScan_Progress.hpp>
#include <impl/smith_waterman/WaveScan_Scoring.hpp>
#include <impl/smith_waterman/WaveScan_Strips.hpp>
#include <impl/smith_waterman/WaveScan_TeamStrip.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

/// @file
/// @brief Cuts matrices into strips, provides their memory and launches the kernels.

namespace wavescan::Impl {

/// @brief Columns of each strip of a job: as many strips as threads, where that leaves them wide
/// enough, and a multiple of the threads beyond.
inline Index balance_strips(const StripShape& shape, Index columns, Index threads) {
  if (shape.smallest_strip == shape.strip_columns) return shape.strip_columns;
  Index strips = ceil_div(columns, shape.strip_columns);
  const Index enough = ceil_div(columns, shape.smallest_strip);
  strips = std::min(std::max(strips, enough), ceil_div(strips, threads) * threads);
  constexpr Index multiple = 64;  // of every register's lanes
  return std::min(shape.strip_columns, ceil_div(ceil_div(columns, strips), multiple) * multiple);
}

/// @brief Runs batches of jobs on one execution space instance.
/// @tparam Algorithm shapes strips and walks down them
template <ExecutionSpace Exec, class Algorithm = TeamStripAlgorithm>
class StripRunner {
 public:
  /// @param attainable the best score that any path can have: bounds all entries
  StripRunner(const Exec& exec, const ScoringProblem<Exec>& problem, Index attainable,
              Progress& progress)
      : exec_(exec), problem_(problem), attainable_(attainable), progress_(progress) {}

  /// @brief Local alignment: the best entry of the job's matrix. Waits for it.
  /// @param target the best score, if it is known: then rows after it are not computed
  BestEntry best(const StripJob& job, Index target = std::numeric_limits<Index>::max()) {
    std::vector<StripJob> jobs{job};
    StripLaunch launch = prepare(jobs, false);
    launch.floor = 0;
    launch.local = true;
    launch.target = target;
    BestEntry best;
    run(launch, jobs, [&] {
      for (const BestEntry& found : values_on_host(exec_, best_))
        if (found.precedes(best)) best = found;
      return best.score == target;
    });
    return best;
  }

  /// @brief Global alignment: enqueues the computation of the last rows of all jobs' matrices.
  /// @return the jobs in device memory, whose `last_row` are filled; valid until the next call
  const StripJob* last_rows(std::vector<StripJob> jobs) {
    StripLaunch launch = prepare(jobs, true);
    launch.floor = -attainable_ - 1;
    launch.local = false;
    run(launch, jobs, [] { return false; });
    return launch.jobs;
  }

 private:
  using space = typename Exec::memory_space;

  /// @brief Cuts the jobs into strips and gives them memory.
  StripLaunch prepare(std::vector<StripJob>& jobs, bool keep_last_rows) {
    Index rows = 0;
    Index columns = 0;
    for (const StripJob& job : jobs) {
      rows = std::max(rows, job.row_count);
      columns += job.column_count;
    }
    shape_ = Algorithm::choose(resident_teams(exec_, 1), rows,
                               {problem_.largest, problem_.gap, attainable_});
    launch_rows_ = rows;
    if (progress_.wanted())
      launch_rows_ =
          std::min(rows, std::max(shape_.entries_between_reports / columns, shape_.block_rows));
    keep_last_rows = keep_last_rows || launch_rows_ < rows;

    StripLaunch launch;
    launch.table = problem_.table();
    launch.block_rows = shape_.block_rows;
    Index values = 0;
    for (StripJob& job : jobs) {
      job.strip_columns = balance_strips(shape_, job.column_count, resident_teams(exec_, 1));
      job.first_ticket = launch.tickets;
      launch.tickets += ceil_div(job.column_count, job.strip_columns);
      launch.strip_columns = std::max(launch.strip_columns, job.strip_columns);
      values += memory_of(job, keep_last_rows);
    }
    memory_.rewind();
    Index* free = memory_.template take<Index>(values).data();
    counters_ = memory_.template take<Index>(launch.tickets + 2);
    best_ = memory_.template take<BestEntry>(launch.tickets);
    for (StripJob& job : jobs) {
      job.handover = free;
      job.last_row = keep_last_rows ? free + job_rows(job) + 1 : nullptr;
      free += memory_of(job, keep_last_rows);
    }
    set_all(exec_, best_, {});
    launch.jobs = memory_.copy_of(jobs).data();
    exec_.fence("WaveScan::smith_waterman: jobs are on the device");

    launch.job_count = static_cast<Index>(jobs.size());
    launch.ticket = counters_.data();
    launch.last_needed = counters_.data() + 1;
    launch.progress = counters_.data() + 2;
    launch.best = best_.data();
    return launch;
  }

  /// @brief Rows that a launch computes of a job, at most.
  Index job_rows(const StripJob& job) const { return std::min(job.row_count, launch_rows_); }
  Index memory_of(const StripJob& job, bool last_row) const {
    return job_rows(job) + 1 + (last_row ? job.column_count + 1 : 0);
  }

  /// @brief Launches the kernels of a batch, until all rows are done or `stop` says enough.
  template <class Stop>
  void run(StripLaunch launch, const std::vector<StripJob>& jobs, const Stop& stop) {
    Index rows = 0;
    for (const StripJob& job : jobs) rows = std::max(rows, job.row_count);
    for (launch.row_begin = 0; launch.row_begin < rows; launch.row_begin = launch.row_end) {
      launch.row_end = std::min(rows, launch.row_begin + launch_rows_);
      enqueue(launch);
      const bool stopped = stop();
      if (progress_.wanted()) {
        exec_.fence("WaveScan::smith_waterman: progress");
        double cells = 0;
        for (const StripJob& job : jobs)
          cells += static_cast<double>(job.column_count) *
                   static_cast<double>(std::max<Index>(
                       0, std::min(job.row_count, launch.row_end) - launch.row_begin));
        progress_.add(cells);
      }
      if (stopped) return;
    }
  }

  void enqueue(const StripLaunch& launch) {
    set_all(exec_, counters_, 0);
    set_all(exec_, Kokkos::subview(counters_, 1), std::numeric_limits<Index>::max());
    if (shape_.narrow)
      enqueue<typename Algorithm::narrow>(launch);
    else
      enqueue<typename Algorithm::wide>(launch);
  }

  template <class Strip>
  void enqueue(const StripLaunch& launch) {
    const Index teams = std::min(launch.tickets, resident_teams(exec_, shape_.team_size));
    const auto scratch =
        Kokkos::PerTeam(static_cast<int>(Strip::scratch_bytes(launch, shape_.team_size)));
    Kokkos::parallel_for("WaveScan::smith_waterman::strips",
                         Kokkos::TeamPolicy<Exec>(exec_, static_cast<int>(teams), shape_.team_size)
                             .set_scratch_size(shape_.scratch_level, scratch),
                         StripKernel<Exec, Strip>{launch});
  }

  Exec exec_;
  const ScoringProblem<Exec>& problem_;
  Index attainable_;
  Progress& progress_;
  StripShape shape_;
  Index launch_rows_ = 0;
  CallMemory<Exec> memory_{exec_};
  Kokkos::View<Index*, space> counters_;
  Kokkos::View<BestEntry*, space> best_;
};

}  // namespace wavescan::Impl

#endif
