// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TARGETVECTORFUNCTIONS_HPP
#define WAVESCAN_IMPL_TARGETVECTORFUNCTIONS_HPP

#include <impl/WaveScan_TargetVector.hpp>

/// @file
/// @brief Functions of TargetVector that few kernels need:
/// - `select_zero(w, a, b)`, lanes of `a` where w is zero, lanes of `b` elsewhere;
/// - `select_marked(m, a, b)`, lanes of `a` where m has its sign bit set;
/// - `widened(v, part)`, a part of v's lanes as a vector of double: there are
///   `widened_parts<Target, T>`;
/// - of double only: `subtract`, `divide`, and `larger(a, b)`, |a| or b.

namespace wavescan::Impl {

#if defined(WAVESCAN_HAS_TARGETS)

template <class Target, class T>
inline constexpr int widened_parts =
    TargetVector<Target, T>::lanes / TargetVector<Target, double>::lanes;

WAVESCAN_INLINE_AVX2 TargetVector<Avx2, float> select_zero(TargetVector<Avx2, float> w,
                                                           TargetVector<Avx2, float> a,
                                                           TargetVector<Avx2, float> b) {
  return {_mm256_blendv_ps(b.v, a.v, _mm256_cmp_ps(w.v, _mm256_setzero_ps(), _CMP_EQ_OQ))};
}
WAVESCAN_INLINE_AVX2 TargetVector<Avx2, double> select_zero(TargetVector<Avx2, double> w,
                                                            TargetVector<Avx2, double> a,
                                                            TargetVector<Avx2, double> b) {
  return {_mm256_blendv_pd(b.v, a.v, _mm256_cmp_pd(w.v, _mm256_setzero_pd(), _CMP_EQ_OQ))};
}
WAVESCAN_INLINE_AVX512 TargetVector<Avx512, float> select_zero(TargetVector<Avx512, float> w,
                                                               TargetVector<Avx512, float> a,
                                                               TargetVector<Avx512, float> b) {
  return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(w.v, _mm512_setzero_ps(), _CMP_EQ_OQ), b.v, a.v)};
}
WAVESCAN_INLINE_AVX512 TargetVector<Avx512, double> select_zero(TargetVector<Avx512, double> w,
                                                                TargetVector<Avx512, double> a,
                                                                TargetVector<Avx512, double> b) {
  return {_mm512_mask_blend_pd(_mm512_cmp_pd_mask(w.v, _mm512_setzero_pd(), _CMP_EQ_OQ), b.v, a.v)};
}

WAVESCAN_INLINE_AVX2 TargetVector<Avx2, float> select_marked(TargetVector<Avx2, float> m,
                                                             TargetVector<Avx2, float> a,
                                                             TargetVector<Avx2, float> b) {
  return {_mm256_blendv_ps(b.v, a.v, m.v)};
}
WAVESCAN_INLINE_AVX2 TargetVector<Avx2, double> select_marked(TargetVector<Avx2, double> m,
                                                              TargetVector<Avx2, double> a,
                                                              TargetVector<Avx2, double> b) {
  return {_mm256_blendv_pd(b.v, a.v, m.v)};
}
WAVESCAN_INLINE_AVX512 TargetVector<Avx512, float> select_marked(TargetVector<Avx512, float> m,
                                                                 TargetVector<Avx512, float> a,
                                                                 TargetVector<Avx512, float> b) {
  return {_mm512_mask_blend_ps(_mm512_movepi32_mask(_mm512_castps_si512(m.v)), b.v, a.v)};
}
WAVESCAN_INLINE_AVX512 TargetVector<Avx512, double> select_marked(TargetVector<Avx512, double> m,
                                                                  TargetVector<Avx512, double> a,
                                                                  TargetVector<Avx512, double> b) {
  return {_mm512_mask_blend_pd(_mm512_movepi64_mask(_mm512_castpd_si512(m.v)), b.v, a.v)};
}

WAVESCAN_INLINE_AVX2 TargetVector<Avx2, double> widened(TargetVector<Avx2, float> v, int part) {
  return {_mm256_cvtps_pd(part == 0 ? _mm256_castps256_ps128(v.v) : _mm256_extractf128_ps(v.v, 1))};
}
WAVESCAN_INLINE_AVX2 TargetVector<Avx2, double> widened(TargetVector<Avx2, double> v, int) {
  return v;
}
WAVESCAN_INLINE_AVX512 TargetVector<Avx512, double> widened(TargetVector<Avx512, float> v,
                                                            int part) {
  constexpr unsigned char all = 0xff;
  return {_mm512_maskz_cvtps_pd(all, part == 0 ? _mm512_maskz_extractf32x8_ps(all, v.v, 0)
                                               : _mm512_maskz_extractf32x8_ps(all, v.v, 1))};
}
WAVESCAN_INLINE_AVX512 TargetVector<Avx512, double> widened(TargetVector<Avx512, double> v, int) {
  return v;
}

WAVESCAN_INLINE_AVX2 TargetVector<Avx2, double> subtract(TargetVector<Avx2, double> a,
                                                         TargetVector<Avx2, double> b) {
  return {_mm256_sub_pd(a.v, b.v)};
}
WAVESCAN_INLINE_AVX512 TargetVector<Avx512, double> subtract(TargetVector<Avx512, double> a,
                                                             TargetVector<Avx512, double> b) {
  return {_mm512_sub_pd(a.v, b.v)};
}

WAVESCAN_INLINE_AVX2 TargetVector<Avx2, double> divide(TargetVector<Avx2, double> a,
                                                       TargetVector<Avx2, double> b) {
  return {_mm256_div_pd(a.v, b.v)};
}
WAVESCAN_INLINE_AVX512 TargetVector<Avx512, double> divide(TargetVector<Avx512, double> a,
                                                           TargetVector<Avx512, double> b) {
  return {_mm512_div_pd(a.v, b.v)};
}

WAVESCAN_INLINE_AVX2 TargetVector<Avx2, double> larger(TargetVector<Avx2, double> a,
                                                       TargetVector<Avx2, double> b) {
  return {_mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), a.v), b.v)};
}
WAVESCAN_INLINE_AVX512 TargetVector<Avx512, double> larger(TargetVector<Avx512, double> a,
                                                           TargetVector<Avx512, double> b) {
  return {_mm512_maskz_max_pd(0xff, _mm512_andnot_pd(_mm512_set1_pd(-0.0), a.v), b.v)};
}

#endif

}  // namespace wavescan::Impl

#endif
