// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_HOST_UNKNOWNRUNS_HPP
#define WAVESCAN_IMPL_SOR_HOST_UNKNOWNRUNS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Spin.hpp>
#include <impl/sor/WaveScan_BackendTraits.hpp>
#include <impl/sor/WaveScan_SORLoop.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_WorkMemory.hpp>
#include <impl/sor/host/WaveScan_HostPass.hpp>
#include <impl/wavefront/WaveScan_WavefrontProblem.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

/// @file
/// @brief SOR on the host where few points are unknown: only these are visited, so that the work is
/// in proportion to them.
///
/// A call goes once through the mask, for the runs of unknowns between fixed points. Its passes
/// then follow each other down the rows, each a part of them behind the one before, so that values
/// have the bits of the serial loop. A worker takes several passes at a time, whose parts stay in
/// its cache.

namespace wavescan::Impl::sor {

/// @brief Calls use(mask); there is one.
template <class Use>
auto with_mask(const FixedPoints& fixed, const Use& use) {
  switch (fixed.word) {
    case MaskWord::Short:
      return use(mask_of<unsigned short>(fixed));
    case MaskWord::Int:
      return use(mask_of<unsigned int>(fixed));
    case MaskWord::Long:
      return use(mask_of<unsigned long>(fixed));
    case MaskWord::LongLong:
      return use(mask_of<unsigned long long>(fixed));
    default:
      return use(mask_of<unsigned char>(fixed));
  }
}

/// @brief The first column of [j, end) whose point is unknown, or `end`.
template <class Word>
Index next_unknown(const Grid<const Word>& mask, Index i, Index j, Index end) {
  if constexpr (sizeof(Word) == 1)
    if (mask.column_stride == 1 && j < end) {
      const Word* const row = &mask(i, 0);
      const void* const found = std::memchr(row + j, 0, static_cast<std::size_t>(end - j));
      return found ? static_cast<const Word*>(found) - row : end;
    }
  while (j < end && mask(i, j) != 0) ++j;
  return j;
}

/// @brief The first column of [j, end) whose point is fixed, or `end`.
template <class Word>
Index next_fixed(const Grid<const Word>& mask, Index i, Index j, Index end) {
  while (j < end && mask(i, j) == 0) ++j;
  return j;
}

/// @brief Unknowns next to each other: columns, half open.
struct Run {
  std::int32_t begin;
  std::int32_t end;
};

/// @brief The runs of an array's rows.
struct RunsOfRows {
  const Run* runs;
  const Index* ends;  ///< of the runs of each row, behind those of the rows before
  Index rows;         ///< of the array, with its halo
  Index columns;
  bool backward;  ///< the array is seen from its last point
  Index first_of(Index i) const { return i > 0 ? ends[i - 1] : 0; }

  /// @brief Calls use(begin, end) for the runs of row i, in their order.
  template <class Use>
  void for_each(Index i, const Use& use) const {
    if (!backward)
      for (Index r = first_of(i); r < ends[i]; ++r) use(runs[r].begin, runs[r].end);
    else
      for (Index last = rows - 1 - i, r = ends[last] - 1; r >= first_of(last); --r)
        use(columns - runs[r].end, columns - runs[r].begin);
  }
};

/// @brief Some passes over the runs, done by several workers.
template <class Loop>
struct RunsKernel {
  static constexpr Index max_passes = 8;  ///< of a group, which a worker does

  WavefrontProblem<Loop> problem;
  RunsOfRows rows;
  Index parts;  ///< of the rows
  Index passes;
  Index* ticket;
  HostProgress* progress;  ///< parts that groups have done, and those before in the same place
  Index places;            ///< more than groups are ever under way

  static Index groups(Index all_passes) { return ceil_div(all_passes, max_passes); }

  /// A thread that draws a group waits for the one before only, which has been drawn already.
  void operator()(Index) const {
    for (Index group = draw(); group < groups(passes); group = draw()) {
      const Index last = std::min(max_passes, passes - group * max_passes) - 1;
      for (Index step = 0; step < parts + last; ++step) {
        if (group > 0 && step < parts)
          wait_until_at_least(place(group - 1), (group - 1) * parts + std::min(step + 2, parts));
        for (Index pass = std::max<Index>(0, step - parts + 1); pass <= std::min(step, last);
             ++pass)
          run_part(step - pass);
        if (step >= last) store_release(place(group), group * parts + step - last + 1);
      }
    }
  }

 private:
  /// The compiler does better by it alone.
  WAVESCAN_NOT_INLINED void run_part(Index part) const {
    const Index unknown_rows = rows.rows - 2;
    for (Index i = 1 + unknown_rows * part / parts; i <= unknown_rows * (part + 1) / parts; ++i)
      rows.for_each(i, [&](Index begin, Index end) { problem.run_row(i, begin, end); });
  }
  Index draw() const { return Kokkos::atomic_fetch_add(ticket, Index(1)); }
  Index* place(Index group) const { return &progress[group % places].blocks; }
};

/// @brief Sweeps over the runs of unknowns, and their workspace.
template <ExecutionSpace Exec, class V>
class HostRuns {
 public:
  /// @brief Whether sweeps over masks of any kind may come here.
  template <class C>
  static bool supports(const Problem<V, C, FixedPoints>& p, int count) {
    return runs_at_once<Exec> && count >= min_sweeps && p.fixed.word != MaskWord::None &&
           p.x.column_stride == 1 && p.x.columns <= std::numeric_limits<std::int32_t>::max();
  }

  /// @brief Makes the workspace beforehand.
  template <class C>
  void reserve(const Exec& exec, const Problem<V, C, FixedPoints>& p) const {
    runs_.template room<Run>(exec, "WaveScan::sor::runs", max_unknowns(p));
    ends_.template room<Index>(exec, "WaveScan::sor::ends_of_runs", p.x.rows);
    progress_.template room<HostProgress>(exec, "WaveScan::sor::progress_of_runs",
                                          places(exec) + 1);
  }

  /// @brief Looks for the runs; false if too many points are unknown.
  template <class C>
  bool are_few(const Exec& exec, const Problem<V, C, FixedPoints>& p) const {
    reserve(exec, p);
    return with_mask(p.fixed, [&](const auto& mask) { return find_runs(p, mask); });
  }

  /// @brief Enqueues sweeps in place over the runs that have been found.
  template <class C>
  void sweep(const Exec& exec, const Problem<V, C, FixedPoints>& problem, int count, bool forward,
             bool backward) const {
    const bool in_turn = forward && backward;
    for_each_pass(problem, {in_turn ? count : 1, forward, backward},
                  [&](const Problem<V, C, FixedPoints>& p, bool back) {
                    run_passes(exec, on_unknowns(loop_of_unknowns(p), p.x), back,
                               in_turn ? 1 : count);
                  });
  }

 private:
  /// Fewer do not make up for a look at the whole mask.
  static constexpr int min_sweeps = 4;
  /// Vectors of several rows are as fast if more than one point in so many is unknown.
  static constexpr Index min_points_per_unknown = 4;
  /// That a core has of its own, for the parts of a group of passes.
  static constexpr Index cache_bytes = 1 << 19;

  template <class C>
  static Index max_unknowns(const Problem<V, C, FixedPoints>& p) {
    return p.interior_rows() * p.interior_columns() / min_points_per_unknown;
  }
  static Index places(const Exec& exec) { return resident_teams(exec, 1) + 1; }

  template <class C, class Mask>
  bool find_runs(const Problem<V, C, FixedPoints>& p, const Mask& mask) const {
    const Index end = p.x.columns - 1;
    Run* const runs = runs_.template data<Run>();
    Index* const ends = ends_.template data<Index>();
    Index count = 0;
    unknowns_ = 0;
    ends[0] = 0;
    for (Index i = 1; i + 1 < p.x.rows; ++i) {
      for (Index j = next_unknown(mask, i, 1, end); j < end;) {
        const Index fixed = next_fixed(mask, i, j, end);
        unknowns_ += fixed - j;
        if (unknowns_ > max_unknowns(p)) return false;
        runs[count++] = {static_cast<std::int32_t>(j), static_cast<std::int32_t>(fixed)};
        j = next_unknown(mask, i, fixed, end);
      }
      ends[i] = count;
    }
    return true;
  }

  template <class Loop>
  void run_passes(const Exec& exec, const WavefrontProblem<Loop>& problem, bool backward,
                  Index passes) const {
    const Index rows = problem.grid.rows;
    using Kernel = RunsKernel<Loop>;
    const Index workers = std::min(Kernel::groups(passes), resident_teams(exec, 1));
    const Index row_bytes = problem.grid.columns * static_cast<Index>(sizeof(V));
    const Index rows_of_part = std::max<Index>(1, cache_bytes / (Kernel::max_passes * row_bytes));
    const Index parts = ceil_div(rows - 2, rows_of_part);
    progress_.clear(exec);
    auto* const first = progress_.template data<HostProgress>();
    constexpr double seconds_per_update = 2e-9;
    const auto updates = static_cast<double>(unknowns_ * passes);
    enqueue_workers(exec, "WaveScan::sor::runs", workers, seconds_per_update * updates,
                    Kernel{problem,
                           {runs_.template data<Run>(), ends_.template data<Index>(), rows,
                            problem.grid.columns, backward},
                           parts,
                           passes,
                           &first->blocks,
                           first + 1,
                           places(exec)});
  }

  WorkMemory<Exec> runs_;      ///< Run
  WorkMemory<Exec> ends_;      ///< Index
  WorkMemory<Exec> progress_;  ///< HostProgress
  mutable Index unknowns_ = 0;
};

}  // namespace wavescan::Impl::sor

#endif
