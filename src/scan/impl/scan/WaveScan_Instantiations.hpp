// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_SCAN_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_Scan.hpp>

/// @file
/// @brief Explicit instantiations in WaveScan::kernels for scans of a type T: the operators and
/// algebras that nearly all programs use.

#define WAVESCAN_SCAN_WORKSPACE(TEMPLATE, Exec, T, Segment)                        \
  TEMPLATE Impl::ScanWorkspace<Exec, T, Segment> Impl::make_workspace(const Exec&, \
                                                                      Impl::LineExtents);

#define WAVESCAN_SCAN_OF(TEMPLATE, Exec, T, Segment, ...)                                     \
  TEMPLATE void Impl::enqueue_scan(const Impl::ScanWorkspace<Exec, T, Segment>&, const Exec&, \
                                   const Impl::ScanProblem<__VA_ARGS__, const T>&,            \
                                   const Impl::OffsetHeads&);

#define WAVESCAN_PLAIN_SCAN(TEMPLATE, Exec, T, Op) \
  WAVESCAN_SCAN_OF(TEMPLATE, Exec, T, T, Impl::PlainRecurrence<Op<T>>)

#define WAVESCAN_WEIGHTED_SCANS(TEMPLATE, Exec, T, A)                       \
  WAVESCAN_SCAN_WORKSPACE(TEMPLATE, Exec, T, Impl::WeightedSegment<A<T>>)   \
  WAVESCAN_SCAN_OF(TEMPLATE, Exec, T, Impl::WeightedSegment<A<T>>,          \
                   Impl::WeightedRecurrence<A<T>, Impl::ConstantWeight<T>>) \
  WAVESCAN_SCAN_OF(TEMPLATE, Exec, T, Impl::WeightedSegment<A<T>>,          \
                   Impl::WeightedRecurrence<A<T>, Impl::Lines<const T>>)

#define WAVESCAN_SCAN_KERNELS(TEMPLATE, Exec, T)        \
  WAVESCAN_SCAN_WORKSPACE(TEMPLATE, Exec, T, T)         \
  WAVESCAN_PLAIN_SCAN(TEMPLATE, Exec, T, Plus)          \
  WAVESCAN_PLAIN_SCAN(TEMPLATE, Exec, T, Max)           \
  WAVESCAN_PLAIN_SCAN(TEMPLATE, Exec, T, Min)           \
  WAVESCAN_WEIGHTED_SCANS(TEMPLATE, Exec, T, PlusTimes) \
  WAVESCAN_WEIGHTED_SCANS(TEMPLATE, Exec, T, MaxPlus)   \
  WAVESCAN_WEIGHTED_SCANS(TEMPLATE, Exec, T, MinPlus)

namespace wavescan {

WAVESCAN_COMPILED_NUMBERS(WAVESCAN_SCAN_KERNELS)

}  // namespace wavescan

#endif
