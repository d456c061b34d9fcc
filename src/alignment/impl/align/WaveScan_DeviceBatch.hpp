// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_DEVICEBATCH_HPP
#define WAVESCAN_IMPL_ALIGN_DEVICEBATCH_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#if defined(KOKKOS_ENABLE_CUDA)
#include <impl/align/gpu/WaveScan_GpuBatch.hpp>
#endif

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>

/// @file
/// @brief Which execution spaces align many pairs by kernels of their own.

namespace wavescan::Impl {

template <ExecutionSpace Exec>
struct DeviceBatch {
  static constexpr bool exists = false;
};

#if defined(KOKKOS_ENABLE_CUDA)
template <>
struct DeviceBatch<Kokkos::Cuda> {
  static constexpr bool exists = true;

  /// @brief Calls use(pairs), or returns false if the kernels cannot align these: then the host is
  /// to do it, and checks the arguments once more.
  template <class SetA, class SetB, Substitution S, class Use>
  static bool with_pairs(const char* operation, const Kokkos::Cuda& exec, const SetA& a,
                         const SetB& b, const Scoring<S>& scoring, Index count, const Use& use) {
    static_assert(LetterView<decltype(a.letters), Kokkos::Cuda> &&
                      LetterView<decltype(b.letters), Kokkos::Cuda>,
                  "WaveScan: a SequenceSet must hold letters that the execution space can reach");
    if (count == 0 || gpu::device_path(Operation::AlignmentBatch, exec) == DevicePath::Portable)
      return false;
    const Kokkos::Profiling::ScopedRegion region(std::string("WaveScan::") + operation);
    const batch::GpuPairs pairs(operation, exec, a, b, scoring, count);
    if (!pairs.able()) return false;
    use(pairs);
    return true;
  }
};
#endif

}  // namespace wavescan::Impl

#endif
