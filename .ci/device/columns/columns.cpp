// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan_BlockTridiagonal.hpp>
#include <WaveScan_BlockTridiagonalSolve.hpp>
#include <WaveScan_Pentadiagonal.hpp>
#include <WaveScan_PentadiagonalSolve.hpp>
#include <WaveScan_TeamTridiagonalSolve.hpp>
#include <WaveScan_Tridiagonal.hpp>
#include <WaveScan_TridiagonalSolve.hpp>

void columns(const Kokkos::View<double**>& x, const Kokkos::View<double*>& y,
             const Kokkos::View<float*>& z, const Kokkos::View<double* [3][3]>& m,
             const Kokkos::View<double* [3]>& b) {
  const wavescan::TridiagonalOptions options{.axis = 0, .cyclic = true};
  wavescan::tridiagonal_solve(x, y, x, x, x, options);
  wavescan::tridiagonal_solve(z, z, z, z, z);
  wavescan::pentadiagonal_solve(x, x, y, x, x, x, x, options);
  wavescan::block_tridiagonal_solve(m, m, m, b, b);
  const Kokkos::DefaultExecutionSpace exec;
  const wavescan::BlockTridiagonal blocks(exec, m, m, m);
  blocks.solve(b, b);
  wavescan::Tridiagonal(exec, x, x, x).solve(x, x);
  const wavescan::Pentadiagonal plan(exec, x, x, x, x, x);
  plan.solve(x, x);
  static_cast<void>(plan.report());
  using Team = Kokkos::TeamPolicy<>::member_type;
  Kokkos::parallel_for(
      Kokkos::TeamPolicy<>(1, 32), KOKKOS_LAMBDA(const Team& team) {
        wavescan::team_tridiagonal_solve(team, y, y, y, y);
        wavescan::serial_tridiagonal_solve(y, y, y, y);
        wavescan::team_pentadiagonal_solve(team, y, y, y, y, y, y);
        wavescan::serial_pentadiagonal_solve(y, y, y, y, y, y);
        wavescan::team_block_tridiagonal_solve<3>(team, m, m, m, b);
        wavescan::serial_block_tridiagonal_solve<3>(m, m, m, b);
      });
}
