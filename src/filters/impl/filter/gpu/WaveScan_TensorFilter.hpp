// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_TENSORFILTER_HPP
#define WAVESCAN_IMPL_FILTER_GPU_TENSORFILTER_HPP

#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>
#include <impl/filter/WaveScan_FilterSelection.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/gpu/WaveScan_BlockKernel.hpp>
#include <impl/filter/gpu/WaveScan_DeviceTables.hpp>
#include <impl/filter/gpu/WaveScan_TensorKernel.hpp>
#include <impl/filter/gpu/WaveScan_TensorTables.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>

/// @file
/// @brief Filters on a GPU with bulk copies and tensor cores for double precision: what the
/// kernels can do, and their launch.

namespace wavescan::Impl::filter {

/// @brief Filters whose states are whole operands, of samples that are no pairs; for the GPUs that
/// has_double_tensor_cores tells of.
template <class Form>
inline constexpr bool has_tensor_filter =
    compiled_capability / 10 == 9 &&
    (Form::states == 8 || Form::states == 16) && std::floating_point<typename Form::value_type>;

/// @brief What was the fastest: threads that filter float samples; for double samples, of which
/// they do half as many, the block form.
template <class Form, class T = typename Form::value_type, int K = Form::states / 8>
using ChosenTensorKernel =
    std::conditional_t<sizeof(T) == 4, TensorKernel<Form, TensorShape<T, 9, K == 1 ? 8 : 7, 2>>,
                       BlockKernel<T, K, BlockShape<1, 5, 8, 2>>>;

/// @brief The workspace and the launch of the kernel for one filter.
template <class Form, class Kernel = ChosenTensorKernel<Form>>
class GpuTensorFilter {
  using T = typename Form::value_type;
  using Shape = typename Kernel::Shape;
  using Tables = typename Kernel::Tables;

 public:
  /// States of double samples are joined in their own precision, and outputs come of states eight
  /// samples before: at 714 errors were 380 times those of the loop.
  static constexpr FilterLimits limits{true, sizeof(T) == 4 ? max_growth_of_exact : 600,
                                       Shape::tile, Kernel::least_length, Shape::tile / 2};

  GpuTensorFilter() = default;
  GpuTensorFilter(const gpu::Device& exec, const Form& form, const Transition<Form>& transition,
                  LineExtents extents) {
    max_blocks_ = gpu::device_properties(exec).multiProcessorCount;
    totals_ = Kernel::make_totals(exec, max_blocks_);
    Index depth = 1;
    while (depth < max_blocks_ && !transition.vanishes(Shape::tile * depth)) depth *= 2;
    depth = std::min(depth, max_blocks_);
    const Index rows = gpu::RowTile::rows;
    const Index loads = ceil_div(std::min(std::max(depth, least_depth), max_blocks_), rows);
    depth_ = {static_cast<int>(depth), static_cast<int>(loads)};
    const auto tables = std::make_unique<Tables>();
    tables->fill(form, transition, extents.length, TiledLines<T>::fronts, loads);
    tables_ = DeviceTables<Tables>(exec, *tables);
  }

  /// @param problem whose lines can_move
  void enqueue(const gpu::Device& exec, const Form& form, const Problem<T>& problem) const {
    auto lines = TiledLines<T>::of(problem, Shape::tile, max_blocks_);
    lines->totals = {totals_.data()};
    typename Kernel::Parameters filter{};
    filter.lines = *lines;
    filter.depth = depth_;
    filter.tables = tables_.get();
    if constexpr (std::same_as<decltype(filter.form), Form>) filter.form = form;
    gpu::launch_blocks<Kernel>({exec, "WaveScan::filter::tensor", true}, lines->blocks,
                               Kernel::block_threads, Kernel::shared_bytes, filter);
  }

  std::size_t bytes() const { return totals_.size() * sizeof(gpu::TaggedWord) + sizeof(Tables); }

 private:
  /// All blocks wait for the last so many tiles anyway: those that get ahead of others would read
  /// memory in a worse order.
  static constexpr Index least_depth = 16;

  Index max_blocks_ = 0;
  JoinDepth depth_{};
  TotalsView totals_;
  DeviceTables<Tables> tables_;
};

}  // namespace wavescan::Impl::filter

#endif
