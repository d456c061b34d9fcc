// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>

#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_CopyElements.hpp>
#include <WaveScanTest_SpecialNumbers.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "Reference.hpp"
#include "Variable.hpp"

#if __has_include(<KokkosSparse_CrsMatrix.hpp>)
#include <KokkosSparse_CrsMatrix.hpp>
#endif

/// @file
/// @brief Five-point matrices: where they come from, and what SOR makes of them.

namespace wavescan::Test {
namespace {

using Size = std::pair<std::int64_t, std::int64_t>;
using MakePlacement = Placement (*)(std::int64_t rows, std::int64_t columns);
using Space = Exec::memory_space;
using View = Kokkos::View<double**, Exec>;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing";
}

/// @brief The values of a View row by row.
template <class V>
std::vector<double> values_of(const V& view) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec> copy("copy", view.extent(0),
                                                               view.extent(1));
  Kokkos::deep_copy(copy, view);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copy);
  return {host.data(), host.data() + host.size()};
}

/// @brief Entries of a matrix on the host: center, left, up, right, down of each point.
struct PlainMatrix {
  std::int64_t m;
  std::int64_t n;
  std::vector<std::array<double, 5>> entries;

  PlainMatrix(std::int64_t rows, std::int64_t columns)
      : m(rows), n(columns), entries(static_cast<std::size_t>((m + 2) * (n + 2))) {}
  std::size_t at(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i * (n + 2) + j);
  }
};

/// @brief Random and diagonally dominant, without couplings with the halo.
PlainMatrix random_matrix(std::int64_t m, std::int64_t n, Random& random) {
  PlainMatrix a(m, n);
  for (std::int64_t i = 1; i <= m; ++i)
    for (std::int64_t j = 1; j <= n; ++j) {
      const auto coupling = [&](bool inside) { return inside ? random.value<double>() : 0.0; };
      a.entries[a.at(i, j)] = {5 + random.value<double>(), coupling(j > 1), coupling(i > 1),
                               coupling(j < n), coupling(i < m)};
    }
  return a;
}

void expect_matrix(const FivePointMatrix<double, Space>& got, const PlainMatrix& expected,
                   double tolerance = 0) {
  const std::array views{got.center, got.left, got.up, got.right, got.down};
  for (std::size_t k = 0; k < 5; ++k) {
    const auto values = values_of(views[k]);
    for (std::int64_t i = 1; i <= expected.m; ++i)
      for (std::int64_t j = 1; j <= expected.n; ++j)
        ASSERT_NEAR(values[expected.at(i, j)], expected.entries[expected.at(i, j)][k], tolerance)
            << "entry " << k << " at " << i << ", " << j;
  }
}

/// @brief No more than what is needed of KokkosSparse::CrsMatrix.
struct MinimalCrs {
  struct Graph {
    Kokkos::View<const std::size_t*, Exec> row_map;
    Kokkos::View<const int*, Exec> entries;
  };
  Graph graph;
  Kokkos::View<const double*, Exec> values;
  int numRows() const { return std::max(static_cast<int>(graph.row_map.extent(0)) - 1, 0); }
};
static_assert(CrsMatrixLike<MinimalCrs>);
static_assert(!CrsMatrixLike<View>);

template <class T>
Kokkos::View<T*, Exec> device_vector(const std::vector<T>& values) {
  const Kokkos::View<T*, Exec> view("values", values.size());
  copy_elements(view, Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          values.data(), values.size()));
  return view;
}

/// @brief A matrix in compressed rows, which tests change as they like.
struct HostCrs {
  std::vector<std::size_t> row_map{0};
  std::vector<int> entries;
  std::vector<double> values;

  /// @brief Neighbours first and the diagonal last, with the latter in two parts.
  explicit HostCrs(const PlainMatrix& a) {
    const std::array<std::int64_t, 5> distance{0, -1, -a.n, 1, a.n};
    for (std::int64_t i = 1; i <= a.m; ++i)
      for (std::int64_t j = 1; j <= a.n; ++j) {
        const std::int64_t row = (i - 1) * a.n + j - 1;
        const std::array inside{true, j > 1, i > 1, j < a.n, i < a.m};
        for (std::size_t k = 5; k-- > 0;)
          if (inside[k]) add(row + distance[k], a.entries[a.at(i, j)][k]);
        add(row, 1);
        add(row, -1);
        row_map.push_back(entries.size());
      }
  }
  void add(std::int64_t column, double value) {
    entries.push_back(static_cast<int>(column));
    values.push_back(value);
  }
  MinimalCrs on_device() const {
    return {{device_vector(row_map), device_vector(entries)}, device_vector(values)};
  }
};

TEST(FivePointMatrix, FromCompressedRows) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [m, n] : {Size{0, 0}, Size{0, 3}, Size{1, 1}, Size{1, 2}, Size{2, 1}, Size{1, 7},
                             Size{7, 1}, Size{2, 2}, Size{3, 2}, Size{2, 3}, Size{13, 17}})
    for (const MakePlacement place : {row_major, column_major, spread}) {
      SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
      const PlainMatrix expected = random_matrix(m, n, random);
      const GuardedArray<double> x(place(m + 2, n + 2));
      expect_matrix(five_point_matrix(Exec(), HostCrs(expected).on_device(), x.matrix()), expected,
                    1e-15);
    }
}

TEST(FivePointMatrix, NamesTheRowThatIsNot) {
  Random random;
  const PlainMatrix a = random_matrix(4, 5, random);
  const View x("x", 6, 7);
  const auto error_with = [&](std::size_t row, int column, double value) {
    HostCrs crs(a);
    const std::size_t k = crs.row_map[row];
    crs.entries[k] = column;
    crs.values[k] = value;
    return error_of([&] { five_point_matrix(Exec(), crs.on_device(), x); });
  };
  const std::string start =
      "WaveScan::five_point_matrix: argument 'crs' must couple a point with its four neighbours "
      "alone, got another entry in row ";
  EXPECT_EQ(error_with(7, 0, 1.0), start + "7, of the point (2, 3)");
  EXPECT_EQ(error_with(4, 5, 1.0), start + "4, of the point (1, 5)");  // in the next row of points
  EXPECT_EQ(error_with(5, 4, 1.0), start + "5, of the point (2, 1)");
  EXPECT_EQ(error_with(0, 6, 1.0), start + "0, of the point (1, 1)");  // a diagonal neighbour
  EXPECT_EQ(error_with(19, 20, nan<double>), start + "19, of the point (4, 5)");
  EXPECT_EQ(error_with(19, 99, 0.0), "nothing");  // zeros may stand anywhere

  const View other("other", 6, 6);
  EXPECT_EQ(error_of([&] { five_point_matrix(Exec(), HostCrs(a).on_device(), other); }),
            "WaveScan::five_point_matrix: argument 'crs' must have a row for each of 4 x 4 "
            "unknowns, got 20 rows");
}

#if __has_include(<KokkosSparse_CrsMatrix.hpp>)
TEST(FivePointMatrix, FromKokkosKernels) {
  Random random;
  const PlainMatrix expected = random_matrix(6, 9, random);
  const HostCrs host(expected);
  using Crs = KokkosSparse::CrsMatrix<double, int, Exec, void, std::size_t>;
  const int rows = 54;
  const Crs crs("crs", rows, rows, host.values.size(), device_vector(host.values),
                device_vector(host.row_map), device_vector(host.entries));
  expect_matrix(five_point_matrix(Exec(), crs, View("x", 8, 11)), expected, 1e-15);
}
#endif

TEST(FivePointMatrix, OfDiffusion) {
  Random random;
  SCOPED_TRACE(random.trace());
  const std::int64_t m = 11, n = 6;
  const double h = 0.5;
  std::vector<double> k;
  for (int p = 0; p < 13 * 8; ++p) k.push_back(1 + 0.9 * random.value<double>());
  k[3 * 8 + 3] = k[3 * 8 + 4] = 0;  // no flux between them, nor to others
  PlainMatrix expected(m, n);
  for (std::int64_t i = 1; i <= m; ++i)
    for (std::int64_t j = 1; j <= n; ++j) {
      const auto face = [&](std::int64_t other_i, std::int64_t other_j) {
        const double here = k[expected.at(i, j)], there = k[expected.at(other_i, other_j)];
        return here == 0 || there == 0 ? 0 : 2 / (1 / here + 1 / there) / (h * h);
      };
      const double l = face(i, j - 1), u = face(i - 1, j), r = face(i, j + 1), d = face(i + 1, j);
      expected.entries[expected.at(i, j)] = {l + u + r + d, -l, -u, -r, -d};
    }
  for (const MakePlacement place : {row_major, column_major, spread}) {
    const GuardedArray<double> given(place(m + 2, n + 2), k);
    expect_matrix(diffusion_matrix(Exec(), given.matrix(), h), expected, 1e-14);
  }
}

TEST(FivePointMatrix, OfConstantDiffusionIsPoissons) {
  const View k("k", 9, 12);
  Kokkos::deep_copy(k, 1.0);
  const double omega = 1.7, h = 0.25;
  const auto c = sor_coefficients(Exec(), diffusion_matrix(Exec(), k, h), omega);
  const auto expected = poisson<double>(omega, h);
  EXPECT_NEAR(c.center.constant(), expected.center, 1e-15);
  const std::array got{c.left, c.up, c.right, c.down};
  for (const auto& neighbour : got) {
    EXPECT_TRUE(neighbour.varies());
    EXPECT_NEAR(values_of(neighbour.values())[3 * 12 + 4], expected.left, 1e-15);
  }
  EXPECT_NEAR(values_of(c.rhs.values())[3 * 12 + 4], expected.rhs, 1e-16);
}

/// @brief A x on the host; the halo of x counts only where the matrix couples with it.
std::vector<double> product(const PlainMatrix& a, const std::vector<double>& x) {
  std::vector<double> y = x;
  for (std::int64_t i = 1; i <= a.m; ++i)
    for (std::int64_t j = 1; j <= a.n; ++j) {
      const auto& e = a.entries[a.at(i, j)];
      y[a.at(i, j)] = e[0] * x[a.at(i, j)] + e[1] * x[a.at(i, j - 1)] + e[2] * x[a.at(i - 1, j)] +
                      e[3] * x[a.at(i, j + 1)] + e[4] * x[a.at(i + 1, j)];
    }
  return y;
}

/// @brief Default options give the bits of the serial schedule for coefficients made of a matrix.
TEST(FivePointMatrix, SweepsAreExact) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [m, n] : {Size{3, 3000}, Size{9, 98}, Size{27, 260}, Size{400, 2}})
    for (const MakePlacement place : {row_major, column_major, spread}) {
      SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
      const std::vector<double> start = random.values<double>((m + 2) * (n + 2));
      const GuardedArray<double> x(place(m + 2, n + 2), start);
      const GuardedArray<double> serial(place(m + 2, n + 2), start);
      const GuardedArray<double> rhs(place(m + 2, n + 2), start);
      const auto c = sor_coefficients(
          Exec(),
          five_point_matrix(Exec(), HostCrs(random_matrix(m, n, random)).on_device(), x.matrix()),
          1.3);
      const SORInputs inputs = SORInputs().rhs(rhs.matrix());
      sor_sweeps(Exec(), x.matrix(), c, 2, inputs);
      sor_sweeps(Exec(), serial.matrix(), c, 2, inputs, {.schedule = Schedule::Serial});
      ASSERT_TRUE(same_bits(x.values(), serial.values()));
    }
}

TEST(FivePointMatrix, MultipliesAndIsSolved) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const MakePlacement place : {row_major, column_major, spread}) {
    const std::int64_t m = 12, n = 19;
    const PlainMatrix plain = random_matrix(m, n, random);
    const std::vector<double> solution = random.values<double>((m + 2) * (n + 2));
    const GuardedArray<double> x(place(m + 2, n + 2), solution);
    const GuardedArray<double> y(row_major(m + 2, n + 2), solution);
    const auto a = five_point_matrix(Exec(), HostCrs(plain).on_device(), x.matrix());
    multiply(Exec(), a, x.matrix(), y.matrix());
    const auto expected = product(plain, solution);
    const auto got = y.values();
    for (std::size_t k = 0; k < got.size(); ++k) ASSERT_NEAR(got[k], expected[k], 1e-14);

    // y is now the right-hand side of a system whose solution is known.
    for (const double omega : {0.7, 1.0, 1.2}) {
      const auto c = sor_coefficients(Exec(), a, omega);
      const auto inputs = SORInputs().rhs(y.matrix());
      EXPECT_NEAR(sor_residual(x.matrix(), c, inputs), 0, 1e-13);
      const GuardedArray<double> z(place(m + 2, n + 2), solution);
      sor_sweeps(ZeroGuess{}, z.matrix(), c, 0, inputs);
      const SolveReport report = sor_solve(z.matrix(), c, inputs, {.tolerance = 1e-13});
      EXPECT_TRUE(report.converged()) << report.to_string();
      const auto solved = z.values();
      for (std::size_t k = 0; k < solved.size(); ++k) ASSERT_NEAR(solved[k], solution[k], 1e-12);
    }
  }
}

TEST(FivePointMatrix, SSORIsASymmetricPreconditioner) {
  // One symmetric sweep from zero is z = M^-1 r; for a symmetric A so is M: r' M^-1 s = s' M^-1 r.
  Random random;
  const View k("k", 14, 22);
  Kokkos::deep_copy(k, 1.0);
  const auto host_k = Kokkos::create_mirror_view(k);
  for (std::size_t i = 0; i < 14; ++i)
    for (std::size_t j = 0; j < 22; ++j) host_k(i, j) = 1 + 0.9 * random.value<double>();
  copy_elements(k, host_k);
  const auto c = sor_coefficients(Exec(), diffusion_matrix(Exec(), k, 0.1), 1.4);
  const auto interior = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 1; i < 13; ++i)
      for (std::size_t j = 1; j < 21; ++j) sum += a[i * 22 + j] * b[i * 22 + j];
    return sum;
  };
  std::array<std::vector<double>, 2> r, z;
  for (std::size_t s = 0; s < 2; ++s) {
    r[s] = random.values<double>(14 * 22);
    const GuardedArray<double> rhs(row_major(14, 22), r[s]);
    const GuardedArray<double> out(row_major(14, 22), std::vector<double>(14 * 22, 0.0));
    sor_sweeps(ZeroGuess{}, out.matrix(), c, 1, SORInputs().rhs(rhs.matrix()),
               {.order = SweepOrder::Symmetric});
    z[s] = out.values();
  }
  const double forth = interior(r[0], z[1]);
  EXPECT_NEAR(forth, interior(r[1], z[0]), 1e-12 * std::abs(forth));
  EXPECT_GT(interior(r[0], z[0]), 0);
}

TEST(FivePointMatrix, WrongArgumentsAreNamed) {
  const View k("k", 6, 7);
  Kokkos::deep_copy(k, 1.0);
  for (const double h : {0.0, -1.0, nan<double>, infinity<double>})
    EXPECT_EQ(error_of([&] {
                diffusion_matrix(Exec(), k, h);
              }).find("WaveScan::diffusion_matrix: argument 'h' must be positive and finite"),
              0u);
  auto a = diffusion_matrix(Exec(), k, 1);
  for (const double omega : {0.0, 2.0, -0.1, 2.1, nan<double>, infinity<double>})
    EXPECT_EQ(error_of([&] {
                sor_coefficients(Exec(), a, omega);
              }).find("WaveScan::sor_coefficients: argument 'omega' must lie in (0, 2), got "),
              0u);
  for (const double bad : {0.0, nan<double>, infinity<double>}) {
    Kokkos::deep_copy(Kokkos::subview(a.center, 3, 2), bad);
    EXPECT_EQ(error_of([&] { sor_coefficients(Exec(), a, 1); }),
              "WaveScan::sor_coefficients: argument 'matrix' must have a diagonal that is finite "
              "and not zero, got 0, NaN or infinity at the point (3, 2)");
  }
  EXPECT_EQ(
      error_of([&] { multiply(Exec(), a, k, k); }),
      "WaveScan::multiply: argument 'y' must share no memory with 'x', got overlapping Views");
  EXPECT_EQ(error_of([&] { multiply(Exec(), a, k, a.up); }),
            "WaveScan::multiply: argument 'y' must share no memory with 'matrix', got overlapping "
            "Views");
  EXPECT_EQ(
      error_of([&] { multiply(Exec(), a, View("x", 6, 6), k); }),
      "WaveScan::multiply: argument 'x' must have the extents of 'matrix.center' (6 x 7), got "
      "6 x 6");
  Kokkos::resize(a.up, Kokkos::LayoutStride(6, 6, 6, 1));
  EXPECT_EQ(error_of([&] { sor_coefficients(Exec(), a, 1); }),
            "WaveScan::sor_coefficients: argument 'matrix.up' must have the extents of "
            "'matrix.center' (6 x 7), got 6 x 6");
}

TEST(SORCheck, FindsTheFirstWrongCoefficient) {
  Random random;
  auto p = random_sor<double>(9, 14, five_different<double>(), false, true, random);
  vary_coefficients(p, random);
  const GuardedArray<double> x(row_major(11, 16), p.x);
  const GuardedArray<int> mask(row_major(11, 16), p.mask);
  const auto inputs = SORInputs().mask(mask.matrix());
  const auto error = [&](const auto& given) {
    const DeviceCoefficients<double> c(p, {column_major(11, 16)});
    return error_of([&] { check_coefficients(Exec(), x.matrix(), c.get(), given); });
  };
  EXPECT_EQ(error(inputs), "nothing");  // NaN in the halo and at fixed points
  p.mask.assign(p.mask.size(), 0);
  EXPECT_EQ(error(SORInputs())
                .find("WaveScan::check_coefficients: argument 'coefficients.center' "
                      "must be finite, got NaN or infinity at the point ("),
            0u);
  vary_coefficients(p, random);
  EXPECT_EQ(error(SORInputs()), "nothing");
  p.each[p.at(7, 3)].down = infinity<double>;
  p.each[p.at(4, 9)].down = nan<double>;
  EXPECT_EQ(error(SORInputs()),
            "WaveScan::check_coefficients: argument 'coefficients.down' must be finite, got NaN or "
            "infinity at the point (4, 9)");
  p.each[p.at(7, 3)].down = p.each[p.at(4, 9)].down = 0;
  p.each[p.at(9, 14)].center = 1;
  EXPECT_EQ(error(SORInputs()),
            "WaveScan::check_coefficients: argument 'coefficients.center' must not be 1, which "
            "means a matrix with zeros on its diagonal, got 1 at the point (9, 14)");
}

}  // namespace
}  // namespace wavescan::Test
