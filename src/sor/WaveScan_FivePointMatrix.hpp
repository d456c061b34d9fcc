// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_FIVEPOINTMATRIX_HPP
#define WAVESCAN_FIVEPOINTMATRIX_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SORVariableCoefficients.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/five_point_matrix/WaveScan_Kernels.hpp>
#include <impl/sor/WaveScan_Points.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief Linear systems on a grid whose equations couple a point with its four neighbours.

namespace wavescan {

/// @brief The matrix of a linear system A x = b with
///
///     (A x)(i,j) = center*x(i,j) + left*x(i,j-1) + up*x(i-1,j) + right*x(i,j+1) + down*x(i+1,j)
///
/// and each entry taken at (i, j). The Views have the extents of x with its halo, whose values are
/// given; their own halo is not read. Make one from diffusion_matrix, five_point_matrix or Views.
///
/// @tparam T           float or double
/// @tparam MemorySpace that of the Views
template <class T, class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
struct FivePointMatrix {
  using value_type = T;
  using view_type = Kokkos::View<T**, Kokkos::LayoutStride, MemorySpace>;

  view_type center{};
  view_type left{};
  view_type up{};
  view_type right{};
  view_type down{};
};

namespace Impl::five_point_matrix {

/// @brief Zeros with the extents of x, in the same order in memory.
template <class MemorySpace, ExecutionSpace Exec, class T>
auto zeros_like(const Exec& exec, const std::string& label, const Grid<T>& x) {
  using View = Kokkos::View<std::remove_const_t<T>**, Kokkos::LayoutStride, MemorySpace>;
  const auto rows = static_cast<std::size_t>(x.rows);
  const auto columns = static_cast<std::size_t>(x.columns);
  return View(Kokkos::view_alloc(exec, label), x.column_stride <= x.row_stride
                                                   ? Kokkos::LayoutStride(rows, columns, columns, 1)
                                                   : Kokkos::LayoutStride(rows, 1, columns, rows));
}

template <class MemorySpace, ExecutionSpace Exec, class T>
FivePointMatrix<std::remove_const_t<T>, MemorySpace> zero_matrix_like(const Exec& exec,
                                                                      const Grid<T>& x) {
  const auto zeros = [&](const char* label) { return zeros_like<MemorySpace>(exec, label, x); };
  return {zeros("WaveScan::matrix::center"), zeros("WaveScan::matrix::left"),
          zeros("WaveScan::matrix::up"), zeros("WaveScan::matrix::right"),
          zeros("WaveScan::matrix::down")};
}

/// @brief Checks that the Views of a matrix fit together.
template <ExecutionSpace Exec, class T, class MemorySpace>
FivePointGrids<T> checked_matrix(std::string_view operation,
                                 const FivePointMatrix<T, MemorySpace>& a) {
  static_assert(AccessibleFrom<typename FivePointMatrix<T, MemorySpace>::view_type, Exec>,
                "WaveScan: the execution space cannot reach the memory of the matrix");
  require_same_extents(operation, "matrix.left", a.left, "matrix.center", a.center);
  require_same_extents(operation, "matrix.up", a.up, "matrix.center", a.center);
  require_same_extents(operation, "matrix.right", a.right, "matrix.center", a.center);
  require_same_extents(operation, "matrix.down", a.down, "matrix.center", a.center);
  return {grid_of(a.center), grid_of(a.left), grid_of(a.up), grid_of(a.right), grid_of(a.down)};
}

}  // namespace Impl::five_point_matrix

/// @brief The matrix of -div(k grad u) in finite volumes on a square mesh.
///
/// k is given at the points, and between two of them is their harmonic mean (zero between two
/// zeros): the flux through the face of two materials. With k = 1 this is the matrix of
/// -Laplace(u). The halo of k belongs to that of u: points at the distance h, whose values are
/// given.
///
/// Enqueues on `exec`. Memory: five arrays like k.
///
/// @param exec execution space instance
/// @param k    View of float or double, (m+2) x (n+2) with its halo, any layout, not negative
/// @param h    mesh width, > 0
/// @throws std::invalid_argument if h is not positive and finite
template <ExecutionSpace Exec, ViewOfRank<2> K>
FivePointMatrix<SORValue<K>, typename K::memory_space> diffusion_matrix(const Exec& exec,
                                                                        const K& k, double h) {
  using T = SORValue<K>;
  static_assert(AccessibleFrom<K, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'k'");
  Impl::require(h > 0 && std::isfinite(h), "diffusion_matrix", "h", "must be positive and finite",
                h);
  const Grid<const T> given = grid_of(typename K::const_type(k));
  const auto a = Impl::five_point_matrix::zero_matrix_like<typename K::memory_space>(exec, given);
  Impl::sor::for_points(
      exec, "WaveScan::matrix::diffusion", given,
      Impl::five_point_matrix::SetDiffusion<T>{
          given, Impl::five_point_matrix::checked_matrix<Exec>("diffusion_matrix", a),
          static_cast<T>(1 / (h * h))});
  return a;
}

/// @brief The five-point matrix that a sparse matrix in compressed rows (CRS) holds.
///
/// Row (i-1)*n + (j-1) is the equation of the unknown (i, j) of x, n being the columns of unknowns.
/// Its entries may be the diagonal and those of the neighbours inside the grid, in any order;
/// entries for one neighbour are added up, and zeros are allowed everywhere. Couplings with the
/// halo are zero: boundary values belong into the right-hand side.
///
/// Work: O(entries); waits for the check of all rows. Memory: five arrays like x.
///
/// @param exec execution space instance
/// @param crs  KokkosSparse::CrsMatrix, or anything with these members: see CrsMatrixLike
/// @param x    View of rank 2, whose extents (m+2) x (n+2) and order in memory the matrix takes
/// @throws std::invalid_argument if the number of rows is not m n, or naming the first row with an
/// entry other than these
template <ExecutionSpace Exec, CrsMatrixLike Crs, ViewOfRank<2> X>
auto five_point_matrix(const Exec& exec, const Crs& crs, const X& x) {
  using T = SORValue<std::remove_cvref_t<decltype(crs.values)>>;
  static_assert(std::floating_point<T>, "WaveScan: the matrix must hold float or double");
  static_assert(AccessibleFrom<std::remove_cvref_t<decltype(crs.values)>, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'crs'");
  const auto like = grid_of(x);
  const Impl::Index m = std::max<Impl::Index>(like.rows - 2, 0);
  const Impl::Index n = std::max<Impl::Index>(like.columns - 2, 0);
  Impl::require(
      static_cast<Impl::Index>(crs.numRows()) == m * n, "five_point_matrix", "crs",
      "must have a row for each of " + std::to_string(m) + " x " + std::to_string(n) + " unknowns",
      std::to_string(crs.numRows()) + " rows");
  const auto a = Impl::five_point_matrix::zero_matrix_like<typename X::memory_space>(
      exec, Grid<T>{nullptr, like.rows, like.columns, like.row_stride, like.column_stride});
  const auto wrong = Impl::sor::first_point(
      exec, "WaveScan::matrix::crs", like.rows, like.columns,
      Impl::five_point_matrix::make_read_crs_row(
          crs, Impl::five_point_matrix::checked_matrix<Exec>("five_point_matrix", a)));
  if (wrong)
    Impl::reject("five_point_matrix", "crs", "must couple a point with its four neighbours alone",
                 "another entry in row " + std::to_string((wrong->i - 1) * n + wrong->j - 1) +
                     ", of the point " + to_string(*wrong));
  return a;
}

/// @brief The coefficients of SOR for the linear system A x = b,
///
///     x = (1-omega)*x + omega/a_center * (b - a_left*x_left - a_up*x_up - ...)
///
/// so center is a constant, and the residual is that of the system. Waits for the check of the
/// diagonal. Memory: five arrays like those of the matrix.
///
/// @param exec   execution space instance
/// @param matrix A
/// @param omega  relaxation factor in (0, 2); 1 is Gauss-Seidel
/// @throws std::invalid_argument if omega lies outside (0, 2), the extents of the matrix' Views
/// differ, or naming the first point at which the diagonal is zero or not finite
template <ExecutionSpace Exec, class T, class MemorySpace>
VariableCoefficients<T, MemorySpace> sor_coefficients(const Exec& exec,
                                                      const FivePointMatrix<T, MemorySpace>& matrix,
                                                      double omega) {
  Impl::require(omega > 0 && omega < 2, "sor_coefficients", "omega", "must lie in (0, 2)", omega);
  const auto a = Impl::five_point_matrix::checked_matrix<Exec>("sor_coefficients", matrix);
  const auto wrong =
      Impl::sor::first_point(exec, "WaveScan::matrix::diagonal", a.center.rows, a.center.columns,
                             Impl::five_point_matrix::NoPivot<T>{a.center});
  if (wrong)
    Impl::reject("sor_coefficients", "matrix", "must have a diagonal that is finite and not zero",
                 "0, NaN or infinity at the point " + to_string(*wrong));
  // The diagonal's place takes the coefficient rhs.
  const auto c = Impl::five_point_matrix::zero_matrix_like<MemorySpace>(exec, a.center);
  Impl::sor::for_points(exec, "WaveScan::matrix::coefficients", a.center,
                        Impl::five_point_matrix::SetCoefficients<T>{
                            a, Impl::five_point_matrix::checked_matrix<Exec>("sor_coefficients", c),
                            static_cast<T>(omega)});
  return {.center = static_cast<T>(1) - static_cast<T>(omega),
          .left = c.left,
          .up = c.up,
          .right = c.right,
          .down = c.down,
          .rhs = c.center};
}

/// @brief y = A x at all unknowns; the halo of x takes part, that of y is not written.
///
/// Enqueues on `exec`. Work: O(m n); memory traffic: the matrix and x once in, y once out.
///
/// @param exec   execution space instance
/// @param matrix A
/// @param x      View with the extents of the matrix, any layout
/// @param y      View with the same extents, any layout
/// @throws std::invalid_argument if extents differ or y shares memory with x or the matrix
template <ExecutionSpace Exec, class T, class MemorySpace, ViewOfRank<2> X, WritableView Y>
void multiply(const Exec& exec, const FivePointMatrix<T, MemorySpace>& matrix, const X& x,
              const Y& y) {
  static_assert(std::same_as<SORValue<X>, T> && std::same_as<SORValue<Y>, T>,
                "WaveScan: 'x' and 'y' must have the value type of the matrix");
  static_assert(AccessibleFrom<X, Exec> && AccessibleFrom<Y, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'x' or 'y'");
  const auto a = Impl::five_point_matrix::checked_matrix<Exec>("multiply", matrix);
  Impl::require_same_extents("multiply", "x", x, "matrix.center", matrix.center);
  Impl::require_same_extents("multiply", "y", y, "matrix.center", matrix.center);
  Impl::require_disjoint("multiply", "x", x, "y", y);
  for (const auto* entries :
       {&matrix.center, &matrix.left, &matrix.up, &matrix.right, &matrix.down})
    Impl::require_disjoint("multiply", "matrix", *entries, "y", y);
  Impl::sor::for_points(
      exec, "WaveScan::matrix::multiply", grid_of(y),
      Impl::five_point_matrix::Multiply<T>{a, grid_of(typename X::const_type(x)), grid_of(y)});
}

}  // namespace wavescan

#endif
