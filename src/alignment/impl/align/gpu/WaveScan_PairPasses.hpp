// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRPASSES_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRPASSES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/align/WaveScan_AlignProgress.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/WaveScan_Checkpoint.hpp>
#include <impl/align/WaveScan_LetterScores.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/WaveScan_ScoreBounds.hpp>
#include <impl/align/gpu/WaveScan_PairKernel.hpp>
#include <impl/align/gpu/WaveScan_PairLaunches.hpp>
#include <impl/align/gpu/WaveScan_PairPass.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>
#include <vector>

/// @file
/// @brief Runs passes over pairs of long sequences on a GPU: which kernel, what range entries have,
/// and memory (CUDA).

namespace wavescan::Impl {

/// @brief Returns the range of entries when a chunk begins, so that none leaves the range of Cells
/// in it. The bounds are those of WaveScan_ScoreBounds.hpp, with a block's distance around the
/// chunk.
/// @return most < least if there is no such range
template <class Cells>
PairRange pair_range(const ScoreBounds& scores, int rows) {
  const EntryRange range =
      entry_range(scores, rows, pair_chunk + 2 * pair_block, rows / 2, scores.affine());
  const Index more = 2 * scores.open + scores.extend + scores.largest - scores.least;
  const Index least = range.below + more, most = Cells::largest - range.above - more;
  constexpr Index way = 64;  // that a base is worth moving
  if (most - least < way) return {1, 0};
  return {static_cast<int>(least), static_cast<int>(most)};
}

/// @brief Runs passes with one scoring.
/// @tparam Device gpu::Device: a template, so that files that align nothing compile no kernels
template <class Device>
class PairPasses {
 public:
  using Space = typename Device::memory_space;

  PairPasses(const Device& exec, const LetterScores& scoring, Progress& progress)
      : exec_(exec),
        scoring_(scoring),
        progress_(progress),
        memory_(exec),
        counters_(memory_.template zeros<gpu::TaskCounters>(1).data()),
        report_(kept_plan_of<gpu::StallReport>(exec, std::tuple(),
                                               [] { return gpu::StallReport(10); })) {
    const std::vector<std::int32_t> scores(scoring.scores.begin(), scoring.scores.end());
    scores_ = memory_.copy_of(scores).data();
    exec_.fence("WaveScan::align: scores are on the device");
  }

  const LetterScores& scoring() const { return scoring_; }
  Progress& progress() const { return progress_; }
  /// @brief The scores for kernels.
  DeviceScores scores() const {
    return {scores_, static_cast<int>(scoring_.letters), static_cast<int>(scoring_.padding),
            static_cast<int>(scoring_.costs.open), static_cast<int>(scoring_.costs.extend)};
  }

  /// @brief Whether the device has kernels for such scores.
  static bool supports(const Device& exec, const LetterScores& scoring) {
    return gpu::device_path(Operation::PairAlignment, exec) != DevicePath::Host &&
           (fits_short(scoring) || fits_int(scoring)) && with_cells(scoring, [&](auto cells) {
             return warps_of_block<decltype(cells)>(exec, scoring) > 0;
           });
  }

  /// @brief A multiple of the rows that a warp computes at a time; in stages, these rows.
  Index band_rows() const {
    return fits_short(scoring_) ? PairBand<ShortCells, false, short_rows>::rows
                                : PairBand<IntCells, false, int_rows>::rows;
  }

  /// @brief The number of warps that run at a time.
  static Index warps(const Device& exec) {
    return Index(gpu::device_properties(exec).multiProcessorCount) * pair_blocks * pair_warps;
  }

  /// @brief Computes a matrix, from where a checkpoint left off, if there is one; returns the best
  /// entry if it is local. Waits for it.
  BestEntry run(const PairPass& pass) {
    Checkpoint* const checkpoint = progress_.checkpoint();
    if (checkpoint != nullptr && checkpoint->has_step()) return run_kept(pass, *checkpoint);
    return run(std::vector<PairPass>{pass});
  }
  /// @brief Computes matrices together; or, if they are a checkpoint's step, one by one.
  void run_step(const std::vector<PairPass>& passes) {
    Checkpoint* const checkpoint = progress_.checkpoint();
    if (checkpoint != nullptr && checkpoint->has_step())
      for (const PairPass& pass : passes) run_kept(pass, *checkpoint);
    else
      run(passes);
  }

  /// @brief Computes matrices; returns the best entry of those that are local. Waits for them.
  BestEntry run(const std::vector<PairPass>& passes) {
    const auto launches = this->launches(passes, are_few(passes), false);
    // Progress is reported between launches of half a second.
    double cells = 0;
    for (const PairPass& pass : passes)
      cells += static_cast<double>(pass.rows()) * static_cast<double>(pass.b.length);
    constexpr double cells_between_reports = 2e12;
    const Index parts =
        progress_.wanted() ? 1 + static_cast<Index>(cells / cells_between_reports) : 1;
    const Index bands = launches->bands(), at_once = ceil_div(bands, parts);
    for (Index first = 0; first < bands; first += at_once) {
      const Index count = std::min(at_once, bands - first);
      launches->launch(first, count);
      if (progress_.wanted()) exec_.fence("WaveScan::align: a part of a pass is done");
      progress_.add(cells * static_cast<double>(count) / static_cast<double>(bands));
    }
    const BestEntry best = launches->best();
    throw_if_stuck();
    return best;
  }

  /// @brief Local passes that are computed in stages, each of a whole number of bands; they follow
  /// each other in the order of their first slots, far enough apart for all bands of one.
  std::unique_ptr<PairLaunches<Device>> stages(const std::vector<PairPass>& passes) {
    return launches(passes, false, true);
  }
  void throw_if_stuck() const { report_->throw_if_stuck("align"); }

 private:
  /// @brief Computes as many bands at a time as take some seconds.
  BestEntry run_kept(const PairPass& pass, Checkpoint& checkpoint) {
    const Index m = pass.a.length, n = pass.b.length, band = band_rows();
    const bool has_column = pass.last_column != nullptr;
    Checkpoint::Pass& state = checkpoint.next_pass(n, has_column ? m : 0, progress_);
    CallMemory<Device> memory(exec_);
    auto above = memory.template take<BoundaryEntry>(n),
         below = memory.template take<BoundaryEntry>(n);
    if (state.rows > 0) {
      to_device(above.data(), state.row.data(), n);
      if (has_column) to_device(pass.last_column, state.column.data(), state.rows);
    }
    constexpr double entries_a_second = 4e12;
    const double bands = checkpoint.entries_at_once(entries_a_second) /
                         (static_cast<double>(band) * static_cast<double>(n));
    const Index at_once = std::max<Index>(static_cast<Index>(bands), 1) * band,
                target = pass.target == 0 ? std::numeric_limits<Index>::max() : pass.target;
    checkpoint.run(state, m, at_once, target, [&](Index count) {
      const bool is_last = state.rows + count == m;
      PairPass rows = pass;
      rows.first_row = state.rows;
      rows.a = pass.a.part(state.rows, count);
      if (state.rows > 0) rows.row_above = above.data();
      if (has_column) rows.last_column = pass.last_column + state.rows;
      if (!is_last) {
        rows.row = nullptr;
        rows.kept = {below.data(), count, 0};
      }
      const BestEntry found = run(std::vector<PairPass>{rows});
      if (!is_last || pass.row != nullptr)
        to_host(state.row.data(), is_last ? pass.row : below.data(), n);
      if (has_column) to_host(state.column.data() + state.rows, rows.last_column, count);
      std::swap(above, below);
      return found;
    });
    // Where the whole pass was there already.
    if (pass.row != nullptr && state.rows == m) to_device(pass.row, state.row.data(), n);
    return state.best;
  }
  template <class T>
  void to_device(T* to, const T* from, Index count) const {
    copy_to_device(exec_, to, from, count);
    exec_.fence("WaveScan::align: a checkpoint is on the device");
  }
  template <class T>
  void to_host(T* to, const T* from, Index count) const {
    copy_to_host(exec_, to, from, count);
    exec_.fence("WaveScan::align: a part of a pass is on the host");
  }

  /// Rows of a strip: many take fewer instructions for an entry, few keep more warps busy.
  static constexpr int short_rows = 16, few_short_rows = 8, int_rows = 8;

  static bool fits_short(const LetterScores& scoring) {
    const ScoreBounds& costs = scoring.costs;
    const PairRange range = pair_range<ShortCells>(costs, short_rows);
    return range.least <= range.most && scoring.padding + costs.open >= -128 &&
           costs.largest + costs.open <= 127;
  }
  static bool fits_int(const LetterScores& scoring) {
    const PairRange range = pair_range<IntCells>(scoring.costs, int_rows);
    return range.least <= range.most;
  }
  /// @brief Calls use(the narrowest and fastest entries for such scores).
  template <class Use>
  static auto with_cells(const LetterScores& scoring, const Use& use)
      -> decltype(use(ShortCells())) {
    if (!fits_short(scoring)) return use(IntCells());
    return scoring.padding + scoring.costs.open < 0 ? use(SignedShortCells()) : use(ShortCells());
  }
  /// @brief Whether passes leave the schedulers of a multiprocessor with less than a warp each:
  /// then what counts is how soon an entry follows from the one above, and SignedShortCells' do
  /// soonest.
  bool are_few(const std::vector<PairPass>& passes) const {
    Index bands = 0;
    for (const PairPass& pass : passes) bands += ceil_div(pass.rows(), band_rows());
    return bands < 3 * Index(gpu::device_properties(exec_).multiProcessorCount);
  }

  /// @brief Warps that a block has room for.
  template <class Cells>
  static int warps_of_block(const Device& exec, const LetterScores& scoring) {
    using Memory = PairMemory<Cells, true, Cells::count == 2 ? short_rows : int_rows>;
    const auto room = static_cast<std::size_t>(gpu::device_properties(exec).sharedMemPerBlockOptin);
    return static_cast<int>(
        std::min(room / Memory::bytes(static_cast<int>(scoring.letters)), std::size_t(pair_warps)));
  }

  /// @param are_few see above
  std::unique_ptr<PairLaunches<Device>> launches(const std::vector<PairPass>& passes, bool are_few,
                                                 bool in_stages) const {
    if (are_few && fits_short(scoring_))
      return launches<SignedShortCells, few_short_rows>(passes, in_stages);
    return with_cells(scoring_, [&](auto cells) {
      using Cells = decltype(cells);
      return launches < Cells, Cells::count == 2 ? short_rows : int_rows > (passes, in_stages);
    });
  }
  template <class Cells, int Rows>
  std::unique_ptr<PairLaunches<Device>> launches(const std::vector<PairPass>& passes,
                                                 bool in_stages) const {
    const bool affine = scoring_.costs.affine();
    const auto letters = static_cast<int>(scoring_.letters);
    PairArguments arguments;
    arguments.scores = scores();
    arguments.range = pair_range<Cells>(scoring_.costs, Rows);
    arguments.warp_bytes =
        static_cast<unsigned>(affine ? PairMemory<Cells, true, Rows>::bytes(letters)
                                     : PairMemory<Cells, false, Rows>::bytes(letters));
    arguments.queue = {counters_, report_->watchdog()};
    return std::make_unique<PairLaunches<Device>>(
        exec_, affine ? PairKernel::of<Cells, true, Rows>() : PairKernel::of<Cells, false, Rows>(),
        arguments, warps_of_block<Cells>(exec_, scoring_), passes, in_stages);
  }

  Device exec_;
  const LetterScores& scoring_;
  Progress& progress_;
  CallMemory<Device> memory_;
  gpu::TaskCounters* counters_;
  const std::int32_t* scores_;
  KeptPlan<gpu::StallReport, Device, std::tuple<>> report_;
};

}  // namespace wavescan::Impl

#endif
