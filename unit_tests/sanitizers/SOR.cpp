// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>

#include <algorithm>

#include "../sor/RunSweeps.hpp"
#include "Mixture.hpp"

namespace wavescan::Test {
namespace {

template <class T>
void relax(int fused, const Impl::sor::GpuTuning& tuning) {
  constexpr int m = 130, n = 260;
  const Exec exec;
  const Kokkos::View<T**, Kokkos::LayoutRight, Exec> x("x", m + 2, n + 2), b("b", m + 2, n + 2);
  Impl::sor::GpuSweeps<T> sor(exec, m + 2, n + 2);
  sor.tuning = tuning;
  sor.tuning.max_depth = fused;
  // Two bands a block, where its shared memory holds them for any kernel.
  sor.tuning.warps = Impl::sor::PassSizes::is_tight ? 1 : 2;
  const Impl::sor::Problem<T> problem{
      poisson<T>(1.2, 1), grid_of(x),
      grid_of(Kokkos::View<const T**, Kokkos::LayoutRight, Exec>(b))};
  expect_done(run_sweeps(sor, exec, problem, problem.x, {3 * fused}), "sor");
  if (fused == 1 && tuning.blocks == 1)
    expect_done(run_sweeps(sor, exec, problem, problem.x, {1}), "sor in place");
  expect_done(run_sweeps(sor, exec, problem, problem.x, {fused, true, fused == 1, true}),
              "sor from zero");
  expect_done(run_measured_sweeps(sor, exec, problem, problem.x,
                                  {fused, true, false, false, Criterion::Update})
                  .has_value(),
              "sor with updates");
}

/// @brief Several bands, and two cycles of a ring of warps, whose lanes are inside their rows at
/// some steps.
template <class T>
void relax_in_shared_memory(bool in_cluster) {
  constexpr int m = 37, n = 90;
  const Exec exec;
  const Kokkos::View<T**, Kokkos::LayoutRight, Exec> x("x", m + 2, n + 2), b("b", m + 2, n + 2);
  Impl::sor::ResidentSweeps<T> sor(exec, m + 2, n + 2);
  sor.tuning = {8, 2, 0, 1, in_cluster};
  const Impl::sor::Problem<T> problem{
      poisson<T>(1.2, 1), grid_of(x),
      grid_of(Kokkos::View<const T**, Kokkos::LayoutRight, Exec>(b))};
  expect_done(run_resident_sweeps(sor, exec, problem, problem.x, 11), "resident sor");
  for (const auto criterion : {Criterion::Residual, Criterion::Update})
    expect_done(!sor.sweep_with_checks(exec, problem, {0, 3, 2, 5, criterion}, false, true).empty(),
                "resident sor for looks");
}

}  // namespace

void run_sor() {
  for (const int fused : {1, 4, 8}) {
    Impl::sor::GpuTuning blocks, relay;
    blocks.blocks = 1;
    blocks.row_blocks = blocks.column_blocks = 2;
    relay.blocks = 0;
    relay.passes = 3;
    relax<float>(fused, blocks);
    relax<float>(fused, relay);
    // A block with little shared memory has no room for eight sweeps of doubles.
    relax<double>(Impl::sor::PassSizes::is_tight ? std::min(fused, 4) : fused, blocks);
  }
  if (Impl::sor::PassSizes::is_tight) return;  // nor for grids that stay there
  for (const bool in_cluster : {false, true}) {
    relax_in_shared_memory<float>(in_cluster);
    relax_in_shared_memory<double>(in_cluster);
  }
}

}  // namespace wavescan::Test
