// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include "Reference.hpp"

#include <WaveScan_LinearRecurrence.hpp>

#include <WaveScanTest_Tools.hpp>
#include <WaveScanTest_Types.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace filters_recurrence {

using namespace filters;
using wavescan::linear_recurrence;
using wavescan::ScanOptions;

/// @param c     coefficients of y_{j-1}, y_{j-2}, ..., one vector for each
/// @param state outputs before the first one, the newest first; then those before the end
template <class T>
std::vector<long double> serial_recurrence(const std::vector<std::vector<T>>& c,
                                           const std::vector<T>& x,
                                           std::vector<long double>& state) {
  state.resize(c.size(), 0.0L);
  std::vector<long double> y;
  for (std::size_t j = 0; j < x.size(); ++j) {
    long double next = x[j];
    for (std::size_t k = 0; k < c.size(); ++k) next += static_cast<long double>(c[k][j]) * state[k];
    state.insert(state.begin(), next);
    state.pop_back();
    y.push_back(next);
  }
  return y;
}

template <class T>
std::vector<std::vector<T>> coefficients(int order, std::int64_t n) {
  std::vector<std::vector<T>> c;
  for (int k = 0; k < order; ++k) {
    c.push_back(noise<T>(n, static_cast<std::uint64_t>(100 + k)));
    for (T& v : c.back()) v *= T(0.9) / static_cast<T>(order);
  }
  return c;
}

template <class T>
class Recurrence : public testing::Test {};
TYPED_TEST_SUITE(Recurrence, wavescan::Test::FloatingPointTypes);

TYPED_TEST(Recurrence, TakesCoefficientsFromViews) {
  using T = TypeParam;
  for (const int order : {1, 2, 3, 5, 8, 16})
    for (const std::int64_t n : {0, 1, 2, 17, 1000, 40009}) {
      SCOPED_TRACE("order " + std::to_string(order) + ", length " + std::to_string(n));
      const auto c = coefficients<T>(order, n);
      const auto x = noise<T>(n, 1);
      std::vector<long double> state;
      const auto expected = serial_recurrence(c, x, state);
      std::vector<Kokkos::View<T*>> views;
      for (const auto& one : c) views.push_back(to_device(one));
      const auto in = to_device(x);
      const Kokkos::View<T*> out("y", x.size());
      Kokkos::deep_copy(out, std::numeric_limits<T>::quiet_NaN());
      linear_recurrence(views, in, out);
      expect_near<T>(out, expected, "Views");
      const Kokkos::View<T**> together("c", x.size(), static_cast<std::size_t>(order));
      const auto host = Kokkos::create_mirror_view(together);
      for (std::size_t j = 0; j < x.size(); ++j)
        for (std::size_t k = 0; k < c.size(); ++k) host(j, k) = c[k][j];
      copy_elements(together, host);
      linear_recurrence(together, in, in);
      expect_near<T>(in, expected, "interleaved, in place");
    }
}

TYPED_TEST(Recurrence, GoesOnFromOutputs) {
  using T = TypeParam;
  const std::int64_t n = 30000;
  auto c = coefficients<T>(2, n);
  auto x = noise<T>(n, 2);
  const std::array<Kokkos::View<T*>, 2> views{to_device(c[0]), to_device(c[1])};
  const auto in = to_device(x);
  std::vector<long double> state{0.5L, -2.0L};
  const auto kept = to_device(std::vector<T>{T(0.5), T(-2)});
  const auto expected = serial_recurrence(c, x, state);
  std::int64_t begin = 0;
  const auto part = [&](const auto& view, std::int64_t end) {
    return Kokkos::subview(view, std::pair<std::int64_t, std::int64_t>(begin, end));
  };
  for (const std::int64_t end : {1, 2, 12345, 12345, 30000}) {
    const std::array<decltype(part(in, end)), 2> some{part(views[0], end), part(views[1], end)};
    linear_recurrence(some, part(in, end), part(in, end),
                      ScanOptions().carry_in(kept).carry_out(kept));
    begin = end;
  }
  expect_near<T>(in, expected, "blocks");
  expect_near<T>(kept, state, "last outputs");
  // Backwards, everything is taken from the other end.
  const auto backwards = to_device(x);
  for (auto* v : {&c[0], &c[1], &x}) std::reverse(v->begin(), v->end());
  std::vector<long double> none;
  auto reversed = serial_recurrence(c, x, none);
  std::reverse(reversed.begin(), reversed.end());
  linear_recurrence(views, backwards, backwards, ScanOptions().reverse());
  expect_near<T>(backwards, reversed, "backwards");
}

TYPED_TEST(Recurrence, TakesManyLines) {
  using T = TypeParam;
  for (const int axis : {0, 1}) {
    const std::size_t lines = 37, length = 501;
    // Of one layout: along the other axis strides are those of the other one.
    using View = Kokkos::View<T**, Kokkos::LayoutRight>;
    const auto shape = [&](const char* name) {
      return View(name, axis == 0 ? length : lines, axis == 0 ? lines : length);
    };
    const std::vector<View> c{shape("c1"), shape("c2"), shape("c3")};
    const auto x = shape("x");
    const auto host_x = Kokkos::create_mirror_view(x);
    std::vector<std::vector<long double>> expected;
    std::vector<std::remove_cv_t<decltype(host_x)>> host_c;
    for (const auto& one : c) host_c.push_back(Kokkos::create_mirror_view(one));
    const auto at = [&](const auto& view, std::size_t l, std::size_t j) -> T& {
      return axis == 0 ? view(j, l) : view(l, j);
    };
    for (std::size_t l = 0; l < lines; ++l) {
      const auto own_x = noise<T>(std::int64_t(length), l);
      auto own_c = coefficients<T>(3, std::int64_t(length));
      for (std::size_t j = 0; j < length; ++j) {
        at(host_x, l, j) = own_x[j];
        for (std::size_t k = 0; k < 3; ++k) {
          own_c[k][j] *= static_cast<T>(l % 2);
          at(host_c[k], l, j) = own_c[k][j];
        }
      }
      std::vector<long double> state;
      expected.push_back(serial_recurrence(own_c, own_x, state));
    }
    copy_elements(x, host_x);
    for (std::size_t k = 0; k < 3; ++k) copy_elements(c[k], host_c[k]);
    linear_recurrence(c, x, x, ScanOptions().axis(axis));
    copy_elements(host_x, x);
    for (std::size_t l = 0; l < lines; ++l) {
      const double allowed = tolerance<T>(expected[l]);
      for (std::size_t j = 0; j < length; ++j)
        ASSERT_NEAR(static_cast<double>(at(host_x, l, j)), static_cast<double>(expected[l][j]),
                    allowed)
            << axis << ' ' << l << ' ' << j;
    }
  }
}

/// Samples and coefficients that begin anywhere, in many tiles of a GPU's blocks, from either end.
TYPED_TEST(Recurrence, TakesLinesFromAnywhere) {
  using T = TypeParam;
  wavescan::Test::WantedCases wanted;
  for (const int order : {1, 2, 3, 4})
    for (const std::int64_t n : {3071, 6145, wavescan::Test::few_cases_wanted() ? 70021 : 1300021})
      for (const std::int64_t offset : {0, 1, 3})
        for (const bool reverse : {false, true}) {
          if (!wanted.next()) continue;
          SCOPED_TRACE("order " + std::to_string(order) + ", length " + std::to_string(n) +
                       ", from element " + std::to_string(offset) + (reverse ? ", reverse" : ""));
          auto c = coefficients<T>(order, n);
          auto x = noise<T>(n, static_cast<std::uint64_t>(n + offset));
          std::vector<Kokkos::View<T*>> views;
          for (const auto& one : c) views.push_back(to_device(one, offset));
          const auto in = to_device(x, offset);
          if (reverse) {
            for (auto& one : c) std::reverse(one.begin(), one.end());
            std::reverse(x.begin(), x.end());
          }
          std::vector<long double> state;
          auto expected = serial_recurrence(c, x, state);
          if (reverse) std::reverse(expected.begin(), expected.end());
          const auto run = [&](const auto& out, const auto& options) {
            linear_recurrence(views, in, out, options);
            expect_near<T>(out, expected, "y");
          };
          const auto out =
              to_device(std::vector<T>(x.size(), std::numeric_limits<T>::quiet_NaN()), offset);
          const Kokkos::View<T*> last("last", static_cast<std::size_t>(order));
          if (reverse) {
            run(out, ScanOptions().reverse().carry_out(last));
            run(in, ScanOptions().reverse());
          } else {
            run(out, ScanOptions().carry_out(last));
            run(in, ScanOptions());
          }
          expect_near<T>(last, state, "last outputs");
        }
}

/// Coefficients whose products over tiles do not vanish; those of order 1 nowhere.
TEST(LongRecurrences, RememberManyTiles) {
  const std::int64_t n = 1700003;
  const auto x = noise<double>(n, 5);
  for (const int order : {1, 2}) {
    SCOPED_TRACE("order " + std::to_string(order));
    std::vector<std::vector<double>> c;
    if (order == 1) {
      c.push_back(noise<double>(n, 6));
      for (double& v : c[0]) v = v < 0 ? -1 : 1;
    } else {
      const double radius = 1 - 1e-4;  // thousands of samples
      c.emplace_back(x.size(), 2 * radius * std::cos(0.7));
      c.emplace_back(x.size(), -radius * radius);
    }
    std::vector<long double> state;
    const auto expected = serial_recurrence(c, x, state);
    std::vector<Kokkos::View<double*>> views;
    for (const auto& one : c) views.push_back(to_device(one));
    const auto in = to_device(x);
    linear_recurrence(views, in, in);
    expect_near<double>(in, expected, "y");
  }
}

/// Long lines that lie behind each other, at distances that are multiples of 16 bytes or not.
TYPED_TEST(Recurrence, TakesManyLongLines) {
  using T = TypeParam;
  for (const std::size_t length : {16384u, 50001u}) {
    SCOPED_TRACE("length " + std::to_string(length));
    constexpr std::size_t lines = 41;
    using View = Kokkos::View<T**, Kokkos::LayoutRight>;
    const std::vector<View> c{View("c1", lines, length), View("c2", lines, length)};
    const View x("x", lines, length), y("y", lines, length);
    Kokkos::deep_copy(y, std::numeric_limits<T>::quiet_NaN());
    const Kokkos::View<T**, Kokkos::LayoutRight> last("last", lines, 2);
    const auto host_x = Kokkos::create_mirror_view(x), host_y = Kokkos::create_mirror_view(y);
    const auto host_last = Kokkos::create_mirror_view(last);
    const auto c1 = Kokkos::create_mirror_view(c[0]), c2 = Kokkos::create_mirror_view(c[1]);
    const auto own_c = coefficients<T>(2, std::int64_t(length));
    for (std::size_t l = 0; l < lines; ++l)
      for (std::size_t j = 0; j < length; ++j) {
        host_x(l, j) = static_cast<T>((7 * l + j) % 101) / T(101);
        c1(l, j) = own_c[0][j] * static_cast<T>(l % 3);
        c2(l, j) = own_c[1][j];
      }
    copy_elements(x, host_x);
    copy_elements(c[0], c1);
    copy_elements(c[1], c2);
    linear_recurrence(c, x, y, ScanOptions().axis(1).carry_out(last));
    copy_elements(host_y, y);
    copy_elements(host_last, last);
    for (std::size_t l = 0; l < lines; ++l) {
      std::vector<std::vector<T>> line(2, std::vector<T>(length));
      std::vector<T> own_x(length);
      for (std::size_t j = 0; j < length; ++j) {
        own_x[j] = host_x(l, j);
        line[0][j] = c1(l, j);
        line[1][j] = c2(l, j);
      }
      std::vector<long double> state;
      const auto expected = serial_recurrence(line, own_x, state);
      const double allowed = tolerance<T>(expected);
      for (std::size_t j = 0; j < length; ++j)
        ASSERT_NEAR(static_cast<double>(host_y(l, j)), static_cast<double>(expected[j]), allowed)
            << l << ' ' << j;
      EXPECT_NEAR(static_cast<double>(host_last(l, 1)), static_cast<double>(state[1]), allowed);
    }
  }
}

TEST(ComplexSamples, HaveVaryingCoefficients) {
  using Complex = Kokkos::complex<double>;
  using Long = std::complex<long double>;
  const std::size_t n = 700001;
  const auto parts = noise<double>(std::int64_t(6 * n), 7);
  const auto number = [&](std::size_t k) { return Complex(parts[2 * k], parts[2 * k + 1]); };
  std::vector<Complex> x(n), c1(n), c2(n);
  std::vector<Long> expected(n);
  const auto extended = [](Complex z) { return Long(z.real(), z.imag()); };
  for (std::size_t j = 0; j < n; ++j) {
    x[j] = number(j);
    c1[j] = number(n + j) * 0.35;
    c2[j] = number(2 * n + j) * 0.3;
    expected[j] = extended(x[j]);
    if (j > 0) expected[j] += extended(c1[j]) * expected[j - 1];
    if (j > 1) expected[j] += extended(c2[j]) * expected[j - 2];
  }
  const std::array<Kokkos::View<Complex*>, 2> c{to_device(c1), to_device(c2)};
  const auto in = to_device(x);
  linear_recurrence(c, in, in);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), in);
  for (std::size_t j = 0; j < n; ++j) {
    ASSERT_NEAR(host(j).real(), static_cast<double>(expected[j].real()), 1e-12) << j;
    ASSERT_NEAR(host(j).imag(), static_cast<double>(expected[j].imag()), 1e-12) << j;
  }
}

TEST(RecurrenceErrors, NameTheArgument) {
  const Kokkos::View<double*> x("x", 10), shorter("c", 9);
  using Views = std::vector<Kokkos::View<double*>>;
  expect_error("'coefficients' must be 1 to 16", [&] { linear_recurrence(Views{}, x, x); });
  expect_error("'coefficients' must be 1 to 16", [&] { linear_recurrence(Views(17, x), x, x); });
  expect_error("'coefficients' must have at least",
               [&] { linear_recurrence(Views{shorter}, x, x); });
  expect_error("'coefficients'", [&] { linear_recurrence(Views{x}, x, x); });
  const Kokkos::View<double*> c("c", 10), state("state", 1), two("two", 2);
  expect_error("WaveScan::linear_recurrence: argument 'carry_out' must hold a state",
               [&] { linear_recurrence(Views{c}, x, x, ScanOptions().carry_out(two)); });
  expect_error("'carry_in' must hold a state", [&] {
    linear_recurrence(Views{c, c}, x, x, ScanOptions().carry_in(state));
  });
}

TEST(ComplexSamples, AreFilteredByParts) {
  using Complex = Kokkos::complex<float>;
  const auto real = noise<float>(50001, 3), imaginary = noise<float>(50001, 4);
  std::vector<Complex> x;
  for (std::size_t j = 0; j < real.size(); ++j) x.emplace_back(real[j], imaginary[j]);
  const std::vector<double> b{0.3, -0.2, 0.1}, a{1, -1.3, 0.6};
  std::vector<long double> z, w;
  const auto expected_real = serial(b, a, real, z), expected_imaginary = serial(b, a, imaginary, w);
  const auto in = to_device(x);
  const Kokkos::View<Complex*> state("state", 2);
  wavescan::lfilter(b, a, in, in, ScanOptions().carry_in(state).carry_out(state));
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), in);
  const double allowed = tolerance<float>(expected_real);
  for (std::size_t j = 0; j < x.size(); ++j) {
    ASSERT_NEAR(host(j).real(), static_cast<double>(expected_real[j]), allowed);
    ASSERT_NEAR(host(j).imag(), static_cast<double>(expected_imaginary[j]), allowed);
  }
  const auto last = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), state);
  EXPECT_NEAR(last(1).real(), static_cast<double>(z[1]), 1e-4);
  EXPECT_NEAR(last(1).imag(), static_cast<double>(w[1]), 1e-4);
}

}  // namespace filters_recurrence
