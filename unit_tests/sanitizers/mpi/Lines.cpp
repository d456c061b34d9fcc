// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_Scan.hpp>
#include <WaveScan_MPI_SegmentedReduce.hpp>
#include <WaveScan_MPI_SegmentedScan.hpp>
#include <WaveScan_MPI_Select.hpp>
#include <cstdint>

#include "Distributed.hpp"

namespace wavescan::Test {
void run_distributed_lines() {
  const Kokkos::View<float*, Exec> in("in", 100'000), out("out", 100'000);
  Kokkos::deep_copy(in, 1);
  mpi::inclusive_scan(world, in, out);
  mpi::copy_if(
      world, in, out, KOKKOS_LAMBDA(const float v) { return v > 0; });
  // One run of keys through all processes; and segments of one element.
  const Kokkos::View<int*, Exec> keys("keys", 100'000), unique("unique", 100'000);
  mpi::inclusive_scan_by_key(world, keys, in, in);
  mpi::reduce_by_key(world, keys, in, unique, out);
  Kokkos::deep_copy(keys, 1);
  mpi::segmented_weighted_scan(world, in, .5F, segment_heads(keys), in);
  mpi::segmented_reduce(world, in, segment_heads(keys), out);
  const Matrix<std::int64_t> lines("lines", 300, 70);
  mpi::inclusive_scan(world, lines, lines, ScanOptions<>().axis(0));
}

}  // namespace wavescan::Test
