// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_GPU_GPUSELECT_HPP
#define WAVESCAN_IMPL_SELECT_GPU_GPUSELECT_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/WaveScan_Gpu_Unit.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/select/WaveScan_CompactionSelection.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>
#include <impl/select/gpu/WaveScan_Append.hpp>
#include <impl/select/gpu/WaveScan_DescribeArrays.hpp>
#include <impl/select/gpu/WaveScan_ElementTiles.hpp>
#include <impl/select/gpu/WaveScan_SelectTuning.hpp>
#include <impl/select/gpu/WaveScan_StridedTiles.hpp>
#include <impl/select/gpu/WaveScan_TiledSelect.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

/// @file
/// @brief Selections on a GPU: which kernels there are for them, and their launch.

namespace wavescan::Impl::select {

/// @brief The workspace and the launches of the kernels.
class GpuSelect {
 public:
  GpuSelect() = default;
  GpuSelect(const gpu::Device& exec, Index elements) {
    if (elements == 0) return;
    multiprocessors_ = gpu::device_properties(exec).multiProcessorCount;
    // Zero is no tag of a launch; after this nothing is ever cleared.
    allocate_cleared(exec, totals_, "WaveScan::select::totals",
                     gpu::TotalsMailbox::size<int>(multiprocessors_) + 1);
  }

  /// @brief Enqueues the selection, or returns false if none of the kernels is selected.
  template <class Problem>
  bool enqueue(const gpu::Device& exec, const Problem& problem) const {
    return with_tiles(problem, [&](auto, const auto& selection) {
      launch(exec, selection);
      return true;
    });
  }

  /// @brief Enqueues the selection so that rejected elements come to lie behind those kept, or
  /// returns false if none of the kernels is selected.
  template <class Problem>
  bool partition(const gpu::Device& exec, const Problem& problem) const {
    return with_tiles(
        problem, [&]<class Tiles>(CompactionAlgorithm compaction, TiledSelection<Tiles> selection) {
          bool appendable = true;
          problem.moved.for_each([&](const auto& moved) {
            appendable &= lies_together(moved.out, moved.columns) &&
                          lies_together(moved.rejected, moved.columns);
          });
          switch (select_algorithm(PartitionRequest{compaction, Tiles::count(selection.arrays),
                                                    Index(Tiles::stages) * blocks_of(selection),
                                                    appendable})) {
            case PartitionAlgorithm::Loops:
              return false;
            case PartitionAlgorithm::Stages:
              selection.behind = true;
              for (auto& to : selection.arrays.to) to.reject_behind();
              launch(exec, selection);
              break;
            case PartitionAlgorithm::Buffer: {
              gpu::TaggedWord* const sampled = totals_.data() + totals_.size() - 1;
              selection.sampled = sampled;
              enqueue_sample(exec, problem.selector, problem.elements, sampled);
              launch(exec, selection);
              problem.moved.for_each([&](const auto& moved) {
                enqueue_append(exec, moved.rejected.data, moved.out.data, problem.elements,
                               moved.columns, problem.count, sampled);
              });
            }
          }
          return true;
        });
  }

  std::size_t bytes() const { return totals_.size() * sizeof(gpu::TaggedWord); }

 private:
  /// @brief Returns use(algorithm, selection) for the tiles of the algorithm that is selected;
  /// false if that has none.
  template <Shape Form, bool KeepsRejected, class SelectorType, class... T, class... Sources,
            class Use>
  bool with_tiles(const Problem<Form, KeepsRejected, SelectorType, Moved<T, Sources>...>& problem,
                  const Use& use) const {
    if (multiprocessors_ == 0 || problem.elements == 0) return false;
    constexpr bool loaded = !(is_computed<Sources> || ...);
    constexpr bool has_elements = [] {
      if constexpr (Form != Shape::Rows && (loaded || !looks_left<decltype(SelectorType::test)>))
        return TuningFor<SelectorType, T...>::type::fits;
      return false;
    }();
    constexpr bool has_strides = loaded && (Form != Shape::SideBySide || !has_elements);
    const auto elements = [&] {
      if constexpr (has_elements)
        return describe_elements<ElementTiles<
            KeepsRejected, SelectorType, typename TuningFor<SelectorType, T...>::type, Sources...>>(
            problem, multiprocessors_);
      else
        return NoArrays();
    }();
    const auto strided = [&] {
      if constexpr (has_strides)
        return describe_strided<typename StridedTilesFor<KeepsRejected, SelectorType, T...>::type>(
            problem, multiprocessors_);
      else
        return NoArrays();
    }();
    const CompactionAlgorithm algorithm =
        select_algorithm(CompactionRequest{elements.has_value(), strided.has_value()});
    const auto call = [&]<class Tiles>(std::type_identity<Tiles>, const auto& arrays) {
      return use(algorithm, TiledSelection<Tiles>{*arrays, problem.count, {totals_.data()}});
    };
    if constexpr (has_elements)
      if (algorithm == CompactionAlgorithm::ElementTiles)
        return call(std::type_identity<
                        ElementTiles<KeepsRejected, SelectorType,
                                     typename TuningFor<SelectorType, T...>::type, Sources...>>(),
                    elements);
    if constexpr (has_strides)
      if (algorithm == CompactionAlgorithm::StridedTiles)
        return call(
            std::type_identity<typename StridedTilesFor<KeepsRejected, SelectorType, T...>::type>(),
            strided);
    return false;
  }
  struct NoArrays {
    static constexpr bool has_value() { return false; }
  };

  template <class T>
  static bool lies_together(const Lines<T>& lines, Index columns) {
    return lines.stride == columns && (columns == 1 || lines.line_stride == 1) &&
           gpu::Unit<sizeof(T)>::is_aligned(lines.data);
  }

  template <class Tiles>
  Index blocks_of(const TiledSelection<Tiles>& selection) const {
    return std::min(
        {Tiles::count(selection.arrays), Index(multiprocessors_), TiledSelect<Tiles>::max_blocks});
  }
  template <class Tiles>
  void launch(const gpu::Device& exec, const TiledSelection<Tiles>& selection) const {
    const Index blocks = blocks_of(selection);
    gpu::launch({exec, "WaveScan::select::tiles", blocks > 1}, tiled_select<Tiles>, blocks,
                SelectWarps::threads, TiledSelect<Tiles>::shared_bytes, selection);
  }

  int multiprocessors_ = 0;
  Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space> totals_;
};

}  // namespace wavescan::Impl::select

#endif
