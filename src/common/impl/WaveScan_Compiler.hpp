// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COMPILER_HPP
#define WAVESCAN_IMPL_COMPILER_HPP

#include <Kokkos_Macros.hpp>

/// @file
/// @brief Macros for what is compiled for which device, and for what compilers are told beyond the
/// language.

/// @brief Kernels for NVIDIA's GPUs, for AMD's, or for either, that is, for GPUs with warps: Kokkos
/// has the backend, and the compiler reads its code. No other header asks Kokkos or the compiler.
/// Code that need not be hidden from other compilers asks `runs_on_gpu` (WaveScan_DevicePaths.hpp).
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#define WAVESCAN_HAS_CUDA_KERNELS
#if defined(__NVCC__)
#define WAVESCAN_HAS_NVCC_KERNELS  ///< those for NVIDIA's GPUs that Clang does not compile
#endif
#elif defined(KOKKOS_ENABLE_HIP) && defined(__HIPCC__)
#define WAVESCAN_HAS_HIP_KERNELS
#endif
#if defined(WAVESCAN_HAS_CUDA_KERNELS) || defined(WAVESCAN_HAS_HIP_KERNELS)
#define WAVESCAN_HAS_GPU_KERNELS
#endif

/// @brief Kokkos has a space that is not a host's.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL) || \
    defined(KOKKOS_ENABLE_OPENMPTARGET) || defined(KOKKOS_ENABLE_OPENACC)
#define WAVESCAN_HAS_DEVICES
#endif

/// @brief The compiler's pass for a GPU. Where it is one of NVIDIA's, and of which capability, says
/// __CUDA_ARCH__.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define WAVESCAN_DEVICE_PASS
#endif

/// @brief A sanitizer of Clang's adds checks.
#if defined(__clang__)
#if __has_feature(undefined_behavior_sanitizer) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define WAVESCAN_SANITIZED
#endif
#endif

/// @brief Attributes before a function: inlined, whatever its size; kept out of its callers' loops;
/// or run seldom, so that the compiler need not spend time on making it fast.
#if defined(__GNUC__)
#define WAVESCAN_SELDOM __attribute__((cold))
#define WAVESCAN_INLINED __attribute__((always_inline)) inline
#define WAVESCAN_NOT_INLINED __attribute__((noinline))
#else
#define WAVESCAN_SELDOM
#define WAVESCAN_INLINED inline
#define WAVESCAN_NOT_INLINED
#endif

/// @brief Pragma before a loop of few steps, such as over the runs of a line: it is unrolled.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__NVCC__)
#define WAVESCAN_UNROLL_RUNS _Pragma("GCC unroll 16")
#elif defined(__clang__)
#define WAVESCAN_UNROLL_RUNS _Pragma("unroll")
#else
#define WAVESCAN_UNROLL_RUNS
#endif

/// @brief Pragma before a loop whose iterations do not depend on each other. Clang warns where it
/// cannot make vectors of it, as among the checks of sanitizers.
#if defined(WAVESCAN_DEVICE_PASS) || defined(__NVCC__)
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
