// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR3D_PROBLEM_HPP
#define WAVESCAN_IMPL_SOR3D_PROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SOR3DCoefficients.hpp>
#include <impl/sor/WaveScan_Problem.hpp>
#include <impl/sor3d/WaveScan_Box.hpp>
#include <impl/sor3d/WaveScan_SevenPoint.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <type_traits>

namespace wavescan::Impl::sor3d {

/// @brief What is read besides x, in kernels: a constant, or a value for each point.
template <class T>
struct Field {
  Box<const T> values{};  ///< without data: the constant
  T constant{};

  KOKKOS_FORCEINLINE_FUNCTION T operator()(Index k, Index i, Index j) const {
    return values.data ? values(k, i, j) : constant;
  }
};

template <class T>
using CoefficientFields = SORCoefficients3D<Field<T>>;

/// @brief Which points are held fixed: a mask of any integral type, read by its width.
struct FixedPoints {
  using Word = sor::FixedPoints::Word;
  Box<const unsigned char> first_bytes{};
  Word word = Word::None;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index k, Index i, Index j) const {
    return sor::FixedPoints::is_set(word, &first_bytes(k, i, j));
  }

  template <class M>
  static FixedPoints of(const Box<M>& mask) {
    constexpr auto bytes = static_cast<Index>(sizeof(M));
    return {
        {reinterpret_cast<const unsigned char*>(mask.data), mask.planes, mask.rows, mask.columns,
         mask.plane_stride * bytes, mask.row_stride * bytes, mask.column_stride * bytes},
        sor::FixedPoints::word_of<std::remove_const_t<M>>()};
  }
};

/// @brief Nothing is held fixed, which the compiler knows.
struct NoFixedPoints {
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index, Index, Index) const { return false; }
};

/// @brief All that a sweep or a residual needs to know. There are two kinds: one for the same
/// coefficients everywhere, without a mask, and one for everything.
template <class X, class Coefficients, class Fixed>
struct Problem {
  using value_type = std::remove_const_t<X>;
  static constexpr bool varies = std::same_as<Coefficients, CoefficientFields<value_type>>;

  Coefficients coefficients;
  Box<X> x;                     ///< with its halo
  Box<const value_type> rhs{};  ///< without data: zero
  Fixed fixed{};

  Index interior_planes() const { return x.planes > 2 ? x.planes - 2 : 0; }
  Index interior_rows() const { return x.rows > 2 ? x.rows - 2 : 0; }
  Index interior_columns() const { return x.columns > 2 ? x.columns - 2 : 0; }
  bool empty() const {
    return interior_planes() == 0 || interior_rows() == 0 || interior_columns() == 0;
  }
  /// @brief The right-hand side for sweeps: -0, which changes no sum, where there is none.
  KOKKOS_FUNCTION Field<value_type> field_of_rhs() const { return {rhs, value_type(-0.0)}; }
};

template <class X>
using ConstantProblem = Problem<X, SORCoefficients3D<std::remove_const_t<X>>, NoFixedPoints>;
template <class X>
using VariableProblem = Problem<X, CoefficientFields<std::remove_const_t<X>>, FixedPoints>;

/// @brief The coefficients at a point.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION const SORCoefficients3D<T>& coefficients_at(
    const SORCoefficients3D<T>& c, Index, Index, Index) {
  return c;
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION SORCoefficients3D<T> coefficients_at(const CoefficientFields<T>& c,
                                                                 Index k, Index i, Index j) {
  return sor::map_coefficients(c, [&](const Field<T>& field) { return field(k, i, j); });
}

template <class T>
CoefficientFields<T> with_fields(const SORCoefficients3D<T>& c) {
  return sor::map_coefficients(c, [](T constant) { return Field<T>{{}, constant}; });
}

/// @brief Sweeps without a right-hand side multiply by -0, with a coefficient that keeps it so.
template <class T>
void set_coefficient_of_nothing(SORCoefficients3D<T>& c) {
  c.rhs = T(1);
}
template <class T>
void set_coefficient_of_nothing(CoefficientFields<T>& c) {
  c.rhs = {{}, T(1)};
}

/// @brief The problem with another order of its points.
/// @param reorder what becomes of every box
template <class X, class C, class F, class Reorder>
Problem<X, C, F> reordered(Problem<X, C, F> p, const C& coefficients, const Reorder& reorder) {
  p.coefficients = coefficients;
  if constexpr (Problem<X, C, F>::varies)
    sor::for_each_coefficient(p.coefficients,
                              [&](auto, auto& field) { field.values = reorder(field.values); });
  if constexpr (std::same_as<F, FixedPoints>) p.fixed.first_bytes = reorder(p.fixed.first_bytes);
  p.x = reorder(p.x);
  p.rhs = reorder(p.rhs);
  return p;
}

/// @brief The problem seen from its last point: what a backward sweep is a forward sweep of.
template <class X, class C, class F>
Problem<X, C, F> reversed(const Problem<X, C, F>& p) {
  return reordered(p, reversed(p.coefficients), [](const auto& box) { return reversed(box); });
}
/// @brief The problem with planes and columns exchanged, whose operations are others.
template <class X, class C, class F>
Problem<X, C, F> exchanged(const Problem<X, C, F>& p) {
  return reordered(p, exchanged(p.coefficients), [](const auto& box) { return exchanged(box); });
}

/// @brief Whether columns are to be exchanged with planes, which are closer to each other.
template <class T>
bool has_closer_planes(const Box<T>& box) {
  return box.plane_stride < box.column_stride;
}

template <class X, class C, class F>
Problem<const X, C, F> read_only(const Problem<X, C, F>& p) {
  return {p.coefficients, read_only(p.x), p.rhs, p.fixed};
}

}  // namespace wavescan::Impl::sor3d

#endif
