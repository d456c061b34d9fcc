// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>

#include <cstdint>

// Code for other targets leaves the upper halves of vector registers clean, whatever the compiler
// does: the processor itself tells which parts of its state are in use.

#if defined(WAVESCAN_HAS_TARGETS)

#include <cpuid.h>

namespace {

using namespace wavescan::Impl;

/// @brief Whether the upper half of any register is in use.
bool upper_halves_in_use() {
  std::uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return (low & 4) != 0;
}
void use_upper_halves() { asm volatile("vpcmpeqd %%ymm1, %%ymm1, %%ymm1" ::: "xmm1"); }

/// @brief Whether the processor tells, and knows better than "perhaps".
bool tells() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__builtin_cpu_supports("avx2") || !__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || !(a & 4))
    return false;
  use_upper_halves();
  const bool used = upper_halves_in_use();
  clear_upper_halves();
  return used && !upper_halves_in_use();
}

TEST(CleanVectors, AfterDispatch) {
  if (!tells()) GTEST_SKIP() << "the processor does not tell";
  dispatch([](auto) { use_upper_halves(); });
  EXPECT_FALSE(upper_halves_in_use());
}

struct Worker {
  void operator()(Index) const { use_upper_halves(); }
  static constexpr bool runs_alone = true;
  void alone() const { use_upper_halves(); }
};

TEST(CleanVectors, AfterWorkers) {
  if (!tells()) GTEST_SKIP() << "the processor does not tell";
  const Worker worker;
  const AnyHostKernel kernel = any_host_kernel(worker);
  kernel(0);
  EXPECT_FALSE(upper_halves_in_use());
  kernel.run_alone(kernel.kernel);
  EXPECT_FALSE(upper_halves_in_use());
}

}  // namespace

#endif
