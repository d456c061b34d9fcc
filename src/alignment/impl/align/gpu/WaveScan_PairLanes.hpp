// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_PAIRLANES_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_PAIRLANES_HPP

#include <impl/WaveScan_Gpu_ShortPair.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/align/gpu/WaveScan_GpuCell.hpp>

#include <cstdint>

/// @file
/// @brief Strips of rows in the lanes of a warp (CUDA): the scores of their letters, and how a
/// strip hands its lowest row on to the next one.
///
/// In a step a strip computes a block of two columns, one step after the strip above it. A lane
/// with two entries in a word has two strips, that of the upper halves of its words below the other
/// one.

namespace wavescan::Impl {

inline constexpr int pair_block = 2;  ///< columns of a block

/// @brief The words of scores that a strip needs for a letter, and the entries within words.
/// @tparam Rows of a strip
template <class Cells, int Rows>
struct PairLanes;

template <int Rows>
struct PairLanes<ShortCells, Rows> {
  using Word = ShortCells::Word;
  static constexpr int strips_of_lane = 2;
  /// Words for a letter and a strip: a byte for each row.
  static constexpr int score_words = Rows / 4;
  /// Of the words of scores for one letter, those of the strip.
  static __device__ std::uint32_t score_word(const int (&scores)[4]) {
    std::uint32_t word = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) word |= static_cast<std::uint32_t>(scores[k] & 0xff) << 8 * k;
    return word;
  }
  static constexpr int rows_of_word = 4;
  /// @brief The scores of a row.
  static __device__ Word score(const std::uint32_t (&words)[2][score_words], int row) {
    return gpu::signed_bytes(words[0][row / 4], words[1][row / 4], row % 4);
  }

  static __device__ int entry(Word word, int strip) {
    return strip == 0 ? gpu::lower_short(word) : gpu::upper_short(word);
  }
  static __device__ Word word(const int (&entries)[2]) {
    return gpu::short_pair(entries[0], entries[1]);
  }
  /// @brief Returns the word by which `add` adds numbers to entries.
  static __device__ Word addends(const int (&values)[2]) {
    return gpu::short_addends(values[0], values[1]);
  }
  static __device__ Word add(Word word, Word addends) { return gpu::add_exactly(word, addends); }
  /// @brief Whether an entry is as large as the other word's, or larger.
  static __device__ bool reaches(Word word, Word other) {
    const Word larger = gpu::max_of(word, other) ^ word;
    return (larger & 0xffffu) == 0 || larger <= 0xffffu;
  }
  /// @brief All bits of the chosen strips' entries.
  static __device__ Word mask(const bool (&chosen)[2]) {
    return (chosen[0] ? 0xffffu : 0u) | (chosen[1] ? 0xffff0000u : 0u);
  }

  /// A block of a row, relative to a base.
  struct Block {
    std::uint32_t pair;
  };
  /// @brief The lowest row of the lane, for the lane below.
  static __device__ Block block(const Word (&bottom)[pair_block]) {
    return {gpu::upper_shorts(bottom[0], bottom[1])};
  }
  /// @brief An entry of a row of blocks.
  static __device__ int entry_of_block(const Block* blocks, int column) {
    return reinterpret_cast<const std::int16_t*>(blocks)[column];
  }
  /// @brief Gives strips the row above their next block: the lowest entries of the strips above.
  static __device__ __forceinline__ void hand_on(const Block& own, const Word (&bottom)[pair_block],
                                                 const Block& above_all, Word addends,
                                                 Word (&top)[pair_block]) {
    const Word sent = gpu::shuffle_up(own.pair, 1);
    const Word from_above = gpu::lane() == 0 ? above_all.pair : sent;
    top[0] = add(gpu::lower_shorts(from_above, bottom[0]), addends);
    top[1] = add(gpu::upper_and_lower_shorts(from_above, bottom[1]), addends);
  }
};

template <int Rows>
struct PairLanes<SignedShortCells, Rows> : PairLanes<ShortCells, Rows> {};

template <int Rows>
struct PairLanes<IntCells, Rows> {
  using Word = IntCells::Word;
  static constexpr int strips_of_lane = 1;
  static constexpr int score_words = Rows;
  static constexpr int rows_of_word = 1;
  static __device__ std::uint32_t score_word(const int (&scores)[1]) {
    return static_cast<std::uint32_t>(scores[0]);
  }
  static __device__ Word score(const std::uint32_t (&words)[1][score_words], int row) {
    return static_cast<Word>(words[0][row]);
  }

  static __device__ int entry(Word word, int) { return word; }
  static __device__ Word word(const int (&entries)[1]) { return entries[0]; }
  static __device__ Word addends(const int (&values)[1]) { return values[0]; }
  static __device__ Word add(Word word, Word addends) { return word + addends; }
  static __device__ bool reaches(Word word, Word other) { return word >= other; }
  static __device__ Word mask(const bool (&chosen)[1]) { return chosen[0] ? -1 : 0; }

  struct Block {
    std::int32_t entries[pair_block];
  };
  static __device__ Block block(const Word (&bottom)[pair_block]) {
    return {{bottom[0], bottom[1]}};
  }
  static __device__ int entry_of_block(const Block* blocks, int column) {
    return reinterpret_cast<const std::int32_t*>(blocks)[column];
  }
  static __device__ __forceinline__ void hand_on(const Block& own, const Word (&)[pair_block],
                                                 const Block& above_all, Word addends,
                                                 Word (&top)[pair_block]) {
#pragma unroll
    for (int k = 0; k < pair_block; ++k) {
      const Word sent = gpu::shuffle_up(own.entries[k], 1);
      top[k] = (gpu::lane() == 0 ? above_all.entries[k] : sent) + addends;
    }
  }
};

}  // namespace wavescan::Impl

#endif
