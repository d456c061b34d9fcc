// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

/// A matrix in compressed rows, as Kokkos Kernels has it.
struct Crs {
  struct {
    Kokkos::View<const int*> row_map;
    Kokkos::View<const int*> entries;
  } graph;
  Kokkos::View<const double*> values;
  // NOLINTNEXTLINE(readability-identifier-naming)
  int numRows() const { return static_cast<int>(graph.row_map.extent(0)) - 1; }
};

void sor_variable(const Kokkos::View<double**>& x, const Kokkos::View<float**>& y,
                  const Kokkos::View<float**>& k, const Crs& crs, const Kokkos::View<double**>& rhs,
                  const Kokkos::View<std::uint8_t**>& fixed) {
  const auto matrix = wavescan::five_point_matrix(Kokkos::DefaultExecutionSpace(), crs, x);
  const auto exec = Kokkos::DefaultExecutionSpace();
  wavescan::sor_solve(x, wavescan::sor_coefficients(exec, matrix, 1.5),
                      wavescan::SORInputs().rhs(rhs).mask(fixed));
  wavescan::sor_sweeps(
      y, wavescan::sor_coefficients(exec, wavescan::diffusion_matrix(exec, k, 0.1), 1.5f), 8);
}
