// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Arrays in memory of the host that the execution space reaches, as sweeps read and write them.
#include <WaveScanTest_Tools.hpp>

#include "Sweeps.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;

#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)

TEST(PinnedMemory, IsSweptAsOtherMemoryIs) {
  using Pinned = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::SharedHostPinnedSpace>;
  constexpr std::int64_t m = 150, n = 320;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Schedule schedule : {Schedule::Auto, Schedule::TileSkewed})
    for (const int count : {1, 2, 3, 8}) {
      SCOPED_TRACE(std::string(to_string(schedule)) + ", sweeps: " + std::to_string(count));
      PlainSOR<float> p = random_sor<float>(m, n, poisson<float>(1, 1), false, false, random);
      const auto start = p.x;
      const Pinned x("x", m + 2, n + 2);
      std::copy(start.begin(), start.end(), x.data());
      sor_sweeps(Exec(), x, p.c, count, SORInputs(), {.schedule = schedule});
      Kokkos::fence();
      sweep(p, SweepOrder::Forward, count);
      ASSERT_FALSE(same_bits(start, p.x));
      EXPECT_TRUE(same_bits(std::vector<float>(x.data(), x.data() + x.size()), p.x));
    }
}

#endif

}  // namespace
