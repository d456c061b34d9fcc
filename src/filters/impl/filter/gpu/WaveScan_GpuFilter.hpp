// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_GPUFILTER_HPP
#define WAVESCAN_IMPL_FILTER_GPU_GPUFILTER_HPP

#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Gpu_BlockKernel.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>
#include <impl/filter/WaveScan_FilterSelection.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/gpu/WaveScan_FilterKernel.hpp>
#include <impl/filter/gpu/WaveScan_FilterTuning.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

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
/// @tparam Kernel also has its type `Tables`, which it reads from memory
template <class Form,
          class Kernel = FilterKernel<Form, ChosenShape<typename Form::value_type, Form::states>>>
class GpuFilter {
  using T = typename Form::value_type;
  using Tables = typename Kernel::Tables;
  using Parameters = typename Kernel::Parameters;
  static_assert(std::is_trivially_copyable_v<Tables>);
  static_assert(sizeof(Parameters) <= 4096, "the most that all compilers allow");

 public:
  static constexpr FilterLimits limits = Kernel::limits;

  GpuFilter() = default;
  GpuFilter(const gpu::Device& exec, const Form& form, const Transition<Form>& transition,
            LineExtents extents) {
    max_blocks_ =
        std::min<Index>(gpu::device_properties(exec).multiProcessorCount, Kernel::max_blocks);
    totals_ = Kernel::make_totals(exec, max_blocks_);
    const Index most = std::min<Index>(max_blocks_, Kernel::max_depth);
    Index depth = 1;
    while (depth < most && !transition.vanishes(limits.tile * depth)) depth *= 2;
    filter_ = Parameters(form, transition, max_blocks_, std::min(depth, most));
    const auto tables =
        std::make_unique<Tables>(form, transition, extents, max_blocks_, filter_.depth);
    allocate(exec, tables_, "WaveScan::filter::tables", sizeof(Tables));
    Kokkos::deep_copy(
        exec, tables_,
        Kokkos::View<const unsigned char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
            reinterpret_cast<const unsigned char*>(tables.get()), sizeof(Tables)));
    exec.fence("WaveScan::filter::tables");
    filter_.tables = reinterpret_cast<const Tables*>(tables_.data());
  }

  /// @param problem whose lines can_move
  void enqueue(const gpu::Device& exec, const Form&, const Problem<T>& problem) const {
    Parameters filter = filter_;
    filter.lines = *TiledLines<T>::of(problem, limits.tile, max_blocks_);
    filter.lines.totals = {totals_.data()};
    gpu::launch_blocks<Kernel>({exec, "WaveScan::filter::tiles", true}, filter.lines.blocks,
                               Kernel::block_threads, Kernel::shared_bytes, filter);
  }

  std::size_t bytes() const { return totals_.size() * sizeof(gpu::TaggedWord) + sizeof(Tables); }

 private:
  Index max_blocks_ = 0;
  TotalsView totals_;
  Kokkos::View<unsigned char*, gpu::Device::memory_space> tables_;
  Parameters filter_{};
};

}  // namespace wavescan::Impl::filter

#endif
