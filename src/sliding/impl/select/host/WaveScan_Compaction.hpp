// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SELECT_HOST_COMPACTION_HPP
#define WAVESCAN_IMPL_SELECT_HOST_COMPACTION_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_X86.hpp>
#include <impl/select/host/WaveScan_CopyBytes.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

/// @file
/// @brief Puts the chosen ones of some units side by side, in their order.
///
/// A bit of a mask chooses a unit, an element of any number of bytes. Units of 1, 2, 4 and 8 bytes
/// move several at a time, in vector registers whose lanes are permuted by a table that the bits
/// index, or by the instruction that AVX-512 has for it; all of a register is stored, and the next
/// one overwrites what was not chosen. Few chosen ones, and units of other sizes, are looked for
/// bit by bit.

namespace wavescan::Impl::select {

/// @brief Elements whose flags are one word.
inline constexpr Index mask_bits = 64;
/// @brief Bytes that may be written behind the last chosen unit.
inline constexpr Index compaction_slack = 64;
/// @brief Elements whose flags are determined, and that are moved, in one go: so few that memory
/// is asked for what comes next all the time.
inline constexpr Index flags_at_once = 256;
/// @brief The distance, in elements, over which memory is asked for ahead.
inline constexpr Index fetched_ahead = 1024;

/// @brief A table of the places of the chosen bytes, in their order, for every choice among `Lanes`
/// units of `Bytes` bytes.
template <int Lanes, int Bytes>
struct CompactionTable {
  alignas(16) std::uint8_t entries[1 << Lanes][Lanes * Bytes] = {};
  constexpr CompactionTable() {
    for (int mask = 0; mask < 1 << Lanes; ++mask) {
      int place = 0;
      for (int lane = 0; lane < Lanes; ++lane)
        if (mask >> lane & 1)
          for (int b = 0; b < Bytes; ++b)
            entries[mask][place++] = static_cast<std::uint8_t>(lane * Bytes + b);
    }
  }
};
template <int Lanes, int Bytes>
inline constexpr CompactionTable<Lanes, Bytes> compaction_table{};

/// @brief The chosen ones of `lanes` units, as many as one register holds; 0 where a target has no
/// instructions for units of that size.
template <class Target, std::size_t Bytes>
struct CompactionStep {
  static constexpr int lanes = 0;
};

#if defined(WAVESCAN_HAS_TARGETS) || defined(__SSSE3__) || defined(__aarch64__)
/// @brief Units in the 16 (or, for those of one byte, 8) bytes that an instruction shuffles.
template <std::size_t Bytes>
struct ShuffledBytes {
  static constexpr int lanes = Bytes == 1 ? 8 : 16 / static_cast<int>(Bytes);
  static const std::uint8_t* indices(unsigned chosen) {
    return compaction_table<lanes, static_cast<int>(Bytes)>.entries[chosen];
  }
};
#endif

#if defined(WAVESCAN_HAS_TARGETS)
#if defined(__SSSE3__)
#define WAVESCAN_SHUFFLE_FUNCTION
#else
#define WAVESCAN_SHUFFLE_FUNCTION __attribute__((target("ssse3")))
#endif
template <std::size_t Bytes>
WAVESCAN_SHUFFLE_FUNCTION WAVESCAN_INLINED void shuffle_step(std::byte* to, const std::byte* from,
                                                             unsigned chosen) {
  const std::uint8_t* const table = ShuffledBytes<Bytes>::indices(chosen);
  Longs16 source, indices;
  if constexpr (Bytes == 1) {
    long long low, low_indices;
    std::memcpy(&low, from, sizeof low);
    std::memcpy(&low_indices, table, sizeof low_indices);
    source = Longs16{low, 0};
    indices = Longs16{low_indices, 0};
  } else {
    std::memcpy(&source, from, sizeof source);
    std::memcpy(&indices, __builtin_assume_aligned(table, 16), sizeof indices);
  }
  const auto shuffled = (Longs16)WAVESCAN_X86(pshufb128((Chars16)source, (Chars16)indices),
                                              _mm_shuffle_epi8((__m128i)source, (__m128i)indices));
  std::memcpy(to, &shuffled, Bytes == 1 ? 8 : 16);
}
#undef WAVESCAN_SHUFFLE_FUNCTION
#elif defined(__aarch64__)
template <std::size_t Bytes>
WAVESCAN_INLINED void shuffle_step(std::byte* to, const std::byte* from, unsigned chosen) {
  const std::uint8_t* const table = ShuffledBytes<Bytes>::indices(chosen);
  const auto* const source = reinterpret_cast<const std::uint8_t*>(from);
  auto* const target = reinterpret_cast<std::uint8_t*>(to);
  if constexpr (Bytes == 1)
    vst1_u8(target, vtbl1_u8(vld1_u8(source), vld1_u8(table)));
  else
    vst1q_u8(target, vqtbl1q_u8(vld1q_u8(source), vld1q_u8(table)));
}
#endif

#if (defined(WAVESCAN_HAS_TARGETS) && defined(__SSSE3__)) || defined(__aarch64__)
template <std::size_t Bytes>
  requires(Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8)
struct CompactionStep<Baseline, Bytes> : ShuffledBytes<Bytes> {
  WAVESCAN_INLINED static void run(std::byte* to, const std::byte* from, unsigned chosen) {
    shuffle_step<Bytes>(to, from, chosen);
  }
};
#endif

#if defined(WAVESCAN_HAS_TARGETS)
template <std::size_t Bytes>
  requires(Bytes == 1 || Bytes == 2)
struct CompactionStep<Avx2, Bytes> : ShuffledBytes<Bytes> {
  WAVESCAN_AVX2_FUNCTION WAVESCAN_INLINED static void run(std::byte* to, const std::byte* from,
                                                          unsigned chosen) {
    shuffle_step<Bytes>(to, from, chosen);
  }
};
template <std::size_t Bytes>
  requires(Bytes == 4 || Bytes == 8)
struct CompactionStep<Avx2, Bytes> {
  static constexpr int lanes = 32 / static_cast<int>(Bytes);
  WAVESCAN_AVX2_FUNCTION WAVESCAN_INLINED static void run(std::byte* to, const std::byte* from,
                                                          unsigned chosen) {
    const auto& words = compaction_table<lanes, static_cast<int>(Bytes) / 4>;
    long long bytes;
    std::memcpy(&bytes, words.entries[chosen], sizeof bytes);
    const Longs16 words_in_bytes{bytes, 0};
    Ints32 v;
    std::memcpy(&v, from, sizeof v);
    const auto order = (Ints32)WAVESCAN_X86(pmovzxbd256((Chars16)words_in_bytes),
                                            _mm256_cvtepu8_epi32((__m128i)words_in_bytes));
    const auto moved = (Ints32)WAVESCAN_X86(
        permvarsi256(v, order), _mm256_permutevar8x32_epi32((__m256i)v, (__m256i)order));
    std::memcpy(to, &moved, sizeof moved);
  }
};

template <std::size_t Bytes>
  requires(Bytes == 1 || Bytes == 2)
struct CompactionStep<Avx512, Bytes> : CompactionStep<Avx2, Bytes> {};
// To a register first: stores of chosen lanes are slow on some processors.
template <>
struct CompactionStep<Avx512, 4> {
  static constexpr int lanes = 16;
  WAVESCAN_AVX512_FUNCTION WAVESCAN_INLINED static void run(std::byte* to, const std::byte* from,
                                                            unsigned chosen) {
    Ints64 v;
    std::memcpy(&v, from, sizeof v);
    const auto moved = (Ints64)WAVESCAN_X86(
        compresssi512_mask(v, (Ints64{}), static_cast<std::uint16_t>(chosen)),
        _mm512_maskz_compress_epi32(static_cast<__mmask16>(chosen), (__m512i)v));
    std::memcpy(to, &moved, sizeof moved);
  }
};
template <>
struct CompactionStep<Avx512, 8> {
  static constexpr int lanes = 8;
  WAVESCAN_AVX512_FUNCTION WAVESCAN_INLINED static void run(std::byte* to, const std::byte* from,
                                                            unsigned chosen) {
    Longs64 v;
    std::memcpy(&v, from, sizeof v);
    const auto moved = (Longs64)WAVESCAN_X86(
        compressdi512_mask(v, (Longs64{}), static_cast<std::uint8_t>(chosen)),
        _mm512_maskz_compress_epi64(static_cast<__mmask8>(chosen), (__m512i)v));
    std::memcpy(to, &moved, sizeof moved);
  }
};
#endif

/// @brief Moves the units that a word chooses, one after the other; returns where the next one
/// goes.
template <std::size_t Bytes>
WAVESCAN_INLINED std::byte* move_one_by_one(std::byte* to, const std::byte* from, Index stride,
                                            std::size_t bytes, std::uint64_t chosen) {
  for (; chosen != 0; chosen &= chosen - 1) {
    copy_unit<Bytes>(to, from + std::countr_zero(chosen) * stride, bytes);
    to += Bytes > 0 ? Bytes : bytes;
  }
  return to;
}

/// @brief Moves the units that a word chooses, run by run; returns where the next one goes.
WAVESCAN_INLINED std::byte* move_runs(std::byte* to, const std::byte* from, std::size_t bytes,
                                      std::uint64_t chosen) {
  while (chosen != 0) {
    const int first = std::countr_zero(chosen);
    const int length = std::countr_one(chosen >> first);
    const std::size_t all = static_cast<std::size_t>(length) * bytes;
    std::memmove(to, from + static_cast<std::size_t>(first) * bytes, all);
    to += all;
    if (first + length == mask_bits) break;
    chosen = chosen >> (first + length) << (first + length);
  }
  return to;
}

/// @brief Asks for the memory from some bytes on, which need not exist, as it is read soon.
WAVESCAN_INLINED void fetch([[maybe_unused]] const std::byte* from, [[maybe_unused]] Index begin,
                            [[maybe_unused]] Index bytes) {
#if defined(__GNUC__)
  constexpr Index line = 64;
  const auto address = reinterpret_cast<std::uintptr_t>(from) + static_cast<std::uintptr_t>(begin);
  for (Index b = 0; b < bytes; b += line)
    // NOLINTNEXTLINE(performance-no-int-to-ptr): no pointer may lie behind the array
    __builtin_prefetch(reinterpret_cast<const void*>(address + static_cast<std::uintptr_t>(b)));
#endif
}

/// @brief Moves the chosen ones of `count` units, and fetches those of the next time.
///
/// `to` is other memory with room for compaction_slack bytes more than the chosen units, or lies
/// before `from` by at least a unit: then nothing from the last unit on is written.
/// @param stride bytes from one unit to the next
template <class Target, std::size_t Bytes>
struct Compaction;

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/select/host/WaveScan_Compaction.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#if !defined(WAVESCAN_HAS_VECTORS)
#define WAVESCAN_TARGET Baseline
#define WAVESCAN_TARGET_FUNCTION
#include <impl/select/host/WaveScan_Compaction.hpp>
#undef WAVESCAN_TARGET
#undef WAVESCAN_TARGET_FUNCTION
#endif

/// @brief Moves the chosen ones of `count` units, as this processor does it best.
inline void compact(std::byte* to, const std::byte* from, Index stride, std::size_t bytes,
                    const std::uint64_t* masks, Index count) {
  dispatch([&](auto target) {
    with_unit(bytes, [&](auto unit) {
      Compaction<decltype(target), unit()>::run(to, from, stride, bytes, masks, count);
    });
  });
}

}  // namespace wavescan::Impl::select

#endif
#else  // once for each target, in the namespace

template <std::size_t Bytes>
struct Compaction<WAVESCAN_TARGET, Bytes> {
  WAVESCAN_TARGET_FUNCTION static void run(std::byte* to, const std::byte* from, Index stride,
                                           std::size_t bytes, const std::uint64_t* masks,
                                           Index count) {
    using Step = CompactionStep<WAVESCAN_TARGET, Bytes>;
    const bool dense = stride == static_cast<Index>(bytes);
    for (Index first = 0; first < count; first += mask_bits, from += mask_bits * stride) {
      const std::uint64_t chosen = *masks++;
      // Processors do not fetch ahead across pages, nor while all is in the first cache.
      constexpr std::size_t small = 64;
      if (dense && bytes <= small) fetch(from, fetched_ahead * stride, mask_bits * stride);
      if constexpr (Step::lanes > 0) {
        constexpr int few = 4;
        if (dense && first + mask_bits <= count && std::popcount(chosen) > few) {
          constexpr unsigned all = (1u << Step::lanes) - 1;
          for (int lane = 0; lane < mask_bits; lane += Step::lanes) {
            const unsigned part = static_cast<unsigned>(chosen >> lane) & all;
            Step::run(to, from + lane * static_cast<Index>(Bytes), part);
            to += static_cast<std::size_t>(std::popcount(part)) * Bytes;
          }
          continue;
        }
      } else {
        constexpr int long_run = 12;
        const int runs = std::popcount(chosen & ~(chosen << 1));
        if (dense && runs > 0 && runs * long_run <= std::popcount(chosen)) {
          to = move_runs(to, from, bytes, chosen);
          continue;
        }
      }
      to = move_one_by_one<Bytes>(to, from, stride, bytes, chosen);
    }
  }
};

#endif
