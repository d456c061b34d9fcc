// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <impl/WaveScan_Gpu_BlockFlag.hpp>

#include "Mixture.hpp"

namespace wavescan::Test {
namespace {

using Impl::gpu::BlockFlag;
using Impl::gpu::FlagOrder;

/// @brief One warp hands values to another in shared memory, first of which it says so; the other
/// one reads as many as it has waited for, or more.
template <FlagOrder Order>
__global__ void hand_on(int* out, int values_read) {
  constexpr int values_told = 32;
  __shared__ int values[64];
  __shared__ BlockFlag<Order> flag;
  if (threadIdx.x == 0) flag.clear();
  __syncthreads();
  const int lane = Impl::gpu::lane();
  if (Impl::gpu::warp() == 0) {
    values[lane] = lane;
    Impl::gpu::sync_warp();
    flag.publish(values_told);
    values[values_told + lane] = lane;
  } else {
    while (Impl::gpu::any(flag.look() < values_told)) {
    }
    flag.rely_on(values_told);
    for (int i = lane; i < values_read; i += 32) out[i] = values[i];
  }
}

void hand_on_in_both_orders(int values_read) {
  const Kokkos::View<int*, Exec> out("out", 64);
  hand_on<FlagOrder::ReleaseAcquire><<<1, 64>>>(out.data(), values_read);
  hand_on<FlagOrder::Program><<<1, 64>>>(out.data(), values_read);
  Kokkos::fence();
}

}  // namespace

void run_flags() { hand_on_in_both_orders(32); }
void run_planted_race() { hand_on_in_both_orders(64); }

}  // namespace wavescan::Test
