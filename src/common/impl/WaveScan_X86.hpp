// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_X86_HPP
#define WAVESCAN_IMPL_X86_HPP

#include <impl/WaveScan_Dispatch.hpp>

/// @file
/// @brief Instructions of x86 processors, without the header of intrinsics where that takes long.
///
/// g++ reads that header a fifth as long as all of Kokkos, for functions that call one function of
/// the compiler each; so these are called. Other compilers have other ones, and read theirs faster;
/// nvcc, which reads files before g++, takes their masks for unsigned; versions of g++ that are not
/// known yet may have changed them.

#if defined(WAVESCAN_HAS_TARGETS)

#if defined(__GNUC__) && __GNUC__ <= 15 && !defined(__clang__) && !defined(__NVCOMPILER) && \
    !defined(__NVCC__)
#define WAVESCAN_X86(BUILTIN, INTRINSIC) __builtin_ia32_##BUILTIN
#else
#include <immintrin.h>
#define WAVESCAN_X86(BUILTIN, INTRINSIC) INTRINSIC
#endif

namespace wavescan::Impl {

/// Registers, named by what they hold and by their bytes.
typedef float Floats16 __attribute__((vector_size(16)));
typedef float Floats32 __attribute__((vector_size(32)));
typedef float Floats64 __attribute__((vector_size(64)));
typedef double Doubles16 __attribute__((vector_size(16)));
typedef double Doubles32 __attribute__((vector_size(32)));
typedef double Doubles64 __attribute__((vector_size(64)));
typedef char Chars16 __attribute__((vector_size(16)));
typedef char Chars32 __attribute__((vector_size(32)));
typedef char Chars64 __attribute__((vector_size(64)));
typedef short Shorts32 __attribute__((vector_size(32)));
typedef short Shorts64 __attribute__((vector_size(64)));
typedef unsigned short UnsignedShorts32 __attribute__((vector_size(32)));
typedef unsigned short UnsignedShorts64 __attribute__((vector_size(64)));
typedef int Ints32 __attribute__((vector_size(32)));
typedef int Ints64 __attribute__((vector_size(64)));
typedef unsigned UnsignedInts32 __attribute__((vector_size(32)));
typedef long long Longs16 __attribute__((vector_size(16)));
typedef long long Longs32 __attribute__((vector_size(32)));
typedef long long Longs64 __attribute__((vector_size(64)));

}  // namespace wavescan::Impl

#endif

#endif
