// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "CheckScans.hpp"

// Contiguous lines that start anywhere: copies by vectors and in bulk want aligned addresses.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

struct Offsets {
  std::int64_t in, weights, out;
};
const std::vector<Offsets> offsets{{0, 0, 0}, {1, 1, 1}, {3, 3, 3}, {1, 0, 0},
                                   {0, 0, 1}, {2, 3, 5}, {7, 7, 0}};

/// Values from `offset` on.
template <class T>
std::vector<T> part(const std::vector<T>& values, std::int64_t offset, std::int64_t count) {
  return {values.begin() + offset, values.begin() + offset + count};
}

template <class T>
void check_offsets() {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {10, 1000, 5003, 150001})
    for (const Offsets& o : offsets) {
      SCOPED_TRACE(std::to_string(n) + " elements from " + std::to_string(o.in) +
                   ", weights from " + std::to_string(o.weights) + " to " + std::to_string(o.out));
      const std::int64_t size = n + 10;
      const auto x = random.values<T>(size), w = random.values<T>(size);
      const GuardedArray<T> in(line(size), x), weights(line(size), w);
      using Part = decltype(Kokkos::subview(in.vector(), Kokkos::pair(o.in, o.in + n)));
      using Call = std::function<void(const Part& from, const Part& by, const Part& to)>;
      const auto run = [&](const Call& call, const Advance<T>& advance) {
        const GuardedArray<T> out(line(size));
        call(Kokkos::subview(in.vector(), Kokkos::pair(o.in, o.in + n)),
             Kokkos::subview(weights.vector(), Kokkos::pair(o.weights, o.weights + n)),
             Kokkos::subview(out.vector(), Kokkos::pair(o.out, o.out + n)));
        std::vector<T> expected(static_cast<std::size_t>(size), static_cast<T>(-1));
        const auto scanned = scan_line<T>(part(x, o.in, n), std::nullopt, T(0), advance).inclusive;
        std::copy(scanned.begin(), scanned.end(), expected.begin() + o.out);
        EXPECT_TRUE(equal(out.values(), expected));
        EXPECT_TRUE(out.guards_intact());
      };
      const auto step = [](T s, T by, T v) {  // modulo 2^bits
        return static_cast<T>(static_cast<std::uint64_t>(s) * static_cast<std::uint64_t>(by) +
                              static_cast<std::uint64_t>(v));
      };
      run([](const Part& from, const Part&, const Part& to) { inclusive_scan(from, to); },
          [&](T s, T v, std::size_t) { return step(s, 1, v); });
      run([](const Part& from, const Part&, const Part& to) { weighted_scan(from, T(5), to); },
          [&](T s, T v, std::size_t) { return step(s, 5, v); });
      const auto own = part(w, o.weights, n);
      run([](const Part& from, const Part& by, const Part& to) { weighted_scan(from, by, to); },
          [&](T s, T v, std::size_t j) { return step(s, own[j], v); });
    }
}

TEST(AlignmentScans, Bytes) { check_offsets<std::uint8_t>(); }
TEST(AlignmentScans, FourBytes) { check_offsets<std::int32_t>(); }
TEST(AlignmentScans, EightBytes) { check_offsets<std::int64_t>(); }

}  // namespace
