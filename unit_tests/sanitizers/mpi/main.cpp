// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// All distributed operations at small sizes, to be run by a few processes under compute-sanitizer.
// Tools do not get on with NCCL: WAVESCAN_MPI_PINNED=1 has messages pass through the host.
#include <cstdio>

#include "Distributed.hpp"

int main(int argc, char** argv) {
  using namespace wavescan::Test;
  MPI_Init(&argc, &argv);
  bool fused = false;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    fused = run_distributed_sor();
    run_distributed_lines();
    run_distributed_tables();
    run_distributed_alignment();
    Kokkos::fence();
    std::puts(fused ? "done" : "sweeps were repeated");
  }
  MPI_Finalize();
  return fused ? 0 : 1;
}
