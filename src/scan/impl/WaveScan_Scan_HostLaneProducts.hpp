// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOSTLANEPRODUCTS_HPP
#define WAVESCAN_IMPL_SCAN_HOSTLANEPRODUCTS_HPP

#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Scan_HostFactors.hpp>
#include <impl/WaveScan_Scan_HostLanes.hpp>
#include <impl/WaveScan_Scan_HostSegments.hpp>

#include <concepts>
#include <limits>

namespace wavescan::Impl {

#if defined(WAVESCAN_HOST_VECTORS)

/// @brief The weights of segments that grow in the lanes of a vector: `append` for each element,
/// `settle` after every `few` of them or fewer, at last `hand_over` for each lane.
template <class A>
class LaneProducts {
  using algebra = LaneAlgebra<A>;
  using vector = HostVector<typename A::value_type>;
  using type = typename vector::type;

 public:
  static constexpr Index few = 64;

  void append(type w) { product_ = algebra::compose(product_, algebra::weights_of(w)); }
  template <class Factors>
  void settle(Index, const Factors&) {}
  template <class Segments>
  void hand_over(Segments& segments, Index k, const typename A::value_type& value, int lane) const {
    segments.set(k, {product_[lane], value});
  }

 private:
  type product_ = vector::all(A{}.one());
};

/// @brief Products of floating-point numbers, which neither underflow nor overflow: as
/// FactorProduct keeps one, but that the smallest product on the way tells whether all were normal
/// numbers, and that every product is moved towards 1 whenever it is settled.
template <std::floating_point T>
class LaneProducts<PlusTimes<T>> {
  using product_type = FactorProduct<T>;
  using limits = std::numeric_limits<T>;
  using vector = HostVector<T>;
  using type = typename vector::type;

 public:
  static constexpr Index few = product_type::few;

  void append(type w) {
    product_ = vector::multiply(product_, w);
    const type size = vector::magnitude(product_);
    smallest_ = size < smallest_ ? size : smallest_;
  }

  /// @param factors called with a lane and the number of one of the `count` last factors
  template <class Factors>
  void settle(Index count, const Factors& factors) {
    const type largest = vector::all(limits::max());
    const auto normal =
        (smallest_ >= vector::all(limits::min())) & (vector::magnitude(product_) <= largest);
    bool all_normal = true;
    for (int lane = 0; lane < vector::lanes; ++lane) all_normal &= normal[lane] != 0;
    if (!all_normal) *this = multiplied_anew(*this, count, factors);
    const type size = vector::magnitude(product_), one = vector::all(1);
    const auto small = size<vector::all(1 / far), large = size> vector::all(far);
    product_ = vector::multiply(product_, small   ? vector::all(far * far)
                                          : large ? vector::all(1 / far / far)
                                                  : one);
    moves_ += large ? one : small ? -one : type{};
    settled_ = product_;
    smallest_ = largest;
  }

  template <class Segments>
  void hand_over(Segments& segments, Index k, const T& value, int lane) const {
    product_type product = products_[lane];
    product.factor = product_[lane];
    product.exponent += 2 * far_exponent * static_cast<int>(moves_[lane]);
    segments.set(k, value, product);
  }

 private:
  static constexpr int far_exponent = 3 * limits::max_exponent / 8;
  static constexpr T power_of_2(int n) { return n == 0 ? T(1) : 2 * power_of_2(n - 1); }
  static constexpr T far = power_of_2(far_exponent);

  /// Not to be inlined, and by value: what is seldom needed must not drive others out of registers.
  template <class Factors>
  WAVESCAN_NOT_INLINED static LaneProducts multiplied_anew(LaneProducts p, Index count,
                                                           const Factors factors) {
    for (int lane = 0; lane < vector::lanes; ++lane) {
      product_type& product = p.products_[lane];
      product.factor = p.product_[lane];
      product.settled = p.settled_[lane];
      product = product.rescaled(false, count, [&](Index i) { return factors(lane, i); });
      p.product_[lane] = product.factor;
    }
    return p;
  }

  type product_ = vector::all(1);
  type settled_ = vector::all(1);               ///< `product_` when it was settled
  type smallest_ = vector::all(limits::max());  ///< magnitude of a product since
  type moves_{};                                ///< by 2^(2 far_exponent)
  product_type products_[vector::lanes];        ///< but for what the vectors hold
};

#endif  // WAVESCAN_HOST_VECTORS

}  // namespace wavescan::Impl

#endif
