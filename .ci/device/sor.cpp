// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>

void sor(const Kokkos::View<double**>& x, const Kokkos::View<double**>& rhs,
         const Kokkos::View<bool**>& fixed, const Kokkos::View<float**>& y) {
  wavescan::sor_solve(x, wavescan::poisson<double>(1.9, 0.1),
                      wavescan::SORInputs().rhs(rhs).mask(fixed));
  wavescan::sor_sweeps(y, wavescan::mean_of_five<float>(), 8);
}
