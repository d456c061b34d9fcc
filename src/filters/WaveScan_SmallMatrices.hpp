// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SMALLMATRICES_HPP
#define WAVESCAN_SMALLMATRICES_HPP

#include <WaveScan_Algebras.hpp>

#include <concepts>
#include <cstdint>

/// @file
/// @brief Scans of states that are small vectors: s_j = A_j s_{j-1} + b_j.

namespace wavescan {

/// @brief A vector of N numbers.
template <class T, int N>
struct SmallVector {
  T value[N];
  KOKKOS_FUNCTION T& operator[](int i) { return value[i]; }
  KOKKOS_FUNCTION const T& operator[](int i) const { return value[i]; }
  friend bool operator==(const SmallVector&, const SmallVector&) = default;
};

/// @brief An N x N matrix, by rows.
template <class T, int N>
struct SmallMatrix {
  T entry[N][N];
  KOKKOS_FUNCTION T& operator()(int r, int c) { return entry[r][c]; }
  KOKKOS_FUNCTION const T& operator()(int r, int c) const { return entry[r][c]; }
  friend bool operator==(const SmallMatrix&, const SmallMatrix&) = default;
};

/// @brief The algebra of affine maps x -> A x + b of small vectors: a weighted scan with matrices
/// as weights, one for all elements or one for each.
///
///     weighted_scan(b, A, s, AffineMaps<double, 2>());  // s_j = A s_{j-1} + b_j
///
/// `b` and `s` are Views of SmallVector, `A` is a SmallMatrix or a View of them. NVIDIA GPUs with
/// bulk copies and AMD GPUs scan with a constant matrix in one pass, as long as vectors have at
/// most 64 bytes. Matrices need not commute. Powers of a constant matrix have a rounding error of u
/// g^2, where g is how much a vector may grow before it decays and u the rounding unit of T.
///
/// @tparam T floating-point type
/// @tparam N 2, 3 or 4 are what it is meant for
template <std::floating_point T, int N>
struct AffineMaps {
  using value_type = SmallVector<T, N>;
  using weight_type = SmallMatrix<T, N>;

  KOKKOS_FUNCTION value_type accumulate(value_type a, const value_type& b) const {
    for (int i = 0; i < N; ++i) a[i] += b[i];
    return a;
  }
  /// @brief The matrix times the vector.
  KOKKOS_FUNCTION value_type distribute(const value_type& a, const weight_type& w) const {
    return advance(a, w, {});
  }
  KOKKOS_FUNCTION value_type advance(const value_type& a, const weight_type& w,
                                     value_type b) const {
    for (int r = 0; r < N; ++r)
      for (int c = 0; c < N; ++c) b[r] = multiply_add(w(r, c), a[c], b[r]);
    return b;
  }
  /// @brief The matrix that does what w and then v do: v w.
  KOKKOS_FUNCTION weight_type compose(const weight_type& w, const weight_type& v) const {
    weight_type product{};
    for (int r = 0; r < N; ++r)
      for (int i = 0; i < N; ++i)
        for (int c = 0; c < N; ++c) product(r, c) = multiply_add(v(r, i), w(i, c), product(r, c));
    return product;
  }
  KOKKOS_FUNCTION weight_type power(const weight_type& w, std::int64_t k) const {
    return power_by_squaring(*this, w, k);
  }
  KOKKOS_FUNCTION value_type zero() const { return {}; }
  KOKKOS_FUNCTION weight_type one() const {
    weight_type identity{};
    for (int r = 0; r < N; ++r) identity(r, r) = T(1);
    return identity;
  }
};

}  // namespace wavescan

#endif
