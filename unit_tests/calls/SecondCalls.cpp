// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_ImageLoops.hpp>
#include <WaveScan_IntegralHistogram.hpp>
#include <WaveScan_LineSOR.hpp>
#include <WaveScan_Pad.hpp>
#include <WaveScan_Partition.hpp>
#include <WaveScan_SOR.hpp>
#include <WaveScan_SOR3D.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <WaveScan_Unique.hpp>
#include <WaveScan_Wavefront.hpp>
#include <WaveScan_Workspaces.hpp>

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

// The first call of a free function may allocate; the second one of its kind only enqueues.

namespace wavescan::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Array = Kokkos::View<T*>;
template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight>;
using Count = Kokkos::View<std::int64_t>;

struct IsPositive {
  KOKKOS_FUNCTION bool operator()(double x) const { return x > 0; }
};

template <class Call>
void check(const std::string& name, const Call& call) {
  SCOPED_TRACE(name);
  call();
  Kokkos::fence();
  const Recorder recorder;
  call();
  EXPECT_EQ(join(recorder.allocations()), "");
  EXPECT_EQ(join(recorder.fences()), "");
}

TEST(SecondCalls, OfScans) {
  for (const std::size_t n : {100, 100'000}) {
    const Array<double> x("x", n), y("y", n);
    check("inclusive_scan", [=] { inclusive_scan(x, y); });
    check("exclusive_scan", [=] { exclusive_scan(x, y); });
    check("weighted_scan", [=] { weighted_scan(x, 0.5, y); });
  }
}

TEST(SecondCalls, OfDataSliding) {
  const std::size_t n = 100'000;
  const Array<double> x("x", n), y("y", n), memory("memory", 300 * 301);
  const Count count("count");
  check("copy_if", [=] { copy_if(x, y, IsPositive(), count); });
  check("remove_if", [=] { remove_if(x, IsPositive(), count); });
  check("unique", [=] { unique(x, count); });
  check("partition", [=] { partition(x, IsPositive(), count); });
  const Matrix<double> in(memory.data(), 300, 300), out(memory.data(), 300, 301);
  check("pad", [=] { pad(in, out); });
  check("unpad", [=] { unpad(out, in); });
  check("shift_left", [=] { shift_left(x, 7); });
}

TEST(SecondCalls, OfImages) {
  const Matrix<double> image("image", 300, 200), table("table", 300, 200);
  check("summed_area_table", [=] { summed_area_table(image, table); });
  const Kokkos::View<std::uint32_t***, Kokkos::LayoutRight> counts("counts", 8, 300, 200);
  const UniformBins<double> bins{0, 1, 8};
  check("integral_histogram", [=] { integral_histogram(image, bins, counts); });
}

TEST(SecondCalls, OfSOR) {
  const Matrix<double> x("x", 302, 202), y("y", 302, 202);
  const auto c = mean_of_five<double>();
  check("sor_sweeps", [=] { sor_sweeps(x, c, 3); });
  check("sor_sweeps from an array", [=] { sor_sweeps(x, y, c, 1); });
  check("sor_sweeps, backward", [=] { sor_sweeps(x, c, 1, {}, {.order = SweepOrder::Backward}); });
  const auto step = poisson<double>(1.5, 0.01);
  check("sor_line_sweeps", [=] { sor_line_sweeps(x, step, 2, {}, Relaxation::ZebraLines); });
  const Kokkos::View<double***, Kokkos::LayoutRight> box("box", 20, 30, 40);
  check("sor_sweeps in a box", [=] { sor_sweeps(box, poisson_3d<double>(1.5, 0.1), 2); });
}

TEST(SecondCalls, OfWavefronts) {
  const Matrix<double> image("image", 300, 200), table("table", 300, 200);
  const Matrix<double>::const_type read = image;
  check("wavefront", [=] { wavefront(SummedAreaTableLoop<double, double>{grid_of(read)}, table); });
}

TEST(SecondCalls, SolvesWaitForNormsOnly) {
  const Matrix<double> x("x", 302, 202);
  const auto solve = [=] {
    sor_solve(x, poisson<double>(1.5, 0.01), {}, {.max_sweeps = 30, .check_every = 10});
  };
  solve();
  const Recorder recorder;
  solve();
  EXPECT_EQ(join(recorder.allocations()), "");
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
