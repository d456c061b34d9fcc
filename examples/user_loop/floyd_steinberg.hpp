// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef FLOYD_STEINBERG_HPP
#define FLOYD_STEINBERG_HPP

#include <Kokkos_Core.hpp>
#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Wavefront.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

/// @brief Error diffusion (Floyd and Steinberg, "An Adaptive Algorithm for Spatial Greyscale",
/// 1976): an image gets by with a few levels, because what rounding takes from a pixel is given to
/// the neighbours that come later, 7/16 to the right one and 3/16, 5/16, 1/16 to those below.
///
/// Seen from the pixel that receives, whose value before rounding is v:
///
///     v(i,j) = image(i,j) + 7/16 e(i,j-1) + 1/16 e(i-1,j-1) + 5/16 e(i-1,j) + 3/16 e(i-1,j+1)
///     e = v - level(v)
///
/// The array is the image at first, its levels 1 apart, and then v: see round_to_levels. What a
/// value hands on, its error, is no linear function of it, so theorem 1 does not hold, and the loop
/// runs in the schedules that keep the natural order: it is `exact`.
struct FloydSteinberg {
  static constexpr bool exact = true;

  struct Diffusion {
    using value_type = float;
    using weight_type = float;
    float highest;  ///< level

    /// The nearest level: adding 1.5 * 2^23 leaves no bits behind the point. Quicker than rounding
    /// where that is a function, and it is in the chain from each pixel to the next.
    KOKKOS_FUNCTION float level(float v) const {
      constexpr float whole_numbers = 12582912;
      return Kokkos::min(Kokkos::max(v, 0.0f), highest) + whole_numbers - whole_numbers;
    }
    KOKKOS_FUNCTION float error(float v) const { return v - level(v); }

    KOKKOS_FUNCTION float accumulate(float a, float b) const { return a + b; }
    KOKKOS_FUNCTION float distribute(float v, float w) const { return error(v) * w; }
    KOKKOS_FUNCTION float advance(float v, float w, float b) const {
      return wavescan::multiply_add(error(v), w, b);
    }
    // Asked for by other schedules only.
    KOKKOS_FUNCTION float compose(float w, float v) const { return w * v; }
    KOKKOS_FUNCTION float power(float w, std::int64_t k) const {
      return wavescan::power_by_squaring(*this, w, k);
    }
    KOKKOS_FUNCTION float zero() const { return 0; }
    KOKKOS_FUNCTION float one() const { return 1; }
  };
  using algebra_type = Diffusion;

  float highest;  ///< level: one less than there are

  KOKKOS_FUNCTION Diffusion algebra() const { return {highest}; }
  KOKKOS_FUNCTION float weight() const { return 7.0f / 16; }
  // That `partial` takes up_right is all that tells the engine of the fourth neighbour.
  KOKKOS_FUNCTION float partial(std::int64_t i, std::int64_t j, float up, float up_left,
                                float up_right, const auto& image) const {
    const Diffusion d = algebra();
    float v = wavescan::multiply_add(d.error(up_left), 1.0f / 16, image(i, j));
    v = wavescan::multiply_add(d.error(up), 5.0f / 16, v);
    return wavescan::multiply_add(d.error(up_right), 3.0f / 16, v);
  }
};

/// @brief Replaces the values that the loop leaves by their levels, 0 to `highest`.
template <class Exec, class View>
void round_to_levels(const Exec& exec, const FloydSteinberg& loop, const View& values) {
  Kokkos::parallel_for(
      "round_to_levels",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(exec, {0, 0},
                                                   {values.extent(0), values.extent(1)}),
      KOKKOS_LAMBDA(const std::size_t i, const std::size_t j) {
        values(i, j) = loop.algebra().level(values(i, j));
      });
}

/// @brief The same as one would write it first, row after row.
inline void diffuse_errors(std::vector<float>& image, std::size_t rows, std::size_t columns,
                           float highest) {
  const FloydSteinberg::Diffusion diffusion{highest};
  std::vector<float> above(columns + 2), here(columns + 2);  // errors, and a zero at either end
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      float& v = image[i * columns + j];
      v = wavescan::multiply_add(above[j], 1.0f / 16, v);
      v = wavescan::multiply_add(above[j + 1], 5.0f / 16, v);
      v = wavescan::multiply_add(above[j + 2], 3.0f / 16, v);
      v = wavescan::multiply_add(here[j], 7.0f / 16, v);
      here[j + 1] = diffusion.error(v);
    }
    above.swap(here);
  }
}

#endif
