// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <WaveScan_SegmentedLinearRecurrence.hpp>
#include <WaveScan_SegmentedScan.hpp>
#include <WaveScan_SmallMatrices.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../support/WaveScanTest_Array.hpp"
#include "../support/WaveScanTest_Errors.hpp"
#include "../support/WaveScanTest_Random.hpp"

// Recurrences that begin anew in every segment, as such and as segmented scans of vectors by
// matrices.

namespace {

using namespace wavescan;
using namespace wavescan::Test;
using Maps = AffineMaps<double, 2>;
using Vector = SmallVector<double, 2>;
using Matrix = SmallMatrix<double, 2>;

TEST(SegmentedRecurrences, OfOrderTwo) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {1, 100, 30011}) {
    std::vector<int> offsets{0};
    while (offsets.back() < n)
      offsets.push_back(
          static_cast<int>(std::min(n, offsets.back() + random.integer(0, n > 1000 ? 900 : 9))));
    std::vector<Vector> x(static_cast<std::size_t>(n));
    std::vector<Matrix> w(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      x[j] = {{random.value<double>(), 0}};
      w[j] = {{{1 + .2 * random.value<double>(), -.5}, {1, 0}}};
    }
    const Matrix constant{{{1.2, -.6}, {1, 0}}};
    const GuardedArray<Vector> in(line(n), x), out(line(n));
    const GuardedArray<Matrix> weights(line(n), w);
    const auto segments_count = static_cast<std::int64_t>(offsets.size());
    const GuardedArray<int> bounds(line(segments_count), offsets);
    const auto segments = segment_offsets(bounds.vector());
    for (const bool varying : {false, true}) {
      if (varying)
        segmented_weighted_scan(in.vector(), weights.vector(), segments, out.vector(), Maps());
      else
        segmented_weighted_scan(in.vector(), constant, segments, out.vector(), Maps());
      const auto y = out.values();
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        double newest = 0, older = 0;
        for (int j = offsets[s]; j < offsets[s + 1]; ++j) {
          const auto k = static_cast<std::size_t>(j);
          const Matrix& by = varying ? w[k] : constant;
          const double next = x[k][0] + by(0, 0) * newest + by(0, 1) * older;
          older = newest;
          newest = next;
          ASSERT_NEAR(y[k][0], next, 1e-11 * (1 + std::abs(next))) << j << " of " << n;
        }
      }
    }
  }
}

/// @brief One number, or some of them side by side: what is before a segment.
template <class T, int K>
auto outputs_before(const std::vector<T>& values) {
  if constexpr (K == 1) {
    return values[0];
  } else {
    SmallVector<T, K> outputs;
    for (int k = 0; k < K; ++k) outputs[k] = values[static_cast<std::size_t>(k)];
    return outputs;
  }
}

template <class T, int K>
class CheckOrder {
 public:
  explicit CheckOrder(Random& random, std::int64_t n) : n_(n) {
    while (offsets_.back() < n)
      offsets_.push_back(static_cast<int>(
          std::min<std::int64_t>(n, offsets_.back() + random.integer(0, n > 1000 ? 3000 : 9))));
    x_ = random.values<T>(n);
    for (int k = 0; k < K; ++k) {
      c_.push_back(random.values<T>(n));
      for (T& c : c_.back()) c *= T(.9) / K;
    }
    for (std::size_t s = 0; s < offsets_.size(); ++s) before_.push_back(random.values<T>(K));
  }

  void run() const {
    for (const bool reverse : {false, true})
      for (const bool varying : {false, true})
        for (const int init : {0, 1, 2}) {  // none, one for all, one for each
          SCOPED_TRACE("order " + std::to_string(K) + " of " + std::to_string(n_) + ", reverse " +
                       std::to_string(reverse) + ", varying " + std::to_string(varying) +
                       ", init " + std::to_string(init));
          compare(reverse, varying, init);
        }
  }

 private:
  using Before = decltype(outputs_before<T, K>({}));

  T coefficient(bool varying, int k, std::size_t j) const {
    return c_[static_cast<std::size_t>(k)][varying ? j : 0];
  }

  void compare(bool reverse, bool varying, int init) const {
    std::vector<long double> expected(x_.size());
    for (std::size_t s = 0; s + 1 < offsets_.size(); ++s) {
      std::vector<long double> last(K, 0);
      if (init > 0) {
        const auto& values = before_[init == 1 ? 0 : s];
        last.assign(values.begin(), values.end());
      }
      for (int i = offsets_[s]; i < offsets_[s + 1]; ++i) {
        const auto j =
            static_cast<std::size_t>(reverse ? offsets_[s] + offsets_[s + 1] - 1 - i : i);
        long double next = x_[j];
        for (int k = 0; k < K; ++k)
          next += coefficient(varying, k, j) * last[static_cast<std::size_t>(k)];
        last.insert(last.begin(), next);
        last.pop_back();
        expected[j] = next;
      }
    }
    const auto count = static_cast<std::int64_t>(offsets_.size());
    const GuardedArray<T> x(line(n_), x_), y(line(n_));
    const GuardedArray<int> bounds(line(count), offsets_);
    std::vector<Before> each;
    for (std::size_t s = 0; s + 1 < before_.size(); ++s)
      each.push_back(outputs_before<T, K>(before_[s]));
    const GuardedArray<Before> states(line(count - 1), each);
    const auto call = [&](const auto& c, const auto& state) {
      segmented_linear_recurrence(c, x.vector(), segment_offsets(bounds.vector()), y.vector(),
                                  state, {.reverse = reverse});
    };
    const auto call_by = [&](const auto& c) {
      if (init == 0)
        call(c, NoCarry());
      else if (init == 1)
        call(c, outputs_before<T, K>(before_[0]));
      else
        call(c, states.vector());
    };
    if (varying) {
      std::vector<GuardedArray<T>> memory;
      for (const auto& c : c_) memory.emplace_back(line(n_), c);
      std::array<decltype(x.vector()), K> views;
      for (std::size_t k = 0; k < K; ++k) views[k] = memory[k].vector();
      call_by(views);
    } else {
      std::array<double, K> constants;
      for (std::size_t k = 0; k < K; ++k) constants[k] = c_[k][0];
      call_by(constants);
    }
    const auto found = y.values();
    for (std::size_t j = 0; j < found.size(); ++j)
      ASSERT_NEAR(found[j], static_cast<double>(expected[j]),
                  500 * std::numeric_limits<T>::epsilon() *
                      (1 + std::abs(static_cast<double>(expected[j]))))
          << j;
  }

  std::int64_t n_;
  std::vector<int> offsets_{0};
  std::vector<T> x_;
  std::vector<std::vector<T>> c_, before_;
};

TEST(SegmentedLinearRecurrence, OfEveryOrder) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const std::int64_t n : {1, 100, 50021}) {
    CheckOrder<double, 1>(random, n).run();
    CheckOrder<double, 2>(random, n).run();
    CheckOrder<float, 3>(random, n).run();
    CheckOrder<double, 4>(random, n).run();
    CheckOrder<float, 7>(random, n).run();
  }
}

TEST(SegmentedLinearRecurrence, KeepsInfinitiesInTheirSegment) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const GuardedArray<double> in(line(5), {1, nan, 1, 1, 1});
  const GuardedArray<bool> heads(line(5), {false, false, false, true, false});
  const auto x = in.vector();
  segmented_linear_recurrence(std::array{1., 1.}, x, segment_heads(heads.vector()), x);
  const auto y = in.values();
  EXPECT_EQ(y[0], 1);
  EXPECT_TRUE(std::isnan(y[1]) && std::isnan(y[2]));
  EXPECT_EQ(y[3], 1);
  EXPECT_EQ(y[4], 2);
}

TEST(SegmentedLinearRecurrence, RejectsWhatIsWrong) {
  const GuardedArray<double> in(line(4), {1, 1, 1, 1}), out(line(4)), three(line(3));
  const GuardedArray<int> offsets(line(2), {0, 4});
  const auto x = in.vector(), y = out.vector();
  const auto rows = segment_offsets(offsets.vector());
  constexpr const char* name = "segmented_linear_recurrence";
  EXPECT_TRUE(rejects(name, "coefficients", [&] {
    segmented_linear_recurrence(std::array{1., std::numeric_limits<double>::infinity()}, x, rows,
                                y);
  }));
  EXPECT_TRUE(rejects(name, "coefficients", [&] {
    segmented_linear_recurrence(std::array{x, three.vector()}, x, rows, y);
  }));
  EXPECT_TRUE(rejects(name, "y", [&] {
    segmented_linear_recurrence(std::array{x, y}, x, rows, y);
  }));
  EXPECT_TRUE(rejects(
      name, "y", [&] { segmented_linear_recurrence(std::array{1.}, x, rows, three.vector()); }));
  EXPECT_TRUE(rejects(name, "keys", [&] {
    segmented_linear_recurrence(std::array{1., 1.}, x, segment_keys(three.vector()), y);
  }));
  EXPECT_TRUE(rejects(name, "y", [&] {
    segmented_linear_recurrence(std::array{1., 1.}, x, segment_keys(y), y);
  }));
  for (const double untouched : out.values()) EXPECT_TRUE(std::isnan(untouched));
}

}  // namespace
