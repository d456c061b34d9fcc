// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Reference.hpp"
#include "SciPyReference.hpp"

#include <WaveScan_FiltFilt.hpp>

#include <WaveScanTest_Tools.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
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
    filtfilt(f.b, f.a, x, y, FiltFiltOptions{.padding = FilterPadding::Even, .length = 7});
    expect_values("filtfilt, even", y, f.filtfilt_even);
    filtfilt(f.b, f.a, x, y, FiltFiltOptions{.padding = FilterPadding::Constant, .length = 50});
    expect_values("filtfilt, constant", y, f.filtfilt_constant);
    filtfilt(f.b, f.a, x, y, FiltFiltOptions{.padding = FilterPadding::None});
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
    filtfilt(f.b, f.a, x, x, FiltFiltOptions{.axis = axis});
    Kokkos::deep_copy(host, x);
    for (std::size_t l = 0; l < lines; ++l)
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_NEAR(at(l, j), (1.0 + double(l)) * f.filtfilt[j], 1e-8) << axis << ' ' << l;
  }
}

/// Wherever lines begin, and however far apart their samples are: some are filtered where they are,
/// some in a copy.
TEST(FiltFilt, TakesLinesThatBeginAnywhere) {
  const auto& f = scipy::filters[0];
  const std::size_t n = scipy::signal.size();
  const Kokkos::View<double***, Kokkos::LayoutRight> x("x", 3, n + 3, 2), y("y", 3, n + 3, 2);
  const auto host = Kokkos::create_mirror_view(x);
  const auto check = [&](std::size_t from, std::size_t to, const auto& lines_at) {
    for (std::size_t l = 0; l < 3; ++l)
      for (std::size_t j = 0; j < n; ++j)
        lines_at(host, from)(l, j) = (1.0 + double(l)) * scipy::signal[j];
    Kokkos::deep_copy(x, host);
    Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
    filtfilt(f.b, f.a, lines_at(x, from), lines_at(y, to));
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    for (std::size_t l = 0; l < 3; ++l)
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_NEAR(lines_at(got, to)(l, j), (1.0 + double(l)) * f.filtfilt[j], 1e-8)
            << from << ' ' << to << ' ' << l << ' ' << j;
  };
  const auto samples = [&](std::size_t first) { return std::pair(first, first + n); };
  const auto strided = [&](const auto& v, std::size_t first) {
    return Kokkos::subview(v, Kokkos::ALL, samples(first), 1);
  };
  const auto neighbours = [&](const auto& v, std::size_t first) {
    using Flat = Kokkos::View<double**, Kokkos::LayoutRight,
                              typename std::remove_cvref_t<decltype(v)>::memory_space,
                              Kokkos::MemoryUnmanaged>;
    const std::size_t pitch = 2 * (n + 3) - n % 2;  // odd or even: multiples of 16 bytes or not
    return Kokkos::subview(Flat(v.data(), 3, pitch), Kokkos::ALL, samples(first));
  };
  for (const std::size_t from : {0, 1, 3})
    for (const std::size_t to : {0, 1, 2}) {
      check(from, to, strided);
      check(from, to, neighbours);
    }
}

TEST(FiltFilt, PlansWithoutACopyAreForLinesThatNeedNone) {
  using Plan = ForwardBackwardFilter<Kokkos::DefaultExecutionSpace, double>;
  const Kokkos::View<double**, Kokkos::LayoutRight> rows("rows", 3, 64), columns("columns", 64, 3);
  const Plan plan = Plan::direct_form({}, {1}, {1, 0.5}, 3, 64, {}, false);
  EXPECT_FALSE(Plan::needs_copy(rows));
  plan.apply(rows, rows);
  const FiltFiltOptions along{.axis = 0};
  EXPECT_TRUE(Plan::needs_copy(columns, along));
  expect_error("argument 'y' must need no copy", [&] { plan.apply(columns, columns, along); });
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

TEST(FiltFilt, MayHaveNoState) {
  const auto x = to_device(scipy::signal);
  Values expected = scipy::signal;
  for (double& v : expected) v *= 2.25;
  for (const auto padding : {FilterPadding::Odd, FilterPadding::None}) {
    const auto y = filled_with_nan(x.size());
    filtfilt({3}, {2}, x, y, FiltFiltOptions{.padding = padding});
    expect_values("gain", y, expected);
  }
}

TEST(FiltFilt, RejectsWhatIsTooShort) {
  const Kokkos::View<double*> x("x", 9), empty("empty", 0);
  expect_error("more samples than they are continued by (9)", [&] {
    filtfilt({1, 1}, {1, 0.5, 0.1}, x, x);
  });
  expect_error("a pole at 1", [&] { filtfilt({1}, {1, -1}, x, x); });
  filtfilt({1, 1}, {1, 0.5}, empty, empty, FiltFiltOptions{.padding = FilterPadding::None});
  for (const auto padding : {FilterPadding::Odd, FilterPadding::None})
    expect_error("WaveScan::filtfilt: argument 'length' must not be negative, got -2", [&] {
      filtfilt({1, 1}, {1, 0.5}, x, x, FiltFiltOptions{.padding = padding, .length = -2});
    });
  filtfilt({1, 1}, {1, 0.5}, x, x, FiltFiltOptions{.length = 8});
  expect_error("continued by (9)", [&] {
    filtfilt({1, 1}, {1, 0.5}, x, x, FiltFiltOptions{.length = 9});
  });
  // Cascades by default: three times the taps, of which zeros at the end do not count if all
  // numerators or denominators have fewer of them.
  const auto by = [&](const std::string& samples, const std::vector<FilterSection>& sos) {
    const Kokkos::View<double*> line("line", std::stoul(samples));
    expect_error(
        "WaveScan::sosfiltfilt: argument 'x' must have lines of more samples than they "
        "are continued by (" +
            samples + ")",
        [&] { sosfiltfilt(sos, line, line); });
  };
  by("9", {{1, 1, 0, 1, 0.5, 0.1}});
  by("9", {{1, 1, 0.5, 1, 0.5, 0}});
  by("6", {{1, 1, 0, 1, 0.5, 0}});
  by("12", {{1, 1, 0, 1, 0.5, 0}, {1, 1, 0, 1, 0.5, 0.1}});
}

TEST(FiltFilt, ErrorsNameTheFunction) {
  using Plan = ForwardBackwardFilter<Kokkos::DefaultExecutionSpace, double>;
  const Kokkos::View<double*> x("x", 30), y("y", 29);
  expect_error("WaveScan::filtfilt: argument 'y'", [&] { filtfilt({1}, {1, 0.5}, x, y); });
  expect_error("WaveScan::filtfilt: argument 'b'", [&] { filtfilt({}, {1, 0.5}, x, x); });
  expect_error("WaveScan::sosfiltfilt: argument 'sos' must have no section whose a sums up", [&] {
    sosfiltfilt({{1, 0, 0, 1, -1, 0}}, x, x);
  });
  expect_error("WaveScan::sosfiltfilt: argument 'y'", [&] {
    sosfiltfilt({{1, 0, 0, 1, -0.5, 0}}, x, y);
  });
  expect_error("WaveScan::ForwardBackwardFilter: argument 'a'", [&] {
    Plan::direct_form({}, {1}, {1, -1}, 1, 30);
  });
  expect_error("WaveScan::ForwardBackwardFilter: argument 'lines' must not be negative", [&] {
    Plan::direct_form({}, {1}, {1, 0.5}, -1, 30);
  });
  expect_error("WaveScan::exponential_moving_average: argument 'y'",
               [&] { exponential_moving_average(0.5, x, y); });
}

/// Without feedback a sample that is no number reaches no further than the filter, either way.
TEST(FiltFilt, ForgetsWithoutFeedback) {
  auto samples = noise<double>(40000, 3);
  const Kokkos::View<double*> exact("exact", samples.size()), y("y", samples.size());
  const auto check = [&](const auto& filter) {
    filter(to_device(samples), exact);
    auto holed = samples;
    holed[20000] = std::numeric_limits<double>::quiet_NaN();
    filter(to_device(holed), y);
    const auto expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), exact);
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    for (std::size_t j = 0; j < samples.size(); ++j)
      if (j >= 19999 && j <= 20001)
        ASSERT_TRUE(std::isnan(got(j))) << j;
      else
        ASSERT_EQ(got(j), expected(j)) << j;
  };
  check([](const auto& x, const auto& out) { filtfilt({0.75, 0.25}, {1, 0}, x, out); });
  check([](const auto& x, const auto& out) { sosfiltfilt({{0.75, 0.25, 0, 1, 0, 0}}, x, out); });
}

TEST(FiltFilt, PlansAllocateAndFenceNothing) {
  using Plan = ForwardBackwardFilter<Kokkos::DefaultExecutionSpace, double>;
  const Kokkos::View<double**> x("x", 3, 5000);
  const Plan plans[] = {Plan::direct_form({}, {1}, {1, 0.5}, 3, 5000),
                        Plan::sections({}, {{1, 0.5, 0, 1, -0.5, 0}}, 3, 5000)};
  Kokkos::fence();
  const wavescan::Test::Recorder recorder;
  for (int k = 0; k < 2; ++k)
    for (const Plan& plan : plans) plan.apply(x, x);
  EXPECT_EQ(wavescan::Test::join(recorder.allocations()), "");
  EXPECT_EQ(wavescan::Test::join(recorder.fences()), "");
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
  exponential_moving_average(0.5, both, both, ScanOptions().axis(0));
  const auto same = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), both);
  for (std::size_t j = 0; j < 7; ++j) EXPECT_EQ(same(j, 1), 3.0);
  expect_error("'alpha' must be more than 0", [&] { exponential_moving_average(0.0, in, y); });
  expect_error("'alpha' must be more than 0", [&] { exponential_moving_average(NAN, in, y); });
  expect_error("at most 1", [&] { exponential_moving_average(std::nextafter(1.0, 2.0), in, y); });
}

TEST(ExponentialMovingAverage, HasBounds) {
  const auto in = to_device(std::vector<double>{4, 8, 8, 16});
  const Kokkos::View<double*> y("y", 4);
  exponential_moving_average(std::numeric_limits<double>::min(), in, y);  // hardly leaves the first
  expect_values("tiny", y, {4, 4, 4, 4});
  exponential_moving_average(0.5, in, y, ScanOptions().reverse());
  expect_values("reverse", y, {7, 10, 12, 16});
  // One forgets all samples but the newest, whatever they are.
  const double infinite = std::numeric_limits<double>::infinity();
  const auto holes = to_device(std::vector<double>{infinite, 3, NAN, 5});
  exponential_moving_average(1.0, holes, y);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  EXPECT_EQ(host(0), infinite);
  EXPECT_EQ(host(1), 3);
  EXPECT_TRUE(std::isnan(host(2)));
  EXPECT_EQ(host(3), 5);
}

}  // namespace filters_both_ways
