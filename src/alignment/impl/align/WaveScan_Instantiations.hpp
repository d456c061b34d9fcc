// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_ALIGN_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/host/WaveScan_HostBatch.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>

#include <vector>

/// @file
/// @brief What the library WaveScan::kernels has of alignments, for entries of a type: the lanes of
/// hosts. They are the same for all execution spaces.

#define WAVESCAN_ALIGN_KERNELS(TEMPLATE, Exec, Entry)                                      \
  TEMPLATE Impl::BestEntry Impl::run_passes<Entry>(const Impl::LanePasses&,                \
                                                   const std::vector<Impl::PassProblem>&); \
  TEMPLATE void Impl::run_lanes<Entry>(const Impl::LanePasses&,                            \
                                       const std::vector<Impl::BatchPair>&,                \
                                       const Impl::AlignmentEdges&, bool, AlignmentScore*);

namespace wavescan {

WAVESCAN_COMPILED_ENTRIES(WAVESCAN_ALIGN_KERNELS)

}  // namespace wavescan

#endif
