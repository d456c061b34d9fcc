// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Scan.hpp>
#include <WaveScan_Workspaces.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "SecondCalls.hpp"

namespace wavescan::Test {
namespace {

TEST(SecondCalls, OfScans) {
  for (const std::size_t n : {100, 100'000}) {
    const Array<double> x("x", n), y("y", n);
    check_second_call("inclusive_scan", [=] { inclusive_scan(x, y); });
    check_second_call("exclusive_scan", [=] { exclusive_scan(x, y); });
    check_second_call("weighted_scan", [=] { weighted_scan(x, 0.5, y); });
  }
}

TEST(SecondCalls, AllocateIfNothingIsKept) {
  const Array<double> x("x", 100'000);
  inclusive_scan(x, x);
  limit_workspaces(0);
  const Recorder recorder;
  inclusive_scan(x, x);
  EXPECT_NE(join(recorder.allocations()), "");
  limit_workspaces(Impl::KeptPlans::usual_limit);
}

}  // namespace
}  // namespace wavescan::Test
