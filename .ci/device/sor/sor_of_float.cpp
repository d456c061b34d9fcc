// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>

// Orders and schedules are known when a program runs: each call compiles all of them.
void sor(const Kokkos::View<float**>& x, const Kokkos::View<float**>& rhs,
         const Kokkos::View<bool**>& fixed) {
  wavescan::sor_solve(x, wavescan::poisson<float>(1.9, 0.1),
                      wavescan::SORInputs().rhs(rhs).mask(fixed));
  // Kernels without a mask are others.
  wavescan::sor_solve(x, wavescan::poisson<float>(1.9, 0.1), wavescan::SORInputs().rhs(rhs));
}
