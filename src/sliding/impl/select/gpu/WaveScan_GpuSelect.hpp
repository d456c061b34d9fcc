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
#include <impl/select/gpu/WaveScan_Kernel.hpp>
#include <impl/select/gpu/WaveScan_Tuning.hpp>

#include <algorithm>
#include <cstddef>

/// @file
/// @brief Selections on a GPU with bulk copies: which of them its kernel does, and its launch.

namespace wavescan::Impl::select {

/// @brief The workspace and the launch of the kernel.
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

  /// @brief Enqueues the selection, or returns false if the kernel cannot do it.
  template <class Test, class Sources, class... T>
  bool enqueue(const gpu::Device& exec,
               const Problem<Selector<Test, Sources>, T...>& problem) const {
    if constexpr (are_elements<Sources>) {
      using Tuning = typename TuningFor<Selector<Test, Sources>, T...>::type;
      if constexpr (Tuning::fits) {
        TiledSelection<Selector<Test, Sources>, Tuning> selection{problem.elements,
                                                                  problem.selector,
                                                                  problem.keeps_rejected,
                                                                  problem.count,
                                                                  {totals_.data()},
                                                                  {},
                                                                  {}};
        if (multiprocessors_ == 0 || problem.elements == 0 || !describe(problem, selection))
          return false;
        launch(exec, selection);
        return true;
      }
    }
    return false;
  }

  /// @brief Appends rejected elements to those kept, or returns false if their Views have rows or
  /// strides.
  template <class SelectorType, class... T>
  bool append(const gpu::Device& exec, const Problem<SelectorType, T...>& problem) const {
    bool able = multiprocessors_ > 0;
    problem.moved.for_each([&]<class E>(const Moved<E>& moved) {
      able &= moved.columns == 1 && moved.out.stride == 1 && moved.rejected.stride == 1 &&
              gpu::Unit<sizeof(E)>::is_aligned(moved.out.data) &&
              gpu::Unit<sizeof(E)>::is_aligned(moved.rejected.data);
    });
    if (!able) return false;
    problem.moved.for_each([&]<class E>(const Moved<E>& moved) {
      enqueue_append(exec, moved.rejected.data, moved.out.data, problem.elements, problem.count);
    });
    return true;
  }

  std::size_t bytes() const { return totals_.size() * sizeof(gpu::TaggedWord); }

 private:
  /// @brief Says where the arrays are; false if the kernel cannot load or store them.
  template <class ProblemType, class Selection>
  static bool describe(const ProblemType& problem, Selection& selection) {
    const Index n = problem.elements;
    bool able = true;
    int array = 0;
    const auto add = [&]<class T>(const T* data, Index stride) {
      able &= stride == 1 && gpu::Unit<sizeof(T)>::is_aligned(data);
      selection.in[array++] = {Lines<const char>{reinterpret_cast<const char*>(data), 0, 1},
                               LineExtents{1, n * static_cast<Index>(sizeof(T))}, 0};
    };
    problem.moved.for_each([&]<class T>(const Moved<T>& moved) {
      able &= moved.columns == 1 && moved.out.stride == 1 &&
              gpu::Unit<sizeof(T)>::is_aligned(moved.out.data);
      if (problem.keeps_rejected)
        able &= moved.rejected.stride == 1 && gpu::Unit<sizeof(T)>::is_aligned(moved.rejected.data);
      selection.to[array] = {reinterpret_cast<char*>(moved.out.data),
                             reinterpret_cast<char*>(moved.rejected.data), moved.capacity,
                             moved.rejected_capacity};
      add(moved.in.data, moved.in.stride);
    });
    if constexpr (reads_flags<decltype(problem.selector.test)>)
      add(problem.selector.sources.first.data, problem.selector.sources.first.stride);
    else
      able &= problem.selector.sources.side_by_side();
    return able;
  }

  template <class SelectorType, class Tuning>
  void launch(const gpu::Device& exec,
              const TiledSelection<SelectorType, Tuning>& selection) const {
    using Kernel = TiledSelect<SelectorType, Tuning>;
    const Index blocks = std::min(
        {ceil_div(selection.elements, Tuning::tile), Index(multiprocessors_), Kernel::max_blocks});
    gpu::launch({exec, "WaveScan::select::tiles", true}, tiled_select<SelectorType, Tuning>, blocks,
                Tuning::threads, Kernel::shared_bytes, selection);
  }

  int multiprocessors_ = 0;
  Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space> totals_;
};

}  // namespace wavescan::Impl::select

#endif
