// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_EQUATIONS_HPP
#define WAVESCAN_IMPL_COLUMNS_EQUATIONS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/columns/WaveScan_Coefficients.hpp>

#include <Kokkos_Core.hpp>

/// @file
/// @brief Elimination in systems that are divided into chunks.
///
/// A chunk is a run of rows. Forwards, each row gets rid of the unknown before it, as in Thomas'
/// algorithm, and keeps instead a coefficient of the last unknown of the chunk before (*fill*).
/// Backwards, what the chunk's first unknown is follows from that one and the chunk's own last one.
/// The last unknowns of all chunks then satisfy a tridiagonal system of their own, the *interface
/// system*, which is solved by cyclic reduction; all others follow by substitution.
///
/// Where rows reach M unknowns away, or unknowns are blocks of M, all that is said of an unknown
/// holds for M of them: coefficients are small matrices.
///
/// Sources: Wang, A parallel method for tridiagonal equations, ACM Transactions on Mathematical
/// Software 7 (1981); Laszlo, Giles, Appleyard, Manycore algorithms for batch scalar and block
/// tridiagonal solvers, ACM Transactions on Mathematical Software 42 (2016), for chunks that
/// threads hold in registers; Hockney, A fast direct solution of Poisson's equation using Fourier
/// analysis, Journal of the ACM 12 (1965), for cyclic reduction.

namespace wavescan::Impl::columns {

/// @brief 1 / x. GPUs have faster ways.
struct Invert {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(T x) const {
    return T(1) / x;
  }
};

/// @brief x + left l + right r = known, of M unknowns x and as many others on both sides.
template <class T, int M = 1>
struct Equation {
  using S = Square<T, M>;
  using C = Column<T, M>;
  S left, right;
  C known;

  /// @brief x is l, r, or nothing.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Equation is_left() {
    return {S(T(-1)), S(T(0)), C(T(0))};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Equation is_right() {
    return {S(T(0)), S(T(-1)), C(T(0))};
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Equation is_zero() {
    return {S(T(0)), S(T(0)), C(T(0))};
  }

  KOKKOS_FORCEINLINE_FUNCTION C value(const C& l, const C& r) const {
    return known - left * l - right * r;
  }
};

/// @brief A row, of M unknowns, whose pivot is known: all of it is divided by the pivot, but for
/// the right-hand side.
template <class T, int M = 1>
struct FactoredRow {
  using S = Square<T, M>;
  S lower, inverse, upper;

  /// @param before of the unknown before
  template <class Inverse = Invert>
  KOKKOS_FORCEINLINE_FUNCTION static FactoredRow of(const S& lower, const S& diagonal,
                                                    const S& upper, const Equation<T, M>& before,
                                                    const Inverse& invert = {}) {
    const S inverse = inverse_of(S(diagonal - lower * before.right), invert);
    return {inverse * lower, inverse, inverse * upper};
  }
};

/// @brief The row's unknown by the left one of `before` and the unknown after.
/// @param before of the unknown before, whose right one is the row's
template <class T, int M>
KOKKOS_FORCEINLINE_FUNCTION Equation<T, M> eliminate_before(const Equation<T, M>& before,
                                                            const FactoredRow<T, M>& row,
                                                            const Column<T, M>& known) {
  return {-(row.lower * before.left), row.upper, row.inverse * known - row.lower * before.known};
}

/// @brief An unknown by the left and the right one of `after`.
/// @param row of the unknown, whose right one is that of `after`, both with the same left one
template <class T, int M>
KOKKOS_FORCEINLINE_FUNCTION Equation<T, M> eliminate_after(const Equation<T, M>& row,
                                                           const Equation<T, M>& after) {
  return {row.left - row.right * after.left, -(row.right * after.right),
          row.known - row.right * after.known};
}

/// @brief An unknown by those that its neighbours depend on.
/// @param below, above of the left unknown and the right one, each of which depends on this one
template <class T, int M, class Inverse = Invert>
KOKKOS_FORCEINLINE_FUNCTION Equation<T, M> eliminate_both(const Equation<T, M>& row,
                                                          const Equation<T, M>& below,
                                                          const Equation<T, M>& above,
                                                          const Inverse& invert = {}) {
  using S = Square<T, M>;
  const S inverse =
      inverse_of(S(S(T(1)) - row.left * below.right - row.right * above.left), invert);
  return {-(inverse * (row.left * below.left)), -(inverse * (row.right * above.right)),
          inverse * (row.known - row.left * below.known - row.right * above.known)};
}

/// @brief Solves for an unknown that is its own left and right one.
template <class T, int M, class Inverse = Invert>
KOKKOS_FORCEINLINE_FUNCTION Column<T, M> solve_ring(const Equation<T, M>& e,
                                                    const Inverse& invert = {}) {
  using S = Square<T, M>;
  return inverse_of(S(S(T(1)) + e.left + e.right), invert) * e.known;
}

/// @brief The equations of a chunk that other chunks need.
template <class T, int M = 1>
struct Ends {
  Equation<T, M> last;   ///< left: the last unknowns before; right: the first ones after
  Equation<T, M> first;  ///< left: the last unknowns before; right: the chunk's last ones

  /// @brief The last unknowns by those of both neighbours.
  /// @param after the first unknowns after, by the last ones here and the last ones there
  template <class Inverse = Invert>
  KOKKOS_FORCEINLINE_FUNCTION Equation<T, M> beside(const Equation<T, M>& after,
                                                    const Inverse& invert = {}) const {
    return eliminate_both(last, Equation<T, M>::is_left(), after, invert);
  }
};

/// @brief Solves the interface system of chunks between which and beside which is nothing: leaves
/// the last unknowns of each in `last.known`.
/// @param ends of each chunk, which are overwritten
template <class T, int M>
KOKKOS_FUNCTION void solve_interfaces(Index chunks, Ends<T, M>* ends) {
  using E = Equation<T, M>;
  E e = E::is_zero();
  for (Index k = 0; k < chunks; ++k) {
    const E own = ends[k].beside(k == chunks - 1 ? E::is_zero() : ends[k + 1].first);
    e = eliminate_before(e, FactoredRow<T, M>::of(own.left, Square<T, M>(T(1)), own.right, e),
                         own.known);
    ends[k].last = e;
  }
  for (Index k = chunks - 2; k >= 0; --k)
    ends[k].last.known = ends[k].last.known - ends[k].last.right * ends[k + 1].last.known;
}

/// @brief The rows of each chunk, where as many chunks as a power of two share a system's rows
/// evenly: the first ones may have a row more.
struct Chunks {
  int count = 1;  ///< of a system
  int longest;    ///< rows
  int long_ones;  ///< chunks that have so many

  /// @param most rows of a chunk
  static Chunks of(Index length, int most) {
    Chunks c;
    while (Index(c.count) * most < length) c.count *= 2;
    c.longest = static_cast<int>((length + c.count - 1) / c.count);
    c.long_ones = static_cast<int>(length - Index(c.longest - 1) * c.count);
    return c;
  }
  KOKKOS_FORCEINLINE_FUNCTION int begin(int chunk) const {
    const int shorter = chunk - long_ones;
    return chunk * longest - (shorter > 0 ? shorter : 0);
  }
  KOKKOS_FORCEINLINE_FUNCTION int rows(int chunk) const {
    return longest - (chunk >= long_ones ? 1 : 0);
  }
};

}  // namespace wavescan::Impl::columns

#endif
