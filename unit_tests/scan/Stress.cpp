// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "CheckScans.hpp"

// Thousands of scans on several instances at once, beside kernels that hold parts of the device:
// all come to an end, and are right.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;
using Value = std::uint32_t;

/// Instances beside each other; on the host together with more threads than there are cores.
template <class E>
std::vector<E> instances() {
#ifdef KOKKOS_ENABLE_OPENMP
  if constexpr (std::is_same_v<E, Kokkos::OpenMP>) return {E(3), E(1), E(4), E(2)};
#endif
  const auto parts = Kokkos::Experimental::partition_space(E(), 1, 1, 1, 1);
  return {parts.begin(), parts.end()};
}

/// Keeps the threads of its teams busy for a while.
struct LongComputation {
  int steps;
  Kokkos::View<double*> result;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    double x = 1 + team.league_rank();
    for (int k = 0; k < steps; ++k) x = x * 0.999 + 0.1;
    if (team.team_rank() == 0) result(team.league_rank()) = x;
  }
};

/// Enqueues teams that leave no room for others where they run, but do not fill the device.
void enqueue_competitor(const Exec& exec, const Kokkos::View<double*>& result) {
  constexpr bool host = on_host<Exec>;
  const int teams = host ? 1 : 60;
  Kokkos::TeamPolicy<Exec> policy(exec, teams, host ? 1 : 256);
  if (!host) policy.set_scratch_size(0, Kokkos::PerTeam(32 * 1024));
  Kokkos::parallel_for("competitor", policy, LongComputation{host ? 20000 : 200000, result});
}

/// Lines (of a matrix, or one) that are scanned again and again; the sum of everything so far
/// enters each scan, so that a mistake in any of them shows in the last one.
class Chain {
 public:
  Chain(const Exec& exec, std::int64_t lines, std::int64_t length, Random& random)
      : exec_(exec),
        in_(row_major(lines, length), random.values<Value>(lines * length)),
        out_(row_major(lines, length)),
        carry_(line(lines), std::vector<Value>(static_cast<std::size_t>(lines), 0)),
        sum_(exec, lines, length),
        weighted_(exec, lines, length) {}

  void enqueue() {
    const auto options = ScanOptions().carry_in(carry_.vector()).carry_out(carry_.vector());
    if (calls_++ % 2 == 0)
      sum_.inclusive(in_.matrix(), out_.matrix(), options);
    else
      weighted_.weighted(in_.matrix(), Value(3), out_.matrix(), options);
  }

  void check() const {
    exec_.fence();
    const auto x = in_.values();
    const Placement& p = in_.placement();
    std::vector<Value> expected, last;
    for (std::int64_t l = 0; l < p.rows; ++l) {
      // A call takes the state s to a s + b: b is what it gives from zero.
      Value add = 0, weighted = 0, power = 1, s = 0;
      const auto* const row = x.data() + l * p.columns;
      for (std::int64_t j = 0; j < p.columns; ++j) {
        add += row[j];
        weighted = 3 * weighted + row[j];
        power *= 3;
      }
      Value entered = 0;
      for (int call = 0; call < calls_; ++call) {
        entered = s;
        s = call % 2 == 0 ? s + add : power * s + weighted;
      }
      for (std::int64_t j = 0; j < p.columns; ++j) {
        entered = calls_ % 2 == 1 ? entered + row[j] : 3 * entered + row[j];
        expected.push_back(entered);
      }
      last.push_back(s);
    }
    ASSERT_TRUE(equal(out_.values(), expected));
    ASSERT_TRUE(equal(carry_.values(), last));
    ASSERT_TRUE(out_.guards_intact());
  }

 private:
  Exec exec_;
  GuardedArray<Value> in_, out_, carry_;
  Scan<Exec, Plus<Value>> sum_;
  Scan<Exec, PlusTimes<Value>> weighted_;
  int calls_ = 0;
};

struct LineShape {
  std::int64_t lines, length;
};
std::vector<LineShape> stressed_shapes() {
  std::vector<LineShape> result{{1, 33}, {1, 5003}, {1, 70001}, {300, 65}, {5, 3001}};
  if (!on_host<Exec> && !few_cases_wanted())
    result.insert(result.end(), {{1, 1500001}, {5000, 33}, {3, 250007}});
  return result;
}

TEST(ScanStress, ThousandsOfScansOnManyInstances) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::vector<Exec> execs = instances<Exec>();
  std::vector<Chain> chains;
  for (const LineShape& s : stressed_shapes())
    chains.emplace_back(execs[chains.size() % 3], s.lines, s.length, random);
  const Kokkos::View<double*> result("result", 60);
  Kokkos::fence();
  const std::int64_t rounds = cases_wanted(500);
  for (std::int64_t k = 0; k < rounds; ++k) {
    if (k % 50 == 0) enqueue_competitor(execs[3], result);
    for (Chain& chain : chains) chain.enqueue();
  }
  for (const Chain& chain : chains) chain.check();
}

/// Host threads that know nothing of each other, each with an instance and plans of its own.
TEST(ScanStress, ManyHostThreads) {
  constexpr int threads = 4;
  const std::vector<Exec> execs = instances<Exec>();
  std::vector<Chain> chains;
  Random random;
  SCOPED_TRACE(random.trace());
  for (int t = 0; t < threads; ++t)
    chains.emplace_back(execs[static_cast<std::size_t>(t)], t == 0 ? 100 : 1, 20011, random);
  Kokkos::fence();
  const std::int64_t rounds = cases_wanted(100);
  std::vector<std::thread> workers;
  for (Chain& chain : chains)
    workers.emplace_back([&chain, rounds] {
      for (std::int64_t k = 0; k < rounds; ++k) chain.enqueue();
    });
  for (std::thread& worker : workers) worker.join();
  for (const Chain& chain : chains) chain.check();
}

}  // namespace
