// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_GPUFILTER_HPP
#define WAVESCAN_IMPL_FILTER_GPU_GPUFILTER_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/filter/WaveScan_Problem.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/gpu/WaveScan_Kernel.hpp>
#include <impl/filter/gpu/WaveScan_Tuning.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

/// @file
/// @brief Filters on a GPU with bulk copies: which of them its kernel does, and its launch.

namespace wavescan::Impl::filter {

/// @brief The workspace and the launch of the kernel for one filter.
template <class Form, class Shape = ChosenShape<typename Form::value_type, Form::states>>
class GpuFilter {
  using T = typename Form::value_type;
  static constexpr int K = Form::states;
  using Sizes = Tuning<T, K, Shape>;
  using Kernel = FilterKernel<Form, Shape>;
  using Parameters = TiledFilter<Form, Shape>;
  using Shared = SharedTables<Form, Shape>;
  using OfWarp = WarpTables<Form, Shape>;

 public:
  /// Totals travel in up to so many bytes.
  static constexpr bool exists = sizeof(StateVector<T, K>) <= 64;
  static constexpr double max_growth = filter::max_growth<T>;

  GpuFilter() = default;
  GpuFilter(const gpu::Device& exec, const Transition<Form>& transition, LineExtents extents) {
    // Tiles belong to one line: short ones would leave most of them empty.
    if (extents.lines == 0 || extents.length < (extents.lines == 1 ? 1 : Sizes::tile / 2) ||
        gpu::device_path(Operation::Filter, exec) != DevicePath::BulkCopies)
      return;
    max_blocks_ =
        std::min<Index>(gpu::device_properties(exec).multiProcessorCount, Kernel::max_blocks);
    // Zero is no tag of a launch; after this nothing is ever cleared.
    totals_ = decltype(totals_)(
        Kokkos::view_alloc(exec, "WaveScan::filter::totals"),
        gpu::TotalsMailbox::size<StateVector<T, K>>(static_cast<int>(max_blocks_)));
    // A line begins at any of the samples between two 16-byte boundaries.
    const auto tables = std::make_unique<Tables>();
    while (depth_ < Kernel::max_depth && !transition.vanishes(Sizes::tile * depth_)) depth_ *= 2;
    depth_ = std::min(depth_, Kernel::max_depth);
    tables->shared = Shared(transition, Kernel::loads_of(depth_));
    tables->of_warp = OfWarp(transition);
    for (int front = 0; front < fronts; ++front)
      tables->wave[front] = transition.power(Sizes::tile * (blocks(extents, front) - 1));
    tables_ = decltype(tables_)(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::filter::tables"),
        sizeof(Tables));
    Kokkos::deep_copy(exec, tables_,
                      Kokkos::View<unsigned char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          reinterpret_cast<unsigned char*>(tables.get()), sizeof(Tables)));
    if constexpr (Shape::in_shared)
      warp_tables_ = &tables_on_device()->of_warp;
    else
      warp_tables_ = tables->of_warp;
    exec.fence("WaveScan::filter::tables");
  }

  /// @brief Enqueues the filter, or returns false if the kernel cannot do it.
  bool enqueue(const gpu::Device& exec, const Form& form, const Problem<T>& problem) const {
    const Lines<const T>& in = problem.in;
    const Lines<T>& out = problem.out;
    const LineExtents extents = problem.extents;
    if (max_blocks_ == 0 || in.stride != 1 || out.stride != 1) return false;
    const auto begin = address(out.data);
    const Index pitch = extents.lines > 1 ? in.line_stride | out.line_stride : 0;
    if (address(in.data) % 16 != begin % 16 || pitch * Sizes::size % 16 != 0) return false;
    const int front = static_cast<int>(begin % 16) / Sizes::size;
    const Lines<const T> in_line{in.data, 0, 1};
    const Lines<T> out_line{out.data, 0, 1};
    const Index front_bytes = Index(front) * Sizes::size;
    static_assert(sizeof(Parameters) <= 4096, "the most that all compilers allow");
    const Parameters filter{form,
                            problem,
                            front,
                            tiles_of_line(extents, front),
                            blocks(extents, front) / tiles_of_line(extents, front),
                            depth_,
                            {in_line, {1, extents.length}, front_bytes},
                            {out_line, {1, extents.length}, front_bytes},
                            {totals_.data()},
                            &tables_on_device()->shared,
                            &tables_on_device()->wave[front],
                            warp_tables_};
    gpu::launch({exec, "WaveScan::filter::tiles", true}, tiled_filter<Form, Shape>,
                blocks(extents, front), Kernel::block_threads, Kernel::shared_bytes, filter);
    return true;
  }

  std::size_t bytes() const { return totals_.size() * sizeof(gpu::TaggedWord) + sizeof(Tables); }

 private:
  static constexpr int fronts = 16 / Sizes::size;
  struct Tables {
    Shared shared;
    OfWarp of_warp;
    StateMatrix<typename Form::coefficient_type, K> wave[fronts];
  };
  const Tables* tables_on_device() const { return reinterpret_cast<const Tables*>(tables_.data()); }
  static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
  static Index tiles_of_line(LineExtents extents, int front) {
    return ceil_div(front + extents.length, Sizes::tile);
  }
  int blocks(LineExtents extents, int front) const {
    return static_cast<int>(std::min(extents.lines * tiles_of_line(extents, front), max_blocks_));
  }

  Index max_blocks_ = 0;
  int depth_ = 1;  ///< tiles after which a state has no effect any more
  Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space> totals_;
  Kokkos::View<unsigned char*, gpu::Device::memory_space> tables_;  ///< Tables
  decltype(Parameters::warp_tables) warp_tables_{};
};

}  // namespace wavescan::Impl::filter

#endif
