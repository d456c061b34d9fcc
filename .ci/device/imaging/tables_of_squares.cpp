// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

void tables_of_squares(const Kokkos::View<std::uint8_t**>& bytes,
                       const Kokkos::View<std::uint32_t**>& table,
                       const Kokkos::View<std::uint64_t**>& squares,
                       const Kokkos::View<float**>& floats) {
  wavescan::summed_area_table(bytes, table, squares);
  wavescan::summed_area_table(floats, floats, floats);
}
