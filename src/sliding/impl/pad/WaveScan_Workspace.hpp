// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_PAD_WORKSPACE_HPP
#define WAVESCAN_IMPL_PAD_WORKSPACE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/pad/WaveScan_Portable.hpp>
#include <impl/pad/WaveScan_Problem.hpp>
#include <impl/pad/host/WaveScan_HostPad.hpp>
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
#include <impl/pad/gpu/WaveScan_GpuPad.hpp>
#endif

#include <cstddef>
#include <optional>
#include <type_traits>

/// @file
/// @brief What moves of up to so many elements need, and the choice between the ways to do them.

namespace wavescan::Impl::pad {

/// @brief The workspace of the way to move that a device has of its own: by default none.
template <class Exec>
struct SpecialPad {
  SpecialPad() = default;
  SpecialPad(const Exec&, Index) {}
  static bool enqueue(const Exec&, const auto&) { return false; }
  static std::size_t bytes() { return 0; }
};

#if defined(WAVESCAN_HAS_CUDA_KERNELS)
template <>
struct SpecialPad<gpu::Device> : GpuPad {
  using GpuPad::GpuPad;
};
#endif

/// @brief Moves on devices: by kernels of their own, or by loops of Kokkos, whose memory, which is
/// much more, is allocated when it is first needed.
template <ExecutionSpace Exec>
class DevicePad {
 public:
  DevicePad() = default;
  DevicePad(const Exec& exec, Index elements, std::size_t element_bytes)
      : special_(exec, elements), elements_(elements), element_bytes_(element_bytes) {}

  template <class T>
  void enqueue(const Exec& exec, const Problem<T>& problem) const {
    if (!special_.enqueue(exec, problem)) {
      if (!portable_) portable_.emplace(exec, elements_, element_bytes_);
      portable_->enqueue(exec, problem);
    }
    enqueue_fill(exec, problem.margin);
  }
  std::size_t bytes() const { return special_.bytes() + (portable_ ? portable_->bytes() : 0); }

 private:
  SpecialPad<Exec> special_;
  Index elements_ = 0;
  std::size_t element_bytes_ = 0;
  mutable std::optional<PortablePad<Exec>> portable_;
};

/// @brief Moves of up to so many elements of so many bytes.
template <ExecutionSpace Exec>
using Pad = std::conditional_t<runs_on_host<Exec>, HostPad<Exec>, DevicePad<Exec>>;

}  // namespace wavescan::Impl::pad

#endif
