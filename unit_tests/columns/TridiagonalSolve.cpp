// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Reference.hpp"

#include <WaveScan_ScanOptions.hpp>
#include <WaveScan_TridiagonalSolve.hpp>

#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScanTest_Types.hpp>

#include <gtest/gtest.h>

#include <impl/columns/WaveScan_Elimination.hpp>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace columns_tridiagonal_solve {

using namespace columns;
using namespace wavescan;

void expect_error(const std::string& part, const auto& call) {
  const std::string message = wavescan::Test::error_of(call);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

template <class T>
class TridiagonalSolve : public testing::Test {};
TYPED_TEST_SUITE(TridiagonalSolve, wavescan::Test::FloatingPointTypes);

TYPED_TEST(TridiagonalSolve, SolvesOneSystem) {
  using T = TypeParam;
  for (const std::int64_t n : {0, 1, 2, 257, 1000, 4096, 4097, 100003, 1300021}) {
    SCOPED_TRACE("size " + std::to_string(n));
    const System<T> s(n, 41);
    const auto d = to_device(s.d);
    const Kokkos::View<T*> x("x", d.size());
    Kokkos::deep_copy(x, std::numeric_limits<T>::quiet_NaN());
    tridiagonal_solve(to_device(s.a), to_device(s.b), to_device(s.c), d, x);
    expect_view_near(x, s, "apart");
    tridiagonal_solve(to_device(s.a), to_device(s.b), to_device(s.c), d, d);
    expect_view_near(d, s, "in place");
    // By scans, on hosts too, which have no need of them.
    if (n == 0) continue;
    const auto a = to_device(s.a), b = to_device(s.b), c = to_device(s.c), right = to_device(s.d);
    const auto lines = [](const Kokkos::View<T*>& v) {
      return Impl::Lines<const T>{v.data(), 0, 1};
    };
    Impl::columns::solve_by_scans(
        Kokkos::DefaultExecutionSpace(),
        Impl::columns::Systems<T>{
            {lines(a), lines(b), lines(c)}, lines(right), {x.data(), 0, 1}, {1, n}});
    Kokkos::fence();
    expect_view_near(x, s, "scans");
  }
}

/// Maps of rows, joined in halves, take a state to where steps do, which eliminate.
TYPED_TEST(TridiagonalSolve, EliminatesByMaps) {
  using T = TypeParam;
  using Model = Impl::columns::EliminationModel<T>;
  const std::size_t n = 1000;
  const System<T> s(std::int64_t(n), 7);
  typename Model::State state = Model::begin(0, 0);
  typename Model::Map halves[2] = {Model::Map::identity(), Model::Map::identity()};
  long double ratio = 0, y = 0;
  for (std::size_t i = 0; i < n; ++i) {
    T in[4] = {s.d[i], s.b[i], s.a[i], s.c[i]};
    Model::mend_ends(in, i == 0, i + 1 == n);
    const long double pivot = in[1] - in[2] * ratio;
    y = (in[0] - in[2] * y) / pivot;
    ratio = in[3] / pivot;
    Model::push(halves[2 * i / n], in);
    Model::step(state, in);
    ASSERT_NEAR(in[0], static_cast<double>(y), 1e3 * std::numeric_limits<T>::epsilon()) << i;
    ASSERT_NEAR(in[1], static_cast<double>(-ratio), 1e3 * std::numeric_limits<T>::epsilon()) << i;
  }
  const auto after = halves[1].after(halves[0]).after(Model::begin(0, 0));
  EXPECT_NEAR(after.z / after.p, static_cast<double>(y), 1e3 * std::numeric_limits<T>::epsilon());
  // A line's beginning leads to one state, whatever was before.
  const auto constant = halves[1].after(halves[0].after(Model::Map::constant(Model::begin(0, 0))));
  const auto value = constant.value(), again = constant.after(typename Model::State{3, -2, 5});
  EXPECT_NEAR(value.z / value.p, static_cast<double>(y), 1e3 * std::numeric_limits<T>::epsilon());
  EXPECT_NEAR(again.z / again.p, static_cast<double>(y), 1e3 * std::numeric_limits<T>::epsilon());
}

/// Systems of all kinds in Views of any layout, apart from x and in place.
template <class T, class Layout>
void solve_many(std::size_t lines, std::size_t n, int axis, bool cyclic, bool transposed) {
  SCOPED_TRACE(std::to_string(lines) + " systems of " + std::to_string(n) + ", axis " +
               std::to_string(axis) + (cyclic ? ", cyclic" : "") +
               (transposed ? ", transposed" : ""));
  using View = Kokkos::View<T**, Layout>;
  const auto systems = many_systems<T>(lines, n, cyclic, transposed);
  // One system more lies between the rows, so that these are not dense.
  const auto part = [&](const View& all) {
    return axis == 0
               ? Kokkos::subview(all, Kokkos::ALL(), std::pair<std::size_t, std::size_t>(0, lines))
               : Kokkos::subview(all, std::pair<std::size_t, std::size_t>(0, lines), Kokkos::ALL());
  };
  const Parts<View> all(systems, axis, 1);
  const auto& [a, b, c, d] = all;
  const View x("x", d.extent(0), d.extent(1));
  const TridiagonalOptions options{.axis = axis, .cyclic = cyclic, .transposed = transposed};
  const auto expect = [&](const View& got, const char* what) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
    for (std::size_t l = 0; l < lines; ++l)
      expect_near(line_of<T>(host, l, n, axis), systems[l], what);
    for (const T outside : line_of<T>(host, lines, n, axis)) ASSERT_EQ(outside, T(0)) << what;
  };
  tridiagonal_solve(part(a), part(b), part(c), part(d), part(x), options);
  expect(x, "apart");
  tridiagonal_solve(part(a), part(b), part(c), part(d), part(d), options);
  expect(d, "in place");
}

TYPED_TEST(TridiagonalSolve, SolvesManySystems) {
  using T = TypeParam;
  for (const int axis : {0, 1})
    for (const bool cyclic : {false, true})
      for (const bool transposed : {false, true})
        for (const std::size_t n : {1, 2, 3, 8, 17, 32, 101, 128, 129, 256, 511, 513, 1024, 2049}) {
          solve_many<T, Kokkos::LayoutRight>(n < 200 ? 67 : 5, n, axis, cyclic, transposed);
          if (n < 130) solve_many<T, Kokkos::LayoutLeft>(35, n, axis, cyclic, transposed);
        }
  for (const std::size_t n : {4096, 4097, 5004, 8193, 12288})
    for (const int axis : {0, 1}) solve_many<T, Kokkos::LayoutRight>(9, n, axis, false, false);
  for (const int axis : {0, 1}) solve_many<T, Kokkos::LayoutRight>(2, 5003, axis, false, true);
  solve_many<T, Kokkos::LayoutRight>(3, 5004, 1, true, true);
  solve_many<T, Kokkos::LayoutRight>(1100, 1000, 0, false, false);  // more than are solved at once
}

TYPED_TEST(TridiagonalSolve, SharesCoefficients) {
  using T = TypeParam;
  constexpr std::size_t lines = 37;
  for (const std::size_t n : {1, 5, 64, 300, 3000, 5000}) {
    for (const int axis : {0, 1}) {
      const auto systems = systems_of_one_matrix<T>(lines, n);
      const System<T>& one = systems[0];
      const auto x = view_of<Kokkos::View<T**>>(systems, &System<T>::d, axis);
      tridiagonal_solve(to_device(one.a), to_device(one.b), to_device(one.c), x, x,
                        TridiagonalOptions{.axis = axis});
      const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
      for (std::size_t l = 0; l < lines; l += 6)
        expect_near(line_of<T>(host, l, n, axis), systems[l], "shared");
    }
    // One number for a diagonal. Scans of pivots are not that accurate where systems are longer.
    if (n > 4096) continue;
    const System<T> s(std::int64_t(n), 7, second_differences);
    const Kokkos::View<T> minus("minus"), two("two");
    Kokkos::deep_copy(minus, T(-1));
    Kokkos::deep_copy(two, T(2));
    const auto x = to_device(s.d);
    tridiagonal_solve(minus, two, minus, x, x);
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
    EXPECT_LT(s.residual(std::vector<T>(host.data(), host.data() + n)), 20) << n;
  }
}

/// Rows (-1, 2, -1): errors of equations are small, whatever the condition is, where systems are
/// not so long that they are solved by scans.
TYPED_TEST(TridiagonalSolve, SolvesWhatIsNearlySingular) {
  using T = TypeParam;
  for (const std::size_t n : {64, 1000})
    for (const int axis : {0, 1}) {
      const auto systems = many_systems<T>(33, n, false, false, second_differences);
      using View = Kokkos::View<T**, Kokkos::LayoutRight>;
      const Parts<View> p(systems, axis);
      const View refined("refined", p.d.extent(0), p.d.extent(1));
      tridiagonal_solve(p.a, p.b, p.c, p.d, refined,
                        TridiagonalOptions{.axis = axis, .refinements = 5});
      tridiagonal_solve(p.a, p.b, p.c, p.d, p.d, TridiagonalOptions{.axis = axis});
      const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), p.d);
      for (std::size_t l = 0; l < systems.size(); l += 8)
        EXPECT_LT(systems[l].residual(line_of<T>(host, l, n, axis)), 20) << n << ' ' << l;
      // Refined, solutions themselves are exact, which in single precision differ in all digits.
      const auto exact = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), refined);
      const auto expected = systems[8].solution();
      const double allowed = systems[8].tolerance(expected) / 500;
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_NEAR(line_of<T>(exact, 8, n, axis)[i], static_cast<double>(expected[i]), allowed)
            << i;
    }
}

TYPED_TEST(TridiagonalSolve, KeepsWhatIsNotANumberInItsSystem) {
  using T = TypeParam;
  for (const std::size_t n : {3, 20, 64, 300, 1100})
    for (const int axis : {0, 1})
      for (const bool cyclic : {false, true}) {
        auto systems = many_systems<T>(40, n, cyclic);
        for (auto part : {&System<T>::a, &System<T>::b, &System<T>::c, &System<T>::d})
          std::fill((systems[17].*part).begin(), (systems[17].*part).end(),
                    std::numeric_limits<T>::quiet_NaN());
        using View = Kokkos::View<T**, Kokkos::LayoutRight>;
        const Parts<View> p(systems, axis);
        tridiagonal_solve(p.a, p.b, p.c, p.d, p.d,
                          TridiagonalOptions{.axis = axis, .cyclic = cyclic});
        const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), p.d);
        for (std::size_t l = 0; l < systems.size(); ++l)
          for (const T v : line_of<T>(host, l, n, axis))
            ASSERT_EQ(std::isnan(v), l == 17) << n << ' ' << axis << ' ' << l;
      }
}

TEST(TridiagonalSolveErrors, NameTheArgument) {
  const Kokkos::View<double*> v("v", 10), w("w", 10), shorter("short", 9);
  expect_error("'upper' must have at least", [&] { tridiagonal_solve(v, v, shorter, v, w); });
  expect_error("'lower'", [&] { tridiagonal_solve(w, v, v, v, w); });
  expect_error("'axis'", [&] { tridiagonal_solve(v, v, v, v, w, ScanOptions().axis(1)); });
  expect_error("'options' must not be reverse",
               [&] { tridiagonal_solve(v, v, v, v, w, ScanOptions().reverse()); });
  expect_error("'lower' must have at least", [&] { tridiagonal_solve(shorter, v, v, v, w); });
  expect_error("'diagonal' must have at least", [&] { tridiagonal_solve(v, shorter, v, v, w); });
  expect_error("'x' must have at least", [&] { tridiagonal_solve(v, v, v, v, shorter); });
  expect_error("'x' must share no memory with 'diagonal'",
               [&] { tridiagonal_solve(v, w, v, v, w); });
  expect_error("'x' must share no memory with 'upper'", [&] { tridiagonal_solve(v, v, w, v, w); });
  const Kokkos::View<double*> all("all", 11);
  expect_error("'x' must be 'right' itself", [&] {
    tridiagonal_solve(v, v, v, Kokkos::subview(all, std::pair(0, 10)),
                      Kokkos::subview(all, std::pair(1, 11)));
  });
  const wavescan::Test::Recorder recorder;
  tridiagonal_solve(v, v, v, v, w, ScanOptions().label("mine"));
  EXPECT_EQ(wavescan::Test::join(recorder.regions()), "mine");
}

}  // namespace columns_tridiagonal_solve
