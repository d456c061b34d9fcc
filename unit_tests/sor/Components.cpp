// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <impl/sor/WaveScan_Components.hpp>
#include <impl/sor/WaveScan_SolveIteration.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <WaveScanTest_Types.hpp>
#include "Exact.hpp"

// Solves that visit the unknowns between fixed points only, component by component, as GPUs do:
// the bits of the plain loop and its norms, for all shapes of components. Hosts run the same code.

namespace wavescan::Test {
namespace {

template <class T>
class SORComponents : public testing::Test {};
TYPED_TEST_SUITE(SORComponents, FloatingPointTypes, );

enum class Shape { One, Rows, Spots, Spiral, Blocks, Comb };
constexpr Shape shapes[] = {Shape::One,    Shape::Rows,   Shape::Spots,
                            Shape::Spiral, Shape::Blocks, Shape::Comb};

bool is_unknown(Shape shape, std::int64_t i, std::int64_t j, std::int64_t m, std::int64_t n,
                Random& random) {
  const std::int64_t ring = std::min({i, j, m + 1 - i, n + 1 - j});
  switch (shape) {
    case Shape::One:
      return i == (m + 1) / 2 && j == (n + 1) / 2;
    case Shape::Rows:
      return i % 5 == 3;
    case Shape::Spots:
      return random.integer(0, 5) == 0;
    case Shape::Spiral:  // rings that hang together, every fifth
      return ring % 5 == 1 || (i == j && i < m / 2);
    case Shape::Blocks:
      return i % 16 > 11 && j % 13 > 6;
    case Shape::Comb:  // joined at its end only
      return i == m || j % 6 == 2;
  }
  return false;
}

template <class T>
PlainSOR<T> problem(Shape shape, std::int64_t m, std::int64_t n, bool with_rhs, bool varies,
                    Random& random) {
  PlainSOR<T> p = random_sor<T>(m, n, five_different<T>(), with_rhs, false, random);
  p.mask.assign(p.size(), 1);
  for (std::int64_t i = 0; i < m + 2; ++i)
    for (std::int64_t j = 0; j < n + 2; ++j)
      if (is_unknown(shape, i, j, m, n, random)) p.mask[p.at(i, j)] = 0;
  if (varies) vary_coefficients(p, random);
  return p;
}

/// @brief Those that do not ask what is quicker.
template <class T>
Impl::sor::Components<Exec, T> any_components() {
  Impl::sor::Components<Exec, T> components;
  components.choose = false;
  return components;
}

template <class T, class Problem>
SolveReport solve(const Impl::sor::Components<Exec, T>& components, const Problem& problem,
                  const SolveControl& control, SweepOrder order, bool restores = true) {
  const Exec exec;
  Impl::sor::ComponentIteration iteration(exec, components, problem, control,
                                          order != SweepOrder::Backward,
                                          order != SweepOrder::Forward, restores);
  const SolveReport report = Impl::sor::Solver(iteration, control).run();
  exec.fence();
  return report;
}

/// @brief What the last pass has changed.
template <class T>
double last_update(PlainSOR<T> p, SweepOrder order, int sweeps) {
  sweep_serially(p, order, sweeps - 1);
  if (order == SweepOrder::Symmetric) p.forward_pass();
  const std::vector<T> before = p.x;
  order == SweepOrder::Forward ? p.forward_pass() : p.backward_pass();
  double squares = 0, points = 0;
  for (std::size_t k = 0; k < before.size(); ++k)
    if (p.mask[k] == 0) {
      squares += std::pow(double(p.x[k]) - double(before[k]), 2);
      points += 1;
    }
  return std::sqrt(squares / points);
}

/// @brief Halos may be unknown by the mask, but are not.
template <class T>
void check(PlainSOR<T> p, SweepOrder order, Placement (*place_of)(std::int64_t, std::int64_t)) {
  const Placement place = place_of(p.m + 2, p.n + 2);
  const GuardedArray<T> x(place, p.x);
  const auto components = any_components<T>();
  for (std::int64_t i = 0; i < p.m + 2; ++i) p.mask[p.at(i, 0)] = p.mask[p.at(i, p.n + 1)] = 1;
  for (std::int64_t j = 0; j < p.n + 2; ++j) p.mask[p.at(0, j)] = p.mask[p.at(p.m + 1, j)] = 1;
  const GuardedArray<int> mask(place, p.mask);
  const GuardedArray<T> rhs(place, p.rhs.empty() ? p.x : p.rhs);
  with_coefficients(p, place, [&](const auto& c) {
    const auto check_solves = [&](const auto& inputs) {
      const auto problem = Impl::sor::make_problem<Exec>("test", "x", x.matrix(), c, inputs);
      for (const auto criterion : {Criterion::Residual, Criterion::Update}) {
        ASSERT_TRUE(components.find(Exec(), problem, 4, order == SweepOrder::Symmetric));
        const PlainSOR<T> start = p;
        const SolveReport report = solve<T>(
            components, problem,
            {.tolerance = 0, .max_sweeps = 9, .check_every = 4, .criterion = criterion}, order);
        ASSERT_TRUE(report.sweeps == 9 || report.final_residual == 0) << report.to_string();
        sweep_serially(p, order, report.sweeps);
        ASSERT_TRUE(same_bits(x.values(), p.x));
        const double expected = criterion == Criterion::Residual
                                    ? p.residual()
                                    : last_update(start, order, report.sweeps);
        ASSERT_NEAR(report.final_residual, expected, 1e-9 * expected + 1e-14);
      }
    };
    const auto inputs = SORInputs().mask(mask.matrix());
    p.rhs.empty() ? check_solves(inputs) : check_solves(inputs.rhs(rhs.matrix()));
  });
  ASSERT_TRUE(x.guards_intact());
}

TYPED_TEST(SORComponents, GiveTheBitsOfTheLoop) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const Shape shape : shapes)
    for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
      for (const auto place : {row_major, column_major, spread}) {
        const bool with_rhs = place != spread,
                   varies = (place == column_major) != (shape == Shape::Comb);
        check<TypeParam>(problem<TypeParam>(shape, 41, 67, with_rhs, varies, random), order, place);
        if (this->HasFatalFailure()) return;
      }
}

TYPED_TEST(SORComponents, OfLongAndLargeArrays) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [m, n] : {Extents{1, 9000}, Extents{9000, 1}, Extents{700, 900}}) {
    check<TypeParam>(problem<TypeParam>(Shape::Spots, m, n, true, false, random),
                     SweepOrder::Forward, row_major);
    if (this->HasFatalFailure()) return;
  }
}

TEST(SORComponentSearch, FindsWhatHangsTogether) {
  // Three components: four points around a corner, a pair, and one.
  const std::vector<const char*> picture = {"..........", ".##....#..", ".#........",
                                            ".#......#.", "........#.", ".........."};
  PlainSOR<double> p(4, 8, five_different<double>());
  p.mask.assign(p.size(), 1);
  for (std::int64_t i = 1; i <= 4; ++i)
    for (std::int64_t j = 1; j <= 8; ++j)
      if (picture[std::size_t(i)][std::size_t(j)] == '#') p.mask[p.at(i, j)] = 0;
  const GuardedArray<double> x(row_major(6, 10), p.x);
  const GuardedArray<int> mask(row_major(6, 10), p.mask);
  const auto components = any_components<double>();
  const auto problem =
      Impl::sor::make_problem<Exec>("test", "x", x.matrix(), p.c, SORInputs().mask(mask.matrix()));
  ASSERT_TRUE(components.find(Exec(), problem, 1, false));
  EXPECT_EQ(components.found().unknowns, 7);
  EXPECT_EQ(components.found().levels, 3);
}

TEST(SORComponentSearch, LeavesAloneWhatIsNotSparse) {
  PlainSOR<double> p(8, 8, five_different<double>());
  const auto found_with = [&](int unknown_rows) {
    p.mask.assign(p.size(), 1);
    for (std::int64_t i = 1; i <= unknown_rows; ++i)
      for (std::int64_t j = 1; j <= 8; ++j) p.mask[p.at(i, j)] = 0;
    const GuardedArray<double> x(row_major(10, 10), p.x);
    const GuardedArray<int> mask(row_major(10, 10), p.mask);
    const auto components = any_components<double>();
    return components.find(Exec(),
                           Impl::sor::make_problem<Exec>("test", "x", x.matrix(), p.c,
                                                         SORInputs().mask(mask.matrix())),
                           10, false);
  };
  EXPECT_FALSE(found_with(0));
  EXPECT_TRUE(found_with(1));
  EXPECT_TRUE(found_with(2));
  EXPECT_FALSE(found_with(3));
}

TEST(SORComponentSearch, LeavesAloneWhatIsTooDeep) {
  PlainSOR<double> p(300, 300, five_different<double>());
  p.mask.assign(p.size(), 1);
  for (std::int64_t j = 1; j <= 300; ++j) p.mask[p.at(7, j)] = 0;
  const GuardedArray<double> x(row_major(302, 302), p.x);
  const GuardedArray<int> mask(row_major(302, 302), p.mask);
  const auto problem =
      Impl::sor::make_problem<Exec>("test", "x", x.matrix(), p.c, SORInputs().mask(mask.matrix()));
  const Impl::sor::Components<Exec, double> components;
  EXPECT_TRUE(components.find(Exec(), problem, 100, false));
  EXPECT_EQ(components.found().levels, 300);
  EXPECT_FALSE(components.find(Exec(), problem, 1, false)) << "a step for each level";
  EXPECT_FALSE(components.find(Exec(), problem, 100, true)) << "in each pass";
}

TEST(SORComponentSolves, ScaleSquaresThatADoubleCannotHold) {
  Random random;
  SCOPED_TRACE(random.trace());
  const auto p = problem<double>(Shape::Blocks, 40, 40, true, false, random);
  const GuardedArray<int> mask(row_major(42, 42), p.mask);
  const auto norm = [&](Criterion criterion, double scale) {
    PlainSOR<double> q = p;
    for (auto* numbers : {&q.x, &q.rhs})
      for (double& number : *numbers) number *= scale;
    const GuardedArray<double> x(row_major(42, 42), q.x), rhs(row_major(42, 42), q.rhs);
    const auto problem = Impl::sor::make_problem<Exec>(
        "test", "x", x.matrix(), q.c, SORInputs().rhs(rhs.matrix()).mask(mask.matrix()));
    const auto components = any_components<double>();
    EXPECT_TRUE(components.find(Exec(), problem, 1, false));
    return solve<double>(components, problem,
                         {.tolerance = 0, .max_sweeps = 3, .criterion = criterion},
                         SweepOrder::Forward)
               .final_residual /
           scale;
  };
  for (const auto criterion : {Criterion::Residual, Criterion::Update})
    for (const double scale : {0x1p-565, 0x1p530})
      EXPECT_NEAR(norm(criterion, scale) / norm(criterion, 1), 1, 1e-14);
}

TEST(SORComponentSolves, UndoWhatDiverges) {
  Random random;
  SCOPED_TRACE(random.trace());
  auto p = problem<double>(Shape::Blocks, 40, 40, false, false, random);
  p.c.center = 3;
  for (const bool restores : {true, false}) {
    const GuardedArray<double> x(row_major(42, 42), p.x);
    const GuardedArray<int> mask(row_major(42, 42), p.mask);
    const auto problem = Impl::sor::make_problem<Exec>("test", "x", x.matrix(), p.c,
                                                       SORInputs().mask(mask.matrix()));
    const auto components = any_components<double>();
    ASSERT_TRUE(components.find(Exec(), problem, 5, false));
    const SolveReport report =
        solve<double>(components, problem, {.check_every = 5, .divergence_factor = 1e4},
                      SweepOrder::Forward, restores);
    EXPECT_EQ(report.reason, StopReason::Diverged) << report.to_string();
    PlainSOR<double> expected = p;
    sweep_serially(expected, SweepOrder::Forward, report.sweeps);
    EXPECT_TRUE(same_bits(x.values(), expected.x)) << report.to_string();
    EXPECT_EQ(report.sweeps % 5, 0);
  }
}

}  // namespace
}  // namespace wavescan::Test
