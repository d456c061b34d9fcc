// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOSTLANES_HPP
#define WAVESCAN_IMPL_SCAN_HOSTLANES_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Operators.hpp>
#include <impl/WaveScan_Scan_HostVector.hpp>

#include <concepts>

/// @file
/// @brief Operators and algebras on all lanes of vectors.

namespace wavescan::Impl {

#if defined(WAVESCAN_HOST_VECTORS)

/// @brief Whether vectors of 8-byte integers can be compared and multiplied as fast as others.
#if defined(__SSE2__) && !defined(__SSE4_2__)
inline constexpr bool compares_wide_integers = false;
#else
inline constexpr bool compares_wide_integers = true;
#endif

/// @brief Whether vectors of integers T have maxima and minima in one operation.
#if defined(__SSE2__) && !defined(__SSE4_1__)
template <class T>
inline constexpr bool has_vector_extrema = std::floating_point<T> || sizeof(T) < 4;
#else
template <class T>
inline constexpr bool has_vector_extrema = true;
#endif

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

/// @brief An algebra on all lanes of vectors: `advance` is (a ∘ w) ⋄ b, `compose(v, w)` the one
/// weight that does what v and then w do; `weights_of` makes what they take for `w`.
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
  static weights weights_of(type w) { return w; }
  static type compose(type v, const weights& w) { return vector::multiply(v, w); }
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
  static weights weights_of(type w) {
    const type zero = vector::all(nothing),
               next = vector::add(zero, vector::all(static_cast<T>(is_max ? 1 : -1)));
    const auto towards_zero = is_max ? w < type{} : w > type{};
    return {w, towards_zero ? vector::subtract(zero, w) : next};
  }
  static type compose(type v, const weights& w) {
    const type sum = vector::add(v, w.w);
    if constexpr (std::integral<T>)
      return beyond_zero(v, w) ? vector::all(nothing) : sum;
    else
      return sum;
  }
  static type advance(type a, const weights& w, type b) {
    if constexpr (has_vector_extrema<T>) {
      return LaneExtremum<Extremum>::apply(compose(a, w), b);
    } else {
      const type sum = vector::add(a, w.w);
      return (beyond_zero(a, w) | (is_max ? sum < b : sum > b)) ? b : sum;
    }
  }

 private:
  static auto beyond_zero(type a, const weights& w) { return is_max ? a < w.limit : a > w.limit; }
};

template <OrderedVectorElement T>
struct LaneAlgebra<MaxPlus<T>> : LaneExtremumPlus<Max<T>> {};
template <OrderedVectorElement T>
struct LaneAlgebra<MinPlus<T>> : LaneExtremumPlus<Min<T>> {};

#endif  // WAVESCAN_HOST_VECTORS

}  // namespace wavescan::Impl

#endif
