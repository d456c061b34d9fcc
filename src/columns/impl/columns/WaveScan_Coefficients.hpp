// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_COEFFICIENTS_HPP
#define WAVESCAN_IMPL_COLUMNS_COEFFICIENTS_HPP

#include <Kokkos_Core.hpp>

#include <type_traits>

/// @file
/// @brief Matrices and columns of a few numbers, in registers, with the operators that elimination
/// needs. Of one number they are that number.

namespace wavescan::Impl::columns {

/// @brief R x C numbers.
template <class T, int R, int C = R>
struct Coefficients {
  T entry[R][C];

  Coefficients() = default;
  /// @brief `s` on the diagonal, zero elsewhere.
  KOKKOS_FORCEINLINE_FUNCTION constexpr explicit Coefficients(T s) : entry{} {
    for (int r = 0; r < R; ++r)
      for (int c = 0; c < C; ++c) entry[r][c] = r == c ? s : T(0);
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Coefficients operator+(Coefficients a, const Coefficients& b) {
    for (int r = 0; r < R; ++r)
      for (int c = 0; c < C; ++c) a.entry[r][c] += b.entry[r][c];
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION friend Coefficients operator-(Coefficients a, const Coefficients& b) {
    for (int r = 0; r < R; ++r)
      for (int c = 0; c < C; ++c) a.entry[r][c] -= b.entry[r][c];
    return a;
  }
  KOKKOS_FORCEINLINE_FUNCTION Coefficients operator-() const {
    Coefficients m;
    for (int r = 0; r < R; ++r)
      for (int c = 0; c < C; ++c) m.entry[r][c] = -entry[r][c];
    return m;
  }
  template <int D>
  KOKKOS_FORCEINLINE_FUNCTION Coefficients<T, R, D> operator*(
      const Coefficients<T, C, D>& b) const {
    Coefficients<T, R, D> m;
    for (int r = 0; r < R; ++r)
      for (int d = 0; d < D; ++d) {
        T sum = entry[r][0] * b.entry[0][d];
        for (int c = 1; c < C; ++c) sum += entry[r][c] * b.entry[c][d];
        m.entry[r][d] = sum;
      }
    return m;
  }
};

/// @brief M x M numbers, and a column of M.
template <class T, int M>
using Square = std::conditional_t<M == 1, T, Coefficients<T, M>>;
template <class T, int M>
using Column = std::conditional_t<M == 1, T, Coefficients<T, M, 1>>;

/// @brief Entries of them, whatever M is.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T& at(T& x, int) {
  return x;
}
template <class T, int M>
KOKKOS_FORCEINLINE_FUNCTION T& at(Coefficients<T, M, 1>& x, int r) {
  return x.entry[r][0];
}
template <class T, int M>
KOKKOS_FORCEINLINE_FUNCTION const T& at(const Coefficients<T, M, 1>& x, int r) {
  return x.entry[r][0];
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T& at(T& x, int, int) {
  return x;
}
template <class T, int M>
KOKKOS_FORCEINLINE_FUNCTION T& at(Coefficients<T, M>& x, int r, int c) {
  return x.entry[r][c];
}

/// @brief b = a^-1 b for all of them, by Gauss and Jordan's elimination, in each column by the
/// largest entry. What becomes of a does not matter.
/// @param invert of T
template <class T, int M, class Invert, int... C>
KOKKOS_FORCEINLINE_FUNCTION void solve_small(Coefficients<T, M>& a, const Invert& invert,
                                             Coefficients<T, M, C>&... b) {
  for (int k = 0; k < M; ++k) {
    for (int r = k + 1; r < M; ++r) {
      // By selections rather than by an index, so that all stays in registers.
      const bool larger = Kokkos::fabs(a.entry[r][k]) > Kokkos::fabs(a.entry[k][k]);
      const auto choose = [&]<int N>(Coefficients<T, M, N>& m) {
        for (int c = 0; c < N; ++c) {
          const T u = m.entry[k][c], l = m.entry[r][c];
          m.entry[k][c] = larger ? l : u;
          m.entry[r][c] = larger ? u : l;
        }
      };
      choose(a);
      (choose(b), ...);
    }
    const T pivot = invert(a.entry[k][k]);
    T factor[M];
    for (int r = 0; r < M; ++r) factor[r] = a.entry[r][k];
    const auto reduce = [&]<int N>(Coefficients<T, M, N>& m) {
      for (int c = 0; c < N; ++c) {
        m.entry[k][c] *= pivot;
        for (int r = 0; r < M; ++r)
          if (r != k) m.entry[r][c] -= factor[r] * m.entry[k][c];
      }
    };
    reduce(a);
    (reduce(b), ...);
  }
}

/// @brief The inverse of a number.
/// @param invert of T
template <class T, class Invert>
KOKKOS_FORCEINLINE_FUNCTION T inverse_of(T x, const Invert& invert) {
  return invert(x);
}
/// @brief The inverse of a matrix, of two rows by its determinant.
template <class T, int M, class Invert>
KOKKOS_FORCEINLINE_FUNCTION Coefficients<T, M> inverse_of(Coefficients<T, M> m,
                                                          const Invert& invert) {
  Coefficients<T, M> inverse(T(1));
  if constexpr (M == 2) {
    const auto& a = m.entry;
    auto& b = inverse.entry;
    const T d = invert(a[0][0] * a[1][1] - a[0][1] * a[1][0]);
    b[0][0] = a[1][1] * d;
    b[0][1] = -a[0][1] * d;
    b[1][0] = -a[1][0] * d;
    b[1][1] = a[0][0] * d;
  } else {
    solve_small(m, invert, inverse);
  }
  return inverse;
}

}  // namespace wavescan::Impl::columns

#endif
