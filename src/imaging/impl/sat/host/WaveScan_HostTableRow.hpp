// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SAT_HOST_HOSTTABLEROW_HPP
#define WAVESCAN_IMPL_SAT_HOST_HOSTTABLEROW_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_TargetVector.hpp>

#include <algorithm>

namespace wavescan::Impl {

/// @brief Columns of a HostTableRow from j on, as many as whole groups of four of a target's
/// registers hold: its `sum` computes them and returns the first that is not done.
template <class Target, class A>
struct HostTableGroups {
  template <bool Streaming, class Row>
  static Index sum(const Row&, Index j, A&) {
    return j;
  }
};

/// @brief One row of a table whose pixels are added to the sums of their columns, and whose entries
/// are the prefix sums of those, plus the entries above.
///
/// In vectors, where there are some for A: like HostVectorScan, a group of four is scanned inside,
/// and what enters the group is joined at the end. Meanwhile the pixels that are
/// needed next are fetched, as the processor's own prefetching loses its way where rows of a tile
/// end, and the entries that are overwritten next, as stores would wait for their cache lines.
/// @tparam A     type of the sums
/// @tparam Pixel element type of the image
template <class A, class Pixel>
struct HostTableRow {
  const A* pixels;
  const Pixel* upcoming;  ///< needed next, as they lie in memory
  A* sums;                ///< of the columns above; then of the columns down to this row
  const A* above;         ///< entries
  A* entries;             ///< the result; may be `pixels`
  const A* next_entries;  ///< the result of the next row
  Index count;

  /// @brief Computes the row and returns what its pixels and those above have summed up.
  /// @param state what they have summed up left of the row
  /// @tparam Streaming stores bypass the caches; `entries` must be aligned to vectors
  template <bool Streaming>
  A sum(A state) const {
    Index j = 0;
    if constexpr (sizeof(A) >= 4)
      j = dispatch([&](auto target) {
        return HostTableGroups<decltype(target), A>::template sum<Streaming>(*this, 0, state);
      });
    j = HostTableGroups<Baseline, A>::template sum<Streaming>(*this, j, state);
    for (; j < count; ++j) {
      sums[j] = wrapping_add(sums[j], pixels[j]);
      state = wrapping_add(state, sums[j]);
      entries[j] = wrapping_add(above[j], state);
    }
    return state;
  }

  /// @brief Fetches what is needed next for `Count` columns from j on.
  template <int Count, bool Streaming>
  void fetch_upcoming(Index j) const {
    constexpr int pixels_a_line = std::max(64 / static_cast<int>(sizeof(Pixel)), 1);
    for (int k = 0; k < Count; k += pixels_a_line) __builtin_prefetch(upcoming + j + k);
    if constexpr (!Streaming) {
      constexpr int entries_a_line = std::max(64 / static_cast<int>(sizeof(A)), 1);
      for (int k = 0; k < Count; k += entries_a_line) __builtin_prefetch(next_entries + j + k, 1);
    }
  }
};

}  // namespace wavescan::Impl

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/sat/host/WaveScan_HostTableRow.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl {

template <VectorElement A>
struct HostTableGroups<WAVESCAN_TARGET, A> {
  using vector = TargetVector<WAVESCAN_TARGET, A>;
  static constexpr Index lanes = vector::lanes;

  template <bool Streaming, class Row>
  WAVESCAN_TARGET_FUNCTION static Index sum(const Row& row, Index j, A& state) {
    vector entering = vector::all(state);
    for (; j + 4 * lanes <= row.count; j += 4 * lanes) {
      row.template fetch_upcoming<4 * lanes, Streaming>(j);
      vector x[4];
      for (int i = 0; i < 4; ++i) {
        const Index k = j + i * lanes;
        const vector sum = vector::load(row.sums + k) + vector::load(row.pixels + k);
        sum.store(row.sums + k);
        x[i] = scan_lanes<1>(sum);
      }
      // Totals of the vectors before, each in all lanes; independent of what enters.
      vector before = x[0].last();
      for (int i = 1; i < 4; ++i) {
        const vector own = x[i].last();
        x[i] = before + x[i];
        before = before + own;
      }
      for (int i = 0; i < 4; ++i) {
        const Index k = j + i * lanes;
        const vector entry = vector::load(row.above + k) + (entering + x[i]);
        if constexpr (Streaming)
          entry.stream(row.entries + k);
        else
          entry.store(row.entries + k);
      }
      entering = entering + before;
    }
    state = entering.first();
    return j;
  }

 private:
  template <int Distance>
  WAVESCAN_TARGET_INLINED static vector scan_lanes(vector x) {
    if constexpr (Distance < lanes)
      return scan_lanes<2 * Distance>(x.template shifted<Distance>() + x);
    else
      return x;
  }
};

}  // namespace wavescan::Impl

#endif
