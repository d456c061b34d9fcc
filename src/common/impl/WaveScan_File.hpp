// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILE_HPP
#define WAVESCAN_IMPL_FILE_HPP

#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

/// @file
/// @brief Files by C's functions: compilers read <fstream> and <filesystem> for long.

namespace wavescan::Impl {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// @brief All bytes of a file, or nothing if it cannot be read.
/// @param absent becomes true if there is no such file
inline std::optional<std::string> read_file(const std::string& name, bool* absent = nullptr) {
  const File file(std::fopen(name.c_str(), "rb"));
  if (absent != nullptr) *absent = !file && (errno == ENOENT || errno == ENOTDIR);
  if (!file) return std::nullopt;
  std::string bytes;
  char some[1 << 12];
  while (const std::size_t count = std::fread(some, 1, sizeof some, file.get()))
    bytes.append(some, count);
  if (std::ferror(file.get()) != 0) return std::nullopt;
  return bytes;
}

/// @brief Gives a file the name of another one, which goes. False if that fails.
inline bool replace_file(const std::string& file, const std::string& other) {
  const auto rename = [&] { return std::rename(file.c_str(), other.c_str()) == 0; };
  return rename() || (std::remove(other.c_str()) == 0 && rename());  // where names must be free
}

}  // namespace wavescan::Impl

#endif
