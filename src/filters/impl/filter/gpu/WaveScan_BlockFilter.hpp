// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_BLOCKFILTER_HPP
#define WAVESCAN_IMPL_FILTER_GPU_BLOCKFILTER_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_PrefixExchange.hpp>
#include <impl/filter/WaveScan_Problem.hpp>
#include <impl/filter/WaveScan_Transition.hpp>
#include <impl/filter/gpu/WaveScan_BlockKernel.hpp>
#include <impl/filter/gpu/WaveScan_BlockTables.hpp>
#include <impl/filter/gpu/WaveScan_TiledLines.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>

/// @file
/// @brief Filters in block form on a GPU: which of them its kernel does, and its launch.

namespace wavescan::Impl::filter {

/// @brief The shape that was the fastest on an H200.
template <class T, int K>
using ChosenBlockShape =
    std::conditional_t<sizeof(T) == 4, BlockShape<1, 9, 8, 2>, BlockShape<1, 5, 8, 2>>;

/// @brief Filters that have enough states for tiles of eight, of samples that are no pairs.
template <class Form>
inline constexpr bool has_block_form =
    (Form::states == 8 || Form::states == 16) && std::floating_point<typename Form::value_type>;

/// @brief Whether the block form is a tenth faster than tiles of consecutive samples, too. Where it
/// is not, it takes filters whose states grow too much for these.
template <class Form>
inline constexpr bool prefers_block_form = sizeof(typename Form::value_type) == 8 || Form::states ==
                                                                                         16;

/// @brief The workspace and the launch of the kernel for one filter.
template <class Form, class Shape = ChosenBlockShape<typename Form::value_type, Form::states / 8>>
class BlockFormFilter {
  using T = typename Form::value_type;
  static constexpr int K = Form::states / 8;
  using Kernel = BlockFilterKernel<T, K, Shape>;
  using Tables = BlockTables<K, Shape>;

 public:
  /// States of double samples are joined in their own precision, and outputs come of states eight
  /// samples before: at 714 errors were 380 times those of the loop.
  static constexpr double max_growth = sizeof(T) == 4 ? max_growth_of_exact : 600;

  BlockFormFilter() = default;
  BlockFormFilter(const gpu::Device& exec, const Form& form, const Transition<Form>& transition,
                  LineExtents extents) {
    // Tiles belong to one line: short ones would leave most of them empty. The tables for ends of
    // lines are not for lines that end in the block in which they begin.
    if (extents.lines == 0 ||
        extents.length < (extents.lines == 1 ? Shape::block + 1 : Shape::tile / 2) ||
        !gpu::has_double_tensor_cores(exec))
      return;
    max_blocks_ = gpu::device_properties(exec).multiProcessorCount;
    // Zero is no tag of a launch; after this nothing is ever cleared.
    totals_ = decltype(totals_)(Kokkos::view_alloc(exec, "WaveScan::filter::totals"),
                                Kernel::mailbox_size(static_cast<int>(max_blocks_)));
    while (depth_ < max_blocks_ && !transition.vanishes(Shape::tile * depth_)) depth_ *= 2;
    depth_ = std::min<Index>(depth_, max_blocks_);
    loads_ =
        ceil_div(std::min(std::max<Index>(depth_, least_depth), max_blocks_), gpu::RowTile::rows);
    const auto tables = std::make_unique<Tables>();
    fill(*tables, form, transition, extents.length, TiledLines<T>::fronts, loads_);
    tables_ = decltype(tables_)(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::filter::tables"),
        sizeof(Tables));
    Kokkos::deep_copy(exec, tables_,
                      Kokkos::View<unsigned char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          reinterpret_cast<unsigned char*>(tables.get()), sizeof(Tables)));
    exec.fence("WaveScan::filter::tables");
  }

  /// @brief False of an empty plan, or where the device or the lines are none for this.
  bool exists() const { return max_blocks_ > 0; }

  /// @brief Enqueues the filter, or returns false if the kernel cannot do it.
  bool enqueue(const gpu::Device& exec, const Form&, const Problem<T>& problem) const {
    const auto lines = TiledLines<T>::of(problem, Shape::tile, max_blocks_, depth_, totals_.data());
    if (!lines) return false;
    const BlockFilter<T, K, Shape> filter{*lines, static_cast<int>(loads_),
                                          reinterpret_cast<const Tables*>(tables_.data())};
    gpu::launch({exec, "WaveScan::filter::blocks", true}, filter_blocks<T, K, Shape>, lines->blocks,
                Kernel::block_threads, Kernel::shared_bytes, filter);
    return true;
  }

  std::size_t bytes() const { return totals_.size() * sizeof(gpu::TaggedWord) + tables_.size(); }

 private:
  /// All blocks wait for the last so many tiles anyway: those that get ahead of others would read
  /// memory in a worse order.
  static constexpr Index least_depth = 16;

  Index max_blocks_ = 0;
  Index depth_ = 1;  ///< tiles after which a state has no effect any more
  Index loads_ = 0;  ///< tiles that a row of the exchange joins
  Kokkos::View<gpu::TaggedWord*, gpu::Device::memory_space> totals_;
  Kokkos::View<unsigned char*, gpu::Device::memory_space> tables_;  ///< Tables
};

}  // namespace wavescan::Impl::filter

#endif
