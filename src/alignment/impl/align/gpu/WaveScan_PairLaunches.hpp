// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRLAUNCHES_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRLAUNCHES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Tagged.hpp>
#include <impl/align/gpu/WaveScan_PairKernel.hpp>
#include <impl/align/gpu/WaveScan_PairPass.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// @file
/// @brief Passes over pairs of long sequences under way: launches, and what they need on the device
/// (CUDA).

namespace wavescan::Impl {

/// @brief Passes that are computed in stages, whatever their kernel.
class PairStages {
 public:
  virtual ~PairStages() = default;
  /// @brief Enqueues a stage; they follow each other without gaps.
  virtual void launch(const PairStage& stage) = 0;
  /// @brief The best entry of the stages so far. Waits for them.
  virtual PairBest best() = 0;
};

/// @tparam Device gpu::Device
template <class Device, class Kernel>
class PairLaunches final : public PairStages {
 public:
  using Space = typename Device::memory_space;
  using Words = Kokkos::View<gpu::TaggedWord*, Space>;

  /// @param kernel what does not depend on the passes
  /// @param warps  of a block
  /// @param words  for messages, kept from call to call, where passes are not computed in stages
  PairLaunches(const Device& exec, const Kernel& kernel, Index warps, std::vector<PairPass> passes,
               Words& words, bool in_stages)
      : exec_(exec), kernel_(kernel), warps_(warps), passes_(std::move(passes)) {
    put_messages(words, in_stages);
    for (PairPass& pass : passes_) {
      pass.first_task = bands_;
      bands_ += Kernel::band_count(pass.rows());
    }
    put_results();

    std::vector<int> numbers;
    for (std::size_t k = 0; k < passes_.size(); ++k)
      numbers.resize(static_cast<std::size_t>(end_of(k)), static_cast<int>(k));
    on_device_ = array<PairPass>("WaveScan::align::passes", passes_.size());
    pass_of_band_ = array<int>("WaveScan::align::pass_of_band", numbers.size());
    Kokkos::deep_copy(exec_, on_device_, host_view(passes_));
    Kokkos::deep_copy(exec_, pass_of_band_, host_view(numbers));
    kernel_.passes = on_device_.data();
    kernel_.pass_of_band = pass_of_band_.data();

    const Index processors = gpu::device_properties(exec_).multiProcessorCount;
    most_blocks_ = std::min(ceil_div(bands_, warps_), processors * pair_blocks);
    if (any_local())
      beginnings_ =
          array<Beginning>("WaveScan::align::beginnings",
                           static_cast<std::size_t>(most_blocks_ * warps_ * pair_beginnings));
    if (in_stages)
      states_ = array<Beginning>("WaveScan::align::states", static_cast<std::size_t>(bands_));
    kernel_.beginnings = beginnings_.data();
    kernel_.states = states_.data();
    exec_.fence("WaveScan::align: passes are on the device");
  }

  Index bands() const { return bands_; }

  void launch(Index first_band, Index count) {
    if (count == 0) return;
    kernel_.first_band = static_cast<int>(first_band);
    kernel_.bands = static_cast<int>(count);
    gpu::launch({exec_, Kernel::name, false}, align_pairs<Kernel>,
                std::min(ceil_div(count, warps_), most_blocks_),
                static_cast<int>(warps_) * gpu::warp_size,
                static_cast<std::size_t>(warps_) * kernel_.warp_bytes, kernel_);
  }
  void launch(const PairStage& stage) override {
    kernel_.stage = stage;
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

  PairBest best() override {
    PairBest best;
    if (any_local()) {
      std::vector<PairBest> of_bands(static_cast<std::size_t>(bands_));
      Kokkos::deep_copy(
          exec_,
          Kokkos::View<gpu::TaggedWord*, Kokkos::HostSpace>(
              reinterpret_cast<gpu::TaggedWord*>(of_bands.data()), result_words()),
          Kokkos::subview(results_, Kokkos::make_pair(std::size_t(0), result_words())));
      exec_.fence("WaveScan::align: the best entries are there");
      for (const PairBest& found : of_bands)
        if (found.precedes(best)) best = found;
    } else {
      exec_.fence("WaveScan::align: passes are done");
    }
    return best;
  }

  /// @brief In how many slots a band computes its chunks, at most.
  static Index slots(const PairPass& pass) {
    return ceil_div(pass.b.length, Index(pair_chunk)) + Kernel::Memory::strips / pair_steps;
  }

 private:
  using Beginning = typename Kernel::Memory::Beginning;

  template <class T>
  Kokkos::View<T*, Space> array(const char* name, std::size_t count) const {
    return Kokkos::View<T*, Space>(
        Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, std::string(name)), count);
  }
  template <class T>
  static auto host_view(const std::vector<T>& values) {
    return Kokkos::View<const T*, Kokkos::HostSpace>(values.data(), values.size());
  }
  /// @brief The end of a pass's bands among those of all passes.
  Index end_of(std::size_t pass) const {
    return passes_[pass].first_task + Kernel::band_count(passes_[pass].rows());
  }
  bool any_local() const {
    return std::any_of(passes_.begin(), passes_.end(),
                       [](const PairPass& pass) { return pass.local; });
  }

  /// @brief Each pass has a row of messages; those in stages follow each other in a single one.
  void put_messages(Words& kept, bool in_stages) {
    std::size_t count = 0;
    for (const PairPass& pass : passes_)
      count = in_stages ? std::max(count, Kernel::words(pass.b.length))
                        : count + Kernel::words(pass.b.length);
    // Tags go on from launch to launch, so that words are cleared once only.
    if (in_stages || kept.extent(0) < count) {
      words_ = kept = {};
      words_ = Words(Kokkos::view_alloc(exec_, "WaveScan::align::messages"), count);
      if (!in_stages) kept = words_;
    } else {
      words_ = kept;
    }
    gpu::TaggedWord* words = words_.data();
    std::uint32_t stream = 1;
    for (PairPass& pass : passes_) {
      pass.words = words;
      if (in_stages) {
        pass.first_stream = stream;
        stream += static_cast<std::uint32_t>(Kernel::band_count(pass.rows())) + 1;
      } else {
        words += Kernel::words(pass.b.length);
      }
    }
  }

  static_assert(sizeof(PairBest) == 3 * sizeof(gpu::TaggedWord));
  std::size_t result_words() const { return 3 * static_cast<std::size_t>(bands_); }
  /// @brief The best entries of all bands, and the best score behind them.
  void put_results() {
    results_ = Words(Kokkos::view_alloc(exec_, "WaveScan::align::best"), result_words() + 1);
    for (PairPass& pass : passes_) {
      pass.best = results_.data() + result_words();
      pass.band_best = reinterpret_cast<PairBest*>(results_.data()) + pass.first_task;
    }
  }

  Device exec_;
  Kernel kernel_;
  Index warps_, bands_ = 0, most_blocks_ = 0;
  std::vector<PairPass> passes_;
  Words words_, results_;
  Kokkos::View<PairPass*, Space> on_device_;
  Kokkos::View<int*, Space> pass_of_band_;
  Kokkos::View<Beginning*, Space> beginnings_, states_;
};

}  // namespace wavescan::Impl

#endif
