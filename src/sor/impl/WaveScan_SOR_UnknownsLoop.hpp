// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_UNKNOWNSLOOP_HPP
#define WAVESCAN_IMPL_SOR_UNKNOWNSLOOP_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_SOR_Loop.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#include <impl/WaveScan_SOR_VariableLoop.hpp>

/// @file
/// @brief The loops of problems with masks, for kernels that visit the unknowns only.

namespace wavescan::Impl {

struct NoFixedPoints {
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index, Index, auto) const { return false; }
};

template <class T>
MaskedSORLoop<T, NoFixedPoints> loop_of_unknowns(const SORProblem<T>& p) {
  return {{p.coefficients, p.rhs}, {}};
}
template <class T>
VariableSORLoop<T, NoFixedPoints> loop_of_unknowns(const VariableSORProblem<T>& p) {
  return {p.coefficients, p.rhs, {}};
}

}  // namespace wavescan::Impl

#endif
