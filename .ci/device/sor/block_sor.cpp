// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>

namespace {

using Space = Kokkos::DefaultExecutionSpace::memory_space;

}  // namespace

void block_sor_in_a_plane(
    const Kokkos::View<wavescan::SmallVector<float, 3>**, Kokkos::LayoutLeft, Space>& x,
    const wavescan::FivePointMatrix<wavescan::SmallMatrix<float, 3>, Space>& matrix) {
  wavescan::block_sor_sweeps(Kokkos::DefaultExecutionSpace(), x, matrix, wavescan::NoInput(), 1.2,
                             2);
}

void block_sor_in_space(
    const Kokkos::View<wavescan::SmallVector<double, 5>***, Kokkos::LayoutRight, Space>& x,
    const Kokkos::View<wavescan::SmallVector<double, 5>***, Kokkos::LayoutRight, Space>& b,
    const wavescan::SevenPointMatrix<wavescan::SmallMatrix<double, 5>, Space>& matrix) {
  wavescan::block_sor_sweeps(Kokkos::DefaultExecutionSpace(), x, matrix, b, 1.2, 2,
                             wavescan::SweepOrder::Symmetric);
}
