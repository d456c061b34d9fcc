// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_HEADS_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_HEADS_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <impl/segmented/WaveScan_MakeHeads.hpp>

/// @file
/// @brief Explicit instantiations in WaveScan::kernels for segments, whatever their elements are.

#define WAVESCAN_HEADS_KERNELS(TEMPLATE, Exec, ANY)                                       \
  TEMPLATE void Impl::enqueue_heads(const Exec&, const Impl::SegmentRanges&, Impl::Index, \
                                    Impl::BitWord*, const Impl::DropEmpty&);

namespace wavescan {

WAVESCAN_COMPILED_PAIRS(WAVESCAN_HEADS_KERNELS)

}  // namespace wavescan

#endif
