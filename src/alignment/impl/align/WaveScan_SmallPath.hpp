// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_SMALLPATH_HPP
#define WAVESCAN_IMPL_ALIGN_SMALLPATH_HPP

#include <Kokkos_Macros.hpp>

#include <cstdint>

/// @file
/// @brief Paths through small matrices, on all devices: where entries come from is a byte each,
/// and the path is followed back from its end.

namespace wavescan::Impl {

/// @brief The columns that follow each other in a path.
enum PathKind { PairOfLetters, LetterOfA, LetterOfB };
inline constexpr char path_letters[] = "MID";  ///< as PathRun's, by PathKind

/// @brief Steps by which a best path comes to an entry, and to the gaps that end there.
enum PathStep : std::uint8_t { FromE = 1, FromF = 2, EGoesOn = 4, FGoesOn = 8 };

/// @brief Computes an entry of a small matrix; returns its PathSteps.
/// @param h the entry to the upper left and the score of the pair; becomes the entry
/// @param e the gap above (a letter of `a` alone); becomes the entry's
/// @param f the gap to the left (a letter of `b` alone); becomes the entry's
template <class T>
KOKKOS_INLINE_FUNCTION std::uint8_t small_step(T above, T left, T open, T extend, T& h, T& e,
                                               T& f) {
  std::uint8_t taken = 0;
  const auto gap = [&](T& longer, T opened, PathStep goes_on) {
    longer -= extend;
    if (longer > opened)
      taken |= goes_on;
    else
      longer = opened;
  };
  gap(e, above - open, EGoesOn);
  gap(f, left - open, FGoesOn);
  PathStep from{};
  if (e > h) {
    h = e;
    from = FromE;
  }
  if (f > h) {
    h = f;
    from = FromF;
  }
  return static_cast<std::uint8_t>(taken | from);
}

/// @brief Follows a path from the lower right corner of a matrix to its edge above or to the left.
template <class T>
struct PathWalk {
  T row, column;  ///< the entry that it has come to
  bool in_e;      ///< within a gap of letters of `a`
  bool in_f = false;

  KOKKOS_INLINE_FUNCTION bool is_inside() const { return row >= 0 && column >= 0; }
  /// @brief Goes on by a column of the path, as the entry's steps say.
  KOKKOS_INLINE_FUNCTION PathKind go(int step) {
    if (!in_e && !in_f) {
      in_e = (step & FromE) != 0;
      in_f = (step & FromF) != 0;
    }
    if (in_e) {
      in_e = (step & EGoesOn) != 0;
      --row;
      return LetterOfA;
    }
    if (in_f) {
      in_f = (step & FGoesOn) != 0;
      --column;
      return LetterOfB;
    }
    --row;
    --column;
    return PairOfLetters;
  }
};

}  // namespace wavescan::Impl

#endif
