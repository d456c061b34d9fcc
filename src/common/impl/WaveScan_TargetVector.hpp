// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#if !defined(WAVESCAN_TARGET)
#ifndef WAVESCAN_IMPL_TARGETVECTOR_HPP
#define WAVESCAN_IMPL_TARGETVECTOR_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_X86.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

/// @file
/// @brief Vectors of numbers, as wide as a target's registers, with the operations that host
/// kernels need.
///
/// They are made of the vector types and shuffles that g++ and clang have for every architecture.
/// What these cannot say is in intrinsics: fused multiply-adds, stores past the caches, and tables
/// of 16 bytes.

namespace wavescan::Impl {

template <class T>
concept VectorElement = (std::floating_point<T> || (std::integral<T> && !std::same_as<T, bool>)) &&
                        sizeof(T) <= 8;

/// @brief A register of T.
template <class Target, class T>
struct TargetVector;

#if defined(WAVESCAN_HAS_VECTORS)

template <std::size_t Bytes>
using VectorInteger = std::conditional_t<
    Bytes == 8, std::int64_t,
    std::conditional_t<Bytes == 4, std::int32_t,
                       std::conditional_t<Bytes == 2, std::int16_t, std::int8_t>>>;

template <int Bytes>
struct BytesOfVector {
  typedef std::int8_t type __attribute__((vector_size(Bytes)));
};
template <int Bytes>
using VectorOfBytes = typename BytesOfVector<Bytes>::type;

/// @brief -1 as often as a vector has lanes, with as many zeros on both sides: loaded from the
/// right place, a choice of lanes.
template <class Integer, int Lanes>
struct LaneChoices {
  alignas(64) Integer table[3 * Lanes] = {};
  constexpr LaneChoices() {
    for (int i = Lanes; i < 2 * Lanes; ++i) table[i] = -1;
  }
};
template <class Integer, int Lanes>
inline constexpr LaneChoices<Integer, Lanes> lane_choices{};

/// The intrinsics for vectors of one type: a * b + c with one rounding; b or, if it is larger, a;
/// each number one lane higher, the last one in lane 0; the first lane, and another one in its
/// place. (Of shuffles and lanes by number, compilers make what takes longer.)
#define WAVESCAN_INTRINSICS(TARGET, VECTOR, ELEMENT, FUSED, MAXIMUM, ROTATED, FIRST, WITH_FIRST) \
  TARGET inline VECTOR fused(VECTOR a, VECTOR b, VECTOR c) { return FUSED; }                     \
  TARGET inline VECTOR maximum(VECTOR a, VECTOR b) { return MAXIMUM; }                           \
  TARGET inline VECTOR rotated(VECTOR v) { return ROTATED; }                                     \
  TARGET inline ELEMENT first_of(VECTOR v) { return FIRST; }                                     \
  TARGET inline VECTOR with_first(VECTOR v, const ELEMENT* p) { return WITH_FIRST; }
#if defined(WAVESCAN_HAS_TARGETS)
#define WAVESCAN_AVX2 WAVESCAN_AVX2_FUNCTION __attribute__((always_inline))
#define WAVESCAN_AVX512 WAVESCAN_AVX512_FUNCTION __attribute__((always_inline))
WAVESCAN_INTRINSICS(
    WAVESCAN_AVX2, Floats32, float, WAVESCAN_X86(vfmaddps256(a, b, c), _mm256_fmadd_ps(a, b, c)),
    WAVESCAN_X86(maxps256(a, b), _mm256_max_ps(a, b)),
    WAVESCAN_X86(permvarsf256(v, (Ints32{7, 0, 1, 2, 3, 4, 5, 6})),
                 _mm256_permutevar8x32_ps(v, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6))),
    WAVESCAN_X86(ps_ps256(v), _mm256_castps256_ps128(v))[0],
    WAVESCAN_X86(blendps256(v, __builtin_ia32_ps256_ps((Floats16{*p, 0, 0, 0})), 1),
                 _mm256_blend_ps(v, _mm256_castps128_ps256(_mm_load_ss(p)), 1)))
WAVESCAN_INTRINSICS(WAVESCAN_AVX2, Doubles32, double,
                    WAVESCAN_X86(vfmaddpd256(a, b, c), _mm256_fmadd_pd(a, b, c)),
                    WAVESCAN_X86(maxpd256(a, b), _mm256_max_pd(a, b)),
                    WAVESCAN_X86(permdf256(v, 0x93), _mm256_permute4x64_pd(v, 0x93)),
                    WAVESCAN_X86(pd_pd256(v), _mm256_castpd256_pd128(v))[0],
                    WAVESCAN_X86(blendpd256(v, __builtin_ia32_pd256_pd((Doubles16{*p, 0})), 1),
                                 _mm256_blend_pd(v, _mm256_castpd128_pd256(_mm_load_sd(p)), 1)))
// With masks of all lanes: the builtins have no others. The last argument is the mode of rounding.
WAVESCAN_INTRINSICS(
    WAVESCAN_AVX512, Floats64, float,
    WAVESCAN_X86(vfmaddps512_mask(a, b, c, -1, 4), _mm512_fmadd_ps(a, b, c)),
    WAVESCAN_X86(maxps512_mask(a, b, (Floats64{}), -1, 4), _mm512_maskz_max_ps(0xffff, a, b)),
    (Floats64)WAVESCAN_X86(alignd512_mask((Ints64)v, (Ints64)v, 15, (Ints64{}), -1),
                           _mm512_maskz_alignr_epi32(0xffff, (__m512i)v, (__m512i)v, 15)),
    v[0], WAVESCAN_X86(loadups512_mask(p, v, 1), _mm512_mask_loadu_ps(v, 1, p)))
WAVESCAN_INTRINSICS(
    WAVESCAN_AVX512, Doubles64, double,
    WAVESCAN_X86(vfmaddpd512_mask(a, b, c, -1, 4), _mm512_fmadd_pd(a, b, c)),
    WAVESCAN_X86(maxpd512_mask(a, b, (Doubles64{}), -1, 4), _mm512_maskz_max_pd(0xff, a, b)),
    (Doubles64)WAVESCAN_X86(alignq512_mask((Longs64)v, (Longs64)v, 7, (Longs64{}), -1),
                            _mm512_maskz_alignr_epi64(0xff, (__m512i)v, (__m512i)v, 7)),
    v[0], WAVESCAN_X86(loadupd512_mask(p, v, 1), _mm512_mask_loadu_pd(v, 1, p)))
WAVESCAN_AVX2 inline Doubles32 widened(Floats32 v, int part) {
  return WAVESCAN_X86(cvtps2pd256, _mm256_cvtps_pd)(
      part == 0 ? WAVESCAN_X86(ps_ps256(v), _mm256_castps256_ps128(v))
                : WAVESCAN_X86(vextractf128_ps256(v, 1), _mm256_extractf128_ps(v, 1)));
}
WAVESCAN_AVX512 inline Doubles64 widened(Floats64 v, int part) {
  const Floats32 half = part == 0 ? WAVESCAN_X86(extractf32x8_mask(v, 0, (Floats32{}), -1),
                                                 _mm512_maskz_extractf32x8_ps(0xff, v, 0))
                                  : WAVESCAN_X86(extractf32x8_mask(v, 1, (Floats32{}), -1),
                                                 _mm512_maskz_extractf32x8_ps(0xff, v, 1));
  return WAVESCAN_X86(cvtps2pd512_mask(half, (Doubles64{}), -1, 4),
                      _mm512_maskz_cvtps_pd(0xff, half));
}

/// @brief The lanes from `first` to `last`, in registers that have masks.
inline unsigned lane_bits(Index first, Index last) {
  first = std::clamp<Index>(first, 0, 16);
  last = std::clamp<Index>(last + 1, first, 16);
  return (1u << last) - (1u << first);
}
WAVESCAN_AVX512 inline Longs64 lanes_between(std::int32_t, Index first, Index last) {
  const auto bits = static_cast<std::uint16_t>(lane_bits(first, last));
  return (Longs64)WAVESCAN_X86(cvtmask2d512, _mm512_movm_epi32)(bits);
}
WAVESCAN_AVX512 inline Longs64 lanes_between(std::int64_t, Index first, Index last) {
  const auto bits = static_cast<std::uint8_t>(lane_bits(first, last));
  return (Longs64)WAVESCAN_X86(cvtmask2q512, _mm512_movm_epi64)(bits);
}

inline void stream_to(void* p, Longs16 v) {
  WAVESCAN_X86(movntdq((Longs16*)p, v), _mm_stream_si128((__m128i*)p, (__m128i)v));
}
WAVESCAN_AVX2 inline void stream_to(void* p, Longs32 v) {
  WAVESCAN_X86(movntdq256((Longs32*)p, v), _mm256_stream_si256((__m256i*)p, (__m256i)v));
}
WAVESCAN_AVX512 inline void stream_to(void* p, Longs64 v) {
  WAVESCAN_X86(movntdq512((Longs64*)p, v), _mm512_stream_si512((__m512i*)p, (__m512i)v));
}
/// Bytes of `table` at the lowest four bits of `indices`, within blocks of 16 bytes.
WAVESCAN_AVX2 inline VectorOfBytes<32> looked_up(VectorOfBytes<32> table,
                                                 VectorOfBytes<32> indices) {
  return (VectorOfBytes<32>)WAVESCAN_X86(pshufb256((Chars32)table, (Chars32)indices),
                                         _mm256_shuffle_epi8((__m256i)table, (__m256i)indices));
}
WAVESCAN_AVX512 inline VectorOfBytes<64> looked_up(VectorOfBytes<64> table,
                                                   VectorOfBytes<64> indices) {
  return (VectorOfBytes<64>)WAVESCAN_X86(
      pshufb512_mask((Chars64)table, (Chars64)indices, (Chars64{}), -1),
      _mm512_maskz_shuffle_epi8(~__mmask64(0), (__m512i)table, (__m512i)indices));
}
#undef WAVESCAN_AVX2
#undef WAVESCAN_AVX512
#elif defined(__aarch64__)
WAVESCAN_INTRINSICS(, float32x4_t, float, vfmaq_f32(c, a, b), a > b ? a : b, vextq_f32(v, v, 3),
                    v[0], vld1q_lane_f32(p, v, 0))
WAVESCAN_INTRINSICS(, float64x2_t, double, vfmaq_f64(c, a, b), a > b ? a : b, vextq_f64(v, v, 1),
                    v[0], vld1q_lane_f64(p, v, 0))
inline float64x2_t widened(float32x4_t v, int part) {
  return part == 0 ? vcvt_f64_f32(vget_low_f32(v)) : vcvt_high_f64_f32(v);
}
inline VectorOfBytes<16> looked_up(VectorOfBytes<16> table, VectorOfBytes<16> indices) {
  return (VectorOfBytes<16>)vqtbl1q_u8((uint8x16_t)table, (uint8x16_t)indices);
}
#else
/// For none: TargetVector asks whether there are such functions, or calls them where there are.
template <class V>
  requires(sizeof(V) == 0)
V looked_up(V table, V indices);
template <class V>
  requires(sizeof(V) == 0)
V rotated(V v);
template <class V, class T>
  requires(sizeof(V) == 0)
V with_first(V v, const T* p);
#endif
#undef WAVESCAN_INTRINSICS

/// Returns lanes of the vectors a and b; `INDEX(lane)` says which, those of b behind those of a.
/// (A pack of indices would do but for nvcc.)
#define WAVESCAN_LANES_2(INDEX, l) INDEX(l), INDEX((l) + 1)
#define WAVESCAN_LANES_4(INDEX, l) WAVESCAN_LANES_2(INDEX, l), WAVESCAN_LANES_2(INDEX, (l) + 2)
#define WAVESCAN_LANES_8(INDEX, l) WAVESCAN_LANES_4(INDEX, l), WAVESCAN_LANES_4(INDEX, (l) + 4)
#define WAVESCAN_LANES_16(INDEX, l) WAVESCAN_LANES_8(INDEX, l), WAVESCAN_LANES_8(INDEX, (l) + 8)
#define WAVESCAN_LANES_32(INDEX, l) WAVESCAN_LANES_16(INDEX, l), WAVESCAN_LANES_16(INDEX, (l) + 16)
#define WAVESCAN_LANES_64(INDEX, l) WAVESCAN_LANES_32(INDEX, l), WAVESCAN_LANES_32(INDEX, (l) + 32)
#define WAVESCAN_RETURN_SHUFFLED(a, b, INDEX)                            \
  if constexpr (lanes == 2)                                              \
    return {__builtin_shufflevector(a, b, WAVESCAN_LANES_2(INDEX, 0))};  \
  else if constexpr (lanes == 4)                                         \
    return {__builtin_shufflevector(a, b, WAVESCAN_LANES_4(INDEX, 0))};  \
  else if constexpr (lanes == 8)                                         \
    return {__builtin_shufflevector(a, b, WAVESCAN_LANES_8(INDEX, 0))};  \
  else if constexpr (lanes == 16)                                        \
    return {__builtin_shufflevector(a, b, WAVESCAN_LANES_16(INDEX, 0))}; \
  else if constexpr (lanes == 32)                                        \
    return {__builtin_shufflevector(a, b, WAVESCAN_LANES_32(INDEX, 0))}; \
  else                                                                   \
    return {__builtin_shufflevector(a, b, WAVESCAN_LANES_64(INDEX, 0))};

// NOLINTNEXTLINE(bugprone-macro-parentheses): a header's name
#define WAVESCAN_TARGET_CODE <impl/WaveScan_TargetVector.hpp>
#include <impl/WaveScan_ForEachTarget.hpp>

#undef WAVESCAN_RETURN_SHUFFLED
#undef WAVESCAN_LANES_2
#undef WAVESCAN_LANES_4
#undef WAVESCAN_LANES_8
#undef WAVESCAN_LANES_16
#undef WAVESCAN_LANES_32
#undef WAVESCAN_LANES_64

/// @brief The vectors of double that a vector of T is widened to.
template <class Target, class T>
inline constexpr int widened_parts =
    TargetVector<Target, T>::lanes / TargetVector<Target, double>::lanes;

template <class Target, class T>
inline constexpr bool has_fused_vectors = TargetVector<Target, T>::fuses;

#else
template <class Target, class T>
inline constexpr bool has_fused_vectors = false;
#endif  // WAVESCAN_HAS_VECTORS

}  // namespace wavescan::Impl

#endif
#else  // once for each target, in the namespace

template <VectorElement T>
struct TargetVector<WAVESCAN_TARGET, T> {
  static constexpr int bytes = WAVESCAN_TARGET::vector_bytes;
  static constexpr int lanes = bytes / static_cast<int>(sizeof(T));
  using element = T;
  using wrapping_element = typename std::conditional_t<std::integral<T>, std::make_unsigned<T>,
                                                       std::type_identity<T>>::type;
  using integer_element = VectorInteger<sizeof(T)>;
  typedef T type __attribute__((vector_size(bytes)));
  /// What sums and products are made of: unsigned integers wrap around.
  typedef wrapping_element wrapping_type __attribute__((vector_size(bytes)));
  /// The same bits; and what comparisons make: -1 in lanes for which they hold, 0 elsewhere.
  typedef integer_element integers __attribute__((vector_size(bytes)));

  /// Whether there are the functions that need fused multiply-adds.
  static constexpr bool fuses = requires(type x) { fused(x, x, x); };
  /// Whether there is `looked_up`: of bytes only.
  static constexpr bool looks_up = requires(integers x) { wavescan::Impl::looked_up(x, x); };

  type v;

  WAVESCAN_TARGET_INLINED static TargetVector load(const T* p) {
    TargetVector x;
    std::memcpy(&x.v, p, sizeof x.v);
    return x;
  }
  WAVESCAN_TARGET_INLINED void store(T* p) const { std::memcpy(p, &v, sizeof v); }
  /// @brief Stores past the caches, where the machine has such stores, and so saves reading what is
  /// overwritten. `p` must be aligned to the vector. Other threads see it after `end_streaming()`.
  WAVESCAN_TARGET_INLINED void stream(T* p) const {
#if defined(WAVESCAN_HAS_TARGETS)
    typedef long long words __attribute__((vector_size(bytes)));
    stream_to(p, (words)v);
#else
    store(p);
#endif
  }
  /// @brief x in all lanes.
  WAVESCAN_TARGET_INLINED static TargetVector all(T x) {
    return {(type)(wrapping_element(x) - wrapping_type{})};
  }
  WAVESCAN_TARGET_INLINED T first() const { return v[0]; }
  WAVESCAN_TARGET_INLINED void store_first(T* p) const requires fuses { *p = first_of(v); }
  WAVESCAN_TARGET_INLINED TargetVector with_first(const T* p) const requires fuses {
    return {wavescan::Impl::with_first(v, p)};
  }

  WAVESCAN_TARGET_INLINED friend TargetVector operator+(TargetVector a, TargetVector b) {
    return {(type)((wrapping_type)a.v + (wrapping_type)b.v)};
  }
  WAVESCAN_TARGET_INLINED friend TargetVector operator-(TargetVector a, TargetVector b) {
    return {(type)((wrapping_type)a.v - (wrapping_type)b.v)};
  }
  WAVESCAN_TARGET_INLINED friend TargetVector operator*(TargetVector a, TargetVector b) {
    return {(type)((wrapping_type)a.v * (wrapping_type)b.v)};
  }
  WAVESCAN_TARGET_INLINED friend TargetVector operator/(
      TargetVector a, TargetVector b) requires std::floating_point<T> {
    return {a.v / b.v};
  }
  /// @brief a * b + c with one rounding.
  WAVESCAN_TARGET_INLINED static TargetVector multiply_add(TargetVector a, TargetVector b,
                                                           TargetVector c) requires fuses {
    return {fused(a.v, b.v, c.v)};
  }
  /// @brief |v|; of floating-point numbers.
  WAVESCAN_TARGET_INLINED TargetVector magnitude() const {
    return {(type)((integers)v & ~(integers)all(-T(0)).v)};
  }

  /// @brief a, if it is the larger or smaller one, else b.
  WAVESCAN_TARGET_INLINED friend TargetVector max(TargetVector a, TargetVector b) {
    return {a.v > b.v ? a.v : b.v};
  }
  WAVESCAN_TARGET_INLINED friend TargetVector min(TargetVector a, TargetVector b) {
    return {a.v < b.v ? a.v : b.v};
  }
  WAVESCAN_TARGET_INLINED friend integers operator<(TargetVector a, TargetVector b) {
    return a.v < b.v;
  }
  WAVESCAN_TARGET_INLINED friend integers operator==(TargetVector a, TargetVector b) {
    return a.v == b.v;
  }
  WAVESCAN_TARGET_INLINED static TargetVector select(integers chosen, TargetVector a,
                                                     TargetVector b) {
    return {chosen != integers{} ? a.v : b.v};
  }
  /// @brief The bytes of a table whose indices are the bits in which a and b differ; 16 at most.
  /// @param table the same in each 16 lanes
  WAVESCAN_TARGET_INLINED static TargetVector looked_up(TargetVector table, TargetVector a,
                                                        TargetVector b) requires looks_up {
    return {(type)wavescan::Impl::looked_up((integers)table.v, (integers)a.v ^ (integers)b.v)};
  }
  /// @brief The vector, computed by now: compilers reorder maxima and sums of integers, also where
  /// one operand is there long after the others.
  WAVESCAN_TARGET_INLINED TargetVector computed() const {
    TargetVector x = *this;
#if defined(WAVESCAN_HAS_TARGETS) && !defined(__NVCC__)
    asm("" : "+x"(x.v));
#elif defined(__aarch64__)
    asm("" : "+w"(x.v));
#endif
    return x;
  }
  /// @brief The lanes from `first` to `last`, which may lie outside the vector.
  WAVESCAN_TARGET_INLINED static integers between(Index first, Index last) {
    integers from;
#if defined(WAVESCAN_HAS_TARGETS)
    if constexpr (std::same_as<WAVESCAN_TARGET, Avx512> && sizeof(T) >= 4) {
      const Longs64 chosen = lanes_between(integer_element(), first, last);
      std::memcpy(&from, &chosen, sizeof from);
      return from;
    }
#endif
    constexpr const auto& table = lane_choices<integer_element, lanes>.table;
    integers until;
    std::memcpy(&from, table + lanes - std::clamp<Index>(first, 0, lanes), sizeof from);
    std::memcpy(&until, table + 2 * lanes - std::clamp<Index>(last + 1, 0, lanes), sizeof until);
    return from & until;
  }
  /// @brief Lanes of `a` where w is zero, lanes of `b` elsewhere.
  WAVESCAN_TARGET_INLINED friend TargetVector select_zero(TargetVector w, TargetVector a,
                                                          TargetVector b) {
    return {w.v == type{} ? a.v : b.v};
  }
  /// @brief Lanes of `a` where m has its sign bit set, lanes of `b` elsewhere.
  WAVESCAN_TARGET_INLINED friend TargetVector select_marked(TargetVector m, TargetVector a,
                                                            TargetVector b) {
    return {(integers)m.v < integers{} ? a.v : b.v};
  }
  /// @brief |a| or b, whichever is larger; b, if either is NaN.
  WAVESCAN_TARGET_INLINED friend TargetVector larger(TargetVector a,
                                                     TargetVector b) requires fuses {
    return {maximum(a.magnitude().v, b.v)};
  }

  /// @brief Some lanes as a vector of double; see widened_parts.
  WAVESCAN_TARGET_INLINED friend TargetVector<WAVESCAN_TARGET, double> widened(
      TargetVector x, [[maybe_unused]] int part) requires fuses {
    if constexpr (sizeof(T) == 8) {
      return x;
    } else {
      TargetVector<WAVESCAN_TARGET, double> wide;  // in braces, nvcc loses its type
      wide.v = widened(x.v, part);
      return wide;
    }
  }

  /// @brief Each number one lane higher, the last one in lane 0.
  WAVESCAN_TARGET_INLINED TargetVector rotated() const requires fuses {
    return {wavescan::Impl::rotated(v)};
  }
  /// @brief Each number one lane higher, the last one of another vector in lane 0.
  WAVESCAN_TARGET_INLINED TargetVector following(TargetVector before) const {
#define WAVESCAN_INDEX(lane) (lanes - 1 + (lane))
      WAVESCAN_RETURN_SHUFFLED(before.v, v, WAVESCAN_INDEX)
#undef WAVESCAN_INDEX
  }

  /// @brief Each number one lane lower, the first one of another vector in the last lane.
  WAVESCAN_TARGET_INLINED TargetVector preceding(TargetVector after) const {
#define WAVESCAN_INDEX(lane) (1 + (lane))
      WAVESCAN_RETURN_SHUFFLED(v, after.v, WAVESCAN_INDEX)
#undef WAVESCAN_INDEX
  }

  /// @brief The last number in all lanes.
  WAVESCAN_TARGET_INLINED TargetVector last() const {
#define WAVESCAN_INDEX(lane) (lanes - 1)
    WAVESCAN_RETURN_SHUFFLED(v, v, WAVESCAN_INDEX)
#undef WAVESCAN_INDEX
  }
  /// @brief Each number so many lanes higher, `filling` below them.
  template <int Distance>
  WAVESCAN_TARGET_INLINED TargetVector shifted(T filling = T(0)) const {
    // As integers: compilers know byte shifts for them, and nothing as good for floating point.
    type low{};
    for (int lane = 0; lane < Distance; ++lane) low[lane] = filling;
    return {(type)(shifted_bits<Distance>((integers)v).v | (integers)low)};
  }

  /// @brief Each number so many lanes higher within its block of 16 bytes, lanes of `filling`
  /// below.
  template <int Distance>
  WAVESCAN_TARGET_INLINED TargetVector shifted_in_blocks(TargetVector filling) const {
#define WAVESCAN_INDEX(lane) ((lane) % block < Distance ? lanes + (lane) : (lane)-Distance)
    WAVESCAN_RETURN_SHUFFLED(v, filling.v, WAVESCAN_INDEX)
#undef WAVESCAN_INDEX
  }
  /// @brief The last number of a block of 16 bytes in all lanes of those behind it, lanes of
  /// `filling` in the others.
  template <int Block>
  WAVESCAN_TARGET_INLINED TargetVector last_of_block_behind_it(TargetVector filling) const {
#define WAVESCAN_INDEX(lane) ((lane) / block > Block ? (Block + 1) * block - 1 : lanes + (lane))
      WAVESCAN_RETURN_SHUFFLED(v, filling.v, WAVESCAN_INDEX)
#undef WAVESCAN_INDEX
  }

  /// @brief Turns as many vectors as blocks of 16 bytes have lanes into those of their lanes, each
  /// block by itself: lane k of block j of vector i becomes lane i of block j of vector k.
  WAVESCAN_TARGET_INLINED static void transpose_blocks(const T* from, T* to) {
    // From one array to the next: of copies, compilers make calls.
    TargetVector once[block], twice[block];
#pragma GCC unroll 16
    for (int i = 0; i < block / 2; ++i) {
      const TargetVector x = load(from + i * lanes), y = load(from + (i + block / 2) * lanes);
      once[2 * i] = interleaved<0>(x, y);
      once[2 * i + 1] = interleaved<1>(x, y);
    }
    if constexpr (block == 2) return store_all(once, to);
    interleave(once, twice);
    if constexpr (block == 4) return store_all(twice, to);
    interleave(twice, once);
    if constexpr (block == 8) return store_all(once, to);
    interleave(once, twice);
    store_all(twice, to);
  }

  /// @brief Turns as many vectors as lanes, sixteen at most, into those of their lanes: first
  /// within blocks of 16 bytes, by interleaving, then the blocks, which are gathered from every
  /// other place.
  WAVESCAN_TARGET_INLINED static void transpose(TargetVector (&rows)[lanes]) requires(sizeof(T) >=
                                                                                      4) {
    TargetVector paired[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes; i += block) {
      for (int distance = 1; distance < block; distance *= 2) {
        interleave(rows + i, paired);
#pragma GCC unroll 16
        for (int k = 0; k < block; ++k) rows[i + k] = paired[k];
      }
    }
#pragma GCC unroll 8
    for (int distance = block; distance < lanes; distance *= 2) {
#pragma GCC unroll 16
      for (int i = 0; i < lanes / 2; ++i) {
        const int even = i / block * 2 * block + i % block;
        paired[i] = every_other_block<0>(rows[even], rows[even + block]);
        paired[i + lanes / 2] = every_other_block<1>(rows[even], rows[even + block]);
      }
#pragma GCC unroll 16
      for (int i = 0; i < lanes; ++i) rows[i] = paired[i];
    }
  }

 private:
  static constexpr int block = 16 / static_cast<int>(sizeof(T));  ///< lanes

  struct Bits {
    integers v;
  };
  template <int Distance>
  WAVESCAN_TARGET_INLINED static Bits shifted_bits(integers x) {
#define WAVESCAN_INDEX(lane) ((lane) < Distance ? lanes : (lane)-Distance)
    WAVESCAN_RETURN_SHUFFLED(x, integers{}, WAVESCAN_INDEX)
#undef WAVESCAN_INDEX
  }
  /// @brief Lanes of `a` and `b` in turn, from the lower or the upper halves of their blocks.
  template <int Upper>
  WAVESCAN_TARGET_INLINED static TargetVector interleaved(TargetVector a, TargetVector b){
#define WAVESCAN_INDEX(lane) \
  ((lane) / block * block + (lane) % block / 2 + (lane) % 2 * lanes + Upper * (block / 2))
      WAVESCAN_RETURN_SHUFFLED(a.v, b.v, WAVESCAN_INDEX)
#undef WAVESCAN_INDEX
  }

  /// @brief Pairs of vectors that are half a block apart, interleaved.
  WAVESCAN_TARGET_INLINED static void interleave(const TargetVector* from, TargetVector* to) {
#pragma GCC unroll 16
    for (int i = 0; i < block / 2; ++i) {
      to[2 * i] = interleaved<0>(from[i], from[i + block / 2]);
      to[2 * i + 1] = interleaved<1>(from[i], from[i + block / 2]);
    }
  }
  WAVESCAN_TARGET_INLINED static void store_all(const TargetVector* rows, T* to) {
#pragma GCC unroll 16
    for (int i = 0; i < block; ++i) rows[i].store(to + i * lanes);
  }
  /// @brief Blocks of `a`, then of `b`.
  template <int First>
  WAVESCAN_TARGET_INLINED static TargetVector every_other_block(TargetVector a, TargetVector b) {
#define WAVESCAN_INDEX(lane) (((lane) / block * 2 + First) * block + (lane) % block)
    WAVESCAN_RETURN_SHUFFLED(a.v, b.v, WAVESCAN_INDEX)
#undef WAVESCAN_INDEX
  }
};

#endif
