// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCANIO_WAV_HPP
#define WAVESCANIO_WAV_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "WaveScanIO_File.hpp"

namespace wavescan_io {

/// @brief Sound: samples of channels side by side, from -1 to 1.
struct Sound {
  /// @brief How samples are stored in a file.
  enum class Format { Integer16, Integer24, Integer32, Float32 };

  std::uint32_t rate = 44100;  ///< samples of a channel in a second
  std::size_t channels = 1;
  Format format = Format::Integer16;
  std::vector<double> samples;  ///< (time, channel)

  std::size_t length() const { return channels == 0 ? 0 : samples.size() / channels; }
};

/// @brief Reads a .wav file: PCM of 16, 24 or 32 bits, or floating point of 32 bits.
///
/// Programs that write into a pipe do not know how long the sound will be, and leave a length of 0,
/// or one near 2 or 4 GiB: samples then reach to the end of the file. A sound of length 0 with
/// whole chunks behind it is an empty one.
/// @throws FileError for anything else, a damaged file, or a header that contradicts itself
Sound read_wav(const std::filesystem::path& file);

/// @brief Writes a .wav file of the sound's format. What lies beyond its range is clipped; NaN
/// becomes silence.
/// @throws std::invalid_argument if the sound is longer than such a file can be (4 GiB)
void write_wav(const OutputFile& file, const Sound& sound);

}  // namespace wavescan_io

#endif
