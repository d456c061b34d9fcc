// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SOR_SWEEPS_HPP
#define WAVESCAN_TEST_SOR_SWEEPS_HPP

#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Compare.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "Reference.hpp"

/// @file
/// @brief Every schedule of SOR against the plain loops, for one type of numbers.

namespace wavescan::Test {

/// @brief Sweeps the plain loops.
template <class T>
void sweep(PlainSOR<T>& p, SweepOrder order, int count) {
  for (int k = 0; k < count; ++k) {
    if (order != SweepOrder::Backward) p.forward_pass();
    if (order != SweepOrder::Forward) p.backward_pass();
  }
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
  sweep(expected, options.order, count);
  ASSERT_TRUE(same_bits(x.values(), expected.x));
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
#define WAVESCAN_TEST_SOR_SWEEPS(TYPE)                                            \
  namespace wavescan::Test {                                                      \
  using TYPE##Sweeps = ForSchedules;                                              \
  TEST_P(TYPE##Sweeps, SmallTiles) { check_small_tiles<TYPE>(GetParam()); }       \
  TEST_P(TYPE##Sweeps, ChosenTiles) { check_chosen_tiles<TYPE>(GetParam()); }     \
  TEST_P(TYPE##Sweeps, LongAndTall) { check_long_and_tall<TYPE>(GetParam()); }    \
  TEST_P(TYPE##Sweeps, Layouts) { check_layouts<TYPE>(GetParam()); }              \
  INSTANTIATE_TEST_SUITE_P(SOR, TYPE##Sweeps, testing::ValuesIn(exact_schedules), \
                           ForSchedules::name);                                   \
  }

#endif
