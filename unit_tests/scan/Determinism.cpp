// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>
#include <string>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "CheckScans.hpp"

// Floating-point results are the same in every run, bit for bit, whatever else runs on the device.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Exec = Kokkos::DefaultExecutionSpace;

/// Work for the device whose timing changes that of everything else on it.
struct Noise {
  Kokkos::View<float*> data;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    float x = data(j);
    for (std::int64_t k = 0; k < j % 200; ++k) x = x * 0.5f + 1;
    data(j) = x;
  }
};

template <class T>
void check_shape(std::int64_t lines, std::int64_t length, Random& random) {
  SCOPED_TRACE(std::to_string(lines) + " lines of " + std::to_string(length));
  const Exec exec;
  const auto others = Kokkos::Experimental::partition_space(exec, 1, 1);
  const Placement place = row_major(lines, length);
  const GuardedArray<T> in(place, random.values<T>(lines * length)),
      weights(place, random.values<T>(lines * length));
  const GuardedArray<T> sums(place), weighted(place), many(place);
  const Scan<Exec, Plus<T>> sum(exec, lines, length);
  const Scan<Exec, PlusTimes<T>> recurrence(exec, lines, length);
  const Kokkos::View<float*> noise("noise", 20000);
  std::vector<T> first[3];
  const std::int64_t runs = std::min<std::int64_t>(cases_wanted(20), 20);
  for (std::int64_t run = 0; run < runs; ++run) {
    if (run % 3 == 1)
      Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(others[1], 0, 20000), Noise{noise});
    if (run % 5 == 4) {  // without a plan
      inclusive_scan(exec, in.matrix(), sums.matrix());
      weighted_scan(exec, in.matrix(), T(0.9), weighted.matrix());
      weighted_scan(exec, in.matrix(), weights.matrix(), many.matrix());
    } else {
      sum.inclusive(in.matrix(), sums.matrix());
      recurrence.weighted(in.matrix(), T(0.9), weighted.matrix());
      recurrence.weighted(in.matrix(), weights.matrix(), many.matrix());
    }
    const std::vector<T> results[]{sums.values(), weighted.values(), many.values()};
    for (int r = 0; r < 3; ++r) {
      if (run == 0) first[r] = results[r];
      ASSERT_TRUE(same_bits(results[r], first[r])) << "run " << run << ", result " << r;
    }
  }
}

template <class T>
void check_all() {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {100, 5003, 100003, 400009}) check_shape<T>(1, n, random);
  check_shape<T>(3, 20011, random);
  check_shape<T>(200, 301, random);
  check_shape<T>(3000, 17, random);
  if (!on_host<Exec> && !few_cases_wanted()) check_shape<T>(1, 3000017, random);
}

#if defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
/// With few threads blocks are drawn, with many they are owned, one or several by each.
TEST(ScanDeterminism, WithAnyNumberOfThreads) {
  Random random;
  SCOPED_TRACE(random.trace());
  using Host = Kokkos::OpenMP;
  for (const std::int64_t lines : {1, 3}) {
    const std::int64_t length = 700001;
    const Placement place = row_major(lines, length);
    const GuardedArray<float> in(place, random.values<float>(lines * length)), sums(place),
        weighted(place);
    std::vector<float> first[2];
    for (const int threads : {2, 3, 5, 8, 25}) {
      const Host host(threads);
      inclusive_scan(host, in.matrix(), sums.matrix());
      weighted_scan(host, in.matrix(), .9f, weighted.matrix());
      const std::vector<float> results[]{sums.values(), weighted.values()};
      for (int r = 0; r < 2; ++r) {
        if (threads == 2) first[r] = results[r];
        EXPECT_TRUE(same_bits(results[r], first[r])) << threads << " threads, result " << r;
      }
    }
  }
}
#endif

TEST(ScanDeterminism, OfFloats) { check_all<float>(); }
TEST(ScanDeterminism, OfDoubles) { check_all<double>(); }

}  // namespace
