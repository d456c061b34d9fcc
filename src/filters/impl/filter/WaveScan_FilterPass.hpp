// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_FILTERPASS_HPP
#define WAVESCAN_IMPL_FILTER_FILTERPASS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>

#include <cstddef>

/// @file
/// @brief A filter's pass over memory: its form and its workspace, behind one interface for all
/// orders.

namespace wavescan::Impl::filter {

template <ExecutionSpace Exec, class T>
class FilterPass {
 public:
  FilterPass() = default;
  FilterPass(const FilterPass&) = delete;
  FilterPass& operator=(const FilterPass&) = delete;
  virtual ~FilterPass() = default;
  virtual void enqueue(const Exec& exec, const Problem<T>& problem) const = 0;
  /// @brief Whether there is more for it than the portable kernels.
  virtual bool has_own_kernel() const = 0;
  virtual std::size_t bytes() const = 0;
};

}  // namespace wavescan::Impl::filter

#endif
