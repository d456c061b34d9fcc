// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Types.hpp>
#include <impl/sor/WaveScan_SpeculativeSegments.hpp>

#include "exact.hpp"

/// @file
/// @brief Few rows or columns in segments, bit for bit the plain loops. Devices take them; they run
/// everywhere.

namespace wavescan::Test {
namespace {

template <class T>
class SORInSegments : public testing::Test {};
TYPED_TEST_SUITE(SORInSegments, FloatingPointTypes, );

/// @param overlap of segments; 0: chosen
template <class T>
void check_segments(const ExactCase& c, int count, const SORCoefficients<T>& coefficients,
                    std::int64_t overlap = 0) {
  Random random;
  SCOPED_TRACE(c.name() + ", " + std::to_string(count) + " sweeps, " + random.trace());
  const auto [m, n] = c.extents;
  PlainSOR<T> p = random_sor<T>(m, n, coefficients, c.with_rhs, c.with_mask, random);
  const Exec exec;
  const GuardedArray<T> x(c.place(m + 2, n + 2), p.x);
  const GuardedArray<T> to(c.place(m + 2, n + 2));
  Impl::sor::SegmentSweeps<Exec, T> segments(exec, m + 2, n + 2);
  segments.overlap = overlap;
  with_inputs(p, c.place_inputs(m + 2, n + 2), [&](const auto& inputs) {
    const Impl::sor::SecondArray<Exec, T> marks;
    const auto problem = Impl::sor::with_encoded_mask(
        exec, Impl::sor::make_problem<Exec>("sor_sweeps", "x", x.matrix(), p.c, inputs), marks);
    ASSERT_TRUE(segments.suits(problem));
    const bool forward = c.order != SweepOrder::Backward, backward = c.order != SweepOrder::Forward;
    segments.sweep_to(exec, problem, grid_of(to.matrix()), count, forward, backward);
    ASSERT_TRUE(same_bits(x.values(), p.x));
    segments.sweep_to(exec, problem, problem.x, count, forward, backward);
    exec.fence();
  });
  sweep_serially(p, c.order, count);
  ASSERT_TRUE(same_bits(to.values(), p.x));
  ASSERT_TRUE(same_bits(x.values(), p.x));
  ASSERT_TRUE(x.guards_intact() && to.guards_intact());
}

TYPED_TEST(SORInSegments, ShapesAndInputs) {
  WantedCases wanted;
  for (const Extents& extents :
       {Extents{1, 512}, {3, 3000}, {4, 529}, {5, 700}, {16, 513}, {2000, 2}, {600, 16}, {777, 7}})
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
      for (const auto place : {row_major, column_major, spread})
        for (const bool with_rhs : {false, true})
          for (const bool with_mask : {false, true})
            for (const int count : {1, 2, 3}) {
              if (!wanted.next()) continue;
              check_segments<TypeParam>({extents, order, place, row_major, with_rhs, with_mask},
                                        count, five_different<TypeParam>());
              if (testing::Test::HasFatalFailure()) return;
            }
}

// With hardly any overlap, and slowly forgotten beginnings, most segments have to be done again.
TYPED_TEST(SORInSegments, SegmentsThatDoNotFitAreDoneAgain) {
  for (const Extents& extents : {Extents{3, 1000}, {1000, 9}})
    for (const auto order : {SweepOrder::Forward, SweepOrder::Symmetric})
      for (const std::int64_t overlap : {1, 9})
        check_segments<TypeParam>({extents, order, row_major, row_major, true}, 3,
                                  poisson<TypeParam>(1.8, 1), overlap);
}

TYPED_TEST(SORInSegments, LeaveOthersAlone) {
  using T = TypeParam;
  const auto suits = [](std::int64_t m, std::int64_t n, double omega) {
    const GuardedArray<T> x(row_major(m + 2, n + 2));
    const Impl::sor::Problem<T> problem{poisson<T>(omega, 1), grid_of(x.matrix())};
    return Impl::sor::SegmentSweeps<Exec, T>(Exec(), m + 2, n + 2).suits(problem);
  };
  EXPECT_TRUE(suits(3, 1000, 1.0));
  EXPECT_TRUE(suits(1000, 3, 1.0));
  EXPECT_FALSE(suits(3, 1000, 1.99));  // remembers too long
  EXPECT_FALSE(suits(17, 1000, 1.0));
  EXPECT_FALSE(suits(3, 100, 1.0));
  EXPECT_FALSE(suits(0, 1000, 1.0));
}

}  // namespace
}  // namespace wavescan::Test
