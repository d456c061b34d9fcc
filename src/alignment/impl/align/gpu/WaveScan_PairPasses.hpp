// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRPASSES_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRPASSES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/align/gpu/WaveScan_PairKernel.hpp>
#include <impl/align/gpu/WaveScan_PairPass.hpp>
#include <impl/align/host/WaveScan_LaneScoring.hpp>
#include <impl/align/host/WaveScan_LaneShape.hpp>
#include <impl/smith_waterman/WaveScan_Progress.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

/// @file
/// @brief Runs passes over pairs of long sequences on a GPU: which kernel, what range entries have,
/// and memory (CUDA).

namespace wavescan::Impl {

/// @brief Where entries are when a chunk begins, so that none leaves the range of Cells in it. The
/// bounds are those of WaveScan_LaneShape.hpp, with a block's distance around the chunk.
/// @return most < least if there is no such range
template <class Cells>
PairRange pair_range(const LaneScores& scores, int rows) {
  const EntryRange range = entry_range(scores, rows, pair_chunk + 2 * pair_block);
  const Index more = 2 * scores.open + scores.extend + scores.largest - scores.least;
  const Index least = range.below + more, most = Cells::largest - range.above - more;
  constexpr Index way = 64;  // that a base is worth moving
  if (most - least < way) return {1, 0};
  return {static_cast<int>(least), static_cast<int>(most)};
}

/// @brief Runs passes with one scoring.
class PairPasses {
 public:
  using Device = gpu::Device;
  using Space = Device::memory_space;

  PairPasses(const Device& exec, const HostScoring& scoring, Progress& progress)
      : exec_(exec),
        scoring_(scoring),
        progress_(progress),
        scores_("WaveScan::align::scores", std::max<std::size_t>(scoring.scores.size(), 1)),
        counters_("WaveScan::align::tasks"),
        report_(10) {
    std::vector<std::int32_t> scores(scoring.scores.begin(), scoring.scores.end());
    Kokkos::deep_copy(
        exec_, Kokkos::View<std::int32_t*, Space>(scores_.data(), scores.size()),
        Kokkos::View<const std::int32_t*, Kokkos::HostSpace>(scores.data(), scores.size()));
    exec_.fence("WaveScan::align: scores are on the device");
  }

  const HostScoring& scoring() const { return scoring_; }

  /// @brief Whether the device has kernels for such scores.
  static bool suit(const Device& exec, const HostScoring& scoring) {
    return gpu::device_path(Operation::SmithWaterman, exec) != DevicePath::Portable &&
           (fits_short(scoring) || fits_int(scoring)) && with_cells(scoring, [&](auto cells) {
             return warps_of_block<decltype(cells)>(exec, scoring) > 0;
           });
  }

  /// @brief Rows that a warp computes at a time.
  Index band_rows() const {
    return fits_short(scoring_) ? PairBand<ShortCells, false, short_rows>::rows
                                : PairBand<IntCells, false, int_rows>::rows;
  }

  /// @brief Computes matrices; returns the best entry of those that are local. Waits for them.
  PairBest run(const std::vector<PairPass>& passes) {
    return with_cells(scoring_, [&](auto cells) { return with_gaps<decltype(cells)>(passes); });
  }

 private:
  static constexpr int short_rows = 16, int_rows = 8;

  static bool fits_short(const HostScoring& scoring) {
    const LaneScores& costs = scoring.costs;
    const PairRange range = pair_range<ShortCells>(costs, short_rows);
    return range.least <= range.most && scoring.padding + costs.open >= -128 &&
           costs.largest + costs.open <= 127;
  }
  static bool fits_int(const HostScoring& scoring) {
    const PairRange range = pair_range<IntCells>(scoring.costs, int_rows);
    return range.least <= range.most;
  }
  /// @brief Calls use(the narrowest and fastest entries for such scores).
  template <class Use>
  static auto with_cells(const HostScoring& scoring, const Use& use)
      -> decltype(use(ShortCells())) {
    if (!fits_short(scoring)) return use(IntCells());
    return scoring.padding + scoring.costs.open < 0 ? use(SignedShortCells()) : use(ShortCells());
  }
  template <class Cells>
  static constexpr int rows_of = Cells::count == 2 ? short_rows : int_rows;

  /// @brief Warps that a block has room for.
  template <class Cells>
  static int warps_of_block(const Device& exec, const HostScoring& scoring) {
    using Memory = PairMemory<Cells, true, rows_of<Cells>>;
    const auto room = static_cast<std::size_t>(gpu::device_properties(exec).sharedMemPerBlockOptin);
    return static_cast<int>(
        std::min(room / Memory::bytes(static_cast<int>(scoring.letters)), std::size_t(pair_warps)));
  }

  template <class Cells>
  PairBest with_gaps(const std::vector<PairPass>& passes) {
    constexpr int rows = rows_of<Cells>;
    if (scoring_.costs.affine()) return run_as<PairKernel<Cells, true, rows>>(passes);
    return run_as<PairKernel<Cells, false, rows>>(passes);
  }

  template <class Kernel>
  PairBest run_as(std::vector<PairPass> passes) {
    const LaneScores& costs = scoring_.costs;
    Index bands = 0;
    std::size_t words = 0;
    for (const PairPass& pass : passes) {
      bands += Kernel::band_count(pass.rows());
      words += Kernel::words(pass.b.length);
    }
    // Tags go on from launch to launch, so that words are cleared once only.
    if (words_.extent(0) < words) {
      words_ = {};
      words_ = Kokkos::View<gpu::TaggedWord*, Space>(
          Kokkos::view_alloc(exec_, "WaveScan::align::messages"), words);
    }
    const auto count = passes.size();
    static_assert(sizeof(PairBest) == 3 * sizeof(gpu::TaggedWord));
    const auto result_words = 3 * static_cast<std::size_t>(bands);
    const Kokkos::View<gpu::TaggedWord*, Space> results(
        Kokkos::view_alloc(exec_, "WaveScan::align::best"), result_words + 1);
    const Kokkos::View<PairPass*, Space> on_device(
        Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, "WaveScan::align::passes"), count);
    bands = 0;
    words = 0;
    for (std::size_t k = 0; k < count; ++k) {
      PairPass& pass = passes[k];
      pass.first_task = bands;
      pass.words = words_.data() + words;
      pass.best = results.data() + result_words;
      pass.band_best = reinterpret_cast<PairBest*>(results.data()) + bands;
      bands += Kernel::band_count(pass.rows());
      words += Kernel::words(pass.b.length);
    }
    Kokkos::deep_copy(exec_, on_device,
                      Kokkos::View<const PairPass*, Kokkos::HostSpace>(passes.data(), count));

    Kernel kernel;
    kernel.passes = on_device.data();
    kernel.pass_count = static_cast<int>(count);
    kernel.scores = {scores_.data(), static_cast<int>(scoring_.letters),
                     static_cast<int>(scoring_.padding), static_cast<int>(costs.open),
                     static_cast<int>(costs.extend)};
    kernel.range =
        pair_range<typename Kernel::Cells>(costs, Kernel::band_rows / Kernel::Memory::strips);
    kernel.warp_bytes =
        static_cast<unsigned>(Kernel::Memory::bytes(static_cast<int>(scoring_.letters)));
    kernel.queue = {counters_.data(), report_.watchdog()};
    using Cells = typename Kernel::Cells;
    const Index warps = warps_of_block<Cells>(exec_, scoring_),
                processors = gpu::device_properties(exec_).multiProcessorCount,
                most_blocks = std::min(ceil_div(bands, warps), processors * pair_blocks);
    const Kokkos::View<uint4*, Space> kept(
        Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, "WaveScan::align::kept_chunks"),
        static_cast<std::size_t>(most_blocks * warps * pair_kept_chunks *
                                 Kernel::Memory::begin_units));
    kernel.kept = kept.data();

    // Who wants to be told how far it is gets launches of half a second.
    double cells = 0;
    for (const PairPass& pass : passes)
      cells += static_cast<double>(pass.rows()) * static_cast<double>(pass.b.length);
    constexpr double cells_between_reports = 2e12;
    const Index launches =
        progress_.wanted() ? 1 + static_cast<Index>(cells / cells_between_reports) : 1;
    const Index at_once = ceil_div(bands, launches);
    for (Index first = 0; first < bands; first += at_once) {
      const Index count_now = std::min(at_once, bands - first);
      kernel.first_band = static_cast<int>(first);
      kernel.bands = static_cast<int>(count_now);
      gpu::launch({exec_, Kernel::name, false}, align_pairs<Kernel>,
                  std::min(ceil_div(count_now, warps), most_blocks),
                  static_cast<int>(warps) * gpu::warp_size,
                  static_cast<std::size_t>(warps) * kernel.warp_bytes, kernel);
      if (progress_.wanted()) exec_.fence("WaveScan::align: a part of a pass is done");
      progress_.add(cells * static_cast<double>(count_now) / static_cast<double>(bands));
    }

    PairBest best;
    if (std::any_of(passes.begin(), passes.end(),
                    [](const PairPass& pass) { return pass.local; })) {
      std::vector<PairBest> of_bands(static_cast<std::size_t>(bands));
      Kokkos::deep_copy(exec_,
                        Kokkos::View<gpu::TaggedWord*, Kokkos::HostSpace>(
                            reinterpret_cast<gpu::TaggedWord*>(of_bands.data()), result_words),
                        Kokkos::subview(results, Kokkos::make_pair(std::size_t(0), result_words)));
      exec_.fence("WaveScan::align: the best entries are there");
      for (const PairBest& found : of_bands)
        if (found.precedes(best)) best = found;
    } else {
      exec_.fence("WaveScan::align: passes are done");
    }
    report_.throw_if_stuck("align");
    return best;
  }

  Device exec_;
  const HostScoring& scoring_;
  Progress& progress_;
  Kokkos::View<std::int32_t*, Space> scores_;
  Kokkos::View<gpu::TaskCounters, Space> counters_;
  Kokkos::View<gpu::TaggedWord*, Space> words_;
  gpu::StallReport report_;
};

}  // namespace wavescan::Impl

#endif
