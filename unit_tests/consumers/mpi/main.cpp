// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// A program of several processes: exits with 0 where the scan of 1, 1, 1, ... is 1, 2, 3, ...
#include <Kokkos_Core.hpp>
#include <WaveScan_MPI.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int wrong = 0;
  {
    Kokkos::ScopeGuard kokkos(argc, argv);
    constexpr int n = 1000;
    Kokkos::View<int*> in("in", n);
    Kokkos::View<int*> out("out", n);
    Kokkos::deep_copy(in, 1);
    wavescan::mpi::inclusive_scan(MPI_COMM_WORLD, in, out);
    Kokkos::parallel_reduce(
        n, KOKKOS_LAMBDA(int i, int& count) { count += out(i) != rank * n + i + 1; }, wrong);
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
