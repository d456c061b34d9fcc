// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "mixture.hpp"

namespace wavescan::Test {
namespace {

__global__ void race(int* out) {
  __shared__ int values[64];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = values[threadIdx.x ^ 32];
}

}  // namespace

void run_planted_race() {
  const Kokkos::View<int*, Exec> out("out", 64);
  race<<<1, 64>>>(out.data());
}

}  // namespace wavescan::Test
