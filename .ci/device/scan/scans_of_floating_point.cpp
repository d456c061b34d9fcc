// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>

void scans_of_floating_point(const Kokkos::View<float*>& line, const Kokkos::View<float>& carry,
                             const Kokkos::View<double**>& matrix) {
  wavescan::exclusive_scan(line, line, wavescan::Plus<float>{},
                           wavescan::ScanOptions().carry_in(carry).carry_out(carry));
  wavescan::inclusive_scan(matrix, matrix, wavescan::Plus<double>{},
                           wavescan::ScanOptions().axis(0));
  wavescan::inclusive_scan(matrix, matrix, wavescan::Min<double>{});
}
