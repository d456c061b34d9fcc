// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_HOSTROW_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_HOSTROW_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Scan_HostTile.hpp>
#include <impl/WaveScan_Scan_HostVectors.hpp>
#include <impl/WaveScan_SummedAreaTable_HostGroups.hpp>

#include <algorithm>

namespace wavescan::Impl {

/// @brief One row of a table whose pixels are added to the sums of their columns, and whose entries
/// are the prefix sums of those, plus the entries above.
///
/// In the host's vectors, where there are some for A: like HostVectorScan, a group of four is
/// scanned inside, and what enters the group is joined at the end. Meanwhile the pixels that are
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
    if constexpr (WideElement<A>)
      j = dispatch([&](auto target) {
        return HostTableGroups<decltype(target), A>::template sum<Streaming>(*this, state);
      });
#if defined(WAVESCAN_HOST_VECTORS)
    if constexpr (VectorElement<A>) j = sum_groups<Streaming>(j, state);
#endif
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

 private:
#if defined(WAVESCAN_HOST_VECTORS)
  /// @brief Columns from j on; returns the first that is not done.
  template <bool Streaming>
  Index sum_groups(Index j, A& state) const {
    using vector = HostVector<A>;
    using type = typename vector::type;
    constexpr Index lanes = vector::lanes;
    type entering = vector::all(state);
    for (; j + 4 * lanes <= count; j += 4 * lanes) {
      fetch_upcoming<4 * lanes, Streaming>(j);
      type x[4];
      for (int i = 0; i < 4; ++i) {
        const Index k = j + i * lanes;
        const type sum = vector::add(vector::load(sums + k), vector::load(pixels + k));
        vector::store(sums + k, sum);
        x[i] = scan_lanes<1>(sum);
      }
      // Totals of the vectors before, each in all lanes; independent of what enters.
      type before = vector::last(x[0]);
      for (int i = 1; i < 4; ++i) {
        const type own = vector::last(x[i]);
        x[i] = vector::add(before, x[i]);
        before = vector::add(before, own);
      }
      for (int i = 0; i < 4; ++i) {
        const Index k = j + i * lanes;
        const type entry = vector::add(vector::load(above + k), vector::add(entering, x[i]));
        if constexpr (Streaming)
          stream(entries + k, entry);
        else
          vector::store(entries + k, entry);
      }
      entering = vector::add(entering, before);
    }
    state = entering[0];
    return j;
  }

  template <int Distance, class Vector>
  static Vector scan_lanes(Vector x) {
    using vector = HostVector<A>;
    if constexpr (Distance < vector::lanes)
      return scan_lanes<2 * Distance>(
          vector::add(vector::template shift<Distance>(x, Vector{}), x));
    else
      return x;
  }
#endif
};

}  // namespace wavescan::Impl

#endif
