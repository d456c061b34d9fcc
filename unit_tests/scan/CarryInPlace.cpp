// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cstdint>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "CheckScans.hpp"

// One View as carry in and carry out: a block that reaches the end of a line must not overwrite
// what others have still to read. On GPUs most warps of the block that begins the first line are
// slow here, so that all other blocks are done with the line before them.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Value = std::uint32_t;

/// Takes some microseconds in all warps but the first of a GPU's first block.
KOKKOS_INLINE_FUNCTION void dawdle() {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  if (blockIdx.x != 0 || threadIdx.x < 64) return;
  volatile int k = 0;
  while (k < 300) k = k + 1;
#endif
}

struct SlowPlus : Plus<Value> {
  KOKKOS_FUNCTION Value operator()(const Value& a, const Value& b) const {
    dawdle();
    return a + b;
  }
};

struct SlowPlusTimes : PlusTimes<Value> {
  KOKKOS_FUNCTION Value advance(const Value& a, const Value& w, const Value& b) const {
    dawdle();
    return a * w + b;
  }
};

Value sum(Value s, Value x) { return s + x; }
Value linear(Value s, Value w, Value x) { return s * w + x; }

struct Case {
  int axis;
  Placement place;
};

/// Lines of several tiles for every kernel: few and many, long and short, rows and columns.
std::vector<Case> cases() {
  std::vector<Case> result{
      {1, row_major(1, 9001)},  {1, row_major(1, 60013)}, {1, spread(1, 60013)},
      {1, row_major(3, 20011)}, {1, spread(5, 12007)},    {1, row_major(40, 9001)},
      {0, row_major(20011, 9)}, {0, row_major(3001, 70)}, {0, column_major(20011, 3)}};
  if (!on_host<Kokkos::DefaultExecutionSpace> && !few_cases_wanted())
    result.insert(result.end(), {{1, row_major(1, 700001)},
                                 {1, spread(1, 900001)},
                                 {1, row_major(1, 4000003)},
                                 {1, row_major(40, 70001)},
                                 {0, row_major(70001, 33)}});
  return result;
}

class CarryInPlace : public testing::Test {
 protected:
  /// Calls `check(x, weights, carries, case)` for all cases.
  template <class Check>
  void for_cases(const Check& check) {
    SCOPED_TRACE(random_.trace());
    for (std::int64_t repetition = 0; repetition < cases_wanted(3); ++repetition)
      for (const Case& c : cases()) {
        const std::int64_t lines = c.axis == 0 ? c.place.columns : c.place.rows;
        const std::int64_t size = c.place.rows * c.place.columns;
        check(random_.values<Value>(size), random_.values<Value>(size),
              random_.values<Value>(lines), c);
        if (HasFatalFailure()) return;
      }
  }

 private:
  Random random_;
};

TEST_F(CarryInPlace, Sums) {
  for_cases([](const auto& x, const auto&, const auto& carries, const Case& c) {
    check_scans<2>(PlainScan{SlowPlus{}, sum}, x, c.place, c.place, carries, c.axis);
  });
}

TEST_F(CarryInPlace, OneWeight) {
  for_cases([](const auto& x, const auto& w, const auto& carries, const Case& c) {
    check_scans<2>(ConstantWeightScan{SlowPlusTimes{}, w.front(), linear}, x, c.place, c.place,
                   carries, c.axis);
  });
}

TEST_F(CarryInPlace, ManyWeights) {
  for_cases([](const auto& x, const auto& w, const auto& carries, const Case& c) {
    const GuardedArray<Value> weights(c.place, w);
    const auto on_host = [&](std::int64_t l, std::int64_t j) {
      return w[static_cast<std::size_t>(c.axis == 0 ? j * c.place.columns + l
                                                    : l * c.place.columns + j)];
    };
    check_scans<2>(WeightsScan{SlowPlusTimes{}, view_of<2>(weights), on_host, linear}, x, c.place,
                   c.place, carries, c.axis);
  });
}

}  // namespace
