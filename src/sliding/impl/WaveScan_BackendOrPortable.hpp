// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_BACKENDORPORTABLE_HPP
#define WAVESCAN_IMPL_BACKENDORPORTABLE_HPP

#include <WaveScan_Concepts.hpp>

#include <cstddef>
#include <optional>

/// @file
/// @brief Two ways of a device to do an operation: kernels of its own, or loops and scans of
/// Kokkos.

namespace wavescan::Impl {

/// @brief Stands for the kernels of devices that have none of their own.
struct NoKernels {
  NoKernels() = default;
  NoKernels(const auto&, Index) {}
  static bool enqueue(const auto&, const auto&) { return false; }
  static bool partition(const auto&, const auto&) { return false; }
  static std::size_t bytes() { return 0; }
};

/// @brief The workspace of both for up to so many elements of so many bytes. The loops need much
/// more memory: it is allocated by the first call that the kernels decline.
template <ExecutionSpace Exec, class Own, class Portable>
class BackendOrPortable {
 public:
  BackendOrPortable() = default;
  BackendOrPortable(const Exec& exec, Index elements, std::size_t element_bytes)
      : own_(exec, elements), elements_(elements), element_bytes_(element_bytes) {}

  template <class Problem>
  void enqueue(const Exec& exec, const Problem& problem) const {
    if (own_.enqueue(exec, problem)) return;
    if (!portable_) portable_.emplace(exec, elements_, element_bytes_);
    portable_->enqueue(exec, problem);
  }
  std::size_t bytes() const { return own_.bytes() + (portable_ ? portable_->bytes() : 0); }

 protected:
  Own own_;

 private:
  Index elements_ = 0;
  std::size_t element_bytes_ = 0;
  mutable std::optional<Portable> portable_;
};

}  // namespace wavescan::Impl

#endif
