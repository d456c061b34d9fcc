// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>

#include <WaveScan_Arithmetic.hpp>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_TargetVectors.hpp"

// Every operation of a target's vectors beside the same on its lanes one by one, for all targets
// that the machine has.

namespace {

using namespace wavescan;
using namespace wavescan::Impl;
using wavescan::Test::Random;

template <class T>
constexpr T nan_or_zero = std::numeric_limits<T>::quiet_NaN();

template <class Target, class T>
class VectorCheck {
  using Operations = VectorOperations<Target, T>;
  static constexpr int lanes = Operations::lanes;
  using Numbers = std::array<T, lanes>;
  using Operation = void (*)(const T*, const T*, const T*, T*);

 public:
  void run() {
    if constexpr (!std::same_as<Target, Baseline>) {
      static_assert(Operations::fuses == std::floating_point<T>, "there are fused multiply-adds");
      static_assert(Operations::looks_up == (sizeof(T) == 1), "there are tables of bytes");
    }
    SCOPED_TRACE(std::to_string(lanes) + " lanes of " + std::to_string(sizeof(T)) + " bytes, " +
                 random_.trace());
    for (int trial = 0; trial < 20; ++trial) {
      draw();
      check_lanes();
      if constexpr (std::floating_point<T>) check_floating_point();
      if constexpr (Operations::fuses) check_fused();
      if constexpr (Operations::looks_up) check_table();
      check_between();
      if constexpr (sizeof(T) >= 4) check_transposition();
      check_stream();
    }
  }

 private:
  /// @brief Numbers, some of them the same as others, zero or NaN.
  void draw() {
    for (Numbers* numbers : {&a_, &b_, &c_})
      for (T& x : *numbers) x = random_.value<T>();
    const auto lane = [&] { return static_cast<std::size_t>(random_.integer(0, lanes - 1)); };
    a_[lane()] = 0;
    b_[lane()] = nan_or_zero<T>;
    const std::size_t same = lane();
    a_[same] = b_[same];
    if constexpr (std::floating_point<T>) a_[lane()] = -T(0);
  }

  /// @brief Compares with expected(lane), bit by bit but for NaN.
  template <class Expected>
  void expect(const char* name, Operation operation, const Expected& expected) {
    Numbers y;
    y.fill(T(77));
    operation(a_.data(), b_.data(), c_.data(), y.data());
    for (int l = 0; l < lanes; ++l) expect_same(y[index(l)], expected(l), name, l);
  }
  static void expect_same(T y, T expected, const char* name, int lane) {
    if constexpr (std::floating_point<T>) {
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(y)) << name << ", lane " << lane;
        return;
      }
      EXPECT_EQ(std::signbit(y), std::signbit(expected)) << name << ", lane " << lane;
    }
    EXPECT_EQ(y, expected) << name << ", lane " << lane;
  }
  static std::size_t index(int lane) { return static_cast<std::size_t>(lane); }
  T a(int l) const { return a_[index(l)]; }
  T b(int l) const { return b_[index(l)]; }
  T c(int l) const { return c_[index(l)]; }

  void check_lanes() {
    using O = Operations;
    expect("+", &O::add, [&](int l) { return wrapping_add(a(l), b(l)); });
    expect("-", &O::subtract, [&](int l) { return wrapping_subtract(a(l), b(l)); });
    expect("*", &O::multiply, [&](int l) { return wrapping_multiply(a(l), b(l)); });
    expect("max", &O::maximum, [&](int l) { return a(l) > b(l) ? a(l) : b(l); });
    expect("min", &O::minimum, [&](int l) { return a(l) < b(l) ? a(l) : b(l); });
    expect("<", &O::select_less, [&](int l) { return a(l) < b(l) ? c(l) : a(l); });
    expect("all", &O::all, [&](int) { return a(0); });
    expect("last", &O::last, [&](int) { return a(lanes - 1); });
    expect("following", &O::following, [&](int l) { return l == 0 ? b(lanes - 1) : a(l - 1); });
    expect("preceding", &O::preceding, [&](int l) { return l + 1 == lanes ? b(0) : a(l + 1); });
    expect("first", &O::first, [&](int) { return a(0); });
    expect("select_zero", &O::zeros, [&](int l) { return a(l) == T(0) ? b(l) : c(l); });
    expect("select_marked", &O::marked, [&](int l) {
      if constexpr (std::floating_point<T>)
        return std::signbit(a(l)) ? b(l) : c(l);
      else
        return static_cast<std::make_signed_t<T>>(a(l)) < 0 ? b(l) : c(l);
    });
    check_shift<1>();
  }
  template <int Distance>
  void check_shift() {
    if constexpr (Distance < lanes) {
      expect("shifted", &Operations::template shifted<Distance>,
             [&](int l) { return l < Distance ? b(0) : a(l - Distance); });
      check_shift<2 * Distance>();
    }
  }

  void check_floating_point() {
    using O = Operations;
    expect("/", &O::divide, [&](int l) { return a(l) / b(l); });
    expect("magnitude", &O::magnitude, [&](int l) { return std::fabs(a(l)); });
  }

  void check_fused() {
    using O = Operations;
    expect("multiply_add", &O::multiply_add, [&](int l) { return std::fma(a(l), b(l), c(l)); });
    expect("larger", &O::largest,
           [&](int l) { return std::fabs(a(l)) > b(l) ? std::fabs(a(l)) : b(l); });
    expect("rotated", &O::rotated, [&](int l) { return a((l + lanes - 1) % lanes); });
    expect("with_first", &O::with_first, [&](int l) { return l == 0 ? b(0) : a(l); });
    T y[2] = {77, 77};
    O::store_first(a_.data(), y);
    expect_same(y[0], a(0), "store_first", 0);
    EXPECT_EQ(y[1], T(77));
    double wide[lanes];
    O::widen(a_.data(), wide);
    for (int l = 0; l < lanes; ++l) expect_same(static_cast<T>(wide[l]), a(l), "widened", l);
  }

  void check_table() {
    for (int l = 0; l < lanes; ++l) {
      c_[index(l)] = c(l % 16);
      a_[index(l)] = static_cast<T>(a(l) & 15);
      b_[index(l)] = static_cast<T>(b(l) & 15);
    }
    Numbers y;
    Operations::look_up(c_.data(), a_.data(), b_.data(), y.data());
    for (int l = 0; l < lanes; ++l) expect_same(y[index(l)], c(a(l) ^ b(l)), "looked_up", l);
  }

  void check_between() {
    const Index first = random_.integer(-lanes - 2, 2 * lanes);
    const Index last = random_.integer(-lanes - 2, 2 * lanes);
    Numbers y;
    Operations::between(first, last, a_.data(), b_.data(), y.data());
    for (int l = 0; l < lanes; ++l)
      expect_same(y[index(l)], first <= l && l <= last ? a(l) : b(l), "between", l);
  }

  void check_transposition() {
    std::array<T, lanes * lanes> square;
    for (int k = 0; k < lanes * lanes; ++k) square[index(k)] = static_cast<T>(k % 127);
    Operations::transpose(square.data());
    for (int i = 0; i < lanes; ++i)
      for (int j = 0; j < lanes; ++j)
        EXPECT_EQ(square[index(i * lanes + j)], static_cast<T>((j * lanes + i) % 127))
            << "row " << i << ", lane " << j;
  }

  void check_stream() {
    alignas(64) T y[lanes];
    Operations::stream(a_.data(), y);
    for (int l = 0; l < lanes; ++l) expect_same(y[l], a(l), "stream", l);
  }

  Random random_;
  Numbers a_, b_, c_;
};

template <class T>
void check_targets() {
  const auto check = [](auto target) { VectorCheck<decltype(target), T>().run(); };
  dispatch(check, Baseline{});
  dispatch(check, Avx2{});
  dispatch(check, Avx512{});
}

TEST(TargetVectors, Bytes) { check_targets<std::int8_t>(); }
TEST(TargetVectors, UnsignedBytes) { check_targets<std::uint8_t>(); }
TEST(TargetVectors, TwoBytes) { check_targets<std::int16_t>(); }
TEST(TargetVectors, FourBytes) { check_targets<std::int32_t>(); }
TEST(TargetVectors, UnsignedFourBytes) { check_targets<std::uint32_t>(); }
TEST(TargetVectors, EightBytes) { check_targets<std::int64_t>(); }
TEST(TargetVectors, Float) { check_targets<float>(); }
TEST(TargetVectors, Double) { check_targets<double>(); }

TEST(TargetVectors, EveryTargetOfTheMachineIsFound) {
  const int bytes = dispatch([](auto target) { return decltype(target)::vector_bytes; });
#if defined(WAVESCAN_HAS_TARGETS)
  EXPECT_EQ(bytes >= 32, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#else
  EXPECT_EQ(bytes, Baseline::vector_bytes);
#endif
}

}  // namespace
