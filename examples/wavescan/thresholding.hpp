// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_THRESHOLDING_HPP
#define WAVESCAN_TOOL_THRESHOLDING_HPP

#include <WaveScanIO_Png.hpp>
#include <cstdint>

// Images of two levels, 0 and 255.
namespace wavescan_tool {

/// @brief Which pixels are looked for.
enum class Objects {
  Dark,   ///< darker than their surroundings, to become black on white: writing on paper
  Bright  ///< brighter than their surroundings, to become white on black
};

/// @brief With what a pixel is compared.
enum class LocalMethod {
  Bradley,  ///< a fraction of the mean around it
  Sauvola   ///< the mean around it, less the smaller the deviation is
};

struct LocalOptions {
  std::int64_t radius;  ///< of the window around a pixel
  LocalMethod method = LocalMethod::Bradley;
  double fraction = 0.15;  ///< by how much it must differ from the mean (Bradley)
  double k = 0.5;          ///< weight of the deviation (Sauvola)
  Objects objects = Objects::Dark;
};

/// @brief A window of an eighth of the image's width, as Bradley and Roth recommend.
std::int64_t usual_radius(const wavescan_io::GrayImage& image);

/// @brief Compares each pixel with those around it, by summed-area tables.
wavescan_io::GrayImage threshold_locally(const wavescan_io::GrayImage& image,
                                         const LocalOptions& options);

/// @brief The gray level that divides an image into two classes of the least variance.
/// Source: N. Otsu, "A Threshold Selection Method from Gray-Level Histograms", 1979.
int otsu_level(const wavescan_io::GrayImage& image);

/// @brief White where a pixel is brighter than the level.
wavescan_io::GrayImage threshold_globally(const wavescan_io::GrayImage& image, int level);

}  // namespace wavescan_tool

#endif
