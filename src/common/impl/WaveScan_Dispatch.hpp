// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_DISPATCH_HPP
#define WAVESCAN_IMPL_DISPATCH_HPP

#include <impl/WaveScan_Compiler.hpp>

#include <concepts>
#include <utility>

/// @file
/// @brief Host code for the processor that runs it, whatever processor it was compiled for.
///
/// A *target* is a set of instructions: those that the compiler's flags allow everywhere, or more.
/// Code for all targets is written once, in a header that impl/WaveScan_ForEachTarget.hpp includes
/// once for each. There it specialises a template on the tag WAVESCAN_TARGET, and each of its
/// functions is a WAVESCAN_TARGET_FUNCTION, or WAVESCAN_TARGET_INLINED. `dispatch` picks the tag
/// when the program runs.
///
/// Only functions so marked may hold vectors of a target or call its intrinsics. Lambdas in them
/// are not marked, and neither is what they call without being inlined: keep vectors out of both.

#define WAVESCAN_TARGET_INLINED WAVESCAN_TARGET_FUNCTION WAVESCAN_INLINED

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define WAVESCAN_HAS_VECTORS  ///< of the compiler: g++ from version 12 on, clang
#endif
#endif

// Compilers for GPUs read files once more for the device, where one target does for code that never
// runs: the intrinsics of the others take long to read.
#if defined(__x86_64__) && defined(WAVESCAN_HAS_VECTORS) && !defined(WAVESCAN_DEVICE_PASS)
#define WAVESCAN_HAS_TARGETS
#define WAVESCAN_AVX2_FUNCTION __attribute__((target("avx2,fma")))
#define WAVESCAN_AVX512_FUNCTION \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")))
#define WAVESCAN_AVX512VNNI_FUNCTION \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")))
#endif

namespace wavescan::Impl {

#if defined(WAVESCAN_HAS_VECTORS)
inline constexpr bool has_vectors = true;
#else
inline constexpr bool has_vectors = false;
#endif

#if defined(WAVESCAN_HAS_TARGETS)
inline constexpr bool has_targets = true;
#else
inline constexpr bool has_targets = false;
#endif

/// @brief The instruction set that the compiler's flags allow. Without any, that is SSE2 or Neon.
struct Baseline {
#if defined(__AVX512F__)
  static constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
  static constexpr int vector_bytes = 32;
#else
  static constexpr int vector_bytes = 16;
#endif
  /// Whether a fused multiply-add is an instruction.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  static constexpr bool fuses = true;
#else
  static constexpr bool fuses = false;
#endif
};
/// @brief x86-64 with AVX2 and FMA.
struct Avx2 {
  static constexpr int vector_bytes = 32;
  static constexpr bool fuses = true;
};
/// @brief x86-64 with the AVX-512 subsets F, BW, DQ and VL, too.
struct Avx512 {
  static constexpr int vector_bytes = 64;
  static constexpr bool fuses = true;
};
/// @brief Avx512 with dot products of bytes (VNNI). Only code that is made of them asks for it.
struct Avx512Vnni : Avx512 {};

#if defined(WAVESCAN_HAS_TARGETS)
WAVESCAN_AVX2_FUNCTION inline void clear_upper_halves() { __builtin_ia32_vzeroupper(); }
#endif

/// @brief Clears the upper halves of vector registers when it ends, which code of other targets has
/// to leave clean: instructions of SSE take a hundred times as long on some processors otherwise.
/// Compilers do so at the end of functions, but g++ with neither -Os nor less than -O2.
struct CleanVectors {
  CleanVectors() = default;
  CleanVectors(const CleanVectors&) = delete;
  CleanVectors& operator=(const CleanVectors&) = delete;
#if defined(WAVESCAN_HAS_TARGETS)
  ~CleanVectors() {
    if (__builtin_cpu_supports("avx2")) clear_upper_halves();
  }
#endif
};

/// @brief Bytes of the widest vectors that are taken if the processor has them: tests take narrower
/// ones, too, before they call anything.
inline int widest_vectors = 64;

/// @brief Calls `use` with the tag of the best target that the processor has and that is no better
/// than the tag `most`, and returns what it returns.
template <class Use, class Most = Avx512>
decltype(auto) dispatch(Use&& use, [[maybe_unused]] Most most = {}) {
  [[maybe_unused]] const CleanVectors at_end;
#if defined(WAVESCAN_HAS_TARGETS)
  if constexpr (std::same_as<Most, Avx512Vnni>) {
    const bool available = widest_vectors >= 64 && __builtin_cpu_supports("avx512vnni") &&
                           __builtin_cpu_supports("avx512bw") &&
                           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (available) return std::forward<Use>(use)(Avx512Vnni{});
  }
  if constexpr (std::same_as<Most, Avx512Vnni> || std::same_as<Most, Avx512>) {
    const bool available = widest_vectors >= 64 && __builtin_cpu_supports("avx512f") &&
                           __builtin_cpu_supports("avx512bw") &&
                           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (available) return std::forward<Use>(use)(Avx512{});
  }
  if constexpr (!std::same_as<Most, Baseline>) {
    const bool available =
        widest_vectors >= 32 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (available) return std::forward<Use>(use)(Avx2{});
  }
#endif
  return std::forward<Use>(use)(Baseline{});
}

/// @brief Calls body(tag of the target), a plain loop that the compiler vectorises, compiled for
/// that target as far as it is inlined: what is declared WAVESCAN_INLINED is, whatever its size.
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
