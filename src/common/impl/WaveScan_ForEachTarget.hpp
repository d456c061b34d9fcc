// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

/// @file
/// @brief Includes the header WAVESCAN_TARGET_CODE once for each target; see WaveScan_Dispatch.hpp.
///
/// This header is meant to be included again and again, and has no guard. A header with code for
/// targets is made so:
///
///     #if !defined(WAVESCAN_TARGET)
///     #ifndef WAVESCAN_IMPL_SOMETHING_HPP
///     #define WAVESCAN_IMPL_SOMETHING_HPP
///     ...                                            // what does not depend on the target
///     template <class Target, ...> struct Something; // among it, what the code specialises
///     // NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
///     #define WAVESCAN_TARGET_CODE <impl/WaveScan_Something.hpp>
///     #include <impl/WaveScan_ForEachTarget.hpp>
///     #endif
///     #else
///     template <...> struct Something<WAVESCAN_TARGET, ...> { ... };
///     #endif

#include <impl/WaveScan_Dispatch.hpp>

#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675  // it does not know "GCC unroll", and hands it on
#endif

#if defined(WAVESCAN_HAS_VECTORS) && defined(WAVESCAN_TARGET_CODE)
#define WAVESCAN_TARGET Baseline
#define WAVESCAN_TARGET_FUNCTION
#include WAVESCAN_TARGET_CODE
#undef WAVESCAN_TARGET
#undef WAVESCAN_TARGET_FUNCTION
#if defined(WAVESCAN_HAS_TARGETS)
#define WAVESCAN_TARGET Avx2
#define WAVESCAN_TARGET_FUNCTION WAVESCAN_AVX2_FUNCTION
#include WAVESCAN_TARGET_CODE
#undef WAVESCAN_TARGET
#undef WAVESCAN_TARGET_FUNCTION
#define WAVESCAN_TARGET Avx512
#define WAVESCAN_TARGET_FUNCTION WAVESCAN_AVX512_FUNCTION
#include WAVESCAN_TARGET_CODE
#undef WAVESCAN_TARGET
#undef WAVESCAN_TARGET_FUNCTION
#endif
#endif
#undef WAVESCAN_TARGET_CODE

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
