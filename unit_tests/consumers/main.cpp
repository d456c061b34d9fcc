// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// What a user's first program looks like: exits with 0 where the scan of 1, 1, 1, ... is 1, 2, 3,
// ...
#include <Kokkos_Core.hpp>
#include <WaveScan.hpp>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int n = 1000;
  Kokkos::View<int*> in("in", n);
  Kokkos::View<int*> out("out", n);
  Kokkos::deep_copy(in, 1);
  wavescan::inclusive_scan(in, out);
  int wrong = 0;
  Kokkos::parallel_reduce(
      n, KOKKOS_LAMBDA(int i, int& count) { count += out(i) != i + 1; }, wrong);
  return wrong == 0 ? 0 : 1;
}
