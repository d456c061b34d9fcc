// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SUMMEDAREATABLE_HOSTBYTEVECTOR_HPP
#define WAVESCAN_IMPL_SUMMEDAREATABLE_HOSTBYTEVECTOR_HPP

#include <impl/WaveScan_Dispatch.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(WAVESCAN_HAS_TARGETS)
#include <immintrin.h>
#endif

namespace wavescan::Impl {

/// @brief A target's registers of entries: `prefix(bytes, weights, entering)` is what enters plus,
/// in each lane, the sum of the bytes up to there. `..._first` takes the first few lanes only;
/// `with_zeros` puts so many bytes, and zeros behind them, into a buffer.
/// `add_words` adds bytes to a register of words, twice as many.
template <class Target>
struct ByteVector;

#if defined(WAVESCAN_HAS_TARGETS)
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675  // it does not know "GCC unroll", and hands it on
#endif

/// @brief For registers of `Lanes` entries: lane i of the weights of bytes [4 part, 4 part + 4) has
/// ones for those that are not behind byte i.
template <int Lanes>
struct ByteWeights {
  alignas(64) std::int8_t ones[Lanes / 4][4 * Lanes] = {};
  constexpr ByteWeights() {
    for (int part = 0; part < Lanes / 4; ++part)
      for (int lane = 0; lane < Lanes; ++lane)
        for (int byte = 0; byte < 4; ++byte) ones[part][4 * lane + byte] = 4 * part + byte <= lane;
  }
};
template <int Lanes>
inline constexpr ByteWeights<Lanes> byte_weights;

/// @brief Bytes that are one lane of a dot product.
inline int four_bytes(const std::uint8_t* bytes) {
  int four;
  std::memcpy(&four, bytes, sizeof four);
  return four;
}

#define WAVESCAN_INLINE(TARGET) TARGET __attribute__((always_inline)) static inline

template <>
struct ByteVector<Avx2> {
  static constexpr int lanes = 8;
  using type = __m256i;
  struct Weights {
    type of[2];
  };
#define WAVESCAN_TARGET_INLINE WAVESCAN_INLINE(WAVESCAN_AVX2_FUNCTION)
  WAVESCAN_TARGET_INLINE Weights weights() {
    return {{load(byte_weights<lanes>.ones[0]), load(byte_weights<lanes>.ones[1])}};
  }
  WAVESCAN_TARGET_INLINE type prefix(const std::uint8_t* bytes, const Weights& w, type entering) {
    // Sums of pairs of bytes, then of pairs of those.
    const type pairs =
        _mm256_add_epi16(_mm256_maddubs_epi16(_mm256_set1_epi32(four_bytes(bytes)), w.of[0]),
                         _mm256_maddubs_epi16(_mm256_set1_epi32(four_bytes(bytes + 4)), w.of[1]));
    return add(entering, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  WAVESCAN_TARGET_INLINE type last(type v) {
    return _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(7));
  }
  WAVESCAN_TARGET_INLINE type add(type a, type b) { return _mm256_add_epi32(a, b); }
  WAVESCAN_TARGET_INLINE type add_words(type words, const std::uint8_t* bytes) {
    const auto* const side_by_side = reinterpret_cast<const __m128i*>(bytes);
    return _mm256_add_epi16(words, _mm256_cvtepu8_epi16(_mm_loadu_si128(side_by_side)));
  }
  WAVESCAN_TARGET_INLINE type all(std::uint32_t x) {
    return _mm256_set1_epi32(static_cast<int>(x));
  }
  WAVESCAN_TARGET_INLINE std::uint32_t first(type v) {
    return static_cast<std::uint32_t>(_mm256_cvtsi256_si32(v));
  }
  WAVESCAN_TARGET_INLINE type load(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
  }
  WAVESCAN_TARGET_INLINE void store(void* p, type v) {
    _mm256_storeu_si256(static_cast<__m256i*>(p), v);
  }
  WAVESCAN_TARGET_INLINE type load_first(const void* p, int count) {
    return _mm256_maskload_epi32(static_cast<const int*>(p), first_lanes(count));
  }
  WAVESCAN_TARGET_INLINE void store_first(void* p, type v, int count) {
    _mm256_maskstore_epi32(static_cast<int*>(p), first_lanes(count), v);
  }
  WAVESCAN_TARGET_INLINE void with_zeros(const std::uint8_t* bytes, int count,
                                         std::uint8_t (&buffer)[lanes]) {
    std::uint64_t all = 0;
    std::memcpy(&all, bytes, static_cast<std::size_t>(count));
    std::memcpy(buffer, &all, sizeof all);
  }
  WAVESCAN_TARGET_INLINE void stream(void* p, type v) {
    _mm256_stream_si256(static_cast<__m256i*>(p), v);
  }

 private:
  WAVESCAN_TARGET_INLINE type first_lanes(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
#undef WAVESCAN_TARGET_INLINE
};

template <>
struct ByteVector<Avx512Vnni> {
  static constexpr int lanes = 16;
  using type = __m512i;
  struct Weights {
    type of[4];
  };
#define WAVESCAN_TARGET_INLINE WAVESCAN_INLINE(WAVESCAN_AVX512VNNI_FUNCTION)
  WAVESCAN_TARGET_INLINE Weights weights() {
    Weights w;
#pragma GCC unroll 4
    for (int part = 0; part < 4; ++part) w.of[part] = load(byte_weights<lanes>.ones[part]);
    return w;
  }
  WAVESCAN_TARGET_INLINE type prefix(const std::uint8_t* bytes, const Weights& w, type entering) {
#pragma GCC unroll 4
    for (int part = 0; part < 4; ++part)
      entering = _mm512_dpbusd_epi32(entering, _mm512_set1_epi32(four_bytes(bytes + 4 * part)),
                                     w.of[part]);
    return entering;
  }
  WAVESCAN_TARGET_INLINE type last(type v) {
    return _mm512_maskz_permutexvar_epi32(0xffff, _mm512_set1_epi32(15), v);  // g++ warns of others
  }
  WAVESCAN_TARGET_INLINE type add(type a, type b) { return _mm512_add_epi32(a, b); }
  WAVESCAN_TARGET_INLINE type add_words(type words, const std::uint8_t* bytes) {
    const auto* const side_by_side = reinterpret_cast<const __m256i*>(bytes);
    return _mm512_add_epi16(words, _mm512_cvtepu8_epi16(_mm256_loadu_si256(side_by_side)));
  }
  WAVESCAN_TARGET_INLINE type all(std::uint32_t x) {
    return _mm512_set1_epi32(static_cast<int>(x));
  }
  WAVESCAN_TARGET_INLINE std::uint32_t first(type v) {
    return static_cast<std::uint32_t>(_mm512_cvtsi512_si32(v));
  }
  WAVESCAN_TARGET_INLINE type load(const void* p) { return _mm512_loadu_si512(p); }
  WAVESCAN_TARGET_INLINE void store(void* p, type v) { _mm512_storeu_si512(p, v); }
  WAVESCAN_TARGET_INLINE type load_first(const void* p, int count) {
    return _mm512_maskz_loadu_epi32(first_lanes(count), p);
  }
  WAVESCAN_TARGET_INLINE void store_first(void* p, type v, int count) {
    _mm512_mask_storeu_epi32(p, first_lanes(count), v);
  }
  WAVESCAN_TARGET_INLINE void with_zeros(const std::uint8_t* bytes, int count,
                                         std::uint8_t (&buffer)[lanes]) {
    const __m128i all = _mm_maskz_loadu_epi8(first_lanes(count), bytes);
    std::memcpy(buffer, &all, sizeof all);
  }
  WAVESCAN_TARGET_INLINE void stream(void* p, type v) {
    _mm512_stream_si512(static_cast<__m512i*>(p), v);
  }

 private:
  WAVESCAN_TARGET_INLINE __mmask16 first_lanes(int count) {
    return static_cast<__mmask16>((1u << count) - 1);
  }
#undef WAVESCAN_TARGET_INLINE
};
#undef WAVESCAN_INLINE

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

#endif

}  // namespace wavescan::Impl

#endif
