// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INLINEDFORTARGET_HPP
#define WAVESCAN_IMPL_INLINEDFORTARGET_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Dispatch.hpp>

/// @file
/// @brief Plain loops, which the compiler vectorises for each target.

namespace wavescan::Impl {

/// @brief Calls body(tag of the target), compiled for that target as far as it is inlined: what is
/// declared WAVESCAN_INLINED is, whatever its size.
template <class Body>
void run_inlined(Baseline target, const Body& body) {
  body(target);
}
#if defined(WAVESCAN_HAS_TARGETS)
template <class Body>
WAVESCAN_AVX2_FUNCTION void run_inlined(Avx2 target, const Body& body) {
  body(target);
}
template <class Body>
WAVESCAN_AVX512_FUNCTION void run_inlined(Avx512 target, const Body& body) {
  body(target);
}
#endif

}  // namespace wavescan::Impl

#endif
