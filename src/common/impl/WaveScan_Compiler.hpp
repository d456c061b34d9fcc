// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COMPILER_HPP
#define WAVESCAN_IMPL_COMPILER_HPP

#include <Kokkos_Macros.hpp>

/// @file
/// @brief What compilers of the host are told beyond the language.

/// @brief Kernels for a kind of GPU are compiled: Kokkos has the backend, and the compiler reads
/// its code.
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#define WAVESCAN_HAS_CUDA_KERNELS
#endif
#if defined(WAVESCAN_HAS_CUDA_KERNELS) || (defined(KOKKOS_ENABLE_HIP) && defined(__HIPCC__))
#define WAVESCAN_HAS_GPU_KERNELS
#endif

/// @brief A sanitizer of Clang's adds checks.
#if defined(__clang__)
#if __has_feature(undefined_behavior_sanitizer) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define WAVESCAN_SANITIZED
#endif
#endif

/// @brief Before a function: inlined, whatever its size; kept out of its callers' loops; or run
/// seldom, so that the compiler need not spend time on making it fast.
#if defined(__GNUC__)
#define WAVESCAN_SELDOM __attribute__((cold))
#define WAVESCAN_INLINED __attribute__((always_inline)) inline
#define WAVESCAN_NOT_INLINED __attribute__((noinline))
#else
#define WAVESCAN_SELDOM
#define WAVESCAN_INLINED inline
#define WAVESCAN_NOT_INLINED
#endif

/// @brief Before a loop of few steps, such as over the runs of a line: it is unrolled.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__NVCC__)
#define WAVESCAN_UNROLL_RUNS _Pragma("GCC unroll 16")
#elif defined(__clang__)
#define WAVESCAN_UNROLL_RUNS _Pragma("unroll")
#else
#define WAVESCAN_UNROLL_RUNS
#endif

/// @brief Before a loop whose iterations do not depend on each other. Clang warns where it cannot
/// make vectors of it, as among the checks of sanitizers.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__NVCC__)
#define WAVESCAN_INDEPENDENT_ITERATIONS
#elif defined(WAVESCAN_SANITIZED)
#define WAVESCAN_INDEPENDENT_ITERATIONS
#elif defined(__clang__)
#define WAVESCAN_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define WAVESCAN_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define WAVESCAN_INDEPENDENT_ITERATIONS
#endif

#endif
