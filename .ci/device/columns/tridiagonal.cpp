// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan_TeamTridiagonalSolve.hpp>
#include <WaveScan_Tridiagonal.hpp>
#include <WaveScan_TridiagonalSolve.hpp>

void columns(const Kokkos::View<double**>& x, const Kokkos::View<double*>& y,
             const Kokkos::View<float*>& z) {
  wavescan::tridiagonal_solve(x, y, x, x, x, wavescan::TridiagonalOptions().axis(0).cyclic());
  wavescan::tridiagonal_solve(z, z, z, z, z);
  const Kokkos::DefaultExecutionSpace exec;
  const wavescan::Tridiagonal plan(exec, x, x, x);
  plan.solve(x, x);
  using Team = Kokkos::TeamPolicy<>::member_type;
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(1, 32), KOKKOS_LAMBDA(const Team& team) {
        wavescan::team_tridiagonal_solve(team, y, y, y, y);
        wavescan::serial_tridiagonal_solve(y, y, y, y);
      });
}
