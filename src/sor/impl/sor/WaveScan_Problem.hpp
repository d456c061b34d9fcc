// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_PROBLEM_HPP
#define WAVESCAN_IMPL_SOR_PROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Loop.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/sor/WaveScan_FivePoint.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <type_traits>

namespace wavescan::Impl::sor {

/// @brief Which points are held fixed: a mask of any integral type, read by its width.
///
/// Kernels are compiled once for all of them, and a plan need not know the type beforehand.
struct FixedPoints {
  enum class Word { None, Char, Short, Int, Long, LongLong };

  Grid<const unsigned char> first_bytes{};
  Word word = Word::None;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index i, Index j) const {
    return is_set(word, &first_bytes(i, j));
  }

  /// @brief Whether an entry is not zero; false without a mask, whatever its address.
  KOKKOS_FORCEINLINE_FUNCTION static bool is_set(Word word, const void* entry) {
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

  /// @brief For loops that also know the right-hand side there.
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

/// @brief The mask, if its entries are of this type.
template <class Word>
Grid<const Word> mask_of(const FixedPoints& fixed) {
  constexpr auto bytes = static_cast<Index>(sizeof(Word));
  const Grid<const unsigned char>& m = fixed.first_bytes;
  if (fixed.word != FixedPoints::word_of<Word>()) return {};
  return {reinterpret_cast<const Word*>(m.data), m.rows, m.columns, m.row_stride / bytes,
          m.column_stride / bytes};
}

/// @brief Nothing is held fixed, which the compiler knows.
struct NoFixedPoints {
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index, Index) const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index, Index, auto) const { return false; }
  /// For kernels that are compiled for a mask and for none at once.
  operator FixedPoints() const { return {}; }  // NOLINT(google-explicit-constructor)
};

inline NoFixedPoints reversed(NoFixedPoints none) { return none; }
inline NoFixedPoints transposed(NoFixedPoints none) { return none; }
inline FixedPoints reversed(const FixedPoints& f) { return {reversed(f.first_bytes), f.word}; }
inline FixedPoints transposed(const FixedPoints& f) { return {transposed(f.first_bytes), f.word}; }

/// @brief A coefficient in kernels: a constant, or a value for each point.
template <class T>
using CoefficientField = LoopInput<T>;

template <class T>
using CoefficientFields = SORCoefficients<CoefficientField<T>>;

/// @brief Coefficients of which each is a field.
template <class C>
concept FieldsOfStencil = StencilCoefficients<C> && requires(C c) {
  c.center.values;
};

/// @brief The coefficients at a point.
template <FieldsOfStencil Fields>
KOKKOS_FORCEINLINE_FUNCTION auto coefficients_at(const Fields& c, Index i, Index j) {
  return map_coefficients(c, [&](const auto& field) { return field(i, j); });
}

template <class T>
CoefficientField<T> reversed(const CoefficientField<T>& c) {
  return {reversed(c.values), c.constant};
}

template <class T>
CoefficientField<T> transposed(const CoefficientField<T>& c) {
  return {transposed(c.values), c.constant};
}

template <FieldsOfStencil Fields>
Fields reversed(const Fields& c) {
  return map_coefficients(moved<opposite>(c), [](const auto& field) { return reversed(field); });
}

template <FieldsOfStencil Fields>
Fields transposed(const Fields& c) {
  return map_coefficients(moved<transposed>(c),
                          [](const auto& field) { return transposed(field); });
}

/// @brief Whose elements lie next to each other in x, as far as its View's type tells.
enum class Dense { Unknown, Rows, Columns };

/// @brief That of a View. The library WaveScan::kernels is compiled for all of them at once.
template <class X>
inline constexpr Dense dense_of =
#if defined(WAVESCAN_HAS_KERNELS)
    Dense::Unknown;
#else
    std::same_as<typename X::array_layout, Kokkos::LayoutRight>  ? Dense::Rows
    : std::same_as<typename X::array_layout, Kokkos::LayoutLeft> ? Dense::Columns
                                                                 : Dense::Unknown;
#endif

/// @brief All that a sweep or a residual needs to know.
/// @tparam X            T to sweep, const T to look at the residual
/// @tparam Coefficients SORCoefficients<T>, or CoefficientFields<T> where they vary
/// @tparam Fixed        how it is known which points are: NoFixedPoints, FixedPoints or
/// EncodedMask,
///                      so that calls without a mask compile no kernels for one
template <class X, class Coefficients = SORCoefficients<std::remove_const_t<X>>,
          class Fixed = NoFixedPoints>
struct Problem {
  using value_type = std::remove_const_t<X>;
  using fixed_type = Fixed;
  static constexpr Dense dense = Dense::Unknown;

  Coefficients coefficients;
  Grid<X> x;                     ///< with its halo
  Grid<const value_type> rhs{};  ///< without data: zero
  Fixed fixed{};

  Index interior_rows() const { return x.rows > 2 ? x.rows - 2 : 0; }
  Index interior_columns() const { return x.columns > 2 ? x.columns - 2 : 0; }
  bool empty() const { return interior_rows() == 0 || interior_columns() == 0; }
};

/// @brief With the same coefficients everywhere, and a mask.
template <class X, class Fixed = FixedPoints>
using MaskedProblem = Problem<X, SORCoefficients<std::remove_const_t<X>>, Fixed>;
/// @brief Coefficients that vary leave no time in which a mask would matter.
template <class X, class Fixed = FixedPoints>
using VariableProblem = Problem<X, CoefficientFields<std::remove_const_t<X>>, Fixed>;

/// @brief A problem of the five-point stencil, for kernels that know no other.
template <class P>
concept FivePointProblem =
    std::same_as<typename StencilOf<decltype(P::coefficients)>::template with<int>,
                 SORCoefficients<int>>;

/// @brief The coefficients at a problem's point.
template <class P>
using CoefficientsOf =
    typename StencilOf<decltype(P::coefficients)>::template with<typename P::value_type>;

/// @brief Whether rows and columns may be exchanged. Where the upper right neighbour comes before a
/// point the lower left one would have to, and rows could not follow each other any more.
template <class P>
inline constexpr bool may_be_exchanged = lag_of<CoefficientsOf<P>> == 1;

/// @brief A five-point problem with the same coefficients everywhere, whatever else is known of it.
template <class P>
concept ConstantProblem =
    std::same_as<decltype(P::coefficients), SORCoefficients<typename P::value_type>>;

/// @brief A problem of which is known when it is compiled what is dense: kernels are then compiled
/// for one order of operations instead of two.
template <class P, Dense Which>
struct DenseProblem : P {
  static constexpr Dense dense = Which;
};

template <Dense Which, class X, class C, class F>
auto with_dense(const Problem<X, C, F>& problem) {
  if constexpr (Which == Dense::Unknown)
    return problem;
  else
    return DenseProblem<Problem<X, C, F>, Which>{problem};
}

/// @brief Calls use(exchanged) with a constant.
/// @param exchanged whether the rows and columns of a problem were exchanged to have dense rows
template <Dense Which, class Use>
auto with_constant_order([[maybe_unused]] bool exchanged, const Use& use) {
  if constexpr (Which != Dense::Unknown)
    return use(std::bool_constant<Which == Dense::Columns>());
  else
    return exchanged ? use(std::true_type()) : use(std::false_type());
}

/// @brief The problem for a kernel that only knows fields.
template <class T, class C>
auto with_fields(const Problem<T, C, FixedPoints>& p) {
  const auto field = [](T constant) { return CoefficientField<T>{{}, constant}; };
  using Fields = typename StencilOf<C>::template with<CoefficientField<T>>;
  return Problem<T, Fields, FixedPoints>{map_coefficients(p.coefficients, field), p.x, p.rhs,
                                         p.fixed};
}

/// @brief A grid to be read only.
template <class T>
Grid<const T> read_only(const Grid<T>& grid) {
  return {grid.data, grid.rows, grid.columns, grid.row_stride, grid.column_stride};
}

/// @brief The problem for a kernel that only reads, so that it is compiled once.
template <class X, class C, class F>
Problem<const X, C, F> read_only(const Problem<X, C, F>& p) {
  return {p.coefficients, read_only(p.x), p.rhs, p.fixed};
}

/// @brief The problem seen from its last point: what a backward sweep is a forward sweep of.
template <class X, class C, class F>
Problem<X, C, F> reversed(const Problem<X, C, F>& p) {
  return {reversed(p.coefficients), reversed(p.x), reversed(p.rhs), reversed(p.fixed)};
}

/// @brief The problem with rows and columns exchanged. Its operations are others: a point's right
/// neighbour is where the lower one was.
template <class X, class C, class F>
Problem<X, C, F> transposed(const Problem<X, C, F>& p) {
  return {transposed(p.coefficients), transposed(p.x), transposed(p.rhs), transposed(p.fixed)};
}

/// @brief True if elements of a row lie next to each other, in this direction or the other.
template <class T>
bool has_dense_rows(const Grid<T>& grid) {
  return grid.column_stride == 1 || grid.column_stride == -1;
}
/// @brief The problem with dense rows, if one of its dimensions is dense.
template <class X, class C, class F>
Problem<X, C, F> with_dense_rows(const Problem<X, C, F>& p) {
  return has_dense_rows(p.x) ? p : transposed(p);
}

/// @brief The problem with the closer elements of x along its rows, for kernels in which the order
/// of points has no meaning.
template <class X, class C, class F>
Problem<X, C, F> in_memory_order(const Problem<X, C, F>& p) {
  return p.x.column_stride <= p.x.row_stride ? p : transposed(p);
}

}  // namespace wavescan::Impl::sor

#endif
