// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_MASKENCODING_HPP
#define WAVESCAN_IMPL_SOR_MASKENCODING_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Problem.hpp>
#include <impl/sor/WaveScan_Speculation.hpp>

#include <cmath>
#include <cstdint>

/// @file
/// @brief Fixed points as entries of the right-hand side, for devices whose kernels fetch that well
/// ahead: a mask would be one more array, of a type of its own.

namespace wavescan::Impl::sor {

/// @brief The number that stands for fixed points: a NaN that no computation gives.
template <class T>
struct FixedPointCode {
  /// The upper half of a double decides, which takes one comparison.
  static constexpr std::uint32_t word = sizeof(T) == 4 ? 0x7fdb5a3cu : 0x7ffb5a3cu;

  KOKKOS_FORCEINLINE_FUNCTION static T value() {
    if constexpr (sizeof(T) == 4)
      return Kokkos::bit_cast<T>(std::uint32_t(word));
    else
      return Kokkos::bit_cast<T>(std::uint64_t(word) << 32);
  }
  /// @brief The word that decides.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t word_of(T v) {
    if constexpr (sizeof(T) == 4)
      return Kokkos::bit_cast<std::uint32_t>(v);
    else
      return static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(v) >> 32);
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool is(T v) { return word_of(v) == word; }
  /// @brief The number, or another NaN if it is that.
  KOKKOS_FORCEINLINE_FUNCTION static T unlike(T v) {
    return is(v) ? Kokkos::Experimental::quiet_NaN_v<T> : v;
  }
};

/// @brief Which points are held fixed, if the right-hand side tells.
template <class T>
struct EncodedMask {
  bool any = false;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(Index, Index, T b) const {
    return any && FixedPointCode<T>::is(b);
  }
};
template <class T>
EncodedMask<T> reversed(EncodedMask<T> mask) {
  return mask;
}
template <class T>
EncodedMask<T> transposed(EncodedMask<T> mask) {
  return mask;
}

template <class T>
struct EncodeMask {
  Grid<const T> rhs;
  FixedPoints fixed;
  Grid<T> to;
  Grid<T> cleared;  ///< its unknowns become zero; without data: none
  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    if (fixed(i, j)) {
      to(i, j) = FixedPointCode<T>::value();
      return;
    }
    to(i, j) = rhs.data ? FixedPointCode<T>::unlike(rhs(i, j)) : T(-0.0);
    if (cleared.data) cleared(i, j) = T(0);
  }
};

/// @brief Coefficients by which a right-hand side of -0 changes nothing; the residuals keep their
/// units.
template <StencilCoefficients C>
C with_positive_rhs(C c) {
  if constexpr (FieldsOfStencil<C>)
    c.rhs = {{}, 1};
  else
    c.rhs = std::isfinite(c.rhs) && c.rhs != 0 ? std::abs(c.rhs) : 1;
  return c;
}

/// @brief Enqueues the making of a right-hand side that tells of fixed points, in `memory`, and
/// returns the problem with it.
///
/// Without a right-hand side it is -0 elsewhere, which changes nothing, not even the sign of a
/// zero. Its halo is left as it is, for nobody looks at that.
/// @param from_zero whether unknowns are set to zero as well
template <ExecutionSpace Exec, class T, class C>
Problem<T, C, EncodedMask<T>> with_encoded_mask(const Exec& exec,
                                                const Problem<T, C, FixedPoints>& problem,
                                                const SecondArray<Exec, T>& memory,
                                                bool from_zero = false) {
  if (problem.fixed.word == FixedPoints::Word::None || problem.empty())
    return {problem.coefficients, problem.x, problem.rhs, {}};
  const Problem<T, C, FixedPoints> p = in_memory_order(problem);
  const Grid<T> encoded = memory.like(exec, p.x);
  for_rectangle(exec, "WaveScan::sor::encode_mask", 1, p.interior_rows(), p.interior_columns(),
                EncodeMask<T>{p.rhs, p.fixed, encoded, from_zero ? p.x : Grid<T>{}});
  const bool exchanged = p.x.row_stride != problem.x.row_stride;
  return {p.rhs.data ? problem.coefficients : with_positive_rhs(problem.coefficients),
          problem.x,
          read_only(exchanged ? transposed(encoded) : encoded),
          {true}};
}

/// @brief Without a mask there is nothing to encode.
template <ExecutionSpace Exec, class T, class C>
const Problem<T, C>& with_encoded_mask(const Exec&, const Problem<T, C>& problem,
                                       const SecondArray<Exec, T>&, bool = false) {
  return problem;
}

}  // namespace wavescan::Impl::sor

#endif
