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
///     v(i,j) = image(i,j) + 1/16 e(i-1,j-1) + 5/16 e(i-1,j) + 3/16 e(i-1,j+1) + 7/16 e(i,j-1)
///     e(i,j) = v - level(v)
///
/// The array is the image at first, its levels 1 apart, and the errors e at last, from which
/// `set_levels` makes the levels of all pixels at once. The error is no linear function of its left
/// neighbour's, so theorem 1 does not hold, and the loop runs in the schedules that keep the
/// natural order: it is `exact`.
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

    /// What is left of the left error's share and all others: (e o w) <> b in one operation.
    KOKKOS_FUNCTION float advance(float e, float w, float b) const {
      return error(wavescan::multiply_add(e, w, b));
    }
    // Its parts, asked for by schedules that the loop has not.
    KOKKOS_FUNCTION float accumulate(float a, float b) const { return error(a + b); }
    KOKKOS_FUNCTION float distribute(float e, float w) const { return e * w; }
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
    return received(up_left, up, up_right, image(i, j));
  }
  // Nothing comes from outside. (Without a boundary, the first column would be its partial values.)
  KOKKOS_FUNCTION float boundary(std::int64_t, std::int64_t) const { return 0; }

  /// @brief A pixel and what errors above give it.
  KOKKOS_FUNCTION static float received(float up_left, float up, float up_right, float pixel) {
    const float v = wavescan::multiply_add(up_left, 1.0f / 16, pixel);
    return wavescan::multiply_add(up_right, 3.0f / 16, wavescan::multiply_add(up, 5.0f / 16, v));
  }
};

/// @brief The level of each pixel, 0 to `highest`, in the place of the image.
template <class Errors, class Image>
struct SetLevels {
  FloydSteinberg loop;
  Errors errors;  ///< that the loop has left
  Image image;
  KOKKOS_FUNCTION void operator()(int i) const {
    const int columns = image.extent_int(1);
    const auto error = [&](int row, int column) {
      return row < 0 || column < 0 || column == columns ? 0.0f : errors(row, column);
    };
    for (int j = 0; j < columns; ++j) {
      const float v =
          loop.received(error(i - 1, j - 1), error(i - 1, j), error(i - 1, j + 1), image(i, j));
      image(i, j) = loop.algebra().level(wavescan::multiply_add(error(i, j - 1), loop.weight(), v));
    }
  }
};
template <class Exec, class Errors, class Image>
void set_levels(const Exec& exec, const FloydSteinberg& loop, const Errors& errors,
                const Image& image) {
  Kokkos::parallel_for("set_levels", Kokkos::RangePolicy<Exec>(exec, 0, image.extent_int(0)),
                       SetLevels<Errors, Image>{loop, errors, image});
}

/// @brief The same as one would write it first, row after row: levels in the place of the image.
inline void diffuse_errors(std::vector<float>& image, std::size_t rows, std::size_t columns,
                           float highest) {
  const FloydSteinberg::Diffusion diffusion{highest};
  std::vector<float> above(columns + 2), here(columns + 2);  // errors, and a zero at either end
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const float v = wavescan::multiply_add(
          here[j], 7.0f / 16,
          FloydSteinberg::received(above[j], above[j + 1], above[j + 2], image[i * columns + j]));
      image[i * columns + j] = diffusion.level(v);
      here[j + 1] = v - diffusion.level(v);
    }
    above.swap(here);
  }
}

#endif
