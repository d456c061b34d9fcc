// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_DEVICEBATCH_HPP
#define WAVESCAN_IMPL_ALIGN_DEVICEBATCH_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#if defined(KOKKOS_ENABLE_CUDA)
#include <impl/align/gpu/WaveScan_GpuBatch.hpp>
#endif

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <string>

/// @file
/// @brief Many pairs by kernels of the execution space's own.

namespace wavescan::Impl {

/// @brief Calls use(pairs), or returns false if the execution space has no kernels that can align
/// these: then the host is to do it, and checks the arguments once more.
template <ExecutionSpace Exec, class SetA, class SetB, Substitution S, class Use>
bool with_device_pairs([[maybe_unused]] const char* operation, [[maybe_unused]] const Exec& exec,
                       [[maybe_unused]] const SetA& a, [[maybe_unused]] const SetB& b,
                       [[maybe_unused]] const Scoring<S>& scoring, [[maybe_unused]] Index count,
                       [[maybe_unused]] const Use& use) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::same_as<Exec, Kokkos::Cuda>) {
    static_assert(LetterView<decltype(a.letters), Exec> && LetterView<decltype(b.letters), Exec>,
                  "WaveScan: a SequenceSet must hold letters that the execution space can reach");
    if (count == 0 || gpu::device_path(Operation::BatchAlignment, exec) == DevicePath::Host)
      return false;
    const Kokkos::Profiling::ScopedRegion region(std::string("WaveScan::") + operation);
    const batch::GpuPairs pairs(operation, exec, a, b, scoring, count);
    if (pairs.able()) use(pairs);
    return pairs.able();
  }
#endif
  return false;
}

}  // namespace wavescan::Impl

#endif
