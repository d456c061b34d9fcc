// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Compare.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "Reference.hpp"
#include "Sweeps.hpp"
#include "Variable.hpp"

/// @file
/// @brief Sweeps from one array to another, and from zero.

namespace wavescan::Test {
namespace {

/// @brief The problem with a value in the place of all unknowns.
PlainSOR<double> with_unknowns(double value, PlainSOR<double> p) {
  for (std::int64_t i = 1; i <= p.m; ++i)
    for (std::int64_t j = 1; j <= p.n; ++j)
      if (p.unknown(i, j)) p.x[p.at(i, j)] = value;
  return p;
}

/// @brief From arrays to arrays of any layout, for constant and varying coefficients.
template <class Coefficients>
void check_from_to(const PlainSOR<double>& p, const Coefficients& coefficients,
                   const SOROptions& options, int count, MakePlacement place_from,
                   MakePlacement place_to) {
  GuardedArray<double> from(place_from(p.m + 2, p.n + 2), p.x);
  const GuardedArray<double> rhs(row_major(p.m + 2, p.n + 2), p.rhs);
  const GuardedArray<int> mask(row_major(p.m + 2, p.n + 2), p.mask);
  const auto inputs = SORInputs().rhs(rhs.matrix()).mask(mask.matrix());
  PlainSOR<double> expected = p;
  sweep(expected, options.order, count);

  const GuardedArray<double> to(place_to(p.m + 2, p.n + 2));  // NaN
  const Kokkos::View<const double**, Kokkos::LayoutStride, Exec> start = from.matrix();
  sor_sweeps(start, to.matrix(), coefficients, count, inputs, options);
  EXPECT_TRUE(same_bits(to.values(), expected.x));
  EXPECT_TRUE(to.guards_intact());
  EXPECT_TRUE(same_bits(from.values(), p.x));

  PlainSOR<double> expected_of_zero = with_unknowns(0, p);
  sweep(expected_of_zero, options.order, count);
  from.set(with_unknowns(nan<double>, p).x);
  sor_sweeps(ZeroGuess{}, from.matrix(), coefficients, count, inputs, options);
  EXPECT_TRUE(same_bits(from.values(), expected_of_zero.x));
  EXPECT_TRUE(from.guards_intact());
}

class SOROutOfPlace : public testing::TestWithParam<Schedule> {};

TEST_P(SOROutOfPlace, IsACopyAndThenInPlace) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [m, n] : {Size{0, 2}, Size{1, 1}, Size{2, 3}, Size{13, 17}, Size{31, 67}})
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
      for (const int count : {0, 1, 2, 5})
        for (const MakePlacement place : {row_major, column_major, spread}) {
          SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + ", " + to_string(order) +
                       ", sweeps: " + std::to_string(count));
          PlainSOR<double> p =
              random_sor<double>(m, n, five_different<double>(), true, true, random);
          const SOROptions options{.order = order, .schedule = GetParam()};
          check_from_to(p, p.c, options, count, row_major, place);
          vary_coefficients(p, random);
          const DeviceCoefficients<double> coefficients(p, {row_major(m + 2, n + 2)});
          check_from_to(p, coefficients.get(), options, count, place, row_major);
        }
}

INSTANTIATE_TEST_SUITE_P(SOR, SOROutOfPlace, testing::ValuesIn(exact_schedules),
                         ForSchedules::name);

TEST(SORFromTo, ZeroWithMasksOfBytes) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [m, n] :
       {Size{1, 1}, Size{3, 7}, Size{3, 8}, Size{3, 9}, Size{40, 131}, Size{190, 211}})
    for (const MakePlacement place : {row_major, column_major, spread})
      for (const int fixed_in : {2, 60}) {  // few fixed points, and many
        PlainSOR<double> p = random_sor<double>(m, n, five_different<double>(), true, true, random);
        for (int& entry : p.mask) entry = random.integer(0, fixed_in) == 0 ? 1 : 0;
        std::vector<char> bytes(p.mask.begin(), p.mask.end());
        const GuardedArray<double> x(place(m + 2, n + 2), with_unknowns(nan<double>, p).x);
        const GuardedArray<double> rhs(row_major(m + 2, n + 2), p.rhs);
        const GuardedArray<char> mask(place(m + 2, n + 2), bytes);
        // Two passes where few points are fixed, else one.
        const auto order = fixed_in > 2 ? SweepOrder::Symmetric : SweepOrder::Forward;
        sor_sweeps(ZeroGuess{}, x.matrix(), p.c, 1,
                   SORInputs().rhs(rhs.matrix()).mask(mask.matrix()), {.order = order});
        PlainSOR<double> expected = with_unknowns(0, p);
        sweep(expected, order, 1);
        EXPECT_TRUE(same_bits(x.values(), expected.x)) << m << " x " << n;
        EXPECT_TRUE(x.guards_intact());
      }
}

TEST(SORFromTo, PlainProblemsToo) {  // those that an execution space may have other ways for
  Random random;
  for (const int count : {0, 1, 2, 9}) {
    PlainSOR<double> p = random_sor<double>(200, 300, poisson<double>(1.3, 1), true, false, random);
    const GuardedArray<double> from(row_major(202, 302), p.x);
    const GuardedArray<double> rhs(row_major(202, 302), p.rhs);
    const GuardedArray<double> to(row_major(202, 302));
    sor_sweeps(from.matrix(), to.matrix(), p.c, count, SORInputs().rhs(rhs.matrix()));
    const GuardedArray<double> in_place(row_major(202, 302), p.x);
    sor_sweeps(in_place.matrix(), p.c, count, SORInputs().rhs(rhs.matrix()));
    const auto got = to.values();
    const auto expected = in_place.values();
    for (std::int64_t i = 0; i < 202; ++i)
      for (std::int64_t j = 0; j < 302; ++j) {
        const bool corner = (i == 0 || i == 201) && (j == 0 || j == 301);
        if (!corner) {
          ASSERT_EQ(got[p.at(i, j)], expected[p.at(i, j)]) << i << ", " << j;
        }
      }
    EXPECT_TRUE(same_bits(from.values(), p.x));

    const GuardedArray<double> unknown(row_major(202, 302), with_unknowns(nan<double>, p).x);
    sor_sweeps(ZeroGuess{}, unknown.matrix(), p.c, count, SORInputs().rhs(rhs.matrix()));
    PlainSOR<double> expected_of_zero = with_unknowns(0, p);
    sweep(expected_of_zero, SweepOrder::Forward, count);
    EXPECT_TRUE(same_bits(unknown.values(), expected_of_zero.x)) << count << " sweeps from zero";
  }
}

}  // namespace
}  // namespace wavescan::Test
