// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "../support/WaveScanTest_Instances.hpp"
#include "../support/WaveScanTest_Random.hpp"
#include "CheckScans.hpp"
#include "HostWays.hpp"

// What the host does in vectors, in runs side by side and in blocks: every recurrence around the
// sizes of vectors and blocks, at addresses that no vector likes, with threads that take turns.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

template <class Scan, class Draw>
void check_lengths(const Scan& scan, const Draw& draw, typename Scan::value_type carry) {
  using T = typename Scan::value_type;
  Random random;
  SCOPED_TRACE(random.trace());
  const Host exec = host_instance();
  for (const std::int64_t n : host_lengths<T>()) {
    std::vector<decltype(draw(random))> x;
    for (std::int64_t j = 0; j < n; ++j) x.push_back(draw(random));
    Placement in = line(n), out = line(n);
    in.first = n % 3;  // as far from aligned as elements can be
    out.first = n % 5;
    check_scans<1, Host>(scan, x, in, out, {carry}, 0, exec);
  }
}

template <class T>
T wrap(std::uint64_t value) {
  return static_cast<T>(value);
}

template <class T>
void check_sums() {
  check_lengths(
      PlainScan{Plus<T>{}, [](T a, T b) { return wrap<T>(std::uint64_t(a) + std::uint64_t(b)); }},
      [](Random& random) { return random.value<T>(); }, std::numeric_limits<T>::max());
}
TEST(HostVectors, SumsOfOneByte) { check_sums<std::int8_t>(); }
TEST(HostVectors, SumsOfTwoBytes) { check_sums<std::uint16_t>(); }
TEST(HostVectors, SumsOfFourBytes) { check_sums<std::int32_t>(); }
TEST(HostVectors, SumsOfEightBytes) { check_sums<std::int64_t>(); }

template <class T>
void check_maxima() {
  check_lengths(
      PlainScan{Max<T>{}, [](T a, T b) { return a < b ? b : a; }},
      [](Random& random) { return static_cast<T>(random.value<T>() / 3); },
      std::numeric_limits<T>::lowest());
}
TEST(HostVectors, MaximaOfOneByte) { check_maxima<std::uint8_t>(); }
TEST(HostVectors, MaximaOfFourBytes) { check_maxima<std::int32_t>(); }
TEST(HostVectors, MaximaOfEightBytes) { check_maxima<std::int64_t>(); }

TEST(HostVectors, OneWeightWrapsAround) {
  using T = std::int16_t;
  const T weight = wrap<T>(0x9E3779B97F4A7C15);
  check_lengths(
      ConstantWeightScan{PlusTimes<T>{}, weight,
                         [](T s, T w, T x) {
                           return wrap<T>(std::uint64_t(s) * std::uint64_t(w) + std::uint64_t(x));
                         }},
      [](Random& random) { return random.value<T>(); }, T(77));
}

TEST(HostVectors, ShortestAndLongestPaths) {
  check_lengths(
      ConstantWeightScan{MaxPlus<std::int32_t>{}, -3,
                         [](int s, int w, int x) { return std::max(s + w, x); }},
      [](Random& random) { return static_cast<int>(random.integer(0, 100000)); }, 5000);
  check_lengths(
      ConstantWeightScan{MinPlus<std::int16_t>{}, std::int16_t(2),
                         [](int s, int w, int x) {
                           return static_cast<std::int16_t>(std::min({s + w, x, 32767}));
                         }},
      [](Random& random) { return static_cast<std::int16_t>(random.integer(0, 30000)); },
      std::int16_t(32000));
  check_lengths(
      ConstantWeightScan{MaxPlus<float>{}, -2.0f,
                         [](float s, float w, float x) { return std::max(s + w, x); }},
      [](Random& random) { return static_cast<float>(random.integer(-10000, 10000)); }, 99.0f);
}

/// What falls below the range stays there, however steep the way down; what does not rises again.
TEST(HostVectors, OneSteepWeight) {
  using T = std::int32_t;
  const std::int64_t lowest = std::numeric_limits<T>::lowest();
  WantedCases wanted;
  for (const T weight : {-1000000000, -50000, 0, 1, std::numeric_limits<T>::lowest()}) {
    if (!wanted.next()) continue;
    check_lengths(
        ConstantWeightScan{MaxPlus<T>{}, weight,
                           [=](std::int64_t s, std::int64_t w, T x) {
                             const std::int64_t sum = s == lowest ? s : s + w;
                             return std::max(static_cast<T>(std::max(sum, lowest)), x);
                           }},
        [&](Random& random) {
          return static_cast<T>(random.integer(weight > 0 ? lowest : 0, 1000000));
        },
        std::numeric_limits<T>::lowest());
  }
  using U = std::uint32_t;
  const std::int64_t largest = std::numeric_limits<U>::max();
  for (const U weight : {3000000000u, 70000u, 0u})
    check_lengths(
        ConstantWeightScan{MinPlus<U>{}, weight,
                           [=](std::int64_t s, std::int64_t w, U x) {
                             return std::min(static_cast<U>(std::min(s + w, largest)), x);
                           }},
        [&](Random& random) { return static_cast<U>(random.integer(9, largest)); }, U(4000000000));
}

/// As check_lengths, each element with a weight of its own.
template <class A>
void check_weights(const A& algebra, const WeightedMeaning<A>& meaning,
                   const std::function<typename A::value_type(Random&)>& draw,
                   const std::function<typename A::value_type(Random&)>& draw_weight,
                   typename A::value_type carry) {
  using T = typename A::value_type;
  Random random;
  SCOPED_TRACE(random.trace());
  const Host exec = host_instance();
  for (const std::int64_t n : host_lengths<T>()) {
    std::vector<T> x, w;
    for (std::int64_t j = 0; j < n; ++j) {
      x.push_back(draw(random));
      w.push_back(draw_weight(random));
    }
    Placement in = line(n), out = line(n), place = line(n);
    in.first = n % 3;
    out.first = n % 5;
    place.first = n % 2;
    const GuardedArray<T, Host> weights(place, w);
    const auto on_host = [&](std::int64_t, std::int64_t j) {
      return w[static_cast<std::size_t>(j)];
    };
    check_scans<1, Host>(WeightsScan{algebra, weights.vector(), on_host, meaning}, x, in, out,
                         {carry}, 0, exec);
  }
}

TEST(HostVectors, WeightsWrapAround) {
  using T = std::int32_t;
  const auto any = [](Random& random) { return random.value<T>(); };
  check_weights(
      PlusTimes<T>{},
      [](T s, T w, T x) { return wrap<T>(std::uint64_t(s) * std::uint64_t(w) + std::uint64_t(x)); },
      any, any, T(77));
}

/// Weights between zeros, so that all states are whole numbers.
TEST(HostVectors, WeightsOfFourByteFloats) {
  check_weights(
      PlusTimes<float>{}, [](float s, float w, float x) { return s * w + x; },
      [](Random& random) { return static_cast<float>(random.integer(-999, 999)); },
      [](Random& random) { return random.integer(0, 9) == 0 ? 0.0F : -1.0F; }, 5.0F);
}

TEST(HostVectors, WeightsOfPaths) {
  using T = std::int32_t;
  const std::int64_t lowest = std::numeric_limits<T>::lowest();
  check_weights(
      MaxPlus<T>{},
      [=](std::int64_t s, std::int64_t w, T x) {
        return std::max(static_cast<T>(std::max(s + w, lowest)), x);
      },
      [](Random& random) { return static_cast<T>(random.integer(0, 1000000)); },
      [](Random& random) { return static_cast<T>(random.integer(-1000000, 999) / 100); }, T(7));
  using U = std::uint32_t;
  const std::int64_t largest = std::numeric_limits<U>::max();
  check_weights(
      MinPlus<U>{},
      [=](std::int64_t s, std::int64_t w, U x) {
        return std::min(static_cast<U>(std::min(s + w, largest)), x);
      },
      [=](Random& random) { return static_cast<U>(random.integer(0, largest)); },
      [](Random& random) { return random.value<U>() >> random.integer(0, 31); }, U(4000000000));
}

TEST(HostVectors, InputsAreConvertedBeforeTheyAreAdded) {
  check_lengths(
      PlainScan{Plus<std::int64_t>{}, [](std::int64_t a, std::int64_t b) { return a + b; }},
      [](Random& random) { return random.value<std::int8_t>(); }, std::int64_t(-1) << 40);
  check_lengths(
      PlainScan{Plus<double>{}, [](double a, double b) { return a + b; }},
      [](Random& random) { return static_cast<float>(random.integer(-999, 999)); }, 0.5);
}

/// Sums by wider vectors are those by 16 bytes, bit for bit: at any address, stored past the caches
/// or not.
template <class T>
void check_sums_by_all_processors() {
  using Recurrence = Impl::PlainRecurrence<Plus<T>>;
  const Impl::HostVectorScan<Recurrence> sums{Recurrence{Plus<T>{}}};
  Random random;
  SCOPED_TRACE(random.trace());
  constexpr std::int64_t longest = 300;
  alignas(64) T in[longest], out[longest + 16], expected[longest + 16];
  for (const std::int64_t n : {1, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 256, 299})
    for (const std::int64_t first : {0, 1, 2, 4, 8}) {
      for (T& x : in) {
        x = random.value<T>();
        if constexpr (std::is_floating_point_v<T>)
          x = random.integer(0, 9) == 0 ? -T(0) : std::ldexp(x, random.integer(0, 20));
      }
      const T carry = random.integer(0, 1) == 0 ? -T(0) : random.value<T>();
      for (const int bytes : {16, 32, 64}) {
        Impl::widest_vectors = bytes;
        const T last = sums.template scan<false>(in, out + first, n, carry);
        if (bytes == 16) std::copy_n(out + first, n, expected);
        const std::vector<T> wanted(expected, expected + n);
        EXPECT_TRUE(same_bits(std::vector<T>(out + first, out + first + n), wanted)) << bytes;
        EXPECT_TRUE(same_bits(std::vector<T>{last}, {wanted.back()})) << bytes;
      }
      // What is stored past the caches comes after some elements up to an address of 16 bytes.
      for (const int bytes : {16, 32, 64}) {
        Impl::widest_vectors = bytes;
        sums.template scan<true>(in, out + first, n, carry);
        Impl::end_streaming();
        if (bytes == 16) std::copy_n(out + first, n, expected);
        const std::vector<T> wanted(expected, expected + n);
        EXPECT_TRUE(same_bits(std::vector<T>(out + first, out + first + n), wanted)) << bytes;
      }
    }
}

TEST(HostVectors, SumsDoNotDependOnTheProcessor) {
  const int widest = Impl::widest_vectors;
  check_sums_by_all_processors<float>();
  check_sums_by_all_processors<double>();
  check_sums_by_all_processors<std::int32_t>();
  check_sums_by_all_processors<std::int64_t>();
  Impl::widest_vectors = widest;
}

TEST(HostVectors, OperatorsWithoutVectors) {
  using U = std::uint32_t;
  check_lengths(
      PlainScan{BitXor<U>{}, [](U a, U b) { return a ^ b; }},
      [](Random& random) { return random.value<U>(); }, U(0x12345678));
  check_lengths(
      PlainScan{Times<std::uint64_t>{}, [](std::uint64_t a, std::uint64_t b) { return a * b; }},
      [](Random& random) { return random.value<std::uint64_t>() | 1; }, std::uint64_t(3));
}

}  // namespace
