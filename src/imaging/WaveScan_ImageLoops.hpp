// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMAGELOOPS_HPP
#define WAVESCAN_IMAGELOOPS_HPP

#include <WaveScan_Arithmetic.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Operators.hpp>

#include <cstdint>

/// @file
/// @brief Summed-area tables and integral histograms as wavefront loops, for `wavefront` to run in
/// any schedule.
///
/// The operations of these names are faster, and more accurate, since they do not subtract.
///
/// Source: Hou et al., "Highly Efficient Compensation-based Parallelism for Wavefront Loops on
/// GPUs", IPDPS 2018, section IV.

namespace wavescan {

/// @brief The summed-area table as a loop: A(i,j) = p(i,j) + A(i,j-1) + A(i-1,j) - A(i-1,j-1).
///
/// Accumulation and distribution are both +, and the weight b0 is 0. The subtraction is harmless to
/// the compensation, because row i-1 is complete before row i starts. The table may take the
/// image's place.
/// @tparam Pixel element type of the image
/// @tparam T     element type of the table
template <class Pixel, class T>
struct SummedAreaTableLoop {
  using algebra_type = Plus<T>;
  Grid<const Pixel> image;
  template <class Old>
  KOKKOS_FUNCTION T partial(std::int64_t i, std::int64_t j, const T& up, const T& up_left,
                            const Old&) const {
    return wrapping_add(static_cast<T>(image(i, j)), wrapping_subtract(up, up_left));
  }
};

/// @brief One bin of an integral histogram as a loop: A(i,j) = A(i,j-1) + A(i-1,j) - A(i-1,j-1) +
/// Q(i,j), where Q is 1 for pixels of the bin and 0 for others.
///
/// @tparam Pixel   element type of the image
/// @tparam Binning functor that takes a pixel to the number of its bin
/// @tparam Count   element type of the histogram
template <class Pixel, class Binning, class Count>
struct IntegralHistogramLoop {
  using algebra_type = Plus<Count>;
  Grid<const Pixel> image;
  Binning binning;
  std::int64_t bin;
  template <class Old>
  KOKKOS_FUNCTION Count partial(std::int64_t i, std::int64_t j, const Count& up,
                                const Count& up_left, const Old&) const {
    const bool hit = static_cast<std::int64_t>(binning(image(i, j))) == bin;
    return wrapping_add(static_cast<Count>(hit), wrapping_subtract(up, up_left));
  }
};

}  // namespace wavescan

#endif
