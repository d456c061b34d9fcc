// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Poisson's equation as PETSc's users write it; the command line chooses the preconditioner.
#include <petscdmda.h>
#include <petscksp.h>

#include <cstdio>

namespace {

PetscErrorCode fill(KSP solver, Mat, Mat a, void*) {
  DM dm;
  DMDALocalInfo info;
  PetscFunctionBegin;
  PetscCall(KSPGetDM(solver, &dm));
  PetscCall(DMDAGetLocalInfo(dm, &info));
  for (PetscInt j = info.ys; j < info.ys + info.ym; ++j)
    for (PetscInt i = info.xs; i < info.xs + info.xm; ++i) {
      const MatStencil row{0, j, i, 0};
      MatStencil columns[5];
      PetscScalar values[5];
      PetscInt count = 0;
      const auto put = [&](PetscInt x, PetscInt y, PetscScalar value) {
        if (x < 0 || x >= info.mx || y < 0 || y >= info.my) return;
        columns[count] = {0, y, x, 0};
        values[count++] = value;
      };
      put(i, j, 4);
      put(i - 1, j, -1);
      put(i + 1, j, -1);
      put(i, j - 1, -1);
      put(i, j + 1, -1);
      PetscCall(MatSetValuesStencil(a, 1, &row, count, columns, values, INSERT_VALUES));
    }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}
PetscErrorCode right_side(KSP, Vec b, void*) {
  PetscFunctionBegin;
  PetscCall(VecSet(b, 1));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

PetscErrorCode run() {
  DM dm;
  KSP solver;
  PetscFunctionBegin;
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR,
                         65, 65, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, &dm));
  PetscCall(DMSetFromOptions(dm));
  PetscCall(DMSetUp(dm));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetDM(solver, dm));
  PetscCall(KSPSetComputeOperators(solver, fill, nullptr));
  PetscCall(KSPSetComputeRHS(solver, right_side, nullptr));
  PetscCall(KSPSetFromOptions(solver));
  PetscCall(KSPSolve(solver, nullptr, nullptr));
  PetscCall(KSPDestroy(&solver));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

}  // namespace

int main(int argc, char** argv) {
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(run());
  PetscCall(PetscFinalize());
  return 0;
}
