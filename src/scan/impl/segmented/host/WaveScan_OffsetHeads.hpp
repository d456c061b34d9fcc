// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_HOST_OFFSETHEADS_HPP
#define WAVESCAN_IMPL_SEGMENTED_HOST_OFFSETHEADS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/segmented/WaveScan_Heads.hpp>
#include <impl/segmented/WaveScan_OffsetArray.hpp>

#include <algorithm>
#include <cstdint>

namespace wavescan::Impl {

/// @brief Segments that are told by offsets, and words for their heads: who scans a block of
/// elements sets its heads first. To set those of all blocks before would take a parallel region of
/// its own, and the words would lie in other cores' caches.
struct OffsetHeads {
  OffsetArray offsets;  ///< of all segments, and the end of the last one
  Index length = 0;     ///< elements
  BitWord* words = nullptr;

  /// @brief Sets the heads among elements [begin, end), and the one behind the last of all.
  /// @param begin a multiple of word_bits, as `end` is unless it is the end of all elements
  void set(Index begin, Index end) const {
    if (words == nullptr) return;
    const Index behind = end == length ? words_for(length) : end / word_bits;
    std::fill(words + begin / word_bits, words + behind, BitWord(0));
    if (begin == 0) words[0] = 1;
    switch (offsets.width) {
      case OffsetArray::Width::Int32:
        set_at<std::int32_t>(begin, end);
        break;
      case OffsetArray::Width::UInt32:
        set_at<std::uint32_t>(begin, end);
        break;
      default:
        set_at<std::int64_t>(begin, end);
    }
    if (end == length) words[length / word_bits] |= BitWord(1) << length % word_bits;
  }

 private:
  /// @brief Sets the heads at all offsets in the block; empty segments begin where others do, too.
  template <class Offset>
  void set_at(Index begin, Index end) const {
    const auto elements = static_cast<std::uint64_t>(end - begin);
    auto word = static_cast<std::uint64_t>(begin) / word_bits;
    BitWord bits = words[word];
    Index s = offsets.count_below(begin);
    const Offset* at = static_cast<const Offset*>(offsets.data) + s * offsets.stride;
    for (; s < offsets.size; ++s, at += offsets.stride) {
      const auto j = static_cast<std::uint64_t>(static_cast<Index>(*at));
      if (j - static_cast<std::uint64_t>(begin) >= elements) return;
      // Stored each time: whether the next offset is in another word cannot be predicted.
      bits &= j / word_bits == word ? ~BitWord(0) : BitWord(0);
      word = j / word_bits;
      bits |= BitWord(1) << j % word_bits;
      words[word] = bits;
    }
  }
};

}  // namespace wavescan::Impl

#endif
