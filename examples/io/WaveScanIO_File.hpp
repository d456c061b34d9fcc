// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCANIO_FILE_HPP
#define WAVESCANIO_FILE_HPP

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

namespace wavescan_io {

/// @brief The whole content of a file or a pipe, or for the name "-" of standard input.
/// @throws FileError if it does not exist, is a directory or cannot be read
std::string read_bytes(const std::filesystem::path& file);

/// @brief A file that will be written later, all of it or nothing.
///
/// The constructor finds out whether the file can be written, so that a program learns it before a
/// long computation and not after. `write` writes to a temporary file beside the target and renames
/// it: a reader of the target sees the old content or the whole new one. Pipes, devices and files
/// that are open already (/dev/stdout, /dev/fd/3) are written directly, and for the name "-"
/// standard output.
class OutputFile {
 public:
  /// @throws FileError if no file can be created there
  explicit OutputFile(std::filesystem::path target);

  /// @brief Writes what `writer` puts into the stream.
  /// @throws std::runtime_error if that fails (a full disk), and then the target is as it was
  void write(const std::function<void(std::ostream&)>& writer) const;

  const std::filesystem::path& path() const { return target_; }

 private:
  std::filesystem::path target_;
  bool is_special_ = false;  // written directly, for it must not be replaced
};

}  // namespace wavescan_io

#endif
