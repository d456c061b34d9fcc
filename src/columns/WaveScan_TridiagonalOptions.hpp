// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TRIDIAGONALOPTIONS_HPP
#define WAVESCAN_TRIDIAGONALOPTIONS_HPP

#include <string>

namespace wavescan {

/// @brief Options of systems, tridiagonal and others: `TridiagonalOptions().axis(0).cyclic()`.
class TridiagonalOptions {
 public:
  /// @brief Dimension along which a system lies; the other one counts systems. -1, the default, is
  /// the last one.
  TridiagonalOptions axis(int dimension) const {
    TridiagonalOptions changed = *this;
    changed.axis_ = dimension;
    return changed;
  }
  /// @brief The first unknown and the last one are neighbours, as on a circle: the first entry of
  /// the lower diagonal belongs to the last unknown, the last one of the upper to the first.
  TridiagonalOptions cyclic(bool yes = true) const {
    TridiagonalOptions changed = *this;
    changed.cyclic_ = yes;
    return changed;
  }
  /// @brief Solves with the transposed matrices.
  TridiagonalOptions transposed(bool yes = true) const {
    TridiagonalOptions changed = *this;
    changed.transposed_ = yes;
    return changed;
  }
  /// @brief Solves so many times for what remains of the right-hand side, which is computed with
  /// twice the precision: each time, errors become smaller by as much as the solver is exact, down
  /// to rounding of x. Of solves; plans do not keep the matrices that this takes.
  TridiagonalOptions refined(int times = 1) const {
    TridiagonalOptions changed = *this;
    changed.refinements_ = times;
    return changed;
  }
  /// @brief Name of the region around the kernels that profilers are told of.
  TridiagonalOptions label(const std::string& name) const {
    TridiagonalOptions changed = *this;
    changed.label_ = name;
    return changed;
  }

  /// @brief The dimension along which a system lies, or -1 for the last one.
  int axis() const { return axis_; }
  /// @brief Whether the first and the last unknown are neighbours.
  bool is_cyclic() const { return cyclic_; }
  /// @brief Whether matrices are transposed.
  bool is_transposed() const { return transposed_; }
  /// @brief The number of refinements of a solution.
  int refinements() const { return refinements_; }
  /// @brief The name for profilers; empty for the operation's own.
  const std::string& label() const { return label_; }

 private:
  int axis_ = -1, refinements_ = 0;
  bool cyclic_ = false, transposed_ = false;
  std::string label_;
};

}  // namespace wavescan

#endif
