// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_PROBLEM_HPP
#define WAVESCAN_IMPL_SOR_PROBLEM_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
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

/// @brief All that a sweep or a residual needs to know.
/// @tparam X T to sweep, const T to look at the residual
template <class X>
struct SORProblem {
  using value_type = std::remove_const_t<X>;

  SORCoefficients<value_type> coefficients;
  Grid<X> x;                     ///< with its halo
  Grid<const value_type> rhs{};  ///< without data: zero
  FixedPoints fixed{};

  Index interior_rows() const { return x.rows > 2 ? x.rows - 2 : 0; }
  Index interior_columns() const { return x.columns > 2 ? x.columns - 2 : 0; }
};

/// @brief The problem for a kernel that only reads, so that it is compiled once.
template <class X>
SORProblem<const X> read_only(const SORProblem<X>& p) {
  return {p.coefficients,
          {p.x.data, p.x.rows, p.x.columns, p.x.row_stride, p.x.column_stride},
          p.rhs,
          p.fixed};
}

/// @brief The problem seen from its last point: what a backward sweep is a forward sweep of.
template <class X>
SORProblem<X> reversed(const SORProblem<X>& p) {
  return {reversed(p.coefficients),
          reversed(p.x),
          reversed(p.rhs),
          {reversed(p.fixed.first_bytes), p.fixed.word}};
}

/// @brief The problem with rows and columns exchanged. Its operations are others: a point's right
/// neighbour is where the lower one was.
template <class X>
SORProblem<X> transposed(const SORProblem<X>& p) {
  return {transposed(p.coefficients),
          transposed(p.x),
          transposed(p.rhs),
          {transposed(p.fixed.first_bytes), p.fixed.word}};
}

/// @brief The problem with the closer elements of x along its rows, for kernels in which the order
/// of points has no meaning.
template <class X>
SORProblem<X> in_memory_order(const SORProblem<X>& p) {
  return p.x.column_stride <= p.x.row_stride ? p : transposed(p);
}

/// @brief The interior, row by row.
template <ExecutionSpace Exec, class X>
auto interior_policy(const Exec& exec, const SORProblem<X>& p) {
  using rank = Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>;
  using policy = Kokkos::MDRangePolicy<Exec, rank, Kokkos::IndexType<Index>>;
  return policy(exec, {1, 1}, {1 + p.interior_rows(), 1 + p.interior_columns()});
}

}  // namespace wavescan::Impl

#endif
