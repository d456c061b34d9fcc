// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <cstdint>
#include <limits>
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
TEST(HostVectors, SumsOfEightBytes) { check_sums<std::uint64_t>(); }

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

TEST(HostVectors, InputsAreConvertedBeforeTheyAreAdded) {
  check_lengths(
      PlainScan{Plus<std::uint32_t>{}, [](std::uint32_t a, std::uint32_t b) { return a + b; }},
      [](Random& random) { return random.value<std::uint8_t>(); }, 4000000000u);
  check_lengths(
      PlainScan{Plus<std::int64_t>{}, [](std::int64_t a, std::int64_t b) { return a + b; }},
      [](Random& random) { return random.value<std::int8_t>(); }, std::int64_t(-1) << 40);
  check_lengths(
      PlainScan{Plus<double>{}, [](double a, double b) { return a + b; }},
      [](Random& random) { return static_cast<float>(random.integer(-999, 999)); }, 0.5);
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
