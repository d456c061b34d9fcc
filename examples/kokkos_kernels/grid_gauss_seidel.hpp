// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Gauss-Seidel and SOR for a KokkosSparse::CrsMatrix whose rows are the points of a grid, with the
// phases that Kokkos Kernels has: symbolic, when the matrix' graph is new, numeric, when its values
// are new, and apply. Kokkos Kernels colours a matrix of any graph and relaxes colour by colour;
// here points are relaxed in their natural order, and memory is read in the order in which it lies.
//
// Two dimensions and five points; for nine points or three dimensions take nine_point_matrix or
// seven_point_matrix and arrays of rank 3.
#ifndef GRID_GAUSS_SEIDEL_HPP
#define GRID_GAUSS_SEIDEL_HPP

#include <WaveScan_SORPlan.hpp>
#include <WaveScan_StencilMatrix.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

// What the phases hand on to each other. Row (i - 1) n + j - 1 of the matrix is the equation of the
// point (i, j) of m x n.
template <class Exec, class T>
class GridHandle {
 public:
  GridHandle(std::int64_t m, std::int64_t n,
             wavescan::SweepOrder order = wavescan::SweepOrder::Symmetric)
      : m_(m), n_(n), order_(order) {}

  // Makes what depends on the grid alone: the plan, and arrays with a halo of zeros.
  void symbolic(const Exec& exec) {
    x_ = array("grid_gauss_seidel::x");
    b_ = array("grid_gauss_seidel::b");
    plan_ = std::make_unique<Plan>(Plan::like(exec, x_, {.order = order_, .restore = false}));
  }

  template <class Crs>
  void numeric(const Exec& exec, const Crs& crs) {
    if (!plan_) throw std::logic_error("gauss_seidel_numeric: gauss_seidel_symbolic comes first");
    matrix_ = wavescan::five_point_matrix(exec, crs, x_);
    omega_ = 0;
  }

  template <class X, class B>
  void apply(const Exec& exec, const X& x, const B& b, bool x_is_zero, T omega, int count) {
    if (matrix_.center.size() == 0)
      throw std::logic_error("gauss_seidel_apply: gauss_seidel_numeric comes first");
    if (omega != omega_) coefficients_ = wavescan::sor_coefficients(exec, matrix_, omega);
    omega_ = omega;
    Kokkos::deep_copy(exec, unknowns(b_), packed<const T>(b));
    const auto inputs = wavescan::SORInputs().rhs(b_);
    if (x_is_zero) {
      plan_->sweeps(wavescan::ZeroGuess{}, x_, coefficients_, count, inputs);
    } else {
      Kokkos::deep_copy(exec, unknowns(x_), packed<const T>(x));
      plan_->sweeps(x_, coefficients_, count, inputs);
    }
    Kokkos::deep_copy(exec, packed<T>(x), unknowns(x_));
  }

 private:
  using Space = typename Exec::memory_space;
  using Plan = wavescan::SOR<Exec, T>;
  using Array = Kokkos::View<T**, Kokkos::LayoutRight, Space>;

  Array array(const char* label) const {
    return Array(label, static_cast<std::size_t>(m_ + 2), static_cast<std::size_t>(n_ + 2));
  }
  auto unknowns(const Array& array) const {
    return Kokkos::subview(array, std::pair(std::int64_t{1}, m_ + 1),
                           std::pair(std::int64_t{1}, n_ + 1));
  }
  // A vector of the matrix, as the grid sees it.
  template <class U, class Vector>
  auto packed(const Vector& vector) const {
    if (static_cast<std::int64_t>(vector.extent(0)) != m_ * n_)
      throw std::invalid_argument("gauss_seidel_apply: a vector must have m n entries");
    return Kokkos::View<U**, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged>(
        vector.data(), static_cast<std::size_t>(m_), static_cast<std::size_t>(n_));
  }

  std::int64_t m_, n_;
  wavescan::SweepOrder order_;
  std::unique_ptr<Plan> plan_;
  Array x_, b_;
  wavescan::FivePointMatrix<T, Space> matrix_;
  wavescan::VariableCoefficients<T, Space> coefficients_;
  T omega_ = 0;  // of the coefficients; 0: there are none
};

template <class Exec, class T>
void gauss_seidel_symbolic(const Exec& exec, GridHandle<Exec, T>& handle) {
  handle.symbolic(exec);
}

// Throws where an equation has another entry than its own and those of its four neighbours.
template <class Exec, class T, class Crs>
void gauss_seidel_numeric(const Exec& exec, GridHandle<Exec, T>& handle, const Crs& crs) {
  handle.numeric(exec, crs);
}

// Enqueues `count` sweeps of x, a contiguous View of rank 1, towards the solution of A x = b.
template <class Exec, class T, class X, class B>
void gauss_seidel_apply(const Exec& exec, GridHandle<Exec, T>& handle, const X& x, const B& b,
                        bool x_is_zero, T omega, int count) {
  handle.apply(exec, x, b, x_is_zero, omega, count);
}

#endif
