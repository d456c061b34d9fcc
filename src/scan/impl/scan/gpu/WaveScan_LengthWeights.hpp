// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_GPU_LENGTHWEIGHTS_HPP
#define WAVESCAN_IMPL_SCAN_GPU_LENGTHWEIGHTS_HPP

#include <impl/WaveScan_Lines.hpp>

#include <concepts>

namespace wavescan::Impl {

/// @brief Whether a weight's power costs no more than a composition or two.
template <class P>
inline constexpr bool quick_power = false;
template <class P>
  requires requires { requires decltype(P::algebra)::quick_power; }
inline constexpr bool quick_power<P> = true;

/// @brief The weights of 1, 2, 4, ..., 2^(N-1) times a length, computed on the host.
template <class P, int N>
class LengthWeights {
 public:
  using weight_type = typename P::weight_type;

  LengthWeights(const P& traits, Index length) : length_(length) {
    for (int j = 0; j < N; ++j) powers_[j] = traits.weight_of(length << j);
    if constexpr (std::floating_point<weight_type>)
      composable_ = powers_[0] <= 1 && powers_[0] >= -1;
  }

  /// @brief The weight of 2^j lengths.
  KOKKOS_FUNCTION const weight_type& operator[](int j) const { return powers_[j]; }

  /// @brief The weight of `factor` lengths, below 2^N.
  __device__ weight_type of(const P& traits, Index factor) const {
    if (quick_power<P> || !composable_) return traits.weight_of(length_ * factor);
    weight_type weight = traits.weight_of(0);
#pragma unroll
    for (int j = 0; j < N; ++j)
      if (factor >> j & 1) weight = traits.compose(weight, powers_[j]);
    return weight;
  }

 private:
  weight_type powers_[N];
  Index length_;
  /// Products of growing weights' powers could overflow where the powers themselves are capped.
  bool composable_ = true;
};

}  // namespace wavescan::Impl

#endif
