// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Types.hpp>
#include "Norms.hpp"
#include "RunSweeps.hpp"
#include "Sweeps.hpp"

/// @file
/// @brief Grids that stay in shared memory for all sweeps: bit for bit the plain loops.

#if defined(KOKKOS_ENABLE_CUDA)

namespace wavescan::Test {
namespace {

template <class T>
class SORResident : public testing::Test {};
TYPED_TEST_SUITE(SORResident, FloatingPointTypes);

/// @brief Whether multiprocessors' shared memory holds all the grids of these tests.
constexpr bool has_large_memory = Impl::gpu::block_memory > 200 * 1024;

struct ResidentCase {
  std::int64_t m, n;
  int count;
  bool with_rhs = true;
  bool backward = false;
  MakePlacement place = row_major;
  Impl::sor::ResidentTuning tuning = {};
};

/// @brief Checks after two sweeps, and then each four: their snapshots, and what they measure.
/// Leaves the last one's values in `seen`.
template <class T>
void check_batches(const Impl::sor::ResidentSweeps<T>& sweeps, Impl::sor::Problem<T> problem,
                   SweepOrder order, Criterion criterion, PlainSOR<T>& p,
                   const GuardedArray<T>& seen) {
  SCOPED_TRACE(to_string(criterion));
  const Exec exec;
  const Grid<T> x = problem.x;
  int number = 0;
  for (const int checks : {3, sweeps.max_checks_at(criterion), 1}) {
    const Impl::sor::BatchedChecks ahead{number, checks, number == 0 ? 2 : 4, 4, criterion};
    const auto sums = sweeps.sweep_with_checks(exec, problem, ahead, order != SweepOrder::Backward,
                                               order != SweepOrder::Forward);
    ASSERT_EQ(sums.size(), static_cast<std::size_t>(checks));
    for (int k = 0; k < checks; ++k) {
      problem.x = sweeps.snapshot(x, number, criterion);
      Impl::sor::copy_entries(exec, "check", Impl::sor::read_only(problem.x),
                              grid_of(seen.matrix()));
      sweep(p, order, number++ == 0 ? 1 : 3);
      const std::vector<T> before = p.x;
      sweep(p, order, 1);
      ASSERT_TRUE(same_bits(seen.values(), p.x)) << "check " << k << " of " << checks;
      const Norms norms = criterion == Criterion::Update ? updates_of(p, before) : residuals_of(p);
      norms.expect(sums.begin()[k]);
    }
  }
}

/// @brief Runs the case twice, the second time with three sweeps, to another array and back, then
/// with checks, and compares with the plain loops.
template <class T>
void check_resident(const ResidentCase& test) {
  Random random;
  SCOPED_TRACE(random.trace());
  SCOPED_TRACE(std::to_string(test.m) + " x " + std::to_string(test.n) + ", " +
               std::to_string(test.count) + " sweeps");
  PlainSOR<T> p = random_sor<T>(test.m, test.n, five_different<T>(), test.with_rhs, false, random);
  const Placement placed = test.place(test.m + 2, test.n + 2);
  const GuardedArray<T> x(placed, p.x), to(placed);  // NaN
  GuardedArray<T> rhs(placed);
  if (test.with_rhs) rhs.set(p.rhs);
  const Exec exec;
  Impl::sor::ResidentSweeps<T> sweeps(exec, test.m + 2, test.n + 2);
  sweeps.tuning = test.tuning;
  sweeps.tuning.min_sweeps = 1;
  Impl::sor::Problem<T> problem{p.c, grid_of(x.matrix())};
  if (test.with_rhs) problem.rhs = Impl::sor::read_only(grid_of(rhs.matrix()));
  const SweepOrder order = test.backward ? SweepOrder::Backward : SweepOrder::Forward;
  const auto dense = Impl::sor::with_dense_rows(problem);
  const bool fits = sweeps.layout(dense.interior_rows(), dense.interior_columns()).blocks() > 0;
  if (!fits && !has_large_memory) return;
  ASSERT_TRUE(sweeps.is_preferred(problem, test.count, !test.backward, test.backward));
  ASSERT_TRUE(
      run_resident_sweeps(sweeps, exec, problem, grid_of(to.matrix()), test.count, test.backward));
  EXPECT_TRUE(same_bits(x.values(), p.x));
  sweep(p, order, test.count);
  EXPECT_TRUE(same_bits(to.values(), p.x));
  problem.x = grid_of(to.matrix());
  sweep(p, order, 3);
  ASSERT_TRUE(run_resident_sweeps(sweeps, exec, problem, problem.x, 3, test.backward));
  EXPECT_TRUE(same_bits(to.values(), p.x));
  EXPECT_TRUE(to.guards_intact());
  EXPECT_NO_THROW(sweeps.throw_if_stuck());
  if (!Impl::sor::has_dense_rows(dense.x)) return;  // as snapshots have
  for (const Criterion criterion : {Criterion::Residual, Criterion::Update}) {
    check_batches(sweeps, problem, order, criterion, p, x);
    if (testing::Test::HasFatalFailure()) return;
    Impl::sor::copy_entries(exec, "check", Impl::sor::read_only(grid_of(x.matrix())), problem.x);
  }
  EXPECT_NO_THROW(sweeps.throw_if_stuck());
}

TYPED_TEST(SORResident, Sizes) {
  for (const std::int64_t m : {1, 2, 7, 8, 9, 15, 16, 17, 31, 40, 67})
    for (const std::int64_t n : {1, 2, 3, 5, 8, 13, 31, 32, 33, 70})
      check_resident<TypeParam>({m,
                                 n,
                                 static_cast<int>(1 + (m + 3 * n) % 19),
                                 true,
                                 false,
                                 row_major,
                                 {.clusters = (m + n) % 2 == 0}});
  for (const auto& [m, n] : {Size{97, 101}, Size{255, 255}, Size{511, 500}, Size{3, 1200},
                             Size{2000, 3}, Size{1050, 1000}})
    for (const int count : {1, 4, 41}) check_resident<TypeParam>({m, n, count});
  check_resident<TypeParam>({97, 101, 41, true, false, row_major, {.clusters = false}});
}

TYPED_TEST(SORResident, DirectionsAndLayouts) {
  for (const bool backward : {false, true})
    for (const bool with_rhs : {false, true})
      for (const MakePlacement place : {row_major, column_major, odd_pitch, spread})
        check_resident<TypeParam>({150, 211, 37, with_rhs, backward, place});
}

TYPED_TEST(SORResident, Layouts) {
  for (const int rows : {8, 16, 32})
    for (const int warps : {1, 2, 5, 10})
      for (const int lag : {17, 33}) {
        for (const bool clusters : {false, true}) {
          const Impl::sor::ResidentTuning tuning{rows, warps, lag, 0, clusters};
          check_resident<TypeParam>({100, clusters ? 331 : 40, 43, true, false, row_major, tuning});
        }
      }
}

TYPED_TEST(SORResident, TwoInstancesAtOnce) {
  // Each has blocks enough for half of the device: they may wait for the other, but not for ever.
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  Random random;
  PlainSOR<TypeParam> p =
      random_sor<TypeParam>(500, 300, poisson<TypeParam>(1.9, 1), false, false, random);
  const GuardedArray<TypeParam> x(row_major(502, 302), p.x), y(row_major(502, 302), p.x);
  const Impl::sor::ResidentSweeps<TypeParam> first(instances[0], 502, 302),
      second(instances[1], 502, 302);
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(run_resident_sweeps(first, instances[0],
                                    Impl::sor::Problem<TypeParam>{p.c, grid_of(x.matrix())},
                                    grid_of(x.matrix()), 50));
    ASSERT_TRUE(run_resident_sweeps(second, instances[1],
                                    Impl::sor::Problem<TypeParam>{p.c, grid_of(y.matrix())},
                                    grid_of(y.matrix()), 50));
  }
  Kokkos::fence();
  sweep(p, SweepOrder::Forward, 250);
  EXPECT_TRUE(same_bits(x.values(), p.x));
  EXPECT_TRUE(same_bits(y.values(), p.x));
}

TYPED_TEST(SORResident, DoesNotFit) {
  const Impl::sor::ResidentSweeps<TypeParam> sweeps(Exec(), 5002, 4002);
  const Impl::sor::Problem<TypeParam> problem{five_different<TypeParam>(),
                                              {nullptr, 5002, 4002, 4002, 1}};
  EXPECT_FALSE(sweeps.is_preferred(problem, 1000, true, false));
}

TYPED_TEST(SORResident, SingleSweepsGoOtherWays) {
  if (!has_large_memory) GTEST_SKIP() << "needs shared memory";
  const Impl::sor::ResidentSweeps<TypeParam> sweeps(Exec(), 256, 512);
  for (const bool is_transposed : {false, true}) {
    const Grid<TypeParam> x = is_transposed ? Grid<TypeParam>{nullptr, 512, 256, 1, 512}
                                            : Grid<TypeParam>{nullptr, 256, 512, 512, 1};
    const Impl::sor::Problem<TypeParam> problem{five_different<TypeParam>(), x};
    EXPECT_FALSE(sweeps.is_preferred(problem, 1, true, false));
    EXPECT_TRUE(sweeps.is_preferred(problem, 64, true, false));
  }
}

}  // namespace
}  // namespace wavescan::Test

#endif
