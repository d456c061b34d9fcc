// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>
#include <WaveScan_SOR3D.hpp>

#include <WaveScanTest_CopyElements.hpp>
#include <WaveScanTest_Errors.hpp>
#include <WaveScanTest_Random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "CompiledKernels.hpp"
#include "Reference.hpp"

/// @file
/// @brief Matrices of nine points, and of seven in three dimensions, from compressed rows: their
/// product, and that solves solve them.

namespace wavescan::Test {
namespace {

/// @brief No more than what is needed of KokkosSparse::CrsMatrix.
struct CompressedRows {
  struct Graph {
    Kokkos::View<const std::size_t*, Exec> row_map;
    Kokkos::View<const int*, Exec> entries;
  };
  Graph graph;
  Kokkos::View<const double*, Exec> values;
  int numRows() const { return static_cast<int>(graph.row_map.extent(0)) - 1; }
};

template <class T>
auto copy_of(const std::vector<T>& values) {
  const Kokkos::View<T*, Exec> view("view", values.size());
  copy_elements(view, Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          values.data(), values.size()));
  return view;
}

/// @brief A random matrix that couples points of a grid of planes, rows and columns, each row with
/// its entries in any order and one of them in two parts; dense on the host besides.
struct RandomMatrix {
  std::array<int, 3> extents;
  std::vector<std::size_t> row_map{0};
  std::vector<int> entries{};
  std::vector<double> values{};
  std::vector<std::vector<double>> dense{};

  int count() const { return extents[0] * extents[1] * extents[2]; }
  int number(int k, int i, int j) const { return (k * extents[1] + i) * extents[2] + j; }

  /// @param couples whether a point is a neighbour at this distance
  template <class Couples>
  RandomMatrix(const std::array<int, 3>& size, Random& random, const Couples& couples)
      : extents(size) {
    dense.assign(static_cast<std::size_t>(count()),
                 std::vector<double>(static_cast<std::size_t>(count())));
    for (int row = 0; row < count(); ++row) {
      const int k = row / (size[1] * size[2]), i = row / size[2] % size[1], j = row % size[2];
      std::vector<std::pair<int, double>> of_row{{row, 4.0}, {row, 6 + random.value<double>()}};
      for (int dk = -1; dk <= 1; ++dk)
        for (int di = -1; di <= 1; ++di)
          for (int dj = -1; dj <= 1; ++dj) {
            const std::array<int, 3> at{k + dk, i + di, j + dj};
            bool inside = couples(dk, di, dj) && (dk != 0 || di != 0 || dj != 0);
            for (std::size_t d = 0; d < 3; ++d) inside = inside && at[d] >= 0 && at[d] < size[d];
            if (inside) of_row.emplace_back(number(at[0], at[1], at[2]), random.value<double>());
          }
      for (std::size_t e = of_row.size() - 1; e > 0; --e)
        std::swap(of_row[e],
                  of_row[static_cast<std::size_t>(random.integer(0, static_cast<int>(e)))]);
      for (const auto& [column, value] : of_row) {
        entries.push_back(column);
        values.push_back(value);
        dense[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] += value;
      }
      row_map.push_back(entries.size());
    }
  }
  CompressedRows compressed() const {
    return {{copy_of(row_map), copy_of(entries)}, copy_of(values)};
  }
  std::vector<double> times(const std::vector<double>& x) const {
    std::vector<double> y;
    for (const auto& row : dense) {
      double sum = 0;
      for (std::size_t c = 0; c < row.size(); ++c) sum += row[c] * x[c];
      y.push_back(sum);
    }
    return y;
  }
};

/// @brief The unknowns of a View of rank 2 or 3, in the order of equations.
template <class V>
std::vector<double> unknowns_of(const V& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<double> values;
  if constexpr (V::rank() == 2) {
    for (std::size_t i = 1; i + 1 < view.extent(0); ++i)
      for (std::size_t j = 1; j + 1 < view.extent(1); ++j) values.push_back(host(i, j));
  } else {
    for (std::size_t k = 1; k + 1 < view.extent(0); ++k)
      for (std::size_t i = 1; i + 1 < view.extent(1); ++i)
        for (std::size_t j = 1; j + 1 < view.extent(2); ++j) values.push_back(host(k, i, j));
  }
  return values;
}
template <class V>
void set_unknowns(const V& view, const std::vector<double>& values) {
  const auto host = Kokkos::create_mirror_view(view);
  std::fill_n(host.data(), host.span(), 0.0);
  std::size_t e = 0;
  if constexpr (V::rank() == 2) {
    for (std::size_t i = 1; i + 1 < view.extent(0); ++i)
      for (std::size_t j = 1; j + 1 < view.extent(1); ++j) host(i, j) = values[e++];
  } else {
    for (std::size_t k = 1; k + 1 < view.extent(0); ++k)
      for (std::size_t i = 1; i + 1 < view.extent(1); ++i)
        for (std::size_t j = 1; j + 1 < view.extent(2); ++j) host(k, i, j) = values[e++];
  }
  copy_elements(view, host);
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t e = 0; e < got.size(); ++e)
    ASSERT_NEAR(got[e], expected[e], tolerance) << "at " << e;
}

/// @brief The product of what is read with random numbers, and a solve of it.
template <class V, class Read>
void check_matrix(const RandomMatrix& plain, const V& x, Random& random, const Read& read) {
  const V y("y", x.layout()), b("b", x.layout());
  const auto a = read(plain.compressed(), x);
  std::vector<double> solution(static_cast<std::size_t>(plain.count()));
  for (double& value : solution) value = random.value<double>();
  set_unknowns(x, solution);
  multiply(Exec(), a, x, y);
  const auto product = plain.times(solution);
  expect_near(unknowns_of(y), product, 1e-13);

  set_unknowns(b, product);
  set_unknowns(x, std::vector<double>(solution.size(), 0.0));
  const auto report = sor_solve(x, sor_coefficients(Exec(), a, 1.1), SORInputs().rhs(b),
                                {.tolerance = 1e-12, .max_sweeps = 500});
  EXPECT_TRUE(report.converged()) << report.to_string();
  expect_near(unknowns_of(x), solution, 1e-11);
}

const auto all_eight = [](int dk, int, int) { return dk == 0; };
const auto all_six = [](int dk, int di, int dj) {
  return std::abs(dk) + std::abs(di) + std::abs(dj) <= 1;
};
const auto read_nine = [](const auto& crs, const auto& x) {
  return nine_point_matrix(Exec(), crs, x);
};
const auto read_seven = [](const auto& crs, const auto& x) {
  return seven_point_matrix(Exec(), crs, x);
};

TEST(NinePointMatrix, FromCompressedRows) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [m, n] :
       std::vector<std::array<int, 2>>{{1, 1}, {1, 2}, {2, 1}, {3, 2}, {2, 3}, {7, 9}, {1, 13}}) {
    const RandomMatrix plain({1, m, n}, random, all_eight);
    const auto rows = static_cast<std::size_t>(m + 2), columns = static_cast<std::size_t>(n + 2);
    check_matrix(plain, Kokkos::View<double**, Kokkos::LayoutRight, Exec>("x", rows, columns),
                 random, read_nine);
    check_matrix(plain, Kokkos::View<double**, Kokkos::LayoutLeft, Exec>("x", rows, columns),
                 random, read_nine);
    if (HasFatalFailure()) return;
  }
}

TEST(SevenPointMatrix, FromCompressedRows) {
  Random random;
  SCOPED_TRACE(random.trace());
  for (const auto& [l, m, n] : std::vector<std::array<int, 3>>{
           {1, 1, 1}, {1, 1, 2}, {2, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 5}, {2, 2, 2}}) {
    const RandomMatrix plain({l, m, n}, random, all_six);
    const auto planes = static_cast<std::size_t>(l + 2), rows = static_cast<std::size_t>(m + 2),
               columns = static_cast<std::size_t>(n + 2);
    check_matrix(plain,
                 Kokkos::View<double***, Kokkos::LayoutRight, Exec>("x", planes, rows, columns),
                 random, read_seven);
    check_matrix(plain,
                 Kokkos::View<double***, Kokkos::LayoutLeft, Exec>("x", planes, rows, columns),
                 random, read_seven);
    if (HasFatalFailure()) return;
  }
}

/// A corner couples in nine points, but not in five; an edge of a cube in neither seven.
TEST(StencilMatrices, NameTheRowThatIsNot) {
  Random random;
  const RandomMatrix nine({1, 3, 3}, random, all_eight);
  const Kokkos::View<double**, Exec> x("x", 5, 5);
  EXPECT_EQ(error_of([&] { five_point_matrix(Exec(), nine.compressed(), x); }),
            "WaveScan::five_point_matrix: argument 'crs' must couple a point with its four "
            "neighbours alone, got another entry in row 0, of the point (1, 1)");
  const RandomMatrix more({2, 2, 2}, random, [](int, int, int) { return true; });
  const Kokkos::View<double***, Exec> y("y", 4, 4, 4);
  EXPECT_EQ(error_of([&] { seven_point_matrix(Exec(), more.compressed(), y); }),
            "WaveScan::seven_point_matrix: argument 'crs' must couple a point with its six "
            "neighbours alone, got another entry in row 0, of the point (1, 1, 1)");
  EXPECT_TRUE(rejects("nine_point_matrix", "crs",
                      [&] { nine_point_matrix(Exec(), more.compressed(), x); }));
  EXPECT_EQ(error_of([&] { seven_point_matrix(Exec(), nine.compressed(), y); }),
            "WaveScan::seven_point_matrix: argument 'crs' must have a row for each of 2 x 2 x 2 "
            "unknowns, got 9 rows");
}

/// The error for a matrix with an entry that couples two unknowns.
template <class V, class Read>
std::string error_with(RandomMatrix matrix, int row, int column, const V& x, const Read& read) {
  const std::size_t entry = matrix.row_map[static_cast<std::size_t>(row)];
  matrix.entries[entry] = column;
  matrix.values[entry] = 1;
  return error_of([&] { read(matrix.compressed(), x); });
}

/// Unknowns whose numbers differ like those of neighbours, across the end of a row or of a plane.
TEST(StencilMatrices, EndWithTheirRowsAndPlanes) {
  Random random;
  const RandomMatrix nine({1, 3, 4}, random, all_eight);
  const Kokkos::View<double**, Exec> x("x", 5, 6);
  for (const auto& [row, column] : std::vector<std::pair<int, int>>{
           {3, 4}, {4, 3}, {3, 8}, {8, 3}, {4, 7}, {7, 4}, {11, 12}, {0, -1}})
    EXPECT_EQ(error_with(nine, row, column, x, read_nine)
                  .find("WaveScan::nine_point_matrix: argument 'crs' must couple a point with its "
                        "eight neighbours alone, got another entry in row " +
                        std::to_string(row) + ","),
              0u)
        << row << ", " << column;
  const RandomMatrix seven({2, 3, 4}, random, all_six);
  const Kokkos::View<double***, Exec> y("y", 4, 5, 6);
  for (const auto& [row, column] : std::vector<std::pair<int, int>>{
           {3, 4}, {4, 3}, {11, 12}, {12, 11}, {8, 12}, {12, 8}, {23, 24}, {0, -1}})
    EXPECT_EQ(error_with(seven, row, column, y, read_seven)
                  .find("WaveScan::seven_point_matrix: argument 'crs' must couple a point with its "
                        "six neighbours alone, got another entry in row " +
                        std::to_string(row) + ","),
              0u)
        << row << ", " << column;
}

}  // namespace
}  // namespace wavescan::Test
