// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Array.hpp>
#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScanTest_SpecialNumbers.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScanTest_Types.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "Host.hpp"
#include "Reference.hpp"

/// @file
/// @brief The stencil of nine points: the bits of plain loops in all schedules, norms, and the
/// equations that have it.

namespace wavescan::Test {
namespace {

/// @brief SOR with nine points as plain loops. Coefficients are those of every entry, ten of them.
template <class T>
struct PlainNine {
  static constexpr std::array members{
      &NinePointCoefficients<T>::center,     &NinePointCoefficients<T>::left,
      &NinePointCoefficients<T>::up_right,   &NinePointCoefficients<T>::up,
      &NinePointCoefficients<T>::up_left,    &NinePointCoefficients<T>::right,
      &NinePointCoefficients<T>::down_left,  &NinePointCoefficients<T>::down,
      &NinePointCoefficients<T>::down_right, &NinePointCoefficients<T>::rhs};

  std::int64_t m, n;
  bool varies;
  std::vector<NinePointCoefficients<T>> each;
  std::vector<T> x;
  std::vector<T> rhs{};
  std::vector<int> mask{};

  std::size_t at(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i * (n + 2) + j);
  }
  bool fixed(std::int64_t i, std::int64_t j) const { return !mask.empty() && mask[at(i, j)] != 0; }

  /// @param d 1 forward, -1 backward: the way rows and columns go
  void relax(std::int64_t i, std::int64_t j, std::int64_t d) {
    if (fixed(i, j)) return;
    const auto& c = each[at(i, j)];
    const bool f = d > 0;
    T s = rhs.empty() ? c.center * x[at(i, j)]
                      : plain_multiply_add(c.center, x[at(i, j)], c.rhs * rhs[at(i, j)]);
    const auto add = [&](T weight, std::int64_t down, std::int64_t right) {
      s = plain_multiply_add(weight, x[at(i + d * down, j + d * right)], s);
    };
    add(f ? c.right : c.left, 0, 1);
    add(f ? c.down_left : c.up_right, 1, -1);
    add(f ? c.down : c.up, 1, 0);
    add(f ? c.down_right : c.up_left, 1, 1);
    add(f ? c.up_left : c.down_right, -1, -1);
    add(f ? c.up : c.down, -1, 0);
    add(f ? c.up_right : c.down_left, -1, 1);
    const T last = f ? c.left : c.right;
    if (!(varies && last == T(0))) add(last, 0, -1);
    x[at(i, j)] = s;
  }
  void sweep(SweepOrder order, int count) {
    for (int k = 0; k < count; ++k) {
      if (order != SweepOrder::Backward)
        for (std::int64_t i = 1; i <= m; ++i)
          for (std::int64_t j = 1; j <= n; ++j) relax(i, j, 1);
      if (order != SweepOrder::Forward)
        for (std::int64_t i = m; i >= 1; --i)
          for (std::int64_t j = n; j >= 1; --j) relax(i, j, -1);
    }
  }
  /// @brief The root mean square of b - A x.
  double residual() const {
    long double squares = 0;
    std::int64_t points = 0;
    for (std::int64_t i = 1; i <= m; ++i)
      for (std::int64_t j = 1; j <= n; ++j) {
        if (fixed(i, j)) continue;
        const auto& c = each[at(i, j)];
        long double sum = (static_cast<long double>(c.center) - 1) * x[at(i, j)];
        const std::array weights{c.up_left, c.up,        c.up_right, c.left,      T(0),
                                 c.right,   c.down_left, c.down,     c.down_right};
        for (int k = 0; k < 9; ++k)
          if (k != 4)
            sum += static_cast<long double>(weights[static_cast<std::size_t>(k)]) *
                   x[at(i + k / 3 - 1, j + k % 3 - 1)];
        const long double r = (rhs.empty() ? 0.0L : rhs[at(i, j)]) + sum / c.rhs;
        squares += r * r;
        ++points;
      }
    return static_cast<double>(std::sqrt(squares / static_cast<long double>(points)));
  }
};

template <class T>
NinePointCoefficients<T> nine_different() {
  return {T(0.15), T(0.2), T(-0.05), T(-0.2), T(0.1), T(0.12), T(-0.07), T(0.25), T(0.06), T(0.7)};
}

/// @brief Random numbers, NaN in the halo of the right-hand side and wherever coefficients are not
/// read; now and then a coefficient is zero.
template <class T>
PlainNine<T> random_nine(std::int64_t m, std::int64_t n, bool varies, bool with_rhs, bool with_mask,
                         Random& random) {
  const auto size = static_cast<std::size_t>((m + 2) * (n + 2));
  PlainNine<T> p{m, n, varies, {}, {}};
  p.each.assign(size, nine_different<T>());
  p.x.resize(size);
  for (T& value : p.x) value = random.value<T>();
  if (with_rhs) p.rhs.assign(size, nan<T>);
  if (with_mask) {
    p.mask.assign(size, 0);
    for (int& entry : p.mask) entry = random.integer(0, 4) == 0 ? 256 : 0;
  }
  for (std::int64_t i = 1; i <= m; ++i)
    for (std::int64_t j = 1; j <= n; ++j) {
      if (with_rhs) p.rhs[p.at(i, j)] = random.value<T>();
      if (varies)
        for (const auto member : PlainNine<T>::members) {
          T& value = p.each[p.at(i, j)].*member;
          value *= p.fixed(i, j) ? nan<T> : 1 + T(0.2) * random.value<T>();
          if (member == &NinePointCoefficients<T>::left && random.integer(0, 9) == 0) value = 0;
        }
    }
  return p;
}

/// @brief Calls use(coefficients, inputs) with what a problem has, in device memory.
template <class T, class Use>
void call_on_device(const PlainNine<T>& p, const Placement& place, const Use& use) {
  const auto with_mask = [&](const auto& coefficients, const auto& inputs) {
    if (p.mask.empty()) return use(coefficients, inputs);
    const GuardedArray<int> mask(place, p.mask);
    use(coefficients, inputs.mask(mask.matrix()));
    Kokkos::fence();
  };
  const auto with_rhs = [&](const auto& coefficients) {
    if (p.rhs.empty()) return with_mask(coefficients, SORInputs());
    const GuardedArray<T> rhs(place, p.rhs);
    with_mask(coefficients, SORInputs().rhs(rhs.matrix()));
  };
  if (!p.varies) return with_rhs(nine_different<T>());
  std::vector<std::unique_ptr<GuardedArray<T>>> arrays;
  for (const auto member : PlainNine<T>::members) {
    std::vector<T> values;
    for (const auto& c : p.each) values.push_back(c.*member);
    arrays.push_back(std::make_unique<GuardedArray<T>>(place, values));
  }
  const auto field = [&](std::size_t k) {
    return SORCoefficient<T, Exec::memory_space>(arrays[k]->matrix());
  };
  with_rhs(VariableNinePointCoefficients<T, Exec::memory_space>{
      field(0), field(1), field(2), field(3), field(4), field(5), field(6), field(7), field(8),
      field(9)});
}

struct NineCase {
  std::int64_t m, n;
  SweepOrder order;
  Schedule schedule = Schedule::Auto;
  Placement (*place)(std::int64_t, std::int64_t) = row_major;
  bool varies = false, with_rhs = false, with_mask = false;
};

/// @brief Calls for a problem: sweeps in place and to another array, and the residual.
struct NineCalls {
  std::function<void(int)> sweep, sweep_elsewhere;
  std::function<double()> residual;
};

template <class T>
void check_nine(const NineCase& c) {
  Random random;
  SCOPED_TRACE(std::to_string(c.m) + " x " + std::to_string(c.n) + ", " + to_string(c.order) +
               ", " + to_string(c.schedule) + (c.varies ? ", variable" : "") +
               (c.with_rhs ? ", rhs" : "") + (c.with_mask ? ", mask" : "") + ", " + random.trace());
  auto p = random_nine<T>(c.m, c.n, c.varies, c.with_rhs, c.with_mask, random);
  const Placement place = c.place(c.m + 2, c.n + 2);
  const GuardedArray<T> x(place, p.x);
  const GuardedArray<T> to(place);
  const auto plan =
      SOR<Exec, T>::like(Exec(), x.matrix(), {.order = c.order, .schedule = c.schedule});
  // What follows is compiled once, and only the calls for each kind of inputs.
  const auto check_calls = [&](const NineCalls& calls) {
    for (const int count : {1, 3}) {
      calls.sweep(count);
      p.sweep(c.order, count);
      ASSERT_TRUE(same_bits(x.values(), p.x)) << "after " << count << " sweeps";
    }
    const double residual = p.residual();
    ASSERT_NEAR(calls.residual(), residual, 1e-12 * residual);
    calls.sweep_elsewhere(2);
    p.sweep(c.order, 2);
    ASSERT_TRUE(same_bits(to.values(), p.x)) << "from one array to another";
  };
  call_on_device(p, place, [&](const auto& coefficients, const auto& inputs) {
    check_calls(
        {[&](int count) { plan.sweeps(x.matrix(), coefficients, count, inputs); },
         [&](int count) { plan.sweeps(x.matrix(), to.matrix(), coefficients, count, inputs); },
         [&] { return sor_residual(Exec(), x.matrix(), coefficients, inputs); }});
  });
  EXPECT_TRUE(x.guards_intact());
  EXPECT_TRUE(to.guards_intact());
}

template <class T>
class SORNinePoints : public testing::Test {};
TYPED_TEST_SUITE(SORNinePoints, FloatingPointTypes, );

TYPED_TEST(SORNinePoints, OrdersLayoutsAndInputs) {
  WantedCases wanted;
  for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
    for (auto* const place : {row_major, column_major, spread})
      for (const bool varies : {false, true})
        for (const bool rhs : {false, true})
          for (const bool mask : {false, true}) {
            if (!wanted.next()) continue;
            check_nine<TypeParam>({37, 53, order, Schedule::Auto, place, varies, rhs, mask});
            if (this->HasFatalFailure()) return;
          }
}

TYPED_TEST(SORNinePoints, Shapes) {
  for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {1, 300}, {300, 1}, {2, 2}, {31, 33}, {64, 130}, {3, 3000}, {129, 257}})
    for (const Schedule schedule : exact_schedules)
      for (const bool varies : {false, true}) {
        check_nine<TypeParam>(
            {m, n, SweepOrder::Forward, schedule, row_major, varies, true, varies});
        if (this->HasFatalFailure()) return;
      }
}

/// @brief A problem as the host's passes know it, of two types: with constants and no mask, or with
/// fields, fixed points or not. What else users give becomes one of these (see check_nine).
template <class T>
class HostNine {
 public:
  HostNine(const PlainNine<T>& p, const GuardedArray<T>& x, const Placement& place)
      : x_(x), place_(place) {
    if (!p.rhs.empty()) rhs_ = field_of(p.rhs);
    if (!p.mask.empty()) mask_ = std::make_unique<GuardedArray<int>>(place, p.mask);
    EXPECT_TRUE(p.varies || !mask_);
    for (std::size_t k = 0; k < fields_.size() && p.varies; ++k) {
      std::vector<T> values;
      for (const auto& each : p.each) values.push_back(each.*PlainNine<T>::members[k]);
      fields_[k] = {field_of(values), T(0)};
    }
  }
  template <class Use>
  bool call(const Use& use) const {
    const auto& c = fields_;
    if (!c[0].values.data)
      return use(
          Impl::sor::Problem<T, NinePointCoefficients<T>>{nine_different<T>(), grid(x_), rhs_});
    return use(Impl::sor::Problem<T, NinePointCoefficients<Impl::sor::CoefficientField<T>>,
                                  Impl::sor::FixedPoints>{
        {c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9]},
        grid(x_),
        rhs_,
        mask_ ? Impl::sor::FixedPoints::of(grid(*mask_)) : Impl::sor::FixedPoints{}});
  }

 private:
  template <class U>
  static Grid<U> grid(const GuardedArray<U>& array) {
    return grid_of(array.matrix());
  }
  Grid<const T> field_of(const std::vector<T>& values) {
    arrays_.push_back(std::make_unique<GuardedArray<T>>(place_, values));
    return Impl::sor::read_only(grid(*arrays_.back()));
  }

  const GuardedArray<T>& x_;
  Placement place_;
  std::array<Impl::sor::CoefficientField<T>, 10> fields_{};
  std::vector<std::unique_ptr<GuardedArray<T>>> arrays_;
  std::unique_ptr<GuardedArray<int>> mask_;
  Grid<const T> rhs_{};
};

/// @brief A host's passes, for each set of instructions, where nothing else is chosen: around the
/// lanes of a register and the blocks of steps.
class SORNinePointsOnHost : public HostTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, SORNinePointsOnHost, testing::ValuesIn(HostTest::kinds()),
                         HostTest::name);

template <class K>
void check_passes(std::int64_t m, std::int64_t n, SweepOrder order, bool varies) {
  using T = typename K::value_type;
  Random random;
  SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + ", " + to_string(order) +
               (varies ? ", variable, " : ", ") + random.trace());
  auto p = random_nine<T>(m, n, varies, m % 2 == 1, varies && n % 2 == 1, random);
  const Placement place = row_major(m + 2, n + 2);
  const GuardedArray<T> x(place, p.x);
  Impl::sor::HostSweeps<Exec, T, typename K::most> sor(Exec(), m + 2, n + 2);
  sor.choose = false;
  HostNine<T> given(p, x, place);
  for (const int count : {1, 2, 4, 7}) {
    ASSERT_TRUE(given.call([&](const auto& problem) {
      return run_sweeps(sor, Exec(), problem, problem.x,
                        {count, order != SweepOrder::Backward, order != SweepOrder::Forward});
    }));
    Exec().fence();
    p.sweep(order, count);
    ASSERT_TRUE(same_bits(x.values(), p.x)) << "after " << count << " sweeps";
  }
  ASSERT_TRUE(x.guards_intact());
}

TEST_P(SORNinePointsOnHost, Passes) {
  if constexpr (Impl::runs_on_host<Exec>) {
    WantedCases wanted;
    for (const std::int64_t m : {1, 2, 7, 16, 17, 67})
      for (const std::int64_t n : {1, 2, 5, 31, 48, 101})
        for (const auto order : {SweepOrder::Forward, SweepOrder::Backward, SweepOrder::Symmetric})
          for (const bool varies : {false, true}) {
            if (!wanted.next()) continue;
            with_kind(GetParam(),
                      [&](auto kind) { check_passes<decltype(kind)>(m, n, order, varies); });
            if (HasFatalFailure()) return;
          }
  } else {
    GTEST_SKIP() << "sweeps of the default execution space run on a device";
  }
}

/// A solve's bits are those of as many sweeps, and its residual is that of x.
TYPED_TEST(SORNinePoints, Solves) {
  using T = TypeParam;
  for (const Criterion criterion : {Criterion::Residual, Criterion::Update})
    for (const bool with_mask : {false, true}) {
      Random random;
      SCOPED_TRACE(random.trace());
      auto p = random_nine<T>(40, 51, false, true, with_mask, random);
      p.each.assign(p.x.size(), compact_poisson<T>(1.4, 1));
      const Placement place = row_major(42, 53);
      const GuardedArray<T> x(place, p.x);
      const GuardedArray<T> rhs(place, p.rhs);
      const auto solve = [&](const auto& inputs) {
        return sor_solve(Exec(), x.matrix(), compact_poisson<T>(1.4, 1), inputs,
                         {.max_sweeps = 11, .check_every = 4, .criterion = criterion});
      };
      SolveReport report;
      if (with_mask) {
        const GuardedArray<int> mask(place, p.mask);
        report = solve(SORInputs().rhs(rhs.matrix()).mask(mask.matrix()));
      } else {
        report = solve(SORInputs().rhs(rhs.matrix()));
      }
      EXPECT_EQ(report.sweeps, 11) << report.to_string();
      p.sweep(SweepOrder::Forward, 11);
      EXPECT_TRUE(same_bits(x.values(), p.x));
      if (criterion == Criterion::Residual) {
        EXPECT_NEAR(report.final_residual, p.residual(), 1e-11 * p.residual());
      }
    }
}

/// @brief The largest error of -Laplace(u) = f on the unit square, u = sin(2 pi x) sin(3 pi y).
template <class C>
double poisson_error(int n, const C& coefficients, bool compact) {
  using std::numbers::pi;
  const double h = 1.0 / (n + 1);
  const auto size = static_cast<std::size_t>(n + 2);
  const Kokkos::View<double**> x("x", size, size), b("b", size, size);
  const auto host_b = Kokkos::create_mirror_view(b);
  const auto u = [&](int i, int j) { return std::sin(2 * pi * j * h) * std::sin(3 * pi * i * h); };
  // f = 13 pi^2 u, and Laplace(f) = -13 pi^2 f
  const double factor = 13 * pi * pi * (compact ? 1 - h * h / 12 * 13 * pi * pi : 1);
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= n; ++j) host_b(i, j) = factor * u(i, j);
  Kokkos::deep_copy(b, host_b);
  const auto report =
      sor_solve(x, coefficients, SORInputs().rhs(b),
                {.relative_tolerance = 1e-10, .max_sweeps = 4000, .check_every = 20});
  EXPECT_TRUE(report.converged()) << report.to_string();
  const auto host_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  double error = 0;
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= n; ++j) error = std::max(error, std::abs(host_x(i, j) - u(i, j)));
  return error;
}

TEST(SORCompactPoisson, IsOfFourthOrder) {
  const auto error = [](int n) {
    return poisson_error(n, compact_poisson<double>(optimal_omega(n, n), 1.0 / (n + 1)), true);
  };
  const double coarse = error(15), fine = error(31);
  EXPECT_GT(coarse / fine, 14);
  EXPECT_LT(coarse / fine, 18);
  const double five = poisson_error(31, poisson<double>(optimal_omega(31, 31), 1.0 / 32), false);
  EXPECT_LT(20 * fine, five);
}

/// -(K_xx u_xx + 2 K_xy u_xy + K_yy u_yy) of a quadratic u is exact.
TEST(SORAnisotropicDiffusion, HasTheMixedDerivative) {
  const DiffusionTensor k{2, -0.9, 0.7};
  const double h = 0.125;
  const std::size_t size = 12;
  const Kokkos::View<double**> x("x", size, size), b("b", size, size);
  const auto host = Kokkos::create_mirror_view(x);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      const double s = static_cast<double>(j) * h, t = static_cast<double>(i) * h;
      host(i, j) = 3 * s * s + 5 * s * t - 2 * t * t + s - t;
    }
  Kokkos::deep_copy(x, host);
  Kokkos::deep_copy(b, -(2 * 6 + 2 * -0.9 * 5 + 0.7 * -4));
  EXPECT_LT(sor_residual(x, anisotropic_diffusion<double>(1.3, h, k), SORInputs().rhs(b),
                         ResidualNorm::Maximum),
            1e-11);
}

TEST(SORNinePointErrors, Arguments) {
  for (const double omega : {0.0, 2.0}) {
    EXPECT_TRUE(rejects("compact_poisson", "omega", [&] { compact_poisson<double>(omega, 1); }));
    EXPECT_TRUE(rejects("anisotropic_diffusion", "omega", [&] {
      anisotropic_diffusion<double>(omega, 1, {1, 0, 1});
    }));
  }
  EXPECT_TRUE(rejects("compact_poisson", "h", [] { compact_poisson<float>(1, 0); }));
  EXPECT_TRUE(rejects("anisotropic_diffusion", "h", [] {
    anisotropic_diffusion<double>(1, nan<double>, {1, 0, 1});
  }));
  EXPECT_EQ(error_of([] {
              anisotropic_diffusion<double>(1, 1, {1, 1.5, 2});
            }),
            "WaveScan::anisotropic_diffusion: argument 'k' must be positive definite, got xx = 1, "
            "xy = 1.5, yy = 2");
  const GuardedArray<double> x(row_major(5, 5), std::vector<double>(25, 1));
  auto c = compact_poisson<double>(1, 1);
  c.down_left = nan<double>;
  EXPECT_TRUE(
      rejects("sor_sweeps", "coefficients.down_left", [&] { sor_sweeps(x.matrix(), c, 1); }));
  VariableNinePointCoefficients<double, Exec::memory_space> fields{.center = 0.5};
  fields.up_left = x.matrix();
  EXPECT_TRUE(rejects("sor_sweeps", "x", [&] { sor_sweeps(x.matrix(), fields, 1); }));
  const GuardedArray<double> corner(row_major(5, 5), std::vector<double>(25, nan<double>));
  fields.up_left = corner.matrix();
  EXPECT_EQ(error_of([&] { check_coefficients(Exec(), x.matrix(), fields); }),
            "WaveScan::check_coefficients: argument 'coefficients.up_left' must be finite, got NaN "
            "or infinity at the point (1, 1)");
  EXPECT_TRUE(rejects("sor_solve", "coefficients.center", [&] {
    sor_solve(x.matrix(), NinePointCoefficients<double>{1, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  }));
  EXPECT_EQ(x.values(), std::vector<double>(25, 1));
}

}  // namespace
}  // namespace wavescan::Test
