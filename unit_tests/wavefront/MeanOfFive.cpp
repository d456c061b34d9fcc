// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <cmath>

#include "CheckWavefront.hpp"

namespace {

using namespace wavescan;
using namespace wavescan::Test;

TEST(MeanOfFive, Float) { check_shapes(MeanOfFive<float>{}, inside_halo, random_start<float>); }
TEST(MeanOfFive, Double) { check_shapes(MeanOfFive<double>{}, inside_halo, random_start<double>); }

/// "In SOR experiments, we observe the small relative errors are around 10^-6 if the float datatype
/// is used. The error can be further reduced to 10^-8 for double" (Hou et al., section VI-B3).
template <class T>
void check_claim(double claimed) {
  Random random;
  SCOPED_TRACE(random.trace());
  const I m = 131, n = 1031;
  const auto start = random_start<T>(random, m * n);
  const auto after_sweeps = [&](Schedule schedule) {
    const GuardedArray<T> array(row_major(m, n), start);
    const WavefrontOptions options{.schedule = schedule, .range = inside_halo(m, n)};
    for (int sweep = 0; sweep < 10; ++sweep) wavefront(MeanOfFive<T>{}, array.matrix(), options);
    return array.values();
  };
  const auto original = after_sweeps(Schedule::Serial);
  for (const Schedule schedule : schedules) {
    const auto compensated = after_sweeps(schedule);
    double worst = 0;
    for (std::size_t k = 0; k < original.size(); ++k)
      worst = std::max(worst, std::abs(double(compensated[k]) - double(original[k])) /
                                  std::abs(double(original[k])));
    EXPECT_LE(worst, claimed) << to_string(schedule);
  }
}

TEST(MeanOfFive, CompensatedEqualsOriginalAsThePaperClaims) {
  check_claim<float>(1e-6);
  check_claim<double>(1e-8);
}

}  // namespace
