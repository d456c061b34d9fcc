// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_GPUCELL_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_GPUCELL_HPP

#include <impl/WaveScan_Gpu_ShortPair.hpp>

#include <cstdint>

/// @file
/// @brief An entry of an alignment's matrix in a thread's registers (CUDA).
///
/// What is stored beside an entry h are its gaps plus the cost of a gap's first letter: so an entry
/// opens a gap by a maximum alone, and the cost is taken off once, from the maximum of all:
///
///     e = max(e - extend, h above)        (a letter of `a` alone)
///     f = max(f - extend, h to the left)  (a letter of `b` alone)
///     h = max(max(h diagonal + (score + open), e, f) - open, 0)
///
/// With linear gaps, e and f are just the entries above and to the left. Alignments that are not
/// local count from bases so low that nothing reaches the floor.

namespace wavescan::Impl {

/// @brief Two entries in a word: from 0 to 2047, as are h + open and h diagonal + score + open. No
/// score + open is negative, so that words are added as they are.
struct ShortCells {
  using Word = std::uint32_t;
  static constexpr bool any_scores = false;
  static constexpr int count = 2;  ///< entries in a word
  static constexpr int largest = gpu::largest_exact_short;

  static __device__ Word same(int value) { return gpu::short_pair(value, value); }
  /// @brief Returns the word that clamped_sum adds.
  static __device__ Word addend(int value) { return gpu::short_addends(value, value); }
  static __device__ Word maximum(Word a, Word b) { return gpu::max_of(a, b); }
  static __device__ Word maximum(Word a, Word b, Word c) { return gpu::max_of(a, b, c); }
  /// @brief max(a + b, c)
  static __device__ Word sum_or(Word a, Word b, Word c) { return gpu::add_and_max(a, b, c); }
  static __device__ Word clamped_sum(Word a, Word b) { return gpu::add_and_clamp(a, b); }
};

/// @brief Two entries in a word, with any scores: this takes more of those instructions of which a
/// GPU runs few at a time.
struct SignedShortCells : ShortCells {
  static constexpr bool any_scores = true;
};

/// @brief One entry in a word.
struct IntCells {
  using Word = std::int32_t;
  static constexpr bool any_scores = true;
  static constexpr int count = 1;
  static constexpr int largest = 1 << 30;

  static __device__ Word same(int value) { return value; }
  static __device__ Word addend(int value) { return value; }
  static __device__ Word maximum(Word a, Word b) { return a > b ? a : b; }
  static __device__ Word maximum(Word a, Word b, Word c) { return __vimax3_s32(a, b, c); }
  static __device__ Word sum_or(Word a, Word b, Word c) { return __viaddmax_s32(a, b, c); }
  static __device__ Word clamped_sum(Word a, Word b) { return __viaddmax_s32(a, b, 0); }
};

/// @brief The update of an entry, with the costs of gaps as it takes them.
/// @tparam Cells  ShortCells or IntCells
/// @tparam Affine whether a gap's first letter costs another amount than further ones
template <class Cells, bool Affine>
struct CellUpdate {
  using Word = typename Cells::Word;
  Word open_addend;
  Word minus_open, minus_extend;

  __device__ CellUpdate(int open, int extend)
      : open_addend(Cells::addend(-open)),
        minus_open(Cells::same(-open)),
        minus_extend(Cells::same(-extend)) {}

  /// @brief Goes on to the next entry of a column, downwards.
  /// @param score    of the pair of letters, and `open`
  /// @param diagonal the entry to the upper left; becomes the one to the left
  /// @param h        the entry to the left; becomes the entry
  /// @param f        the gap to the left; becomes the entry's. Unused with linear gaps
  /// @param above    the entry above; becomes the entry, or what it would be without the gap e,
  ///                 from which no gap opens that is better than e itself
  /// @param e        the gap above; becomes the entry's. Unused with linear gaps
  __device__ __forceinline__ void operator()(Word score, Word& diagonal, Word& h, Word& f,
                                             Word& above, Word& e) const {
    update(Cells::any_scores, score, diagonal, h, f, above, e);
  }
  /// @param soon whether the entry shall follow from the one above by one instruction, which takes
  ///             one more for all; a constant
  __device__ __forceinline__ void update(bool soon, Word score, Word& diagonal, Word& h, Word& f,
                                         Word& above, Word& e) const {
    if constexpr (Affine) {
      f = Cells::sum_or(f, minus_extend, h);
      if (!soon) e = Cells::sum_or(e, minus_extend, above);
    }
    Word& to_left = Affine ? f : h;
    if (soon) {
      const Word others = Cells::clamped_sum(Cells::sum_or(diagonal, score, to_left), open_addend);
      diagonal = h;
      if constexpr (Affine) e = Cells::sum_or(e, minus_extend, above);
      h = Cells::sum_or(Affine ? e : above, minus_open, others);
      above = Affine ? others : h;
    } else {
      const Word best = Cells::maximum(diagonal + score, to_left, Affine ? e : above);
      diagonal = h;
      above = h = Cells::clamped_sum(best, open_addend);
    }
  }
};

}  // namespace wavescan::Impl

#endif
