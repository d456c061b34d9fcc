// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>
#include <cmath>
#include <cstdint>
#include <tuning_fit.hpp>
#include <vector>

namespace {

using namespace wavescan_tool;
using wavescan::LoopShape;
using wavescan::Schedule;
using wavescan::Tuning;

/// A machine on which rows cost a launch each, and tiles a chain through the array.
Observation observe(std::int64_t rows, std::int64_t columns, double noise = 0) {
  const auto m = static_cast<double>(rows), n = static_cast<double>(columns);
  return {{rows, columns},
          {{Schedule::RowSweep, (1 + noise) * (m * 1e-5 + m * n * 1e-10)},
           {Schedule::TileSkewed, (1 - noise) * ((m / 32 + n / 256) * 1e-5 + m * n * 1e-10)}}};
}

std::vector<Observation> many(double noise) {
  std::vector<Observation> all;
  for (int rows = 4; rows <= 24; ++rows)
    for (int columns = 4; columns + rows <= 28; ++columns)
      all.push_back(observe(std::int64_t(1) << rows, std::int64_t(1) << columns,
                            (rows + columns) % 2 == 0 ? noise : -noise));
  return all;
}

TEST(TuningFit, LearnsWhereTheSwitchIs) {
  const auto all = many(0);
  const Tuning tuning("test", fit(all), {});
  const Quality quality = quality_of(tuning, all);
  EXPECT_EQ(quality.shapes, all.size());
  EXPECT_GT(quality.fastest, all.size() * 9 / 10);
  EXPECT_LT(quality.mean_loss, 0.05);
  EXPECT_EQ(tuning.choose({4, 1 << 20}), Schedule::RowSweep);
  EXPECT_EQ(tuning.choose({4000, 4000}), Schedule::TileSkewed);
}

TEST(TuningFit, NoiseBetweenEqualsDoesNoHarm) {
  const Tuning tuning("test", fit(many(0.02)), {});
  EXPECT_LT(quality_of(tuning, many(0)).mean_loss, 0.05);
}

TEST(TuningFit, IsTheSameEveryTime) {
  EXPECT_EQ(Tuning("", fit(many(0.01)), {}).to_string("host"),
            Tuning("", fit(many(0.01)), {}).to_string("host"));
}

TEST(TuningFit, SchedulesThatWereNotMeasuredAreNotChosen) {
  auto all = many(0);
  for (Observation& observation : all)
    if (observation.shape.rows > 1 << 16) observation.timings.erase(observation.timings.begin());
  const Tuning tuning("test", fit(all), {});
  EXPECT_EQ(tuning.choose({1 << 24, 16}), Schedule::TileSkewed);
  EXPECT_EQ(quality_of(tuning, all).shapes, all.size());
}

TEST(TuningFit, QualityTellsTheTimeLost) {
  const Tuning always_rows("", {{Schedule::RowSweep, {1}}, {Schedule::TileSkewed, {}}}, {});
  const std::vector<Observation> observations{
      {{10, 10}, {{Schedule::RowSweep, 3}, {Schedule::TileSkewed, 2}}},
      {{10, 10}, {{Schedule::RowSweep, 1}, {Schedule::TileSkewed, 2}}}};
  const Quality quality = quality_of(always_rows, observations);
  EXPECT_EQ(quality.fastest, 1u);
  EXPECT_DOUBLE_EQ(quality.mean_loss, 0.25);
  EXPECT_DOUBLE_EQ(quality.largest_loss, 0.5);
}

}  // namespace
