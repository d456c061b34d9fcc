// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCANIO_GZIP_HPP
#define WAVESCANIO_GZIP_HPP

#include <filesystem>
#include <string>

namespace wavescan_io {

/// @brief What was compressed by gzip (also in several parts, one behind the other, as bgzip does),
/// or the bytes themselves if they were not.
/// @param file whose bytes they are: errors name it
/// @throws FileError if compressed bytes are damaged or cut off, or if zlib is not there
std::string gunzipped(const std::filesystem::path& file, std::string bytes);

}  // namespace wavescan_io

#endif
