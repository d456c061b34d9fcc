// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SAT_WAVEFRONT_HPP
#define WAVESCAN_IMPL_SAT_WAVEFRONT_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_Rectangle.hpp>
#include <WaveScan_Wavefront.hpp>

#include <cstdint>

namespace wavescan {

/// @brief The summed-area table as a wavefront loop: A(i,j) = p(i,j) + A(i,j-1) + A(i-1,j) -
/// A(i-1,j-1).
///
/// Accumulation and distribution are both +, and the weight b0 is 0. The subtraction is harmless to
/// the compensation, because row i-1 is complete before row i starts. Source: Hou et al., IPDPS
/// 2018, section IV.
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

namespace Impl::sat {

/// @brief A summed-area table as the paper's wavefront loop, in the schedule asked for.
template <ExecutionSpace Exec, class Pixel, class T>
class WavefrontTable {
 public:
  WavefrontTable(const Exec& exec, Index rows, Index columns, const WavefrontOptions& options)
      : wavefront_(exec, rows, columns, options) {}

  void operator()(const Grid<const Pixel>& image, const Grid<T>& table) const {
    wavefront_({image}, table);
  }
  void throw_if_stuck() const { wavefront_.throw_if_stuck(); }

 private:
  Wavefront<Exec, SummedAreaTableLoop<Pixel, T>> wavefront_;
};

}  // namespace Impl::sat
}  // namespace wavescan

#endif
