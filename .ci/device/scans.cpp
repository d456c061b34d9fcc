// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>

void scans(const Kokkos::View<int*>& line, const Kokkos::View<double**>& matrix,
           const Kokkos::View<double**>& weights) {
  wavescan::inclusive_scan(line, line);
  wavescan::exclusive_scan(line, line, wavescan::Max<int>{});
  wavescan::inclusive_scan(matrix, matrix);
  wavescan::weighted_scan(matrix, 0.5, matrix);
  wavescan::weighted_scan(matrix, weights, matrix, wavescan::MaxPlus<double>{});
}
