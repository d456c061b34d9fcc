// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_IMAGE_REFERENCE_HPP
#define WAVESCAN_TEST_IMAGE_REFERENCE_HPP

#include <WaveScanTest_Compare.hpp>
#include <WaveScanTest_Random.hpp>
#include <WaveScan_Rectangle.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

/// @file
/// @brief Images on the host and what is summed up of them, by plain loops.

namespace wavescan::Test {

template <class Pixel>
struct Image {
  std::int64_t rows;
  std::int64_t columns;
  std::vector<Pixel> pixels;  ///< row by row

  const Pixel& operator()(std::int64_t i, std::int64_t j) const {
    return pixels[static_cast<std::size_t>(i * columns + j)];
  }
};

/// @brief An image whose pixels are some of many.
template <class Pixel>
Image<Pixel> image_at(const std::vector<Pixel>& all, std::int64_t first, std::int64_t rows,
                      std::int64_t columns) {
  const auto begin = all.begin() + first;
  return {rows, columns, {begin, begin + rows * columns}};
}

/// @brief The sum over a rectangle of f(pixel), in Sum.
template <class Sum, class Pixel, class F>
Sum sum_over(const Image<Pixel>& image, const Rectangle& r, const F& f) {
  Sum sum = 0;
  for (std::int64_t i = r.row_begin; i < r.row_end; ++i)
    for (std::int64_t j = r.column_begin; j < r.column_end; ++j)
      sum += static_cast<Sum>(f(image(i, j)));
  return sum;
}

/// @brief For every (i, j) the sum of f(pixel) over image(0..i, 0..j), in Sum.
///
/// Sum is unsigned (whose arithmetic wraps around) or wider than what it is compared with.
template <class Sum, class Pixel, class F>
std::vector<Sum> sums_of_prefixes(const Image<Pixel>& image, const F& f) {
  std::vector<Sum> result;
  std::vector<Sum> column(static_cast<std::size_t>(image.columns), Sum(0));
  for (std::int64_t i = 0; i < image.rows; ++i) {
    Sum sum = 0;
    for (std::int64_t j = 0; j < image.columns; ++j) {
      Sum& own = column[static_cast<std::size_t>(j)];
      own += static_cast<Sum>(f(image(i, j)));
      sum += own;
      result.push_back(sum);
    }
  }
  return result;
}

/// @brief Integers as another type, whose range they may leave.
template <std::integral T>
std::vector<T> wrapped(const std::vector<std::uint64_t>& sums) {
  return {sums.begin(), sums.end()};
}

/// @brief Rectangles of an image: special ones, empty ones and many others.
inline std::vector<Rectangle> random_rectangles(Random& random, std::int64_t rows,
                                                std::int64_t columns) {
  std::vector<Rectangle> result{{0, 0, rows, columns},
                                {0, 0, 1, 1},
                                {0, 0, rows, 1},
                                {0, 0, 1, columns},
                                {rows - 1, columns - 1, rows, columns},
                                {2, 3, 2, 5},
                                {rows, columns, rows, columns}};
  for (int k = 0; k < 300; ++k) {
    Rectangle r;
    r.row_begin = random.integer(0, rows);
    r.row_end = random.integer(r.row_begin, rows);
    r.column_begin = random.integer(0, columns);
    r.column_end = random.integer(r.column_begin, columns);
    result.push_back(r);
  }
  return result;
}

/// @brief Rectangles where the default execution space reaches them.
inline Kokkos::View<Rectangle*> on_device(const std::vector<Rectangle>& rectangles) {
  const Kokkos::View<Rectangle*> view("rectangles", rectangles.size());
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t q = 0; q < rectangles.size(); ++q) host(q) = rectangles[q];
  Kokkos::deep_copy(view, host);
  return view;
}

}  // namespace wavescan::Test

#endif
