// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SEGMENTED_HOST_SEGMENTEDVECTORS_HPP
#define WAVESCAN_IMPL_SEGMENTED_HOST_SEGMENTEDVECTORS_HPP

#include <impl/scan/WaveScan_Problem.hpp>
#include <impl/scan/host/WaveScan_Vectors.hpp>
#include <impl/segmented/WaveScan_Heads.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

/// @file
/// @brief Segments in the vector registers of one host thread, however short they are.
///
/// A vector is scanned by shifts of 1, 2, 4, ... lanes, as where there are no segments; but a lane
/// gets nothing from lanes before its segment's head. Which ones these are is read from a table, by
/// the bits of the vector's heads: no branch depends on where segments begin.

namespace wavescan::Impl {

/// @brief All ones in the lanes whose bits are set, for every set of lanes.
template <class Integer, int Lanes>
struct LaneMasks {
  alignas(64) Integer mask[std::size_t(1) << Lanes][Lanes];
  constexpr LaneMasks() : mask{} {
    for (std::size_t bits = 0; bits < std::size_t(1) << Lanes; ++bits)
      for (int lane = 0; lane < Lanes; ++lane)
        mask[bits][lane] = static_cast<Integer>((bits >> lane & 1) != 0 ? -1 : 0);
  }
};
template <class Integer, int Lanes>
inline constexpr LaneMasks<Integer, Lanes> lane_masks{};

/// @brief Vectors of more lanes would want larger tables than first-level caches like.
inline constexpr int most_masked_lanes = 8;

/// @brief One piece of a line in which segments begin.
template <class T>
struct SegmentedPiece {
  const T* in;  ///< of the whole line, as all that follow
  T* out;
  const BitWord* heads;
  Index begin, end;  ///< multiples of the vectors' lanes
  State<T> enters;   ///< segments
  T before;          ///< what exclusive scans have where segments begin
};

/// @brief Scans of such pieces in a target's vectors.
template <class Target, class Recurrence>
class TargetSegmentedScan {
 public:
  static constexpr bool available = false;
};

}  // namespace wavescan::Impl

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/segmented/host/WaveScan_SegmentedVectors.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl {

template <class Recurrence>
requires VectorPowers<Recurrence>::available class TargetSegmentedScan<WAVESCAN_TARGET,
                                                                       Recurrence> {
  using T = typename Recurrence::value_type;
  using Powers = VectorPowers<Recurrence>;
  using V = VectorRecurrence<WAVESCAN_TARGET, Recurrence>;
  using vector = typename V::vector;
  using integers = typename vector::integers;
  static constexpr unsigned all_lanes = (1U << vector::lanes) - 1;

 public:
  static constexpr Index lanes = vector::lanes;
  static constexpr bool available = lanes <= most_masked_lanes;

  /// @brief Scans a piece that `state` enters and returns the state after it.
  template <bool Streaming, bool Exclusive>
  WAVESCAN_TARGET_FUNCTION static T scan(const Recurrence& recurrence, const Powers& powers,
                                         const SegmentedPiece<T>& piece, T state) {
    const V r(powers);
    const vector nothing = vector::all(V::lanes::nothing), before = vector::all(piece.before),
                 init = vector::all(piece.enters.value);
    vector s = vector::all(state);
    for (Index j = piece.begin; j < piece.end;) {
      if constexpr (!Exclusive) {
        const Index stop = without_heads(piece.heads, j, piece.end);
        if (stop > j) {
          s = vector::all(TargetVectorScan<WAVESCAN_TARGET, Recurrence>::template scan<Streaming>(
              recurrence, powers, piece.in + j, piece.out + j, stop - j, s.first()));
          j = stop;
          continue;
        }
      }
      const Index in_word = word_bits - j % word_bits, rest = piece.end - j;
      const Index stop = j + (in_word < rest ? in_word : rest);
      BitWord word = piece.heads[j / word_bits] >> j % word_bits;
      for (; j < stop; j += lanes, word >>= lanes) {
        const unsigned heads = word & all_lanes;
        vector x = vector::load(piece.in + j);
        if (piece.enters.present) x = vector::select(mask(heads), r.join_shifted(init, x, 0), x);
        unsigned closed = heads;
        x = scan_lanes<0>(r, x, nothing, closed);
        const vector y = r.enter(vector::select(mask(closed), nothing, s), x, 0);
        if constexpr (Exclusive)
          put<Streaming>(piece.out + j, vector::select(mask(heads), before, y.following(s)));
        else
          put<Streaming>(piece.out + j, y);
        s = y.last();
      }
    }
    return s.first();
  }

 private:
  static constexpr Index long_run = 2;  ///< words

  /// @brief The end of a run of some words without heads that begins with element j, or j.
  WAVESCAN_TARGET_INLINED static Index without_heads(const BitWord* words, Index j, Index end) {
    if (j % word_bits != 0) return j;
    Index w = j / word_bits;
    while (w < end / word_bits && words[w] == 0) ++w;
    return w - j / word_bits >= long_run ? w * word_bits : j;
  }
  WAVESCAN_TARGET_INLINED static integers mask(unsigned bits) {
    integers lanes_of_bits;
    __builtin_memcpy(&lanes_of_bits,
                     lane_masks<typename vector::integer_element, vector::lanes>.mask[bits],
                     sizeof lanes_of_bits);
    return lanes_of_bits;
  }
  template <bool Streaming>
  WAVESCAN_TARGET_INLINED static void put(T* p, vector v) {
    if constexpr (Streaming)
      v.stream(p);
    else
      v.store(p);
  }
  /// @param closed lanes that get nothing from the lanes before; afterwards, from any before
  template <int Level>
  WAVESCAN_TARGET_INLINED static vector scan_lanes(const V& r, vector x, vector nothing,
                                                   unsigned& closed) {
    constexpr int distance = 1 << Level;
    if constexpr (distance >= lanes) {
      return x;
    } else {
      const vector shifted =
          vector::select(mask(closed), nothing, x.template shifted<distance>(V::lanes::nothing));
      closed = (closed | closed << distance) & all_lanes;
      return scan_lanes<Level + 1>(r, r.join_shifted(shifted, x, Level), nothing, closed);
    }
  }
};

}  // namespace wavescan::Impl

#endif
