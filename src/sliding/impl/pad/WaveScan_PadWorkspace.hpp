// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_PAD_PADWORKSPACE_HPP
#define WAVESCAN_IMPL_PAD_PADWORKSPACE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_BackendOrPortable.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/pad/WaveScan_PadProblem.hpp>
#include <impl/pad/WaveScan_PortablePad.hpp>
#include <impl/pad/host/WaveScan_HostPad.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/pad/gpu/WaveScan_GpuPad.hpp>
#endif

#include <type_traits>

/// @file
/// @brief The workspace of moves of up to so many elements, and the choice between the ways to do
/// them.

namespace wavescan::Impl::pad {

/// @brief The kernels that a device has of its own.
#if defined(WAVESCAN_HAS_GPU_KERNELS)
template <ExecutionSpace Exec>
using PadBackend = std::conditional_t<runs_on_gpu<Exec>, GpuPad, NoKernels>;
#else
template <ExecutionSpace Exec>
using PadBackend = NoKernels;
#endif

template <ExecutionSpace Exec>
class DevicePad : public BackendOrPortable<Exec, PadBackend<Exec>, PortablePad<Exec>> {
  using Moves = BackendOrPortable<Exec, PadBackend<Exec>, PortablePad<Exec>>;

 public:
  using Moves::Moves;

  template <class T>
  void enqueue(const Exec& exec, const Problem<T>& problem) const {
    Moves::enqueue(exec, problem);
    enqueue_fill(exec, problem.margin);
  }
};

/// @brief Moves of up to so many elements of so many bytes.
template <ExecutionSpace Exec>
using Pad = std::conditional_t<runs_on_host<Exec>, HostPad<Exec>, DevicePad<Exec>>;

}  // namespace wavescan::Impl::pad

#endif
