// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "../support/WaveScanTest_Errors.hpp"
#include "../support/WaveScanTest_Instances.hpp"
#include "CheckCalls.hpp"

// Functions on the way from and to memory, and inputs that are computed.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

template <class T>
using Maybe = std::optional<T>;

struct Spread {  // 16 bits to 32
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint16_t x) const { return x * 65537u + 1; }
};
struct Odd {  // 32 bits to 8
  KOKKOS_FUNCTION std::uint8_t operator()(std::uint32_t y) const {
    return static_cast<std::uint8_t>(y * 7 % 251);
  }
};
struct ToMap {
  using Map = Affine<std::uint64_t>::value_type;
  KOKKOS_FUNCTION Map operator()(std::uint16_t x) const { return {x * 2u + 1u, x}; }
};
struct Offset {
  KOKKOS_FUNCTION std::uint64_t operator()(const ToMap::Map& m) const { return m.b; }
};

template <class T, class F, class X>
auto mapped(const std::vector<X>& x, const F& f) {
  std::vector<T> result;
  for (const X& value : x) result.push_back(static_cast<T>(f(value)));
  return result;
}

/// @param rank of the Views; rank 1 takes placements of one row
template <int Rank, class Array>
auto view(const Array& array) {
  if constexpr (Rank == 1)
    return array.vector();
  else
    return array.matrix();
}

/// Sums, which kernels know, and maps in order, which are nothing but a function.
template <int Rank, class Exec>
void check_transforms(const Exec& exec, const Placement& in_place, const Placement& out_place,
                      int axis, bool reverse, Random& random) {
  SCOPED_TRACE(std::to_string(in_place.rows) + " x " + std::to_string(in_place.columns) +
               ", axis " + std::to_string(axis) + (reverse ? ", reverse" : ""));
  const auto x = random.values<std::uint16_t>(in_place.rows * in_place.columns);
  const GuardedArray<std::uint16_t, Exec> in(in_place, x);
  const auto options = ScanOptions().axis(Rank == 1 ? 0 : axis).reverse(reverse);

  const auto spread_out = mapped<std::uint32_t>(x, Spread{});
  const ExpectedLines sums(std::plus<>{}, spread_out, in_place, axis, reverse,
                           Maybe<std::uint32_t>());
  const ExpectedLines from5(std::plus<>{}, spread_out, in_place, axis, reverse,
                            Maybe<std::uint32_t>(5));
  const GuardedArray<std::uint32_t, Exec> out(out_place);
  wavescan::transform_inclusive_scan(exec, view<Rank>(in), view<Rank>(out), std::plus<>{}, Spread{},
                                     options);
  ASSERT_TRUE(equal(out.values(), sums.inclusive));
  wavescan::transform_exclusive_scan(exec, view<Rank>(in), view<Rank>(out), 5, std::plus<>{},
                                     Spread{}, options);
  ASSERT_TRUE(equal(out.values(), from5.exclusive));
  wavescan::transform_inclusive_scan(exec, view<Rank>(in), view<Rank>(out), std::plus<>{}, Spread{},
                                     5, options);
  ASSERT_TRUE(equal(out.values(), from5.inclusive));
  ASSERT_TRUE(out.guards_intact());

  const GuardedArray<std::uint8_t, Exec> stored(out_place);
  const auto through = transform_output(view<Rank>(stored), Odd{});
  wavescan::inclusive_scan(exec, transform_input(view<Rank>(in), Spread{}), through,
                           Plus<std::uint32_t>{}, options);
  ASSERT_TRUE(equal(stored.values(), mapped<std::uint8_t>(sums.inclusive, Odd{})));
  wavescan::exclusive_scan(exec, transform_input(view<Rank>(in), Spread{}), through,
                           Plus<std::uint32_t>{}, std::uint32_t(5), options);
  ASSERT_TRUE(equal(stored.values(), mapped<std::uint8_t>(from5.exclusive, Odd{})));
  ASSERT_TRUE(stored.guards_intact());

  const Affine<std::uint64_t> compose;
  const auto maps = mapped<ToMap::Map>(x, ToMap{});
  const ToMap::Map first{3, 4};
  const ExpectedLines composed(compose, maps, in_place, axis, reverse, Maybe<ToMap::Map>(first));
  const GuardedArray<ToMap::Map, Exec> maps_out(out_place);
  wavescan::transform_exclusive_scan(exec, view<Rank>(in), view<Rank>(maps_out), first,
                                     FunctionOf<Affine<std::uint64_t>>{}, ToMap{}, options);
  ASSERT_TRUE(equal(maps_out.values(), composed.exclusive));
  ASSERT_TRUE(maps_out.guards_intact());
  const GuardedArray<std::uint64_t, Exec> offsets(out_place);
  wavescan::inclusive_scan(exec, transform_input(view<Rank>(in), ToMap{}),
                           transform_output(view<Rank>(offsets), Offset{}), compose, first,
                           options);
  ASSERT_TRUE(equal(offsets.values(), mapped<std::uint64_t>(composed.inclusive, Offset{})));
  ASSERT_TRUE(offsets.guards_intact());
}

TEST(TransformScans, Lines) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : call_lengths)
    for (const bool reverse : {false, true})
      check_transforms<1>(Kokkos::DefaultExecutionSpace(), line(n, n % 3 + 1), line(n, n % 2 + 1),
                          1, reverse, random);
}

TEST(TransformScans, RowsAndColumns) {
  Random random;
  SCOPED_TRACE(random.trace());
  const Kokkos::DefaultExecutionSpace exec;
  for (const int axis : {0, 1})
    for (const bool reverse : {false, true}) {
      check_transforms<2>(exec, row_major(37, 129), column_major(37, 129), axis, reverse, random);
      check_transforms<2>(exec, row_major(1031, 67), row_major(1031, 67), axis, reverse, random);
      check_transforms<2>(exec, spread(3, 20011), row_major(3, 20011), axis, reverse, random);
      check_transforms<2>(exec, column_major(20011, 3), column_major(20011, 3), axis, reverse,
                          random);
    }
}

TEST(TransformScans, OnEveryInstance) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {0, 1, 513, 40009})
    for_each_instance([&](const auto& exec) {
      check_transforms<1>(exec, line(n), line(n), 1, n % 2 == 1, random);
    });
}

struct Negate {
  KOKKOS_FUNCTION int operator()(int x) const { return -x; }
};

TEST(TransformScans, InPlace) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {1, 500, 9973, 70001}) {
    const auto x = random.integers<int>(n, -9, 9);
    const ExpectedLines expected(std::plus<>{}, mapped<int>(x, Negate{}), line(n), 1, false,
                                 Maybe<int>(1));
    GuardedArray<int> both(line(n), x);
    wavescan::transform_exclusive_scan(both.vector(), both.vector(), 1, Plus{}, Negate{});
    ASSERT_TRUE(equal(both.values(), expected.exclusive));
    both.set(x);
    wavescan::transform_inclusive_scan(both.vector(), both.vector(), Plus{}, Negate{}, 1);
    ASSERT_TRUE(equal(both.values(), expected.inclusive));
    // The output's function is not part of the sums.
    both.set(x);
    const ExpectedLines plain(std::plus<>{}, x, line(n), 1, false, Maybe<int>(1));
    wavescan::exclusive_scan(both.vector(), transform_output(both.vector(), Negate{}), 1);
    ASSERT_TRUE(equal(both.values(), mapped<int>(plain.exclusive, Negate{})));
  }
}

struct Square {
  KOKKOS_FUNCTION std::uint64_t operator()(std::int64_t i) const {
    return static_cast<std::uint64_t>(i * i);
  }
};
struct Place {
  std::int64_t columns;
  KOKKOS_FUNCTION std::uint64_t operator()(std::int64_t i, std::int64_t j) const {
    return static_cast<std::uint64_t>(i * columns + j);
  }
};

TEST(TransformScans, ComputedLines) {
  for (const std::int64_t n : call_lengths)
    for (const bool reverse : {false, true}) {
      std::vector<std::uint64_t> x;
      for (std::int64_t i = 0; i < n; ++i) x.push_back(Square{}(i));
      const ExpectedLines expected(std::plus<>{}, x, line(n), 1, reverse, Maybe<std::uint64_t>());
      const GuardedArray<std::uint64_t> out(line(n));
      wavescan::inclusive_scan(computed_input(n, Square{}), out.vector(),
                               ScanOptions().reverse(reverse));
      ASSERT_TRUE(equal(out.values(), expected.inclusive)) << n;
      ASSERT_TRUE(out.guards_intact());
    }
}

TEST(TransformScans, ComputedRowsAndColumns) {
  for (const auto& place : {row_major(301, 515), column_major(301, 515)})
    for (const int axis : {0, 1})
      for (const bool reverse : {false, true}) {
        std::vector<std::uint64_t> x;
        for (std::int64_t k = 0; k < 301 * 515; ++k) x.push_back(static_cast<std::uint64_t>(k));
        const ExpectedLines expected(std::plus<>{}, x, place, axis, reverse,
                                     Maybe<std::uint64_t>(1));
        const GuardedArray<std::uint64_t> out(place);
        wavescan::exclusive_scan(computed_input(301, 515, Place{515}), out.matrix(), 1,
                                 ScanOptions().axis(axis).reverse(reverse));
        ASSERT_TRUE(equal(out.values(), expected.exclusive));
        ASSERT_TRUE(out.guards_intact());
      }
}

TEST(TransformScans, WeightedInputsAndOutputs) {
  const GuardedArray<int> in(line(4), {1, 2, 3, 4}), weights(line(4), {9, 2, 0, 3}), out(line(4));
  wavescan::weighted_scan(transform_input(in.vector(), Negate{}), weights.vector(), out.vector());
  EXPECT_TRUE(equal(out.values(), {-1, -4, -3, -13}));
  wavescan::weighted_scan(in.vector(), 2, transform_output(out.vector(), Negate{}));
  EXPECT_TRUE(equal(out.values(), {-1, -4, -11, -26}));
}

TEST(TransformScans, BadInputs) {
  const GuardedArray<std::uint64_t> out(line(4));
  EXPECT_TRUE(rejects("computed_input", "n", [&] { computed_input(-1, Square{}); }));
  EXPECT_TRUE(rejects("computed_input", "m", [&] { computed_input(-1, 1, Place{1}); }));
  EXPECT_TRUE(rejects("inclusive_scan", "out", [&] {
    wavescan::inclusive_scan(computed_input(5, Square{}), out.vector());
  }));
  const GuardedArray<int> one(line(8));
  const auto front = Kokkos::subview(one.vector(), Kokkos::pair(0, 4));
  const auto shifted = Kokkos::subview(one.vector(), Kokkos::pair(1, 5));
  EXPECT_TRUE(rejects("exclusive_scan", "out", [&] {
    wavescan::exclusive_scan(front, transform_output(shifted, Negate{}), 1);
  }));
  EXPECT_TRUE(rejects("transform_inclusive_scan", "out", [&] {
    wavescan::transform_inclusive_scan(front, shifted, Plus{}, Negate{}, 1);
  }));
  EXPECT_TRUE(equal(one.values(), std::vector<int>(8, -1)));
}

}  // namespace
