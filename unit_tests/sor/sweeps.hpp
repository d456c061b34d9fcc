// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SOR_SWEEPS_HPP
#define WAVESCAN_TEST_SOR_SWEEPS_HPP

#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Compare.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

#include "reference.hpp"

/// @file
/// @brief Every schedule against the plain loops, for one type of numbers.

namespace wavescan::Test {

/// @brief How far results may lie apart that differ in the association of each row's weighted sum.
///
/// With u the unit roundoff, w = |left|, M the largest value and P the largest partial value, a
/// row's recurrence is off by at most d = 40 u max(P, M) / (1-w)^2 in any association: two
/// roundings a term, powers of w by repeated squaring, and joins of no more than a dozen levels. A
/// pass turns an error E of the old values into (E * |coefficients of old values| + d) / (1 -
/// |those of new ones|).
template <class T>
class ErrorBound {
 public:
  void after_pass(const PlainSOR<T>& p, bool backward) {
    const SORCoefficients<T> largest_of_each = largest_coefficients(p);
    const SORCoefficients<T> c = backward ? reversed(largest_of_each) : largest_of_each;
    const double w = std::abs(double(c.left));
    const double renewed = w + std::abs(double(c.up));
    const double old =
        std::abs(double(c.center)) + std::abs(double(c.right)) + std::abs(double(c.down));
    double largest = 1;
    for (const T& value : p.x)
      if (std::isfinite(value)) largest = std::max(largest, std::abs(double(value)));
    const double partial = (renewed + old) * largest + std::abs(double(c.rhs));
    const double u = std::numeric_limits<T>::epsilon() / 2;
    const double d = 40 * u * std::max(partial, largest) / ((1 - w) * (1 - w));
    value_ = (value_ * old + d) / (1 - renewed);
  }
  double value() const { return value_; }

 private:
  static SORCoefficients<T> largest_coefficients(const PlainSOR<T>& p) {
    if (p.each.empty()) return p.c;
    SORCoefficients<T> result{};
    for (std::int64_t i = 1; i <= p.m; ++i)
      for (std::int64_t j = 1; j <= p.n; ++j)
        if (p.unknown(i, j))
          for (const auto member : members_of_coefficients<T>)
            result.*member = std::max(result.*member, std::abs(p.coefficients(i, j).*member));
    return result;
  }

  double value_ = 0;
};

/// @brief Sweeps the plain loops and returns how far other associations may be off.
template <class T>
double sweep(PlainSOR<T>& p, SweepOrder order, int count) {
  ErrorBound<T> bound;
  for (int k = 0; k < count; ++k) {
    if (order != SweepOrder::Backward) {
      p.forward_pass();
      bound.after_pass(p, false);
    }
    if (order != SweepOrder::Forward) {
      p.backward_pass();
      bound.after_pass(p, true);
    }
  }
  return bound.value();
}

inline bool keeps_bits(Schedule schedule) {
  return schedule != Schedule::RowSweep && schedule != Schedule::TileCompensated;
}

/// @brief Unknowns may be off by `bound`; the halo, its corners and fixed points keep their bits.
template <class T>
testing::AssertionResult close(const PlainSOR<T>& expected, std::vector<T> got, double bound) {
  for (std::int64_t i = 1; i <= expected.m; ++i)
    for (std::int64_t j = 1; j <= expected.n; ++j) {
      const T want = expected.x[expected.at(i, j)];
      T& value = got[expected.at(i, j)];
      if (!expected.unknown(i, j)) continue;
      if (!(std::abs(double(value) - double(want)) <= bound))
        return testing::AssertionFailure() << "(" << i << ", " << j << ") is " << show(value)
                                           << " instead of " << show(want) << " within " << bound;
      value = want;
    }
  return same_bits(got, expected.x);
}

/// @brief Runs one problem on arrays placed as given and compares it with the plain loops.
template <class T>
void check(const PlainSOR<T>& start, const SOROptions& options, int count, const Placement& place,
           const Placement& place_inputs) {
  const GuardedArray<T> x(place, start.x);
  const SOR<Exec, T> sor = SOR<Exec, T>::like(Exec(), x.matrix(), options);
  const auto run = [&](const auto& inputs) { sor.sweeps(x.matrix(), start.c, count, inputs); };
  if (start.rhs.empty() && start.mask.empty()) {
    run(SORInputs());
  } else if (start.mask.empty()) {
    const GuardedArray<T> rhs(place_inputs, start.rhs);
    run(SORInputs().rhs(rhs.matrix()));
    Kokkos::fence();
  } else {
    const GuardedArray<int> mask(place_inputs, start.mask);
    if (start.rhs.empty()) {
      run(SORInputs().mask(mask.matrix()));
      Kokkos::fence();
    } else {
      const GuardedArray<T> rhs(place, start.rhs);
      run(SORInputs().rhs(rhs.matrix()).mask(mask.matrix()));
      Kokkos::fence();
    }
  }
  PlainSOR<T> expected = start;
  const double bound = sweep(expected, options.order, count);
  ASSERT_TRUE(keeps_bits(options.schedule) ? same_bits(x.values(), expected.x)
                                           : close(expected, x.values(), bound));
  ASSERT_TRUE(x.guards_intact());
}

using MakePlacement = Placement (*)(std::int64_t rows, std::int64_t columns);

/// @brief Rows that begin anywhere between alignments.
inline Placement odd_pitch(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, columns + 5, 1, 3};
}

/// @brief All orders, with and without right-hand side and mask.
template <class T>
void check_all(std::int64_t m, std::int64_t n, SOROptions options, MakePlacement place = row_major,
               MakePlacement place_inputs = row_major) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (const bool with_rhs : {false, true})
      for (const bool with_mask : {false, true}) {
        options.order = order;
        std::ostringstream text;
        text << m << " x " << n << ", " << to_string(order) << (with_rhs ? ", rhs" : "")
             << (with_mask ? ", mask" : "");
        SCOPED_TRACE(text.str());
        check(random_sor<T>(m, n, five_different<T>(), with_rhs, with_mask, random), options, 2,
              place(m + 2, n + 2), place_inputs(m + 2, n + 2));
        if (testing::Test::HasFatalFailure()) return;
      }
}

using Size = std::pair<std::int64_t, std::int64_t>;

/// @brief Sizes around those of tiles, which are small here.
template <class T>
void check_small_tiles(Schedule schedule) {
  const SOROptions options{.schedule = schedule, .tile_rows = 4, .tile_columns = 8};
  for (const auto& [m, n] : {Size{1, 1}, Size{1, 9}, Size{9, 1}, Size{2, 3}, Size{3, 7}, Size{4, 8},
                             Size{5, 9}, Size{8, 16}, Size{13, 17}, Size{37, 41}})
    check_all<T>(m, n, options);
}

/// @brief Tiles as the library chooses them.
template <class T>
void check_chosen_tiles(Schedule schedule) {
  for (const auto& [m, n] :
       {Size{1, 1}, Size{31, 63}, Size{32, 64}, Size{33, 65}, Size{97, 131}, Size{17, 1030}})
    check_all<T>(m, n, {.schedule = schedule});
}

/// @brief Rows so long that a scan takes them in pieces, and tall columns.
template <class T>
void check_long_and_tall(Schedule schedule) {
  check_all<T>(2, 40001, {.schedule = schedule});
  check_all<T>(2003, 2, {.schedule = schedule});
}

template <class T>
void check_layouts(Schedule schedule) {
  const SOROptions options{.schedule = schedule, .tile_rows = 8, .tile_columns = 16};
  for (const MakePlacement place : {row_major, column_major, spread})
    for (const MakePlacement place_inputs : {row_major, column_major, spread})
      check_all<T>(19, 23, options, place, place_inputs);
}

/// @brief Hou et al., section VI: relative errors of about 1e-6 in float and 1e-8 in double for the
/// mean of five. The latter is far smaller here.
template <class T>
void check_precision(Schedule schedule) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [m, n] : {Size{100, 150}, Size{3, 40000}}) {
    auto expected = random_sor<T>(m, n, mean_of_five<T>(), false, false, random);
    const GuardedArray<T> x(row_major(m + 2, n + 2), expected.x);
    sor_sweeps(Exec(), x.matrix(), expected.c, 10, SORInputs(), {.schedule = schedule});
    sweep(expected, SweepOrder::Forward, 10);
    const auto got = x.values();
    double error = 0;
    double largest = 0;
    for (std::int64_t i = 1; i <= m; ++i)
      for (std::int64_t j = 1; j <= n; ++j) {
        const double want = expected.x[expected.at(i, j)];
        error = std::max(error, std::abs(double(got[expected.at(i, j)]) - want));
        largest = std::max(largest, std::abs(want));
      }
    EXPECT_LE(error / largest, sizeof(T) == sizeof(float) ? 1e-5 : 1e-12);
  }
}

/// @brief Tests that run once for each schedule.
class ForSchedules : public testing::TestWithParam<Schedule> {
 public:
  static std::string name(const testing::TestParamInfo<Schedule>& info) {
    std::string text = to_string(info.param);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
  }
};

}  // namespace wavescan::Test

/// @brief The tests of one type; each type has a source file, so that none takes long to compile.
#define WAVESCAN_TEST_SOR_SWEEPS(TYPE)                                                           \
  namespace wavescan::Test {                                                                     \
  using TYPE##Sweeps = ForSchedules;                                                             \
  TEST_P(TYPE##Sweeps, SmallTiles) { check_small_tiles<TYPE>(GetParam()); }                      \
  TEST_P(TYPE##Sweeps, ChosenTiles) { check_chosen_tiles<TYPE>(GetParam()); }                    \
  TEST_P(TYPE##Sweeps, LongAndTall) { check_long_and_tall<TYPE>(GetParam()); }                   \
  TEST_P(TYPE##Sweeps, Layouts) { check_layouts<TYPE>(GetParam()); }                             \
  TEST_P(TYPE##Sweeps, Precision) { check_precision<TYPE>(GetParam()); }                         \
  INSTANTIATE_TEST_SUITE_P(SOR, TYPE##Sweeps, testing::ValuesIn(schedules), ForSchedules::name); \
  }

#endif
