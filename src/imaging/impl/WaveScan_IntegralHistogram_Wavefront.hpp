// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_INTEGRALHISTOGRAM_WAVEFRONT_HPP
#define WAVESCAN_IMPL_INTEGRALHISTOGRAM_WAVEFRONT_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_Rectangle.hpp>
#include <WaveScan_Wavefront.hpp>
#include <impl/WaveScan_IntegralHistogram_Problem.hpp>

#include <cstdint>

namespace wavescan {

/// @brief One bin of an integral histogram as a wavefront loop: A(i,j) = A(i,j-1) + A(i-1,j) -
/// A(i-1,j-1) + Q(i,j), where Q is 1 for pixels of the bin and 0 for others.
///
/// Source: Hou et al., IPDPS 2018, section IV.
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

namespace Impl {

/// @brief An integral histogram as the paper's wavefront loop, bin after bin, in the schedule asked
/// for.
template <ExecutionSpace Exec, class Pixel, class Binning, class Count>
class WavefrontHistogram {
 public:
  WavefrontHistogram(const Exec& exec, const HistogramExtents& extents,
                     const WavefrontOptions& options)
      : wavefront_(exec, extents.rows, extents.columns, options) {}

  void enqueue(const HistogramProblem<Pixel, Binning, Count>& problem) const {
    for (Index m = 0; m < problem.images; ++m) {
      const auto one = problem.of_image(m);
      for (Index bin = 0; bin < one.histogram.extents.bins; ++bin)
        wavefront_({one.image, one.binning, bin}, one.histogram.plane(bin));
    }
  }
  void throw_if_stuck() const { wavefront_.throw_if_stuck(); }

 private:
  Wavefront<Exec, IntegralHistogramLoop<Pixel, Binning, Count>> wavefront_;
};

}  // namespace Impl
}  // namespace wavescan

#endif
