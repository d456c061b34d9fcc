// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#ifdef WAVESCAN_PERF_HYPRE
#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>

#include <cmath>
#include <memory>

#include "Others.hpp"

namespace distributed {

/// @brief hypre's hybrid SOR, forwards: BoomerAMG with one level, which is relaxed and no more.
OtherSor hypre_sor(int n, double omega) {
  static const bool is_initialized = HYPRE_Init() == 0;
  if (!is_initialized) Kokkos::abort("hypre does not start");
  struct System {
    HYPRE_IJMatrix matrix{};
    HYPRE_IJVector vectors[3]{};
    HYPRE_ParCSRMatrix a{};
    HYPRE_ParVector x{}, b{}, defect{};
    HYPRE_Solver solver{};
    ~System() {
      HYPRE_BoomerAMGDestroy(solver);
      for (HYPRE_IJVector vector : vectors) HYPRE_IJVectorDestroy(vector);
      HYPRE_IJMatrixDestroy(matrix);
    }
  };
  const auto s = std::make_shared<System>();
  PoissonBlock<HYPRE_Int> block(n);
  const HYPRE_Int last = block.first + block.count - 1;
  HYPRE_IJMatrixCreate(world, block.first, last, block.first, last, &s->matrix);
  HYPRE_IJMatrixSetObjectType(s->matrix, HYPRE_PARCSR);
  HYPRE_IJMatrixInitialize(s->matrix);
  HYPRE_IJMatrixSetValues(s->matrix, block.count, block.row_sizes.data(), block.numbers.data(),
                          block.columns.data(), block.values.data());
  HYPRE_IJMatrixAssemble(s->matrix);
  HYPRE_IJMatrixGetObject(s->matrix, reinterpret_cast<void**>(&s->a));
  const auto make = [&](HYPRE_IJVector& vector, HYPRE_ParVector& object, double value) {
    HYPRE_IJVectorCreate(world, block.first, last, &vector);
    HYPRE_IJVectorSetObjectType(vector, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(vector);
    HYPRE_IJVectorAssemble(vector);
    HYPRE_IJVectorGetObject(vector, reinterpret_cast<void**>(&object));
    HYPRE_ParVectorSetConstantValues(object, value);
  };
  make(s->vectors[0], s->x, 0);
  make(s->vectors[1], s->b, 1);
  make(s->vectors[2], s->defect, 0);
  HYPRE_BoomerAMGCreate(&s->solver);
  HYPRE_BoomerAMGSetMaxLevels(s->solver, 1);
  constexpr HYPRE_Int hybrid_forward = 3, coarsest = 3;
  HYPRE_BoomerAMGSetRelaxType(s->solver, hybrid_forward);
  HYPRE_BoomerAMGSetCycleRelaxType(s->solver, hybrid_forward, coarsest);
  HYPRE_BoomerAMGSetRelaxOrder(s->solver, 0);
  HYPRE_BoomerAMGSetRelaxWt(s->solver, omega);
  HYPRE_BoomerAMGSetTol(s->solver, 0);  // no norms
  HYPRE_BoomerAMGSetPrintLevel(s->solver, 0);
  HYPRE_BoomerAMGSetup(s->solver, s->a, s->b, s->x);
  return {[s](int count) {
            HYPRE_BoomerAMGSetMaxIter(s->solver, count);
            HYPRE_BoomerAMGSolve(s->solver, s->a, s->b, s->x);
          },
          [s] {
            double square = 0;
            HYPRE_ParVectorCopy(s->b, s->defect);
            HYPRE_ParCSRMatrixMatvec(-1, s->a, s->x, 1, s->defect);
            HYPRE_ParVectorInnerProd(s->defect, s->defect, &square);
            return std::sqrt(square);
          }};
}

}  // namespace distributed
#endif
