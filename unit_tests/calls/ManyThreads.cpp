// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_SOR.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <WaveScan_Workspaces.hpp>

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <thread>
#include <vector>

// Threads that call the same free functions at the same time, each on an instance of its own, and
// one that releases workspaces meanwhile.

namespace wavescan::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// What one thread computes again and again.
class Chain {
 public:
  explicit Chain(const Exec& exec) : exec_(exec) {
    Kokkos::deep_copy(exec_, ones_, 1);
    Kokkos::deep_copy(exec_, x_, 1.0);
    exec_.fence();
  }
  void run(int times) const {
    for (int k = 0; k < times; ++k) {
      inclusive_scan(exec_, ones_, sums_);
      summed_area_table(exec_, image_, table_);
      sor_sweeps(exec_, x_, mean_of_five<double>(), 2);
    }
    exec_.fence();
  }
  std::int64_t last_sum() const {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums_)(n - 1);
  }
  /// All points, with their halo, are one; the mean of ones is one, but for rounding.
  double middle() const {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x_)(50, 60);
  }

 private:
  static constexpr std::int64_t n = 70'001;
  Exec exec_;
  Kokkos::View<std::int64_t*> ones_{"ones", n}, sums_{"sums", n};
  Kokkos::View<float**, Kokkos::LayoutRight> image_{"image", 100, 120}, table_{"table", 100, 120};
  Kokkos::View<double**, Kokkos::LayoutRight> x_{"x", 102, 122};
};

TEST(FreeCallsOfManyThreads, AreRight) {
  std::vector<Chain> chains;
  for (const Exec& part : Kokkos::Experimental::partition_space(Exec(), 1, 1, 1))
    chains.emplace_back(part);
  const auto times = static_cast<int>(cases_wanted(100));
  std::vector<std::thread> threads;
  for (const Chain& chain : chains) threads.emplace_back([&chain, times] { chain.run(times); });
  for (int k = 0; k < times; ++k) release_workspaces();
  for (std::thread& thread : threads) thread.join();
  for (const Chain& chain : chains) {
    EXPECT_EQ(chain.last_sum(), 70'001);
    EXPECT_NEAR(chain.middle(), 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace wavescan::Test
