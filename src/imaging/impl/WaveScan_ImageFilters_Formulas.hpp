// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_IMAGEFILTERS_FORMULAS_HPP
#define WAVESCAN_IMPL_IMAGEFILTERS_FORMULAS_HPP

#include <Kokkos_Core.hpp>

/// @file
/// @brief What filters compute of a pixel and of the sums over the window around it.

namespace wavescan::Impl {

/// @brief A pixel, and the sums of the pixels and of their squares in its window.
struct WindowValues {
  double pixel = 0;
  double sum = 0;
  double squares = 0;
};

/// @brief The number of pixels in a window.
struct PixelCount {
  double value;
  KOKKOS_FORCEINLINE_FUNCTION double divide(double x) const { return x / value; }
};

/// @brief The number of pixels in many windows, to divide sums of integers by; where fused
/// multiply-adds are slow, it takes long.
///
/// The same quotients as those of a division, at a fraction of its time: a product with the
/// reciprocal is off by less than two units in the last place, and so is exact the remainder that
/// corrects it. What is left is an error of 2^-50 units, and no quotient by an integer below 2^50
/// is as close as that to where rounding changes its mind.
struct PixelCountOfMany {
  double value;
  double reciprocal = 1 / value;
  KOKKOS_FORCEINLINE_FUNCTION double divide(double x) const {
    const double quotient = x * reciprocal;
    return Kokkos::fma(Kokkos::fma(-quotient, value, x), reciprocal, quotient);
  }
};

struct MeanOfWindow {
  template <class Count>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(const WindowValues& w, const Count& count) const {
    return count.divide(w.sum);
  }
};

struct VarianceOfWindow {
  template <class Count>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(const WindowValues& w, const Count& count) const {
    const double mean = count.divide(w.sum);
    const double variance = count.divide(w.squares) - mean * mean;
    return variance > 0 ? variance : 0;
  }
};

struct BradleyThreshold {
  double share;  ///< of the mean
  template <class Count>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(const WindowValues& w, const Count& count) const {
    return w.pixel * count.value < share * w.sum ? 0 : 255;
  }
};

struct SauvolaThreshold {
  double k;
  double range;
  /// pixel > mean * (1 + k * (deviation / range - 1)), with the deviation alone on one side and
  /// both sides squared under their signs, which spares the square root.
  template <class Count>
  KOKKOS_FORCEINLINE_FUNCTION double operator()(const WindowValues& w, const Count& count) const {
    const double mean = count.divide(w.sum);
    const double excess = w.pixel - mean * (1 - k);
    const double slope = mean * (k / range);
    const double variance = VarianceOfWindow{}(w, count);
    return excess * Kokkos::abs(excess) > slope * Kokkos::abs(slope) * variance ? 255 : 0;
  }
};

}  // namespace wavescan::Impl

#endif
