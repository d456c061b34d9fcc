// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOSTVECTORS_HPP
#define WAVESCAN_IMPL_SCAN_HOSTVECTORS_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Operators.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Scan_HostTile.hpp>
#include <impl/WaveScan_Scan_Recurrence.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

/// @file
/// @brief Scans of contiguous elements in the vector registers of one host thread.
///
/// A group of four vectors is scanned inside by shifts of 1, 2, 4, ... lanes; what enters the group
/// is joined at the end, so that the chain from group to group is one operation long. Vectors are
/// as wide as the compiler's flags promise: 16 bytes at least, which every x86-64 and 64-bit Arm
/// has.

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define WAVESCAN_HOST_VECTORS
#endif
#endif

namespace wavescan::Impl {

/// @brief A recurrence on vectors; `available` says whether there is one.
template <class Recurrence>
struct VectorRecurrence {
  static constexpr bool available = false;
};

#if defined(WAVESCAN_HOST_VECTORS)

#if defined(__AVX512F__)
inline constexpr int host_vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int host_vector_bytes = 32;
#else
inline constexpr int host_vector_bytes = 16;
#endif

/// @brief Whether vectors of 8-byte integers can be compared and multiplied as fast as others.
#if defined(__SSE2__) && !defined(__SSE4_2__)
inline constexpr bool compares_wide_integers = false;
#else
inline constexpr bool compares_wide_integers = true;
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
  static constexpr int lanes = host_vector_bytes / static_cast<int>(sizeof(T));
  typedef T type __attribute__((vector_size(host_vector_bytes)));
  /// What sums and products are made of: unsigned integers wrap around.
  typedef wrapping_element wrapping_type __attribute__((vector_size(host_vector_bytes)));

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
  static type multiply(type a, type b) { return (type)((wrapping_type)a * (wrapping_type)b); }

  /// @brief The lanes moved up by `Distance`, the lowest lanes of `filling` below them; the others
  /// of `filling` must be bits of zero.
  template <int Distance>
  static type shift(type v, type filling) {
    // As integers: compilers know byte shifts for them, and nothing as good for floating point.
    using integer = std::conditional_t<
        sizeof(T) == 8, std::int64_t,
        std::conditional_t<sizeof(T) == 4, std::int32_t,
                           std::conditional_t<sizeof(T) == 2, std::int16_t, std::int8_t>>>;
    typedef integer integers __attribute__((vector_size(host_vector_bytes)));
    return (type)(shifted<Distance>((integers)v) | (integers)filling);
  }
  static type last(type v) {
#define WAVESCAN_LAST(lane) (lanes - 1)
    WAVESCAN_RETURN_SHUFFLED(v, v, WAVESCAN_LAST)
#undef WAVESCAN_LAST
  }

 private:
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

/// @brief An operator on all lanes of vectors: `apply`, and `nothing`, which changes no operand.
template <class Op>
struct LaneOperator {
  static constexpr bool available = false;
};

template <VectorElement T>
struct LaneOperator<Plus<T>> {
  static constexpr bool available = true;
  using vector = HostVector<T>;
  using type = typename vector::type;
  static constexpr T nothing = std::floating_point<T> ? -T(0) : T(0);  // -0 + 0 would be 0
  static type apply(type a, type b) { return vector::add(a, b); }
};

template <class T>
concept OrderedVectorElement = VectorElement<T> &&
    (compares_wide_integers || std::floating_point<T> || sizeof(T) < 8);

/// @brief Max or Min; NaN where an operand is.
template <class Op>
  requires OrderedVectorElement<typename Op::value_type>
struct LaneExtremum {
  static constexpr bool available = true;
  static constexpr bool is_max = std::same_as<Op, Max<typename Op::value_type>>;
  using T = typename Op::value_type;
  using vector = HostVector<T>;
  using type = typename vector::type;
  static constexpr T nothing = Op{}.identity();
  static type apply(type a, type b) {
    const type most = is_max ? (a < b ? b : a) : (b < a ? b : a);  // a, if it is NaN
    if constexpr (std::floating_point<T>) {
      // Ones in all bits make NaN of anything.
      auto b_is_nan = b != b;  // NOLINT(misc-redundant-expression)
      return (type)((decltype(b_is_nan))most | b_is_nan);
    } else {
      return most;
    }
  }
};
template <OrderedVectorElement T>
struct LaneOperator<Max<T>> : LaneExtremum<Max<T>> {};
template <OrderedVectorElement T>
struct LaneOperator<Min<T>> : LaneExtremum<Min<T>> {};

/// @brief An algebra on all lanes of vectors: `advance` is (a ∘ w) ⋄ b; `set` puts a weight into a
/// lane.
template <class A>
struct LaneAlgebra {
  static constexpr bool available = false;
};

template <VectorElement T>
  requires(std::floating_point<T> || sizeof(T) == 2 || sizeof(T) == 4)
struct LaneAlgebra<PlusTimes<T>> : LaneOperator<Plus<T>> {
  using vector = HostVector<T>;
  using type = typename vector::type;
  using weights = type;
  static void set(weights& w, int lane, T weight) { w[lane] = weight; }
  static type advance(type a, const weights& w, type b) {
    return vector::add(vector::multiply(a, w), b);
  }
};

template <class Extremum>
struct LaneExtremumPlus : LaneExtremum<Extremum> {
  using typename LaneExtremum<Extremum>::T;
  using LaneExtremum<Extremum>::is_max, LaneExtremum<Extremum>::nothing;
  using vector = HostVector<T>;
  using type = typename vector::type;
  struct Weights {
    type w;
    type limit;  ///< beyond it, an integer sum is the identity: see ExtremumPlus
  };
  using weights = Weights;
  static void set(weights& w, int lane, T weight) {
    w.w[lane] = weight;
    w.limit[lane] = (is_max ? weight < 0 : weight > 0)
                        ? wrapping_subtract(nothing, weight)
                        : wrapping_add(nothing, static_cast<T>(is_max ? 1 : -1));
  }
  static type advance(type a, const weights& w, type b) {
    type sum = vector::add(a, w.w);
    if constexpr (std::integral<T>)
      sum = (is_max ? a < w.limit : a > w.limit) ? vector::all(nothing) : sum;
    return LaneExtremum<Extremum>::apply(sum, b);
  }
};
/// @brief Whether vectors do better than registers of one value where each step compares twice.
#if defined(__SSE2__) && !defined(__SSE4_1__)
inline constexpr bool compares_integers = false;
#else
inline constexpr bool compares_integers = true;
#endif

template <class T>
concept PathVectorElement = OrderedVectorElement<T> &&
    (compares_integers || std::floating_point<T> || sizeof(T) < 4);

template <PathVectorElement T>
struct LaneAlgebra<MaxPlus<T>> : LaneExtremumPlus<Max<T>> {};
template <PathVectorElement T>
struct LaneAlgebra<MinPlus<T>> : LaneExtremumPlus<Min<T>> {};

template <class Op>
requires LaneOperator<Op>::available struct VectorRecurrence<PlainRecurrence<Op>>
    : LaneOperator<Op> {
  using lanes = LaneOperator<Op>;
  using vector = HostVector<typename Op::value_type>;
  using type = typename vector::type;

  explicit VectorRecurrence(const PlainRecurrence<Op>&) {}
  static bool usable() { return true; }
  /// @brief A vector shifted by 2^level lanes joined with the vector itself.
  static type join_shifted(type shifted, type v, int) { return lanes::apply(shifted, v); }
  /// @brief What enters a group joined with its vector number i.
  static type enter(type entering, type v, int) { return lanes::apply(entering, v); }
  /// @brief The state after `after` vectors, the last lane of whose scan is `total`.
  static type leave(type entering, type total, int) { return lanes::apply(entering, total); }
};

template <class A>
requires LaneAlgebra<A>::available class VectorRecurrence<
    WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>> : public LaneAlgebra<A> {
  using T = typename A::value_type;
  using lanes = LaneAlgebra<A>;

 public:
  using vector = HostVector<T>;
  using type = typename vector::type;

  explicit VectorRecurrence(
      const WeightedRecurrence<A, ConstantWeight<typename A::weight_type>>& r) {
    T power = r.weight.value;
    for (int i = 0; i < 4; ++i)
      for (int lane = 0; lane < vector::lanes; ++lane) {
        lanes::set(entering_[i], lane, power);
        if (lane == vector::lanes - 1) set_all(vectors_[i], power);
        if (i == 0 && std::has_single_bit(static_cast<unsigned>(lane + 1)))
          set_all(shifted_[std::countr_zero(static_cast<unsigned>(lane + 1))], power);
        power = r.algebra.compose(power, r.weight.value);
      }
    if constexpr (std::floating_point<T>) usable_ = std::isfinite(power);
  }
  /// @brief Whether the powers of the weight are finite: infinity times the zeros that vectors are
  /// filled up with would be NaN.
  bool usable() const { return usable_; }
  type join_shifted(type shifted, type v, int level) const {
    return lanes::advance(shifted, shifted_[level], v);
  }
  type enter(type entering, type v, int i) const {
    return lanes::advance(entering, entering_[i], v);
  }
  type leave(type entering, type total, int after) const {
    return lanes::advance(entering, vectors_[after - 1], total);
  }

 private:
  using weights = typename lanes::weights;
  static void set_all(weights& w, T weight) {
    for (int lane = 0; lane < vector::lanes; ++lane) lanes::set(w, lane, weight);
  }

  std::array<weights, 6> shifted_;   ///< w^(2^level)
  std::array<weights, 4> entering_;  ///< w, w^2, ... for the lanes of each vector of a group
  std::array<weights, 4> vectors_;   ///< w to the length of 1 to 4 vectors
  bool usable_ = true;
};

/// @brief Inclusive scans and reductions of contiguous elements.
template <class Recurrence>
class HostVectorScan {
  using T = typename Recurrence::value_type;
  using V = VectorRecurrence<Recurrence>;
  using vector = typename V::vector;
  using type = typename vector::type;
  static constexpr Index lanes = vector::lanes;

 public:
  static constexpr Index group = 4 * lanes;

  explicit HostVectorScan(const Recurrence& recurrence) : recurrence_(recurrence), v_(recurrence) {}
  bool usable() const { return v_.usable(); }

  /// @brief Scans `count` elements that `state` enters and returns the state after them; `out` may
  /// be `in`.
  /// @tparam Streaming stores bypass the caches: see stream()
  template <bool Streaming>
  T scan(const T* in, T* out, Index count, T state) const {
    Index j = 0;
    if constexpr (Streaming) j = scan_singly(in, out, 0, before_aligned(out, count), state);
    type s = vector::all(state);
    for (; j + group <= count; j += group) {
      type x[4];
      for (int i = 0; i < 4; ++i) x[i] = scan_lanes(vector::load(in + j + i * lanes));
      // Totals of the vectors before, each in all lanes; independent of s.
      type before = vector::last(x[0]);
      for (int i = 1; i < 4; ++i) {
        const type own = vector::last(x[i]);
        x[i] = v_.enter(before, x[i], 0);
        before = v_.leave(before, own, 1);
      }
      for (int i = 0; i < 4; ++i) put<Streaming>(out + j + i * lanes, v_.enter(s, x[i], i));
      s = v_.leave(s, before, 4);
    }
    for (; j + lanes <= count; j += lanes) {
      const type y = v_.enter(s, scan_lanes(vector::load(in + j)), 0);
      put<Streaming>(out + j, y);
      s = vector::last(y);
    }
    state = s[0];
    scan_singly(in, out, j, count, state);
    return state;
  }

  /// @brief The state after `count` > 0 elements if nothing enters them.
  T reduce(const T* in, Index count) const {
    const Index whole = count / group * group;
    T state = in[0];
    if (whole > 0) {
      // Vectors are joined whole first: lane l of a sum joins every lanes-th element from l on.
      type sums[4];
      for (int i = 0; i < 4; ++i) sums[i] = vector::load(in + i * lanes);
      for (Index j = group; j < whole; j += group)
        for (int i = 0; i < 4; ++i)
          sums[i] = v_.leave(sums[i], vector::load(in + j + i * lanes), 4);
      for (int i = 0; i < 3; ++i) sums[3] = v_.leave(sums[i], sums[3], 3 - i);
      state = scan_lanes(sums[3])[lanes - 1];
    }
    for (Index j = whole > 0 ? whole : 1; j < count; ++j)
      state = recurrence_.advance(state, in[j], 0, j);
    return state;
  }

 private:
  template <bool Streaming>
  static void put(T* p, type v) {
    if constexpr (Streaming)
      stream(p, v);
    else
      vector::store(p, v);
  }

  /// @brief The number of elements before the first one to which a vector may be streamed.
  static Index before_aligned(const T* p, Index count) {
    constexpr auto bytes = static_cast<std::uintptr_t>(host_vector_bytes);
    return std::min(count, static_cast<Index>(-reinterpret_cast<std::uintptr_t>(p) % bytes) /
                               static_cast<Index>(sizeof(T)));
  }
  Index scan_singly(const T* in, T* out, Index begin, Index end, T& state) const {
    for (Index j = begin; j < end; ++j) {
      state = recurrence_.advance(state, in[j], 0, j);
      out[j] = state;
    }
    return end;
  }

  type scan_lanes(type x) const { return scan_lanes<0>(x); }
  template <int Level>
  type scan_lanes(type x) const {
    constexpr int distance = 1 << Level;
    if constexpr (distance >= lanes) {
      return x;
    } else {
      type filling{};
      for (int lane = 0; lane < distance; ++lane) filling[lane] = V::nothing;
      return scan_lanes<Level + 1>(
          v_.join_shifted(vector::template shift<distance>(x, filling), x, Level));
    }
  }

  Recurrence recurrence_;
  V v_;
};

#endif  // WAVESCAN_HOST_VECTORS

}  // namespace wavescan::Impl

#endif
