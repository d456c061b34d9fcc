// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>

void sor_nine_points(const Kokkos::View<double**>& x, const Kokkos::View<double**>& rhs,
                     const Kokkos::View<float**>& y, const Kokkos::View<float**>& left,
                     const Kokkos::View<bool**>& fixed) {
  wavescan::sor_solve(x, wavescan::compact_poisson<double>(1.5, 0.1),
                      wavescan::SORInputs().rhs(rhs).mask(fixed));
  wavescan::sor_sweeps(
      y, wavescan::VariableNinePointCoefficients<float>{.center = 0.5f, .left = left}, 8);
}
