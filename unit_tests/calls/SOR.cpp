// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_LineSOR.hpp>
#include <WaveScan_SOR.hpp>
#include <WaveScan_SOR3D.hpp>

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "SecondCalls.hpp"

namespace wavescan::Test {
namespace {

TEST(SecondCalls, OfSOR) {
  const Matrix<double> x("x", 302, 202), y("y", 302, 202);
  const auto c = mean_of_five<double>();
  check_second_call("sor_sweeps", [=] { sor_sweeps(x, c, 3); });
  check_second_call("sor_sweeps from an array", [=] { sor_sweeps(x, y, c, 1); });
  check_second_call("sor_sweeps, backward",
                    [=] { sor_sweeps(x, c, 1, {}, {.order = SweepOrder::Backward}); });
  const auto step = poisson<double>(1.5, 0.01);
  check_second_call("sor_line_sweeps",
                    [=] { sor_line_sweeps(x, step, 2, {}, Relaxation::ZebraLines); });
  const Kokkos::View<double***, Kokkos::LayoutRight> box("box", 20, 30, 40);
  check_second_call("sor_sweeps in a box",
                    [=] { sor_sweeps(box, poisson_3d<double>(1.5, 0.1), 2); });
}

TEST(SecondCalls, SolvesWaitForNormsOnly) {
  const Matrix<double> x("x", 302, 202);
  check_second_waiting_call("sor_solve", [=] {
    sor_solve(x, poisson<double>(1.5, 0.01), {}, {.max_sweeps = 30, .check_every = 10});
  });
}

}  // namespace
}  // namespace wavescan::Test
