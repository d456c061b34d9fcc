// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>
#include <functional>

void scans_through_functions(const Kokkos::View<float*>& line, const Kokkos::View<int**>& matrix,
                             const Kokkos::View<int*>& ints, const Kokkos::View<int>& total) {
  const auto square = KOKKOS_LAMBDA(float x) { return x * x; };
  const auto index = KOKKOS_LAMBDA(std::int64_t i) { return static_cast<int>(i % 7); };
  const auto concatenate = KOKKOS_LAMBDA(int a, int b) { return a * 10 + b; };
  int result = 0;
  wavescan::transform_inclusive_scan("label", line, line, std::plus<>{}, square);
  wavescan::inclusive_scan(line, wavescan::transform_output(line, square), wavescan::Plus{},
                           wavescan::ScanOptions().reverse());
  wavescan::exclusive_scan(wavescan::computed_input(10, index), ints,
                           wavescan::ScanOptions().carry_out(total));
  wavescan::inclusive_scan(matrix, matrix, concatenate, wavescan::ScanOptions().axis(0));
  wavescan::exclusive_scan(ints, ints, 0, concatenate);
  wavescan::inclusive_scan(ints, ints, Kokkos::LAnd<int>(result));
}
