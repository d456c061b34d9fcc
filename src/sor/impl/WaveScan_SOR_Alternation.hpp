// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_ALTERNATION_HPP
#define WAVESCAN_IMPL_SOR_ALTERNATION_HPP

#include <WaveScan_Grid.hpp>

namespace wavescan::Impl {

/// @brief Where passes end that must not end where they begin: in two arrays in turn.
template <class T>
class SORAlternation {
 public:
  /// @param from   where the first of the passes begins; may be `to`
  /// @param to     where the last one ends if it can
  /// @param other  a second array
  SORAlternation(const Grid<T>& from, const Grid<T>& to, const Grid<T>& other, int passes)
      : to_(to),
        other_(other),
        left_(passes),
        ends_in_other_(from.data == to.data && passes % 2 == 1) {}

  /// @brief True if the result has to be copied from the second array.
  bool ends_in_other() const { return ends_in_other_; }

  /// @brief Where the next pass ends.
  const Grid<T>& next() { return (left_-- % 2 == 1) == ends_in_other_ ? other_ : to_; }

 private:
  Grid<T> to_, other_;
  int left_;
  bool ends_in_other_;
};

}  // namespace wavescan::Impl

#endif
