// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#ifdef WAVESCAN_PERF_PETSC
#include <petscksp.h>

#include <memory>

#include "Others.hpp"

namespace distributed {

/// @brief PETSc's Richardson iteration with SOR as its preconditioner, `-ksp_type richardson
/// -pc_type sor -pc_sor_local_forward`. Without norms it sweeps x in place, once an iteration.
OtherSor petsc_sor(int n, double omega) {
  static const bool is_initialized = PetscInitializeNoArguments() == 0;
  if (!is_initialized) Kokkos::abort("PETSc does not start");
  struct System {
    Mat a{};
    Vec x{}, b{}, defect{};
    KSP solver{};
    ~System() {
      KSPDestroy(&solver);
      for (Vec* vector : {&x, &b, &defect}) VecDestroy(vector);
      MatDestroy(&a);
    }
  };
  const auto s = std::make_shared<System>();
  const PoissonBlock<PetscInt> block(n);
  MatCreateMPIAIJWithArrays(world, block.count, block.count, PETSC_DETERMINE, PETSC_DETERMINE,
                            block.row_map.data(), block.columns.data(), block.values.data(), &s->a);
  MatCreateVecs(s->a, &s->x, &s->b);
  VecDuplicate(s->b, &s->defect);
  VecSet(s->x, 0);
  VecSet(s->b, 1);
  KSPCreate(world, &s->solver);
  KSPSetOperators(s->solver, s->a, s->a);
  KSPSetType(s->solver, KSPRICHARDSON);
  KSPSetNormType(s->solver, KSP_NORM_NONE);
  KSPSetInitialGuessNonzero(s->solver, PETSC_TRUE);
  PC relaxation;
  KSPGetPC(s->solver, &relaxation);
  PCSetType(relaxation, PCSOR);
  PCSORSetSymmetric(relaxation, SOR_LOCAL_FORWARD_SWEEP);
  PCSORSetOmega(relaxation, omega);
  KSPSetUp(s->solver);
  return {[s](int count) {
            KSPSetTolerances(s->solver, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, count);
            KSPSolve(s->solver, s->b, s->x);
          },
          [s] {
            PetscReal norm = 0;
            MatResidual(s->a, s->b, s->x, s->defect);
            VecNorm(s->defect, NORM_2, &norm);
            return static_cast<double>(norm);
          }};
}

}  // namespace distributed
#endif
