// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_DITHERING_HPP
#define WAVESCAN_TOOL_DITHERING_HPP

#include <WaveScanIO_Png.hpp>
#include <WaveScan_Schedule.hpp>
#include <cstdint>
#include <vector>

namespace wavescan_tool {

/// @brief An image with few levels, evenly spaced from black to white, and how it was computed.
struct Dithered {
  wavescan_io::GrayImage image;
  wavescan::Schedule schedule;
};

/// @brief The pixels of an image, in which the levels it is to get are 2^FloydSteinberg::bits
/// apart.
std::vector<std::int32_t> scaled(const wavescan_io::GrayImage& image, int levels);

/// @brief Error diffusion by Floyd and Steinberg.
/// @param levels 2 to 256
Dithered dither(const wavescan_io::GrayImage& image, int levels, wavescan::Schedule schedule);

/// @brief Each pixel's nearest level, for comparison.
wavescan_io::GrayImage nearest_levels(const wavescan_io::GrayImage& image, int levels);

}  // namespace wavescan_tool

#endif
