// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef FLOYD_STEINBERG_HPP
#define FLOYD_STEINBERG_HPP

#include <Kokkos_Core.hpp>
#include <WaveScan_Algebras.hpp>
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
/// Numbers are whole, 2^16 to a level, so that all machines and compilers get the same image. The
/// array is the image at first and the errors e at last, from which `set_levels` makes the levels
/// of all pixels at once. The error is no linear function of its left neighbour's, so theorem 1
/// does not hold, and the loop runs in the schedules that keep the natural order: it is `exact`.
struct FloydSteinberg {
  static constexpr bool exact = true;
  static constexpr int bits = 16;  ///< of a level's fraction

  /// What a scan along the row would do with errors, if it could.
  struct Diffusion {
    using value_type = std::int32_t;
    using weight_type = std::int32_t;  ///< sixteenths
    std::int32_t highest;              ///< level

    KOKKOS_FUNCTION std::int32_t level(std::int32_t v) const {
      return Kokkos::min(Kokkos::max((v + (1 << (bits - 1))) >> bits, 0), highest);
    }
    KOKKOS_FUNCTION std::int32_t error(std::int32_t v) const { return v - (level(v) << bits); }

    KOKKOS_FUNCTION std::int32_t accumulate(std::int32_t a, std::int32_t b) const {
      return error(a + b);
    }
    KOKKOS_FUNCTION std::int32_t distribute(std::int32_t e, std::int32_t w) const {
      return (e * w) >> 4;
    }
    // Asked for by schedules that the loop has not.
    KOKKOS_FUNCTION std::int32_t compose(std::int32_t w, std::int32_t v) const { return w * v; }
    KOKKOS_FUNCTION std::int32_t power(std::int32_t w, std::int64_t k) const {
      return wavescan::power_by_squaring(*this, w, k);
    }
    KOKKOS_FUNCTION std::int32_t zero() const { return 0; }
    KOKKOS_FUNCTION std::int32_t one() const { return 16; }
  };
  using algebra_type = Diffusion;

  std::int32_t highest;  ///< level: one less than there are

  KOKKOS_FUNCTION Diffusion algebra() const { return {highest}; }
  KOKKOS_FUNCTION std::int32_t weight() const { return 7; }
  // That `partial` takes up_right is all that tells the engine of the fourth neighbour.
  KOKKOS_FUNCTION std::int32_t partial(std::int64_t i, std::int64_t j, std::int32_t up,
                                       std::int32_t up_left, std::int32_t up_right,
                                       const auto& image) const {
    return received(up_left, up, up_right, image(i, j));
  }
  /// @brief A pixel and what errors above give it.
  KOKKOS_FUNCTION static std::int32_t received(std::int32_t up_left, std::int32_t up,
                                               std::int32_t up_right, std::int32_t pixel) {
    return pixel + ((up_left + 5 * up + 3 * up_right) >> 4);
  }
};

/// @brief Error diffusion of images of one size. The errors lie in a border of zeros, a row above
/// and a column on either side, so that no pixel is a special case.
template <class Exec>
class ErrorDiffusion {
  using Matrix = Kokkos::View<std::int32_t**, Kokkos::LayoutRight, Exec>;

 public:
  /// @param highest level, one less than there are
  ErrorDiffusion(const Exec& exec, std::size_t rows, std::size_t columns, std::int32_t highest,
                 wavescan::Schedule schedule = wavescan::Schedule::Auto)
      : exec_(exec),
        loop_{highest},
        errors_("errors", rows + 1, columns + 2),
        wavefront_(exec, errors_.extent_int(0), errors_.extent_int(1),
                   {.schedule = schedule,
                    .range = wavescan::IndexRange{1, errors_.extent_int(0), 1,
                                                  errors_.extent_int(1) - 1}}) {}

  /// @brief Enqueues the replacement of an image by its levels, 0 to `highest`.
  void operator()(const Matrix& image) const {
    const Kokkos::TeamPolicy<Exec> rows(exec_, image.extent_int(0), Kokkos::AUTO);
    Kokkos::parallel_for("errors", rows, SetErrors{image, errors_});
    wavefront_(loop_, errors_);
    Kokkos::parallel_for("levels", rows, SetLevels{loop_, errors_, image});
  }
  wavescan::Schedule schedule() const { return wavefront_.schedule(); }

  // What every row is handed to; nvcc wants them public.
  using Team = typename Kokkos::TeamPolicy<Exec>::member_type;
  struct SetErrors {
    Matrix image, errors;
    KOKKOS_FUNCTION void operator()(const Team& team) const {
      const int i = team.league_rank();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, image.extent_int(1)),
                           [&](int j) { errors(i + 1, j + 1) = image(i, j); });
    }
  };
  struct SetLevels {
    FloydSteinberg loop;
    Matrix errors, image;
    KOKKOS_FUNCTION void operator()(const Team& team) const {
      const int i = team.league_rank();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, image.extent_int(1)), [&](int j) {
        image(i, j) = loop.algebra().level(
            loop.algebra().distribute(errors(i + 1, j), loop.weight()) +
            loop.received(errors(i, j), errors(i, j + 1), errors(i, j + 2), image(i, j)));
      });
    }
  };

 private:
  Exec exec_;
  FloydSteinberg loop_;
  Matrix errors_;
  wavescan::Wavefront<Exec, FloydSteinberg> wavefront_;
};

/// @brief The same as one would write it first, row after row: levels in the place of the image.
inline void diffuse_errors(std::vector<std::int32_t>& image, std::size_t rows, std::size_t columns,
                           std::int32_t highest) {
  const FloydSteinberg::Diffusion diffusion{highest};
  std::vector<std::int32_t> above(columns + 2), here(columns + 2);  // and a zero at either end
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const std::int32_t v =
          ((7 * here[j]) >> 4) +
          FloydSteinberg::received(above[j], above[j + 1], above[j + 2], image[i * columns + j]);
      image[i * columns + j] = diffusion.level(v);
      here[j + 1] = diffusion.error(v);
    }
    above.swap(here);
  }
}

#endif
