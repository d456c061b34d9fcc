// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Reference.hpp"
#include "SciPyReference.hpp"

#include <WaveScan_FiltFilt.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace filters_both_ways {

using namespace filters;
using namespace wavescan;
using scipy::Values;

void expect_values(const std::string& what, const auto& got, const Values& expected) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
  ASSERT_EQ(host.size(), expected.size()) << what;
  double largest = 1;
  for (const double v : expected) largest = std::max(largest, std::abs(v));
  for (std::size_t j = 0; j < expected.size(); ++j)
    ASSERT_NEAR(host.data()[j], expected[j], 1e-9 * largest) << what << ", value " << j;
}
Kokkos::View<double*> filled_with_nan(std::size_t n) {
  const Kokkos::View<double*> y("y", n);
  Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
  return y;
}

// What SciPy computed: see scipy_reference.py, which writes SciPyReference.hpp.

TEST(SciPy, Filters) {
  const auto x = to_device(scipy::signal);
  for (const auto& f : scipy::filters) {
    const auto y = filled_with_nan(x.size());
    lfilter(f.b, f.a, x, y);
    expect_values("lfilter", y, f.lfilter);
    const auto zi = lfilter_zi(f.b, f.a);
    ASSERT_EQ(zi.size(), f.zi.size());
    for (std::size_t i = 0; i < zi.size(); ++i)
      EXPECT_NEAR(zi[i], f.zi[i], 1e-9 * std::max(1.0, std::abs(f.zi[i]))) << "lfilter_zi " << i;
    const auto state = to_device(zi);
    lfilter(f.b, f.a, x, y, ScanOptions().carry_in(state).carry_out(state));
    expect_values("lfilter from zi", y, f.lfilter_from_zi);
    expect_values("zf", state, f.zf);
    const auto ic = lfiltic(f.b, f.a, {1, 2, 3}, {-1, 0.5});
    for (std::size_t i = 0; i < ic.size(); ++i) EXPECT_NEAR(ic[i], f.lfiltic[i], 1e-9) << i;
    filtfilt(f.b, f.a, x, y);
    expect_values("filtfilt", y, f.filtfilt);
    filtfilt(f.b, f.a, x, y, FiltFiltOptions().padding(FilterPadding::Even).length(7));
    expect_values("filtfilt, even", y, f.filtfilt_even);
    filtfilt(f.b, f.a, x, y, FiltFiltOptions().padding(FilterPadding::Constant).length(50));
    expect_values("filtfilt, constant", y, f.filtfilt_constant);
    filtfilt(f.b, f.a, x, y, FiltFiltOptions().padding(FilterPadding::None));
    expect_values("filtfilt, none", y, f.filtfilt_none);
  }
}

TEST(SciPy, Sections) {
  const auto x = to_device(scipy::signal);
  for (const auto& f : scipy::cascades) {
    const auto y = filled_with_nan(x.size());
    sosfilt(f.sos, x, y);
    expect_values("sosfilt", y, f.sosfilt);
    const auto zi = sosfilt_zi(f.sos);
    ASSERT_EQ(2 * zi.size(), f.zi.size());
    for (std::size_t i = 0; i < f.zi.size(); ++i)
      EXPECT_NEAR(zi[i / 2][i % 2], f.zi[i], 1e-9 * std::max(1.0, std::abs(f.zi[i])));
    sosfiltfilt(f.sos, x, y);
    expect_values("sosfiltfilt", y, f.sosfiltfilt);
  }
}

TEST(FiltFilt, TakesLinesOfAnyAxisInPlace) {
  const auto& f = scipy::filters[0];
  const std::size_t n = scipy::signal.size(), lines = 5;
  for (const int axis : {0, 1}) {
    const Kokkos::View<double**> x("x", axis == 0 ? n : lines, axis == 0 ? lines : n);
    const auto host = Kokkos::create_mirror_view(x);
    const auto at = [&](std::size_t l, std::size_t j) -> double& {
      return axis == 0 ? host(j, l) : host(l, j);
    };
    for (std::size_t l = 0; l < lines; ++l)
      for (std::size_t j = 0; j < n; ++j) at(l, j) = (1.0 + double(l)) * scipy::signal[j];
    Kokkos::deep_copy(x, host);
    filtfilt(f.b, f.a, x, x, FiltFiltOptions().axis(axis));
    Kokkos::deep_copy(host, x);
    for (std::size_t l = 0; l < lines; ++l)
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_NEAR(at(l, j), (1.0 + double(l)) * f.filtfilt[j], 1e-8) << axis << ' ' << l;
  }
}

TEST(FiltFilt, FiltersComplexSamplesByParts) {
  const auto& f = scipy::cascades[0];
  using Complex = Kokkos::complex<double>;
  std::vector<Complex> samples;
  for (const double v : scipy::signal) samples.emplace_back(v, -2 * v);
  const auto x = to_device(samples);
  sosfiltfilt(f.sos, x, x);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  for (std::size_t j = 0; j < samples.size(); ++j) {
    ASSERT_NEAR(host(j).real(), f.sosfiltfilt[j], 1e-9);
    ASSERT_NEAR(host(j).imag(), -2 * f.sosfiltfilt[j], 1e-9);
  }
}

TEST(FiltFilt, RejectsWhatIsTooShort) {
  const Kokkos::View<double*> x("x", 9), empty("empty", 0);
  expect_error("more samples than they are continued by (9)", [&] {
    filtfilt({1, 1}, {1, 0.5, 0.1}, x, x);
  });
  expect_error("a pole at 1", [&] { filtfilt({1}, {1, -1}, x, x); });
  filtfilt({1, 1}, {1, 0.5}, empty, empty, FiltFiltOptions().padding(FilterPadding::None));
}

TEST(ExponentialMovingAverage, BeginsWithTheFirstSample) {
  const auto x = noise<double>(30011, 5);
  const auto in = to_device(x);
  const Kokkos::View<double*> y = filled_with_nan(x.size());
  exponential_moving_average(0.05, in, y);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  long double average = x[0];
  for (std::size_t j = 0; j < x.size(); ++j) {
    average += 0.05L * (x[j] - average);
    ASSERT_NEAR(host(j), static_cast<double>(average), 1e-13) << j;
  }
  const Kokkos::View<double**> both("both", 7, 2);
  Kokkos::deep_copy(both, 3.0);
  exponential_moving_average(0.5, both, both, 0);
  const auto same = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), both);
  for (std::size_t j = 0; j < 7; ++j) EXPECT_EQ(same(j, 1), 3.0);
  expect_error("'alpha' must be more than 0", [&] { exponential_moving_average(0.0, in, y); });
}

}  // namespace filters_both_ways
