// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_THRESHOLDING_HPP
#define WAVESCAN_TOOL_THRESHOLDING_HPP

#include <WaveScanIO_Png.hpp>
#include <cstdint>

// Images of two levels, 0 and 255.
namespace wavescan_tool {

/// @brief Which pixels Bradley's method looks for.
enum class Objects {
  Dark,   ///< darker than their surroundings, to become black on white: writing on paper
  Bright  ///< brighter than their surroundings, to become white on black
};

struct BradleyOptions {
  std::int64_t radius;     ///< of the window whose mean a pixel is compared with
  double fraction = 0.15;  ///< by how much it must differ from that mean
  Objects objects = Objects::Dark;
};

/// @brief A window of an eighth of the image's width, as Bradley and Roth recommend.
std::int64_t usual_radius(const wavescan_io::GrayImage& image);

/// @brief Compares each pixel with the mean around it, from a summed-area table.
wavescan_io::GrayImage threshold_locally(const wavescan_io::GrayImage& image,
                                         const BradleyOptions& options);

/// @brief The gray level that divides an image into two classes of the least variance.
/// Source: N. Otsu, "A Threshold Selection Method from Gray-Level Histograms", 1979.
int otsu_level(const wavescan_io::GrayImage& image);

/// @brief White where a pixel is brighter than the level.
wavescan_io::GrayImage threshold_globally(const wavescan_io::GrayImage& image, int level);

}  // namespace wavescan_tool

#endif
