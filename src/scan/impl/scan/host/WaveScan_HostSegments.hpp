// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOST_HOSTSEGMENTS_HPP
#define WAVESCAN_IMPL_SCAN_HOST_HOSTSEGMENTS_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/host/WaveScan_Factors.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

/// @file
/// @brief Segments of several lines, or of several runs of a line, that grow together.

namespace wavescan::Impl {

/// @brief Whether all elements of a recurrence have one weight, so that a segment's weight is the
/// power of its length.
template <class Recurrence>
inline constexpr bool has_weight_powers = false;
template <class A, class W>
inline constexpr bool has_weight_powers<WeightedRecurrence<A, ConstantWeight<W>>> =
    !is_same_operator<A>;

/// @brief Whether a segment's weight is a product of floating-point numbers, one for each element.
template <class Recurrence>
inline constexpr bool has_factors = false;
template <std::floating_point T, class W>
inline constexpr bool has_factors<WeightedRecurrence<PlusTimes<T>, W>> =
    !is_constant_weight<W> && sizeof(T) <= 8;
template <std::floating_point T, class W>
inline constexpr bool has_factors<WeightedRecurrence<MaxTimes<T>, W>> =
    !is_constant_weight<W> && sizeof(T) <= 8;

/// @brief Hides from the compiler where a value comes from. Else it may see vectors in the values
/// of several runs, and gather them from memory at a cost far beyond the gain.
template <class T>
void keep_scalar([[maybe_unused]] T& value) {
#if defined(__GNUC__) && defined(__x86_64__)
  if constexpr (std::integral<T> && sizeof(T) <= 8)
    asm("" : "+r"(value));
  else if constexpr (std::floating_point<T> && sizeof(T) <= 8)
    asm("" : "+x"(value));
#elif defined(__GNUC__) && defined(__aarch64__)
  if constexpr (std::integral<T> && sizeof(T) <= 8)
    asm("" : "+r"(value));
  else if constexpr (std::floating_point<T> && sizeof(T) <= 8)
    asm("" : "+w"(value));
#endif
}
template <class A>
void keep_scalar(WeightedSegment<A>& segment) {
  keep_scalar(segment.weight);
  keep_scalar(segment.value);
}

/// @brief Up to N segments: `begin`, then `append` for each further element and `commit` after
/// every `few` of them, `finish`.
template <class Recurrence, Index N>
class HostSegments {
  using value_type = typename Recurrence::value_type;

 public:
  static constexpr Index few = 16;  ///< how many elements may be appended between calls of `commit`

  template <class In>
  void begin(Index k, const Recurrence& recurrence, const In& in, Index line, Index j) {
    segments_[k] = recurrence.reduce(in, line, j, j + 1);
  }

  /// @brief Puts element j of a line at the end of segment k. Powers of one weight are left to
  /// `finish`.
  template <class In>
  void append(Index k, const Recurrence& recurrence, const In& in, Index line, Index j) {
    auto& segment = segments_[k];
    if constexpr (has_weight_powers<Recurrence>)
      segment.value =
          recurrence.advance(segment.value, static_cast<value_type>(in(line, j)), line, j);
    else
      segment = recurrence.join(segment, recurrence.reduce(in, line, j, j + 1));
  }

  /// @brief Commits elements [first, first + count) of `line`, which have been appended.
  void commit(Index, const Recurrence&, Index, Index, Index) {}
  /// @brief Called when all segments have been committed.
  void all_are_committed() {}

  /// @brief Called after the last of the `length` elements.
  void finish(Index k, [[maybe_unused]] const Recurrence& recurrence,
              [[maybe_unused]] Index length) {
    keep_scalar(segments_[k]);
    if constexpr (has_weight_powers<Recurrence>)
      segments_[k].weight = recurrence.algebra.power(recurrence.weight.value, length);
  }

  /// @brief Segment k, made elsewhere.
  void set(Index k, const typename Recurrence::segment_type& segment) { segments_[k] = segment; }

  /// @brief The state that leaves segment k, which s entered.
  value_type leave(Index k, const Recurrence& recurrence, const value_type& s) const {
    return recurrence.leave(s, segments_[k]);
  }

 private:
  typename Recurrence::segment_type segments_[N];
};

/// @brief Segments whose weights are products that could leave the range of T.
template <class Recurrence, Index N>
  requires has_factors<Recurrence>
class HostSegments<Recurrence, N> {
  using T = typename Recurrence::value_type;
  using product_type = FactorProduct<T>;

 public:
  static constexpr Index few = product_type::few;

  template <class In>
  void begin(Index k, const Recurrence& recurrence, const In& in, Index line, Index j) {
    values_[k] = static_cast<T>(in(line, j));
    products_[k] = {};
    factors_[k] = 1;
    multiply(k, recurrence.weight(line, j));
  }

  template <class In>
  void append(Index k, const Recurrence& recurrence, const In& in, Index line, Index j) {
    values_[k] = recurrence.advance(values_[k], static_cast<T>(in(line, j)), line, j);
    multiply(k, recurrence.weight(line, j));
  }

  void commit(Index k, const Recurrence& recurrence, Index line, Index first, Index count) {
    // Numbers of magnitude 2 or more have the highest bit of the exponent.
    const bool all_below_2 = (bits_[k % shares] & top_of_exponent) == 0;
    if (all_below_2 && product_type::in_range(factors_[k])) {
      products_[k].committed = factors_[k];
      return;
    }
    product_type product = products_[k];
    product.factor = factors_[k];
    product = rescaled(product, all_below_2, recurrence.weight, line, first, count);
    products_[k] = product;
    factors_[k] = product.factor;
  }
  void all_are_committed() {
    for (Bits& bits : bits_) bits = 0;
  }

  void finish(Index k, const Recurrence&, Index) {
    keep_scalar(values_[k]);
    keep_scalar(factors_[k]);
    products_[k].factor = factors_[k];
  }

  void set(Index k, const T& value, const product_type& product) {
    values_[k] = value;
    products_[k] = product;
  }

  T leave(Index k, const Recurrence& recurrence, const T& s) const {
    const product_type& product = products_[k];
    return product.is_plain() ? recurrence.leave(s, {product.factor, values_[k]})
                              : recurrence.leave(product.times(s), {T(1), values_[k]});
  }

 private:
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static_assert(sizeof(Bits) == sizeof(T));
  static constexpr Bits top_of_exponent = Bits(1) << (8 * sizeof(T) - 2);
  /// Few segments are kept in registers, and share one of bits.
  static constexpr Index shares = N < 16 ? 1 : N;

  void multiply(Index k, const T& weight) {
    factors_[k] *= weight;
    bits_[k % shares] |= std::bit_cast<Bits>(weight);
  }

  /// Not to be inlined, and by value: what is seldom needed must not drive segments out of
  /// registers.
  template <class Weights>
  WAVESCAN_NOT_INLINED static product_type rescaled(product_type product, bool all_below_2,
                                                    Weights weights, Index line, Index first,
                                                    Index count) {
    return product.rescaled(all_below_2, count, [&](Index i) { return weights(line, first + i); });
  }

  T values_[N], factors_[N];
  Bits bits_[shares] = {};    ///< of the weights since the last call of `commit`
  product_type products_[N];  ///< but for what factors_ holds
};

}  // namespace wavescan::Impl

#endif
