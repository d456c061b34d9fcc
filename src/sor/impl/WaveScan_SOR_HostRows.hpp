// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_HOSTROWS_HPP
#define WAVESCAN_IMPL_SOR_HOSTROWS_HPP

#include <WaveScan_Grid.hpp>

#include <algorithm>

namespace wavescan::Impl {

/// @brief Rows of a grid, skewed: in step t, row l is at column `column - l + t`. The entries of a
/// block of W steps are one vector of a row; in memory that runs backwards its last element is the
/// first step.
template <class Element, int W, int Rows>
class SORHostRows {
 public:
  SORHostRows() = default;
  SORHostRows(const Grid<Element>& grid, Index row, Index first_row, Index last_row, Index column)
      : stride_(grid.column_stride) {
    for (int l = 0; l < Rows; ++l) {
      starts_[l] = grid.data + (std::clamp(row + l, first_row, last_row) * grid.row_stride +
                                (column - l + (stride_ < 0 ? W - 1 : 0)) * stride_);
      for (Index t = 0; t < ahead; t += line) __builtin_prefetch(starts_[l] + t * stride_, 0, 2);
    }
  }
  bool exists() const { return stride_ != 0; }
  Element* block(int l, Index t) const { return starts_[l] + t * stride_; }
  /// @brief The element of the block's vectors that is its step k.
  int element(int k) const { return stride_ < 0 ? W - 1 - k : k; }
  /// @brief Asks for what is needed some blocks later; in the second cache, as rows of some lengths
  /// compete for places in the first.
  void prefetch(int l, Index t) const { __builtin_prefetch(block(l, t + ahead), 0, 2); }

 private:
  static constexpr Index line = 64 / static_cast<Index>(sizeof(Element));
  static constexpr Index ahead = 12 * line;
  Index stride_ = 0;
  Element* starts_[Rows] = {};
};

}  // namespace wavescan::Impl

#endif
