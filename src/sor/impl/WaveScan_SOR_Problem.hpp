// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_PROBLEM_HPP
#define WAVESCAN_IMPL_SOR_PROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Loop.hpp>
#include <WaveScan_SORCoefficients.hpp>

#include <concepts>
#include <type_traits>

namespace wavescan::Impl {

/// @brief Which points are held fixed: a mask of any integral type, read by its width.
///
/// Kernels are compiled once for all of them, and a plan need not know the type beforehand.
struct FixedPoints {
  enum class Word { None, Char, Short, Int, Long, LongLong };

  Grid<const unsigned char> first_bytes{};
  Word word = Word::None;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index i, Index j) const {
    const void* entry = &first_bytes(i, j);
    switch (word) {
      case Word::None:
        return false;
      case Word::Char:
        return nonzero<unsigned char>(entry);
      case Word::Short:
        return nonzero<unsigned short>(entry);
      case Word::Int:
        return nonzero<unsigned int>(entry);
      case Word::Long:
        return nonzero<unsigned long>(entry);
      case Word::LongLong:
        return nonzero<unsigned long long>(entry);
    }
    return false;
  }

  /// @brief The same for loops that also know the right-hand side there.
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index i, Index j, auto) const {
    return (*this)(i, j);
  }

  template <std::integral M>
  static constexpr Word word_of() {
    if constexpr (sizeof(M) == 1)
      return Word::Char;  // bool too
    else if constexpr (std::same_as<std::make_unsigned_t<M>, unsigned short>)
      return Word::Short;
    else if constexpr (std::same_as<std::make_unsigned_t<M>, unsigned int>)
      return Word::Int;
    else if constexpr (std::same_as<std::make_unsigned_t<M>, unsigned long>)
      return Word::Long;
    else
      return Word::LongLong;
  }

  template <class M>
  static FixedPoints of(const Grid<M>& mask) {
    constexpr auto bytes = static_cast<Index>(sizeof(M));
    return {{reinterpret_cast<const unsigned char*>(mask.data), mask.rows, mask.columns,
             mask.row_stride * bytes, mask.column_stride * bytes},
            word_of<std::remove_const_t<M>>()};
  }

 private:
  template <class Unsigned>
  KOKKOS_FORCEINLINE_FUNCTION static bool nonzero(const void* entry) {
    return *static_cast<const Unsigned*>(entry) != 0;
  }
};

/// @brief A coefficient in kernels: a constant, or a value for each point.
template <class T>
using CoefficientField = LoopInput<T>;

template <class T>
using CoefficientFields = SORCoefficients<CoefficientField<T>>;

/// @brief The six coefficients at a point.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION SORCoefficients<T> coefficients_at(const CoefficientFields<T>& c,
                                                               Index i, Index j) {
  return {c.center(i, j), c.left(i, j), c.up(i, j), c.right(i, j), c.down(i, j), c.rhs(i, j)};
}

template <class T>
CoefficientField<T> reversed(const CoefficientField<T>& c) {
  return {reversed(c.values), c.constant};
}

template <class T>
CoefficientField<T> transposed(const CoefficientField<T>& c) {
  return {transposed(c.values), c.constant};
}

template <class T>
CoefficientFields<T> reversed(const CoefficientFields<T>& c) {
  return {reversed(c.center), reversed(c.right), reversed(c.down),
          reversed(c.left),   reversed(c.up),    reversed(c.rhs)};
}

template <class T>
CoefficientFields<T> transposed(const CoefficientFields<T>& c) {
  return {transposed(c.center), transposed(c.up),    transposed(c.left),
          transposed(c.down),   transposed(c.right), transposed(c.rhs)};
}

/// @brief All that a sweep or a residual needs to know.
/// @tparam X            T to sweep, const T to look at the residual
/// @tparam Coefficients SORCoefficients<T>, or CoefficientFields<T> where they vary
template <class X, class Coefficients = SORCoefficients<std::remove_const_t<X>>>
struct SORProblem {
  using value_type = std::remove_const_t<X>;

  Coefficients coefficients;
  Grid<X> x;                     ///< with its halo
  Grid<const value_type> rhs{};  ///< without data: zero
  FixedPoints fixed{};
  bool marked = false;  ///< the right-hand side tells of fixed points, see SORMark

  Index interior_rows() const { return x.rows > 2 ? x.rows - 2 : 0; }
  Index interior_columns() const { return x.columns > 2 ? x.columns - 2 : 0; }
  bool empty() const { return interior_rows() == 0 || interior_columns() == 0; }
};

template <class X>
using VariableSORProblem = SORProblem<X, CoefficientFields<std::remove_const_t<X>>>;

/// @brief The problem for a kernel that only knows fields.
template <class T>
VariableSORProblem<T> with_fields(const SORProblem<T>& p) {
  const auto field = [](T constant) { return CoefficientField<T>{{}, constant}; };
  const SORCoefficients<T>& c = p.coefficients;
  return {
      {field(c.center), field(c.left), field(c.up), field(c.right), field(c.down), field(c.rhs)},
      p.x,
      p.rhs,
      p.fixed,
      p.marked};
}

/// @brief The same entries, to be read only.
template <class T>
Grid<const T> read_only(const Grid<T>& grid) {
  return {grid.data, grid.rows, grid.columns, grid.row_stride, grid.column_stride};
}

/// @brief The problem for a kernel that only reads, so that it is compiled once.
template <class X, class C>
SORProblem<const X, C> read_only(const SORProblem<X, C>& p) {
  return {p.coefficients, read_only(p.x), p.rhs, p.fixed, p.marked};
}

/// @brief The problem seen from its last point: what a backward sweep is a forward sweep of.
template <class X, class C>
SORProblem<X, C> reversed(const SORProblem<X, C>& p) {
  return {reversed(p.coefficients),
          reversed(p.x),
          reversed(p.rhs),
          {reversed(p.fixed.first_bytes), p.fixed.word},
          p.marked};
}

/// @brief The problem with rows and columns exchanged. Its operations are others: a point's right
/// neighbour is where the lower one was.
template <class X, class C>
SORProblem<X, C> transposed(const SORProblem<X, C>& p) {
  return {transposed(p.coefficients),
          transposed(p.x),
          transposed(p.rhs),
          {transposed(p.fixed.first_bytes), p.fixed.word},
          p.marked};
}

/// @brief The problem with the closer elements of x along its rows, for kernels in which the order
/// of points has no meaning.
template <class X, class C>
SORProblem<X, C> in_memory_order(const SORProblem<X, C>& p) {
  return p.x.column_stride <= p.x.row_stride ? p : transposed(p);
}

}  // namespace wavescan::Impl

#endif
