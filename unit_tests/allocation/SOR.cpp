// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScanTest_Tools.hpp>
#include <WaveScan_SOR.hpp>

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

/// @file
/// @brief What SOR's calls take from the host's memory, in a program that counts it.

namespace {

/// What Kokkos takes for a kernel's or a region's label is not counted.
constexpr std::size_t largest_label = 64;

std::atomic<std::size_t> allocated{0};

void* try_to_allocate(std::size_t bytes) noexcept {
  if (bytes > largest_label) allocated += bytes;
  return std::malloc(bytes > 0 ? bytes : 1);
}

void* allocate(std::size_t bytes) {
  if (void* const memory = try_to_allocate(bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

#if defined(__NVCC__)  // which takes these for functions of the device, too
#pragma nv_diag_suppress 20011
#endif
void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
// AddressSanitizer's own would not fit the operators of deletion below.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return try_to_allocate(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return try_to_allocate(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace wavescan::Test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <class Call>
std::size_t bytes_of(const Call& call) {
  const std::size_t before = allocated;
  call();
  return allocated - before;
}

TEST(Allocation, IsCounted) {
  EXPECT_GE(bytes_of([] { delete[] new char[100]; }), 100u);
}

template <class T, class Layout>
void expect_no_allocation(int rows, int columns, SweepOrder order) {
  const Exec exec;
  const auto m = static_cast<std::size_t>(rows), n = static_cast<std::size_t>(columns);
  const Kokkos::View<T**, Layout, Exec> x("x", m, n), rhs("rhs", m, n);
  const Kokkos::View<char**, Layout, Exec> fixed("fixed", m, n);
  const auto inputs = SORInputs().rhs(rhs);
  const auto plan = SOR<Exec, T>::like(exec, x, {.order = order});
  const VariableCoefficients<T, typename Exec::memory_space> varying{
      .center = T(0.2), .left = rhs, .up = rhs, .right = rhs, .down = rhs};
  const auto sweep = [&](double omega, int count) {
    plan.sweeps(x, poisson<T>(omega, 1), count, inputs);
    plan.sweeps(x, poisson<T>(omega, 1), count, inputs.mask(fixed));
    plan.sweeps(x, varying, count);
  };
  // Kokkos keeps something of each kernel that it launches for the first time.
  constexpr int counts[] = {9, 1, 2, 4};
  for (const int count : counts) sweep(1.2, count);
  exec.fence();
  // Other relaxation factors: as many as nobody would remember.
  for (int k = 0; k < (few_cases_wanted() ? 4 : 20); ++k) {
    const int count = counts[k % 4];
    EXPECT_EQ(bytes_of([&] { sweep(1 + 0.01 * k, count); }), 0u)
        << m << " x " << n << ", " << to_string(order) << ", " << count << " sweeps";
  }
  const auto copy = plan;
  EXPECT_EQ(bytes_of([&] { copy.sweeps(x, poisson<T>(1.3, 1), 9, inputs); }), 0u) << "of a copy";
  exec.fence();
}

TEST(Allocation, SweepsNeedNone) {
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric}) {
    expect_no_allocation<float, Kokkos::LayoutRight>(120, 402, order);
    expect_no_allocation<double, Kokkos::LayoutLeft>(5, 3002, order);
    expect_no_allocation<float, Kokkos::LayoutRight>(5, 3002, order);
  }
}

}  // namespace
}  // namespace wavescan::Test
