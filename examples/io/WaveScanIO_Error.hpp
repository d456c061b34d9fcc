// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCANIO_ERROR_HPP
#define WAVESCANIO_ERROR_HPP

#include <filesystem>
#include <stdexcept>
#include <string>

namespace wavescan_io {

/// @brief A file that cannot be read, is not what it should be, or cannot be written where asked:
/// something the caller of a program can put right. The message begins with the file's name; "-"
/// is standard input.
class FileError : public std::runtime_error {
 public:
  FileError(const std::filesystem::path& file, const std::string& what)
      : std::runtime_error((file == "-" ? "standard input" : file.string()) + ": " + what) {}
};

}  // namespace wavescan_io

#endif
