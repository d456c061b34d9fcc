// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_INSTANTIATIONS_HPP
#define WAVESCAN_IMPL_SOR3D_INSTANTIATIONS_HPP

#include <WaveScan_CompiledKernels.hpp>
#include <WaveScan_SOR3DPlan.hpp>

/// @file
/// @brief What the library WaveScan::kernels has of SOR in three dimensions, for float and double:
/// sweeps and solves, with the same coefficients everywhere, and with all that problems may have.

#define WAVESCAN_SOR3D_OF_PROBLEM(TEMPLATE, Exec, T, Problem)                                   \
  TEMPLATE void Impl::sor3d::sweep_to(const Impl::sor3d::NativeSweeps<Exec, T>&, const Exec&,   \
                                      const Problem<T>&, const Impl::sor3d::Box<T>&, int, bool, \
                                      bool);                                                    \
  TEMPLATE SolveReport Impl::sor3d::solve(const SOR3D<Exec, T>&, const Problem<T>&,             \
                                          const SolveControl&);                                 \
  TEMPLATE void Impl::sor3d::clear_unknowns(const Exec&, const Problem<T>&);                    \
  TEMPLATE double Impl::sor3d::residual_norm(const Exec&, const Problem<T>&, ResidualNorm);

#define WAVESCAN_SOR3D_KERNELS(TEMPLATE, Exec, T)                                        \
  WAVESCAN_SOR3D_OF_PROBLEM(TEMPLATE, Exec, T, Impl::sor3d::ConstantProblem)             \
  WAVESCAN_SOR3D_OF_PROBLEM(TEMPLATE, Exec, T, Impl::sor3d::VariableProblem)             \
  TEMPLATE void Impl::sor3d::copy_entries(const Exec&, const Impl::sor3d::Box<const T>&, \
                                          const Impl::sor3d::Box<T>&);

namespace wavescan {

WAVESCAN_COMPILED_FLOATS(WAVESCAN_SOR3D_KERNELS)

}  // namespace wavescan

#endif
