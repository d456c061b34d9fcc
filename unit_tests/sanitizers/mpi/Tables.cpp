// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_IntegralHistogram.hpp>
#include <WaveScan_MPI_SummedAreaTable.hpp>
#include <cstdint>

#include "Distributed.hpp"

namespace wavescan::Test {
void run_distributed_tables() {
  const Matrix<std::uint8_t> image("image", 300, 320);
  const Matrix<std::uint32_t> table("table", 300, 320);
  mpi::summed_area_table(world, image, table);
  const Kokkos::View<std::uint32_t***, Kokkos::LayoutRight, Exec> planes("planes", 16, 300, 320);
  mpi::integral_histogram(world, image, UniformBins<std::uint8_t>{0, 255, 16}, planes);
}

}  // namespace wavescan::Test
