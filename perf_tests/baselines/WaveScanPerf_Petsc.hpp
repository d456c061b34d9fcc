// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_PETSC_HPP
#define WAVESCAN_PERF_PETSC_HPP

#include <petscmat.h>

#include <Kokkos_Core.hpp>
#include <baselines/WaveScanPerf_CrsPoisson.hpp>
#include <functional>
#include <memory>

/// @file
/// @brief SOR by PETSc in one process: natural order, on a matrix in compressed rows (SeqAIJ).

namespace wavescan::Perf {

/// @brief Over-relaxed sweeps of -Laplace(x) = rhs on arrays of equal sides with a halo of zeros.
/// @param x contiguous, in memory of the host, of two dimensions or three
template <class X>
std::function<void(int)> petsc_sweeps(const X& x, const X& rhs, double omega, double h) {
  static const bool initialized = PetscInitializeNoArguments() == 0;
  if (!initialized) Kokkos::abort("PETSc does not start");
  struct System {
    CrsPoisson<PetscScalar> a;
    Mat matrix{};
    Vec solution{}, b{};
    ~System() {
      MatDestroy(&matrix);
      VecDestroy(&solution);
      VecDestroy(&b);
    }
  };
  const auto rows = static_cast<PetscInt>(x.size());
  const auto system = std::make_shared<System>(
      CrsPoisson<PetscScalar>(static_cast<int>(X::rank()), static_cast<int>(x.extent(0)), h));
  MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, rows, rows, system->a.row_map.data(),
                            system->a.columns.data(), system->a.values.data(), &system->matrix);
  VecCreateSeqWithArray(PETSC_COMM_SELF, 1, rows, x.data(), &system->solution);
  VecCreateSeqWithArray(PETSC_COMM_SELF, 1, rows, rhs.data(), &system->b);
  return [=](int count) {
    MatSOR(system->matrix, system->b, omega, SOR_LOCAL_FORWARD_SWEEP, 0, count, 1,
           system->solution);
  };
}

}  // namespace wavescan::Perf

#endif
