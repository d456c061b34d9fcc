// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SCANOPTIONS_HPP
#define WAVESCAN_SCANOPTIONS_HPP

#include <WaveScan_Concepts.hpp>

#include <string>

namespace wavescan {

/// @brief Stands for a carry that is not there.
struct NoCarry {};

/// @brief Options of all scans: `ScanOptions().axis(0).carry_in(5).carry_out(view)`.
/// @tparam In  type of the carry in: NoCarry, a value, or a View
/// @tparam Out type of the carry out: NoCarry or a View
template <class In = NoCarry, class Out = NoCarry>
class ScanOptions {
 public:
  /// @brief The last axis, forwards, no carries, no label.
  ScanOptions() = default;
  /// @brief Several options at once; the chained setters read better.
  ScanOptions(int axis, const In& carry_in, const Out& carry_out)
      : axis_(axis), carry_in_(carry_in), carry_out_(carry_out) {}

  /// @brief Dimension to scan along; the other one counts independent scans. -1, the default, is
  /// the last one.
  ScanOptions axis(int dimension) const {
    ScanOptions changed = *this;
    changed.axis_ = dimension;
    return changed;
  }

  /// @brief Scans from the last element to the first: every line is taken as if its elements, its
  /// weights and its results stood in the opposite order. So a sum has x_j + ... + x_{n-1} at j,
  /// the carry in stands behind the last element, and the carry out is the state after the first.
  ScanOptions reverse(bool backwards = true) const {
    ScanOptions changed = *this;
    changed.reverse_ = backwards;
    return changed;
  }

  /// @brief Name of the region around the scan's kernels that profilers are told of.
  ScanOptions label(const std::string& name) const {
    ScanOptions changed = *this;
    changed.label_ = name;
    return changed;
  }

  /// @brief State before the first element: a value, or a View with the rank of the input less one
  /// and one state for each line. None by default: an inclusive scan then starts with its first
  /// element, an exclusive one with the identity.
  template <class Carry>
  ScanOptions<Carry, Out> carry_in(const Carry& carry) const {
    return with(carry, carry_out_);
  }

  /// @brief View that receives the state after the last element of each line, its total: the rank
  /// of the input less one. May be the View that `carry_in` was given. An operator without an
  /// identity leaves it as it is where lines are empty and nothing enters them.
  template <WritableView Carry>
  ScanOptions<In, Carry> carry_out(const Carry& carry) const {
    return with(carry_in_, carry);
  }

  /// @brief The dimension to scan along, or -1 for the last one.
  int axis() const { return axis_; }
  /// @brief Whether lines are scanned from their last element to the first.
  bool is_reverse() const { return reverse_; }
  /// @brief The name for profilers; empty for the operation's own.
  const std::string& label() const { return label_; }
  /// @brief The value or View that enters, or NoCarry.
  const In& carry_in() const { return carry_in_; }
  /// @brief The View that receives the last states, or NoCarry.
  const Out& carry_out() const { return carry_out_; }

 private:
  template <class NewIn, class NewOut>
  ScanOptions<NewIn, NewOut> with(const NewIn& in, const NewOut& out) const {
    return ScanOptions<NewIn, NewOut>(axis_, in, out).reverse(reverse_).label(label_);
  }

  int axis_ = -1;
  bool reverse_ = false;
  std::string label_;
  In carry_in_{};
  Out carry_out_{};
};

}  // namespace wavescan

#endif
