// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TRIDIAGONAL_SYSTEMS_HPP
#define WAVESCAN_IMPL_TRIDIAGONAL_SYSTEMS_HPP

#include <impl/WaveScan_Lines.hpp>

namespace wavescan::Impl::tridiagonal {

/// @brief Systems a_i x_{i-1} + b_i x_i + c_i x_{i+1} = d_i, one a line.
template <class T>
struct Systems {
  Lines<const T> lower, diagonal, upper, right;
  Lines<T> x;
  LineExtents extents;
};

}  // namespace wavescan::Impl::tridiagonal

#endif
