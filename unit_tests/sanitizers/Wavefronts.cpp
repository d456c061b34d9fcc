// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Wavefront.hpp>

#include <cstdint>

#include "Mixture.hpp"

namespace wavescan::Test {
namespace {

struct Mean {
  using algebra_type = PlusTimes<float>;
  KOKKOS_FUNCTION float weight(std::int64_t, std::int64_t) const { return 0.25f; }
  KOKKOS_FUNCTION float partial(std::int64_t i, std::int64_t j, float up, float,
                                const auto& old) const {
    return 0.25f * (up + old(i, j + 1) + old(i + 1, j));
  }
};

}  // namespace

void run_wavefronts() {
  const Kokkos::View<float**, Kokkos::LayoutRight, Exec> x("x", 150, 301);
  for (const Schedule schedule :
       {Schedule::RowSweep, Schedule::TileCompensated, Schedule::TileSkewed})
    wavefront(Mean{}, x, {.schedule = schedule, .range = IndexRange{1, 149, 1, 300}});
}

}  // namespace wavescan::Test
