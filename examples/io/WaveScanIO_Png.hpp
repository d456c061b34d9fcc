// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCANIO_PNG_HPP
#define WAVESCANIO_PNG_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "WaveScanIO_File.hpp"

namespace wavescan_io {

/// @brief A gray image: `rows` x `columns` pixels, row after row, of 8 or 16 bits.
struct GrayImage {
  std::size_t rows = 0;
  std::size_t columns = 0;
  int bit_depth = 8;
  std::vector<std::uint16_t> pixels;

  int white() const { return (1 << bit_depth) - 1; }
};

/// @brief A colour image: `rows` x `columns` pixels of red, green, blue, 8 bits each.
struct ColorImage {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::uint8_t> pixels;
};

/// @brief The most pixels of an image that is read, so that 32 bits with a sign count them.
inline constexpr std::size_t max_pixels = (std::size_t{1} << 31) - 1;

/// @brief Reads a PNG file as gray.
///
/// Gray images keep their values exactly (1, 2 and 4 bits are widened to 8); colours become the
/// luma of ITU-R BT.601, 0.299 red + 0.587 green + 0.114 blue; transparency is ignored.
///
/// Images have at most max_pixels pixels and 2^32 bytes of samples (as stored, in channels of 8 or
/// 16 bits); larger ones are refused before memory is asked for. Memory: those samples, and two
/// bytes for each pixel.
/// @throws FileError if the file is not a PNG image, is damaged, cut off or too large
GrayImage read_png(const std::filesystem::path& file);

/// @brief Reads a PNG file channel by channel: gray, or red, green and blue. The rest is as above.
std::vector<GrayImage> read_png_channels(const std::filesystem::path& file);

/// @brief Writes a gray image with its bit depth.
/// @throws std::invalid_argument if an image has no pixels, more than 2^20 rows or columns, or not
/// as many pixels as they say; std::runtime_error if the file cannot be written
void write_png(const OutputFile& file, const GrayImage& image);

/// @brief Writes a colour image.
void write_png(const OutputFile& file, const ColorImage& image);

/// @brief Writes an image of one channel, gray, or of three, red, green and blue, with their bit
/// depth.
/// @throws as above, and std::invalid_argument if channels differ in size or bit depth
void write_png_channels(const OutputFile& file, const std::vector<GrayImage>& channels);

}  // namespace wavescan_io

#endif
