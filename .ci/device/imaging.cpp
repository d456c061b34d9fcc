// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

void imaging(const Kokkos::View<std::uint8_t**>& image, const Kokkos::View<std::uint32_t**>& table,
             const Kokkos::View<wavescan::Rectangle*>& rectangles,
             const Kokkos::View<std::uint32_t*>& sums, const Kokkos::View<std::uint8_t**>& out,
             const Kokkos::View<std::uint32_t***>& histogram,
             const Kokkos::View<std::uint32_t**>& counts) {
  wavescan::summed_area_table(image, table);
  wavescan::rectangle_sums(table, rectangles, sums);
  wavescan::box_filter(table, 3, out);
  wavescan::threshold_bradley(image, table, 8, 0.15, out);
  wavescan::integral_histogram(image, wavescan::UniformBins<std::uint8_t>{0, 255, 16}, histogram);
  wavescan::region_histograms(histogram, rectangles, counts);
}
