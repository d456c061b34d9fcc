// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan_TridiagonalSolve.hpp>

void columns(const Kokkos::View<double**>& x, const Kokkos::View<double*>& y,
             const Kokkos::View<float*>& z) {
  wavescan::tridiagonal_solve(x, y, x, x, x, wavescan::TridiagonalOptions().axis(0).cyclic());
  wavescan::tridiagonal_solve(z, z, z, z, z);
}
