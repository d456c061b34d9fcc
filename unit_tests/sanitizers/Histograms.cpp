// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_ImageViews.hpp>
#include <WaveScan_IntegralHistogram.hpp>

#include <cstdint>

#include "Mixture.hpp"

namespace wavescan::Test {

void run_histograms() {
  constexpr int bins = 16;
  for (const int rows : {300, 700}) {  // a small image, walked through in two steps, and bands
    const Kokkos::View<std::uint8_t**, Kokkos::LayoutRight, Exec> image("image", rows, 333);
    const Kokkos::View<std::uint32_t***, Kokkos::LayoutRight, Exec> planes("planes", bins, rows,
                                                                           333);
    const Kokkos::View<std::uint32_t***, Kokkos::LayoutRight, Exec> pixels("pixels", rows, 333,
                                                                           bins);
    const UniformBins<std::uint8_t> binning{0, 255, bins};
    integral_histogram(image, binning, planes);
    integral_histogram(image, binning, channels_first(pixels));
  }
}

}  // namespace wavescan::Test
