// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANEBLOCK_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANEBLOCK_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_TargetVector.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

/// @file
/// @brief The inner loops of alignments on hosts: some columns of as many strips of rows as a
/// vector register has lanes.
///
/// Each lane owns some rows and walks along them, column after column, down a column row by row.
/// Either the lanes are neighbouring strips of one matrix, each a column behind the strip above it
/// (*chained*: a column's last entry moves a lane up, once for all rows of a strip), or each has a
/// matrix of its own.
///
/// Entries are 8, 16 or 32 bits wide, relative to a base of each lane that follows the entries:
/// before each block of columns it is set anew so that the entry of one row lies at
/// `center`. Neighbouring entries differ by bounded amounts, so that within a block nothing leaves
/// the range (see WaveScan_LaneShape.hpp); sums wrap around where intermediate ones do. Between
/// lanes numbers travel as the low bits of their true values, for which bases need not be compared.
///
/// Gotoh's recurrence (1982), o for a gap's first letter, e for each further one:
///
///     E(i,j) = max(E(i-1,j) - e, H(i-1,j) - o)      F(i,j) = max(F(i,j-1) - e, H(i,j-1) - o)
///     H(i,j) = max(H(i-1,j-1) + s(a(i), b(j)), E(i,j), F(i,j), floor)
///
/// Stored is H - o, as nearly everything wants it, and scores are o higher. Where o = e, gaps need
/// neither E nor F.

namespace wavescan::Impl {

/// @brief Where scores of pairs of letters come from.
enum class ScoreSource {
  Equality,  ///< letters are compared
  Lookup,    ///< the same of few letters, by a table of 16 entries, where vectors have such
  Profile    ///< a table, gathered for each lane
};

/// @brief All that the inner loops work on. [lanes] is the length of a vector.
template <class V>
struct LaneBlock {
  int rows = 0;     ///< of each lane
  int columns = 0;  ///< of the block
  int out_row = 0;  ///< the row whose entries are handed out
  bool chained = false;
  V open = 0;                         ///< o
  V extend = 0;                       ///< e
  V match = 0;                        ///< scores of equal letters, o higher
  V mismatch = 0;                     ///< and of others
  const V* scores_by_bits = nullptr;  ///< [lanes]: by the bits in which letters differ, 16 in turn
  const V* a = nullptr;               ///< [rows][lanes]: letters of the rows
  const V* b = nullptr;               ///< [lanes]: letters of the first column
  Index step_b = 0;                   ///< to the next column
  const V* profile = nullptr;         ///< [columns][profile_rows][lanes]: scores, o higher
  int profile_rows = 0;
  const V* from_h = nullptr;  ///< [rows][lanes]: H - o in the column before the block
  const V* from_f = nullptr;  ///< and F
  V* h = nullptr;             ///< [rows][lanes]: in the last column
  V* f = nullptr;
  V* corner = nullptr;     ///< [lanes]: H - o above the first row, in the column before
  V* bottom_h = nullptr;   ///< [lanes]: H - o of the last row in the column before
  V* bottom_e = nullptr;   ///< and E
  V* base_low = nullptr;   ///< [lanes]: low bits of the bases
  V* floor = nullptr;      ///< [lanes]
  V* best = nullptr;       ///< [lanes]: becomes the largest H of the block
  V* threshold = nullptr;  ///< [lanes]: of the best
  /// Low bits of H - o and of E above the first row: a number for each column, lane 0's, if
  /// chained; else [lanes] of them.
  const V* above_h = nullptr;
  const V* above_e = nullptr;
  V* seen_h = nullptr;  ///< [columns][lanes]: H - o above the first row, as it was read
  V* seen_e = nullptr;
  V* out_h = nullptr;  ///< [columns][lanes]: low bits of H - o in `out_row`
  V* out_e = nullptr;
};

/// @brief What bases are counted in, from an origin that all lanes of a thread share.
template <class V>
using BaseInteger = std::conditional_t<sizeof(V) == 4, Index, std::int32_t>;

/// @brief Where the base of a lane is kept: lanes whose numbers share 32 bits are far apart, so
/// that vectors of 32 bits are made of these by shifts.
template <class V>
std::size_t base_place(int lane, int lanes) {
  constexpr int parts = sizeof(V) < 4 ? 4 / static_cast<int>(sizeof(V)) : 1;
  const int place = lane % parts * (lanes / parts) + lane / parts;
  return static_cast<std::size_t>(place);
}

/// @brief How a lane's base moves; [lanes] in the order of base_place.
template <class V>
struct LaneBases {
  BaseInteger<V>* base = nullptr;             ///< [lanes]: the value of entry 0
  const BaseInteger<V>* threshold = nullptr;  ///< [lanes]: only larger entries are of interest
  BaseInteger<V> floor = 0;                   ///< the least value of an entry
  int reference = 0;                          ///< row whose entry is moved to `center`
  V center = 0;
};

/// @brief What a gathered profile is made of: lane l finds the scores of its rows with a letter at
/// rows[l] + stride * letter, as many as `profile_rows`.
template <class V>
struct ProfileGather {
  const V* const* rows = nullptr;  ///< [lanes]
  Index stride = 0;
  const std::uint16_t* letters = nullptr;  ///< [lanes]: of the first column
  Index step = 0;                          ///< to the next column
  int columns = 0;
  int profile_rows = 0;  ///< a multiple of 16 bytes
  V* pieces = nullptr;   ///< as large as the profile
  V* profile = nullptr;  ///< [columns][profile_rows][lanes]
};

/// @brief The loops in a target's registers.
template <class Target, class V>
struct LaneLoops;

/// @brief The same of the best target.
template <class V>
struct BestLaneLoops {
  int lanes = 0;
  bool (*runs[2][3])(const LaneBlock<V>&) = {};  ///< [gaps are affine][ScoreSource]
  void (*move_bases)(const LaneBlock<V>&, const LaneBases<V>&, V* to_h, V* to_f,
                     bool affine) = nullptr;
  void (*gather)(const ProfileGather<V>&) = nullptr;

  /// @brief Computes a block; returns whether some entry is larger than the threshold.
  bool run(bool affine, ScoreSource source, const LaneBlock<V>& block) const {
    return runs[affine ? 1 : 0][static_cast<int>(source)](block);
  }

  template <class Most>
  static BestLaneLoops find(Most most) {
    return dispatch(
        [](auto target) {
          using Loops = LaneLoops<decltype(target), V>;
          BestLaneLoops loops;
          loops.lanes = Loops::lanes;
          loops.runs[0][0] = &Loops::template run<false, ScoreSource::Equality>;
          loops.runs[0][1] = &Loops::template run<false, Loops::lookup>;
          loops.runs[0][2] = &Loops::template run<false, ScoreSource::Profile>;
          loops.runs[1][0] = &Loops::template run<true, ScoreSource::Equality>;
          loops.runs[1][1] = &Loops::template run<true, Loops::lookup>;
          loops.runs[1][2] = &Loops::template run<true, ScoreSource::Profile>;
          loops.move_bases = &Loops::move_bases;
          loops.gather = &Loops::gather;
          return loops;
        },
        most);
  }
};

}  // namespace wavescan::Impl

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/align/host/WaveScan_LaneBlock.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl {

template <class V>
struct LaneLoops<WAVESCAN_TARGET, V> {
  using vector = TargetVector<WAVESCAN_TARGET, V>;
  static constexpr int lanes = vector::lanes;
  static constexpr ScoreSource lookup =
      vector::looks_up ? ScoreSource::Lookup : ScoreSource::Equality;

  /// @brief Computes a block; returns whether some entry is larger than the threshold.
  template <bool Affine, ScoreSource Source>
  WAVESCAN_TARGET_FUNCTION static bool run(const LaneBlock<V>& block) {
    const vector open = vector::all(block.open), extend = vector::all(block.extend);
    [[maybe_unused]] const vector match = vector::all(block.match),
                                  mismatch = vector::all(block.mismatch);
    [[maybe_unused]] const vector scores_by_bits = vector::load(block.scores_by_bits);
    const vector floor = vector::load(block.floor), base_low = vector::load(block.base_low);
    vector best = vector::all(std::numeric_limits<V>::min());
    vector corner = vector::load(block.corner);
    vector up = vector::load(block.bottom_h), e = up;
    if constexpr (Affine) e = vector::load(block.bottom_e);
    const V* from_h = block.from_h;
    const V* from_f = block.from_f;
    V* const to_h = block.h;
    V* const to_f = block.f;
    const int rows = block.rows;
    for (int c = 0; c < block.columns; ++c) {
      if (block.chained) {
        up = (up + base_low).template shifted<1>(block.above_h[c]) - base_low;
        if constexpr (Affine) e = (e + base_low).template shifted<1>(block.above_e[c]) - base_low;
      } else {
        up = vector::load(block.above_h + c * lanes) - base_low;
        if constexpr (Affine) e = vector::load(block.above_e + c * lanes) - base_low;
      }
      up.store(block.seen_h + c * lanes);
      if constexpr (Affine) e.store(block.seen_e + c * lanes);
      vector diagonal = corner;
      corner = up;
      [[maybe_unused]] vector b = up;
      [[maybe_unused]] const V* scores = nullptr;
      if constexpr (Source == ScoreSource::Profile)
        scores = block.profile + static_cast<Index>(c) * block.profile_rows * lanes;
      else
        b = vector::load(block.b + c * block.step_b);
      int r = 0;
      for (int end = block.out_row + 1; r < rows; end = rows) {
#pragma GCC unroll 4
        for (; r < end; ++r) {
          vector matched = diagonal;
          if constexpr (Source == ScoreSource::Equality)
            matched =
                diagonal + vector::select(vector::load(block.a + r * lanes) == b, match, mismatch);
          else if constexpr (Source == ScoreSource::Lookup)
            matched =
                diagonal + vector::looked_up(scores_by_bits, vector::load(block.a + r * lanes), b);
          else
            matched = diagonal + vector::load(scores + r * lanes);
          const vector left = vector::load(from_h + r * lanes);
          vector value = max(matched, floor);
          if constexpr (Affine) {
            const vector f = max(vector::load(from_f + r * lanes) - extend, left);
            f.store(to_f + r * lanes);
            e = max(e - extend, up);
            value = max(max(value, f).computed(), e);
          } else {
            value = max(max(value, left).computed(), up);
          }
          best = max(best, value);
          up = value - open;
          up.store(to_h + r * lanes);
          diagonal = left;
        }
        if (r == block.out_row + 1) {
          (up + base_low).store(block.out_h + c * lanes);
          if constexpr (Affine) (e + base_low).store(block.out_e + c * lanes);
        }
      }
      from_h = to_h;
      from_f = to_f;
    }
    corner.store(block.corner);
    up.store(block.bottom_h);
    if constexpr (Affine) e.store(block.bottom_e);
    best.store(block.best);
    typename vector::integers larger = vector::load(block.threshold) < best;
    std::uint64_t words[vector::bytes / 8], any = 0;
    std::memcpy(words, &larger, sizeof words);
    for (const std::uint64_t word : words) any |= word;
    return any != 0;
  }

  /// @brief Sets the bases anew; the entries become those that the next block comes from.
  WAVESCAN_TARGET_FUNCTION static void move_bases(const LaneBlock<V>& block,
                                                  const LaneBases<V>& bases, V* to_h, V* to_f,
                                                  bool affine) {
    const vector now = vector::load(block.from_h + bases.reference * lanes);
    const vector shift = now - vector::all(bases.center);
    for (int r = 0; r < block.rows; ++r)
      (vector::load(block.from_h + r * lanes) - shift).store(to_h + r * lanes);
    (vector::load(block.corner) - shift).store(block.corner);
    (vector::load(block.bottom_h) - shift).store(block.bottom_h);
    (vector::load(block.base_low) + shift).store(block.base_low);
    if (affine) {
      for (int r = 0; r < block.rows; ++r)
        (vector::load(block.from_f + r * lanes) - shift).store(to_f + r * lanes);
      (vector::load(block.bottom_e) - shift).store(block.bottom_e);
    }
    if constexpr (sizeof(V) == 4)
      move_wide(block, bases, now);
    else
      move_narrow(block, bases, now);
  }

  /// @brief Gathers 16 bytes of rows at a time from each lane's table, and turns them round.
  WAVESCAN_TARGET_FUNCTION static void gather(const ProfileGather<V>& g) {
    constexpr int unit = 16 / static_cast<int>(sizeof(V));
    const int units = g.profile_rows / unit;
    // Long before they are read as vectors: what has just been stored in pieces cannot be.
    for (int c = 0; c < g.columns; ++c)
      for (int k = 0; k < units; ++k) {
        V* const pieces = g.pieces + (static_cast<Index>(c) * units + k) * unit * lanes;
        const std::uint16_t* const letters = g.letters + c * g.step;
        const V* const* const lane_rows = g.rows;
        const Index stride = g.stride, row = k * unit;
        for (int l = 0; l < lanes; l += unit)
#pragma GCC unroll 16
          for (int j = 0; j < unit; ++j)
            std::memcpy(pieces + j * lanes + l, lane_rows[l + j] + stride * letters[l + j] + row,
                        16);
      }
    for (Index k = 0; k < static_cast<Index>(g.columns) * units; ++k) {
      const Index at = k * unit * lanes;
      vector::transpose_blocks(g.pieces + at, g.profile + at);
    }
  }

 private:
  WAVESCAN_TARGET_FUNCTION static void move_wide(const LaneBlock<V>& block,
                                                 const LaneBases<V>& bases, vector now) {
    V entries[lanes];
    now.store(entries);
    constexpr Index least = std::numeric_limits<V>::min(), most = std::numeric_limits<V>::max();
    for (int l = 0; l < lanes; ++l) {
      const Index base = bases.base[l] + entries[l] - bases.center;
      bases.base[l] = static_cast<BaseInteger<V>>(base);
      const Index floor = bases.floor - base, threshold = bases.threshold[l] - base;
      block.floor[l] = static_cast<V>(floor < least ? least : floor > most ? most : floor);
      block.threshold[l] = static_cast<V>(threshold < least  ? least
                                          : threshold > most ? most
                                                             : threshold);
    }
  }

  /// @brief The same by vectors of 32 bits.
  WAVESCAN_TARGET_FUNCTION static void move_narrow(const LaneBlock<V>& block,
                                                   const LaneBases<V>& bases, vector now) {
    using wide = TargetVector<WAVESCAN_TARGET, std::int32_t>;
    using bits = typename wide::wrapping_type;
    constexpr int parts = 4 / static_cast<int>(sizeof(V)), width = 32 / parts;
    const wide center = wide::all(bases.center), bottom = wide::all(bases.floor);
    const wide least = wide::all(std::numeric_limits<V>::min()),
               most = wide::all(std::numeric_limits<V>::max());
    const wide mask = wide::all(static_cast<std::int32_t>((std::int64_t(1) << width) - 1));
    bits packed, floors{}, thresholds{};
    std::memcpy(&packed, &now.v, sizeof packed);
#pragma GCC unroll 4
    for (int p = 0; p < parts; ++p) {
      auto* const base_of_part = reinterpret_cast<std::int32_t*>(bases.base + p * wide::lanes);
      wide entry;
      if constexpr (std::is_signed_v<V>)
        entry.v = (typename wide::type)(packed << (32 - width - p * width)) >> (32 - width);
      else
        entry.v = (typename wide::type)(packed >> (p * width)) & mask.v;
      const wide base = wide::load(base_of_part) + entry - center;
      base.store(base_of_part);
      const wide floor = min(max(bottom - base, least), most);
      const wide limit =
          wide::load(reinterpret_cast<const std::int32_t*>(bases.threshold + p * wide::lanes));
      const wide threshold = min(max(limit - base, least), most);
      floors |= (bits)(floor.v & mask.v) << (p * width);
      thresholds |= (bits)(threshold.v & mask.v) << (p * width);
    }
    std::memcpy(block.floor, &floors, sizeof floors);
    std::memcpy(block.threshold, &thresholds, sizeof thresholds);
  }
};

}  // namespace wavescan::Impl

#endif
