// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_REGIONS_HPP
#define WAVESCAN_TOOL_REGIONS_HPP

#include <WaveScanIO_Png.hpp>
#include <WaveScan_Rectangle.hpp>
#include <WaveScan_Schedule.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "canvas.hpp"

// Histograms of rectangles of an image.
namespace wavescan_tool {

/// @brief "r0,c0,r1,c1": rows [r0, r1) and columns [c0, c1).
std::string to_string(const wavescan::Rectangle& region);

/// @brief The most bins that a histogram can have.
inline constexpr int most_bins = 32767;

/// @brief Counts of pixels, bin after bin of one region, region after region. The bins divide all
/// gray levels of the image evenly; there are at most most_bins. Pixels of few regions are counted,
/// histograms of many come from an integral histogram.
std::vector<std::int64_t> region_histograms(const wavescan_io::GrayImage& image, int bins,
                                            const std::vector<wavescan::Rectangle>& regions);

/// @brief The image with its regions framed, and the share of the pixels of each in each bin.
Canvas draw_regions(const wavescan_io::GrayImage& image, int bins,
                    const std::vector<wavescan::Rectangle>& regions,
                    const std::vector<std::int64_t>& counts);

}  // namespace wavescan_tool

#endif
