// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan_Pentadiagonal.hpp>
#include <WaveScan_PentadiagonalSolve.hpp>
void columns(const Kokkos::View<double**>& x) {
  wavescan::pentadiagonal_solve(x, x, x, x, x, x, x, wavescan::TridiagonalOptions().axis(0).cyclic());
  const Kokkos::DefaultExecutionSpace exec;
  const wavescan::Pentadiagonal plan(exec, x, x, x, x, x);
  plan.solve(x, x);
  (void)plan.report();
}
