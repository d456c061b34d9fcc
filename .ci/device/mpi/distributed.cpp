// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan_MPI.hpp>
#include <cstdint>

struct IsPositive {
  KOKKOS_FUNCTION bool operator()(float x) const { return x > 0; }
};

void distributed(const MPI_Comm comm, const Kokkos::View<float*>& line,
                 const Kokkos::View<float**>& grid, const Kokkos::View<std::uint8_t**>& image,
                 const Kokkos::View<std::uint32_t**>& table) {
  wavescan::mpi::inclusive_scan(comm, line, line);
  wavescan::mpi::partition(comm, line, line, IsPositive());
  wavescan::mpi::rebalance(comm, line, wavescan::mpi::unique_copy(comm, line, line).count, line);
  wavescan::mpi::sor_sweeps(comm, Kokkos::DefaultExecutionSpace(), grid,
                            wavescan::poisson<float>(1.5, 1), 1);
  wavescan::mpi::summed_area_table(comm, image, table);
}
