// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGNER_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_ALIGNER_INSTANTIATIONS_HPP

#include <WaveScan_Alignment.hpp>
#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/host/WaveScan_HostAligner.hpp>
#include <impl/align/host/WaveScan_HostBatch.hpp>
#include <impl/align/host/WaveScan_LanePasses.hpp>

#include <vector>

/// @file
/// @brief Instantiations of the library WaveScan::kernels for alignments on hosts: lanes, the
/// passes of a pair, its path and its checkpoint. They know no type of users, and are the same for
/// all execution spaces.

#define WAVESCAN_ALIGNER_KERNELS(TEMPLATE, Exec, Algorithm)                                       \
  TEMPLATE Impl::BestEntry Impl::run_passes(const Impl::HostThreads&, const Impl::LanePasses&,    \
                                            const std::vector<Impl::PassProblem>&);               \
  TEMPLATE void Impl::run_lanes(const Impl::HostThreads&, const Impl::LanePasses&,                \
                                const std::vector<Impl::BatchPair>&, const Impl::AlignmentEdges&, \
                                bool, AlignmentScore*);                                           \
  TEMPLATE AlignmentScore Impl::Aligner<Impl::Algorithm>::score();                                \
  TEMPLATE Alignment Impl::Aligner<Impl::Algorithm>::align();                                     \
  TEMPLATE void Impl::Aligner<Impl::Algorithm>::find_path(Alignment&);

namespace wavescan {

WAVESCAN_COMPILED_ALIGNERS(WAVESCAN_ALIGNER_KERNELS)

}  // namespace wavescan

#endif
