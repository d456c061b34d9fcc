// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <gtest/gtest.h>
#include <WaveScan_Concepts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

// Scans and reductions over the lanes of a warp, against loops over the lanes.

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Warp.hpp>
#include <impl/WaveScan_Gpu_WarpReduce.hpp>
#include <impl/WaveScan_Gpu_WarpScan.hpp>

#include "GpuValues.hpp"

namespace gpu_warp_scan {
namespace {

using namespace wavescan::Impl;
using namespace wavescan::Test;

constexpr int warp_size = gpu::warp_size;
constexpr int warps = 2;
constexpr int threads = warps * warp_size;

/// @brief Sixteen bytes that can be added.
struct TwoSums {
  std::uint64_t a, b;
  bool operator==(const TwoSums&) const = default;
  KOKKOS_FUNCTION TwoSums& operator+=(const TwoSums& other) {
    a += other.a;
    b += other.b;
    return *this;
  }
};
KOKKOS_FUNCTION TwoSums operator+(TwoSums left, const TwoSums& right) { return left += right; }

/// @brief What the block's threads write to `out[i * threads + thread]` for i below `sets`.
template <class V, class... Parameters, class... Arguments>
std::vector<V> run(void (*kernel)(const V*, V*, Parameters...), const std::vector<V>& in, int sets,
                   const Arguments&... arguments) {
  std::vector<V> out(static_cast<std::size_t>(sets * threads));
  std::memset(static_cast<void*>(out.data()), 0x5a, out.size() * sizeof(V));
  const gpu::Device exec{};
  const DeviceArray<V> device_in(in), device_out(out);
  gpu::launch({exec, "warp_scan_test", false}, kernel, 1, threads, 0,
              static_cast<const V*>(device_in.data()), device_out.data(), arguments...);
  return device_out.values();
}

/// @brief Compares the lanes below `lanes` of each warp with what `expected(values, lane)` says of
/// its warp's values.
template <class V, class Expected>
void expect_lanes(const std::vector<V>& in, const std::vector<V>& out, int lanes,
                  const Expected& expected) {
  ASSERT_EQ(in.size(), out.size());
  for (std::size_t first = 0; first < in.size(); first += warp_size)
    for (int lane = 0; lane < lanes; ++lane)
      ASSERT_TRUE(out[first + static_cast<std::size_t>(lane)] == expected(&in[first], lane))
          << "lane " << lane << " of warp and set " << first / warp_size << ", " << sizeof(V)
          << " bytes";
}

/// @brief The serial scan at a lane, from lane `begin` on.
template <class V, class Op>
V scan_up_to(const V* values, int begin, int lane, const Op& op) {
  V sum = values[begin];
  for (int k = begin + 1; k <= lane; ++k) sum = op(sum, values[k]);
  return sum;
}

/// @brief Calls f with 1, 2, 4, ... up to the lanes of a warp, as template parameter.
template <int Lanes = 1, class F>
void for_lanes(const F& f) {
  f(std::integral_constant<int, Lanes>());
  if constexpr (Lanes < warp_size) for_lanes<2 * Lanes>(f);
}

// Scans

template <int Lanes, int N, class V>
__global__ void scan_lanes(const V* in, V* out) {
  V values[N];
  for (int i = 0; i < N; ++i) values[i] = in[i * threads + threadIdx.x];
  if constexpr (N == 1)
    values[0] = gpu::warp_inclusive_scan<Lanes>(values[0], Compose());
  else
    gpu::warp_inclusive_scan<Lanes>(values, Compose());
  for (int i = 0; i < N; ++i) out[i * threads + threadIdx.x] = values[i];
}

template <int Lanes, int N, class V>
void test_scan() {
  const auto in = random_values<V>(N * threads);
  expect_lanes(in, run(scan_lanes<Lanes, N, V>, in, N), warp_size, [](const V* values, int lane) {
    return scan_up_to(values, lane - lane % Lanes, lane, Compose());
  });
}

template <class V>
class GpuWarpScanOf : public testing::Test {};
using Maps = testing::Types<SmallMap, Map<std::uint8_t>, Map<std::uint16_t>, Map<std::uint32_t>,
                            Map<std::uint64_t>>;
TYPED_TEST_SUITE(GpuWarpScanOf, Maps);

TYPED_TEST(GpuWarpScanOf, KeepsOrderOnAnyNumberOfLanes) {
  for_lanes([](auto lanes) {
    test_scan<decltype(lanes)::value, 1, TypeParam>();
    test_scan<decltype(lanes)::value, 3, TypeParam>();
  });
}

/// @brief Segments start in the lanes of `starts`; sums are polynomials in `base`, whose powers are
/// the weights.
struct Horner {
  static constexpr std::uint32_t base = 2654435761u;
  KOKKOS_FUNCTION std::uint32_t join(std::uint32_t left, std::uint32_t right,
                                     std::uint32_t weight) const {
    return left * weight + right;
  }
};
struct HornerWeights {
  std::uint32_t power[6];
  HornerWeights() {
    power[0] = Horner::base;
    for (int j = 1; j < 6; ++j) power[j] = power[j - 1] * power[j - 1];
  }
  KOKKOS_FUNCTION std::uint32_t operator[](int j) const { return power[j]; }
};

template <int Lanes, class V>
__global__ void scan_segments(const V* in, V* out, std::uint64_t starts) {
  const auto mask = gpu::ballot(gpu::lane() < Lanes && (starts >> gpu::lane() & 1) != 0);
  out[threadIdx.x] = gpu::warp_segmented_scan<Lanes>(in[threadIdx.x], gpu::segment_begin(mask),
                                                     gpu::lane(), Compose());
}
template <int Lanes>
__global__ void scan_weighted_segments(const std::uint32_t* in, std::uint32_t* out,
                                       std::uint64_t starts, HornerWeights weights) {
  const auto mask = gpu::ballot(gpu::lane() < Lanes && (starts >> gpu::lane() & 1) != 0);
  out[threadIdx.x] =
      gpu::warp_weighted_scan<Lanes>(Horner(), in[threadIdx.x], gpu::segment_begin(mask), weights);
}

std::vector<std::uint64_t> masks() {
  std::vector<std::uint64_t> masks = {0, 1, ~std::uint64_t(0), 0x8000000080000000u, 2};
  std::mt19937_64 random(3);
  for (int i = 0; i < 20; ++i) masks.push_back(i % 2 ? random() & random() & random() : random());
  return masks;
}
int segment_begin(std::uint64_t starts, int lane) {
  while (lane > 0 && (starts >> lane & 1) == 0) --lane;
  return lane;
}

TYPED_TEST(GpuWarpScanOf, ScansSegments) {
  const auto in = random_values<TypeParam>(threads);
  for (const std::uint64_t starts : masks())
    for_lanes([&](auto lanes) {
      constexpr int count = decltype(lanes)::value;
      expect_lanes(in, run(scan_segments<count, TypeParam>, in, 1, starts), count,
                   [&](const TypeParam* values, int lane) {
                     return scan_up_to(values, segment_begin(starts, lane), lane, Compose());
                   });
    });
}

TEST(GpuWarpScan, ScansWeightedSegments) {
  const auto in = random_values<std::uint32_t>(threads);
  for (const std::uint64_t starts : masks())
    for_lanes([&](auto lanes) {
      constexpr int count = decltype(lanes)::value;
      expect_lanes(in, run(scan_weighted_segments<count>, in, 1, starts, HornerWeights()), count,
                   [&](const std::uint32_t* values, int lane) {
                     return scan_up_to(
                         values, segment_begin(starts, lane), lane,
                         [](std::uint32_t sum, std::uint32_t x) { return sum * Horner::base + x; });
                   });
    });
}

// Sums, whose operator is the default

template <int Lanes, class V>
__global__ void sum_up(const V* in, V* out) {
  V values[3][2];
  for (int i = 0; i < 6; ++i) values[i / 2][i % 2] = in[i * threads + threadIdx.x];
  gpu::warp_inclusive_sum<Lanes>(values);
  for (int i = 0; i < 6; ++i) out[i * threads + threadIdx.x] = values[i / 2][i % 2];
}
template <int Lanes, class V>
__global__ void sum_up_by_default(const V* in, V* out) {
  out[threadIdx.x] = gpu::warp_inclusive_scan<Lanes>(in[threadIdx.x]);
}

template <class V>
class GpuWarpSumOf : public testing::Test {};
using Summands = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, TwoSums>;
TYPED_TEST_SUITE(GpuWarpSumOf, Summands);

template <class V>
V sum_of(V left, const V& right) {
  left += right;
  return left;
}

TYPED_TEST(GpuWarpSumOf, SumsUpLanes) {
  const auto in = random_values<TypeParam>(6 * threads);
  const std::vector<TypeParam> one(in.begin(), in.begin() + threads);
  for_lanes([&](auto lanes) {
    constexpr int count = decltype(lanes)::value;
    const auto expected = [](const TypeParam* values, int lane) {
      return scan_up_to(values, lane - lane % count, lane, sum_of<TypeParam>);
    };
    expect_lanes(in, run(sum_up<count, TypeParam>, in, 6), warp_size, expected);
    expect_lanes(one, run(sum_up_by_default<count, TypeParam>, one, 1), warp_size, expected);
  });
}

// Reductions

template <int Lanes, int Stride, gpu::LanePairs Pairs, class V>
__global__ void reduce_lanes(const V* in, V* out) {
  out[threadIdx.x] = gpu::warp_reduce<Lanes, Stride, Pairs>(in[threadIdx.x]);
}

/// @brief The sum over the lanes whose numbers differ from `lane` in the bits from `low` to below
/// `high` only, in the order in which pairs are joined.
template <class V>
V sum_by_pairs(const V* values, int lane, int low, int high, gpu::LanePairs pairs) {
  if (low >= high) return values[lane];
  const bool far_first = pairs == gpu::LanePairs::FarFirst;
  const int last = far_first ? low : high / 2;
  const int inner_low = far_first ? 2 * low : low, inner_high = far_first ? high : high / 2;
  return sum_of(sum_by_pairs(values, lane, inner_low, inner_high, pairs),
                sum_by_pairs(values, lane ^ last, inner_low, inner_high, pairs));
}

template <int Lanes, int Stride, gpu::LanePairs Pairs, class V>
void test_reduce() {
  const auto in = random_values<V>(threads);
  expect_lanes(
      in, run(reduce_lanes<Lanes, Stride, Pairs, V>, in, 1), warp_size,
      [](const V* values, int lane) { return sum_by_pairs(values, lane, Stride, Lanes, Pairs); });
}

TYPED_TEST(GpuWarpSumOf, ReducesAnyNumberOfLanes) {
  for_lanes([](auto lanes) {
    test_reduce<decltype(lanes)::value, 1, gpu::LanePairs::FarFirst, TypeParam>();
    test_reduce<decltype(lanes)::value, 1, gpu::LanePairs::NearFirst, TypeParam>();
  });
}

TEST(GpuWarpReduce, JoinsFloatingPointInTheOrderAskedFor) {
  for_lanes([](auto number) {
    constexpr int n = decltype(number)::value;
    test_reduce<n, 1, gpu::LanePairs::FarFirst, float>();
    test_reduce<n, 1, gpu::LanePairs::NearFirst, float>();
    test_reduce<warp_size, n, gpu::LanePairs::FarFirst, float>();
    test_reduce<warp_size, n, gpu::LanePairs::NearFirst, float>();
  });
}

__global__ void sum_warp(const std::uint32_t* in, std::uint32_t* out) {
  out[threadIdx.x] = gpu::warp_sum(in[threadIdx.x]);
}

TEST(GpuWarpReduce, SumsUpWords) {
  const auto in = random_values<std::uint32_t>(threads);
  expect_lanes(in, run(sum_warp, in, 1), warp_size, [](const std::uint32_t* values, int) {
    return scan_up_to(values, 0, warp_size - 1, sum_of<std::uint32_t>);
  });
}

template <int Lanes, int N, class V>
__global__ void sum_each(const V* in, V* out) {
  V values[N];
  for (int i = 0; i < N; ++i) values[i] = in[i * threads + threadIdx.x];
  out[threadIdx.x] = gpu::warp_sum_of_each<Lanes>(values);
}

template <int Lanes, int N, class V>
void test_sum_of_each() {
  const auto in = random_values<V>(N * threads);
  const auto out = run(sum_each<Lanes, N, V>, in, 1);
  const std::vector<V> shape(in.begin(), in.begin() + threads);
  for (int thread = 0; thread < threads; ++thread) {
    const int first = thread - thread % Lanes, set = thread % Lanes / (Lanes / N);
    const V sum = scan_up_to(&in[static_cast<std::size_t>(set * threads)], first, first + Lanes - 1,
                             sum_of<V>);
    ASSERT_TRUE(out[static_cast<std::size_t>(thread)] == sum) << "thread " << thread << ", " << N;
  }
}

TYPED_TEST(GpuWarpSumOf, SumsUpEachOfSeveralValues) {
  if constexpr (sizeof(TypeParam) >= 4) {  // smaller ones are added as int
    test_sum_of_each<warp_size, 1, TypeParam>();
    test_sum_of_each<warp_size, 2, TypeParam>();
    test_sum_of_each<warp_size, 4, TypeParam>();
    test_sum_of_each<warp_size, 8, TypeParam>();
    test_sum_of_each<16, 4, TypeParam>();
    test_sum_of_each<8, 8, TypeParam>();
    test_sum_of_each<1, 1, TypeParam>();
  }
}

template <class V>
__global__ void reduce_to_first(const V* in, V* out, int last) {
  out[threadIdx.x] = gpu::warp_reduce_to_first(in[threadIdx.x], last, Compose());
}
template <class V>
__global__ void reduce_present(const V* in, V* out, int begin) {
  out[threadIdx.x] = gpu::warp_reduce_present(in[threadIdx.x], gpu::lane() >= begin, Compose());
}
template <class V>
__global__ void sum_to_first(const V* in, V* out) {
  out[threadIdx.x] = gpu::warp_reduce_to_first(in[threadIdx.x], gpu::Add());
}

TYPED_TEST(GpuWarpScanOf, ReducesToFirstLaneInOrder) {
  const auto in = random_values<TypeParam>(threads);
  for (int last = 0; last < warp_size; ++last)
    expect_lanes(
        in, run(reduce_to_first<TypeParam>, in, 1, last), 1,
        [&](const TypeParam* values, int) { return scan_up_to(values, 0, last, Compose()); });
}

TYPED_TEST(GpuWarpScanOf, ReducesLastLanesInOrder) {
  const auto in = random_values<TypeParam>(threads);
  for (int begin = 0; begin < warp_size; ++begin)
    expect_lanes(in, run(reduce_present<TypeParam>, in, 1, begin), 1,
                 [&](const TypeParam* values, int) {
                   return scan_up_to(values, begin, warp_size - 1, Compose());
                 });
}

TYPED_TEST(GpuWarpSumOf, ReducesToFirstLane) {
  const auto in = random_values<TypeParam>(threads);
  expect_lanes(in, run(sum_to_first<TypeParam>, in, 1), 1, [](const TypeParam* values, int) {
    return scan_up_to(values, 0, warp_size - 1, sum_of<TypeParam>);
  });
}

}  // namespace
}  // namespace gpu_warp_scan

#endif
