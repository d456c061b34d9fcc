// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANEBLOCK_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANEBLOCK_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/align/host/WaveScan_LaneMemory.hpp>

#include <algorithm>
#include <concepts>
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

/// @brief Sources of the scores of pairs of letters.
enum class ScoreSource {
  Equality,  ///< letters are compared
  Lookup,    ///< the same of few letters, by a table of 16 entries, where vectors have such
  Profile    ///< a table, gathered for each lane
};

/// @brief Arguments of the inner loops. [lanes] is the length of a vector; entries have the type
/// that the loops were compiled for.
struct LaneBlock {
  int lanes = 0;
  int rows = 0;     ///< of each lane
  int columns = 0;  ///< of the block
  int out_row = 0;  ///< the row whose entries are handed out
  bool chained = false;
  bool affine = false;         ///< E and F are needed
  Index open = 0;              ///< o
  Index extend = 0;            ///< e
  Index match = 0;             ///< scores of equal letters, o higher
  Index mismatch = 0;          ///< and of others
  LaneNumbers scores_by_bits;  ///< [lanes]: by the bits in which letters differ, 16 in turn
  LaneNumbers a;               ///< [rows][lanes]: letters of the rows
  LaneNumbers b;               ///< [lanes]: letters of the first column
  Index step_b = 0;            ///< to the next column
  LaneNumbers profile;         ///< [columns][profile_rows][lanes]: scores, o higher
  int profile_rows = 0;
  LaneNumbers from_h;  ///< [rows][lanes]: H - o in the column before the block
  LaneNumbers from_f;  ///< and F
  LaneNumbers h;       ///< [rows][lanes]: in the last column
  LaneNumbers f;
  LaneNumbers corner;     ///< [lanes]: H - o above the first row, in the column before
  LaneNumbers bottom_h;   ///< [lanes]: H - o of the last row in the column before
  LaneNumbers bottom_e;   ///< and E
  LaneNumbers base_low;   ///< [lanes]: low bits of the bases
  LaneNumbers floor;      ///< [lanes]
  LaneNumbers best;       ///< [lanes]: becomes the largest H of the block
  LaneNumbers threshold;  ///< [lanes]: of the best
  /// Low bits of H - o and of E above the first row: a number for each column, lane 0's, if
  /// chained; else [lanes] of them.
  LaneNumbers above_h, above_e;
  LaneNumbers seen_h;  ///< [columns][lanes]: H - o above the first row, as it was read
  LaneNumbers seen_e;
  LaneNumbers out_h;  ///< [columns][lanes]: low bits of H - o in `out_row`
  LaneNumbers out_e;

  // How lanes' bases move. They are counted from an origin that all lanes of a thread share.
  LaneNumbers base;            ///< [lanes], in the order of base_place: the value of entry 0
  LaneNumbers base_threshold;  ///< the same: only larger entries are of interest
  Index least = 0;             ///< value of an entry
  int reference = 0;           ///< row whose entry is moved to `center`
  Index center = 0;
};

/// @brief Bytes of bases: entries of 32 bits need more.
constexpr int base_bytes(int entry_bytes) { return entry_bytes == 4 ? 8 : 4; }

/// @brief Returns the place of a lane's base: lanes whose numbers share 32 bits are far apart, so
/// that vectors of 32 bits are made of these by shifts.
constexpr int base_place(int entry_bytes, int lane, int lanes) {
  const int shift = 2 - entry_bytes / 2;  // of the lanes that share 32 bits
  return (lane & ((1 << shift) - 1)) * (lanes >> shift) + (lane >> shift);
}

/// @brief Sources of a gathered profile: lane l finds the scores of its rows with a letter at
/// rows[l] + stride * letter bytes, as many as `profile_rows`.
struct ProfileGather {
  const std::byte* const* rows = nullptr;  ///< [lanes]
  Index stride = 0;
  const std::uint16_t* letters = nullptr;  ///< [lanes]: of the first column
  Index step = 0;                          ///< to the next column
  int columns = 0;
  int profile_rows = 0;  ///< a multiple of 16 bytes
  LaneNumbers pieces;    ///< as large as the profile
  LaneNumbers profile;   ///< [columns][profile_rows][lanes]
};

/// @brief The inner loops for entries of a type, in a target's registers.
struct LaneLoops {
  int lanes = 0, entry_bytes = 0;
  /// [E and F are needed][ScoreSource]: computes a block; returns whether some entry is larger than
  /// the threshold. Where there is none, all scores come from profiles, and E and F are computed.
  bool (*runs[2][3])(const LaneBlock&) = {};
  /// Sets the bases anew; the entries become those that the block comes from.
  void (*move_bases)(const LaneBlock&) = nullptr;
  void (*gather)(const ProfileGather&) = nullptr;

  bool compares_letters() const { return runs[1][0] != nullptr; }
  bool computes_gaps(bool affine) const { return affine || runs[0][2] == nullptr; }
};

/// @brief The loops of one target.
template <class Target, class V>
struct TargetLaneLoops;

/// @brief The loops of the best target, but none better than Most. Not inline, so that they can be
/// compiled in a library.
template <class V, class Most>
LaneLoops find_lane_loops() {
  return dispatch(
      [](auto target) {
        using Loops = TargetLaneLoops<decltype(target), V>;
        LaneLoops loops;
        loops.lanes = Loops::lanes;
        loops.entry_bytes = static_cast<int>(sizeof(V));
        loops.runs[1][2] = &Loops::template run<true, ScoreSource::Profile>;
        if constexpr (Loops::has_all) {
          loops.runs[0][0] = &Loops::template run<false, ScoreSource::Equality>;
          loops.runs[0][1] = &Loops::template run<false, Loops::lookup>;
          loops.runs[0][2] = &Loops::template run<false, ScoreSource::Profile>;
          loops.runs[1][0] = &Loops::template run<true, ScoreSource::Equality>;
          loops.runs[1][1] = &Loops::template run<true, Loops::lookup>;
        }
        loops.move_bases = &Loops::move_bases;
        loops.gather = &Loops::gather;
        return loops;
      },
      Most{});
}

}  // namespace wavescan::Impl

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/align/host/WaveScan_LaneBlock.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#endif
#else  // once for each target

namespace wavescan::Impl {

template <class V>
struct TargetLaneLoops<WAVESCAN_TARGET, V> {
  using vector = TargetVector<WAVESCAN_TARGET, V>;
  static constexpr int lanes = vector::lanes;
  static constexpr ScoreSource lookup =
      vector::looks_up ? ScoreSource::Lookup : ScoreSource::Equality;
  /// Where few calls come, one kernel has to do: entries of 32 bits are for scores that are rare,
  /// and nearly all processors that have better targets than the baseline are given these.
  static constexpr bool has_all =
      sizeof(V) < 4 && !(has_targets && std::same_as<WAVESCAN_TARGET, Baseline> &&
                         Baseline::vector_bytes < Avx2::vector_bytes);

  /// @brief Computes a block; returns whether some entry is larger than the threshold.
  template <bool Affine, ScoreSource Source>
  WAVESCAN_TARGET_FUNCTION static bool run(const LaneBlock& block) {
    const vector open = all(block.open), extend = all(block.extend);
    [[maybe_unused]] const vector match = all(block.match), mismatch = all(block.mismatch);
    [[maybe_unused]] const vector scores_by_bits = load(block.scores_by_bits);
    const vector floor = load(block.floor), base_low = load(block.base_low);
    const V* const above_h = block.above_h.as<V>();
    [[maybe_unused]] const V* const above_e = block.above_e.as<V>();
    V* const seen_h = block.seen_h.as<V>();
    [[maybe_unused]] V* const seen_e = block.seen_e.as<V>();
    V* const out_h = block.out_h.as<V>();
    [[maybe_unused]] V* const out_e = block.out_e.as<V>();
    [[maybe_unused]] const V *const letters_a = block.a.as<V>(), *const letters_b = block.b.as<V>();
    vector best = vector::all(std::numeric_limits<V>::min());
    vector corner = load(block.corner);
    vector up = load(block.bottom_h), e = up;
    if constexpr (Affine) e = load(block.bottom_e);
    const V* from_h = block.from_h.as<V>();
    const V* from_f = block.from_f.as<V>();
    V* const to_h = block.h.as<V>();
    V* const to_f = block.f.as<V>();
    const int rows = block.rows;
    for (int c = 0; c < block.columns; ++c) {
      if (block.chained) {
        up = (up + base_low).template shifted<1>(above_h[c]) - base_low;
        if constexpr (Affine) e = (e + base_low).template shifted<1>(above_e[c]) - base_low;
      } else {
        up = vector::load(above_h + c * lanes) - base_low;
        if constexpr (Affine) e = vector::load(above_e + c * lanes) - base_low;
      }
      up.store(seen_h + c * lanes);
      if constexpr (Affine) e.store(seen_e + c * lanes);
      vector diagonal = corner;
      corner = up;
      [[maybe_unused]] vector b = up;
      [[maybe_unused]] const V* scores = nullptr;
      if constexpr (Source == ScoreSource::Profile)
        scores = block.profile.as<V>() + static_cast<Index>(c) * block.profile_rows * lanes;
      else
        b = vector::load(letters_b + c * block.step_b);
      int r = 0;
      for (int end = block.out_row + 1; r < rows; end = rows) {
#pragma GCC unroll 4
        for (; r < end; ++r) {
          vector matched = diagonal;
          if constexpr (Source == ScoreSource::Equality)
            matched = diagonal +
                      vector::select(vector::load(letters_a + r * lanes) == b, match, mismatch);
          else if constexpr (Source == ScoreSource::Lookup)
            matched = diagonal +
                      vector::looked_up(scores_by_bits, vector::load(letters_a + r * lanes), b);
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
          (up + base_low).store(out_h + c * lanes);
          if constexpr (Affine) (e + base_low).store(out_e + c * lanes);
        }
      }
      from_h = to_h;
      from_f = to_f;
    }
    corner.store(block.corner.as<V>());
    up.store(block.bottom_h.as<V>());
    if constexpr (Affine) e.store(block.bottom_e.as<V>());
    best.store(block.best.as<V>());
    typename vector::integers larger = load(block.threshold) < best;
    std::uint64_t words[vector::bytes / 8], any = 0;
    std::memcpy(words, &larger, sizeof words);
    for (const std::uint64_t word : words) any |= word;
    return any != 0;
  }

  WAVESCAN_TARGET_FUNCTION static void move_bases(const LaneBlock& block) {
    const V *const h = block.h.as<V>(), *const f = block.f.as<V>();
    V *const to_h = block.from_h.as<V>(), *const to_f = block.from_f.as<V>();
    const vector now = vector::load(h + block.reference * lanes);
    const vector shift = now - all(block.center);
    for (int r = 0; r < block.rows; ++r)
      (vector::load(h + r * lanes) - shift).store(to_h + r * lanes);
    (load(block.corner) - shift).store(block.corner.as<V>());
    (load(block.bottom_h) - shift).store(block.bottom_h.as<V>());
    (load(block.base_low) + shift).store(block.base_low.as<V>());
    if (block.affine) {
      for (int r = 0; r < block.rows; ++r)
        (vector::load(f + r * lanes) - shift).store(to_f + r * lanes);
      (load(block.bottom_e) - shift).store(block.bottom_e.as<V>());
    }
    if constexpr (sizeof(V) == 4)
      move_wide(block, now);
    else
      move_narrow(block, now);
  }

  /// @brief Gathers 16 bytes of rows at a time from each lane's table, and turns them round.
  WAVESCAN_TARGET_FUNCTION static void gather(const ProfileGather& g) {
    constexpr int unit = 16 / static_cast<int>(sizeof(V));
    const int units = g.profile_rows / unit;
    // Long before they are read as vectors: what has just been stored in pieces cannot be.
    for (int c = 0; c < g.columns; ++c)
      for (int k = 0; k < units; ++k) {
        V* const pieces = g.pieces.as<V>() + (static_cast<Index>(c) * units + k) * unit * lanes;
        const std::uint16_t* const letters = g.letters + c * g.step;
        const std::byte* const* const lane_rows = g.rows;
        const Index stride = g.stride, row = k * 16;
        for (int l = 0; l < lanes; l += unit)
#pragma GCC unroll 16
          for (int j = 0; j < unit; ++j)
            std::memcpy(pieces + j * lanes + l, lane_rows[l + j] + stride * letters[l + j] + row,
                        16);
      }
    for (Index k = 0; k < static_cast<Index>(g.columns) * units; ++k) {
      const Index at = k * unit * lanes;
      vector::transpose_blocks(g.pieces.as<V>() + at, g.profile.as<V>() + at);
    }
  }

 private:
  WAVESCAN_TARGET_INLINED static vector load(const LaneNumbers& numbers) {
    return vector::load(numbers.as<V>());
  }
  WAVESCAN_TARGET_INLINED static vector all(Index number) {
    return vector::all(static_cast<V>(number));
  }

  WAVESCAN_TARGET_FUNCTION static void move_wide(const LaneBlock& block, vector now) {
    V entries[lanes];
    now.store(entries);
    Index* const bases = block.base.as<Index>();
    constexpr Index least = std::numeric_limits<V>::min(), most = std::numeric_limits<V>::max();
    for (int l = 0; l < lanes; ++l) {
      const Index base = bases[l] + entries[l] - block.center;
      bases[l] = base;
      block.floor.set(l, std::clamp(block.least - base, least, most));
      block.threshold.set(l, std::clamp(block.base_threshold[l] - base, least, most));
    }
  }

  /// @brief Moves the bases by vectors of 32 bits.
  WAVESCAN_TARGET_FUNCTION static void move_narrow(const LaneBlock& block, vector now) {
    using wide = TargetVector<WAVESCAN_TARGET, std::int32_t>;
    using bits = typename wide::wrapping_type;
    constexpr int parts = 4 / static_cast<int>(sizeof(V)), width = 32 / parts;
    const wide center = wide::all(static_cast<std::int32_t>(block.center)),
               bottom = wide::all(static_cast<std::int32_t>(block.least));
    const wide least = wide::all(std::numeric_limits<V>::min()),
               most = wide::all(std::numeric_limits<V>::max());
    const wide mask = wide::all(static_cast<std::int32_t>((std::int64_t(1) << width) - 1));
    bits packed, floors{}, thresholds{};
    std::memcpy(&packed, &now.v, sizeof packed);
#pragma GCC unroll 4
    for (int p = 0; p < parts; ++p) {
      auto* const bases = block.base.as<std::int32_t>() + p * wide::lanes;
      wide entry;
      if constexpr (std::is_signed_v<V>)
        entry.v = (typename wide::type)(packed << (32 - width - p * width)) >> (32 - width);
      else
        entry.v = (typename wide::type)(packed >> (p * width)) & mask.v;
      const wide base = wide::load(bases) + entry - center;
      base.store(bases);
      const wide floor = min(max(bottom - base, least), most);
      const wide limit = wide::load(block.base_threshold.as<std::int32_t>() + p * wide::lanes);
      const wide threshold = min(max(limit - base, least), most);
      floors |= (bits)(floor.v & mask.v) << (p * width);
      thresholds |= (bits)(threshold.v & mask.v) << (p * width);
    }
    std::memcpy(block.floor.as<V>(), &floors, sizeof floors);
    std::memcpy(block.threshold.as<V>(), &thresholds, sizeof thresholds);
  }
};

}  // namespace wavescan::Impl

#endif
