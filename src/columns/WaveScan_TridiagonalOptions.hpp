// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TRIDIAGONALOPTIONS_HPP
#define WAVESCAN_TRIDIAGONALOPTIONS_HPP

#include <string>

namespace wavescan {

/// @brief Options of systems, tridiagonal and others: `{.axis = 0, .cyclic = true}`.
struct TridiagonalOptions {
  /// Dimension along which a system lies; the other one counts systems. -1: the last one.
  int axis = -1;
  /// The first unknown and the last one are neighbours, as on a circle: the first entry of the
  /// lower diagonal belongs to the last unknown, the last one of the upper to the first.
  bool cyclic = false;
  /// Solves with the transposed matrices.
  bool transposed = false;
  /// Solves so many times for what remains of the right-hand side, which is computed with twice the
  /// precision: each time, errors become smaller by as much as the solver is exact, down to
  /// rounding of x. For solves alone: plans do not keep the matrices that this takes.
  int refinements = 0;
  /// Name of the region around the kernels that profilers are told of; empty: the operation's own.
  std::string label{};
};

}  // namespace wavescan

#endif
