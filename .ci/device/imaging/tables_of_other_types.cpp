// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

void tables(const Kokkos::View<std::uint16_t**>& shorts,
            const Kokkos::View<std::uint64_t**>& long_table,
            const Kokkos::View<std::uint8_t**>& bytes, const Kokkos::View<float**>& floats,
            const Kokkos::View<double**>& doubles) {
  wavescan::summed_area_table(shorts, long_table);
  wavescan::summed_area_table(floats, floats);  // its sums perhaps in double
  wavescan::summed_area_table(bytes, floats);   // and tiles of twice as many rows
  wavescan::summed_area_table(doubles, doubles);
}
