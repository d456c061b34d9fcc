// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_SOR_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_SORPlan.hpp>
#include <impl/sor/WaveScan_InstantiationMacros.hpp>

/// @file
/// @brief The instantiations of SOR in two dimensions in the library WaveScan::kernels, for float
/// and double: sweeps and solves, with and without a mask, and with variable coefficients.

#define WAVESCAN_SOR_KERNELS(TEMPLATE, Exec, T)                                    \
  WAVESCAN_SOR_OF_RANK(TEMPLATE, Exec, T, 2)                                       \
  TEMPLATE Schedule Impl::sor::schedule_of(const Impl::sor::Sweeper<Exec, T, 2>&); \
  WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, 2, Impl::sor::Problem<T>)             \
  WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, 2, Impl::sor::MaskedProblem<T>)       \
  WAVESCAN_SOR_OF_PROBLEM(TEMPLATE, Exec, T, 2, Impl::sor::VariableProblem<T>)

namespace wavescan {

WAVESCAN_COMPILED_FLOATS(WAVESCAN_SOR_KERNELS)

}  // namespace wavescan

#endif
