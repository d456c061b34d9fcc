// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_EXACTSUM_HPP
#define WAVESCAN_IMPL_MPI_EXACTSUM_HPP

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace wavescan::Impl::mpi {

/// @brief The exact sum of finite numbers that are not negative, whatever their order: a number of
/// 2240 bits in limbs of 32 (Kulisch's accumulator). Sums of limbs are sums of integers, so any
/// reduction of them is exact, too.
class ExactSum {
 public:
  static constexpr std::size_t size = 70;  ///< limbs
  using limbs_type = std::array<std::int64_t, size>;

  /// @param x finite, not negative
  void add(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t exponent = bits >> 52, fraction = bits & ((std::uint64_t(1) << 52) - 1);
    // x is mantissa * 2^place, in units of the smallest number.
    const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | std::uint64_t(1) << 52;
    const std::uint64_t place = exponent == 0 ? 0 : exponent - 1;
    const std::size_t limb = place / 32;
    const unsigned shift = place % 32;
    const std::uint64_t low = (mantissa & 0xffffffff) << shift, high = (mantissa >> 32) << shift;
    limbs_[limb] += static_cast<std::int64_t>(low & 0xffffffff);
    limbs_[limb + 1] += static_cast<std::int64_t>((low >> 32) + (high & 0xffffffff));
    limbs_[limb + 2] += static_cast<std::int64_t>(high >> 32);
    if (++added_ == (1 << 28)) carry();
  }

  /// @brief The limbs, each below 2^32: 2^31 of these sums can be added up limb by limb.
  const limbs_type& limbs() {
    carry();
    return limbs_;
  }
  static ExactSum of(const limbs_type& limbs) {
    ExactSum sum;
    sum.limbs_ = limbs;
    return sum;
  }

  /// @brief The sum as a number, a function of nothing but the exact sum.
  double value() {
    carry();
    double sum = 0;
    for (std::size_t k = size; k-- > 0;)
      if (limbs_[k] != 0)
        sum += std::ldexp(static_cast<double>(limbs_[k]), static_cast<int>(32 * k) - 1074);
    return sum;
  }

 private:
  void carry() {
    std::int64_t over = 0;
    for (std::int64_t& limb : limbs_) {
      limb += over;
      over = limb >> 32;
      limb &= 0xffffffff;
    }
    added_ = 0;
  }

  limbs_type limbs_{};
  int added_ = 0;
};

}  // namespace wavescan::Impl::mpi

#endif
