// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_ELIMINATION_HPP
#define WAVESCAN_IMPL_COLUMNS_ELIMINATION_HPP

#include <WaveScan_Concepts.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// @file
/// @brief Thomas' elimination of a tridiagonal system as a scan of matrices.
///
/// Let p_i be the determinant of the first rows and y_i the right-hand side after the elimination.
/// With q_i = c_i p_{i-1} and z_i = p_{i-1} y_i Thomas' recurrences have no divisions:
///
///     p_i = b_i p_{i-1} - a_i q_{i-1}      q_i = c_i p_{i-1}      z_i = d_i p_{i-1} - a_i z_{i-1}
///
/// The pivot is p_i / p_{i-1}, so what remains is x_i = z_i / p_i - (q_i / p_i) x_{i+1}. Nothing
/// depends on the common scale of p, q and z, which is a power of two that keeps p and q in range.
/// (Stone, Journal of the ACM 20, 1973, for p alone.)

namespace wavescan::Impl::columns {

/// @brief (p, q, z) up to a scale.
template <class T>
struct EliminationState {
  T p, q, z;
};

/// @brief The power of two by which |x| comes to between 1 and 2, if it is a normal number:
/// products with it are exact.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T inverse_scale(T x) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr int mantissa = sizeof(T) == 4 ? 23 : 52;
  constexpr Bits bias = sizeof(T) == 4 ? 127 : 1023;
  const Bits exponent = Kokkos::bit_cast<Bits>(x) << 1 >> (mantissa + 1);
  if (exponent == 0) return T(1);
  const Bits most = 2 * bias - 1;  // what is larger, infinities and NaN become less or stay
  return Kokkos::bit_cast<T>((2 * bias - (exponent < most ? exponent : most)) << mantissa);
}

/// @brief The effect of rows on (p, q, z): a matrix, of which z depends on all and nothing on z but
/// z.
template <class T>
struct EliminationMap {
  using State = EliminationState<T>;
  T pp, pq, qp, qq, zp, zq, zz;

  KOKKOS_FORCEINLINE_FUNCTION static EliminationMap identity() {
    return {T(1), T(0), T(0), T(1), T(0), T(0), T(1)};
  }
  /// @brief The map to a state, whatever was before but p = 0.
  KOKKOS_FORCEINLINE_FUNCTION static EliminationMap constant(const State& s) {
    return {s.p, T(0), s.q, T(0), s.z, T(0), T(0)};
  }
  KOKKOS_FORCEINLINE_FUNCTION State value() const { return {pp, qp, zp}; }

  KOKKOS_FORCEINLINE_FUNCTION State after(const State& s) const {
    return {pp * s.p + pq * s.q, qp * s.p + qq * s.q, zp * s.p + zq * s.q + zz * s.z};
  }
  KOKKOS_FORCEINLINE_FUNCTION EliminationMap after(const EliminationMap& m) const {
    return EliminationMap{pp * m.pp + pq * m.qp,
                          pp * m.pq + pq * m.qq,
                          qp * m.pp + qq * m.qp,
                          qp * m.pq + qq * m.qq,
                          zp * m.pp + zq * m.qp + zz * m.zp,
                          zp * m.pq + zq * m.qq + zz * m.zq,
                          zz * m.zz}
        .scaled();
  }
  KOKKOS_FORCEINLINE_FUNCTION EliminationMap scaled() const {
    const T scale = inverse_scale(Kokkos::fmax(Kokkos::fmax(Kokkos::fabs(pp), Kokkos::fabs(pq)),
                                               Kokkos::fmax(Kokkos::fabs(qp), Kokkos::fabs(qq))));
    return {pp * scale, pq * scale, qp * scale, qq * scale, zp * scale, zq * scale, zz * scale};
  }
};

/// @brief The elimination for the kernel of GPUs: of d, b, a and c, it makes z / p and -q / p.
template <class T>
struct EliminationModel {
  using value_type = T;
  using State = EliminationState<T>;
  using Map = EliminationMap<T>;
  static constexpr int inputs = 4, outputs = 2;
  static constexpr bool mends = true;

  KOKKOS_FUNCTION static State begin(const auto&, Index) { return {T(1), T(0), T(0)}; }
  KOKKOS_FUNCTION static void end(const auto&, Index, const State&) {}
  KOKKOS_FUNCTION static void mend_ends(T (&in)[inputs], bool first, bool last) {
    if (first) in[2] = T(0);
    if (last) in[3] = T(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void push(Map& m, const T (&in)[inputs]) {
    const T d = in[0], b = in[1], a = in[2], c = in[3];
    m = Map{b * m.pp - a * m.qp, b * m.pq - a * m.qq, c * m.pp, c * m.pq,
            d * m.pp - a * m.zp, d * m.pq - a * m.zq, -a * m.zz}
            .scaled();
  }
  KOKKOS_FORCEINLINE_FUNCTION static void step(State& s, T (&in)[inputs]) {
    const T d = in[0], b = in[1], a = in[2], c = in[3];
    s = {b * s.p - a * s.q, c * s.p, d * s.p - a * s.z};
    const T scale = inverse_scale(Kokkos::fmax(Kokkos::fabs(s.p), Kokkos::fabs(s.q)));
    s = {s.p * scale, s.q * scale, s.z * scale};
    const T inverse = T(1) / s.p;
    in[0] = s.z * inverse;
    in[1] = -s.q * inverse;
  }
};

}  // namespace wavescan::Impl::columns

#endif
