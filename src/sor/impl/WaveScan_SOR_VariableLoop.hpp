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
/// @tparam Fixed which points are: FixedPoints or MarkedPoints
template <class T, class Fixed = FixedPoints>
struct VariableSORLoop {
  using algebra_type = CuttingPlusTimes<T>;
  /// What the coefficients and the right-hand side are at a point, in their order.
  using Values = Kokkos::Array<T, 7>;

  CoefficientFields<T> c;
  Grid<const T> rhs;
  Fixed fixed;

  /// Without a right-hand side it is 1 times -0, which changes nothing.
  KOKKOS_FORCEINLINE_FUNCTION Kokkos::Array<LoopInput<T>, 7> inputs() const {
    const LoopInput<T> one{{}, T(1)};
    return {c.center,
            c.left,
            c.up,
            c.right,
            c.down,
            rhs.data ? c.rhs : one,
            LoopInput<T>{rhs, T(-0.0)}};
  }

  KOKKOS_FORCEINLINE_FUNCTION T weight(Index i, Index j, const Values& here) const {
    return fixed(i, j, here[6]) ? T(0) : here[1];
  }

  template <class Old>
  KOKKOS_FORCEINLINE_FUNCTION T partial(Index i, Index j, T up, T, const Old& old,
                                        const Values& here) const {
    const T center = old(i, j);
    const SORCoefficients<T> at_point{here[0], here[1], here[2], here[3], here[4], here[5]};
    const T s = fused_multiply_add(at_point.center, center, at_point.rhs * here[6]);
    const T relaxed = sor_partial(at_point, s, i, j, up, old);
    return fixed(i, j, here[6]) ? center : relaxed;
  }
};

}  // namespace wavescan::Impl

#endif
