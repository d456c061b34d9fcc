// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_GPU_HEADLINES_HPP
#define WAVESCAN_IMPL_SEGMENTED_GPU_HEADLINES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/segmented/WaveScan_Heads.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>

#include <cstdint>
#include <type_traits>

/// @file
/// @brief Lines of a GPU's scan that start at heads.

namespace wavescan::Impl {

/// @brief Starts of a scan's lines where all lines have one length.
struct EqualLines {
  using told = void;
  static constexpr bool have_heads = false;
};

/// @brief Starts of a scan's lines where lines start at heads. For kernels there is one line, in
/// which a state begins anew at each head.
/// @tparam Told what tells them: Heads, or a test of values
template <class T, class Told = Heads>
struct HeadLines {
  using told = Told;
  static constexpr bool have_heads = true;
  Told heads;
  SegmentEntry<T> entry;
};

/// @brief Bits or values that tell the heads among N consecutive elements from `first` on and the
/// place behind them: `load` reads them from memory before `bits` looks at them. A warp's threads
/// have neighbouring elements; all of them call these functions.
template <class Told, int N>
class HeadsAhead;

/// @brief Heads as bits.
template <int N>
class HeadsAhead<Heads, N> {
  static_assert(N < 64, "one bit an element");
  static constexpr int count = N + word_bits > 2 * word_bits ? 3 : 2;

 public:
  static constexpr bool fits = true;

  __device__ void load(const Heads& heads, Index length, Index first) {
    const Index lowest = lowest_of(heads, first);
    const Index w = lowest >> 5;  // rounded down
    const auto shift = static_cast<int>(lowest & (word_bits - 1));
    const bool some = first <= length && first + N >= 0;
    const Index words = words_for(length);
#pragma unroll
    for (int i = 0; i < count; ++i)
      word_[i] = some && shift + N >= i * word_bits && w + i >= 0 && w + i < words
                     ? heads.words[w + i]
                     : 0;
  }
  /// @brief Bit i is element first + i. Elements that do not exist are no heads, but the place
  /// behind the last one is.
  __device__ std::uint64_t bits(const Heads& heads, Index, Index first) const {
    const auto shift = static_cast<int>(lowest_of(heads, first) & (word_bits - 1));
    std::uint64_t bits = (std::uint64_t(word_[1]) << word_bits | word_[0]) >> shift;
    if constexpr (count == 3)
      if (shift > 0) bits |= std::uint64_t(word_[2]) << (2 * word_bits - shift);
    if (heads.step < 0) {
      std::uint64_t forwards = 0;
#pragma unroll
      for (int i = 0; i <= N; ++i) forwards |= (bits >> (N - i) & 1) << i;
      return forwards;
    }
    return bits & ((std::uint64_t(2) << N) - 1);
  }

 private:
  /// Backwards, bits are in the opposite order.
  __device__ static Index lowest_of(const Heads& heads, Index first) {
    return heads.step > 0 ? first : heads.first - first - N;
  }
  BitWord word_[count];
};

template <int N>
__device__ std::uint64_t heads_among(const Heads& heads, Index length, Index first) {
  HeadsAhead<Heads, N> ahead;
  ahead.load(heads, length, first);
  return ahead.bits(heads, length, first);
}

/// @brief Values, forwards: neighbouring lanes look at neighbouring ones, and a warp's votes are
/// the bits.
/// @tparam Test has a value_type, and tells heads by the values of an element and of the one before
template <class Test, int N>
class HeadsAhead {
  using Value = typename Test::value_type;

 public:
  /// Whether there are registers for the values.
  static constexpr bool fits =
      gpu::warp_size == word_bits && N < 32 && (N + 1) * ((sizeof(Value) + 3) / 4) <= 29;

  __device__ void load(const Test& test, Index length, Index first) {
    const int lane = gpu::lane();
    const Index begin = first - Index(lane) * N, end = begin + gpu::warp_size * N;
    if (begin > 0 && end < length) {
#pragma unroll
      for (int i = 0; i < N; ++i) value_[i] = test.value(begin + i * gpu::warp_size + lane);
      // The last lane has the value before the warp's, the others the one behind.
      value_[N] = test.value(lane == gpu::warp_size - 1 ? begin - 1 : end);
    } else {
      const auto value = [&](Index j) { return j >= 0 && j < length ? test.value(j) : Value(); };
#pragma unroll
      for (int i = 0; i < N; ++i) value_[i] = value(begin + i * gpu::warp_size + lane);
      value_[N] = value(lane == gpu::warp_size - 1 ? begin - 1 : end);
    }
  }

  __device__ std::uint64_t bits(const Test& test, Index length, Index first) const {
    const int lane = gpu::lane();
    const Index begin = first - Index(lane) * N;
    const bool inside = begin > 0 && begin + gpu::warp_size * N < length;
    std::uint32_t own = 0;  // of the warp's words of bits
#pragma unroll
    for (int i = 0; i <= N; ++i) {
      const Value before = value_before(i);
      const Index j = begin + i * gpu::warp_size + lane;
      const bool end = !inside && (j == 0 || j == length);
      const bool looks = (i < N || lane == 0) && (inside || (j > 0 && j < length));
      const auto word = static_cast<std::uint32_t>(
          gpu::ballot(end || (looks && test.is_head(before, value_[i]))));
      if (lane == i) own = word;
    }
    const int from = lane * N;
    const std::uint64_t low = gpu::broadcast(own, from / word_bits),
                        high = gpu::broadcast(own, from / word_bits + 1);
    return ((high << word_bits | low) >> from % word_bits) & ((std::uint64_t(2) << N) - 1);
  }

 private:
  /// @brief The value of the element before the own one of row i.
  __device__ Value value_before(int i) const {
    if constexpr (Test::looks_before) {
      const int lane = gpu::lane();
      const bool wraps = lane == gpu::warp_size - 1;
      const Value own = value_[i], last = value_[i > 0 ? i - 1 : N];
      return gpu::broadcast(wraps ? last : own, (lane + gpu::warp_size - 1) % gpu::warp_size);
    } else {
      return {};
    }
  }

  Value value_[N + 1];
};

/// @brief Flags that are bytes: a thread reads its own in words.
template <class Test, int N>
  requires(Test::are_bytes)
class HeadsAhead<Test, N> {
  static constexpr int words = (N + 1 + 3 + 3) / 4;  // from any byte of the first one on

 public:
  static constexpr bool fits = N < word_bits;

  __device__ void load(const Test& test, Index length, Index first) {
    const auto* const flags = reinterpret_cast<const unsigned char*>(test.flags.data) + first;
    const auto before = static_cast<int>(reinterpret_cast<std::uintptr_t>(flags) % 4);
    const bool inside = first >= 4 && first + 4 * words <= length && test.flags.stride == 1;
    shift_ = inside ? before : 0;
    if (inside) {
#pragma unroll
      for (int w = 0; w < words; ++w)
        word_[w] = reinterpret_cast<const std::uint32_t*>(flags - before)[w];
    } else {
#pragma unroll
      for (std::uint32_t& word : word_) word = 0;
#pragma unroll
      for (int i = 0; i <= N; ++i) {
        const Index j = first + i;
        const bool head =
            j == 0 || j == length ||
            (j > 0 && j < length && test.is_head(typename Test::value_type(), test.value(j)));
        word_[i / 4] |= std::uint32_t(head ? 1 : 0) << i % 4 * 8;
      }
    }
  }
  __device__ std::uint64_t bits(const Test&, Index, Index) const {
    std::uint64_t bits = 0;
#pragma unroll
    for (int w = 0; w < words; ++w) bits |= std::uint64_t(bits_of_bytes(word_[w])) << 4 * w;
    return bits >> shift_ & ((std::uint64_t(2) << N) - 1);
  }

 private:
  std::uint32_t word_[words];
  int shift_;  ///< bytes of the first word before the first element's
};

/// @brief The arithmetic of what tiles do, in some of which lines start.
/// @tparam P arithmetic of segments in which no line starts
template <class P>
struct HeadTraits {
  struct segment {
    typename P::segment inner;
    std::uint32_t starts;  ///< of lines; not 0: what is before has no effect
  };
  static constexpr bool knows_starts = true;
  using weight_type = typename P::weight_type;
  static constexpr bool ordered = true;
  static constexpr bool weighs_by_length = !std::is_empty_v<weight_type>;
  const P& traits;

  __device__ segment identity() const { return {traits.identity(), 0}; }
  __device__ segment join(const segment& a, const segment& b, const weight_type& w) const {
    segment both = b;
    if (b.starts == 0) both.inner = traits.join(a.inner, b.inner, w);
    both.starts += a.starts;
    return both;
  }
  __device__ weight_type weight_of(Index length) const { return traits.weight_of(length); }
};

}  // namespace wavescan::Impl

#endif
