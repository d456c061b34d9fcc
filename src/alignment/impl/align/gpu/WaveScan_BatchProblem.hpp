// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_GPU_BATCHPROBLEM_HPP
#define WAVESCAN_IMPL_ALIGN_GPU_BATCHPROBLEM_HPP

#include <WaveScan_AlignmentScoring.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Gpu_TaskQueue.hpp>

#include <cstdint>

/// @file
/// @brief Many pairs as the kernel of WaveScan_BatchKernel.hpp takes them.

namespace wavescan::Impl::batch {

/// @brief A pair of sequences.
struct Item {
  Index a, b;         ///< their first letters' places among all letters
  int rows, columns;  ///< their lengths
};

/// @brief The begins of a set's sequences.
struct Offsets {
  const std::int64_t* data = nullptr;
  Index stride = 1;
  Index sequences = 0;

  KOKKOS_FUNCTION Index at(Index k) const { return data[k * stride]; }
  KOKKOS_FUNCTION Index of_pair(Index pair) const { return sequences == 1 ? 0 : pair; }
  KOKKOS_FUNCTION Index begin(Index pair) const { return at(of_pair(pair)); }
  KOKKOS_FUNCTION Index length(Index pair) const {
    const Index k = of_pair(pair);
    return at(k + 1) - at(k);
  }
};

/// @brief Pairs as they are aligned: whole sequences, or, from known ends, prefixes backwards.
struct Pairs {
  Offsets a, b;
  Index count = 0;
  const AlignmentScore* ends = nullptr;  ///< if not null

  KOKKOS_FUNCTION Index rows(Index pair) const {
    return ends == nullptr ? a.length(pair) : ends[pair].end_a;
  }
  KOKKOS_FUNCTION Index columns(Index pair) const {
    return ends == nullptr ? b.length(pair) : ends[pair].end_b;
  }
  KOKKOS_FUNCTION Item item(Index pair) const {
    const Index last_a = ends == nullptr ? 0 : rows(pair) - 1,
                last_b = ends == nullptr ? 0 : columns(pair) - 1;
    return {a.begin(pair) + last_a, b.begin(pair) + last_b, static_cast<int>(rows(pair)),
            static_cast<int>(columns(pair))};
  }
};

/// @brief Pairs that are aligned by as many lanes each, and in as many bands.
struct Class {
  int lanes;
  Index first, count;
  Index first_task;
};

/// @brief Classes: 4, 8, 16 or 32 lanes, then 32 lanes in two bands and in more.
inline constexpr int classes = 16;
KOKKOS_INLINE_FUNCTION int lanes_of_class(int c) { return c < 3 ? 4 << c : 32; }
/// @param rows of a lane
KOKKOS_INLINE_FUNCTION int class_of(int length, int rows) {
  const int lanes = (length + rows - 1) / rows;
  if (lanes <= 4) return 0;
  if (lanes <= 8) return 1;
  if (lanes <= 16) return 2;
  const int bands = (lanes + 31) / 32;
  return bands + 2 < classes ? bands + 2 : classes - 1;
}

/// @brief Bounds absolute scores in words of 32 bits: keys have 5 bits beside them.
inline constexpr int max_score = 1 << 25;

/// @brief Values that a lane hands to the band below its own: an entry and the gap above it.
struct alignas(8) Border {
  std::uint32_t h, e;
};

struct Problem {
  const char* a;  ///< letters
  const char* b;
  Index stride_a, stride_b;  ///< between the Views' letters
  int direction;             ///< 1, or -1 if sequences are taken backwards
  Pairs pairs;
  const std::uint32_t* order;  ///< if not null, the numbers of the pairs to align, one by one
  AlignmentScore* results;     ///< at the pairs' numbers

  std::uint8_t codes[256];  ///< of letters
  /// For each code in a, and then for none, words of its scores with each code in b, and with none,
  /// and `open`, packed as the kernel's cells have them; 0 with none.
  const std::uint32_t* scores;
  int score_groups;  ///< words for a code
  int letters;       ///< different ones
  int open, extend;  ///< cost of a gap's first letter, and of each further one
  bool free_above, free_left, free_below, free_right;
  int one, thirty_two;  ///< these numbers: what is not known keeps sums from the slower unit

  /// All pairs have the same `a`, whose scores with all letters lie in shared memory.
  bool one_query;
  int query_bands, query_lanes;

  Class class_of_tasks[classes];  ///< by their first tasks
  Index tasks;
  Border* borders;  ///< for each warp so many, 32 of them before the first column's:
  Index border_columns;

  int reliable;           ///< scores up to this are exact
  std::uint32_t* redo;    ///< numbers of pairs for which a larger score was found
  std::uint32_t* redone;  ///< how many
  gpu::TaskQueue::Launch queue;

  KOKKOS_FORCEINLINE_FUNCTION unsigned char letter_of_a(const Item& item, int row) const {
    return static_cast<unsigned char>(a[(item.a + direction * row) * stride_a]);
  }
};

}  // namespace wavescan::Impl::batch

#endif
