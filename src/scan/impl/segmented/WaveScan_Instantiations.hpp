// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_SEGMENTED_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_SegmentedScan.hpp>

/// @file
/// @brief Explicit instantiations in WaveScan::kernels for segmented scans of a type T: sums, where
/// bits tell the heads.

#define WAVESCAN_SEGMENTED_KERNELS(TEMPLATE, Exec, T)                                    \
  TEMPLATE Impl::ScanWorkspace<Exec, T, Impl::RunSegment<T>> Impl::make_workspace(       \
      const Exec&, Impl::LineExtents);                                                   \
  TEMPLATE void Impl::enqueue_scan(                                                      \
      const Impl::ScanWorkspace<Exec, T, Impl::RunSegment<T>>&, const Exec&,             \
      const Impl::ScanProblem<Impl::SegmentedRecurrence<Impl::PlainRecurrence<Plus<T>>>, \
                              const T>&,                                                 \
      const Impl::OffsetHeads&);

namespace wavescan {

WAVESCAN_COMPILED_NUMBERS(WAVESCAN_SEGMENTED_KERNELS)

}  // namespace wavescan

#endif
