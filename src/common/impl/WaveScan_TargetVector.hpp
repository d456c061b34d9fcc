// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TARGETVECTOR_HPP
#define WAVESCAN_IMPL_TARGETVECTOR_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Dispatch.hpp>

#include <algorithm>

#if defined(WAVESCAN_HAS_TARGETS)
#include <immintrin.h>
#endif

/// @file
/// @brief Vectors of floating-point numbers, as wide as a target's registers.

namespace wavescan::Impl {

/// @brief A register of T with the operations that host kernels need. Each of its specialisations
/// has
/// - `lanes`, `load`, `store`, `all` (one number in all lanes);
/// - `multiply_add(a, b, c)`, a * b + c with one rounding;
/// - `rotated()`: each number one lane higher, the last one in lane 0;
/// - `store_first`, `with_first`: lane 0 to memory, lane 0 from memory;
/// - `select(chosen, a, b)`, lanes of `a` where they are chosen; `between(first, last)` chooses the
///   lanes from `first` to `last`, which may lie outside the register;
/// - `transpose(rows)`, as many registers as lanes.
template <class Target, class T>
struct TargetVector;

#if defined(WAVESCAN_HAS_TARGETS)
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675  // it does not know "GCC unroll", and hands it on
#endif

/// @brief Ones in all bits, with as many zeros on both sides: loaded from the right place, a choice
/// of lanes for registers without mask registers.
template <class Integer, int Lanes>
struct LaneChoices {
  alignas(64) Integer table[3 * Lanes] = {};
  constexpr LaneChoices() {
    for (int i = Lanes; i < 2 * Lanes; ++i) table[i] = -1;
  }
  /// @brief Lanes from `first` on.
  const Integer* from(Index first) const {
    return table + Lanes - std::clamp<Index>(first, 0, Lanes);
  }
  /// @brief Lanes up to `last`.
  const Integer* until(Index last) const {
    return table + 2 * Lanes - std::clamp<Index>(last + 1, 0, Lanes);
  }
};
template <class Integer, int Lanes>
inline constexpr LaneChoices<Integer, Lanes> lane_choices{};

#define WAVESCAN_INLINE_AVX2 WAVESCAN_AVX2_FUNCTION inline __attribute__((always_inline))
#define WAVESCAN_INLINE_AVX512 WAVESCAN_AVX512_FUNCTION inline __attribute__((always_inline))

template <>
struct TargetVector<Avx2, float> {
  static constexpr int lanes = 8;
  using chosen_type = __m256;
  __m256 v;

  WAVESCAN_INLINE_AVX2 static TargetVector load(const float* p) { return {_mm256_loadu_ps(p)}; }
  WAVESCAN_INLINE_AVX2 void store(float* p) const { _mm256_storeu_ps(p, v); }
  WAVESCAN_INLINE_AVX2 static TargetVector all(float x) { return {_mm256_set1_ps(x)}; }
  WAVESCAN_INLINE_AVX2 static TargetVector multiply(TargetVector a, TargetVector b) {
    return {_mm256_mul_ps(a.v, b.v)};
  }
  WAVESCAN_INLINE_AVX2 static TargetVector multiply_add(TargetVector a, TargetVector b,
                                                        TargetVector c) {
    return {_mm256_fmadd_ps(a.v, b.v, c.v)};
  }
  WAVESCAN_INLINE_AVX2 TargetVector rotated() const {
    return {_mm256_permutevar8x32_ps(v, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6))};
  }
  WAVESCAN_INLINE_AVX2 void store_first(float* p) const {
    _mm_store_ss(p, _mm256_castps256_ps128(v));
  }
  WAVESCAN_INLINE_AVX2 TargetVector with_first(const float* p) const {
    return {_mm256_blend_ps(v, _mm256_castps128_ps256(_mm_load_ss(p)), 1)};
  }
  WAVESCAN_INLINE_AVX2 static chosen_type between(Index first, Index last) {
    constexpr const auto& choices = lane_choices<int, lanes>;
    return _mm256_and_ps(_mm256_loadu_ps(reinterpret_cast<const float*>(choices.from(first))),
                         _mm256_loadu_ps(reinterpret_cast<const float*>(choices.until(last))));
  }
  WAVESCAN_INLINE_AVX2 static TargetVector select(chosen_type chosen, TargetVector a,
                                                  TargetVector b) {
    return {_mm256_blendv_ps(b.v, a.v, chosen)};
  }
  WAVESCAN_INLINE_AVX2 static void transpose(TargetVector (&r)[lanes]) {
    __m256 a[lanes], b[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < 8; i += 2) {
      a[i] = _mm256_unpacklo_ps(r[i].v, r[i + 1].v);
      a[i + 1] = _mm256_unpackhi_ps(r[i].v, r[i + 1].v);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 8; i += 4)
#pragma GCC unroll 16
      for (int j = 0; j < 2; ++j) {
        b[i + 2 * j] = _mm256_shuffle_ps(a[i + j], a[i + j + 2], 0x44);
        b[i + 2 * j + 1] = _mm256_shuffle_ps(a[i + j], a[i + j + 2], 0xee);
      }
#pragma GCC unroll 16
    for (int i = 0; i < 4; ++i) {
      r[i].v = _mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
      r[i + 4].v = _mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
    }
  }
};

template <>
struct TargetVector<Avx2, double> {
  static constexpr int lanes = 4;
  using chosen_type = __m256d;
  __m256d v;

  WAVESCAN_INLINE_AVX2 static TargetVector load(const double* p) { return {_mm256_loadu_pd(p)}; }
  WAVESCAN_INLINE_AVX2 void store(double* p) const { _mm256_storeu_pd(p, v); }
  WAVESCAN_INLINE_AVX2 static TargetVector all(double x) { return {_mm256_set1_pd(x)}; }
  WAVESCAN_INLINE_AVX2 static TargetVector multiply(TargetVector a, TargetVector b) {
    return {_mm256_mul_pd(a.v, b.v)};
  }
  WAVESCAN_INLINE_AVX2 static TargetVector multiply_add(TargetVector a, TargetVector b,
                                                        TargetVector c) {
    return {_mm256_fmadd_pd(a.v, b.v, c.v)};
  }
  WAVESCAN_INLINE_AVX2 TargetVector rotated() const { return {_mm256_permute4x64_pd(v, 0x93)}; }
  WAVESCAN_INLINE_AVX2 void store_first(double* p) const {
    _mm_store_sd(p, _mm256_castpd256_pd128(v));
  }
  WAVESCAN_INLINE_AVX2 TargetVector with_first(const double* p) const {
    return {_mm256_blend_pd(v, _mm256_castpd128_pd256(_mm_load_sd(p)), 1)};
  }
  WAVESCAN_INLINE_AVX2 static chosen_type between(Index first, Index last) {
    constexpr const auto& choices = lane_choices<long long, lanes>;
    return _mm256_and_pd(_mm256_loadu_pd(reinterpret_cast<const double*>(choices.from(first))),
                         _mm256_loadu_pd(reinterpret_cast<const double*>(choices.until(last))));
  }
  WAVESCAN_INLINE_AVX2 static TargetVector select(chosen_type chosen, TargetVector a,
                                                  TargetVector b) {
    return {_mm256_blendv_pd(b.v, a.v, chosen)};
  }
  WAVESCAN_INLINE_AVX2 static void transpose(TargetVector (&r)[lanes]) {
    __m256d a[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < 4; i += 2) {
      a[i] = _mm256_unpacklo_pd(r[i].v, r[i + 1].v);
      a[i + 1] = _mm256_unpackhi_pd(r[i].v, r[i + 1].v);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 2; ++i) {
      r[i].v = _mm256_permute2f128_pd(a[i], a[i + 2], 0x20);
      r[i + 2].v = _mm256_permute2f128_pd(a[i], a[i + 2], 0x31);
    }
  }
};

/// @brief The lanes from `first` to `last`, as bits.
inline unsigned lane_bits(Index first, Index last) {
  first = std::clamp<Index>(first, 0, 16);
  last = std::clamp<Index>(last + 1, first, 16);
  return (1u << last) - (1u << first);
}

template <>
struct TargetVector<Avx512, float> {
  static constexpr int lanes = 16;
  using chosen_type = __mmask16;
  static constexpr chosen_type all_lanes = 0xffff;
  __m512 v;

  WAVESCAN_INLINE_AVX512 static TargetVector load(const float* p) { return {_mm512_loadu_ps(p)}; }
  WAVESCAN_INLINE_AVX512 void store(float* p) const { _mm512_storeu_ps(p, v); }
  WAVESCAN_INLINE_AVX512 static TargetVector all(float x) { return {_mm512_set1_ps(x)}; }
  WAVESCAN_INLINE_AVX512 static TargetVector multiply(TargetVector a, TargetVector b) {
    return {_mm512_mul_ps(a.v, b.v)};
  }
  WAVESCAN_INLINE_AVX512 static TargetVector multiply_add(TargetVector a, TargetVector b,
                                                          TargetVector c) {
    return {_mm512_fmadd_ps(a.v, b.v, c.v)};
  }
  WAVESCAN_INLINE_AVX512 TargetVector rotated() const {
    const __m512i bits = _mm512_castps_si512(v);
    return {_mm512_castsi512_ps(_mm512_maskz_alignr_epi32(all_lanes, bits, bits, 15))};
  }
  WAVESCAN_INLINE_AVX512 void store_first(float* p) const { *p = v[0]; }
  WAVESCAN_INLINE_AVX512 TargetVector with_first(const float* p) const {
    return {_mm512_mask_loadu_ps(v, 1, p)};
  }
  WAVESCAN_INLINE_AVX512 static chosen_type between(Index first, Index last) {
    return static_cast<chosen_type>(lane_bits(first, last));
  }
  WAVESCAN_INLINE_AVX512 static TargetVector select(chosen_type chosen, TargetVector a,
                                                    TargetVector b) {
    return {_mm512_mask_blend_ps(chosen, b.v, a.v)};
  }
  WAVESCAN_INLINE_AVX512 static void transpose(TargetVector (&r)[lanes]) {
    __m512 a[lanes], b[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i += 2) {
      a[i] = _mm512_maskz_unpacklo_ps(all_lanes, r[i].v, r[i + 1].v);
      a[i + 1] = _mm512_maskz_unpackhi_ps(all_lanes, r[i].v, r[i + 1].v);
    }
    // Four rows in four registers: part q of a register is column 4 q + its number.
#pragma GCC unroll 16
    for (int i = 0; i < 16; i += 4)
#pragma GCC unroll 16
      for (int j = 0; j < 2; ++j) {
        b[i + 2 * j] = _mm512_maskz_shuffle_ps(all_lanes, a[i + j], a[i + j + 2], 0x44);
        b[i + 2 * j + 1] = _mm512_maskz_shuffle_ps(all_lanes, a[i + j], a[i + j + 2], 0xee);
      }
#pragma GCC unroll 16
    for (int c = 0; c < 4; ++c) {
      const __m512 even_low = _mm512_maskz_shuffle_f32x4(all_lanes, b[c], b[c + 4], 0x88);
      const __m512 odd_low = _mm512_maskz_shuffle_f32x4(all_lanes, b[c], b[c + 4], 0xdd);
      const __m512 even_high = _mm512_maskz_shuffle_f32x4(all_lanes, b[c + 8], b[c + 12], 0x88);
      const __m512 odd_high = _mm512_maskz_shuffle_f32x4(all_lanes, b[c + 8], b[c + 12], 0xdd);
      r[c].v = _mm512_maskz_shuffle_f32x4(all_lanes, even_low, even_high, 0x88);
      r[c + 8].v = _mm512_maskz_shuffle_f32x4(all_lanes, even_low, even_high, 0xdd);
      r[c + 4].v = _mm512_maskz_shuffle_f32x4(all_lanes, odd_low, odd_high, 0x88);
      r[c + 12].v = _mm512_maskz_shuffle_f32x4(all_lanes, odd_low, odd_high, 0xdd);
    }
  }
};

template <>
struct TargetVector<Avx512, double> {
  static constexpr int lanes = 8;
  using chosen_type = __mmask8;
  static constexpr chosen_type all_lanes = 0xff;
  __m512d v;

  WAVESCAN_INLINE_AVX512 static TargetVector load(const double* p) { return {_mm512_loadu_pd(p)}; }
  WAVESCAN_INLINE_AVX512 void store(double* p) const { _mm512_storeu_pd(p, v); }
  WAVESCAN_INLINE_AVX512 static TargetVector all(double x) { return {_mm512_set1_pd(x)}; }
  WAVESCAN_INLINE_AVX512 static TargetVector multiply(TargetVector a, TargetVector b) {
    return {_mm512_mul_pd(a.v, b.v)};
  }
  WAVESCAN_INLINE_AVX512 static TargetVector multiply_add(TargetVector a, TargetVector b,
                                                          TargetVector c) {
    return {_mm512_fmadd_pd(a.v, b.v, c.v)};
  }
  WAVESCAN_INLINE_AVX512 TargetVector rotated() const {
    const __m512i bits = _mm512_castpd_si512(v);
    return {_mm512_castsi512_pd(_mm512_maskz_alignr_epi64(all_lanes, bits, bits, 7))};
  }
  WAVESCAN_INLINE_AVX512 void store_first(double* p) const { *p = v[0]; }
  WAVESCAN_INLINE_AVX512 TargetVector with_first(const double* p) const {
    return {_mm512_mask_loadu_pd(v, 1, p)};
  }
  WAVESCAN_INLINE_AVX512 static chosen_type between(Index first, Index last) {
    return static_cast<chosen_type>(lane_bits(first, last));
  }
  WAVESCAN_INLINE_AVX512 static TargetVector select(chosen_type chosen, TargetVector a,
                                                    TargetVector b) {
    return {_mm512_mask_blend_pd(chosen, b.v, a.v)};
  }
  WAVESCAN_INLINE_AVX512 static void transpose(TargetVector (&r)[lanes]) {
    __m512d a[lanes], b[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < 8; i += 2) {
      a[i] = _mm512_maskz_unpacklo_pd(all_lanes, r[i].v, r[i + 1].v);
      a[i + 1] = _mm512_maskz_unpackhi_pd(all_lanes, r[i].v, r[i + 1].v);
    }
    // Two rows in two registers: part q of a register is column 2 q + its number.
#pragma GCC unroll 16
    for (int c = 0; c < 2; ++c) {
      b[0] = _mm512_maskz_shuffle_f64x2(all_lanes, a[c], a[c + 2], 0x88);
      b[1] = _mm512_maskz_shuffle_f64x2(all_lanes, a[c], a[c + 2], 0xdd);
      b[2] = _mm512_maskz_shuffle_f64x2(all_lanes, a[c + 4], a[c + 6], 0x88);
      b[3] = _mm512_maskz_shuffle_f64x2(all_lanes, a[c + 4], a[c + 6], 0xdd);
      r[c].v = _mm512_maskz_shuffle_f64x2(all_lanes, b[0], b[2], 0x88);
      r[c + 4].v = _mm512_maskz_shuffle_f64x2(all_lanes, b[0], b[2], 0xdd);
      r[c + 2].v = _mm512_maskz_shuffle_f64x2(all_lanes, b[1], b[3], 0x88);
      r[c + 6].v = _mm512_maskz_shuffle_f64x2(all_lanes, b[1], b[3], 0xdd);
    }
  }
};

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif
#endif

}  // namespace wavescan::Impl

#endif
