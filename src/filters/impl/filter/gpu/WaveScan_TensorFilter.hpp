// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_GPU_TENSORFILTER_HPP
#define WAVESCAN_IMPL_FILTER_GPU_TENSORFILTER_HPP

#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/filter/gpu/WaveScan_BlockKernel.hpp>
#include <impl/filter/gpu/WaveScan_GpuFilter.hpp>
#include <impl/filter/gpu/WaveScan_TensorKernel.hpp>
#include <impl/filter/gpu/WaveScan_TensorTables.hpp>

#include <concepts>
#include <type_traits>

/// @file
/// @brief Filters on a GPU with bulk copies and tensor cores for double precision: which of them
/// have which kernel.

namespace wavescan::Impl::filter {

/// @brief Filters whose states are whole operands, of samples that are no pairs; for the GPUs that
/// has_double_tensor_cores tells of.
template <class Form>
inline constexpr bool has_tensor_filter =
    compiled_capability / 10 == 9 &&
    (Form::states == 8 || Form::states == 16) && std::floating_point<typename Form::value_type>;

/// @brief The kernel that was the fastest: threads that filter float samples; for double samples,
/// of which they do half as many, the block form.
template <class Form, class T = typename Form::value_type, int K = Form::states / 8>
using ChosenTensorKernel =
    std::conditional_t<sizeof(T) == 4, TensorKernel<Form, TensorShape<T, 9, K == 1 ? 8 : 7, 2>>,
                       BlockKernel<T, K, BlockShape<1, 5, 8, 2>>>;

template <class Form>
using GpuTensorFilter = GpuFilter<Form, ChosenTensorKernel<Form>>;

}  // namespace wavescan::Impl::filter

#endif
