// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Instances.hpp>

#include <gtest/gtest.h>

#include <impl/sor/host/WaveScan_TaskOrder.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "Host.hpp"

/// @file
/// @brief The host's passes of several sweeps against the plain loops, bit for bit.

namespace wavescan::Test {
namespace {

class HostSweeps : public HostTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, HostSweeps, testing::ValuesIn(HostTest::kinds()), HostTest::name);

TEST_P(HostSweeps, Shapes) {
  // Around the lanes of a register and the blocks of steps, and primes.
  std::vector<Case> cases;
  for (const std::int64_t m : {1, 2, 3, 7, 8, 15, 16, 17, 31, 67})
    for (const std::int64_t n : {1, 2, 5, 16, 29, 31, 47, 48, 49, 101})
      for (const int count : {1, 2, 4, 8, 17}) cases.push_back({m, n, count});
  check_all(GetParam(), cases);
}

TEST_P(HostSweeps, InStrips) {
  // Around the rows that share a chain and those of a band, strips, blocks, and rows of a page. Up
  // to three passes follow each other.
  std::vector<Case> cases;
  for (const std::int64_t m : {1, 2, 3, 4, 15, 31, 32, 33, 34, 65, 70})
    for (const std::int64_t n : {32, 33, 39, 40, 63, 64, 65, 127, 128, 129, 255, 256, 257})
      for (const auto order : {SweepOrder::Forward, SweepOrder::Backward})
        for (const int count : {1, 3})
          cases.push_back({m, n, count, order, 1.5, n % 2 == 0, padded, padded});
  for (const std::int64_t n : {510, 511, 512, 513, 1000, 1022, 1023, 1024, 1025, 2049})
    for (const int count : {1, 2}) {
      cases.push_back({67, n, count});
      cases.push_back(
          {n, 67, count, SweepOrder::Backward, 1.5, true, column_major, padded_columns});
    }
  check_all(GetParam(), cases);
}

TEST_P(HostSweeps, CountsAndOrders) {
  std::vector<Case> cases;
  for (int count = 0; count <= 17; ++count)
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
      for (const bool with_rhs : {false, true})
        cases.push_back({37, 83, count, order, 1.2, with_rhs});
  check_all(GetParam(), cases);
}

TEST_P(HostSweeps, SymmetricShapes) {
  // Around the rows of a band, which are two registers', and the blocks of as many steps.
  std::vector<Case> cases;
  for (const std::int64_t m : {1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 97})
    for (const std::int64_t n : {1, 2, 13, 16, 31, 33, 64, 101})
      for (const int count : {2, 3}) cases.push_back({m, n, count, SweepOrder::Symmetric});
  cases.push_back({509, 1021, 4, SweepOrder::Symmetric});
  check_all(GetParam(), cases);
}

template <class K>
void check_from_zero() {
  using T = typename K::value_type;
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (const unsigned constant : {0x3fu, 0x00u})
      for (const auto& [m, n, count] :
           {std::tuple(1, 40, 8), {7, 64, 11}, {15, 100, 8}, {33, 129, 9}, {70, 333, 13}}) {
        HostProblem<T> p({m, n, count, order, 1.5, true, row_major, row_major, 0, constant});
        std::vector<T> nothing = p.plain.x;
        for (std::int64_t i = 1; i <= m; ++i)
          for (std::int64_t j = 1; j <= n; ++j) {
            const auto k = static_cast<std::size_t>(i * (n + 2) + j);
            nothing[k] = std::numeric_limits<T>::quiet_NaN();
            p.plain.x[k] = 0;
          }
        p.x.set(nothing);
        Impl::sor::HostSweeps<Host, T, typename K::most> sor(Host(), m + 2, n + 2);
        sor.choose = false;
        ASSERT_TRUE(p.with([&](const auto& problem) {
          return run_sweeps(
              sor, Host(), problem, problem.x,
              {count, order != SweepOrder::Backward, order != SweepOrder::Forward, true});
        }));
        sweep_plainly(p.plain, order, count);
        EXPECT_TRUE(same_bits(p.x.values(), p.plain.x)) << m << " x " << n << ", " << count;
        EXPECT_TRUE(p.x.guards_intact());
      }
}

TEST_P(HostSweeps, FromZero) {
  with_kind(GetParam(), [](auto kind) { check_from_zero<decltype(kind)>(); });
}

TEST_P(HostSweeps, RelaxationFactors) {
  std::vector<Case> cases;
  for (const double omega : {0.3, 1.0, 1.5, 1.9, 1.99})
    cases.push_back({131, 257, 13, SweepOrder::Forward, omega});
  check_all(GetParam(), cases);
}

TEST_P(HostSweeps, Layouts) {
  std::vector<Case> cases;
  for (const auto order : {SweepOrder::Forward, SweepOrder::Symmetric})
    for (const int count : {1, 3, 8}) {
      cases.push_back({45, 61, count, order, 1.4, true, padded, row_major});
      cases.push_back({45, 61, count, order, 1.4, true, row_major, padded});
      cases.push_back({45, 61, count, order, 1.4, true, column_major, padded_columns});
      cases.push_back({19, 90, count, order, 1.4, true, padded_columns, column_major});
      cases.push_back({90, 19, count, order, 1.4, false, column_major});
    }
  check_all(GetParam(), cases);
}

TEST_P(HostSweeps, FewBandsOfManyPasses) {
  // Passes follow each other closely, and share their workspace in turn.
  std::vector<Case> cases;
  for (const std::int64_t m : {1, 4, 9, 20})
    for (const std::int64_t n : {70, 1031})
      for (const int count : {7, 75}) cases.push_back({m, n, count});
  check_all(GetParam(), cases);
}

TEST_P(HostSweeps, Large) {
  check_all(GetParam(), {{509, 1021, 9}, {1021, 509, 8, SweepOrder::Backward}});
}

TEST_P(HostSweeps, Instances) {
  with_kind(GetParam(), [](auto kind) {
    for_each_instance([](const auto& exec) {
      using Instance = std::remove_cvref_t<decltype(exec)>;
      if constexpr (std::same_as<typename Instance::memory_space, Kokkos::HostSpace>)
        check<decltype(kind)>({131, 257, 26}, exec);
    });
  });
}

template <class K>
void check_small_ones() {
  // Chosen or not, the bits are the same.
  using T = typename K::value_type;
  Random random;
  for (const auto order : {SweepOrder::Forward, SweepOrder::Symmetric}) {
    PlainSOR<T> p = random_sor<T>(6, 9, five_different<T>(), false, false, random);
    const GuardedArray<T, Host> x(column_major(8, 11), p.x);
    const Impl::sor::HostSweeps<Host, T, typename K::most> sor(Host(), 8, 11);
    const Impl::sor::Problem<T> problem{p.c, grid_of(x.matrix())};
    ASSERT_TRUE(
        run_sweeps(sor, Host(), problem, problem.x, {3, true, order == SweepOrder::Symmetric}));
    sweep_plainly(p, order, 3);
    EXPECT_TRUE(same_bits(x.values(), p.x));
  }
}

TEST_P(HostSweeps, SmallOnesInTheSerialLoop) {
  with_kind(GetParam(), [](auto kind) { check_small_ones<decltype(kind)>(); });
}

template <class K>
void check_other_problems() {
  using T = typename K::value_type;
  const Host exec;
  const Impl::sor::HostSweeps<Host, T, typename K::most> sor(exec, 20, 20);
  for (const bool apart : {false, true}) {
    // Entries of x, or of a coefficient, that do not lie next to each other.
    const Case c{18,
                 18,
                 1,
                 SweepOrder::Forward,
                 1.5,
                 true,
                 apart ? spread : row_major,
                 apart ? row_major : spread,
                 0,
                 apart ? 0x3fu : 0x3du};
    const HostProblem<T> p(c);
    EXPECT_FALSE(p.with(SweepsInPlace<K, Host>{sor, exec, c}));
    EXPECT_TRUE(same_bits(p.x.values(), p.plain.x));
  }
}

TEST_P(HostSweeps, LeavesOtherProblemsAlone) {
  with_kind(GetParam(), [](auto kind) { check_other_problems<decltype(kind)>(); });
}

// Sums modulo a prime that depend on the order of all blocks.
struct OrderedSums {
  using Index = Impl::Index;
  Index bands, blocks;
  std::vector<std::int64_t> x = std::vector<std::int64_t>((bands + 2) * (blocks + 2), 1);

  std::int64_t& at(Index i, Index j) { return x[i * (blocks + 2) + j]; }
  void visit(Index i, Index j) {
    at(i, j) = (at(i, j) + 3 * at(i - 1, j) + 5 * at(i, j - 1) + 7 * at(i + 1, j) + at(i, j + 1)) %
               1000003;
  }
  void visit_band(const Impl::sor::HostTaskOrder& order, Index pass, Index band) {
    Index above = 0, below = 0, end = 0;
    if (band == 0) order.wait_for(pass - 2, bands - 1, blocks, end);
    for (Index block = 0; block < blocks; ++block) {
      order.wait_for(pass - 1, std::min(band + 1, bands - 1), block + 2, below);
      order.wait_for(pass, band - 1, block + 1, above);
      visit(band + 1, block + 1);
      order.publish(pass, band, block + 1);
    }
  }
};

TEST(HostTaskOrder, MoreThreadsThanProcessors) {
  const Impl::Index passes = 3, blocks = 9;
  for (const int threads : {1, 5, 16})
    for (Impl::Index bands = 7; bands < 18; ++bands)
      for (const int workers : {1, threads}) {  // which have bands of their own, or not
        OrderedSums expected{bands, blocks}, found{bands, blocks};
        for (Impl::Index pass = 0; pass < passes; ++pass)
          for (Impl::Index i = 1; i <= bands; ++i)
            for (Impl::Index j = 1; j <= blocks; ++j) expected.visit(i, j);
        std::vector<Impl::sor::HostProgress> progress(static_cast<std::size_t>(2 * bands + 1));
        const Impl::sor::HostTaskOrder order{
            passes, bands, blocks, 1, progress.data() + 1, &progress[0].blocks, workers};
        std::vector<std::thread> all;
        for (int worker = 0; worker < threads; ++worker)
          all.emplace_back([&, worker] {
            const auto run = [&](auto pass, auto band) { found.visit_band(order, pass, band); };
            order.work(run, worker);
          });
        for (std::thread& thread : all) thread.join();
        EXPECT_EQ(found.x, expected.x) << threads << " threads, " << bands << " bands";
      }
}

}  // namespace
}  // namespace wavescan::Test
