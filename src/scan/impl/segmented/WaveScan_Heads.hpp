// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_HEADS_HPP
#define WAVESCAN_IMPL_SEGMENTED_HEADS_HPP

#include <WaveScan_Concepts.hpp>

#include <Kokkos_BitManipulation.hpp>

#include <cstdint>

/// @file
/// @brief Heads of segments: a bit for each element, whatever the user describes segments by.
///
/// A *head* is the first element of a segment that is not empty. The first element always is one,
/// and so is the place behind the last element, which thus has a bit, too.

namespace wavescan::Impl {

/// @brief Bits in words of 32.
using BitWord = std::uint32_t;
inline constexpr int word_bits = 32;

/// @brief Words that hold the bits of so many elements and of the place behind them.
KOKKOS_INLINE_FUNCTION constexpr Index words_for(Index elements) {
  return elements / word_bits + 1;
}

/// @brief Bits [first, end) of a word, 0 <= first < end <= 32.
KOKKOS_INLINE_FUNCTION constexpr BitWord bits_between(int first, int end) {
  return (~BitWord(0) >> (word_bits - (end - first))) << first;
}
KOKKOS_INLINE_FUNCTION int lowest_bit(BitWord word) {
  return Kokkos::Experimental::countr_zero_builtin(word);
}
KOKKOS_INLINE_FUNCTION int highest_bit(BitWord word) {
  return word_bits - 1 - Kokkos::Experimental::countl_zero_builtin(word);
}
KOKKOS_INLINE_FUNCTION int count_bits(BitWord word) {
  return Kokkos::Experimental::popcount_builtin(word);
}

/// @brief A bit for each of the four bytes of a word that is not zero.
KOKKOS_INLINE_FUNCTION BitWord bits_of_bytes(std::uint32_t bytes) {
  // The highest bit of each byte that is not zero, moved to its lowest, then side by side.
  const std::uint32_t ones = ((((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes) & 0x80808080u) >> 7;
  return ones * 0x10204080u >> 28;
}

/// @brief A bit for each of eight bytes that is not zero.
KOKKOS_INLINE_FUNCTION BitWord bits_of_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
  const std::uint64_t ones = ((((bytes & low) + low) | bytes) & ~low) >> 7;
  return static_cast<BitWord>(ones * 0x0102040810204080 >> 56);
}

/// @brief The lowest bit set in [begin, end), or `end`.
KOKKOS_INLINE_FUNCTION Index lowest_bit(const BitWord* words, Index begin, Index end) {
  if (begin >= end) return end;
  Index w = begin / word_bits;
  const Index last = (end - 1) / word_bits;
  BitWord word = words[w] & (~BitWord(0) << begin % word_bits);
  while (word == 0 && w < last) word = words[++w];
  if (word == 0) return end;
  const Index found = w * word_bits + lowest_bit(word);
  return found < end ? found : end;
}
/// @brief The highest bit set in [begin, end), or begin - 1.
KOKKOS_INLINE_FUNCTION Index highest_bit(const BitWord* words, Index begin, Index end) {
  if (begin >= end) return begin - 1;
  Index w = (end - 1) / word_bits;
  const Index first = begin / word_bits;
  BitWord word = words[w] & (~BitWord(0) >> (word_bits - 1 - (end - 1) % word_bits));
  while (word == 0 && w > first) word = words[--w];
  if (word == 0) return begin - 1;
  const Index found = w * word_bits + highest_bit(word);
  return found >= begin ? found : begin - 1;
}

/// @brief The elements of a scan, forwards or backwards, that are the first ones of their segments.
struct Heads {
  const BitWord* words = nullptr;
  /// The bit of the scan's element 0, and from element to element. Backwards, the first element of
  /// a segment is the one before the next segment's head.
  Index first = 0, step = 1;

  static Heads of(const BitWord* words, Index length, bool reverse) {
    return reverse ? Heads{words, length, -1} : Heads{words, 0, 1};
  }

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index j) const {
    const auto bit = static_cast<std::uint64_t>(first + j * step);
    return (words[bit / word_bits] >> bit % word_bits & 1) != 0;
  }
  /// @brief The last head in [begin, end), or begin - 1.
  KOKKOS_FUNCTION Index last(Index begin, Index end) const {
    return step > 0 ? highest_bit(words, begin, end)
                    : first - lowest_bit(words, first - end + 1, first - begin + 1);
  }
  /// @brief The first head in [begin, end), or `end`.
  KOKKOS_FUNCTION Index next(Index begin, Index end) const {
    return step > 0 ? lowest_bit(words, begin, end)
                    : first - highest_bit(words, first - end + 1, first - begin + 1);
  }
};

}  // namespace wavescan::Impl

#endif
