// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

// Sizes, borders and batches are known when a program runs: each call compiles all of them.
void tables(const Kokkos::View<std::uint8_t***>& bytes,
            const Kokkos::View<std::uint32_t***>& table) {
  wavescan::summed_area_table(bytes, table);
}
