// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_SEGMENTED_HOST_SEGMENTEDVECTORS_HPP
#define WAVESCAN_IMPL_SEGMENTED_HOST_SEGMENTEDVECTORS_HPP

#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/host/WaveScan_Vectors.hpp>
#include <impl/segmented/WaveScan_Heads.hpp>

#include <bit>
#include <cstddef>
#include <cstring>

/// @file
/// @brief Segments in the vector registers of one host thread, however short they are.
///
/// A vector is scanned by shifts of 1, 2, 4, ... lanes, as where there are no segments; but a lane
/// gets nothing from lanes before its segment's head. Which ones these are is read from a table, by
/// the bits of the vector's heads, so that no branch depends on where segments begin.

namespace wavescan::Impl {

/// @brief Vectors of more lanes would want larger tables than caches like.
inline constexpr int most_masked_lanes = 8;

/// @brief Masks for every set of heads among the lanes of a vector: which lanes get something from
/// others.
/// @tparam L operator or algebra on lanes
template <class L>
struct HeadMasks {
  using vector = typename L::vector;
  using T = typename vector::element;
  using integer = typename vector::integer_element;
  static constexpr int lanes = vector::lanes;
  static constexpr int levels = std::bit_width(static_cast<unsigned>(lanes)) - 1;

  /// @brief A mask of what is left of a vector, and what stands in place of the rest.
  struct Step {
    integer kept[lanes];  ///< all ones or zeros
    T nothing[lanes];
  };
  struct alignas(64) Row {
    Step
        step[levels + 1];  ///< of a shift by 2^level lanes; at last, of the state before the vector
    integer head[lanes];   ///< all ones in these lanes
  };
  Row row[std::size_t(1) << lanes];

  constexpr HeadMasks() : row{} {
    for (unsigned heads = 0; heads < 1U << lanes; ++heads) {
      unsigned closed = heads;
      for (int level = 0; level <= levels; ++level) {
        const int distance = level < levels ? 1 << level : 0;
        for (int lane = 0; lane < lanes; ++lane) {
          const bool gets_nothing = lane < distance || (closed >> lane & 1) != 0;
          row[heads].step[level].kept[lane] = static_cast<integer>(gets_nothing ? 0 : -1);
          row[heads].step[level].nothing[lane] = gets_nothing ? T(L::nothing) : T(0);
        }
        closed |= closed << distance;
      }
      for (int lane = 0; lane < lanes; ++lane)
        row[heads].head[lane] = static_cast<integer>((heads >> lane & 1) != 0 ? -1 : 0);
    }
  }
};
template <class L>
inline constexpr HeadMasks<L> head_masks{};

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

template <class Target, class Recurrence>
concept MaskedVectors = VectorPowers<Recurrence>::available &&
    (VectorRecurrence<Target, Recurrence>::vector::lanes <= most_masked_lanes);

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
  requires MaskedVectors<WAVESCAN_TARGET, Recurrence>
class TargetSegmentedScan<WAVESCAN_TARGET, Recurrence> {
  using T = typename Recurrence::value_type;
  using Powers = VectorPowers<Recurrence>;
  using V = VectorRecurrence<WAVESCAN_TARGET, Recurrence>;
  using vector = typename V::vector;
  using integers = typename vector::integers;
  using Masks = HeadMasks<typename V::lanes>;
  static constexpr int levels = Masks::levels;
  static constexpr unsigned all_lanes = (1U << vector::lanes) - 1;

 public:
  static constexpr Index lanes = vector::lanes;
  static constexpr bool available = true;

  /// @brief Scans a piece that `state` enters and returns the state after it.
  template <bool Streaming, bool Exclusive>
  WAVESCAN_TARGET_FUNCTION static T scan(const Recurrence& recurrence, const Powers& powers,
                                         const SegmentedPiece<T>& piece, T state) {
    const V r(powers);
    const vector before = vector::all(piece.before), init = vector::all(piece.enters.value);
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
        const auto& masks = head_masks<typename V::lanes>.row[word & all_lanes];
        vector x = vector::load(piece.in + j);
        if (piece.enters.present) x = chosen(bits_of(masks.head), r.join_shifted(init, x, 0), x);
        x = scan_lanes<0>(r, x, masks);
        const vector y = r.enter(kept(s, masks.step[levels]), x, 0);
        if constexpr (Exclusive)
          put<Streaming>(piece.out + j, chosen(bits_of(masks.head), before, y.following(s)));
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
  WAVESCAN_TARGET_INLINED static integers bits_of(const void* numbers) {
    integers bits;
    std::memcpy(&bits, numbers, sizeof bits);
    return bits;
  }
  /// @brief Lanes of `a` where bits are set, lanes of `b` elsewhere.
  WAVESCAN_TARGET_INLINED static vector chosen(integers bits, vector a, vector b) {
    return {(typename vector::type)(((integers)a.v & bits) | ((integers)b.v & ~bits))};
  }
  /// @brief Lanes that are kept, and nothing in the others.
  WAVESCAN_TARGET_INLINED static vector kept(vector x, const typename Masks::Step& step) {
    return {(typename vector::type)(((integers)x.v & bits_of(step.kept)) | bits_of(step.nothing))};
  }
  template <bool Streaming>
  WAVESCAN_TARGET_INLINED static void put(T* p, vector v) {
    if constexpr (Streaming)
      v.stream(p);
    else
      v.store(p);
  }
  template <int Level>
  WAVESCAN_TARGET_INLINED static vector scan_lanes(const V& r, vector x,
                                                   const typename Masks::Row& masks) {
    if constexpr (Level == levels) {
      return x;
    } else {
      const vector shifted = kept(x.template shifted<(1 << Level)>(), masks.step[Level]);
      return scan_lanes<Level + 1>(r, r.join_shifted(shifted, x, Level), masks);
    }
  }
};

}  // namespace wavescan::Impl

#endif
