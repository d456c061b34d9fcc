// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_Scan.hpp>
#include <WaveScan_MPI_Select.hpp>
#include <cstdint>

#include "distributed.hpp"

namespace wavescan::Test {
void run_distributed_lines() {
  const Kokkos::View<float*, Exec> in("in", 100'000), out("out", 100'000);
  Kokkos::deep_copy(in, 1);
  mpi::inclusive_scan(world, in, out);
  mpi::copy_if(
      world, in, out, KOKKOS_LAMBDA(const float v) { return v > 0; });
  const Matrix<std::int64_t> lines("lines", 300, 70);
  mpi::inclusive_scan(world, lines, lines, ScanOptions<>().axis(0));
}

}  // namespace wavescan::Test
