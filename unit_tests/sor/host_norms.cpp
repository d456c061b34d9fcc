// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_SpecialNumbers.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "norms.hpp"

/// @file
/// @brief Norms that come out of the host's last pass.

namespace wavescan::Test {
namespace {

template <class K>
class HostNorms : public HostTest<K> {};
TYPED_TEST_SUITE(HostNorms, HostKinds, );

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
      const auto sum = p.with([&](const auto& problem) {
        return sor.measured_sweep_to(Host(), problem, grid_of(to.matrix()), c.count, c.forward(),
                                     c.backward(), criterion);
      });
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

TYPED_TEST(HostNorms, ShapesAndCounts) {
  for (const std::int64_t m : {1, 7, 16, 33})
    for (const std::int64_t n : {1, 15, 47, 90})
      for (const int count : {1, 2, 4, 8, 10}) {
        check_norms<TypeParam>({m, n, count}, false);
        Case c{m, n, count};
        c.constant = 0;
        c.mask_bytes = 1;
        check_norms<TypeParam>(c, true);
        if (this->HasFatalFailure()) return;
      }
}

TYPED_TEST(HostNorms, OrdersLayoutsAndInputs) {
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (const auto place : {padded, padded_columns})
      for (const bool with_rhs : {false, true})
        for (const int mask_bytes : {0, 4, 8})
          for (const unsigned constant : {0x3fu, 0x1fu, 0u}) {
            check_norms<TypeParam>(
                {37, 59, 5, order, 1.2, with_rhs, place, place, mask_bytes, constant}, false);
            if (this->HasFatalFailure()) return;
          }
}

TYPED_TEST(HostNorms, SeeWhatIsNotFinite) {
  using T = typename TypeParam::value_type;
  const Case c{20, 30, 2};
  for (const T bad : {infinity<T>, nan<T>})
    for (const Criterion criterion : {Criterion::Residual, Criterion::Update}) {
      HostProblem<T> p(c);
      p.plain.x[p.plain.at(0, 17)] = bad;  // the halo
      p.x.set(p.plain.x);
      Impl::sor::HostSweeps<Host, T, typename TypeParam::most> sor(Host(), c.m + 2, c.n + 2);
      sor.choose = false;
      const auto sum = p.with([&](const auto& problem) {
        return sor.measured_sweep_to(Host(), problem, problem.x, c.count, true, false, criterion);
      });
      ASSERT_TRUE(sum.has_value());
      EXPECT_TRUE(std::isnan(sum->norm(ResidualNorm::Maximum)));
      EXPECT_TRUE(std::isnan(sum->norm(ResidualNorm::RootMeanSquare)));
    }
}

}  // namespace
}  // namespace wavescan::Test
