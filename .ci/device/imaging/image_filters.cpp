// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

void filters(const Kokkos::View<std::uint8_t**>& image, const Kokkos::View<std::uint32_t**>& table,
             const Kokkos::View<std::uint64_t**>& squares, const Kokkos::View<float**>& out,
             const Kokkos::View<double**>& sums,
             const Kokkos::View<wavescan::Rectangle*>& rectangles,
             const Kokkos::View<std::uint32_t*>& of_rectangles) {
  wavescan::rectangle_sums(table, rectangles, of_rectangles);
  wavescan::box_filter(table, 3, image);
  wavescan::box_filter(sums, 3, out);
  wavescan::local_variance(table, squares, 3, out);
  wavescan::threshold_bradley(image, table, 8, 0.15, image);
  wavescan::threshold_sauvola(image, table, squares, 8, {}, image);
}
