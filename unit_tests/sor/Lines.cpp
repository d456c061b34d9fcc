// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_LineSOR.hpp>
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScanTest_SpecialNumbers.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScanTest_Types.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "Reference.hpp"

/// @file
/// @brief Rows relaxed as a whole, against systems of rows that are solved densely.

namespace wavescan::Test {
namespace {

/// @brief A problem in plain arrays, with coefficients of each point's own; points are fixed where
/// the mask says so.
struct PlainLines {
  std::int64_t m, n;
  std::vector<NinePointCoefficients<double>> each;
  std::vector<double> x, rhs;
  std::vector<int> mask;

  std::size_t at(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i * (n + 2) + j);
  }

  /// @brief Solves the equations of row i by elimination with pivoting.
  void relax(std::int64_t i) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<std::vector<double>> a(size, std::vector<double>(size + 1, 0));
    for (std::int64_t j = 1; j <= n; ++j) {
      const auto& c = each[at(i, j)];
      std::vector<double>& row = a[static_cast<std::size_t>(j - 1)];
      if (mask[at(i, j)] != 0) {
        row[static_cast<std::size_t>(j - 1)] = 1;
        row[size] = x[at(i, j)];
        continue;
      }
      row[static_cast<std::size_t>(j - 1)] = 1 - c.center;
      row[size] = c.rhs * rhs[at(i, j)] + c.up_left * x[at(i - 1, j - 1)] + c.up * x[at(i - 1, j)] +
                  c.up_right * x[at(i - 1, j + 1)] + c.down_left * x[at(i + 1, j - 1)] +
                  c.down * x[at(i + 1, j)] + c.down_right * x[at(i + 1, j + 1)];
      if (j > 1)
        row[static_cast<std::size_t>(j - 2)] = -c.left;
      else
        row[size] += c.left * x[at(i, 0)];
      if (j < n)
        row[static_cast<std::size_t>(j)] = -c.right;
      else
        row[size] += c.right * x[at(i, n + 1)];
    }
    for (std::size_t k = 0; k < size; ++k) {
      std::size_t pivot = k;
      for (std::size_t r = k + 1; r < std::min(size, k + 2); ++r)
        if (std::abs(a[r][k]) > std::abs(a[pivot][k])) pivot = r;
      std::swap(a[k], a[pivot]);
      for (std::size_t r = k + 1; r < std::min(size, k + 2); ++r) {
        const double factor = a[r][k] / a[k][k];
        for (std::size_t e = k; e <= size; ++e) a[r][e] -= factor * a[k][e];
      }
    }
    for (std::size_t k = size; k-- > 0;) {
      for (std::size_t e = k + 1; e < size; ++e) a[k][size] -= a[k][e] * a[e][size];
      a[k][size] /= a[k][k];
    }
    for (std::int64_t j = 1; j <= n; ++j) {
      const double center = each[at(i, j)].center;
      if (mask[at(i, j)] == 0)
        x[at(i, j)] =
            center * x[at(i, j)] + (1 - center) * a[static_cast<std::size_t>(j - 1)][size];
    }
  }

  void sweep(Relaxation relaxation, SweepOrder order) {
    std::vector<std::int64_t> rows;
    for (const std::int64_t first : {1, 2})
      for (std::int64_t i = first; i <= m; i += 2) rows.push_back(i);
    if (relaxation == Relaxation::Lines) std::sort(rows.begin(), rows.end());
    if (order != SweepOrder::Backward)
      for (const std::int64_t i : rows) relax(i);
    if (order != SweepOrder::Forward)
      for (auto i = rows.rbegin(); i != rows.rend(); ++i) relax(*i);
  }
};

template <class T>
class LineSOR : public testing::Test {};
TYPED_TEST_SUITE(LineSOR, FloatingPointTypes, );

struct LineCase {
  std::int64_t m, n;
  Relaxation relaxation;
  SweepOrder order;
  bool with_mask;
  Placement (*place)(std::int64_t, std::int64_t) = row_major;
};

/// @param c makes constant coefficients of a stencil
template <class T, class C>
void check_lines(const LineCase& given, const C& c, const NinePointCoefficients<double>& plain) {
  Random random;
  SCOPED_TRACE(std::to_string(given.m) + " x " + std::to_string(given.n) + ", " +
               (given.relaxation == Relaxation::Lines ? "lines, " : "zebra, ") +
               to_string(given.order) + (given.with_mask ? ", mask, " : ", ") + random.trace());
  PlainLines p{given.m, given.n, {}, {}, {}, {}};
  const auto size = static_cast<std::size_t>((p.m + 2) * (p.n + 2));
  p.each.assign(size, plain);
  p.mask.assign(size, 0);
  p.rhs.assign(size, nan<double>);
  p.x.resize(size);
  for (double& value : p.x) value = random.value<T>();
  for (std::int64_t i = 1; i <= p.m; ++i)
    for (std::int64_t j = 1; j <= p.n; ++j) {
      p.rhs[p.at(i, j)] = random.value<T>();
      if (given.with_mask) p.mask[p.at(i, j)] = random.integer(0, 4) == 0 ? 256 : 0;
    }
  const Placement place = given.place(p.m + 2, p.n + 2);
  const GuardedArray<T> x(place, std::vector<T>(p.x.begin(), p.x.end()));
  const GuardedArray<T> rhs(place, std::vector<T>(p.rhs.begin(), p.rhs.end()));
  const GuardedArray<int> mask(place, p.mask);
  const auto inputs = SORInputs().rhs(rhs.matrix());
  if (given.with_mask)
    sor_line_sweeps(Exec(), x.matrix(), c, 2, inputs.mask(mask.matrix()), given.relaxation,
                    given.order);
  else
    sor_line_sweeps(Exec(), x.matrix(), c, 2, inputs, given.relaxation, given.order);
  for (int k = 0; k < 2; ++k) p.sweep(given.relaxation, given.order);
  const std::vector<T> values = x.values();
  for (std::size_t e = 0; e < size; ++e)
    ASSERT_NEAR(values[e], p.x[e], 200 * std::numeric_limits<T>::epsilon()) << "element " << e;
  EXPECT_TRUE(x.guards_intact());
}

TYPED_TEST(LineSOR, SolvesRows) {
  using T = TypeParam;
  WantedCases wanted;
  const SORCoefficients<T> five{T(-0.25), T(0.5), T(0.125), T(0.5), T(0.0625), T(0.75)};
  const NinePointCoefficients<T> nine{T(0.25),   T(0.25),  T(-0.0625), T(0.125),  T(0.0625),
                                      T(0.3125), T(0.125), T(0.0625),  T(-0.125), T(0.5)};
  const auto plain = [](const auto& c) {
    NinePointCoefficients<double> all{};
    all.center = c.center, all.left = c.left, all.up = c.up, all.right = c.right, all.down = c.down;
    all.rhs = c.rhs;
    if constexpr (requires { c.up_left; }) {
      all.up_left = c.up_left, all.up_right = c.up_right;
      all.down_left = c.down_left, all.down_right = c.down_right;
    }
    return all;
  };
  for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {1, 40}, {40, 1}, {2, 3}, {7, 31}, {16, 33}, {5, 257}})
    for (const auto relaxation : {Relaxation::Lines, Relaxation::ZebraLines})
      for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
        for (const bool mask : {false, true}) {
          if (!wanted.next()) continue;
          check_lines<T>({m, n, relaxation, order, mask}, five, plain(five));
          check_lines<T>({m, n, relaxation, order, mask, column_major}, nine, plain(nine));
          if (this->HasFatalFailure()) return;
        }
}

/// Views of coefficients give what constants give.
TEST(LineSORCoefficients, MayVary) {
  const std::size_t m = 20, n = 33;
  const Kokkos::View<double**> x("x", m, n), y("y", m, n), side("side", m, n), b("b", m, n);
  Kokkos::deep_copy(side, 0.25);
  Kokkos::deep_copy(b, 3);
  const auto inputs = SORInputs().rhs(b);
  sor_line_sweeps(x, SORCoefficients<double>{0, 0.25, 0.25, 0.25, 0.25, 0.25}, 3, inputs);
  sor_line_sweeps(y,
                  VariableCoefficients<double>{
                      .left = side, .up = side, .right = 0.25, .down = side, .rhs = side},
                  3, inputs);
  const auto host_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  const auto host_y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) EXPECT_EQ(host_x(i, j), host_y(i, j));
  EXPECT_GT(host_x(m / 2, n / 2), 0);
}

/// -(100 u_xx + u_yy) = 1: sweeps over points hardly smooth along columns, lines converge.
TEST(LineSORAnisotropic, ConvergesWherePointsDoNot) {
  const std::size_t size = 66;
  const Kokkos::View<double**> b("b", size, size);
  Kokkos::deep_copy(b, 1);
  const double d = 202;
  const SORCoefficients<double> c{0, 100 / d, 1 / d, 100 / d, 1 / d, 1 / d};
  const auto inputs = SORInputs().rhs(b);
  const auto residual_after = [&](const auto& sweep) {
    const Kokkos::View<double**> x("x", size, size);
    const double initial = sor_residual(x, c, inputs);
    sweep(x);
    return sor_residual(x, c, inputs) / initial;
  };
  const double points = residual_after([&](const auto& x) { sor_sweeps(x, c, 20, inputs); });
  const double lines = residual_after([&](const auto& x) { sor_line_sweeps(x, c, 20, inputs); });
  const double zebra = residual_after(
      [&](const auto& x) { sor_line_sweeps(x, c, 20, inputs, Relaxation::ZebraLines); });
  EXPECT_GT(points, 0.5);
  EXPECT_LT(lines, 0.02);
  EXPECT_LT(zebra, 0.02);
}

TEST(LineSORErrors, Arguments) {
  const GuardedArray<double> x(row_major(5, 5), std::vector<double>(25, 1));
  EXPECT_TRUE(rejects("sor_line_sweeps", "count",
                      [&] { sor_line_sweeps(x.matrix(), poisson<double>(1, 1), -1); }));
  EXPECT_TRUE(rejects("sor_line_sweeps", "coefficients.center", [&] {
    sor_line_sweeps(x.matrix(), SORCoefficients<double>{1, 0, 0, 0, 0, 0}, 1);
  }));
  EXPECT_TRUE(rejects("sor_line_sweeps", "rhs", [&] {
    const Kokkos::View<double**, Exec::memory_space> b("b", 5, 6);
    sor_line_sweeps(x.matrix(), poisson<double>(1, 1), 1, SORInputs().rhs(b));
  }));
  EXPECT_EQ(x.values(), std::vector<double>(25, 1));
}

}  // namespace
}  // namespace wavescan::Test
