// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_STENCILMATRIX_HPP
#define WAVESCAN_STENCILMATRIX_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_NinePointCoefficients.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <WaveScan_SORInputs.hpp>
#include <WaveScan_SORVariableCoefficients.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_Stencil.hpp>
#include <impl/stencil_matrix/WaveScan_MatrixKernels.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// @file
/// @brief Linear systems on a grid whose equations couple a point with its four or eight
/// neighbours, or in three dimensions with six.

namespace wavescan {

/// @brief The matrix of a linear system A x = b with five entries in an equation,
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

/// @brief The matrix of a linear system whose equations couple a point with all eight neighbours:
/// see FivePointMatrix.
template <class T, class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
struct NinePointMatrix {
  using value_type = T;
  using view_type = Kokkos::View<T**, Kokkos::LayoutStride, MemorySpace>;

  view_type center{};
  view_type left{};
  view_type up_right{};
  view_type up{};
  view_type up_left{};
  view_type right{};
  view_type down_left{};
  view_type down{};
  view_type down_right{};
};

/// @brief The matrix of a linear system in three dimensions whose equations couple a point (k, i,
/// j) with six neighbours: see FivePointMatrix, and SORCoefficients3D for their names.
template <class T, class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
struct SevenPointMatrix {
  using value_type = T;
  using view_type = Kokkos::View<T***, Kokkos::LayoutStride, MemorySpace>;

  view_type center{};
  view_type left{};
  view_type up{};
  view_type front{};
  view_type right{};
  view_type down{};
  view_type back{};
};

namespace Impl::sor {

template <class T, class MemorySpace>
struct StencilOf<FivePointMatrix<T, MemorySpace>> : StencilOf<SORCoefficients<T>> {
  using variable = VariableCoefficients<T, MemorySpace>;
};
template <class T, class MemorySpace>
struct StencilOf<NinePointMatrix<T, MemorySpace>> : StencilOf<NinePointCoefficients<T>> {
  using variable = VariableNinePointCoefficients<T, MemorySpace>;
};
template <class T, class MemorySpace>
struct StencilOf<SevenPointMatrix<T, MemorySpace>> : StencilOf<SORCoefficients3D<T>> {
  using variable = VariableCoefficients3D<T, MemorySpace>;
};

}  // namespace Impl::sor

namespace Impl {

/// @brief The matrix of a stencil: center and neighbours, each a View.
template <class M>
concept StencilMatrix = sor::StencilCoefficients<M> && requires {
  typename M::view_type;
  typename sor::StencilOf<M>::variable;
};

}  // namespace Impl

namespace Impl::stencil_matrix {

/// @brief Zeros with the extents of x, in the same order in memory.
template <class View, ExecutionSpace Exec, class T>
View zeros_like(const Exec& exec, const std::string& label, const Grid<T>& x) {
  const auto rows = static_cast<std::size_t>(x.rows);
  const auto columns = static_cast<std::size_t>(x.columns);
  return View(Kokkos::view_alloc(exec, label), x.column_stride <= x.row_stride
                                                   ? Kokkos::LayoutStride(rows, columns, columns, 1)
                                                   : Kokkos::LayoutStride(rows, 1, columns, rows));
}
template <class View, ExecutionSpace Exec, class T>
View zeros_like(const Exec& exec, const std::string& label, const sor::Box<T>& x) {
  const auto planes = static_cast<std::size_t>(x.planes);
  const auto rows = static_cast<std::size_t>(x.rows);
  const auto columns = static_cast<std::size_t>(x.columns);
  return View(Kokkos::view_alloc(exec, label),
              x.column_stride <= x.plane_stride
                  ? Kokkos::LayoutStride(planes, rows * columns, rows, columns, columns, 1)
                  : Kokkos::LayoutStride(planes, 1, rows, planes, columns, planes * rows));
}

template <StencilMatrix M, ExecutionSpace Exec, class Array, sor::StencilPoint... Each>
M zero_matrix_like(const Exec& exec, const Array& x, sor::StencilPoints<Each...>) {
  const auto zeros = [&](sor::StencilPoint) {
    return zeros_like<typename M::view_type>(exec, "WaveScan::matrix", x);
  };
  return {zeros(sor::StencilPoint::Center), zeros(Each)...};
}
template <StencilMatrix M, ExecutionSpace Exec, class Array>
M zero_matrix_like(const Exec& exec, const Array& x) {
  return zero_matrix_like<M>(exec, x, sor::NeighboursOf<M>());
}

/// @brief Calls use(point, view) for the neighbours' Views.
template <StencilMatrix M, class Use, sor::StencilPoint... Each>
void for_each_neighbour(const M& a, const Use& use, sor::StencilPoints<Each...>) {
  (use(Each, sor::entry<Each>(a)), ...);
}

/// @brief The arrays of a matrix; without one of a right-hand side.
template <StencilMatrix M, sor::StencilPoint... Each>
auto arrays_of(const M& a, sor::StencilPoints<Each...>) {
  using Array = decltype(array_of(a.center));
  return typename sor::StencilOf<M>::template with<Array>{
      array_of(a.center), array_of(sor::entry<Each>(a))..., Array{}};
}

/// @brief Checks that the Views of a matrix fit together; its arrays.
template <ExecutionSpace Exec, StencilMatrix M>
auto checked_matrix(std::string_view operation, const M& a) {
  static_assert(AccessibleFrom<typename M::view_type, Exec>,
                "WaveScan: the execution space cannot reach the memory of the matrix");
  for_each_neighbour(
      a,
      [&](sor::StencilPoint point, const auto& view) {
        const std::string name = sor::name_of(point);
        require_same_extents(operation, "matrix" + name.substr(name.find('.')), view,
                             "matrix.center", a.center);
      },
      sor::NeighboursOf<M>());
  return arrays_of(a, sor::NeighboursOf<M>());
}

/// @brief The matrix of a stencil that a sparse matrix in compressed rows holds.
template <class M, ExecutionSpace Exec, CrsMatrixLike Crs, class X>
M from_crs(std::string_view operation, const Exec& exec, const Crs& crs, const X& x,
           const std::string& neighbours) {
  static_assert(std::floating_point<typename M::value_type>,
                "WaveScan: the matrix must hold float or double");
  static_assert(AccessibleFrom<std::remove_cvref_t<decltype(crs.values)>, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'crs'");
  const auto like = array_of(x);
  const Unknowns unknowns = Unknowns::of(like);
  require(static_cast<Index>(crs.numRows()) == unknowns.count(), operation, "crs",
          "must have a row for each of " +
              (X::rank() == 3 ? std::to_string(unknowns.planes) + " x " : std::string()) +
              std::to_string(unknowns.rows) + " x " + std::to_string(unknowns.columns) +
              " unknowns",
          std::to_string(crs.numRows()) + " rows");
  const M a = zero_matrix_like<M>(exec, like);
  const auto wrong =
      first_unknown(exec, "WaveScan::matrix::crs", like,
                    make_read_crs_row(crs, checked_matrix<Exec>(operation, a), unknowns));
  if (wrong)
    reject(operation, "crs", "must couple a point with its " + neighbours + " neighbours alone",
           "another entry in row " + std::to_string(wrong->equation) + ", of the point " +
               wrong->point);
  return a;
}

template <class Crs, class X, template <class, class> class M>
using MatrixFor = M<SORValue<std::remove_cvref_t<decltype(std::declval<const Crs&>().values)>>,
                    typename X::memory_space>;

}  // namespace Impl::stencil_matrix

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
  using Matrix = FivePointMatrix<T, typename K::memory_space>;
  const auto a = Impl::stencil_matrix::zero_matrix_like<Matrix>(exec, given);
  const auto arrays = Impl::stencil_matrix::checked_matrix<Exec>("diffusion_matrix", a);
  Impl::sor::for_points(
      exec, "WaveScan::matrix::diffusion", given,
      Impl::stencil_matrix::SetDiffusion<T, std::remove_const_t<decltype(arrays)>>{
          given, arrays, static_cast<T>(1 / (h * h))});
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
  using Matrix = Impl::stencil_matrix::MatrixFor<Crs, X, FivePointMatrix>;
  return Impl::stencil_matrix::from_crs<Matrix>("five_point_matrix", exec, crs, x, "four");
}

/// @brief The nine-point matrix that a sparse matrix in compressed rows holds: see
/// five_point_matrix. Memory: nine arrays like x.
template <ExecutionSpace Exec, CrsMatrixLike Crs, ViewOfRank<2> X>
auto nine_point_matrix(const Exec& exec, const Crs& crs, const X& x) {
  using Matrix = Impl::stencil_matrix::MatrixFor<Crs, X, NinePointMatrix>;
  return Impl::stencil_matrix::from_crs<Matrix>("nine_point_matrix", exec, crs, x, "eight");
}

/// @brief The seven-point matrix that a sparse matrix in compressed rows holds: see
/// five_point_matrix. Row ((k-1)*m + i-1)*n + j-1 is the equation of the unknown (k, i, j) of x,
/// which has (l+2) x (m+2) x (n+2) entries. Memory: seven arrays like x.
template <ExecutionSpace Exec, CrsMatrixLike Crs, ViewOfRank<3> X>
auto seven_point_matrix(const Exec& exec, const Crs& crs, const X& x) {
  using Matrix = Impl::stencil_matrix::MatrixFor<Crs, X, SevenPointMatrix>;
  return Impl::stencil_matrix::from_crs<Matrix>("seven_point_matrix", exec, crs, x, "six");
}

/// @brief The coefficients of SOR for the linear system A x = b,
///
///     x = (1-omega)*x + omega/a_center * (b - a_left*x_left - a_up*x_up - ...)
///
/// so center is a constant, and the residual is that of the system. Waits for the check of the
/// diagonal. Memory: as many arrays as the matrix has.
///
/// @param exec   execution space instance
/// @param matrix A
/// @param omega  relaxation factor in (0, 2); 1 is Gauss-Seidel
/// @throws std::invalid_argument if omega lies outside (0, 2), the extents of the matrix' Views
/// differ, or naming the first point at which the diagonal is zero or not finite
/// @return VariableCoefficients, VariableNinePointCoefficients or VariableCoefficients3D
template <ExecutionSpace Exec, Impl::StencilMatrix M>
auto sor_coefficients(const Exec& exec, const M& matrix, double omega) {
  namespace detail = Impl::stencil_matrix;
  using T = typename M::value_type;
  Impl::require(omega > 0 && omega < 2, "sor_coefficients", "omega", "must lie in (0, 2)", omega);
  const auto a = detail::checked_matrix<Exec>("sor_coefficients", matrix);
  const auto wrong = detail::first_unknown(exec, "WaveScan::matrix::diagonal", a.center,
                                           detail::NoPivot<decltype(a.center)>{a.center});
  if (wrong)
    Impl::reject("sor_coefficients", "matrix", "must have a diagonal that is finite and not zero",
                 "0, NaN or infinity at the point " + wrong->point);
  const M coefficients = detail::zero_matrix_like<M>(exec, a.center);
  auto c = detail::checked_matrix<Exec>("sor_coefficients", coefficients);
  c.rhs = c.center;  // a constant stands for the center
  Impl::sor::for_points(exec, "WaveScan::matrix::coefficients", a.center,
                        detail::SetCoefficients<T, decltype(c)>{a, c, static_cast<T>(omega)});
  return [&]<Impl::sor::StencilPoint... Each>(Impl::sor::StencilPoints<Each...>) {
    return typename Impl::sor::StencilOf<M>::variable{static_cast<T>(1) - static_cast<T>(omega),
                                                      Impl::sor::entry<Each>(coefficients)...,
                                                      coefficients.center};
  }
  (Impl::sor::NeighboursOf<M>());
}

/// @brief y = A x at all unknowns; the halo of x takes part, that of y is not written.
///
/// Enqueues on `exec`. Work: O(points); memory traffic: the matrix and x once in, y once out.
///
/// @param exec   execution space instance
/// @param matrix A
/// @param x      View with the extents of the matrix, any layout
/// @param y      View with the same extents, any layout
/// @throws std::invalid_argument if extents differ or y shares memory with x or the matrix
template <ExecutionSpace Exec, Impl::StencilMatrix M, AnyView X, WritableView Y>
void multiply(const Exec& exec, const M& matrix, const X& x, const Y& y) {
  namespace detail = Impl::stencil_matrix;
  using T = typename M::value_type;
  static_assert(std::same_as<SORValue<X>, T> && std::same_as<SORValue<Y>, T>,
                "WaveScan: 'x' and 'y' must have the value type of the matrix");
  static_assert(X::rank() == M::view_type::rank() && Y::rank() == M::view_type::rank(),
                "WaveScan: 'x' and 'y' must have the rank of the matrix' Views");
  static_assert(AccessibleFrom<X, Exec> && AccessibleFrom<Y, Exec>,
                "WaveScan: the execution space cannot reach the memory of 'x' or 'y'");
  const auto a = detail::checked_matrix<Exec>("multiply", matrix);
  Impl::require_same_extents("multiply", "x", x, "matrix.center", matrix.center);
  Impl::require_same_extents("multiply", "y", y, "matrix.center", matrix.center);
  Impl::require_disjoint("multiply", "x", x, "y", y);
  const auto require_disjoint = [&](const auto&, const auto& entries) {
    Impl::require_disjoint("multiply", "matrix", entries, "y", y);
  };
  require_disjoint(Impl::sor::StencilPoint::Center, matrix.center);
  detail::for_each_neighbour(matrix, require_disjoint, Impl::sor::NeighboursOf<M>());
  const auto from = detail::array_of(typename X::const_type(x));
  const auto to = detail::array_of(y);
  Impl::sor::for_points(
      exec, "WaveScan::matrix::multiply", to,
      detail::Multiply<std::remove_const_t<decltype(a)>, std::remove_const_t<decltype(from)>,
                       std::remove_const_t<decltype(to)>>{a, from, to});
}

}  // namespace wavescan

#endif
