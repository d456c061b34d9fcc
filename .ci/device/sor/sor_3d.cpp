// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>

void sor_3d(const Kokkos::View<double***>& x, const Kokkos::View<double***>& rhs,
            const Kokkos::View<float***>& y, const Kokkos::View<float***>& left,
            const Kokkos::View<bool***>& fixed) {
  wavescan::sor_solve(x, wavescan::poisson_3d<double>(1.9, 0.1), wavescan::SORInputs().rhs(rhs));
  wavescan::sor_sweeps(y, wavescan::VariableCoefficients3D<float>{.center = 0.5f, .left = left}, 8,
                       wavescan::SORInputs().mask(fixed));
}
