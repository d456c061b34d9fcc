// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_DEVICEBATCH_HPP
#define WAVESCAN_IMPL_ALIGN_DEVICEBATCH_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/align/WaveScan_AlignSelection.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
#include <impl/align/gpu/WaveScan_GpuBatch.hpp>
#endif

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>

/// @file
/// @brief Many pairs by kernels of the execution space's own.

namespace wavescan::Impl {

/// @brief Returns the number of pairs that two sets make.
template <class A, class B>
Index checked_pairs(const char* operation, const A& a, const B& b) {
  require(a.size() == b.size() || a.size() == 1 || b.size() == 1, operation, "b",
          "must have as many sequences as 'a' (" + std::to_string(a.size()) +
              "), or one of them a single one",
          b.size());
  return a.size() == 1 ? b.size() : a.size();
}

inline void require_no_checkpoint(const char* operation, const AlignOptions& options) {
  require(options.checkpoint.empty(), operation, "checkpoint", "must be empty: one is for one pair",
          options.checkpoint);
}

/// @brief Calls use(pairs), or returns false if the execution space has no kernels that can align
/// these: then the host is to do it, and checks the arguments once more.
template <ExecutionSpace Exec, class A, class B, Substitution S, class Use>
bool with_device_batch([[maybe_unused]] const char* operation, [[maybe_unused]] const Exec& exec,
                       [[maybe_unused]] const A& a, [[maybe_unused]] const B& b,
                       [[maybe_unused]] const Scoring<S>& scoring,
                       [[maybe_unused]] const AlignOptions& options,
                       [[maybe_unused]] const Use& use) {
#if defined(WAVESCAN_HAS_CUDA_KERNELS)
  if constexpr (runs_on_gpu<Exec>) {
    static_assert(LetterView<decltype(a.letters), Exec> && LetterView<decltype(b.letters), Exec>,
                  "WaveScan: a SequenceSet must hold letters that the execution space can reach");
    require_usable(operation, scoring.gap);
    require_no_checkpoint(operation, options);
    const Index count = checked_pairs(operation, a, b);
    const bool has_path = gpu::device_path(Operation::BatchAlignment, exec) != DevicePath::Host;
    if (select_algorithm(ManyPairs{has_path, count}) != AlignAlgorithm::WarpPairs) return false;
    const Kokkos::Profiling::ScopedRegion region(std::string("WaveScan::") + operation);
    const batch::GpuPairs pairs(operation, exec, a, b, scoring, count);
    const ManyPairs many{pairs.has_kernels(), count};
    if (select_algorithm(many) != AlignAlgorithm::WarpPairs) return false;
    use(pairs);
    if (options.progress) options.progress(1);
    return true;
  }
#endif
  return false;
}

}  // namespace wavescan::Impl

#endif
