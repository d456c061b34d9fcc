// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOSTVECTOR_HPP
#define WAVESCAN_IMPL_SCAN_HOSTVECTOR_HPP

#include <WaveScan_Algebras.hpp>
#include <impl/WaveScan_Lines.hpp>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// @file
/// @brief The vector registers of a host thread, as wide as the compiler's flags promise: 16 bytes
/// at least, which every x86-64 and 64-bit Arm has.

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define WAVESCAN_HOST_VECTORS
#endif
#endif

namespace wavescan::Impl {

#if defined(WAVESCAN_HOST_VECTORS)

#if defined(__AVX512F__)
inline constexpr int host_vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int host_vector_bytes = 32;
#else
inline constexpr int host_vector_bytes = 16;
#endif

template <class T>
concept VectorElement = (std::floating_point<T> || WrappingInteger<T>)&&sizeof(T) <= 8;

/// Returns lanes of two vectors; `INDEX(lane)` says which. (A pack of indices would do but for
/// nvcc.)
#define WAVESCAN_LANES_2(INDEX, l) INDEX(l), INDEX((l) + 1)
#define WAVESCAN_LANES_4(INDEX, l) WAVESCAN_LANES_2(INDEX, l), WAVESCAN_LANES_2(INDEX, (l) + 2)
#define WAVESCAN_LANES_8(INDEX, l) WAVESCAN_LANES_4(INDEX, l), WAVESCAN_LANES_4(INDEX, (l) + 4)
#define WAVESCAN_LANES_16(INDEX, l) WAVESCAN_LANES_8(INDEX, l), WAVESCAN_LANES_8(INDEX, (l) + 8)
#define WAVESCAN_LANES_32(INDEX, l) WAVESCAN_LANES_16(INDEX, l), WAVESCAN_LANES_16(INDEX, (l) + 16)
#define WAVESCAN_LANES_64(INDEX, l) WAVESCAN_LANES_32(INDEX, l), WAVESCAN_LANES_32(INDEX, (l) + 32)
#define WAVESCAN_RETURN_SHUFFLED(a, b, INDEX)                          \
  if constexpr (lanes == 2)                                            \
    return __builtin_shufflevector(a, b, WAVESCAN_LANES_2(INDEX, 0));  \
  else if constexpr (lanes == 4)                                       \
    return __builtin_shufflevector(a, b, WAVESCAN_LANES_4(INDEX, 0));  \
  else if constexpr (lanes == 8)                                       \
    return __builtin_shufflevector(a, b, WAVESCAN_LANES_8(INDEX, 0));  \
  else if constexpr (lanes == 16)                                      \
    return __builtin_shufflevector(a, b, WAVESCAN_LANES_16(INDEX, 0)); \
  else if constexpr (lanes == 32)                                      \
    return __builtin_shufflevector(a, b, WAVESCAN_LANES_32(INDEX, 0)); \
  else                                                                 \
    return __builtin_shufflevector(a, b, WAVESCAN_LANES_64(INDEX, 0));

template <class T>
struct HostVector {
  using wrapping_element = typename std::conditional_t<std::integral<T>, std::make_unsigned<T>,
                                                       std::type_identity<T>>::type;
  using integer_element = std::conditional_t<
      sizeof(T) == 8, std::int64_t,
      std::conditional_t<sizeof(T) == 4, std::int32_t,
                         std::conditional_t<sizeof(T) == 2, std::int16_t, std::int8_t>>>;
  static constexpr int lanes = host_vector_bytes / static_cast<int>(sizeof(T));
  typedef T type __attribute__((vector_size(host_vector_bytes)));
  /// What sums and products are made of: unsigned integers wrap around.
  typedef wrapping_element wrapping_type __attribute__((vector_size(host_vector_bytes)));
  /// The same bits.
  typedef integer_element integers __attribute__((vector_size(host_vector_bytes)));

  static type load(const T* p) {
    type v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(T* p, type v) { std::memcpy(p, &v, sizeof v); }
  static type all(T x) {
    type v{};
    for (int lane = 0; lane < lanes; ++lane) v[lane] = x;
    return v;
  }
  static type add(type a, type b) { return (type)((wrapping_type)a + (wrapping_type)b); }
  static type subtract(type a, type b) { return (type)((wrapping_type)a - (wrapping_type)b); }
  static type multiply(type a, type b) { return (type)((wrapping_type)a * (wrapping_type)b); }

  /// @brief The lanes moved up by `Distance`, the lowest lanes of `filling` below them; the others
  /// of `filling` must be bits of zero.
  template <int Distance>
  static type shift(type v, type filling) {
    // As integers: compilers know byte shifts for them, and nothing as good for floating point.
    return (type)(shifted<Distance>((integers)v) | (integers)filling);
  }
  /// @brief |v|; of floating-point numbers.
  static type magnitude(type v) {
    const type sign = all(-T(0));
    return (type)((integers)v & ~(integers)sign);
  }

  /// @brief Turns as many vectors as lanes into those of their lanes.
  static void transpose(type (&rows)[lanes]) {
    for (int distance = 1; distance < lanes; distance *= 2) {
      type paired[lanes];
      for (int i = 0; i < lanes / 2; ++i) {
        paired[2 * i] = lower_pairs(rows[i], rows[i + lanes / 2]);
        paired[2 * i + 1] = upper_pairs(rows[i], rows[i + lanes / 2]);
      }
      for (int i = 0; i < lanes; ++i) rows[i] = paired[i];
    }
  }
  static type last(type v) {
#define WAVESCAN_LAST(lane) (lanes - 1)
    WAVESCAN_RETURN_SHUFFLED(v, v, WAVESCAN_LAST)
#undef WAVESCAN_LAST
  }

 private:
  /// @brief Lanes of `a` and `b` in turn, from the lower or the upper half of both.
  static type lower_pairs(type a, type b) {
#define WAVESCAN_LOWER(lane) ((lane) / 2 + (lane) % 2 * lanes)
    WAVESCAN_RETURN_SHUFFLED(a, b, WAVESCAN_LOWER)
#undef WAVESCAN_LOWER
  }
  static type upper_pairs(type a, type b) {
#define WAVESCAN_UPPER(lane) ((lane) / 2 + (lane) % 2 * lanes + lanes / 2)
    WAVESCAN_RETURN_SHUFFLED(a, b, WAVESCAN_UPPER)
#undef WAVESCAN_UPPER
  }
  template <int Distance, class V>
  static V shifted(V v) {
    // Indices from `lanes` on take from the second operand.
#define WAVESCAN_SHIFTED(lane) ((lane) < Distance ? lanes : (lane)-Distance)
    WAVESCAN_RETURN_SHUFFLED(v, V{}, WAVESCAN_SHIFTED)
#undef WAVESCAN_SHIFTED
  }
};

#undef WAVESCAN_RETURN_SHUFFLED
#undef WAVESCAN_LANES_2
#undef WAVESCAN_LANES_4
#undef WAVESCAN_LANES_8
#undef WAVESCAN_LANES_16
#undef WAVESCAN_LANES_32
#undef WAVESCAN_LANES_64

#endif  // WAVESCAN_HOST_VECTORS

}  // namespace wavescan::Impl

#endif
