// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_SpecialNumbers.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "Norms.hpp"
#include "RunSweeps.hpp"

/// @file
/// @brief Norms that come out of the host's last pass.

namespace wavescan::Test {
namespace {

class HostNorms : public HostTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, HostNorms, testing::ValuesIn(HostTest::kinds()), HostTest::name);

/// @brief A case's sweeps of a problem, of whatever type, and what the last pass measures.
template <class K>
struct MeasuredSweeps {
  using T = typename K::value_type;
  const Impl::sor::HostSweeps<Host, T, typename K::most>& sweeps;
  const GuardedArray<T, Host>& to;
  const Case& given;
  Criterion criterion;
  template <class Problem>
  std::optional<Impl::sor::ResidualSum> operator()(const Problem& problem) const {
    return run_measured_sweeps(sweeps, Host(), problem, grid_of(to.matrix()),
                               {given.count, given.forward(), given.backward(), false, criterion});
  }
};

template <class K>
void check_norms(const Case& c, bool in_place) {
  using T = typename K::value_type;
  SCOPED_TRACE(c.name());
  HostProblem<T> p(c);
  const auto start = p.plain.x;
  Impl::sor::HostSweeps<Host, T, typename K::most> sor(Host(), c.m + 2, c.n + 2);
  sor.choose = false;
  const auto before = sweep_to_last_pass(p.plain, c.order, c.count);
  for (const Criterion criterion : {Criterion::Residual, Criterion::Update}) {
    Impl::sor::ResidualSum first;
    for (const bool again : {false, true}) {
      p.x.set(start);
      const GuardedArray<T, Host> other(c.place(c.m + 2, c.n + 2));
      const GuardedArray<T, Host>& to = in_place ? p.x : other;
      const auto sum = p.with(MeasuredSweeps<K>{sor, to, c, criterion});
      ASSERT_TRUE(sum.has_value());
      ASSERT_TRUE(same_bits(to.values(), p.plain.x));
      ASSERT_TRUE(to.guards_intact());
      ASSERT_TRUE(in_place || same_bits(p.x.values(), start));
      criterion == Criterion::Residual ? residuals_of(p.plain).expect(*sum)
                                       : updates_of(p.plain, before).expect(*sum);
      if (again) {
        ASSERT_EQ(sum->squares, first.squares);
      }
      first = *sum;
    }
  }
}

void check_norms(const HostKind& kind, const Case& c, bool in_place) {
  with_kind(kind, [&](auto k) { check_norms<decltype(k)>(c, in_place); });
}

TEST_P(HostNorms, ShapesAndCounts) {
  for (const std::int64_t m : {1, 7, 16, 33})
    for (const std::int64_t n : {1, 15, 47, 90})
      for (const int count : {1, 2, 4, 8, 10}) {
        check_norms(GetParam(), {m, n, count}, false);
        Case c{m, n, count};
        c.constant = 0;
        c.mask_bytes = 1;
        check_norms(GetParam(), c, true);
        if (HasFatalFailure()) return;
      }
}

TEST_P(HostNorms, OrdersLayoutsAndInputs) {
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (const auto place : {padded, padded_columns})
      for (const bool with_rhs : {false, true})
        for (const int mask_bytes : {0, 4, 8})
          for (const unsigned constant : {0x3fu, 0x1fu, 0u}) {
            check_norms(GetParam(),
                        {37, 59, 5, order, 1.2, with_rhs, place, place, mask_bytes, constant},
                        false);
            if (HasFatalFailure()) return;
          }
}

template <class K>
void check_what_is_not_finite() {
  using T = typename K::value_type;
  const Case c{20, 30, 2};
  for (const T bad : {infinity<T>, nan<T>})
    for (const Criterion criterion : {Criterion::Residual, Criterion::Update}) {
      HostProblem<T> p(c);
      p.plain.x[p.plain.at(0, 17)] = bad;  // the halo
      p.x.set(p.plain.x);
      Impl::sor::HostSweeps<Host, T, typename K::most> sor(Host(), c.m + 2, c.n + 2);
      sor.choose = false;
      const auto sum = p.with(MeasuredSweeps<K>{sor, p.x, c, criterion});
      ASSERT_TRUE(sum.has_value());
      EXPECT_TRUE(std::isnan(sum->norm(ResidualNorm::Maximum)));
      EXPECT_TRUE(std::isnan(sum->norm(ResidualNorm::RootMeanSquare)));
    }
}

TEST_P(HostNorms, SeeWhatIsNotFinite) {
  with_kind(GetParam(), [](auto kind) { check_what_is_not_finite<decltype(kind)>(); });
}

/// @brief Squares of doubles may leave their range, those of floats do not; what is largest is
/// right.
template <class K>
void check_lost_squares() {
  using T = typename K::value_type;
  constexpr bool lost = sizeof(T) == 8;
  Case c{20, 30, 2};
  c.with_rhs = false;
  for (const T scale : {lost ? T(0x1p-565) : T(0x1p-60), lost ? T(0x1p530) : T(0x1p60)})
    for (const Criterion criterion : {Criterion::Residual, Criterion::Update}) {
      HostProblem<T> p(c);
      for (T& number : p.plain.x) number *= scale;
      p.x.set(p.plain.x);
      Impl::sor::HostSweeps<Host, T, typename K::most> sor(Host(), c.m + 2, c.n + 2);
      sor.choose = false;
      const auto sum = p.with(MeasuredSweeps<K>{sor, p.x, c, criterion});
      const auto before = sweep_to_last_pass(p.plain, c.order, c.count);
      const Norms expected =
          criterion == Criterion::Residual ? residuals_of(p.plain) : updates_of(p.plain, before);
      ASSERT_TRUE(sum.has_value());
      EXPECT_EQ(sum->non_finite, 0);
      EXPECT_EQ(sum->lacks_squares(ResidualNorm::RootMeanSquare), lost);
      EXPECT_FALSE(sum->lacks_squares(ResidualNorm::Maximum));
      EXPECT_NEAR(sum->norm(ResidualNorm::Maximum) / static_cast<double>(expected.largest), 1,
                  1e-12);
    }
}

TEST_P(HostNorms, TellWhereSquaresAreLost) {
  with_kind(GetParam(), [](auto kind) { check_lost_squares<decltype(kind)>(); });
}

}  // namespace
}  // namespace wavescan::Test
