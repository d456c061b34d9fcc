// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SORCoefficients.hpp>

#include <WaveScanTest_SpecialNumbers.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace wavescan::Test {
namespace {

std::string error_of(double omega, double h) {
  try {
    poisson<double>(omega, h);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing";
}

TEST(SORCoefficients, MeanOfFive) {
  const auto c = mean_of_five<double>();
  for (const double value : {c.center, c.left, c.up, c.right, c.down, c.rhs}) EXPECT_EQ(value, 0.2);
  const auto p = poisson<double>(0.8, 1);
  EXPECT_NEAR(p.center, c.center, 1e-16);
  EXPECT_EQ(p.left, c.left);
  EXPECT_EQ(p.rhs, c.rhs);
}

TEST(SORCoefficients, PoissonHasTheOmegaForm) {
  const auto c = poisson<double>(1.5, 0.25);
  EXPECT_EQ(c.center, -0.5);
  for (const double value : {c.left, c.up, c.right, c.down}) EXPECT_EQ(value, 0.375);
  EXPECT_EQ(c.rhs, 0.375 * 0.0625);
}

TEST(SORCoefficients, PoissonKeepsConstants) {
  for (int k = 1; k < 100; ++k) {
    const auto c = poisson<float>(0.5 + 0.0149 * k, 0.1);
    EXPECT_EQ(c.center + 4 * double(c.left), 1.0) << k;
  }
}

TEST(SORCoefficients, RejectsOmegaAndMeshWidth) {
  for (const double omega : {0.0, 2.0, -1.0, 3.0, nan<double>, infinity<double>})
    EXPECT_NE(error_of(omega, 0.1).find("poisson: argument 'omega'"), std::string::npos) << omega;
  for (const double h : {0.0, -0.1, nan<double>, infinity<double>})
    EXPECT_NE(error_of(1, h).find("poisson: argument 'h'"), std::string::npos) << h;
}

TEST(SORCoefficients, OptimalOmega) {
  EXPECT_NEAR(optimal_omega(1, 1), 1.0, 1e-15);
  // On a square mesh: 2 / (1 + sin(pi h)).
  for (const int n : {3, 10, 100, 1000000}) {
    const double expected = 2 / (1 + std::sin(std::acos(-1.0) / (n + 1)));
    EXPECT_NEAR(optimal_omega(n, n), expected, 1e-12) << n;
  }
  EXPECT_EQ(optimal_omega(5, 70), optimal_omega(70, 5));
  EXPECT_THROW(optimal_omega(0, 5), std::invalid_argument);
  EXPECT_THROW(optimal_omega(5, 0), std::invalid_argument);
}

}  // namespace
}  // namespace wavescan::Test
