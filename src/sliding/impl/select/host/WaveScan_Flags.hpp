// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_HOST_FLAGS_HPP
#define WAVESCAN_IMPL_SELECT_HOST_FLAGS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_X86.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>
#include <impl/select/host/WaveScan_Compaction.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// @file
/// @brief Flags of the elements that are kept, as the bits of words.
///
/// Predicates are functions of users, evaluated once for each element, by a loop that stores a byte
/// for each: compilers vectorise it where they can. They may do so for AVX2, but not fuse multiply
/// and add: what a predicate says shall not depend on the processor.

namespace wavescan::Impl::select {

#if defined(WAVESCAN_HAS_TARGETS)
#define WAVESCAN_UNFUSED_AVX2 __attribute__((target("avx2")))
WAVESCAN_UNFUSED_AVX2 inline void pack_flags_avx2(const std::uint8_t* flags, Index words,
                                                  std::uint64_t* masks) {
  for (Index w = 0; w < words; ++w) {
    std::uint64_t half[2];
    for (int h = 0; h < 2; ++h) {
      Chars32 bytes;
      std::memcpy(&bytes, flags + w * mask_bits + h * 32, sizeof bytes);
      const Chars32 set = (Chars32)(bytes > Chars32{});
      half[h] = static_cast<std::uint32_t>(
          WAVESCAN_X86(pmovmskb256(set), _mm256_movemask_epi8((__m256i)set)));
    }
    masks[w] = half[0] | half[1] << 32;
  }
}
#endif

/// @brief Makes words of bytes that are 0 or 1.
inline void pack_flags(const std::uint8_t* flags, Index words, std::uint64_t* masks) {
  for (Index w = 0; w < words; ++w) {
    masks[w] = 0;
    for (int b = 0; b < 8; ++b) {
      std::uint64_t bytes = 0;
      if constexpr (std::endian::native == std::endian::little)
        std::memcpy(&bytes, flags + w * mask_bits + b * 8, 8);
      else
        for (int k = 0; k < 8; ++k)
          bytes |= std::uint64_t(flags[w * mask_bits + b * 8 + k]) << 8 * k;
      masks[w] |= bytes * 0x0102040810204080u >> 56 << 8 * b;
    }
  }
}

/// @param test,sources copies, of which compilers see that no flag is stored in them
template <class Test, class Sources>
WAVESCAN_INLINED void evaluate(const Test test, const Sources sources, Index begin, Index count,
                               std::uint8_t* __restrict flags) {
  Index k = 0;
  if constexpr (looks_left<Test>) {
    // A loop that has not to look for the first element is one that compilers vectorise.
    if (begin == 0 && count > 0) flags[k++] = test(sources, 0, 0) ? 1 : 0;
    for (; k < count; ++k) flags[k] = test.behind_first(sources, k) ? 1 : 0;
  } else {
    for (; k < count; ++k) flags[k] = test(sources, k, begin) ? 1 : 0;
  }
}
#if defined(WAVESCAN_HAS_TARGETS)
template <class Test, class Sources>
WAVESCAN_UNFUSED_AVX2 void evaluate_avx2(const Test& test, const Sources& sources, Index begin,
                                         Index count, std::uint8_t* flags) {
  evaluate(test, sources, begin, count, flags);
}
#undef WAVESCAN_UNFUSED_AVX2
#endif

/// @brief Determines the flags of elements [begin, begin + count), at most flags_at_once.
/// @return how many are kept
template <class Test, class Sources>
Index find_kept(const Selector<Test, Sources>& selector, Index begin, Index count,
                std::uint64_t* masks) {
  alignas(64) std::uint8_t flags[flags_at_once];
  const Index words = ceil_div(count, mask_bits);
  if (words > 0) std::fill_n(flags + (words - 1) * mask_bits, mask_bits, std::uint8_t(0));
  dispatch(
      [&]([[maybe_unused]] auto target) {
        const auto evaluate_from = [&](const auto& sources) {
#if defined(WAVESCAN_HAS_TARGETS)
          if constexpr (std::same_as<decltype(target), Avx2>)
            return evaluate_avx2(selector.test, sources, begin, count, flags);
#endif
          evaluate(selector.test, sources, begin, count, flags);
        };
        if (selector.sources.side_by_side())
          evaluate_from(selector.sources.side_by_side_from(begin));
        else
          evaluate_from(selector.sources.from(begin));
#if defined(WAVESCAN_HAS_TARGETS)
        if constexpr (std::same_as<decltype(target), Avx2>)
          return pack_flags_avx2(flags, words, masks);
#endif
        pack_flags(flags, words, masks);
      },
      Avx2{});
  Index kept = 0;
  for (Index w = 0; w < words; ++w) {
    if (!selector.wanted) masks[w] = ~masks[w];
    if (w == words - 1 && count % mask_bits != 0)
      masks[w] &= (std::uint64_t(1) << count % mask_bits) - 1;
    kept += std::popcount(masks[w]);
  }
  return kept;
}

}  // namespace wavescan::Impl::select

#endif
