// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TRIDIAGONAL_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_TRIDIAGONAL_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_TridiagonalSolve.hpp>
#include <impl/tridiagonal/WaveScan_Thomas.hpp>

/// @file
/// @brief What the library WaveScan::kernels has of tridiagonal systems, for float and double.

#define WAVESCAN_TRIDIAGONAL_KERNELS(TEMPLATE, Exec, T) \
  TEMPLATE void Impl::tridiagonal::solve(const Exec&, const Impl::tridiagonal::Systems<T>&);

namespace wavescan {

WAVESCAN_COMPILED_FLOATS(WAVESCAN_TRIDIAGONAL_KERNELS)

}  // namespace wavescan

#endif
