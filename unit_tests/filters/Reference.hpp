// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_FILTERS_REFERENCE_HPP
#define WAVESCAN_TEST_FILTERS_REFERENCE_HPP

#include <WaveScan_Filter.hpp>

#include <WaveScanTest_CopyElements.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// @file
/// @brief What tests of filters compare with: the loop over samples, in extended precision.

namespace filters {

using wavescan::Test::copy_elements;

/// SciPy's documented meaning, sample after sample, in extended precision.
template <class T>
std::vector<long double> serial(const std::vector<double>& b, const std::vector<double>& a,
                                const std::vector<T>& x, std::vector<long double>& z) {
  const std::size_t order = std::max(a.size(), b.size()) - 1;
  const auto at = [&](const std::vector<double>& c, std::size_t i) {
    return i < c.size() ? static_cast<long double>(c[i]) / static_cast<long double>(a[0]) : 0.0L;
  };
  z.resize(order, 0.0L);
  std::vector<long double> y;
  for (const T sample : x) {
    const auto v = static_cast<long double>(sample);
    const long double out = at(b, 0) * v + (order > 0 ? z[0] : 0.0L);
    for (std::size_t i = 0; i < order; ++i)
      z[i] = (i + 1 < order ? z[i + 1] : 0.0L) + at(b, i + 1) * v - at(a, i + 1) * out;
    y.push_back(out);
  }
  return y;
}

/// The coefficients of the product of two polynomials.
inline std::vector<double> product(const std::vector<double>& p, const std::vector<double>& q) {
  std::vector<double> all(p.size() + q.size() - 1, 0.0);
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = 0; j < q.size(); ++j) all[i + j] += p[i] * q[j];
  return all;
}

/// A denominator with poles inside a circle.
inline std::vector<double> stable_denominator(int order, double radius, std::mt19937_64& random) {
  std::uniform_real_distribution<double> r(0.1, radius), angle(0.1, 3.0);
  std::vector<double> a{1};
  const auto times = [&](const std::vector<double>& factor) { a = product(a, factor); };
  for (int k = 0; k + 1 < order; k += 2) {
    const double p = r(random);
    times({1, -2 * p * std::cos(angle(random)), p * p});
  }
  if (order % 2 == 1) times({1, -r(random)});
  return a;
}

template <class T>
std::vector<T> noise(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& v : x) v = static_cast<T>(uniform(random));
  return x;
}

template <class T>
Kokkos::View<T*> to_device(const std::vector<T>& x, std::int64_t offset = 0) {
  Kokkos::View<T*> view("x", x.size() + static_cast<std::size_t>(offset));
  auto part = Kokkos::subview(view, std::pair<std::int64_t, std::int64_t>(
                                        offset, offset + static_cast<std::int64_t>(x.size())));
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      x.data(), x.size());
  copy_elements(part, host);
  return part;
}

/// What rounding may do: some units in the last place of the largest output, grown by how long the
/// filter remembers.
template <class T>
double tolerance(const std::vector<long double>& expected) {
  long double largest = 1;
  for (const long double v : expected) largest = std::max(largest, std::abs(v));
  return static_cast<double>(largest) * 2e3 * std::numeric_limits<T>::epsilon();
}

template <class T, class View>
void expect_near(const View& got, const std::vector<long double>& expected, const char* what) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), got);
  const double allowed = tolerance<T>(expected);
  for (std::size_t j = 0; j < expected.size(); ++j)
    ASSERT_NEAR(static_cast<double>(host(j)), static_cast<double>(expected[j]), allowed)
        << what << ", sample " << j;
}

inline void expect_error(const std::string& part, const auto& call) {
  try {
    call();
    FAIL() << "no error that says " << part;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace filters

#endif
