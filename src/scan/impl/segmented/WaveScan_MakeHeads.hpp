// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_MAKEHEADS_HPP
#define WAVESCAN_IMPL_SEGMENTED_MAKEHEADS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_SegmentDescriptions.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/segmented/WaveScan_Heads.hpp>
#include <impl/segmented/WaveScan_OffsetArray.hpp>
#include <impl/segmented/WaveScan_RunCounts.hpp>
#include <impl/segmented/host/WaveScan_OffsetHeads.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/segmented/gpu/WaveScan_HeadsOfValues.hpp>
#endif

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

/// @file
/// @brief Conversion of descriptions of segments to a bit for each element.

namespace wavescan::Impl {

template <class Offsets>
SegmentRanges ranges_of(const OffsetSegments<Offsets>& segments) {
  const OffsetArray offsets(segments.offsets);
  return {offsets.part(0, offsets.size - 1), offsets.part(1, offsets.size - 1), false};
}
template <class Begins, class Ends>
SegmentRanges ranges_of(const RangeSegments<Begins, Ends>& segments) {
  return {OffsetArray(segments.begins), OffsetArray(segments.ends), true};
}

/// @brief Ignores empty segments.
struct DropEmpty {
  KOKKOS_FUNCTION void operator()(Index) const {}
};
/// @brief Stores the sum of empty segments, the same for all, if there is one.
template <class T>
struct EmptySums {
  Lines<T> sums;
  State<T> of_empty;
  KOKKOS_FUNCTION void operator()(Index s) const {
    if (of_empty.present) sums(0, s) = of_empty.value;
  }
};

/// @brief Sets the bits of heads, of some neighbouring segments at a time: what falls into one word
/// takes one atomic operation. Words must have been cleared.
/// @tparam Empty called for each empty segment
template <class Empty>
struct SetHeads {
  SegmentRanges segments;
  Index length;
  Index some;
  BitWord* words;
  BitWord* has_empty;
  Empty on_empty;

  static constexpr int at_once = 16;  ///< offsets that are read before they are looked at

  struct Pending {
    BitWord* words;
    Index word = 0;
    BitWord bits = 0;
    KOKKOS_FUNCTION void set(Index j) { add(j / word_bits, BitWord(1) << j % word_bits); }
    KOKKOS_FUNCTION void add(Index w, BitWord heads) {
      if (heads == 0) return;
      if (w != word) {
        flush();
        word = w;
      }
      bits |= heads;
    }
    KOKKOS_FUNCTION void flush() {
      if (bits != 0) Kokkos::atomic_or(words + word, bits);
      bits = 0;
    }
  };

  KOKKOS_FUNCTION void operator()(const Index task) const {
    Pending pending{words};
    if (task == 0) {
      pending.set(0);
      pending.set(length);
    }
    const Index count = segments.begins.size, first = task * some;
    bool empty = false;
    if (!segments.apart && first + some < count && segments.begins.has_words()) {
      switch (segments.begins.width) {
        case OffsetArray::Width::Int32:
          set_in_words<std::int32_t>(pending, empty, first);
          break;
        case OffsetArray::Width::UInt32:
          set_in_words<std::uint32_t>(pending, empty, first);
          break;
        default:
          set_in_words<std::int64_t>(pending, empty, first);
      }
    } else {
      const Index end = first + some < count ? first + some : count;
      for (Index s = first; s < end; ++s)
        set_one(pending, empty, s, segments.begins(s), segments.ends(s),
                segments.apart || s == count - 1);
    }
    pending.flush();
    if (empty || segments.apart) *has_empty = 1;
  }

 private:
  /// @param ends_count whether something begins where the segment ends, too
  KOKKOS_FUNCTION void set_one(Pending& pending, bool& empty, Index s, Index from, Index to,
                               bool ends_count) const {
    if (from < to) {
      if (is_inside(from)) pending.set(from);
      if (ends_count && is_inside(to)) pending.set(to);
    } else {
      empty = true;
      on_empty(s);
    }
  }

  /// @brief Segments from `first` on, none of which is the last one, by offsets that are read as
  /// words of 16 bytes: of GPUs, neighbouring threads read neighbouring memory.
  template <class Offset>
  KOKKOS_FUNCTION void set_in_words(Pending& pending, bool& empty, Index first) const {
    constexpr int in_word = 16 / sizeof(Offset);
    struct alignas(16) Word {
      Offset offset[in_word];
    };
    const auto* const offsets = static_cast<const Offset*>(segments.begins.data) + first;
    for (Index k = 0; k < some; k += at_once) {
      Word word[at_once / in_word];
      for (int i = 0; i < at_once / in_word; ++i)
        word[i] = reinterpret_cast<const Word*>(offsets + k)[i];
      const Offset end = offsets[k + at_once];
      const auto at = [&](int i) {
        return i < at_once ? word[i / in_word].offset[i % in_word] : end;
      };
      // Short segments begin in the two words from that of the first offset on.
      using Unsigned = std::make_unsigned_t<Offset>;
      const Unsigned begin = static_cast<Unsigned>(at(0)) / word_bits * word_bits;
      const Unsigned span = static_cast<Unsigned>(end) - begin;
      bool all = span < 2 * word_bits && is_inside(at(0)) && is_inside(begin + 2 * word_bits);
      if (all) {
        std::uint64_t bits = 0;
        for (int i = 0; i < at_once; ++i) {
          const bool real = at(i) < at(i + 1);
          bits |= std::uint64_t(real ? 1 : 0)
                  << ((static_cast<Unsigned>(at(i)) - begin) % (2 * word_bits));
          all &= real;
        }
        const Index w = static_cast<Index>(begin) / word_bits;
        pending.add(w, static_cast<BitWord>(bits));
        pending.add(w + 1, static_cast<BitWord>(bits >> word_bits));
        if (all) continue;
      }
      // Words of a narrow type, since this is most of the work.
      Unsigned w = 0;
      BitWord bits = 0;
      for (int i = 0; i < at_once; ++i) {
        const Offset from = at(i);
        if (from < at(i + 1)) {
          const Unsigned place = static_cast<Unsigned>(from);
          if (!is_inside(from)) continue;
          if (place / word_bits != w) {
            if (bits != 0) Kokkos::atomic_or(words + w, bits);
            w = place / word_bits;
            bits = 0;
          }
          bits |= BitWord(1) << place % word_bits;
        } else {
          empty = true;
          on_empty(first + k + i);
        }
      }
      pending.add(static_cast<Index>(w), bits);
    }
  }
  /// @brief Whether an element is at this place; only then may it be written to.
  template <class Offset>
  KOKKOS_FUNCTION bool is_inside(Offset from) const {
    return static_cast<std::make_unsigned_t<Offset>>(from) < static_cast<std::uint64_t>(length);
  }
};

/// @brief Whether element j > 0 is a head, by its flag or by its key and the one before.
template <class T>
struct FlaggedHead {
  using value_type = T;
  static constexpr bool looks_before = false;
  static constexpr bool are_bytes = sizeof(T) == 1;
  Lines<const T> flags;
  KOKKOS_FUNCTION const Lines<const T>& elements() const { return flags; }
  KOKKOS_FORCEINLINE_FUNCTION T value(Index j) const { return flags(0, j); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_head(const T&, const T& own) const { return own != T(0); }
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index j) const { return flags(0, j) != T(0); }
};
/// @brief Whether a word of flags that are bytes can be read as words of 16 bytes.
template <class T>
KOKKOS_FUNCTION bool are_bytes_in_words(const FlaggedHead<T>& heads) {
  return heads.flags.stride == 1 && reinterpret_cast<std::uintptr_t>(heads.flags.data) % 16 == 0;
}

/// @brief A bit for each of 32 bytes at a 16-byte boundary that is not zero.
KOKKOS_INLINE_FUNCTION BitWord bits_of_bytes(const void* bytes) {
  struct alignas(16) Words {
    std::uint64_t word[2];
  };
  BitWord bits = 0;
  for (int h = 0; h < 2; ++h) {
    const Words words = static_cast<const Words*>(bytes)[h];
    for (int i = 0; i < 2; ++i) bits |= bits_of_bytes(words.word[i]) << (16 * h + 8 * i);
  }
  return bits;
}

template <class T, class Equal>
struct KeyedHead {
  using value_type = T;
  static constexpr bool looks_before = true;
  static constexpr bool are_bytes = false;
  Lines<const T> keys;
  Equal equal;
  KOKKOS_FUNCTION const Lines<const T>& elements() const { return keys; }
  KOKKOS_FORCEINLINE_FUNCTION T value(Index j) const { return keys(0, j); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_head(const T& before, const T& own) const {
    return !equal(before, own);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index j) const {
    return !equal(keys(0, j - 1), keys(0, j));
  }
};
template <class Flags>
auto head_test(const FlagSegments<Flags>& segments) {
  using T = typename Flags::const_value_type;
  const auto lines = lines_of(segments.flags, 0);
  return FlaggedHead<std::remove_const_t<T>>{{lines.data, lines.line_stride, lines.stride}};
}
template <class Keys, class Equal>
auto head_test(const KeySegments<Keys, Equal>& segments) {
  using T = typename Keys::const_value_type;
  const auto lines = lines_of(segments.keys, 0);
  return KeyedHead<std::remove_const_t<T>, Equal>{{lines.data, lines.line_stride, lines.stride},
                                                  segments.equal};
}

/// @brief A word of bits from its elements.
template <class IsHead>
struct HeadsOfValues {
  IsHead is_head;
  Index length;
  BitWord* words;
  KOKKOS_FUNCTION void operator()(const Index w) const {
    const Index first = w * word_bits;
    const int count = length - first < word_bits ? static_cast<int>(length - first) : word_bits;
    BitWord bits = 0;
    if constexpr (IsHead::are_bytes) {
      if (count == word_bits && are_bytes_in_words(is_head)) {
        bits = bits_of_bytes(is_head.flags.data + first);
        words[w] = first == 0 ? bits | 1 : bits;
        return;
      }
    }
    for (int i = first == 0 ? 1 : 0; i < count; ++i)
      bits |= BitWord(is_head(first + i) ? 1 : 0) << i;
    if (first == 0) bits |= 1;
    if (count < word_bits) bits |= BitWord(1) << count;  // the place behind the last element
    words[w] = bits;
  }
};

struct CountHeads {
  const BitWord* words;
  Index length;
  Index* counts;
  KOKKOS_FUNCTION void operator()(const Index chunk) const {
    const Index all = words_for(length), first = chunk * RunCounts::chunk_words;
    const Index end = first + RunCounts::chunk_words < all ? first + RunCounts::chunk_words : all;
    Index count = 0;
    for (Index w = first; w < end; ++w) count += count_bits(words[w]);
    counts[chunk] = count;
  }
};

/// @brief The bits of elements that are in segments.
struct CoverSegments {
  SegmentRanges segments;
  Index length;
  BitWord* words;
  KOKKOS_FUNCTION void operator()(const Index w) const {
    const Index first = w * word_bits, end = first + word_bits;
    const Index before = segments.begins.count_below(first);
    BitWord bits = 0;
    // A loop that looked for its own end kept nvcc 13.0 busy for ever.
    const Index behind = segments.begins.count_below(end);
    for (Index s = before > 0 ? before - 1 : 0; s < behind; ++s) {
      const Index from = segments.begins(s), to = segments.ends(s);
      const Index a = from > first ? from : first, b = to < end ? to : end;
      if (a < b) bits |= bits_between(static_cast<int>(a - first), static_cast<int>(b - first));
    }
    words[w] = bits;
  }
};

/// @brief Enqueues that bits, which have been cleared, are set where segments begin, and one behind
/// them if there are empty segments. Users may find it compiled: see
/// heads/WaveScan_Instantiations.hpp.
template <ExecutionSpace Exec, class Empty>
void enqueue_heads(const Exec& exec, const SegmentRanges& ranges, Index length, BitWord* words,
                   const Empty& on_empty) {
  constexpr Index some = (runs_on_host<Exec> ? 64 : 1) * SetHeads<Empty>::at_once;
  enqueue_items(exec, "WaveScan::segmented::set_heads",
                std::max<Index>(ceil_div(ranges.begins.size, some), 1), 1e-9 * some,
                SetHeads<Empty>{ranges, length, some, words, words + words_for(length), on_empty});
}

/// @brief Heads of segments, and what follows from them; owns their memory.
template <ExecutionSpace Exec>
class HeadBits {
  using memory_space = typename Exec::memory_space;

 public:
  /// @param counts whether runs will be counted
  HeadBits(const Exec& exec, Index length, bool counts)
      : length_(length), counts_scan_(exec, 1, counts ? RunCounts::chunks(length) : 0) {
    allocate(exec, words_, "WaveScan::segmented::heads", words_for(length) + 1);
    if (counts) allocate(exec, counts_, "WaveScan::segmented::counts", RunCounts::chunks(length));
  }

  /// @brief Enqueues that bits are set where segments begin.
  /// @param on_empty called for each empty segment, of those that are numbered
  /// @return whether they have been counted, too
  template <class S, class Empty = DropEmpty>
  bool enqueue(const Exec& exec, const S& segments, const Empty& on_empty = {}) const {
    if constexpr (are_numbered<S>) {
      Kokkos::deep_copy(exec, words_, BitWord(0));
      enqueue_heads(exec, ranges_of(segments), length_, words_.data(), on_empty);
    } else {
      static_cast<void>(on_empty);
      const auto is_head = head_test(segments);
      if constexpr (has_gpu_kernels)
        launch_heads_of_values(exec, is_head, length_, words_.data(), counts_.data());
      else
        enqueue_items(exec, "WaveScan::segmented::heads_of_values", words_for(length_), 4e-9,
                      HeadsOfValues<decltype(is_head)>{is_head, length_, words_.data()});
    }
    return has_gpu_kernels && !are_numbered<S>;
  }

  /// @brief Bits that a host's threads set where segments begin, those of a block before it is
  /// scanned.
  OffsetHeads in_blocks(const OffsetArray& offsets) const {
    return {offsets, length_, words_.data()};
  }

  /// @brief Enqueues, after that, how many heads there are before others.
  void enqueue_counts(const Exec& exec, bool counted = false) const {
    if (!counted)
      enqueue_items(exec, "WaveScan::segmented::count_heads", RunCounts::chunks(length_), 50e-9,
                    CountHeads{words_.data(), length_, counts_.data()});
    counts_scan_.exclusive(counts_, counts_);
  }
  RunCounts counts() const { return {words_.data(), counts_.data()}; }

  /// @brief Enqueues which elements are in segments that need not touch.
  Heads enqueue_cover(const Exec& exec, const SegmentRanges& ranges, bool reverse) const {
    auto& inside = *inside_;
    allocate(exec, inside, "WaveScan::segmented::inside", words_for(length_));
    enqueue_items(exec, "WaveScan::segmented::cover", words_for(length_), 100e-9,
                  CoverSegments{ranges, length_, inside.data()});
    return reverse ? Heads{inside.data(), length_ - 1, -1} : Heads{inside.data(), 0, 1};
  }

  Heads heads(bool reverse) const { return Heads::of(words_.data(), length_, reverse); }
  const BitWord* words() const { return words_.data(); }
  /// @brief A word in a device's memory: whether there are empty segments or elements in no
  /// segment.
  const BitWord* has_empty() const { return words_.data() + words_for(length_); }
  Index length() const { return length_; }

  std::size_t bytes() const {
    return (words_.size() + inside_->size()) * sizeof(BitWord) + counts_.size() * sizeof(Index) +
           counts_scan_.workspace_bytes();
  }

 private:
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  static constexpr bool has_gpu_kernels = std::same_as<Exec, gpu::Device>;
#else
  static constexpr bool has_gpu_kernels = false;
#endif
  Index length_ = 0;
  Scan<Exec, Plus<Index>> counts_scan_;
  Kokkos::View<BitWord*, memory_space> words_;  ///< and whether there are empty segments
  Kokkos::View<Index*, memory_space> counts_;
  /// Allocated by the first call that needs it.
  std::shared_ptr<Kokkos::View<BitWord*, memory_space>> inside_ =
      std::make_shared<Kokkos::View<BitWord*, memory_space>>();
};

}  // namespace wavescan::Impl

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/heads/WaveScan_Instantiations.hpp>
#endif

#endif
