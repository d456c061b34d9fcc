// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_VARIABLELOOP_HPP
#define WAVESCAN_IMPL_SOR_VARIABLELOOP_HPP

#include <WaveScan_Grid.hpp>
#include <impl/WaveScan_SOR_Loop.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>

namespace wavescan::Impl {

/// @brief A sweep of SOR with coefficients of each point's own, with or without fixed points. The
/// operations and their order are those of SORLoop.
template <class T>
struct VariableSORLoop {
  using algebra_type = CuttingPlusTimes<T>;

  CoefficientFields<T> c;
  Grid<const T> rhs;
  FixedPoints fixed;

  KOKKOS_FORCEINLINE_FUNCTION T weight(Index i, Index j) const {
    return fixed(i, j) ? T(0) : c.left(i, j);
  }

  template <class Old>
  KOKKOS_FORCEINLINE_FUNCTION T partial(Index i, Index j, T up, T up_left, const Old& old) const {
    if (fixed(i, j)) return old(i, j);
    return SORLoop<T>{coefficients_at(c, i, j), rhs}.partial(i, j, up, up_left, old);
  }
};

}  // namespace wavescan::Impl

#endif
