// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_DISPATCH_HPP
#define WAVESCAN_IMPL_DISPATCH_HPP

#include <concepts>
#include <utility>

/// @file
/// @brief Host code for the processor that runs it, whatever processor it was compiled for.
///
/// A *target* is a set of instructions beyond those that the compiler's flags allow everywhere.
/// Code for all targets is written once, in a header that impl/WaveScan_ForEachTarget.hpp includes
/// once for each. There it specialises a template on the tag WAVESCAN_TARGET, and each of its
/// functions is a WAVESCAN_TARGET_FUNCTION. `dispatch` picks the tag when the program runs.
///
/// Only functions so marked may hold vectors of a target or call its intrinsics. Lambdas in them
/// are not marked, and neither is what they call without being inlined: keep vectors out of both.

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define WAVESCAN_HAS_TARGETS
#define WAVESCAN_AVX2_FUNCTION __attribute__((target("avx2,fma")))
#define WAVESCAN_AVX512_FUNCTION \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")))
#define WAVESCAN_AVX512VNNI_FUNCTION \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")))
#endif

namespace wavescan::Impl {

/// @brief What the compiler's flags allow.
struct Baseline {};
/// @brief x86-64 with AVX2 and FMA.
struct Avx2 {};
/// @brief x86-64 with the AVX-512 subsets F, BW, DQ and VL, too.
struct Avx512 {};
/// @brief The same with dot products of bytes (VNNI). Only code that is made of them asks for it.
struct Avx512Vnni {};

/// @brief Calls `use` with the tag of the best target that the processor has and that is no better
/// than the tag `most`, and returns what it returns.
template <class Use, class Most = Avx512>
decltype(auto) dispatch(Use&& use, [[maybe_unused]] Most most = {}) {
#if defined(WAVESCAN_HAS_TARGETS)
  if constexpr (std::same_as<Most, Avx512Vnni>) {
    const bool available = __builtin_cpu_supports("avx512vnni") &&
                           __builtin_cpu_supports("avx512bw") &&
                           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (available) return std::forward<Use>(use)(Avx512Vnni{});
  }
  if constexpr (std::same_as<Most, Avx512Vnni> || std::same_as<Most, Avx512>) {
    const bool available = __builtin_cpu_supports("avx512f") &&
                           __builtin_cpu_supports("avx512bw") &&
                           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (available) return std::forward<Use>(use)(Avx512{});
  }
  if constexpr (!std::same_as<Most, Baseline>) {
    const bool available = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (available) return std::forward<Use>(use)(Avx2{});
  }
#endif
  return std::forward<Use>(use)(Baseline{});
}

}  // namespace wavescan::Impl

#endif
