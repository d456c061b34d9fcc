// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOSTVECTORS_HPP
#define WAVESCAN_IMPL_SCAN_HOSTVECTORS_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Operators.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>
#include <impl/WaveScan_Scan_Recurrence.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// @file
/// @brief Scans of contiguous elements in the vector registers of one host thread.
///
/// A group of four vectors is scanned inside by shifts of 1, 2, ... lanes; what enters the group is
/// added at the end, so that the chain from group to group is one operation long. Sixteen-byte
/// vectors are what every x86-64 and 64-bit Arm has, whatever the compiler's flags.

namespace wavescan::Impl {

/// @brief What a host vector scan asks of a recurrence; `available` says whether there is one.
template <class Recurrence>
struct VectorRecurrence {
  static constexpr bool available = false;
};

#if defined(__GNUC__)

template <class T>
concept VectorElement = (std::floating_point<T> && sizeof(T) <= 8) ||
                        (WrappingInteger<T> && (sizeof(T) == 4 || sizeof(T) == 8));

template <class T>
struct HostVector {
  /// Integers are added as unsigned ones, which wrap around.
  using element = typename std::conditional_t<std::integral<T>, std::make_unsigned<T>,
                                              std::type_identity<T>>::type;
  static constexpr int lanes = 16 / static_cast<int>(sizeof(T));
  typedef element type __attribute__((vector_size(16)));

  static type load(const T* p) {
    type v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(T* p, type v) { std::memcpy(p, &v, sizeof v); }
  static type all(T x) { return static_cast<element>(x) - type{}; }

  /// @brief What changes no sum: 0, for floating point -0, since -0 + 0 would be 0.
  static type nothing() { return std::floating_point<T> ? -type{} : type{}; }

  /// @brief The lanes moved up by `Distance`, nothing below them.
  template <int Distance>
  static type shift(type v) {
    // Indices from `lanes` on take from the second operand.
    if constexpr (lanes == 2)
      return __builtin_shufflevector(v, nothing(), 2, 0);
    else if constexpr (Distance == 1)
      return __builtin_shufflevector(v, nothing(), 4, 0, 1, 2);
    else
      return __builtin_shufflevector(v, nothing(), 4, 4, 0, 1);
  }
  static type last(type v) { return all(static_cast<T>(v[lanes - 1])); }
};

template <VectorElement T>
struct VectorRecurrence<PlainRecurrence<Plus<T>>> {
  static constexpr bool available = true;
  using vector = HostVector<T>;
  using type = typename vector::type;

  explicit VectorRecurrence(const PlainRecurrence<Plus<T>>&) {}
  /// @brief A vector shifted by 2^level lanes joined with the vector itself.
  static type join_shifted(type shifted, type v, int) { return shifted + v; }
  /// @brief What enters a group joined with its vector number i.
  static type enter(type entering, type v, int) { return entering + v; }
  /// @brief The state after `after` vectors, the last lane of whose scan is `total`.
  static type leave(type entering, type total, int) { return entering + total; }
};

template <std::floating_point T>
  requires VectorElement<T>
class VectorRecurrence<WeightedRecurrence<PlusTimes<T>, ConstantWeight<T>>> {
 public:
  static constexpr bool available = true;
  using vector = HostVector<T>;
  using type = typename vector::type;

  explicit VectorRecurrence(const WeightedRecurrence<PlusTimes<T>, ConstantWeight<T>>& r) {
    for (int level = 0; level < 3; ++level)
      shifted_[level] = vector::all(r.algebra.power(r.weight.value, Index(1) << level));
    for (int i = 0; i < 4; ++i) {
      for (int lane = 0; lane < vector::lanes; ++lane)
        entering_[i][lane] = r.algebra.power(r.weight.value, i * vector::lanes + lane + 1);
      vectors_[i] = vector::all(r.algebra.power(r.weight.value, Index(i + 1) * vector::lanes));
    }
  }
  type join_shifted(type shifted, type v, int level) const { return shifted * shifted_[level] + v; }
  type enter(type entering, type v, int i) const { return entering * entering_[i] + v; }
  type leave(type entering, type total, int after) const {
    return entering * vectors_[after - 1] + total;
  }

 private:
  std::array<type, 3> shifted_;   ///< w^(2^level)
  std::array<type, 4> entering_;  ///< w, w^2, ... for the lanes of each vector of a group
  std::array<type, 4> vectors_;   ///< w to the length of 1 to 4 vectors
};

/// @brief Scans [begin, begin + count) of contiguous elements that state s enters, in vectors; the
/// state after them is returned. `count` is a multiple of group_elements.
template <class Recurrence>
class HostVectorScan {
  using T = typename Recurrence::value_type;
  using V = VectorRecurrence<Recurrence>;
  using vector = typename V::vector;
  using type = typename vector::type;

 public:
  static constexpr Index group_elements = 4 * vector::lanes;

  explicit HostVectorScan(const Recurrence& recurrence) : v_(recurrence) {}

  /// @tparam Streaming stores bypass the caches; `out` must then be 16-byte aligned
  template <bool Streaming>
  T scan(const T* in, T* out, Index count, ScanKind kind, T state) const {
    type s = vector::all(state);
    for (Index j = 0; j < count; j += group_elements) {
      type x[4];
      for (int i = 0; i < 4; ++i) x[i] = scan_lanes(vector::load(in + j + i * vector::lanes));
      // Totals of the vectors before, each in all lanes; independent of s.
      type before = vector::last(x[0]);
      type joined[4] = {x[0], v_.enter(before, x[1], 0), type{}, type{}};
      const type before2 = v_.leave(before, vector::last(x[1]), 1);
      joined[2] = v_.enter(before2, x[2], 0);
      const type before3 = v_.leave(before2, vector::last(x[2]), 1);
      joined[3] = v_.enter(before3, x[3], 0);
      const type total = v_.leave(before3, vector::last(x[3]), 1);
      type y[4];
      for (int i = 0; i < 4; ++i) y[i] = v_.enter(s, joined[i], i);
      if (kind == ScanKind::Exclusive) {
        // One lane later, what enters first.
        type previous = s;
        for (int i = 0; i < 4; ++i) {
          const type inclusive = y[i];
          y[i] = shift_in(previous, inclusive);
          previous = inclusive;
        }
      }
      s = v_.leave(s, total, 4);
      for (int i = 0; i < 4; ++i) put<Streaming>(out + j + i * vector::lanes, y[i]);
    }
    return static_cast<T>(s[0]);
  }

  /// @brief The state after the elements if nothing enters them.
  T reduce(const T* in, Index count) const {
    // Vectors are joined whole first: lane l of the sum joins every lanes-th element from l on.
    type sum = vector::load(in);
    type other[3];
    for (int i = 1; i < 4; ++i) other[i - 1] = vector::load(in + i * vector::lanes);
    type sums[4] = {sum, other[0], other[1], other[2]};
    for (Index j = group_elements; j < count; j += group_elements)
      for (int i = 0; i < 4; ++i)
        sums[i] = v_.leave(sums[i], vector::load(in + j + i * vector::lanes), 4);
    for (int i = 0; i < 3; ++i) sums[3] = v_.leave(sums[i], sums[3], 3 - i);
    return static_cast<T>(scan_lanes(sums[3])[vector::lanes - 1]);
  }

 private:
  type scan_lanes(type x) const {
    x = v_.join_shifted(vector::template shift<1>(x), x, 0);
    if constexpr (vector::lanes > 2) x = v_.join_shifted(vector::template shift<2>(x), x, 1);
    return x;
  }

  static type shift_in(type previous, type v) {
    type shifted = vector::template shift<1>(v);
    shifted[0] = previous[vector::lanes - 1];
    return shifted;
  }

  template <bool Streaming>
  static void put(T* to, type v) {
#if defined(__SSE2__)
    if constexpr (Streaming) {
      __m128i bits;
      std::memcpy(&bits, &v, sizeof v);
      _mm_stream_si128(reinterpret_cast<__m128i*>(to), bits);
      return;
    }
#endif
    vector::store(to, v);
  }

  V v_;
};

#endif  // __GNUC__

}  // namespace wavescan::Impl

#endif
