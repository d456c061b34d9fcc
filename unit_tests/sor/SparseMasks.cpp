// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <impl/sor/host/WaveScan_UnknownRuns.hpp>

#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include <WaveScanTest_Types.hpp>
#include "Exact.hpp"

// Masks that leave few points unknown, of which the host visits no others: the bits of the plain
// loop for all orders, coefficients, types of entries, and ways to call.

namespace wavescan::Test {
namespace {

template <class T>
class SORSparseMasks : public testing::Test {};
TYPED_TEST_SUITE(SORSparseMasks, FloatingPointTypes, );

enum class Kind { None, One, Lines, Spots, Quarter };

/// @brief Zero where a point is unknown.
std::vector<int> mask_of(Kind kind, std::int64_t m, std::int64_t n, Random& random) {
  std::vector<int> mask;
  const std::int64_t at = kind == Kind::One ? random.integer(0, m * n - 1) : -1;
  for (std::int64_t i = 0; i < m + 2; ++i)
    for (std::int64_t j = 0; j < n + 2; ++j) {
      const bool unknown = kind == Kind::One       ? (i - 1) * n + j - 1 == at
                           : kind == Kind::Lines   ? i % 9 == 4 || j == n
                           : kind == Kind::Spots   ? random.integer(0, 19) == 0
                           : kind == Kind::Quarter ? j % 8 < 2
                                                   : false;
      mask.push_back(unknown ? 0 : random.integer(0, 1) != 0 ? 256 : -1);
    }
  return mask;
}

template <class T>
PlainSOR<T> problem(Kind kind, std::int64_t m, std::int64_t n, bool with_rhs, bool varies,
                    Random& random) {
  PlainSOR<T> p = random_sor<T>(m, n, five_different<T>(), with_rhs, false, random);
  p.mask = mask_of(kind, m, n, random);
  if (varies) vary_coefficients(p, random);
  return p;
}

template <class Word>
std::vector<Word> words_of(const std::vector<int>& mask) {
  std::vector<Word> words;
  for (const int fixed : mask) words.push_back(fixed != 0 ? Word(fixed | 1) : Word(0));
  return words;
}

/// @brief In place, to another array, and in place again.
template <class T, class Word>
void check(PlainSOR<T> p, SweepOrder order,
           Placement (*place_mask)(std::int64_t rows, std::int64_t columns) = row_major) {
  const Placement place = row_major(p.m + 2, p.n + 2);
  const GuardedArray<T> x(place, p.x), rhs(place, p.rhs.empty() ? p.x : p.rhs);
  const GuardedArray<T> to(place);
  const GuardedArray<Word> mask(place_mask(p.m + 2, p.n + 2), words_of<Word>(p.mask));
  const auto plan = SOR<Exec, T>::like(Exec(), x.matrix(), {.order = order});
  const auto sweep_with = [&](const auto& inputs) {
    const auto sweep_by = [&](const auto& c) {
      plan.sweeps(x.matrix(), c, 9, inputs);
      sweep_serially(p, order, 9);
      ASSERT_TRUE(same_bits(x.values(), p.x));
      plan.sweeps(x.matrix(), to.matrix(), c, 4, inputs);
      ASSERT_TRUE(same_bits(x.values(), p.x)) << "read only";
      sweep_serially(p, order, 4);
      ASSERT_TRUE(same_bits(to.values(), p.x)) << "from one array to another";
      const SolveReport report =
          plan.solve(to.matrix(), c, inputs, {.tolerance = 0, .max_sweeps = 11, .check_every = 11});
      sweep_serially(p, order, report.sweeps);
      ASSERT_TRUE(same_bits(to.values(), p.x)) << report.to_string();
    };
    // Kernels get the width of a mask's words, and so no others for other words.
    if constexpr (std::same_as<Word, int>) {
      with_coefficients(p, place, sweep_by);
    } else {
      ASSERT_TRUE(p.each.empty());
      sweep_by(p.c);
    }
  };
  if (p.rhs.empty())
    sweep_with(SORInputs().mask(mask.matrix()));
  else
    sweep_with(SORInputs().rhs(rhs.matrix()).mask(mask.matrix()));
  ASSERT_TRUE(x.guards_intact());
  ASSERT_TRUE(to.guards_intact());
}

TYPED_TEST(SORSparseMasks, GiveTheBitsOfTheLoop) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Kind kind : {Kind::None, Kind::One, Kind::Lines, Kind::Spots, Kind::Quarter})
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
      for (const bool with_rhs : {false, true})
        for (const auto& [m, n] : {Extents{40, 61}, Extents{1, 90}, Extents{97, 1}}) {
          check<TypeParam, int>(problem<TypeParam>(kind, m, n, with_rhs, !with_rhs, random), order);
          if (this->HasFatalFailure()) return;
        }
}

TYPED_TEST(SORSparseMasks, OfAllTypes) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto p = problem<TypeParam>(Kind::Spots, 50, 73, true, false, random);
  check<TypeParam, std::uint16_t>(p, SweepOrder::Backward);
  if constexpr (std::same_as<TypeParam, double>) {
    check<TypeParam, std::int8_t>(p, SweepOrder::Forward);
    check<TypeParam, unsigned long>(p, SweepOrder::Forward);
    check<TypeParam, long long>(p, SweepOrder::Symmetric);
  }
}

// Bytes next to each other are looked through at once, and only these.
TYPED_TEST(SORSparseMasks, OfOtherLayouts) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto place_mask : {column_major, spread, with_odd_rows})
    for (const Kind kind : {Kind::Lines, Kind::Spots}) {
      const auto p = problem<TypeParam>(kind, 40, 61, true, false, random);
      check<TypeParam, std::uint8_t>(p, SweepOrder::Forward, place_mask);
      check<TypeParam, int>(p, SweepOrder::Backward, place_mask);
      if (this->HasFatalFailure()) return;
    }
}

// Enough work for several threads, whose passes follow each other down the rows.
TYPED_TEST(SORSparseMasks, Large) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto p = problem<TypeParam>(Kind::Spots, 700, 900, false, false, random);
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward})
    check<TypeParam, std::uint8_t>(p, order);
}

TYPED_TEST(SORSparseMasks, AreLeftAloneWhereTooMuchIsUnknown) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const Impl::sor::HostRuns<Host, TypeParam> runs;
  std::vector<TypeParam> x(12 * 12);
  std::vector<unsigned char> mask(12 * 12, 1);
  for (std::size_t j = 1; j <= 10; ++j) mask[12 + j] = mask[24 + j] = 0;
  const Impl::sor::MaskedProblem<TypeParam> p{
      five_different<TypeParam>(),
      {x.data(), 12, 12, 12, 1},
      {},
      Impl::sor::FixedPoints::of(Grid<const unsigned char>{mask.data(), 12, 12, 12, 1})};
  EXPECT_TRUE(runs.supports(p, 9));
  EXPECT_FALSE(runs.supports(p, 1)) << "not worth a look at the mask";
  EXPECT_TRUE(runs.are_few(Host(), p));
  for (std::size_t j = 1; j <= 10; ++j) mask[36 + j] = 0;
  EXPECT_FALSE(runs.are_few(Host(), p));
}

}  // namespace
}  // namespace wavescan::Test
