// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_ALIGNMENTSCORING_HPP
#define WAVESCAN_ALIGNMENTSCORING_HPP

#include <Kokkos_Macros.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>

/// @file
/// @brief Scores of alignments: pairs of letters, gaps, and what need not be aligned; and options
/// of their computation.

namespace wavescan {

/// @brief Scores a pair of letters by whether they are equal.
struct MatchMismatch {
  int match = 2;
  int mismatch = -1;
  KOKKOS_FUNCTION int operator()(char a, char b) const { return a == b ? match : mismatch; }
};

/// @brief A gap cost that is the same for each letter without a partner.
struct LinearGap {
  std::int64_t penalty = 2;
};

/// @brief A gap of k letters costs open + k extend, as in BLAST and minimap2. (Parasail and EMBOSS
/// count the first letter's extension as part of opening: their `open` is open + extend here.)
struct AffineGap {
  std::int64_t open = 0;
  std::int64_t extend = 2;
  constexpr AffineGap() = default;
  constexpr AffineGap(std::int64_t open_cost, std::int64_t extend_cost)
      : open(open_cost), extend(extend_cost) {}
  // NOLINTNEXTLINE(google-explicit-constructor): one is a case of the other
  constexpr AffineGap(const LinearGap& gap) : extend(gap.penalty) {}
};

/// @brief A function of two letters that the device can call and that returns an integer.
///
/// It must return the same score whenever it is asked for the same pair. It need not be symmetric:
/// the first letter is one of `a`.
///
/// A member `bool matches(char a, char b) const`, which is asked on the host, may tell which
/// letters are the same: pairs of them are matches (`=`) in a CIGAR. It must be an equivalence.
/// Without it letters match if they are equal.
template <class S>
concept Substitution = std::copy_constructible<S> && requires(const S substitution, char letter) {
  { substitution(letter, letter) } -> std::integral;
};

/// @brief The parts of the sequences that an alignment takes up.
enum class AlignmentMode {
  Local,      ///< any stretches of both (Smith and Waterman 1981)
  Global,     ///< all of both (Needleman and Wunsch 1970)
  SemiGlobal  ///< all of both but for the ends that are free
};

/// @brief The ends of sequences that a semi-global alignment may leave out at no cost.
///
/// All four: overlaps. Both of `b`: `a` as a whole within `b`. end_a and end_b: a common beginning.
struct FreeEnds {
  bool begin_a = true;
  bool end_a = true;
  bool begin_b = true;
  bool end_b = true;
};

/// @brief The scoring of an alignment.
template <Substitution S = MatchMismatch>
struct Scoring {
  S substitution{};
  AffineGap gap{};  ///< takes a LinearGap, too
  AlignmentMode mode = AlignmentMode::Local;
  FreeEnds free_ends{};  ///< of SemiGlobal
};

/// @brief Options of the computation of an alignment.
struct AlignOptions {
  /// @brief Called now and then on the calling thread with the share of the work done, 0 to 1,
  /// which never falls. What it throws ends the alignment and reaches the caller.
  std::function<void(double)> progress{};
  /// @brief The file in which what has been found is kept, so that the same call goes on there when
  /// it was stopped, at whatever time and by whatever means, on any device; empty: none. It is
  /// written beside its place and renamed, takes 16 bytes for each letter of `b` or a few times
  /// that, and is removed when the alignment is done. For one pair, not for many.
  ///
  /// A file that is not whole, or belongs to other sequences or another scoring, is refused
  /// (std::invalid_argument); one that cannot be written ends the alignment (std::runtime_error).
  std::string checkpoint{};
  /// @brief Seconds after which that file is written again, at least 0: so much work is lost at
  /// most, and about a quarter more.
  double checkpoint_seconds = 60;
};

/// @brief The best score, and where its alignment ends.
struct AlignmentScore {
  std::int64_t score = 0;
  std::int64_t end_a = 0;  ///< one past the last aligned letter of a
  std::int64_t end_b = 0;  ///< one past the last aligned letter of b
};

}  // namespace wavescan

#endif
