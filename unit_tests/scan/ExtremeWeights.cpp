// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "../support/WaveScanTest_Random.hpp"
#include "../support/WaveScanTest_Tools.hpp"
#include "../support/WaveScanTest_Types.hpp"
#include "CheckScans.hpp"
#include "HostWays.hpp"

// Views of weights on the host, whose products leave the range of the type while the states of the
// plain loop do not. Weights are powers of two, so that results must be exact.

namespace {

using namespace wavescan;
using namespace wavescan::Test;

template <class T>
class ExtremeWeights : public testing::Test {
 protected:
  using limits = std::numeric_limits<T>;

  static T power(std::int64_t exponent) { return std::ldexp(T(1), static_cast<int>(exponent)); }
  static T linear(T s, T w, T x) { return s * w + x; }
  static T most_probable(T s, T w, T x) { return std::max(s * w, x); }

  /// Checks scans of a matrix with these weights, in which only the first elements are not zero.
  template <class A>
  void check(const A& algebra, T (*meaning)(T, T, T), const Placement& place, int axis,
             const std::vector<T>& w) {
    const std::int64_t lines = axis == 0 ? place.columns : place.rows;
    std::vector<T> x(w.size(), T(0)), carries;
    for (std::int64_t l = 0; l < lines; ++l) {
      x[static_cast<std::size_t>(axis == 0 ? l : l * place.columns)] = power(l % 3);
      carries.push_back(power(l % 5));
    }
    const GuardedArray<T, Host> weights(place, w);
    const auto on_host = [&](std::int64_t l, std::int64_t j) {
      return w[static_cast<std::size_t>(axis == 0 ? j * place.columns + l : l * place.columns + j)];
    };
    check_scans<2, Host>(WeightsScan{algebra, view_of<2>(weights), on_host, meaning}, x, place,
                         place, carries, axis, host_instance());
  }

  /// `weights_of(length)` makes the weights of a line.
  void check_lines(const std::function<std::vector<T>(std::int64_t)>& weights_of,
                   bool negative = true) {
    struct Shape {
      std::int64_t lines, length;
    };
    const std::int64_t longest = few_cases_wanted() ? 9021 : 50021;
    for (const Shape s : {Shape{1, 300}, {1, 5000}, {2, longest}, {20, longest / 16}})
      for (const int axis : {0, 1}) {
        std::vector<T> w(static_cast<std::size_t>(s.lines * s.length));
        const Placement place =
            axis == 0 ? row_major(s.length, s.lines) : row_major(s.lines, s.length);
        for (std::int64_t l = 0; l < s.lines; ++l) {
          const std::vector<T> line = weights_of(s.length);
          for (std::int64_t j = 0; j < s.length; ++j)
            w[static_cast<std::size_t>(axis == 0 ? j * s.lines + l : l * s.length + j)] =
                line[static_cast<std::size_t>(j)];
        }
        check(PlusTimes<T>{}, linear, place, axis, w);
        if (!negative) check(MaxTimes<T>{}, most_probable, place, axis, w);
        if (this->HasFatalFailure()) return;
      }
  }
};

TYPED_TEST_SUITE(ExtremeWeights, FloatingPointTypes);

/// Any weights that keep the state within the range.
TYPED_TEST(ExtremeWeights, RandomPowersOfTwo) {
  using T = TypeParam;
  Random random;
  SCOPED_TRACE(random.trace());
  for (const int step : {1, 20, std::numeric_limits<T>::max_exponent / 2})
    for (const bool negative : {false, true})
      this->check_lines(
          [&](std::int64_t length) {
            const std::int64_t far = std::numeric_limits<T>::max_exponent - 20;
            std::vector<T> w;
            std::int64_t exponent = 0;  // of the state
            for (std::int64_t j = 0; j < length; ++j) {
              std::int64_t by = random.integer(-step, step);
              if (std::abs(exponent + by) > far) by = -by;
              if (j > 0) exponent += by;
              w.push_back(this->power(j > 0 ? by : 0) *
                          static_cast<T>(negative && by % 2 != 0 ? -1 : 1));
            }
            return w;
          },
          negative);
}

/// A product that becomes subnormal and much later comes back.
TYPED_TEST(ExtremeWeights, ReturnsFromFarBelow) {
  using T = TypeParam;
  this->check_lines([&](std::int64_t length) {
    const std::int64_t far = std::numeric_limits<T>::max_exponent / 2 + 3;
    std::vector<T> w(static_cast<std::size_t>(length), T(1));
    w[0] = this->power(far - 6);
    w[1] = w[2] = this->power(-far);
    w[w.size() - 1] = w[w.size() - 2] = this->power(far);
    return w;
  });
}

/// The loop ends where it began.
TEST(ExtremeWeightsOfALine, FloatsThatAreNoPowersOfTwo) {
  const std::int64_t n = 5000;
  std::vector<float> w(n, 1.0F);
  w[0] = w[1] = 1e-20F;
  w[n - 2] = w[n - 1] = 1e20F;
  const GuardedArray<float, Host> in(line(n), std::vector<float>(n, 0.0F)), weights(line(n), w),
      out(line(n));
  weighted_scan(host_instance(), in.vector(), weights.vector(), out.vector(), PlusTimes<float>{},
                ScanOptions().carry_in(1e10F));
  const auto expected =
      scan_line<float>(std::vector<float>(n, 0.0F), 1e10F, 0.0F,
                       [&](float s, float x, std::size_t j) { return s * w[j] + x; });
  EXPECT_NEAR(expected.last, 1e10F, 1e5);
  const auto got = out.values();
  for (std::size_t j = 0; j < got.size(); ++j)
    ASSERT_NEAR(got[j], expected.inclusive[j], 1e-5 * expected.inclusive[j]) << j;
}

/// Zeros stay zeros however large the products, and begin anew.
TYPED_TEST(ExtremeWeights, Zeros) {
  using T = TypeParam;
  Random random;
  SCOPED_TRACE(random.trace());
  const T large = this->power(std::numeric_limits<T>::max_exponent / 2);
  for (const std::int64_t every : {1, 7, 50, 1000})
    this->check_lines([&](std::int64_t length) {
      std::vector<T> w;
      for (std::int64_t j = 0; j < length; ++j)
        w.push_back(j == 1 || random.integer(1, every) == 1 ? T(0) : large);
      return w;
    });
}

/// Products of ordinary weights underflow, as the states do.
TYPED_TEST(ExtremeWeights, Decay) {
  using T = TypeParam;
  this->check_lines([&](std::int64_t length) {
    return std::vector<T>(static_cast<std::size_t>(length), T(-0.5));
  });
}

}  // namespace
