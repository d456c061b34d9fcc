// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Reference.hpp"

#include <WaveScan_Scan.hpp>
#include <WaveScan_SmallMatrices.hpp>
#include <WaveScan_TridiagonalSolve.hpp>

#include <WaveScanTest_Tools.hpp>
#include <WaveScanTest_Types.hpp>

#include <gtest/gtest.h>

#include <impl/tridiagonal/WaveScan_Elimination.hpp>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace filters_small_matrices {

using namespace filters;
using namespace wavescan;

template <int N, bool constant>
void scan_affine_maps(std::int64_t n) {
  SCOPED_TRACE(std::to_string(N) + " x " + std::to_string(N) + ", length " + std::to_string(n));
  using Maps = AffineMaps<double, N>;
  const auto numbers = noise<double>((N * N + N) * (n + 1), 31);
  std::vector<SmallVector<double, N>> b(static_cast<std::size_t>(n));
  std::vector<SmallMatrix<double, N>> a(static_cast<std::size_t>(n + 1));
  std::size_t k = 0;
  for (auto& matrix : a)
    for (auto& row : matrix.entry)
      for (double& entry : row) entry = 0.8 / N * numbers[k++];
  for (auto& vector : b)
    for (double& value : vector.value) value = numbers[k++];
  const auto out = to_device(std::vector<SmallVector<double, N>>(b.size()));
  if constexpr (constant)
    weighted_scan(to_device(b), a.back(), out, Maps());
  else
    weighted_scan(to_device(b), to_device(std::vector(a.begin(), a.end() - 1)), out, Maps());
  const auto s = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  long double state[N] = {};
  for (std::size_t j = 0; j < b.size(); ++j) {
    long double next[N];
    for (int r = 0; r < N; ++r) {
      next[r] = b[j][r];
      for (int c = 0; c < N; ++c)
        next[r] += static_cast<long double>((constant ? a.back() : a[j])(r, c)) * state[c];
    }
    for (int r = 0; r < N; ++r) {
      state[r] = next[r];
      ASSERT_NEAR(s(j)[r], static_cast<double>(next[r]), 1e-12) << j;
    }
  }
}

TEST(AffineMaps, AreScanned) {
  // A size decides what threads hand on, whatever the weights are, and weights are read alike.
  for (const std::int64_t n : {1, 2, 1000, 30011}) {
    scan_affine_maps<2, true>(n);
    scan_affine_maps<3, true>(n);
    scan_affine_maps<2, false>(n);
    scan_affine_maps<4, false>(n);
  }
}

template <class T>
class TridiagonalSolve : public testing::Test {};
TYPED_TEST_SUITE(TridiagonalSolve, wavescan::Test::FloatingPointTypes);

template <class T>
struct System {
  std::vector<T> a, b, c, d;
  System(std::int64_t n, std::uint64_t seed)
      : a(noise<T>(n, seed)),
        b(noise<T>(n, seed + 1)),
        c(noise<T>(n, seed + 2)),
        d(noise<T>(n, seed + 3)) {
    for (std::size_t i = 0; i < b.size(); ++i) {
      b[i] = std::abs(a[i]) + std::abs(c[i]) + std::abs(b[i]) + T(0.01);
      if (i % 3 == 1) b[i] = -b[i];
    }
    if (n > 0) {  // which nobody may read
      a.front() = std::numeric_limits<T>::quiet_NaN();
      c.back() = std::numeric_limits<T>::quiet_NaN();
    }
  }
  std::vector<long double> solution() const {
    const std::size_t n = b.size();
    std::vector<long double> ratio(n), x(n);
    for (std::size_t i = 0; i < n; ++i) {
      const long double low = i == 0 ? 0.0L : static_cast<long double>(a[i]);
      const long double pivot = b[i] - (i == 0 ? 0.0L : low * ratio[i - 1]);
      x[i] = (d[i] - (i == 0 ? 0.0L : low * x[i - 1])) / pivot;
      ratio[i] = i + 1 == n ? 0.0L : c[i] / pivot;
    }
    for (std::size_t i = n; i-- > 1;) x[i - 1] -= ratio[i - 1] * x[i];
    return x;
  }
};

TYPED_TEST(TridiagonalSolve, SolvesOneSystem) {
  using T = TypeParam;
  for (const std::int64_t n : {0, 1, 2, 257, 1000, 100003, 1300021}) {
    SCOPED_TRACE("size " + std::to_string(n));
    const System<T> s(n, 41);
    const auto expected = s.solution();
    const auto d = to_device(s.d);
    const Kokkos::View<T*> x("x", d.size());
    Kokkos::deep_copy(x, std::numeric_limits<T>::quiet_NaN());
    tridiagonal_solve(to_device(s.a), to_device(s.b), to_device(s.c), d, x);
    expect_near<T>(x, expected, "apart");
    tridiagonal_solve(to_device(s.a), to_device(s.b), to_device(s.c), d, d);
    expect_near<T>(d, expected, "in place");
    // By scans, on hosts too, whose few threads do not need them.
    if (n == 0) continue;
    const auto a = to_device(s.a), b = to_device(s.b), c = to_device(s.c), right = to_device(s.d);
    const auto lines = [](const Kokkos::View<T*>& v) {
      return Impl::Lines<const T>{v.data(), 0, 1};
    };
    Impl::tridiagonal::solve_by_scans(
        Kokkos::DefaultExecutionSpace(),
        Impl::tridiagonal::Systems<T>{
            lines(a), lines(b), lines(c), lines(right), {x.data(), 0, 1}, {1, n}});
    Kokkos::fence();
    expect_near<T>(x, expected, "scans");
  }
}

/// Maps of rows, joined in halves, take a state to where steps do, which eliminate.
TYPED_TEST(TridiagonalSolve, EliminatesByMaps) {
  using T = TypeParam;
  using Model = Impl::tridiagonal::EliminationModel<T>;
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

TYPED_TEST(TridiagonalSolve, SolvesManySystems) {
  using T = TypeParam;
  for (const auto& [axis, n] : {std::pair{0, 101u}, {1, 101u}, {1, 5004u}, {1, 12288u}}) {
    const std::size_t lines = 41, length = n;
    const bool down = axis == 0;
    // Systems that lie behind each other on every device, but for the first ones.
    const auto shape = [&] {
      return Kokkos::View<T**, Kokkos::LayoutRight>("system", down ? length : lines,
                                                    down ? lines : length);
    };
    const auto a = shape(), b = shape(), c = shape(), d = shape();
    std::vector<System<T>> systems;
    for (std::size_t l = 0; l < lines; ++l) systems.emplace_back(std::int64_t(length), 10 * l);
    const auto fill = [&](const auto& view, std::vector<T> System<T>::*part) {
      const auto host = Kokkos::create_mirror_view(view);
      for (std::size_t l = 0; l < lines; ++l)
        for (std::size_t i = 0; i < length; ++i)
          (down ? host(i, l) : host(l, i)) = (systems[l].*part)[i];
      copy_elements(view, host);
    };
    fill(a, &System<T>::a);
    fill(b, &System<T>::b);
    fill(c, &System<T>::c);
    fill(d, &System<T>::d);
    tridiagonal_solve(a, b, c, d, d, ScanOptions().axis(axis));
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), d);
    for (std::size_t l = 0; l < lines; ++l) {
      const auto expected = systems[l].solution();
      const double allowed = tolerance<T>(expected);
      for (std::size_t i = 0; i < length; ++i)
        ASSERT_NEAR(static_cast<double>(down ? x(i, l) : x(l, i)), static_cast<double>(expected[i]),
                    allowed)
            << l << ' ' << i;
    }
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

}  // namespace filters_small_matrices
