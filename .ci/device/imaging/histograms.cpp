// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan.hpp>
#include <cstdint>

/// Bins of a user, known for some pixels only.
struct Decades {
  KOKKOS_FUNCTION int operator()(float pixel) const {
    return pixel < 1 ? -1 : static_cast<int>(Kokkos::log10(pixel));
  }
};

// Where bins lie next to each other is known when a program runs: each call compiles both.
void histograms(const Kokkos::View<std::uint8_t**>& bytes, const Kokkos::View<float**>& floats,
                const Kokkos::View<std::uint32_t***>& counts,
                const Kokkos::View<std::uint64_t***>& long_counts,
                const Kokkos::View<wavescan::Rectangle*>& rectangles,
                const Kokkos::View<std::uint32_t**>& of_regions) {
  wavescan::integral_histogram(bytes, wavescan::UniformBins<int>{0, 256, 16}, counts);
  wavescan::integral_histogram(floats, Decades{}, long_counts);
  wavescan::region_histograms(counts, rectangles, of_regions);
}
