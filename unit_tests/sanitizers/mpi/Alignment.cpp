// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_Align.hpp>

#include "Distributed.hpp"

namespace wavescan::Test {
void run_distributed_alignment() {
  const Kokkos::View<char*, Exec> a("a", 3000), b("b", 2000);
  Kokkos::deep_copy(a, 'A');
  Kokkos::deep_copy(b, 'A');
  mpi::align_score(world, a, b);
}

}  // namespace wavescan::Test
