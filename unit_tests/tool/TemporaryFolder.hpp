// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_TEMPORARY_FOLDER_HPP
#define WAVESCAN_TEST_TEMPORARY_FOLDER_HPP

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "WaveScanIO_Error.hpp"

/// @brief A test with a folder of its own, removed at the end.
class TemporaryFolder : public testing::Test {
 protected:
  TemporaryFolder()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("wavescan-" + std::to_string(std::random_device{}()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TemporaryFolder() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  std::filesystem::path file(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::size_t files_in_folder() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++count;
    return count;
  }

 private:
  std::filesystem::path folder_;
};

/// @brief Expects a FileError that names the file and says `what`.
template <class Action>
void expect_file_error(const Action& action, const std::filesystem::path& file,
                       const std::string& what) {
  try {
    action();
    FAIL() << "expected a FileError about " << file;
  } catch (const wavescan_io::FileError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
    EXPECT_NE(message.find(what), std::string::npos) << message;
  }
}

#endif
