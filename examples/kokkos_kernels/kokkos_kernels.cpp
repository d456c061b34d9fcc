// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Symmetric Gauss-Seidel on -Laplace(u) = 1 as a matrix in compressed rows of Kokkos Kernels: by
// its own coloured method and by the grid's natural order, which takes fewer sweeps. Usage:
//
//     WaveScan_example_kokkos_kernels [rows of the grid = 200] [columns = 200]
#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_gauss_seidel.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "grid_gauss_seidel.hpp"

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Matrix = KokkosSparse::CrsMatrix<double, int, Exec, void, int>;
using Vector = Kokkos::View<double*, Exec>;

// Mesh width 1, zero around the grid.
Matrix poisson(int m, int n) {
  const auto rows = static_cast<std::size_t>(m) * static_cast<std::size_t>(n);
  const auto entries_of_all = 5 * rows - 2 * static_cast<std::size_t>(m + n);
  const Kokkos::View<int*, Exec> row_map("row_map", rows + 1), columns("columns", entries_of_all);
  const Vector values("values", entries_of_all);
  const auto begins = Kokkos::create_mirror_view(row_map),
             entries = Kokkos::create_mirror_view(columns);
  const auto numbers = Kokkos::create_mirror_view(values);
  int count = 0, row = 0;
  const auto add = [&](bool exists, int column, double value) {
    if (!exists) return;
    entries(count) = column;
    numbers(count++) = value;
  };
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j, ++row) {
      add(i > 0, row - n, -1);
      add(j > 0, row - 1, -1);
      add(true, row, 4);
      add(j + 1 < n, row + 1, -1);
      add(i + 1 < m, row + n, -1);
      begins(row + 1) = count;
    }
  Kokkos::deep_copy(row_map, begins);
  Kokkos::deep_copy(columns, entries);
  Kokkos::deep_copy(values, numbers);
  return {"poisson", row, row, count, values, row_map, columns};
}

// |b - A x| / |b|
double residual(const Matrix& a, const Vector& x, const Vector& b) {
  const Vector r("r", b.extent(0));
  Kokkos::deep_copy(r, b);
  KokkosSparse::spmv("N", -1.0, a, x, 1.0, r);
  double squares = 0;
  Kokkos::parallel_reduce(
      "residual", r.extent(0),
      KOKKOS_LAMBDA(const std::size_t k, double& sum) { sum += r(k) * r(k); }, squares);
  return std::sqrt(squares / static_cast<double>(b.extent(0)));  // b is 1 everywhere
}

// Sweeps by fives until the residual has fallen to 0.3, and says how many there were.
template <class Sweep>
int solve(const char* name, const Matrix& a, const Vector& b, const Sweep& sweep) {
  const Vector x("x", b.extent(0));
  constexpr int most = 20000;
  int count = 0;
  Kokkos::fence();
  const Kokkos::Timer timer;
  while (count < most && residual(a, x, b) > 0.3) {
    sweep(x, 5, count == 0);
    count += 5;
  }
  std::printf("%-16s %5d sweeps, %.3f s\n", name, count, timer.seconds());
  return count < most ? count : 0;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int m = argc > 1 ? std::atoi(argv[1]) : 200, n = argc > 2 ? std::atoi(argv[2]) : 200;
  const Matrix a = poisson(m, n);
  const int rows = a.numRows();
  const Vector b("b", static_cast<std::size_t>(rows));
  Kokkos::deep_copy(b, 1.0);

  KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, Exec, Space, Space> colours;
  colours.create_gs_handle(KokkosSparse::GS_DEFAULT);
  const auto& graph = a.graph;
  KokkosSparse::gauss_seidel_symbolic(&colours, rows, rows, graph.row_map, graph.entries, true);
  KokkosSparse::gauss_seidel_numeric(&colours, rows, rows, graph.row_map, graph.entries, a.values,
                                     true);
  const int coloured = solve("Kokkos Kernels", a, b, [&](const Vector& x, int count, bool is_zero) {
    KokkosSparse::symmetric_gauss_seidel_apply(&colours, rows, rows, graph.row_map, graph.entries,
                                               a.values, x, b, is_zero, true, 1.0, count);
  });

  const Exec exec;
  GridHandle<Exec, double> grid(m, n);
  gauss_seidel_symbolic(exec, grid);
  gauss_seidel_numeric(exec, grid, a);
  const int natural = solve("WaveScan", a, b, [&](const Vector& x, int count, bool is_zero) {
    gauss_seidel_apply(exec, grid, x, b, is_zero, 1.0, count);
  });
  return natural > 0 && (coloured == 0 || natural <= coloured) ? EXIT_SUCCESS : EXIT_FAILURE;
}
