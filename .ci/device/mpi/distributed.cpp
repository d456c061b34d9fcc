// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan_MPI.hpp>

void distributed(const MPI_Comm comm, const Kokkos::View<float*>& line,
                 const Kokkos::View<float**>& grid, const Kokkos::View<int*>& offsets) {
  wavescan::mpi::inclusive_scan(comm, line, line);
  wavescan::mpi::segmented_weighted_scan(comm, line, .5f, wavescan::segment_offsets(offsets), line);
  wavescan::mpi::reduce_by_key(comm, offsets, line, offsets, line);
  wavescan::mpi::rebalance(comm, line, 0, line);
  wavescan::mpi::sor_sweeps(comm, Kokkos::DefaultExecutionSpace(), grid,
                            wavescan::poisson<float>(1.5, 1), 1);
}
