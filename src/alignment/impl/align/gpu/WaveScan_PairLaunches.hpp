// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRLAUNCHES_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRLAUNCHES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/align/WaveScan_CallMemory.hpp>
#include <impl/align/WaveScan_PassBorders.hpp>
#include <impl/align/gpu/WaveScan_PairKernel.hpp>
#include <impl/align/gpu/WaveScan_PairPass.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// @file
/// @brief Passes over pairs of long sequences under way: launches, and what they need on the device
/// (CUDA).

namespace wavescan::Impl {

/// @tparam Device gpu::Device
template <class Device>
class PairLaunches {
 public:
  /// @param arguments what does not depend on the passes
  /// @param warps     of a block
  PairLaunches(const Device& exec, const PairKernel& kernel, const PairArguments& arguments,
               Index warps, std::vector<PairPass> passes, bool in_stages)
      : exec_(exec),
        kernel_(kernel),
        arguments_(arguments),
        warps_(warps),
        passes_(std::move(passes)) {
    put_messages(in_stages);
    for (PairPass& pass : passes_) {
      pass.first_task = bands_;
      bands_ += kernel_.band_count(pass.rows());
    }
    put_results();

    std::vector<int> numbers;
    for (std::size_t k = 0; k < passes_.size(); ++k)
      numbers.resize(static_cast<std::size_t>(end_of(k)), static_cast<int>(k));
    arguments_.passes = memory_.copy_of(passes_).data();
    arguments_.pass_of_band = memory_.copy_of(numbers).data();

    const Index processors = gpu::device_properties(exec_).multiProcessorCount;
    most_blocks_ = std::min(ceil_div(bands_, warps_), processors * pair_blocks);
    const auto beginnings = [&](Index count) {
      return memory_.template take<char>(count * static_cast<Index>(kernel_.beginning_bytes))
          .data();
    };
    if (any_local()) arguments_.beginnings = beginnings(most_blocks_ * warps_ * pair_beginnings);
    if (in_stages) arguments_.states = beginnings(bands_);
    exec_.fence("WaveScan::align: passes are on the device");
  }

  Index bands() const { return bands_; }

  void launch(Index first_band, Index count) {
    if (count == 0) return;
    arguments_.first_band = static_cast<int>(first_band);
    arguments_.bands = static_cast<int>(count);
    gpu::launch({exec_, "WaveScan::align::pair", false}, kernel_.run,
                std::min(ceil_div(count, warps_), most_blocks_),
                static_cast<int>(warps_) * gpu::warp_size,
                static_cast<std::size_t>(warps_) * arguments_.warp_bytes, arguments_);
  }
  /// @brief Enqueues a stage; they follow each other without gaps.
  void launch(const PairStage& stage) {
    arguments_.stage = stage;
    Index first = bands_, end = 0;
    for (std::size_t k = 0; k < passes_.size(); ++k)
      for (Index band = passes_[k].first_task; band < end_of(k); ++band) {
        const Index slot =
            passes_[k].first_slot + PairStage::slots_until(band - passes_[k].first_task);
        if (slot >= stage.end || slot + slots(passes_[k]) <= stage.begin) continue;
        first = std::min(first, band);
        end = band + 1;
      }
    launch(first, std::max<Index>(end - first, 0));
  }

  /// @brief The best entry of what has been launched. Waits for it.
  BestEntry best() {
    BestEntry best;
    if (any_local()) {
      for (const BestEntry& found : values_on_host(exec_, results_))
        if (found.precedes(best)) best = found;
    } else {
      exec_.fence("WaveScan::align: passes are done");
    }
    return best;
  }

  /// @brief The number of slots, at most, in which a band computes its chunks.
  Index slots(const PairPass& pass) const {
    return ceil_div(pass.b.length, Index(pair_chunk)) + kernel_.strips / pair_steps;
  }

 private:
  using Results = typename CallMemory<Device>::template Array<BestEntry>;

  /// @brief The end of a pass's bands among those of all passes.
  Index end_of(std::size_t pass) const {
    return passes_[pass].first_task + kernel_.band_count(passes_[pass].rows());
  }
  bool any_local() const {
    return std::any_of(passes_.begin(), passes_.end(),
                       [](const PairPass& pass) { return pass.local; });
  }

  /// @brief Makes a row of messages for each pass; those in stages follow each other in a single
  /// one.
  void put_messages(bool in_stages) {
    Index count = 0;
    for (const PairPass& pass : passes_)
      count = in_stages ? std::max(count, kernel_.words(pass.b.length))
                        : count + kernel_.words(pass.b.length);
    gpu::TaggedWord* words = memory_.template zeros<gpu::TaggedWord>(count).data();
    std::uint32_t stream = 1;
    for (PairPass& pass : passes_) {
      pass.words = words;
      if (in_stages) {
        pass.first_stream = stream;
        stream += static_cast<std::uint32_t>(kernel_.band_count(pass.rows())) + 1;
      } else {
        words += kernel_.words(pass.b.length);
      }
    }
  }

  /// @brief The best entries of all bands, and the best score behind them.
  void put_results() {
    BestEntry* const results = memory_.template zeros<BestEntry>(bands_ + 1).data();
    results_ = Results(results, static_cast<std::size_t>(bands_));
    for (PairPass& pass : passes_) {
      pass.best = reinterpret_cast<gpu::TaggedWord*>(results + bands_);
      pass.band_best = results + pass.first_task;
    }
  }

  Device exec_;
  PairKernel kernel_;
  PairArguments arguments_;
  Index warps_, bands_ = 0, most_blocks_ = 0;
  std::vector<PairPass> passes_;
  CallMemory<Device> memory_{exec_};
  Results results_;
};

}  // namespace wavescan::Impl

#endif
