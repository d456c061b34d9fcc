// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_SOR_VARIABLE_SWEEPS_HPP
#define WAVESCAN_TEST_SOR_VARIABLE_SWEEPS_HPP

#include "Sweeps.hpp"
#include "Variable.hpp"

/// @file
/// @brief Sweeps with coefficients of each point's own, in every schedule, against the plain loops.

namespace wavescan::Test {

/// @brief Which coefficients are constants, and where the Views of the others lie.
struct CoefficientPlaces {
  unsigned constant = 0;
  std::vector<MakePlacement> makers{row_major};

  std::vector<Placement> make(std::int64_t rows, std::int64_t columns) const {
    std::vector<Placement> places;
    for (const MakePlacement maker : makers) places.push_back(maker(rows, columns));
    return places;
  }
};

template <class T>
void check_variable(const PlainSOR<T>& start, const SOROptions& options, int count,
                    const Placement& place, const CoefficientPlaces& places) {
  const GuardedArray<T> x(place, start.x);
  const DeviceCoefficients<T> coefficients(start, places.make(start.m + 2, start.n + 2),
                                           places.constant);
  const SOR<Exec, T> sor = SOR<Exec, T>::like(Exec(), x.matrix(), options);
  const auto run = [&](const auto& inputs) {
    sor.sweeps(x.matrix(), coefficients.get(), count, inputs);
    Kokkos::fence();
  };
  const auto run_with_mask = [&](const auto& inputs) {
    if (start.mask.empty()) return run(inputs);
    const GuardedArray<int> mask(place, start.mask);
    run(inputs.mask(mask.matrix()));
  };
  if (start.rhs.empty()) {
    run_with_mask(SORInputs());
  } else {
    const GuardedArray<T> rhs(place, start.rhs);
    run_with_mask(SORInputs().rhs(rhs.matrix()));
  }
  PlainSOR<T> expected = start;
  sweep(expected, options.order, count);
  ASSERT_TRUE(same_bits(x.values(), expected.x));
  ASSERT_TRUE(x.guards_intact());
}

/// @brief All orders, with and without right-hand side and mask.
template <class T>
void check_all_variable(std::int64_t m, std::int64_t n, SOROptions options,
                        MakePlacement place = row_major, const CoefficientPlaces& places = {}) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (const bool with_rhs : {false, true})
      for (const bool with_mask : {false, true}) {
        options.order = order;
        std::ostringstream text;
        text << m << " x " << n << ", " << to_string(order) << (with_rhs ? ", rhs" : "")
             << (with_mask ? ", mask" : "") << ", constant " << places.constant;
        SCOPED_TRACE(text.str());
        auto p = random_sor<T>(m, n, five_different<T>(), with_rhs, with_mask, random);
        vary_coefficients(p, random, places.constant);
        check_variable(p, options, 2, place(m + 2, n + 2), places);
        if (testing::Test::HasFatalFailure()) return;
      }
}

template <class T>
void check_variable_sizes(Schedule schedule) {
  const SOROptions small_tiles{.schedule = schedule, .tile_rows = 4, .tile_columns = 8};
  for (const auto& [m, n] : {Size{0, 0}, Size{0, 3}, Size{3, 0}, Size{1, 1}, Size{1, 9}, Size{9, 1},
                             Size{2, 3}, Size{3, 2}, Size{5, 9}, Size{13, 17}, Size{37, 41}})
    check_all_variable<T>(m, n, small_tiles);
  for (const auto& [m, n] : {Size{33, 65}, Size{17, 1030}, Size{997, 3}})
    check_all_variable<T>(m, n, {.schedule = schedule});
}

template <class T>
void check_variable_layouts(Schedule schedule) {
  const SOROptions options{.schedule = schedule, .tile_rows = 8, .tile_columns = 16};
  const std::vector<std::vector<MakePlacement>> layouts{
      {row_major}, {column_major}, {spread, row_major, column_major}};
  for (const MakePlacement place : {row_major, column_major, spread})
    for (const auto& makers : layouts)
      check_all_variable<T>(19, 23, options, place, {.constant = 0, .makers = makers});
}

/// @brief Every subset of constants.
template <class T>
void check_variable_constants(Schedule schedule) {
  for (unsigned constant = 0; constant < 64; ++constant)
    check_all_variable<T>(6, 11, {.schedule = schedule}, row_major,
                          {.constant = constant, .makers = {column_major}});
}

}  // namespace wavescan::Test

/// @brief The tests of one type; each type has a source file, so that none takes long to compile.
#define WAVESCAN_TEST_SOR_VARIABLE_SWEEPS(TYPE)                                           \
  namespace wavescan::Test {                                                              \
  using TYPE##VariableSweeps = ForSchedules;                                              \
  TEST_P(TYPE##VariableSweeps, Sizes) { check_variable_sizes<TYPE>(GetParam()); }         \
  TEST_P(TYPE##VariableSweeps, Layouts) { check_variable_layouts<TYPE>(GetParam()); }     \
  TEST_P(TYPE##VariableSweeps, Constants) { check_variable_constants<TYPE>(GetParam()); } \
  INSTANTIATE_TEST_SUITE_P(SOR, TYPE##VariableSweeps, testing::ValuesIn(exact_schedules), \
                           ForSchedules::name);                                           \
  }

#endif
