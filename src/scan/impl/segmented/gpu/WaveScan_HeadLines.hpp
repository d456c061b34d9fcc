// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_GPU_HEADLINES_HPP
#define WAVESCAN_IMPL_SEGMENTED_GPU_HEADLINES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/segmented/WaveScan_Heads.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>

#include <cstdint>
#include <type_traits>

/// @file
/// @brief Lines of a GPU's scan that start at heads.

namespace wavescan::Impl {

/// @brief Where the lines of a scan start: all have one length.
struct EqualLines {
  static constexpr bool have_heads = false;
};

/// @brief Where the lines of a scan start: at heads. For kernels there is one line, in which a
/// state begins anew at each of them.
template <class T>
struct HeadLines {
  static constexpr bool have_heads = true;
  Heads heads;
  SegmentEntry<T> entry;
};

/// @brief The heads among N consecutive elements from `first` on, and the one behind them: bit i is
/// element first + i. Elements that do not exist are none, but the place behind the last one is.
template <int N>
__device__ std::uint64_t heads_among(const Heads& heads, Index length, Index first) {
  static_assert(N < 64, "one bit an element");
  if (first > length || first + N < 0) return 0;
  // Backwards, bits are in the opposite order.
  const Index lowest = heads.step > 0 ? first : heads.first - first - N;
  const Index w = lowest >> 5;  // rounded down
  const int shift = static_cast<int>(lowest & (word_bits - 1));
  const Index words = words_for(length);
  const auto word = [&](Index i) -> std::uint64_t {
    return i >= 0 && i < words ? heads.words[i] : 0;
  };
  std::uint64_t bits = word(w);
  if (shift + N >= word_bits) bits |= word(w + 1) << word_bits;
  bits >>= shift;
  if constexpr (N + word_bits > 2 * word_bits)
    if (shift + N >= 2 * word_bits) bits |= word(w + 2) << (2 * word_bits - shift);
  if (heads.step < 0) {
    std::uint64_t forwards = 0;
#pragma unroll
    for (int i = 0; i <= N; ++i) forwards |= (bits >> (N - i) & 1) << i;
    return forwards;
  }
  return bits & ((std::uint64_t(2) << N) - 1);
}

/// @brief The arithmetic of what tiles do, in some of which lines start.
/// @tparam P arithmetic of segments in which no line starts
template <class P>
struct HeadTraits {
  struct segment {
    typename P::segment inner;
    std::uint32_t heads;  ///< not 0 if a line starts: then what is before has no effect
  };
  using weight_type = typename P::weight_type;
  static constexpr bool ordered = true;
  static constexpr bool weighs_by_length = !std::is_empty_v<weight_type>;
  const P& traits;

  __device__ segment identity() const { return {traits.identity(), 0}; }
  __device__ segment join(const segment& a, const segment& b, const weight_type& w) const {
    segment both = b;
    if (b.heads == 0) both.inner = traits.join(a.inner, b.inner, w);
    both.heads += a.heads;
    return both;
  }
  __device__ weight_type weight_of(Index length) const { return traits.weight_of(length); }
};

}  // namespace wavescan::Impl

#endif
