// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_SpecialNumbers.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>

/// @file
/// @brief Every wrong argument is named in an exception, and nothing is written.

namespace wavescan::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Array = Kokkos::View<double**, Exec>;
using Mask = Kokkos::View<int**, Exec>;

class SORArguments : public testing::Test {
 protected:
  Array x{"x", 6, 7};
  Mask other_mask{"mask", 5, 7};
  SORCoefficients<double> c = mean_of_five<double>();

  void expect_rejected(const std::string& start, const std::function<void()>& call) {
    Kokkos::deep_copy(x, 1.0);
    try {
      call();
      ADD_FAILURE() << "accepted, where this was expected: " << start;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, start.size()), start);
    }
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    for (std::size_t i = 0; i < x.extent(0); ++i)
      for (std::size_t j = 0; j < x.extent(1); ++j) EXPECT_EQ(host(i, j), 1.0);
  }

  void expect_control_rejected(const std::string& argument, const SolveControl& control) {
    expect_rejected("WaveScan::sor_solve: argument '" + argument + "'",
                    [&] { sor_solve(x, c, SORInputs(), control); });
  }
};

TEST_F(SORArguments, Extents) {
  const Array rhs("rhs", 6, 6);
  const Mask mask("mask", 5, 7);
  const std::string got = " must have the extents of 'x' (6 x 7), got ";
  expect_rejected("WaveScan::sor_sweeps: argument 'rhs'" + got + "6 x 6",
                  [&] { sor_sweeps(x, c, 1, SORInputs().rhs(rhs)); });
  expect_rejected("WaveScan::sor_sweeps: argument 'mask'" + got + "5 x 7",
                  [&] { sor_sweeps(x, c, 1, SORInputs().mask(mask)); });
  expect_rejected("WaveScan::sor_solve: argument 'rhs'" + got + "6 x 6",
                  [&] { sor_solve(x, c, SORInputs().rhs(rhs)); });
  expect_rejected("WaveScan::sor_residual: argument 'mask'" + got + "5 x 7",
                  [&] { sor_residual(x, c, SORInputs().mask(mask)); });
  const SOR<Exec, double> sor(Exec(), 7, 6);
  const std::string plan = ": argument 'x' must have the plan's extents (7 x 6), got 6 x 7";
  expect_rejected("WaveScan::sor_sweeps" + plan, [&] { sor.sweeps(x, c, 1); });
  expect_rejected("WaveScan::sor_solve" + plan, [&] { sor.solve(x, c); });
  for (const auto& [rows, columns] : {std::pair(6, 6), std::pair(7, 7)})
    expect_rejected("WaveScan::sor_sweeps: argument 'x' must have the plan's extents",
                    [&] { SOR<Exec, double>(Exec(), rows, columns).sweeps(x, c, 1); });
}

TEST_F(SORArguments, SharedMemory) {
  const std::string shared = " must share no memory with 'rhs', got overlapping Views";
  expect_rejected("WaveScan::sor_sweeps: argument 'x'" + shared,
                  [&] { sor_sweeps(x, c, 1, SORInputs().rhs(x)); });
  expect_rejected("WaveScan::sor_solve: argument 'x'" + shared,
                  [&] { sor_solve(x, c, SORInputs().rhs(x)); });
  const Array both("both", 8, 7);
  const auto upper = Kokkos::subview(both, std::pair(0, 6), Kokkos::ALL());
  const auto lower = Kokkos::subview(both, std::pair(2, 8), Kokkos::ALL());
  EXPECT_THROW(sor_sweeps(upper, c, 1, SORInputs().rhs(lower)), std::invalid_argument);
  EXPECT_THROW(sor_sweeps(upper, lower, c, 1), std::invalid_argument);
  const Kokkos::View<long long**, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>> same(
      reinterpret_cast<long long*>(x.data()), 6, 7);
  expect_rejected("WaveScan::sor_sweeps: argument 'x' must share no memory with 'mask'",
                  [&] { sor_sweeps(x, c, 1, SORInputs().mask(same)); });
}

TEST_F(SORArguments, OutOfPlace) {
  const Array from("from", 6, 7);
  const Array other("other", 6, 6);
  expect_rejected("WaveScan::sor_sweeps: argument 'from' must have the extents of 'to' (6 x 7)",
                  [&] { sor_sweeps(other, x, c, 1); });
  expect_rejected("WaveScan::sor_sweeps: argument 'to' must share no memory with 'from'",
                  [&] { sor_sweeps(x, x, c, 1); });
  expect_rejected("WaveScan::sor_sweeps: argument 'to' must share no memory with 'rhs'",
                  [&] { sor_sweeps(from, x, c, 1, SORInputs().rhs(x)); });
  expect_rejected("WaveScan::sor_sweeps: argument 'mask' must have the extents of 'to' (6 x 7)",
                  [&] { sor_sweeps(ZeroGuess{}, x, c, 1, SORInputs().mask(other_mask)); });
  expect_rejected("WaveScan::sor_sweeps: argument 'count' must not be negative, got -1",
                  [&] { sor_sweeps(ZeroGuess{}, x, c, -1); });
  const SOR<Exec, double> sor(Exec(), 7, 6);
  expect_rejected("WaveScan::sor_sweeps: argument 'to' must have the plan's extents (7 x 6)",
                  [&] { sor.sweeps(from, x, c, 1); });
}

TEST_F(SORArguments, ElementsThatOverlap) {
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Exec>;
  for (const Kokkos::LayoutStride& layout :
       {Kokkos::LayoutStride(6, 0, 7, 1), Kokkos::LayoutStride(6, 5, 7, 1),
        Kokkos::LayoutStride(6, 1, 7, 5), Kokkos::LayoutStride(3, 4, 3, 2)}) {
    const Strided view(x.data(), layout);
    expect_rejected("WaveScan::sor_sweeps: argument 'x' must have no elements that overlap",
                    [&] { sor_sweeps(view, c, 1); });
  }
  for (const Kokkos::LayoutStride& layout :
       {Kokkos::LayoutStride(6, 1, 7, 6), Kokkos::LayoutStride(3, 3, 3, 2)}) {
    const Strided apart(x.data(), layout);
    EXPECT_NO_THROW(sor_sweeps(apart, c, 1));
  }
}

TEST_F(SORArguments, Coefficients) {
  c.down = nan<double>;
  expect_rejected("WaveScan::sor_sweeps: argument 'coefficients.down' must be finite, got nan",
                  [&] { sor_sweeps(x, c, 1); });
  c = mean_of_five<double>();
  c.rhs = infinity<double>;
  expect_rejected("WaveScan::sor_solve: argument 'coefficients.rhs' must be finite, got inf",
                  [&] { sor_solve(x, c); });
}

TEST_F(SORArguments, Control) {
  for (const double value : {-1e-300, -1.0, nan<double>}) {
    expect_control_rejected("tolerance", {.tolerance = value});
    expect_control_rejected("relative_tolerance", {.relative_tolerance = value});
  }
  expect_control_rejected("max_sweeps", {.max_sweeps = -1});
  expect_control_rejected("check_every", {.check_every = 0});
  expect_control_rejected("check_every", {.check_every = -3});
  expect_control_rejected("divergence_factor", {.divergence_factor = 0.5});
  expect_control_rejected("divergence_factor", {.divergence_factor = nan<double>});
  EXPECT_NO_THROW(sor_solve(x, c, SORInputs(), {.max_sweeps = 0, .divergence_factor = 1}));
}

TEST_F(SORArguments, Counts) {
  expect_rejected("WaveScan::sor_sweeps: argument 'count' must not be negative, got -1",
                  [&] { sor_sweeps(x, c, -1); });
  expect_rejected("WaveScan::SOR: argument 'rows' must not be negative, got -1",
                  [] { SOR<Exec, double>(Exec(), -1, 5); });
  expect_rejected("WaveScan::SOR: argument 'columns' must not be negative, got -1",
                  [] { SOR<Exec, double>(Exec(), 5, -1); });
  expect_rejected("WaveScan::sor_sweeps: argument 'tile_rows' must not be negative, got -1",
                  [&] { sor_sweeps(x, c, 1, SORInputs(), {.tile_rows = -1}); });
  expect_rejected("WaveScan::sor_solve: argument 'tile_columns' must not be negative, got -1",
                  [&] { sor_solve(x, c, SORInputs(), {}, {.tile_columns = -1}); });
}

TEST_F(SORArguments, Schedules) {
  for (const Schedule schedule : {Schedule::RowSweep, Schedule::TileCompensated})
    expect_rejected(
        "WaveScan::sor_sweeps: argument 'schedule' must be auto, serial or tile-skewed, got ",
        [&] { sor_sweeps(x, c, 1, SORInputs(), {.schedule = schedule}); });
  expect_rejected("WaveScan::sor_solve: argument 'schedule'",
                  [&] { sor_solve(x, c, SORInputs(), {}, {.schedule = Schedule::RowSweep}); });
  expect_rejected("WaveScan::SOR: argument 'schedule'",
                  [&] { SOR<Exec, double>::like(Exec(), x, {.schedule = Schedule::RowSweep}); });
}

}  // namespace
}  // namespace wavescan::Test
