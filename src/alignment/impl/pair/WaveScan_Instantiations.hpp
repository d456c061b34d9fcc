// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_PAIR_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_PAIR_INSTANTIATIONS_HPP

#include <WaveScan_Align.hpp>
#include <WaveScan_Alignment.hpp>
#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/align/WaveScan_AlignedPair.hpp>
#include <impl/align/WaveScan_LetterCodes.hpp>

/// @file
/// @brief Instantiations of the library WaveScan::kernels for alignments of two sequences: all but
/// what asks users' substitutions. It knows no type.

#define WAVESCAN_PAIR_KERNELS(TEMPLATE, Exec, Sequences)                                        \
  TEMPLATE Impl::Alphabet Impl::common_alphabet(const Exec&, const Impl::LetterSequence&,       \
                                                const Impl::LetterSequence&);                   \
  TEMPLATE AlignmentScore Impl::align_on(const Impl::AligningPlace<Exec>&,                      \
                                         const Impl::AlignedPair&, const AlignOptions&);        \
  TEMPLATE Alignment Impl::align_on(const Impl::AligningPlace<Exec>&, const Impl::AlignedPair&, \
                                    const AlignOptions&);

namespace wavescan {

WAVESCAN_COMPILED_PAIRS(WAVESCAN_PAIR_KERNELS)

}  // namespace wavescan

#endif
