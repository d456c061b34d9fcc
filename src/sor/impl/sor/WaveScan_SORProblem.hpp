// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_SORPROBLEM_HPP
#define WAVESCAN_IMPL_SOR_SORPROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Loop.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/sor/WaveScan_Box.hpp>
#include <impl/sor/WaveScan_StencilValues.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <concepts>
#include <type_traits>

namespace wavescan::Impl::sor {

/// @brief The width of a mask's entries.
enum class MaskWord { None, Char, Short, Int, Long, LongLong };

template <std::integral M>
constexpr MaskWord mask_word_of() {
  if constexpr (sizeof(M) == 1)
    return MaskWord::Char;  // bool too
  else if constexpr (std::same_as<std::make_unsigned_t<M>, unsigned short>)
    return MaskWord::Short;
  else if constexpr (std::same_as<std::make_unsigned_t<M>, unsigned int>)
    return MaskWord::Int;
  else if constexpr (std::same_as<std::make_unsigned_t<M>, unsigned long>)
    return MaskWord::Long;
  else
    return MaskWord::LongLong;
}

/// @brief Whether an entry is not zero; false without a mask, whatever its address.
KOKKOS_FORCEINLINE_FUNCTION bool is_set(MaskWord word, const void* entry) {
  switch (word) {
    case MaskWord::None:
      return false;
    case MaskWord::Char:
      return *static_cast<const unsigned char*>(entry) != 0;
    case MaskWord::Short:
      return *static_cast<const unsigned short*>(entry) != 0;
    case MaskWord::Int:
      return *static_cast<const unsigned int*>(entry) != 0;
    case MaskWord::Long:
      return *static_cast<const unsigned long*>(entry) != 0;
    case MaskWord::LongLong:
      return *static_cast<const unsigned long long*>(entry) != 0;
  }
  return false;
}

/// @brief The bytes of a mask, with strides in bytes.
template <class M>
Grid<const unsigned char> bytes_of(const Grid<M>& mask) {
  constexpr auto bytes = static_cast<Index>(sizeof(M));
  return {reinterpret_cast<const unsigned char*>(mask.data), mask.rows, mask.columns,
          mask.row_stride * bytes, mask.column_stride * bytes};
}
template <class M>
Box<const unsigned char> bytes_of(const Box<M>& mask) {
  constexpr auto bytes = static_cast<Index>(sizeof(M));
  return {reinterpret_cast<const unsigned char*>(mask.data),
          mask.planes,
          mask.rows,
          mask.columns,
          mask.plane_stride * bytes,
          mask.row_stride * bytes,
          mask.column_stride * bytes};
}

/// @brief The points that are held fixed: a mask of any integral type, read by its width.
///
/// Kernels are compiled once for all of them, and a plan need not know the type beforehand.
template <int Rank>
struct FixedPointsOf {
  using Word = MaskWord;

  ArrayOf<const unsigned char, Rank> first_bytes{};
  Word word = Word::None;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index i, Index j) const requires(Rank == 2) {
    return is_set(word, &first_bytes(i, j));
  }
  /// @brief Whether a point is fixed, for loops that also know the right-hand side there.
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index i, Index j, auto) const requires(Rank == 2) {
    return is_set(word, &first_bytes(i, j));
  }
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index k, Index i, Index j) const requires(Rank == 3) {
    return is_set(word, &first_bytes(k, i, j));
  }

  template <class Mask>
  static FixedPointsOf of(const Mask& mask) {
    return {bytes_of(mask), mask_word_of<std::remove_cvref_t<decltype(*mask.data)>>()};
  }
};
using FixedPoints = FixedPointsOf<2>;

/// @brief The mask, if its entries are of this type.
template <class Word>
Grid<const Word> mask_of(const FixedPoints& fixed) {
  constexpr auto bytes = static_cast<Index>(sizeof(Word));
  const Grid<const unsigned char>& m = fixed.first_bytes;
  if (fixed.word != mask_word_of<Word>()) return {};
  return {reinterpret_cast<const Word*>(m.data), m.rows, m.columns, m.row_stride / bytes,
          m.column_stride / bytes};
}

/// @brief No fixed points, which the compiler knows.
struct NoFixedPoints {
  template <class... At>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(At...) const {
    return false;
  }
  /// For kernels that are compiled for a mask and for none at once.
  template <int Rank>
  operator FixedPointsOf<Rank>() const {  // NOLINT(google-explicit-constructor)
    return {};
  }
};

inline NoFixedPoints reversed(NoFixedPoints none) { return none; }
inline NoFixedPoints transposed(NoFixedPoints none) { return none; }
template <int Rank>
FixedPointsOf<Rank> reversed(const FixedPointsOf<Rank>& f) {
  return {reversed(f.first_bytes), f.word};
}
template <int Rank>
FixedPointsOf<Rank> transposed(const FixedPointsOf<Rank>& f) {
  return {transposed(f.first_bytes), f.word};
}

/// @brief An input besides x, in kernels: a constant, or a value for each point.
template <class T>
using CoefficientField = LoopInput<T>;
template <class T>
struct BoxField {
  Box<const T> values{};  ///< without data: the constant
  T constant{};

  KOKKOS_FORCEINLINE_FUNCTION T operator()(Index k, Index i, Index j) const {
    return values.data ? values(k, i, j) : constant;
  }
};
template <class T, int Rank>
using FieldOf = std::conditional_t<Rank == 2, CoefficientField<T>, BoxField<T>>;

template <class T>
using CoefficientFields = SORCoefficients<CoefficientField<T>>;

/// @brief Coefficients of which each is a field.
template <class C>
concept FieldsOfStencil = StencilCoefficients<C> && requires(C c) {
  c.center.values;
};

/// @brief The coefficients at a point.
template <StencilCoefficients C, class... At>
KOKKOS_FORCEINLINE_FUNCTION const C& coefficients_at(const C& c, At...) {
  return c;
}
template <FieldsOfStencil Fields, class... At>
KOKKOS_FORCEINLINE_FUNCTION auto coefficients_at(const Fields& c, At... at) {
  return map_coefficients(c, [&](const auto& field) { return field(at...); });
}

/// @brief Coefficients of fields from constants.
template <StencilCoefficients C>
auto with_fields(const C& c) {
  using T = decltype(c.center);
  return map_coefficients(c, [](T constant) { return FieldOf<T, rank_of<C>>{{}, constant}; });
}

/// @brief Sets the coefficient of a right-hand side of -0, which stands for a missing one, so that
/// it changes no sum: it is positive. The residuals keep their units.
template <StencilCoefficients C>
void neutralise_missing_rhs(C& c) {
  if constexpr (FieldsOfStencil<C>)
    c.rhs = {{}, 1};
  else
    c.rhs = std::isfinite(c.rhs) && c.rhs != 0 ? std::abs(c.rhs) : 1;
}

template <class Field>
concept FieldOfValues = requires(const Field& f) {
  f.values.data;
  f.constant;
};
template <FieldOfValues Field>
Field reversed(const Field& f) {
  return {reversed(f.values), f.constant};
}
template <FieldOfValues Field>
Field transposed(const Field& f) {
  return {transposed(f.values), f.constant};
}

template <FieldsOfStencil Fields>
Fields reversed(const Fields& c) {
  return map_coefficients(moved<opposite>(c), [](const auto& field) { return reversed(field); });
}

/// @brief The coefficients of a transposed problem.
template <StencilCoefficients C>
C transposed_coefficients(const C& c) {
  const C transposed_points = moved<StencilOf<C>::transpose>(c);
  if constexpr (FieldsOfStencil<C>)
    return map_coefficients(transposed_points, [](const auto& field) { return transposed(field); });
  else
    return transposed_points;
}

/// @brief The direction in which elements of x lie next to each other, as far as its View's type
/// tells.
enum class Dense { Unknown, Rows, Columns };

/// @brief The dense direction of a View. The library WaveScan::kernels is compiled for all of them
/// at once.
template <class X>
inline constexpr Dense dense_of =
#if defined(WAVESCAN_HAS_KERNELS)
    Dense::Unknown;
#else
    X::rank() == 3                                                ? Dense::Unknown
    : std::same_as<typename X::array_layout, Kokkos::LayoutRight> ? Dense::Rows
    : std::same_as<typename X::array_layout, Kokkos::LayoutLeft>  ? Dense::Columns
                                                                  : Dense::Unknown;
#endif

/// @brief The data of a sweep or a residual, in two dimensions or three.
/// @tparam X            T to sweep, const T to look at the residual
/// @tparam Coefficients those of a stencil: of T, or of fields where they vary
/// @tparam Fixed        how it is known which points are: NoFixedPoints, FixedPointsOf or
/// EncodedMask, so that calls without a mask compile no kernels for one
template <class X, class Coefficients = SORCoefficients<std::remove_const_t<X>>,
          class Fixed = NoFixedPoints>
struct Problem {
  using value_type = std::remove_const_t<X>;
  using fixed_type = Fixed;
  static constexpr Dense dense = Dense::Unknown;
  static constexpr int rank = rank_of<Coefficients>;
  static constexpr bool varies = FieldsOfStencil<Coefficients>;

  Coefficients coefficients;
  ArrayOf<X, rank> x;                     ///< with its halo
  ArrayOf<const value_type, rank> rhs{};  ///< without data: zero
  Fixed fixed{};

  Index interior_planes() const {
    if constexpr (rank == 3)
      return x.planes > 2 ? x.planes - 2 : 0;
    else
      return 1;
  }
  Index interior_rows() const { return x.rows > 2 ? x.rows - 2 : 0; }
  Index interior_columns() const { return x.columns > 2 ? x.columns - 2 : 0; }
  bool empty() const {
    return interior_planes() == 0 || interior_rows() == 0 || interior_columns() == 0;
  }
  /// @brief The right-hand side for sweeps: -0, which changes no sum, where there is none.
  KOKKOS_FUNCTION FieldOf<value_type, rank> field_of_rhs() const { return {rhs, value_type(-0.0)}; }
};

/// @brief A problem with the same coefficients everywhere, and a mask.
template <class X, class Fixed = FixedPoints>
using MaskedProblem = Problem<X, SORCoefficients<std::remove_const_t<X>>, Fixed>;
/// @brief A problem whose coefficients vary. Their reads take so long that a mask costs no time.
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

/// @brief Whether problems may be transposed. Where the upper right neighbour comes before a
/// point the lower left one would have to, and rows could not follow each other any more.
template <class P>
inline constexpr bool may_be_transposed = lag_of<CoefficientsOf<P>> == 1;

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

/// @brief Calls use(transposes) with a constant.
/// @param transposes whether a problem was transposed to have dense rows
template <Dense Which, class Use>
auto with_constant_order([[maybe_unused]] bool transposes, const Use& use) {
  if constexpr (Which != Dense::Unknown)
    return use(std::bool_constant<Which == Dense::Columns>());
  else
    return transposes ? use(std::true_type()) : use(std::false_type());
}

/// @brief The problem for a kernel that only knows fields and masks.
template <class T, class C, class F>
auto with_fields(const Problem<T, C, F>& p) {
  const auto fields = with_fields(p.coefficients);
  using Fixed = FixedPointsOf<Problem<T, C, F>::rank>;
  return Problem<T, std::remove_const_t<decltype(fields)>, Fixed>{fields, p.x, p.rhs, p.fixed};
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

/// @brief The problem of transposed arrays. Its operations are others: a point's right neighbour is
/// where the lower one was, or in three dimensions the one in the plane behind.
template <class X, class C, class F>
Problem<X, C, F> transposed(const Problem<X, C, F>& p) {
  return {transposed_coefficients(p.coefficients), transposed(p.x), transposed(p.rhs),
          transposed(p.fixed)};
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
  return is_transposed_in_memory(p.x) ? transposed(p) : p;
}

}  // namespace wavescan::Impl::sor

#endif
