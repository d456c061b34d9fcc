// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

// Bytes and bits of words, against arithmetic of 64 bits.

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

#include <impl/WaveScan_Gpu_Bytes.hpp>
#include <impl/WaveScan_Gpu_Launch.hpp>

namespace {

using namespace wavescan::Impl;

struct Case {
  std::uint32_t low, high, selector, bits;
};
struct Result {
  std::uint32_t bytes, shifted, set, product;
};

__global__ void compute(const Case* cases, Result* results) {
  const Case c = cases[threadIdx.x];
  results[threadIdx.x] = {gpu::permute_bytes(c.low, c.high, c.selector),
                          gpu::funnel_shift_right(c.low, c.high, c.bits), gpu::count_bits(c.low),
                          gpu::multiply_high(c.low, c.high)};
}

TEST(Bytes, AreThoseOfArithmetic) {
  constexpr std::size_t count = 256;
  const Kokkos::View<Case*, gpu::Device::memory_space> cases("cases", count);
  const Kokkos::View<Result*, gpu::Device::memory_space> results("results", count);
  const auto given = Kokkos::create_mirror_view(cases);
  std::mt19937_64 random(17);
  const auto word = [&] { return static_cast<std::uint32_t>(random()); };
  for (std::size_t i = 0; i < count; ++i)
    given(i) = {word(), word(), word() & 0x7777u, static_cast<std::uint32_t>(i % 32)};
  Kokkos::deep_copy(cases, given);
  const gpu::Device exec{};
  gpu::launch({exec, "bytes_test", false}, compute, 1, count, 0,
              static_cast<const Case*>(cases.data()), results.data());
  exec.fence();
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), results);
  for (std::size_t i = 0; i < count; ++i) {
    const Case& c = given(i);
    const std::uint64_t both = std::uint64_t(c.high) << 32 | c.low;
    std::uint32_t bytes = 0;
    for (int k = 0; k < 4; ++k)
      bytes |= static_cast<std::uint32_t>(both >> 8 * (c.selector >> 4 * k & 7) & 0xff) << 8 * k;
    EXPECT_EQ(found(i).bytes, bytes) << i;
    EXPECT_EQ(found(i).shifted, static_cast<std::uint32_t>(both >> c.bits)) << i;
    EXPECT_EQ(found(i).set, static_cast<std::uint32_t>(std::popcount(c.low))) << i;
    EXPECT_EQ(found(i).product, static_cast<std::uint32_t>(std::uint64_t(c.low) * c.high >> 32))
        << i;
  }
}

}  // namespace

#endif
