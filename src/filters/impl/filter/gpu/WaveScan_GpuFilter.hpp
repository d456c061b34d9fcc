// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_GPUFILTER_HPP
#define WAVESCAN_IMPL_FILTER_GPU_GPUFILTER_HPP

#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>
#include <impl/filter/WaveScan_FilterSelection.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/gpu/WaveScan_DeviceTables.hpp>
#include <impl/filter/gpu/WaveScan_FilterKernel.hpp>
#include <impl/filter/gpu/WaveScan_FilterTuning.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>

/// @file
/// @brief Filters on a GPU: what its kernel can do, and its launch.

namespace wavescan::Impl::filter {

/// @brief Totals travel in up to 64 bytes. Of sections half as many: two passes of these are faster
/// than one.
template <class Form>
inline constexpr bool has_tiled_filter =
    has_feedback<Form>&& has_room<typename Form::value_type, Form::states> &&
    sizeof(StateVector<typename Form::value_type, Form::states>) <= (is_cascade<Form> ? 32 : 64);

/// @brief The workspace and the launch of the kernel for one filter.
template <class Form, class Shape = ChosenShape<typename Form::value_type, Form::states>>
class GpuFilter {
  using T = typename Form::value_type;
  static constexpr int K = Form::states;
  using Sizes = FilterTuning<T, K, Shape>;
  using Kernel = FilterKernel<Form, Shape>;
  using Parameters = typename Kernel::Parameters;
  using Shared = SharedTables<Form, Shape>;
  using OfWarp = WarpTablesIn<Form, Shape, false>;

 public:
  /// Tiles belong to one line: short ones would leave most of them empty.
  static constexpr FilterLimits limits{true, filter::max_growth<T>, Sizes::tile, 1,
                                       Sizes::tile / 2};

  GpuFilter() = default;
  GpuFilter(const gpu::Device& exec, const Form&, const Transition<Form>& transition,
            LineExtents extents) {
    max_blocks_ =
        std::min<Index>(gpu::device_properties(exec).multiProcessorCount, Kernel::max_blocks);
    totals_ = totals_of<StateVector<T, K>>(exec, max_blocks_);
    // A line begins at any of the samples between two 16-byte boundaries.
    const auto tables = std::make_unique<Tables>();
    while (depth_ < Kernel::max_depth && !transition.vanishes(Sizes::tile * depth_)) depth_ *= 2;
    depth_ = std::min(depth_, Kernel::max_depth);
    tables->shared = Shared(transition, Kernel::loads_of(depth_));
    for (int front = 0; front < fronts; ++front)
      tables->wave[front] = transition.power(
          Sizes::tile *
          (TiledLines<T>::count_blocks(extents, front, Sizes::tile, max_blocks_) - 1));
    tables_ = DeviceTables<Tables>(exec, *tables);
    warp_tables_ = OfWarp(transition);
  }

  /// @param problem whose lines can_move
  void enqueue(const gpu::Device& exec, const Form& form, const Problem<T>& problem) const {
    auto lines = TiledLines<T>::of(problem, Sizes::tile, max_blocks_);
    lines->totals = {totals_.data()};
    static_assert(sizeof(Parameters) <= 4096, "the most that all compilers allow");
    const Tables* const tables = tables_.get();
    const Parameters filter{
        form, *lines, depth_, &tables->shared, &tables->wave[lines->front], warp_tables_};
    gpu::launch_blocks<Kernel>({exec, "WaveScan::filter::tiles", true}, lines->blocks,
                               Kernel::block_threads, Kernel::shared_bytes, filter);
  }

  std::size_t bytes() const { return totals_.size() * sizeof(gpu::TaggedWord) + sizeof(Tables); }

 private:
  static constexpr int fronts = TiledLines<T>::fronts;
  struct Tables {
    Shared shared;
    StateMatrix<typename Form::coefficient_type, K> wave[fronts];
  };

  Index max_blocks_ = 0;
  int depth_ = 1;  ///< tiles after which a state has no effect any more
  TotalsView totals_;
  DeviceTables<Tables> tables_;
  OfWarp warp_tables_{};
};

}  // namespace wavescan::Impl::filter

#endif
