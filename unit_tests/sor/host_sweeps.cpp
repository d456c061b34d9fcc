// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>
#include <impl/WaveScan_SOR_Host.hpp>

#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Instances.hpp>
#include <WaveScanTest_Random.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "reference.hpp"

/// @file
/// @brief The host's fused sweeps against the plain loops, bit for bit.

namespace wavescan::Test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// @brief Numbers of type T in the registers of a target.
template <class T, class Most>
struct Kind {
  using value_type = T;
  using most = Most;
};

template <class K>
class HostSweeps : public testing::Test {
 protected:
  void SetUp() override {
    const bool available =
        Impl::dispatch([](auto target) { return std::same_as<decltype(target), typename K::most>; },
                       typename K::most{});
    if (!available) GTEST_SKIP() << "the processor does not have these instructions";
  }
};
using Kinds = testing::Types<Kind<float, Impl::Avx2>, Kind<double, Impl::Avx2>,
                             Kind<float, Impl::Avx512>, Kind<double, Impl::Avx512>>;
TYPED_TEST_SUITE(HostSweeps, Kinds, );

/// @brief A problem, and how it lies in memory.
struct Case {
  std::int64_t m;
  std::int64_t n;
  int count = 1;
  SweepOrder order = SweepOrder::Forward;
  double omega = 1.5;
  bool with_rhs = true;
  Placement (*place)(std::int64_t rows, std::int64_t columns) = row_major;
  Placement (*place_rhs)(std::int64_t rows, std::int64_t columns) = row_major;

  std::string name() const {
    std::ostringstream text;
    text << m << " x " << n << ", " << count << " sweeps " << to_string(order) << ", omega "
         << omega << (with_rhs ? ", rhs" : "");
    return text.str();
  }
};

/// @brief Rows that begin anywhere, apart from each other.
Placement padded(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, columns + 13, 1, 3};
}
Placement padded_columns(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, 1, rows + 5, 1};
}
template <class T>
void sweep(PlainSOR<T>& p, SweepOrder order, int count) {
  for (int k = 0; k < count; ++k) {
    if (order != SweepOrder::Backward) p.forward_pass();
    if (order != SweepOrder::Forward) p.backward_pass();
  }
}

template <class K, class Exec = Host>
void check(const Case& c, const Exec& exec = Exec()) {
  using T = typename K::value_type;
  SCOPED_TRACE(c.name());
  Random random;
  PlainSOR<T> p = random_sor<T>(c.m, c.n, poisson<T>(c.omega, 0.1), c.with_rhs, false, random);
  const GuardedArray<T, Exec> x(c.place(c.m + 2, c.n + 2), p.x);
  const GuardedArray<T, Exec> rhs(c.place_rhs(c.m + 2, c.n + 2),
                                  c.with_rhs ? p.rhs : std::vector<T>(p.size()));
  Impl::SORProblem<T> problem{p.c, grid_of(x.matrix())};
  if (c.with_rhs) {
    const auto view = rhs.matrix();
    problem.rhs = grid_of(typename decltype(view)::const_type(view));
  }
  Impl::SORHost<Exec, T, typename K::most> sor(exec, c.m + 2, c.n + 2);
  sor.choose = false;
  ASSERT_TRUE(sor.sweep(exec, problem, c.count, c.order != SweepOrder::Backward,
                        c.order != SweepOrder::Forward));
  exec.fence();
  sweep(p, c.order, c.count);
  ASSERT_TRUE(same_bits(x.values(), p.x));
  ASSERT_TRUE(x.guards_intact());
}

template <class K>
void check_all(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    check<K>(c);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(HostSweeps, Shapes) {
  // Around the lanes of a register and the blocks of steps, and primes.
  std::vector<Case> cases;
  for (const std::int64_t m : {1, 2, 3, 7, 8, 15, 16, 17, 31, 67})
    for (const std::int64_t n : {1, 2, 5, 16, 29, 31, 47, 48, 49, 101})
      for (const int count : {1, 2, 4, 8, 17}) cases.push_back({m, n, count});
  check_all<TypeParam>(cases);
}

TYPED_TEST(HostSweeps, CountsAndOrders) {
  std::vector<Case> cases;
  for (int count = 0; count <= 17; ++count)
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
      for (const bool with_rhs : {false, true})
        cases.push_back({37, 83, count, order, 1.2, with_rhs});
  check_all<TypeParam>(cases);
}

TYPED_TEST(HostSweeps, RelaxationFactors) {
  std::vector<Case> cases;
  for (const double omega : {0.3, 1.0, 1.5, 1.9, 1.99})
    cases.push_back({131, 257, 13, SweepOrder::Forward, omega});
  check_all<TypeParam>(cases);
}

TYPED_TEST(HostSweeps, Layouts) {
  std::vector<Case> cases;
  for (const auto order : {SweepOrder::Forward, SweepOrder::Symmetric})
    for (const int count : {1, 3, 8}) {
      cases.push_back({45, 61, count, order, 1.4, true, padded, row_major});
      cases.push_back({45, 61, count, order, 1.4, true, row_major, padded});
      cases.push_back({45, 61, count, order, 1.4, true, column_major, padded_columns});
      cases.push_back({19, 90, count, order, 1.4, true, padded_columns, column_major});
      cases.push_back({90, 19, count, order, 1.4, false, column_major});
    }
  check_all<TypeParam>(cases);
}

TYPED_TEST(HostSweeps, FewBandsOfManyPasses) {
  // Passes follow each other closely, and share their workspace in turn.
  std::vector<Case> cases;
  for (const std::int64_t m : {1, 4, 9, 20})
    for (const std::int64_t n : {70, 1031}) cases.push_back({m, n, 75});
  check_all<TypeParam>(cases);
}

TYPED_TEST(HostSweeps, Large) {
  check_all<TypeParam>({{509, 1021, 9}, {1021, 509, 8, SweepOrder::Backward}});
}

TYPED_TEST(HostSweeps, Instances) {
  for_each_instance([](const auto& exec) {
    using Instance = std::remove_cvref_t<decltype(exec)>;
    if constexpr (std::same_as<typename Instance::memory_space, Kokkos::HostSpace>)
      check<TypeParam>({131, 257, 26}, exec);
  });
}

TYPED_TEST(HostSweeps, SmallOnesInTheSerialLoop) {
  // Chosen or not, the bits are the same.
  using T = typename TypeParam::value_type;
  Random random;
  for (const auto order : {SweepOrder::Forward, SweepOrder::Symmetric}) {
    PlainSOR<T> p = random_sor<T>(6, 9, five_different<T>(), false, false, random);
    const GuardedArray<T, Host> x(column_major(8, 11), p.x);
    const Impl::SORHost<Host, T, typename TypeParam::most> sor(Host(), 8, 11);
    ASSERT_TRUE(
        sor.sweep(Host(), {p.c, grid_of(x.matrix())}, 3, true, order == SweepOrder::Symmetric));
    sweep(p, order, 3);
    EXPECT_TRUE(same_bits(x.values(), p.x));
  }
}

TYPED_TEST(HostSweeps, LeavesOtherProblemsAlone) {
  using T = typename TypeParam::value_type;
  const Impl::SORHost<Host, T, typename TypeParam::most> sor(Host(), 20, 20);
  Random random;
  PlainSOR<T> p = random_sor<T>(18, 18, five_different<T>(), false, true, random);
  const GuardedArray<T, Host> apart(spread(20, 20), p.x);
  EXPECT_FALSE(sor.sweep(Host(), {p.c, grid_of(apart.matrix())}, 1, true, false));
  const GuardedArray<T, Host> x(row_major(20, 20), p.x);
  const GuardedArray<int, Host> mask(row_major(20, 20), p.mask);
  Impl::SORProblem<T> masked{p.c, grid_of(x.matrix())};
  masked.fixed = Impl::FixedPoints::of(grid_of(mask.matrix()));
  EXPECT_FALSE(sor.sweep(Host(), masked, 1, true, false));
  EXPECT_TRUE(same_bits(x.values(), p.x));
}

}  // namespace
}  // namespace wavescan::Test
