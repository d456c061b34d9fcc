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
template <class Exec, class Image, class Binning, class Histogram>
void bin_by_bin(const Exec& exec, const Image& image, const Binning& binning,
                const Histogram& histogram, Schedule schedule) {
  using Loop = IntegralHistogramLoop<typename Image::non_const_value_type, Binning,
                                     typename Histogram::value_type>;
  const typename Image::const_type pixels = image;
  for (std::size_t bin = 0; bin < histogram.extent(0); ++bin)
    wavefront(exec, Loop{grid_of(pixels), binning, static_cast<std::int64_t>(bin)},
              Kokkos::subview(histogram, bin, Kokkos::ALL, Kokkos::ALL), {.schedule = schedule});
}

}  // namespace wavescan::Perf

#endif
