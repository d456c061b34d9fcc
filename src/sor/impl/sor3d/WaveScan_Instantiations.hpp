// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_SOR3D_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_SORPlan.hpp>
#include <impl/sor/WaveScan_InstantiationMacros.hpp>
#include <impl/sor3d/WaveScan_BoxProblem.hpp>

/// @file
/// @brief The instantiations of SOR in three dimensions in the library WaveScan::kernels, for float
/// and double: sweeps and solves, with the same coefficients everywhere, and with all that problems
/// may have.

#define WAVESCAN_SOR3D_KERNELS(TEMPLATE, Exec, T)                                \
  WAVESCAN_SOR_OF_RANK(TEMPLATE, Exec, T, 3)                                     \
  WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, 3, Impl::sor3d::ConstantProblem<T>) \
  WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, 3, Impl::sor3d::VariableProblem<T>)

namespace wavescan {

WAVESCAN_COMPILED_FLOATS(WAVESCAN_SOR3D_KERNELS)

}  // namespace wavescan

#endif
