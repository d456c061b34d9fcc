// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <WaveScan_Arithmetic.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "../support/WaveScanTest_Random.hpp"
#include "AnyAlgebra.hpp"

namespace {

using wavescan::multiply_add;
using wavescan::wrapping_add;
using wavescan::wrapping_multiply;
using wavescan::Test::for_each_type;

/// Unsigned, so that products wrap around: negative numbers are taken modulo 2^128.
__extension__ using Wide = unsigned __int128;

/// The oracle: two's complement arithmetic in 128 bits, cut to T's width.
template <class T>
T cut(Wide value) {
  return static_cast<T>(value % (static_cast<Wide>(1) << (8 * sizeof(T))));
}

template <class Check>
void for_each_integer(const Check& check) {
  for_each_type<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                std::int64_t, std::uint64_t>(check);
}

TEST(WrappingArithmetic, WrapsAroundAtTheEnds) {
  for_each_integer([]<class T>(T) {
    using Limits = std::numeric_limits<T>;
    EXPECT_EQ(wrapping_add<T>(Limits::max(), 1), Limits::lowest());
    EXPECT_EQ(wrapping_add<T>(Limits::lowest(), static_cast<T>(-1)), Limits::max());
    EXPECT_EQ(wrapping_multiply<T>(Limits::max(), 2), static_cast<T>(-2));
    EXPECT_EQ(wrapping_multiply<T>(Limits::lowest(), Limits::lowest()),
              cut<T>(static_cast<Wide>(Limits::lowest()) * static_cast<Wide>(Limits::lowest())));
    static_assert(wrapping_add<T>(Limits::max(), 1) == Limits::lowest(), "defined, so constant");
  });
}

TEST(WrappingArithmetic, AgreesWithWiderArithmetic) {
  for_each_integer([]<class T>(T) {
    wavescan::Test::Random random;
    SCOPED_TRACE(random.trace());
    for (int k = 0; k < 1000; ++k) {
      const auto a = random.value<T>(), b = random.value<T>(), c = random.value<T>();
      EXPECT_EQ(wrapping_add(a, b), cut<T>(static_cast<Wide>(a) + static_cast<Wide>(b)));
      EXPECT_EQ(wrapping_multiply(a, b), cut<T>(static_cast<Wide>(a) * static_cast<Wide>(b)));
      EXPECT_EQ(multiply_add(a, b, c),
                cut<T>(static_cast<Wide>(cut<T>(static_cast<Wide>(a) * static_cast<Wide>(b))) +
                       static_cast<Wide>(c)));
    }
  });
}

TEST(Arithmetic, BoolIsNotAWrappingInteger) {
  EXPECT_TRUE(wrapping_add(true, true));
  EXPECT_TRUE(wrapping_add(true, false));
  EXPECT_FALSE(wrapping_add(false, false));
}

/// Either one rounding or two, nothing else.
template <class T>
void expect_multiply_add() {
  wavescan::Test::Random random;
  SCOPED_TRACE(random.trace());
  for (int k = 0; k < 1000; ++k) {
    const auto a = random.value<T>(), b = random.value<T>(), c = random.value<T>();
    const volatile T product = a * b;
    const T result = multiply_add(a, b, c);
    EXPECT_TRUE(result == std::fma(a, b, c) || result == product + c) << a << ' ' << b << ' ' << c;
  }
}

TEST(Arithmetic, MultiplyAddOfFloatingPoint) {
  expect_multiply_add<float>();
  expect_multiply_add<double>();
}

/// Bits of multiply_add in a kernel.
struct MultiplyAddKernel {
  Kokkos::View<double*> a, b, c, result;
  KOKKOS_FUNCTION void operator()(int k) const { result(k) = multiply_add(a(k), b(k), c(k)); }
};

TEST(Arithmetic, MultiplyAddIsFusedOnDevices) {
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                           Kokkos::DefaultExecutionSpace::memory_space>::accessible)
    GTEST_SKIP() << "host compilers decide by the target's instructions";
  wavescan::Test::Random random;
  SCOPED_TRACE(random.trace());
  const int n = 1000;
  const auto view = [&] {
    const Kokkos::View<double*> v("v", n);
    const auto host = Kokkos::create_mirror_view(v);
    for (int k = 0; k < n; ++k) host(k) = random.value<double>();
    Kokkos::deep_copy(v, host);
    return v;
  };
  const MultiplyAddKernel kernel{view(), view(), view(), view()};
  Kokkos::parallel_for(Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, n), kernel);
  const auto on_host = [](const auto& v) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  };
  const auto a = on_host(kernel.a), b = on_host(kernel.b), c = on_host(kernel.c),
             result = on_host(kernel.result);
  for (int k = 0; k < n; ++k) EXPECT_EQ(result(k), std::fma(a(k), b(k), c(k)));
}

}  // namespace
