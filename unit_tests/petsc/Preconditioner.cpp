// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// PETSc's solvers with this preconditioner beside the same with PCSOR. All processes run all tests.
#include <WaveScan_PETSc.h>
#include <gtest/gtest.h>
#include <petscdmda.h>
#include <petscksp.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

/// @brief What tests solve: -div(k grad u) = f, or a stencil with corners.
struct Problem {
  int dimensions = 2;
  PetscInt x = 37, y = 23, z = 1;
  bool constant = true;  ///< k = 1
  bool corners = false;  ///< nine points
  MPI_Comm comm = PETSC_COMM_WORLD;
};

PetscErrorCode fill(DM dm, Mat a, const Problem& problem) {
  DMDALocalInfo info;
  PetscFunctionBegin;
  PetscCall(DMDAGetLocalInfo(dm, &info));
  const auto k_at = [&](PetscInt i, PetscInt j, PetscInt k) {
    return problem.constant ? 1.0 : 1.0 + 0.9 * std::sin(0.3 * i + 0.7 * j * j + 1.1 * k);
  };
  for (PetscInt k = info.zs; k < info.zs + info.zm; ++k)
    for (PetscInt j = info.ys; j < info.ys + info.ym; ++j)
      for (PetscInt i = info.xs; i < info.xs + info.xm; ++i) {
        std::vector<MatStencil> columns;
        std::vector<PetscScalar> values;
        PetscScalar sum = problem.constant ? 0 : 0.01;
        const int dz = problem.dimensions == 3 ? 1 : 0, dy = problem.dimensions >= 2 ? 1 : 0;
        for (int c = -dz; c <= dz; ++c)
          for (int b = -dy; b <= dy; ++b)
            for (int d = -1; d <= 1; ++d) {
              const int far = std::abs(b) + std::abs(c) + std::abs(d);
              if (far == 0 || far > (problem.corners ? 2 : 1)) continue;
              const PetscScalar value =
                  (far == 1 ? 1.0 : 0.25) * std::sqrt(k_at(i, j, k) * k_at(i + d, j + b, k + c));
              sum += value;
              const MatStencil column{k + c, j + b, i + d, 0};
              if (column.i < 0 || column.i >= info.mx || column.j < 0 || column.j >= info.my ||
                  column.k < 0 || column.k >= info.mz)
                continue;
              columns.push_back(column);
              values.push_back(-value);
            }
        const MatStencil row{k, j, i, 0};
        columns.push_back(row);
        values.push_back(sum);
        PetscCall(MatSetValuesStencil(a, 1, &row, static_cast<PetscInt>(columns.size()),
                                      columns.data(), values.data(), INSERT_VALUES));
      }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

/// @brief What a solver came to.
struct Result {
  PetscErrorCode error = static_cast<PetscErrorCode>(0);
  PetscInt iterations = -1;
  PetscReal norm = 0;  ///< of the solution
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
};

PetscErrorCode solve(const Problem& problem, const std::string& options, Result* result) {
  DM dm;
  Mat a;
  Vec b, u;
  KSP solver;
  PetscFunctionBegin;
  const DMDAStencilType type = problem.corners ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR;
  constexpr DMBoundaryType none = DM_BOUNDARY_NONE;
  if (problem.dimensions == 3)
    PetscCall(DMDACreate3d(problem.comm, none, none, none, type, problem.x, problem.y, problem.z,
                           PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr,
                           nullptr, &dm));
  else if (problem.dimensions == 2)
    PetscCall(DMDACreate2d(problem.comm, none, none, type, problem.x, problem.y, PETSC_DECIDE,
                           PETSC_DECIDE, 1, 1, nullptr, nullptr, &dm));
  else
    PetscCall(DMDACreate1d(problem.comm, none, problem.x, 1, 1, nullptr, &dm));
  PetscCall(DMSetUp(dm));
  PetscCall(DMCreateMatrix(dm, &a));
  PetscCall(fill(dm, a, problem));
  PetscCall(MatCreateVecs(a, &u, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(PetscOptionsClear(nullptr));
  PetscCall(PetscOptionsInsertString(nullptr, options.c_str()));
  PetscCall(KSPCreate(problem.comm, &solver));
  PetscCall(KSPSetDM(solver, dm));
#if PETSC_VERSION_GE(3, 25, 0)
  PetscCall(KSPSetDMActive(solver, KSP_DMACTIVE_ALL, PETSC_FALSE));
#else
  PetscCall(KSPSetDMActive(solver, PETSC_FALSE));
#endif
  PetscCall(KSPSetOperators(solver, a, a));
  PetscCall(KSPSetTolerances(solver, 1e-9, PETSC_DEFAULT, PETSC_DEFAULT, 2000));
  PetscCall(KSPSetFromOptions(solver));
  result->error = KSPSetUp(solver);
  if (result->error == 0) {
    PetscCall(KSPSolve(solver, b, u));
    PetscCall(KSPGetIterationNumber(solver, &result->iterations));
    PetscCall(KSPGetConvergedReason(solver, &result->reason));
    PetscCall(VecNorm(u, NORM_2, &result->norm));
  }
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&a));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

Result solved(const Problem& problem, const std::string& options) {
  Result result;
  EXPECT_EQ(solve(problem, options, &result), 0);
  return result;
}

void expect_same(const Result& ours, const Result& theirs) {
  EXPECT_EQ(ours.iterations, theirs.iterations);
  EXPECT_GT(theirs.iterations, 0);
  EXPECT_GT(ours.reason, 0);
  EXPECT_NEAR(ours.norm, theirs.norm, 1e-6 * theirs.norm);
}

/// @brief The options of PCSOR, and ours for the same.
std::string theirs(const std::string& options) { return "-pc_type sor " + options; }
std::string ours(std::string options) {
  const std::string from = "-pc_sor_", to = "-pc_wavescan_";
  for (std::size_t at = 0; (at = options.find(from, at)) != std::string::npos; at += to.size())
    options.replace(at, from.size(), to);
  return "-pc_type wavescan " + options;
}

const char* const each_order[] = {
    "-ksp_type cg -pc_sor_symmetric", "-ksp_type cg -pc_sor_omega 1.5 -pc_sor_its 2",
    "-ksp_type gmres -pc_sor_forward -pc_sor_omega 1.3", "-ksp_type gmres -pc_sor_backward",
    "-ksp_type richardson -pc_sor_forward -pc_sor_omega 1.7"};

/// @brief Iterations are those of PCSOR in one process.
void expect_as_in_one_process(Problem problem, bool corners_or_planes_alone = false) {
  Problem alone = problem;
  alone.comm = PETSC_COMM_SELF;
  for (const char* const options : each_order) {
    SCOPED_TRACE(options);
    expect_same(solved(alone, ours(options)), solved(alone, theirs(options)));
    if (!corners_or_planes_alone)
      expect_same(solved(problem, ours(options)), solved(alone, theirs(options)));
  }
}

TEST(Petsc, ConstantEntriesAreSweptInNaturalOrderByAllProcesses) {
  expect_as_in_one_process({});
  expect_as_in_one_process({.x = 5, .y = 64});
}
TEST(Petsc, EntriesThatVary) { expect_as_in_one_process({.constant = false}, true); }
TEST(Petsc, NinePoints) { expect_as_in_one_process({.constant = false, .corners = true}, true); }
TEST(Petsc, SevenPoints) {
  expect_as_in_one_process({.dimensions = 3, .x = 9, .y = 11, .z = 7, .constant = false}, true);
}
TEST(Petsc, OneDimension) { expect_as_in_one_process({.dimensions = 1, .x = 40, .y = 1}, true); }

TEST(Petsc, ProcessesRelaxTheirOwnUnknownsAsPcsorDoes) {
  for (const Problem& problem :
       {Problem{.constant = false}, Problem{.constant = false, .corners = true},
        Problem{.dimensions = 3, .x = 9, .y = 11, .z = 7}})
    for (const char* const options :
         {"-ksp_type cg -pc_sor_local_symmetric", "-ksp_type gmres -pc_sor_local_forward"}) {
      std::string mine = ours(options);
      mine.replace(mine.find("local_"), 6, "");
      expect_same(solved(problem, mine), solved(problem, theirs(options)));
    }
  expect_same(solved({}, ours("-ksp_type cg -pc_wavescan_local")),
              solved({}, theirs("-ksp_type cg")));
}

TEST(Petsc, SmoothsForMultigrid) {
  const std::string cycle =
      "-ksp_type cg -pc_type mg -pc_mg_levels 3 -pc_mg_galerkin -mg_levels_ksp_max_it 2 "
      "-mg_coarse_pc_type redundant -mg_levels_ksp_type ";
  const Problem alone{.x = 33, .y = 33, .corners = true, .comm = PETSC_COMM_SELF};
  for (const std::string kind : {"richardson", "chebyshev"})
    expect_same(solved(alone, cycle + kind + " -mg_levels_pc_type wavescan"),
                solved(alone, cycle + kind + " -mg_levels_pc_type sor"));
}

TEST(Petsc, SmoothsForMultigridOnSeveralProcesses) {
  const std::string cycle =
      "-ksp_type cg -pc_type mg -pc_mg_levels 3 -pc_mg_galerkin -mg_levels_ksp_max_it 2 "
      "-mg_coarse_pc_type redundant -mg_levels_ksp_type richardson -mg_levels_pc_type ";
  const Problem problem{.x = 33, .y = 33, .constant = false, .corners = true};
  expect_same(solved(problem, cycle + "wavescan"),
              solved(problem, cycle + "sor -mg_levels_pc_sor_local_symmetric"));
}

TEST(Petsc, RefusesWhatItCannotSweep) {
  PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  EXPECT_NE(solved({.dimensions = 3, .x = 5, .y = 5, .z = 5, .corners = true}, ours("")).error, 0);
  Result result;
  EXPECT_NE(solve({}, ours("-pc_sor_omega 2.5"), &result), 0);
  PetscPopErrorHandler();
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
  if (WaveScanPCRegister() != 0) return 1;
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  if (PetscFinalize() != 0) return 1;
  return failed != 0 ? 1 : 0;
}
