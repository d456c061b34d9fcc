// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_BATCH_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_BATCH_INSTANTIATIONS_HPP

#include <WaveScan_AlignMany.hpp>
#include <WaveScan_Alignment.hpp>
#include <WaveScan_CompiledKernels.hpp>
#include <impl/align/WaveScan_HostThreads.hpp>
#include <impl/align/WaveScan_PairBatch.hpp>

#include <vector>

/// @file
/// @brief Instantiations of the library WaveScan::kernels for alignments of many pairs: all that
/// hosts do for them, whatever the execution space.

#define WAVESCAN_BATCH_KERNELS(TEMPLATE, Exec, Algorithm)                           \
  TEMPLATE std::vector<AlignmentScore> Impl::batch_scores(const Impl::HostThreads&, \
                                                          Impl::PairBatch);         \
  TEMPLATE std::vector<Alignment> Impl::batch_alignments(const Impl::HostThreads&,  \
                                                         Impl::PairBatch);          \
  TEMPLATE void Impl::find_batch_paths(const Impl::HostThreads&, Impl::PairBatch,   \
                                       std::vector<Alignment>&);

namespace wavescan {

WAVESCAN_COMPILED_ALIGNERS(WAVESCAN_BATCH_KERNELS)

}  // namespace wavescan

#endif
