// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_BINBYBIN_HPP
#define WAVESCAN_PERF_BINBYBIN_HPP

#include <Kokkos_Core.hpp>
#include <WaveScan_ImageLoops.hpp>
#include <WaveScan_Wavefront.hpp>

#include <cstdint>

namespace wavescan::Perf {

/// @brief An integral histogram by the paper's wavefront loop, one bin after the other.
template <class Exec, class Pixel, class Binning, class Count>
class BinByBin {
 public:
  BinByBin(const Exec& exec, std::int64_t rows, std::int64_t columns, Schedule schedule)
      : wavefront_(exec, rows, columns, {.schedule = schedule}) {}

  template <class Image, class Histogram>
  void operator()(const Image& image, const Binning& binning, const Histogram& histogram) const {
    const typename Image::const_type pixels = image;
    for (std::size_t bin = 0; bin < histogram.extent(0); ++bin)
      wavefront_({grid_of(pixels), binning, static_cast<std::int64_t>(bin)},
                 grid_of(Kokkos::subview(histogram, bin, Kokkos::ALL, Kokkos::ALL)));
  }

 private:
  Wavefront<Exec, IntegralHistogramLoop<Pixel, Binning, Count>> wavefront_;
};

}  // namespace wavescan::Perf

#endif
