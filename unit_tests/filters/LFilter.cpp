// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Reference.hpp"

#include <WaveScan_Filter.hpp>
#include <WaveScan_LinearRecurrence.hpp>

#include <WaveScanTest_Tools.hpp>
#include <WaveScanTest_Types.hpp>

#include <gtest/gtest.h>

#include <impl/WaveScan_Dispatch.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace filters_lfilter {

using namespace filters;
using wavescan::FilterSection;
using wavescan::ScanOptions;
using Exec = Kokkos::DefaultExecutionSpace;

template <class T>
class LFilter : public testing::Test {};
TYPED_TEST_SUITE(LFilter, wavescan::Test::FloatingPointTypes);

TYPED_TEST(LFilter, HasTheMeaningOfTheSerialLoop) {
  using T = TypeParam;
  std::mt19937_64 random(7);
  for (const int order : {0, 1, 2, 3, 4, 5, 8, 11, 16})
    for (const std::int64_t n : {0, 1, 2, 255, 1000, 6143, 6144, 6145, 100003}) {
      if (wavescan::Test::few_cases_wanted() && n > 10000 && order % 3 != 0) continue;
      SCOPED_TRACE("order " + std::to_string(order) + ", length " + std::to_string(n));
      const std::vector<double> a = stable_denominator(order, order > 4 ? 0.5 : 0.9, random);
      std::vector<double> b;
      for (int i = 0; i <= order; ++i) b.push_back(1.0 / (1 + i));
      const auto x = noise<T>(n, static_cast<std::uint64_t>(n + order));
      std::vector<long double> z;
      const auto expected = serial(b, a, x, z);
      const auto in = to_device(x);
      const Kokkos::View<T*> out("y", in.size());
      Kokkos::deep_copy(out, std::numeric_limits<T>::quiet_NaN());
      wavescan::lfilter(Exec(), b, a, in, out);
      expect_near<T>(out, expected, "apart");
      wavescan::lfilter(b, a, in, in);
      expect_near<T>(in, expected, "in place");
    }
}

/// A filter of an order for which states grow little.
struct TransferFunction {
  std::vector<double> b, a;
  explicit TransferFunction(int order) {
    std::mt19937_64 random(static_cast<std::uint64_t>(order));
    a = stable_denominator(order, order > 4 ? 0.5 : 0.9, random);
    for (int i = 0; i <= order; ++i) b.push_back(1.0 / (1 + i));
    for (double& c : a) c *= 2;  // which is normalised
  }
};

TYPED_TEST(LFilter, BeginsAnywhereBetweenBoundaries) {
  using T = TypeParam;
  for (const int order : {2, 8, 16}) {
    SCOPED_TRACE("order " + std::to_string(order));
    const TransferFunction h(order);
    const auto x = noise<T>(50021, 3);
    std::vector<long double> z;
    const auto expected = serial(h.b, h.a, x, z);
    for (const int in_offset : {0, 1, 2, 3})
      for (const int out_offset : {0, 1, 2, 3}) {
        const auto in = to_device(x, in_offset);
        const auto out = to_device(std::vector<T>(x.size(), T(-7)), out_offset);
        wavescan::lfilter(h.b, h.a, in, out);
        expect_near<T>(out, expected, "offset");
      }
  }
}

TYPED_TEST(LFilter, GoesOnFromStates) {
  using T = TypeParam;
  for (const int order : {3, 7, 8, 12, 16}) {
    SCOPED_TRACE("order " + std::to_string(order));
    const TransferFunction h(order);
    const auto x = noise<T>(60000, 5);
    std::vector<long double> z(static_cast<std::size_t>(order));
    std::vector<T> initial(z.size());
    for (std::size_t i = 0; i < z.size(); ++i)
      z[i] = initial[i] = static_cast<T>(i % 3 == 0 ? 0.5 : i % 3 == 1 ? -0.25 : 2.0);
    const auto state = to_device(initial);
    const auto expected = serial(h.b, h.a, x, z);
    const auto in = to_device(x);
    const Kokkos::View<T*> out("y", x.size());
    Kokkos::deep_copy(out, std::numeric_limits<T>::quiet_NaN());
    const std::vector<std::int64_t> ends{1,     3,     20001, 20001, 20002, 20025,
                                         20050, 20074, 20098, 29314, 49999, 60000};
    std::int64_t begin = 0;
    for (const std::int64_t end : ends) {
      const std::pair<std::int64_t, std::int64_t> block(begin, end);
      wavescan::lfilter(h.b, h.a, Kokkos::subview(in, block), Kokkos::subview(out, block),
                        ScanOptions().carry_in(state).carry_out(state));
      begin = end;
    }
    expect_near<T>(out, expected, "blocks");
    expect_near<T>(state, z, "last state");
  }
}

TYPED_TEST(LFilter, TakesLinesOfAnyLayout) {
  using T = TypeParam;
  struct Case {
    int order, lines, length;
  };
  for (const auto& [order, lines, length] : std::vector<Case>{{3, 1, 70000},
                                                              {3, 3, 20000},
                                                              {3, 7, 8192},
                                                              {3, 64, 1000},
                                                              {3, 300, 33},
                                                              {3, 5, 0},
                                                              {3, 0, 5},
                                                              {8, 3, 20000},
                                                              {8, 150, 9216},
                                                              {8, 41, 9236},
                                                              {16, 5, 70004},
                                                              {16, 150, 5000}}) {
    if (wavescan::Test::few_cases_wanted() && lines * length > 100000) continue;
    SCOPED_TRACE("order " + std::to_string(order) + ", " + std::to_string(lines) + " lines of " +
                 std::to_string(length));
    const TransferFunction h(order);
    const auto& b = h.b;
    const auto& a = h.a;
    std::vector<std::vector<long double>> expected, last;
    std::vector<std::vector<T>> x;
    for (int l = 0; l < lines; ++l) {
      std::vector<long double> z(static_cast<std::size_t>(order), -0.5L);
      z[0] = l % 5;
      z[1] = 0.25L;
      x.push_back(noise<T>(length, static_cast<std::uint64_t>(l)));
      expected.push_back(serial(b, a, x.back(), z));
      last.push_back(z);
    }
    const auto check = [&]<class Layout>(int axis, bool padded, Layout) {
      const int rows = axis == 1 ? lines : length, columns = axis == 1 ? length : lines;
      const Kokkos::View<T**, Layout> all("x", rows, columns + (padded ? 5 : 0));
      const auto data = Kokkos::subview(all, Kokkos::ALL, std::pair<int, int>(0, columns));
      const Kokkos::View<T**> state("state", axis == 1 ? lines : order, axis == 1 ? order : lines);
      // A mirror has no gaps, and cannot be copied to rows that have.
      const auto host = Kokkos::create_mirror_view(all);
      const auto host_state = Kokkos::create_mirror_view(state);
      for (int l = 0; l < lines; ++l) {
        for (int j = 0; j < length; ++j)
          (axis == 1 ? host(l, j) : host(j, l)) =
              x[static_cast<std::size_t>(l)][static_cast<std::size_t>(j)];
        for (int i = 0; i < order; ++i)
          (axis == 1 ? host_state(l, i) : host_state(i, l)) = i == 0   ? T(l % 5)
                                                              : i == 1 ? T(0.25)
                                                                       : T(-0.5);
      }
      copy_elements(all, host);
      copy_elements(state, host_state);
      wavescan::lfilter(b, a, data, data,
                        ScanOptions().axis(axis).carry_in(state).carry_out(state));
      copy_elements(host, all);
      copy_elements(host_state, state);
      for (int l = 0; l < lines; ++l) {
        const auto& line = expected[static_cast<std::size_t>(l)];
        const double allowed = tolerance<T>(line);
        for (int j = 0; j < length; ++j)
          ASSERT_NEAR(static_cast<double>(axis == 1 ? host(l, j) : host(j, l)),
                      static_cast<double>(line[static_cast<std::size_t>(j)]), allowed)
              << "axis " << axis << ", line " << l << ", sample " << j;
        for (int i = 0; i < order; ++i)
          ASSERT_NEAR(
              static_cast<double>(axis == 1 ? host_state(l, i) : host_state(i, l)),
              static_cast<double>(last[static_cast<std::size_t>(l)][static_cast<std::size_t>(i)]),
              allowed)
              << "axis " << axis << ", line " << l << ", last state, value " << i;
      }
    };
    for (const int axis : {0, 1})
      for (const bool padded : {false, true}) {
        check(axis, padded, Kokkos::LayoutRight());
        // A filter only sees strides, and those of the other axis are the same.
        if constexpr (std::same_as<T, double>) check(axis, padded, Kokkos::LayoutLeft());
      }
  }
}

/// The sum itself, in which every term reaches as many outputs as it has a share in.
std::vector<long double> convolution(const std::vector<double>& b, const auto& x) {
  std::vector<long double> y(x.size(), 0.0L);
  for (std::size_t j = 0; j < x.size(); ++j)
    for (std::size_t i = 0; i < b.size() && i <= j; ++i)
      y[j] += static_cast<long double>(b[i]) * static_cast<long double>(x[j - i]);
  return y;
}

/// Samples among which some are infinite, or no numbers.
template <class T>
std::vector<T> noise_with_holes(std::int64_t n) {
  auto x = noise<T>(n, 37);
  for (const std::int64_t j : {std::int64_t(0), n / 5, n / 2, n - 1})
    x[static_cast<std::size_t>(j)] = std::numeric_limits<T>::quiet_NaN();
  x[static_cast<std::size_t>(n / 3)] = std::numeric_limits<T>::infinity();
  return x;
}

template <class T, class View>
void expect_same_holes(const View& got, const std::vector<long double>& expected) {
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
  for (std::size_t j = 0; j < expected.size(); ++j)
    if (std::isfinite(expected[j]))
      ASSERT_NEAR(static_cast<double>(y(j)), static_cast<double>(expected[j]),
                  1e2 * std::numeric_limits<T>::epsilon())
          << "sample " << j;
    else
      ASSERT_EQ(std::isnan(y(j)), std::isnan(expected[j])) << "sample " << j << ", " << y(j);
}

/// Lines of many tiles or of one, that end anywhere between boundaries, and in blocks of their own.
TYPED_TEST(LFilter, RunsBackwards) {
  using T = TypeParam;
  for (const int order : {1, 2, 4, 8})
    for (const int offset : {0, 1, 3})
      for (const std::int64_t n : {1, 30, 30001, 400000}) {
        SCOPED_TRACE("order " + std::to_string(order) + ", offset " + std::to_string(offset) +
                     ", samples " + std::to_string(n));
        const TransferFunction h(order);
        auto x = noise<T>(n, 11);
        const auto in = to_device(x, offset);
        const auto out = to_device(std::vector<T>(x.size(), T(-7)), offset);
        std::reverse(x.begin(), x.end());
        std::vector<long double> z(static_cast<std::size_t>(order), 0.25L);
        const auto state = to_device(std::vector<T>(z.size(), T(0.25)));
        auto expected = serial(h.b, h.a, x, z);
        std::reverse(expected.begin(), expected.end());
        const auto options = ScanOptions().reverse().carry_in(state).carry_out(state);
        const std::int64_t middle = n / 3;
        for (const auto& block : {std::pair(middle, n), std::pair(std::int64_t(0), middle)})
          wavescan::lfilter(h.b, h.a, Kokkos::subview(in, block), Kokkos::subview(out, block),
                            options);
        expect_near<T>(out, expected, "backwards");
        expect_near<T>(state, z, "last state");
      }
  const std::vector<double> b{0.4, 0.1}, a{1, -0.7};
  auto x = noise<T>(30001, 11);
  const auto in = to_device(x);
  std::reverse(x.begin(), x.end());
  std::vector<long double> z;
  auto expected = serial(b, a, x, z);
  std::reverse(expected.begin(), expected.end());
  wavescan::lfilter(b, a, in, in, ScanOptions().reverse());
  expect_near<T>(in, expected, "backwards in place");
}

TYPED_TEST(LFilter, SolvesRecurrences) {
  using T = TypeParam;
  const auto holes = noise_with_holes<T>(3000);
  const auto same = to_device(holes);
  wavescan::linear_recurrence({0, 0}, same, same);
  expect_same_holes<T>(same, convolution({1}, holes));
  const auto x = noise<T>(40000, 13);
  std::vector<long double> z;
  const auto expected = serial({1}, {1, -0.5, 0.25, -0.125}, x, z);
  const auto in = to_device(x);
  wavescan::linear_recurrence({0.5, -0.25, 0.125}, in, in);
  expect_near<T>(in, expected, "recurrence");
}

TYPED_TEST(LFilter, CascadesSections) {
  using T = TypeParam;
  std::mt19937_64 random(17);
  for (const int sections : {1, 2, 3, 4, 7, 8, 9, 19}) {
    SCOPED_TRACE(std::to_string(sections) + " sections");
    std::vector<FilterSection> sos;
    const auto x = noise<T>(50000, 19);
    std::vector<long double> y(x.begin(), x.end()), last;
    const Kokkos::View<T**, Kokkos::LayoutRight> state("state", sections, 2);
    const auto host_state = Kokkos::create_mirror_view(state);
    for (int s = 0; s < sections; ++s) {
      // In some cascades one has no feedback, and takes a pass of its own.
      const auto a = s == 2 && sections % 2 == 1 ? std::vector<double>{0.8, 0, 0}
                                                 : stable_denominator(2, 0.95, random);
      sos.push_back({0.6, 0.3 * (s % 3), 0.2, a[0], a[1], a[2]});
      std::vector<long double> z{0.1L * static_cast<long double>(s), -0.3L};
      for (int i = 0; i < 2; ++i) host_state(s, i) = static_cast<T>(z[static_cast<std::size_t>(i)]);
      y = serial({sos.back()[0], sos.back()[1], sos.back()[2]}, a, y, z);
      last.insert(last.end(), z.begin(), z.end());
    }
    copy_elements(state, host_state);
    const auto in = to_device(x);
    const Kokkos::View<T*> out("y", x.size());
    wavescan::sosfilt(sos, in, out, ScanOptions().carry_in(state).carry_out(state));
    expect_near<T>(out, y, "sections");
    expect_near<T>(Kokkos::View<T*>(state.data(), state.size()), last, "last states");
  }
}

TYPED_TEST(LFilter, ForgetsWithoutFeedback) {
  using T = TypeParam;
  for (const int order : {0, 1, 2, 3, 4, 5, 16})
    for (const std::int64_t n : {400, 6001, 100003}) {
      if (wavescan::Test::few_cases_wanted() && n > 10000 && order % 3 != 0) continue;
      SCOPED_TRACE("order " + std::to_string(order) + ", length " + std::to_string(n));
      std::vector<double> b;
      for (int i = 0; i <= order; ++i) b.push_back((i % 3 == 0 ? 0.5 : -0.25) / (1 + i));
      const auto x = noise_with_holes<T>(n);
      const auto expected = convolution(b, x);
      const auto in = to_device(x);
      const Kokkos::View<T*> out("y", in.size());
      wavescan::lfilter(b, {1}, in, out);
      expect_same_holes<T>(out, expected);
      std::vector<double> scaled, zeros(17, 0.0), longer = b;
      for (const double c : b) scaled.push_back(2 * c);
      zeros[0] = 2;
      wavescan::lfilter(scaled, zeros, in, out);
      expect_same_holes<T>(out, expected);
      // In lines side by side, and in blocks that take their states along, of which there may be
      // more than taps.
      longer.resize(17, 0.0);
      const Kokkos::View<T**> lines("lines", in.size(), 21);
      for (std::size_t l = 0; l < 21; ++l)
        Kokkos::deep_copy(Kokkos::subview(lines, Kokkos::ALL, l), in);
      for (const std::vector<double>& c : {b, longer}) {
        const Kokkos::View<T*> state("state", c.size() - 1);
        Kokkos::deep_copy(state, T(1));
        auto from_ones = expected;
        for (std::size_t j = 0; j + 1 < c.size(); ++j) from_ones[j] += 1;
        const auto blocks = to_device(x);
        for (const auto& part : {std::pair<std::int64_t, std::int64_t>(0, n / 5 + 1),
                                 {n / 5 + 1, n / 5 + 4},
                                 {n / 5 + 4, n}})
          wavescan::lfilter(c, {1}, Kokkos::subview(blocks, part), Kokkos::subview(blocks, part),
                            ScanOptions().carry_in(state).carry_out(state));
        expect_same_holes<T>(blocks, from_ones);
      }
      wavescan::lfilter(b, {1}, lines, lines, ScanOptions().axis(0));
      const Kokkos::View<T*> line("line", in.size());
      Kokkos::deep_copy(line, Kokkos::subview(lines, Kokkos::ALL, 20));
      expect_same_holes<T>(line, expected);
    }
}

/// Hosts look at the last samples of a run alone, unless some are no numbers.
TYPED_TEST(LFilter, KeepsWhatIsNoNumberWithFeedback) {
  using T = TypeParam;
  if (!wavescan::Test::on_host<Exec>) GTEST_SKIP() << "hosts alone keep it in all outputs";
  const std::int64_t n = 100000;
  const std::vector<FilterSection> sos{
      {1, 0.5, 0.25, 1, -1.1, 0.4}, {1, 0, 0, 1, 0.5, 0.25}, {0.5, 1, 0.5, 1, -0.6, 0.3}};
  for (const bool reverse : {false, true})
    for (const T hole : {std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()})
      for (const std::int64_t at : {std::int64_t(7), n / 3, n - 50000}) {
        SCOPED_TRACE(std::to_string(hole) + " at " + std::to_string(at) +
                     (reverse ? ", back" : ""));
        auto x = noise<T>(n, 41);
        const auto place = [&](std::int64_t j) { return reverse ? n - 1 - j : j; };
        const auto options = ScanOptions().reverse(reverse);
        const auto expected = to_device(x);
        wavescan::sosfilt(sos, expected, expected, options);
        x[static_cast<std::size_t>(place(at))] = hole;
        const auto y = to_device(x);
        wavescan::sosfilt(sos, y, y, options);
        for (std::int64_t j = 0; j < n; ++j) {
          const T got = y(place(j));
          if (j < at)
            ASSERT_NEAR(got, expected(place(j)), 1e2 * std::numeric_limits<T>::epsilon()) << j;
          else
            ASSERT_FALSE(std::isfinite(got)) << j;
        }
      }
}

/// What is left of a sample is right to less than a rounding unit of the largest output; on devices
/// to some units of that.
TYPED_TEST(LFilter, RemembersWhatDecays) {
  using T = TypeParam;
  if (!wavescan::Test::on_host<Exec>) GTEST_SKIP() << "hosts alone are that accurate";
  constexpr double unit = std::numeric_limits<T>::epsilon();
  std::vector<T> x(100000, T(0));
  for (std::size_t j = 0; j < x.size(); j += 701) x[j] = T(1);
  std::vector<long double> z, later;
  const auto exact = serial({1}, {1, -0.5}, serial({1}, {1, -1.5, 0.54}, x, z), later);
  const auto in = to_device(x);
  wavescan::sosfilt({{1, 0, 0, 1, -1.5, 0.54}, {1, 0, 0, 1, -0.5, 0}}, in, in);
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), in);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const auto expected = static_cast<double>(exact[j]);
    ASSERT_NEAR(static_cast<double>(y(j)), expected, 1e4 * unit * expected + std::pow(unit, 1.5))
        << j;
  }
}

TYPED_TEST(LFilter, CascadesForgetWithoutFeedback) {
  using T = TypeParam;
  const std::int64_t n = 50000;
  const auto x = noise_with_holes<T>(n);
  const std::vector<FilterSection> sos{
      {0.5, -0.25, 0, 1, 0, 0}, {0.5, 0.5, -0.125, 2, 0, 0}, {0.25, 0, 0, 1, 0, 0}};
  const auto in = to_device(x);
  const Kokkos::View<T*> out("y", in.size());
  wavescan::sosfilt(sos, in, out);
  expect_same_holes<T>(
      out, convolution({0.25}, convolution({0.25, 0.25, -0.0625}, convolution({0.5, -0.25}, x))));
  // A section with feedback remembers; those before it do not.
  const Kokkos::View<T**, Kokkos::LayoutRight> state("state", 2, 2);
  auto earlier = x;
  earlier.back() = T(1);
  wavescan::sosfilt({sos[0], {1, 0, 0, 1, -0.5, 0.2}}, to_device(earlier), out,
                    ScanOptions().carry_out(state));
  const auto last = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), state);
  EXPECT_EQ(last(0, 0), T(-0.25));
  if (wavescan::Test::on_host<Exec>) {
    EXPECT_TRUE(std::isnan(last(1, 0)));
  }
}

/// The kernels of devices, on hosts, too: lines of several tiles, in place, from states.
TYPED_TEST(LFilter, ForgetsInTiles) {
  using T = TypeParam;
  namespace filter = wavescan::Impl::filter;
  using Form = filter::RealFiniteForm<T>;
  const std::vector<double> b{0.5, -0.25, 0.125, 0.5};
  const std::size_t n = 5003, lines = 3;
  auto x = noise_with_holes<T>(std::int64_t(n));
  for (const bool reverse : {false, true}) {
    const Kokkos::View<T**, Kokkos::LayoutRight> rows("x", lines, n), state("state", lines, 5);
    Kokkos::deep_copy(state, T(1));
    for (std::size_t l = 0; l < lines; ++l)
      copy_elements(Kokkos::subview(rows, l, Kokkos::ALL), to_device(x));
    const Form form = filter::finite_form<T>(b, {1, 0, 0, 0, 0, 0});
    const wavescan::Impl::LineExtents extents{std::int64_t(lines), std::int64_t(n)};
    const filter::FiniteTiles<Exec, Form> tiles(Exec(), form, 0, extents);
    const auto options = ScanOptions().reverse(reverse).carry_in(state).carry_out(state);
    tiles.enqueue(Exec(), form,
                  filter::make_problem<Exec, T>("test", {0, 5}, extents, rows, rows, options));
    auto samples = x;
    if (reverse) std::reverse(samples.begin(), samples.end());
    auto expected = convolution(b, samples);
    std::vector<long double> left(5, 0.0L);
    for (std::size_t i = 0; i < 5; ++i) {
      expected[i] += 1;
      for (std::size_t k = i + 1; k < b.size(); ++k)
        left[i] += static_cast<long double>(b[k]) * samples[n + i - k];
    }
    if (reverse) std::reverse(expected.begin(), expected.end());
    const Kokkos::View<T*> line("line", n), last("last", 5);
    copy_elements(line, Kokkos::subview(rows, lines - 1, Kokkos::ALL));
    copy_elements(last, Kokkos::subview(state, lines - 1, Kokkos::ALL));
    expect_same_holes<T>(line, expected);
    expect_same_holes<T>(last, left);
  }
}

TEST(FiniteFilters, OverflowAsTheLoopDoes) {
  const auto x = to_device(std::vector<float>{3e38f, 3e38f, 1, 1, 1});
  const Kokkos::View<float*> y("y", 5);
  wavescan::lfilter({1, 1}, {1}, x, y);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  const float expected[] = {3e38f, std::numeric_limits<float>::infinity(), 3e38f, 2, 2};
  for (int j = 0; j < 5; ++j) EXPECT_EQ(host(j), expected[j]) << j;
}

/// The loop in the samples' own precision.
template <class T>
std::vector<T> serial_in_own_precision(const std::vector<double>& a, const std::vector<T>& x) {
  std::vector<T> z(a.size(), T(0)), y;
  for (const T sample : x) {
    y.push_back(sample + z[0]);
    for (std::size_t i = 0; i + 1 < a.size(); ++i)
      z[i] = std::fma(-static_cast<T>(a[i + 1]), y.back(), z[i + 1]);
  }
  return y;
}

/// Expects an error as large as that of the loop in the samples' own precision at most, times a
/// factor, and times what joins of states cost on devices (see max_growth).
template <class T>
void expect_accurate(const Kokkos::View<T*>& got, const std::vector<T>& loop,
                     const std::vector<long double>& exact, int times) {
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
  long double of_loop = 0, error = 0, largest = 0;
  for (std::size_t j = 0; j < exact.size(); ++j) {
    largest = std::max(largest, std::abs(exact[j]));
    of_loop = std::max(of_loop, std::abs(static_cast<long double>(loop[j]) - exact[j]));
    error = std::max(error, std::abs(static_cast<long double>(y(j)) - exact[j]));
  }
  const bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, Exec::memory_space>::accessible;
  const int of_joins = on_host ? 1 : sizeof(T) == 4 ? 2 : 32;
  // Vectors of 16 bytes round products, too, before they are added.
  const int of_products = wavescan::Impl::dispatch(
      [](auto target) { return std::same_as<decltype(target), wavescan::Impl::Baseline> ? 2 : 1; });
  EXPECT_LT(error, times * of_joins * of_products * of_loop +
                       8 * std::numeric_limits<T>::epsilon() * largest);
}

/// Sections with poles of one radius, as accurate numbers of the samples' type.
template <class T>
std::vector<std::vector<double>> denominators(int count, double radius) {
  std::vector<std::vector<double>> all;
  for (int k = 0; k < count; ++k) {
    all.push_back({1, -2 * radius * std::cos(0.05 + 0.3 * k), radius * radius});
    for (double& c : all.back()) c = static_cast<double>(static_cast<T>(c));
  }
  return all;
}

TYPED_TEST(LFilter, IsAsAccurateAsTheLoop) {
  using T = TypeParam;
  const auto x = noise<T>(60000, 29);
  for (const int order : {2, 4, 8, 16})
    for (const double radius : {0.9, 0.99, 0.999, 0.9999}) {
      SCOPED_TRACE("order " + std::to_string(order) + ", radius " + std::to_string(radius));
      std::vector<double> a{1};
      for (const auto& section : denominators<double>(order / 2, radius)) a = product(a, section);
      for (double& c : a) c = static_cast<double>(static_cast<T>(c));
      std::vector<long double> z;
      const auto exact = serial({1}, a, x, z);
      const auto in = to_device(x);
      wavescan::lfilter({1}, a, in, in);
      expect_accurate(in, serial_in_own_precision(a, x), exact, 8);
    }
}

TYPED_TEST(LFilter, CascadesAsAccuratelyAsTheLoop) {
  using T = TypeParam;
  const auto x = noise<T>(60000, 31);
  for (const int count : {2, 4, 6, 8})
    for (const double radius : {0.9, 0.99, 0.999, 0.9999}) {
      SCOPED_TRACE(std::to_string(count) + " sections, radius " + std::to_string(radius));
      std::vector<long double> exact(x.begin(), x.end());
      std::vector<T> loop = x;
      std::vector<FilterSection> sos;
      for (const auto& a : denominators<T>(count, radius)) {
        std::vector<long double> z;
        exact = serial({1}, a, exact, z);
        loop = serial_in_own_precision(a, loop);
        sos.push_back({1, 0, 0, a[0], a[1], a[2]});
      }
      const auto in = to_device(x);
      wavescan::sosfilt(sos, in, in);
      // Later sections suppress what earlier ones let through, errors with it.
      expect_accurate(in, loop, exact, 16);
    }
}

TEST(LFiltIC, IsThatOfOutputsBefore) {
  const std::vector<double> b{0.3, 0.2, 0.7}, a{2, -1.5, 0.9, 0.2};
  const auto x = noise<double>(100, 23);
  std::vector<long double> z;
  const auto y = serial(b, a, x, z);
  const auto state =
      wavescan::lfiltic(b, a, {double(y[99]), double(y[98]), double(y[97])}, {x[99], x[98], x[97]});
  ASSERT_EQ(state.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(state[i], static_cast<double>(z[i]), 1e-12);
}

TEST(LFilterErrors, NameTheArgument) {
  const Kokkos::View<double*> x("x", 10), y("y", 9), z("z", 2);
  expect_error("'b' must have a coefficient", [&] { wavescan::lfilter({}, {1}, x, x); });
  expect_error("'a' must begin", [&] { wavescan::lfilter({1}, {0, 1}, x, x); });
  expect_error("'a' must be finite", [&] { wavescan::lfilter({1}, {1, NAN}, x, x); });
  expect_error("'b' must have at most 17",
               [&] { wavescan::lfilter(std::vector<double>(18, 1.0), {1}, x, x); });
  expect_error("'y' must have at least", [&] { wavescan::lfilter({1}, {1, 1}, x, y); });
  expect_error("'carry_in' must hold a state for each line (1)", [&] {
    wavescan::lfilter({1}, {1, 1}, x, x, ScanOptions().carry_in(z));
  });
  expect_error("'sos' must have a section", [&] { wavescan::sosfilt({}, x, x); });
  expect_error("'axis'", [&] { wavescan::lfilter({1}, {1}, x, x, ScanOptions().axis(2)); });
  expect_error("'a' must have at most 17",
               [&] { wavescan::lfilter({1}, std::vector<double>(18, 1.0), x, x); });
  expect_error("'sos' must have sections whose a_0", [&] {
    wavescan::sosfilt({{1, 0, 0, 0, 1, 0}}, x, x);
  });
  expect_error("'sos' must be finite", [&] { wavescan::sosfilt({{1, 0, NAN, 1, 1, 0}}, x, x); });
}

TEST(LFilterErrors, NameTheFunction) {
  const Kokkos::View<double*> x("x", 10), y("y", 9);
  expect_error("WaveScan::lfilter: argument 'b' must", [&] { wavescan::lfilter({}, {1}, x, x); });
  expect_error("WaveScan::lfilter: argument 'y'", [&] { wavescan::lfilter({1}, {1}, x, y); });
  expect_error("WaveScan::sosfilt: argument 'sos'", [&] { wavescan::sosfilt({}, x, x); });
  expect_error("WaveScan::Filter: argument 'sos'",
               [&] { wavescan::Filter<Exec, double>::sections(Exec(), {}, 1, 10); });
  expect_error("WaveScan::linear_recurrence: argument 'coefficients' must be at most 16, got 17",
               [&] { wavescan::linear_recurrence(std::vector<double>(17, 0.1), x, x); });
  expect_error("WaveScan::linear_recurrence: argument 'coefficients' must be finite",
               [&] { wavescan::linear_recurrence({NAN}, x, x); });
  expect_error("WaveScan::linear_recurrence: argument 'y'",
               [&] { wavescan::linear_recurrence({0.5}, x, y); });
  expect_error("WaveScan::lfilter_zi: argument 'a'", [] { wavescan::lfilter_zi({1}, {1, -1}); });
  expect_error("WaveScan::sosfilt_zi: argument 'sos'", [] {
    wavescan::sosfilt_zi({{1, 0, 0, 1, -1, 0}});
  });
  expect_error("WaveScan::lfiltic: argument 'a'", [] { wavescan::lfiltic({1}, {}, {1}); });
}

TEST(LFilterErrors, OverlapsAreRejected) {
  const Kokkos::View<double*> all("all", 20);
  const auto part = [&](int first, int size) {
    return Kokkos::subview(all, std::pair(first, first + size));
  };
  const auto filter = [](const auto& x, const auto& y, const auto& options) {
    wavescan::lfilter({1, 1, 1}, {1, 0.5}, x, y, options);
  };
  const Kokkos::View<double*> other("other", 10), state("state", 3);
  expect_error("'y' must be 'x' itself", [&] { filter(part(0, 10), part(1, 10), ScanOptions()); });
  const Kokkos::View<double**, Kokkos::LayoutStride> in_lines(all.data(),
                                                              Kokkos::LayoutStride(2, 10, 10, 1)),
      on_each_other(other.data(), Kokkos::LayoutStride(2, 0, 10, 1));
  expect_error("'y' must have no elements that overlap",
               [&] { filter(in_lines, on_each_other, ScanOptions()); });
  expect_error("'y' must share no memory with 'carry_in'",
               [&] { filter(other, part(0, 10), ScanOptions().carry_in(part(8, 2))); });
  expect_error("'carry_out' must share no memory with 'x'",
               [&] { filter(part(0, 10), other, ScanOptions().carry_out(part(9, 2))); });
  expect_error("'carry_out' must share no memory with 'y'",
               [&] { filter(other, part(0, 10), ScanOptions().carry_out(part(9, 2))); });
  expect_error("'carry_out' must be 'carry_in' itself", [&] {
    filter(other, other,
           ScanOptions()
               .carry_in(Kokkos::subview(state, std::pair(0, 2)))
               .carry_out(Kokkos::subview(state, std::pair(1, 3))));
  });
  filter(part(0, 10), part(10, 10), ScanOptions().carry_in(part(2, 2)));
}

TEST(FilterPlans, CheckTheirExtents) {
  using Plan = wavescan::Filter<Exec, double>;
  expect_error("'lines' must not be negative", [] { Plan::direct_form(Exec(), {1}, {1}, -1, 5); });
  expect_error("'length' must not be negative", [] { Plan::direct_form(Exec(), {1}, {1}, 1, -5); });
  const Kokkos::View<double*> x("x", 10);
  expect_error("must hold the plan's 1 lines of 9 samples",
               [&] { Plan::direct_form(Exec(), {1}, {1}, 1, 9).apply(x, x); });
}

/// Of all ways to filter; kernels of complex samples are those of devices without their own.
TEST(FilterPlans, AllocateAndFenceNothing) {
  using wavescan::Test::join;
  const auto check = [](const auto& plan, const auto& x, const auto& options) {
    Kokkos::fence();
    const wavescan::Test::Recorder recorder;
    for (int k = 0; k < 2; ++k) plan.apply(x, x, options);
    EXPECT_EQ(join(recorder.allocations()), "");
    EXPECT_EQ(join(recorder.fences()), "");
    EXPECT_FALSE(recorder.regions().empty());
  };
  const auto check_forms = [&]<class T>(const Kokkos::View<T**, Kokkos::LayoutRight>& x) {
    using Plan = wavescan::Filter<Exec, T>;
    const std::int64_t lines = x.extent_int(0), n = x.extent_int(1);
    const Kokkos::View<T**, Kokkos::LayoutRight> one("one", x.extent(0), 1);
    const Kokkos::View<T***, Kokkos::LayoutRight> three("three", 3, x.extent(0), 2);
    const FilterSection section{1, 0.5, 0.25, 1, -0.5, 0.25};
    const auto carry = [](const auto& state) {
      return ScanOptions().carry_in(state).carry_out(state);
    };
    check(Plan::direct_form(Exec(), {1}, {1, -0.5}, lines, n), x, carry(one));
    check(Plan::direct_form(Exec(), {1, 0.5}, {1}, lines, n), x, carry(one));
    check(Plan::sections(Exec(), {section, {1, 1, 0, 1, 0, 0}, section}, lines, n), x,
          carry(three));
    // Unstable: a loop for each line.
    check(Plan::direct_form(Exec(), {1}, {1, -1.5}, lines, n), x, ScanOptions());
  };
  for (const std::size_t lines : {1u, 40u}) {
    check_forms(Kokkos::View<double**, Kokkos::LayoutRight>("x", lines, 20000));
    check_forms(Kokkos::View<Kokkos::complex<float>**, Kokkos::LayoutRight>("x", lines, 20000));
  }
}

}  // namespace filters_lfilter
