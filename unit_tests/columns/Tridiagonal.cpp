// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Reference.hpp"

#include <WaveScan_Tridiagonal.hpp>

#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Tools.hpp>
#include <WaveScanTest_Types.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace columns_tridiagonal {

using namespace columns;
using namespace wavescan;

template <class T>
class Tridiagonals : public testing::Test {};
TYPED_TEST_SUITE(Tridiagonals, wavescan::Test::FloatingPointTypes);

template <class T, class Layout>
void factorize_many(std::size_t lines, std::size_t n, int axis, bool cyclic, bool transposed) {
  SCOPED_TRACE(std::to_string(lines) + " systems of " + std::to_string(n) + ", axis " +
               std::to_string(axis) + (cyclic ? ", cyclic" : "") +
               (transposed ? ", transposed" : ""));
  using View = Kokkos::View<T**, Layout>;
  auto systems = many_systems<T>(lines, n, cyclic, transposed);
  const Parts<View> parts(systems, axis);
  const Kokkos::DefaultExecutionSpace exec;
  const Tridiagonal plan(
      exec, parts.a, parts.b, parts.c,
      TridiagonalOptions{.axis = axis, .cyclic = cyclic, .transposed = transposed});
  const auto expect = [&](const View& got, const char* what) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
    for (std::size_t l = 0; l < lines; ++l)
      expect_near(line_of<T>(host, l, n, axis), systems[l], what);
  };
  const View d = parts.d, x("x", d.extent(0), d.extent(1));
  plan.solve(d, x);
  expect(x, "apart");
  plan.solve(d, d);
  expect(d, "in place");
  // Other matrices, and several right-hand sides at once.
  for (System<T>& s : systems)
    for (T& b : s.b) b *= T(1.5);
  const Parts<View> others(systems, axis);
  plan.factorize(others.a, others.b, others.c);
  Kokkos::View<T***, Layout> sets("sets", 3, d.extent(0), d.extent(1));
  const View right = others.d;
  for (int set = 0; set < 3; ++set) {
    const auto one = Kokkos::subview(sets, set, Kokkos::ALL(), Kokkos::ALL());
    Kokkos::parallel_for(
        Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(0, d.extent(0)), KOKKOS_LAMBDA(int r) {
          for (std::size_t c = 0; c < right.extent(1); ++c) one(r, c) = T(set + 1) * right(r, c);
        });
  }
  plan.solve(sets, sets);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sets);
  for (std::size_t set = 0; set < 3; ++set)
    for (std::size_t l = 0; l < lines; l += 3) {
      System<T> s = systems[l];
      for (T& v : s.d) v *= static_cast<T>(set + 1);
      std::vector<T> got(n);
      for (std::size_t i = 0; i < n; ++i) got[i] = axis == 0 ? host(set, i, l) : host(set, l, i);
      expect_near(got, s, "several");
    }
}

TYPED_TEST(Tridiagonals, SolveWithManyRightHandSides) {
  using T = TypeParam;
  for (const int axis : {0, 1})
    for (const bool cyclic : {false, true})
      for (const std::size_t n : {1, 2, 3, 17, 64, 129, 256, 513, 1024}) {
        factorize_many<T, Kokkos::LayoutRight>(n < 200 ? 35 : 5, n, axis, cyclic, false);
        factorize_many<T, Kokkos::LayoutRight>(4, n, axis, cyclic, true);
      }
  factorize_many<T, Kokkos::LayoutLeft>(33, 100, 0, false, false);
  factorize_many<T, Kokkos::LayoutLeft>(33, 100, 1, false, false);
  for (const bool cyclic : {false, true})
    factorize_many<T, Kokkos::LayoutRight>(3, 9001, 1, cyclic, false);
}

TYPED_TEST(Tridiagonals, ShareOneMatrix) {
  using T = TypeParam;
  constexpr std::size_t lines = 21;
  for (const std::size_t n : {5, 64, 300, 9000})
    for (const int axis : {0, 1}) {
      const auto systems = systems_of_one_matrix<T>(lines, n);
      const System<T>& one = systems[0];
      const Kokkos::DefaultExecutionSpace exec;
      const Tridiagonal plan(exec, to_device(one.a), to_device(one.b), to_device(one.c),
                             TridiagonalOptions{.axis = axis});
      const auto x = view_of<Kokkos::View<T**>>(systems, &System<T>::d, axis);
      plan.solve(x, x);
      const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
      for (std::size_t l = 0; l < lines; l += 6)
        expect_near(line_of<T>(host, l, n, axis), systems[l], "shared");
      const auto d = to_device(one.d);
      plan.solve(d, d);
      expect_view_near(d, one, "one");
    }
}

TEST(TridiagonalErrors, NameTheArgument) {
  const Kokkos::DefaultExecutionSpace exec;
  const Kokkos::View<double**> m("m", 4, 10), w("w", 4, 11), x("x", 4, 10);
  Kokkos::deep_copy(m, 1.0);
  using wavescan::Test::rejects;
  EXPECT_TRUE(rejects("Tridiagonal", "axis",
                      [&] { Tridiagonal(exec, m, m, m, TridiagonalOptions{.axis = 2}); }));
  EXPECT_TRUE(rejects("Tridiagonal", "lower",
                      [&] { Tridiagonal(exec, Kokkos::View<double**>("short", 4, 9), m, m); }));
  const Tridiagonal plan(exec, m, m, m);
  EXPECT_TRUE(rejects("Tridiagonal", "diagonal", [&] { plan.factorize(w, w, w); }));
  EXPECT_TRUE(rejects("Tridiagonal", "right", [&] { plan.solve(w, w); }));
  EXPECT_TRUE(
      rejects("Tridiagonal", "x", [&] { plan.solve(x, Kokkos::View<double**>("short", 4, 9)); }));
  // And what solves on hosts take.
  constexpr std::size_t factors = 3 * 40 * sizeof(double);
  if (wavescan::Test::on_host<Kokkos::DefaultExecutionSpace>) {
    EXPECT_GE(plan.workspace_bytes(), factors);
  } else {
    EXPECT_EQ(plan.workspace_bytes(), factors);
  }
  const wavescan::Test::Recorder recorder;
  plan.solve(x, x);
  EXPECT_EQ(wavescan::Test::join(recorder.regions()), "WaveScan::Tridiagonal::solve");
  EXPECT_EQ(wavescan::Test::join(recorder.allocations()), "");
  EXPECT_TRUE(rejects("Tridiagonal", "options",
                      [&] { Tridiagonal(exec, m, m, m, TridiagonalOptions{.refinements = 1}); }));
}

}  // namespace columns_tridiagonal
