// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_COLUMNS_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <impl/columns/WaveScan_BlockThomas.hpp>
#include <impl/columns/WaveScan_Refinement.hpp>
#include <impl/columns/WaveScan_SolveSystems.hpp>

/// @file
/// @brief Explicit instantiations in WaveScan::kernels for tridiagonal, pentadiagonal and block
/// tridiagonal systems of float and double.

#define WAVESCAN_BAND_KERNELS(TEMPLATE, Exec, T, M)                                            \
  TEMPLATE void Impl::columns::solve(const Exec&, const Impl::columns::Systems<T, M>&);        \
  TEMPLATE void Impl::columns::solve_refined(const Exec&, const Impl::columns::Systems<T, M>&, \
                                             int);                                             \
  TEMPLATE void Impl::columns::factorize(const Exec&, const Impl::columns::Matrices<T, M>&,    \
                                         const Impl::columns::EachOf<T, 2 * (M) + 1>&,         \
                                         const Impl::columns::EachOf<T, M>&,                   \
                                         const Impl::LineExtents&);                            \
  TEMPLATE void Impl::columns::solve_factored(const Exec&,                                     \
                                              const Impl::columns::FactoredSystems<T, M>&);
#define WAVESCAN_BLOCK_KERNELS(TEMPLATE, Exec, T, M)                                              \
  TEMPLATE void Impl::columns::solve_blocks<M>(const Exec&,                                       \
                                               const Impl::columns::BlockSystems<T>&);            \
  TEMPLATE void Impl::columns::factorize_blocks<M>(                                               \
      const Exec&, const Impl::columns::BlockSystems<T>&, const Impl::columns::BlockFactors<T>&); \
  TEMPLATE void Impl::columns::solve_factored_blocks<M>(                                          \
      const Exec&, const Impl::columns::BlockSystems<T>&,                                         \
      const Impl::columns::BlockLines<const T>&, T*);
#define WAVESCAN_COLUMNS_KERNELS(TEMPLATE, Exec, T) \
  WAVESCAN_BAND_KERNELS(TEMPLATE, Exec, T, 1)       \
  WAVESCAN_BAND_KERNELS(TEMPLATE, Exec, T, 2)       \
  WAVESCAN_BLOCK_KERNELS(TEMPLATE, Exec, T, 2)      \
  WAVESCAN_BLOCK_KERNELS(TEMPLATE, Exec, T, 3)      \
  WAVESCAN_BLOCK_KERNELS(TEMPLATE, Exec, T, 4)      \
  WAVESCAN_BLOCK_KERNELS(TEMPLATE, Exec, T, 5)

namespace wavescan {

WAVESCAN_COMPILED_FLOATS(WAVESCAN_COLUMNS_KERNELS)

}  // namespace wavescan

#endif
