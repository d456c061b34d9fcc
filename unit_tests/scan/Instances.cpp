// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>
#include <vector>

#include "../support/WaveScanTest_Instances.hpp"
#include "CheckOperator.hpp"

// Scans on every execution space and on instances with any number of threads.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(ScanInstances, GiveTheSame) {
  Random random;
  SCOPED_TRACE(random.trace());
  using Op = MatrixProduct<std::uint32_t, 2>;
  const Op op;
  const auto scan = scan_of(op);
  for (const std::int64_t n : {0, 5, 8193, 40009})
    for_each_instance([&](const auto& exec) {
      SCOPED_TRACE(std::string(exec.name()) + " of " + std::to_string(exec.concurrency()));
      check_line(scan, random_values(op, random, n), op.random(random), 1, 1, exec);
    });
  for_each_instance([&](const auto& exec) {
    SCOPED_TRACE(std::string(exec.name()) + " of " + std::to_string(exec.concurrency()));
    using Exec = std::remove_cvref_t<decltype(exec)>;
    check_scans<2, Exec>(scan, random_values(op, random, 5 * 9001), row_major(5, 9001),
                         column_major(5, 9001), random_values(op, random, 9001), 1, exec);
  });
}

/// Instances side by side, each with a plan of its own.
TEST(ScanInstances, AtTheSameTime) {
  using Exec = Kokkos::DefaultExecutionSpace;
  const std::int64_t n = 50021;
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  std::vector<GuardedArray<std::int32_t>> arrays;
  std::vector<Scan<Exec, Plus<std::int32_t>>> plans;
  for (const Exec& exec : instances) {
    arrays.emplace_back(line(n), std::vector<std::int32_t>(n, 1));
    plans.emplace_back(exec, 1, n);
  }
  for (int k = 0; k < 10; ++k)
    for (std::size_t p = 0; p < plans.size(); ++p)
      plans[p].exclusive(arrays[p].vector(), arrays[p].vector(),
                         ScanOptions().carry_in(static_cast<std::int32_t>(p)));
  for (std::size_t p = 0; p < plans.size(); ++p) {
    std::vector<std::int32_t> expected(n, 1);
    for (int k = 0; k < 10; ++k) {
      auto state = static_cast<std::int32_t>(p);
      for (std::int32_t& x : expected) {
        const std::int32_t next = wrapping_sum(state, x);
        x = state;
        state = next;
      }
    }
    EXPECT_TRUE(equal(arrays[p].values(), expected)) << "instance " << p;
  }
}

}  // namespace
