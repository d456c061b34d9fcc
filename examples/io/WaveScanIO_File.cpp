// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScanIO_File.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <system_error>

#include "WaveScanIO_Error.hpp"

namespace wavescan_io {
namespace fs = std::filesystem;
namespace {

const fs::path standard_stream = "-";

// A name of its own, not one made of the target's: that may be as long as the system allows.
fs::path temporary_beside(const fs::path& target) {
  return target.parent_path() / (".wavescan-" + std::to_string(std::random_device{}()) + ".tmp");
}

std::string last_system_error() { return std::strerror(errno); }

// Whether this stands for a file that a process has opened: a link, whatever that is.
bool is_descriptor(const fs::path& place) {
  std::error_code ignored;
  return fs::weakly_canonical(place.parent_path(), ignored).string().starts_with("/proc/");
}

// Where a chain of symbolic links leads, whether or not a file is there.
fs::path link_target(const fs::path& path) {
  constexpr int most_links = 40;  // as Linux follows
  std::error_code ignored;
  fs::path place = path;
  for (int links = 0; fs::is_symlink(place, ignored) && !is_descriptor(place); ++links) {
    if (links == most_links) throw FileError(path, "is a symbolic link that leads nowhere");
    place = place.parent_path() / fs::read_symlink(place, ignored);
  }
  return place;
}

// Removes the temporary file unless it has become the target.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {
    stream_.open(path_, std::ios::binary);
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::ofstream& stream() { return stream_; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  std::ofstream stream_;
};

}  // namespace

std::string read_bytes(const fs::path& file) {
  const auto all_of = [&file](std::istream& stream) {
    std::string bytes(std::istreambuf_iterator<char>(stream), {});
    if (stream.bad()) throw FileError(file, "cannot be read to its end");
    return bytes;
  };
  if (file == standard_stream) return all_of(std::cin);
  std::error_code unreadable;  // opening it then fails and tells why
  if (fs::is_directory(file, unreadable)) throw FileError(file, "is a directory, not a file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw FileError(file, "cannot be read: " + last_system_error());
  return all_of(stream);
}

OutputFile::OutputFile(fs::path target) : target_(std::move(target)) {
  if (target_ == standard_stream) return;
  if (target_.filename().empty()) throw FileError(target_, "is not a file name");
  target_ = link_target(target_);
  std::error_code error;
  const auto status = fs::status(target_, error);
  if (!fs::status_known(status)) throw FileError(target_, "cannot be written: " + error.message());
  if (fs::is_directory(status)) throw FileError(target_, "is a directory, not a file");
  is_special_ = is_descriptor(target_) || (fs::exists(status) && !fs::is_regular_file(status));
  if (is_special_) return;
  errno = 0;
  TemporaryFile probe(temporary_beside(target_));
  if (!probe.stream()) throw FileError(target_, "cannot be written: " + last_system_error());
}

void OutputFile::write(const std::function<void(std::ostream&)>& writer) const {
  if (target_ == standard_stream) {
    writer(std::cout);
    if (!std::cout.flush())
      throw std::runtime_error("standard output: could not be written completely");
    return;
  }
  const auto finish = [this, &writer](std::ofstream& stream) {
    if (stream) writer(stream);
    stream.close();
    if (!stream) throw std::runtime_error(target_.string() + ": could not be written completely");
  };
  if (is_special_) {
    std::ofstream stream(target_, std::ios::binary);
    return finish(stream);
  }
  TemporaryFile temporary(temporary_beside(target_));
  finish(temporary.stream());
  std::error_code error;
  if (const auto old = fs::status(target_, error); fs::exists(old))
    fs::permissions(temporary.path(), old.permissions(), error);
  fs::rename(temporary.path(), target_, error);
  if (error) throw std::runtime_error(target_.string() + ": cannot be written: " + error.message());
}

}  // namespace wavescan_io
