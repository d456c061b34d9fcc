// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_GPUSELECT_HPP
#define WAVESCAN_IMPL_SELECT_GPU_GPUSELECT_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/select/WaveScan_Problem.hpp>
#include <impl/select/gpu/WaveScan_Append.hpp>
#include <impl/select/gpu/WaveScan_DescribeArrays.hpp>
#include <impl/select/gpu/WaveScan_ElementTiles.hpp>
#include <impl/select/gpu/WaveScan_Kernel.hpp>
#include <impl/select/gpu/WaveScan_StridedTiles.hpp>
#include <impl/select/gpu/WaveScan_Tuning.hpp>

#include <algorithm>
#include <cstddef>

/// @file
/// @brief Selections on a GPU with bulk copies: the choice between its kernels, and their launch.

namespace wavescan::Impl::select {

/// @brief The workspace and the launches of the kernels.
class GpuSelect {
 public:
  GpuSelect() = default;
  GpuSelect(const gpu::Device& exec, Index elements) {
    if (elements == 0 || gpu::device_path(Operation::Selection, exec) != DevicePath::BulkCopies)
      return;
    multiprocessors_ = gpu::device_properties(exec).multiProcessorCount;
    // Zero is no tag of a launch; after this nothing is ever cleared.
    totals_ = decltype(totals_)(Kokkos::view_alloc(exec, "WaveScan::select::totals"),
                                gpu::TotalsMailbox::size<int>(multiprocessors_));
  }

  /// @brief Enqueues the selection, or returns false if the kernels cannot do it.
  template <Shape Form, class SelectorType, class... T, class... Sources>
  bool enqueue(const gpu::Device& exec,
               const Problem<Form, SelectorType, Moved<T, Sources>...>& problem) const {
    if (multiprocessors_ == 0 || problem.elements == 0) return false;
    constexpr bool loaded = !(is_computed<Sources> || ...);
    constexpr bool fits = [] {
      if constexpr (loaded && Form != Shape::Rows) return TuningFor<SelectorType, T...>::type::fits;
      return false;
    }();
    if constexpr (fits) {
      using Tiles = ElementTiles<SelectorType, typename TuningFor<SelectorType, T...>::type>;
      if (const auto arrays = describe_elements<Tiles>(problem)) {
        launch<Tiles>(exec, *arrays, problem.count);
        return true;
      }
    }
    if constexpr (loaded && (Form != Shape::SideBySide || !fits)) {
      using Tiles = typename StridedTilesFor<SelectorType, T...>::type;
      if (const auto arrays = describe_strided<Tiles>(problem, multiprocessors_)) {
        launch<Tiles>(exec, *arrays, problem.count);
        return true;
      }
    }
    return false;
  }

  /// @brief Appends rejected elements to those kept, or returns false if they do not lie side by
  /// side.
  template <class Problem>
  bool append(const gpu::Device& exec, const Problem& problem) const {
    bool able = multiprocessors_ > 0;
    problem.moved.for_each([&](const auto& moved) {
      able &=
          lies_together(moved.out, moved.columns) && lies_together(moved.rejected, moved.columns);
    });
    if (!able) return false;
    problem.moved.for_each([&](const auto& moved) {
      enqueue_append(exec, moved.rejected.data, moved.out.data, problem.elements, moved.columns,
                     problem.count);
    });
    return true;
  }

  std::size_t bytes() const { return totals_.size() * sizeof(gpu::TaggedWord); }

 private:
  template <class T>
  static bool lies_together(const Lines<T>& lines, Index columns) {
    return lines.stride == columns && (columns == 1 || lines.line_stride == 1) &&
           gpu::Unit<sizeof(T)>::is_aligned(lines.data);
  }

  template <class Tiles>
  void launch(const gpu::Device& exec, const typename Tiles::Arrays& arrays, Index* count) const {
    using Kernel = TiledSelect<Tiles>;
    const TiledSelection<Tiles> selection{arrays, count, {totals_.data()}};
    const Index blocks =
        std::min({Tiles::count(arrays), Index(multiprocessors_), Kernel::max_blocks});
    gpu::launch({exec, "WaveScan::select::tiles", blocks > 1}, tiled_select<Tiles>, blocks,
                SelectWarps::threads, Kernel::shared_bytes, selection);
  }

  int multiprocessors_ = 0;
  Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space> totals_;
};

}  // namespace wavescan::Impl::select

#endif
