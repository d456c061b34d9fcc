// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_SELECTWORKSPACE_HPP
#define WAVESCAN_IMPL_SELECT_SELECTWORKSPACE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_BackendOrPortable.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/select/WaveScan_PortableSelect.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>
#include <impl/select/host/WaveScan_HostSelect.hpp>
#include <impl/select/host/WaveScan_SelectedColumns.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/select/gpu/WaveScan_GpuSelect.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>

/// @file
/// @brief The workspace of selections of up to some size, and the choice between the ways to do
/// them.

namespace wavescan::Impl::select {

/// @brief Selections on the threads of a host.
template <ExecutionSpace Exec>
class HostSelect {
 public:
  HostSelect() = default;
  HostSelect(const Exec& exec, Index elements, std::size_t unit_bytes)
      : all_threads_(resident_teams(exec, 1)),
        threads_(std::clamp<Index>(ceil_div(elements, block_of(unit_bytes, elements, all_threads_)),
                                   1, all_threads_)),
        stage_bytes_(
            ceil_div(static_cast<Index>(stage_bytes_of(elements, unit_bytes, all_threads_)),
                     host_cache_line) *
            host_cache_line) {
    allocate(exec, chain_, "WaveScan::select::chain", BlockChain<Index>::bytes(1, threads_, 1));
    allocate(exec, stages_, "WaveScan::select::stages", threads_ * stage_bytes_);
  }

  template <Shape Form, bool KeepsRejected, class SelectorType, class... Views>
  void enqueue(const Exec& exec,
               const Problem<Form, KeepsRejected, SelectorType, Views...>& problem) const {
    const auto columns = columns_of(problem.moved, problem.elements, problem.keeps_rejected);
    const Index block = block_that_fits(problem.elements, unit_bytes(columns));
    const Index blocks = std::max<Index>(ceil_div(problem.elements, block), 1);
    const BlockChain<Index> chain(chain_.data(), 1, threads_, 1);
    const auto kernel = [&]<class... Makers>(const std::tuple<Makers...>& makers) {
      return HostSelectKernel<SelectorType, Makers...>(
          problem.elements, problem.selector, makers, columns, problem.keeps_rejected,
          problem.count, block, blocks <= threads_, chain, stages_.data(),
          static_cast<std::size_t>(stage_bytes_));
    }(makers_of(problem.moved));
    set_all(exec, chain_, std::byte(0));
    enqueue_workers(exec, "WaveScan::select::host", std::min(blocks, threads_),
                    seconds(problem.elements, columns), kernel);
  }

  /// @brief Enqueues a selection, and then what it rejects behind what it keeps.
  template <class Problem>
  void partition(const Exec& exec, const Problem& problem) const {
    enqueue(exec, problem);
    const auto columns = columns_of(problem.moved, problem.elements, true);
    const HostAppendKernel<Problem::views> kernel(problem.elements, columns, problem.count,
                                                  threads_);
    enqueue_workers(exec, "WaveScan::select::append", threads_,
                    seconds(problem.elements, columns) / 4, kernel);
  }

  std::size_t bytes() const { return chain_.size() + stages_.size(); }

 private:
  /// @brief A block, for which stages of other elements than were thought of may be too small.
  Index block_that_fits(Index elements, std::size_t unit_bytes) const {
    const Index block = block_of(unit_bytes, elements, threads_);
    const Index staged = std::min(block, elements) + compaction_slack;
    return 2 * staged * static_cast<Index>(unit_bytes) <= stage_bytes_ ? block
                                                                       : block_of(unit_bytes);
  }

  /// @brief Estimates the time of one thread.
  static double seconds(Index elements, const auto& columns) {
    return static_cast<double>(elements) *
           (.4e-9 + .15e-9 * static_cast<double>(unit_bytes(columns)));
  }

  Index all_threads_ = 1;
  Index threads_ = 1;  ///< that have stages
  Index stage_bytes_ = 0;
  Kokkos::View<std::byte*, typename Exec::memory_space> chain_;
  Kokkos::View<std::byte*, typename Exec::memory_space> stages_;
};

/// @brief The kernels that a device has of its own.
#if defined(WAVESCAN_HAS_GPU_KERNELS)
template <ExecutionSpace Exec>
using SelectBackend = std::conditional_t<runs_on_gpu<Exec>, GpuSelect, NoKernels>;
#else
template <ExecutionSpace Exec>
using SelectBackend = NoKernels;
#endif

template <ExecutionSpace Exec>
class DeviceSelect : public BackendOrPortable<Exec, SelectBackend<Exec>, PortableSelect<Exec>> {
 public:
  using BackendOrPortable<Exec, SelectBackend<Exec>, PortableSelect<Exec>>::BackendOrPortable;

  template <class Problem>
  void partition(const Exec& exec, const Problem& problem) const {
    if (this->own_.partition(exec, problem)) return;
    this->enqueue(exec, problem);
    append_rejected(exec, problem);
  }
};

/// @brief Selections of up to so many elements of so many bytes.
template <ExecutionSpace Exec>
using Select = std::conditional_t<runs_on_host<Exec>, HostSelect<Exec>, DeviceSelect<Exec>>;

}  // namespace wavescan::Impl::select

#endif
