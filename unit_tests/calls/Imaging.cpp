// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_ImageLoops.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <WaveScan_Wavefront.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "SecondCalls.hpp"

namespace wavescan::Test {
namespace {

TEST(SecondCalls, OfImages) {
  const Matrix<double> image("image", 300, 200), table("table", 300, 200);
  check_second_call("summed_area_table", [=] { summed_area_table(image, table); });
  const Kokkos::View<std::uint32_t***, Kokkos::LayoutRight> counts("counts", 8, 300, 200);
  const UniformBins<double> bins{0, 1, 8};
  check_second_call("integral_histogram", [=] { integral_histogram(image, bins, counts); });
}

TEST(SecondCalls, OfWavefronts) {
  const Matrix<double> image("image", 300, 200), table("table", 300, 200);
  const Matrix<double>::const_type read = image;
  check_second_call("wavefront",
                    [=] { wavefront(SummedAreaTableLoop<double, double>{grid_of(read)}, table); });
}

}  // namespace
}  // namespace wavescan::Test
