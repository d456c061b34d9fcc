// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGNER_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_ALIGNER_INSTANTIATIONS_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/host/WaveScan_HostAligner.hpp>

/// @file
/// @brief What the library WaveScan::kernels has of alignments besides the lanes: the passes of a
/// pair on hosts, its path and its checkpoint. They know no type.

#define WAVESCAN_ALIGNER_KERNELS(TEMPLATE, Exec, Algorithm)        \
  TEMPLATE AlignmentScore Impl::Aligner<Impl::Algorithm>::score(); \
  TEMPLATE Alignment Impl::Aligner<Impl::Algorithm>::align();      \
  TEMPLATE void Impl::Aligner<Impl::Algorithm>::find_path(Alignment&);

namespace wavescan {

WAVESCAN_COMPILED_ALIGNERS(WAVESCAN_ALIGNER_KERNELS)

}  // namespace wavescan

#endif
