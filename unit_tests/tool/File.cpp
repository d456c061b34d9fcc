// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "WaveScanIO_File.hpp"

#include <ostream>
#include <stdexcept>

#include "TemporaryFolder.hpp"

using namespace wavescan_io;
namespace fs = std::filesystem;

namespace {

class File : public TemporaryFolder {};

const auto write_new = [](std::ostream& stream) { stream << "new"; };

TEST_F(File, IsWrittenWholeAndLeavesNothingElse) {
  const OutputFile output(path("out.txt"));
  EXPECT_EQ(files_in_folder(), 0u);
  output.write(write_new);
  EXPECT_EQ(read_bytes(path("out.txt")), "new");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(File, ReplacesAnOlderOneAndKeepsItsPermissions) {
  file("out.txt", "old and longer");
  fs::permissions(path("out.txt"), fs::perms::owner_read | fs::perms::owner_write);
  OutputFile(path("out.txt")).write(write_new);
  EXPECT_EQ(read_bytes(path("out.txt")), "new");
  EXPECT_EQ(fs::status(path("out.txt")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(File, KeepsTheOlderOneIfWritingFails) {
  file("out.txt", "old");
  const OutputFile output(path("out.txt"));
  EXPECT_THROW(output.write([](std::ostream& stream) {
    stream << "half";
    throw std::runtime_error("no more");
  }),
               std::runtime_error);
  EXPECT_THROW(output.write([](std::ostream& stream) { stream.setstate(std::ios::failbit); }),
               std::runtime_error);
  EXPECT_EQ(read_bytes(path("out.txt")), "old");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(File, FollowsLinks) {
  file("target.txt", "old");
  fs::create_symlink(path("target.txt"), path("link.txt"));
  OutputFile(path("link.txt")).write(write_new);
  EXPECT_TRUE(fs::is_symlink(path("link.txt")));
  EXPECT_EQ(read_bytes(path("target.txt")), "new");
}

TEST_F(File, FollowsLinksToFilesThatDoNotExistYet) {
  fs::create_directory(path("folder"));
  fs::create_symlink("folder/target.txt", path("second.txt"));
  fs::create_symlink(path("second.txt"), path("first.txt"));
  OutputFile(path("first.txt")).write(write_new);
  EXPECT_TRUE(fs::is_symlink(path("first.txt")));
  EXPECT_EQ(read_bytes(path("folder") / "target.txt"), "new");
}

TEST_F(File, LinksInALoopAreFoundAtOnce) {
  fs::create_symlink(path("b"), path("a"));
  fs::create_symlink(path("a"), path("b"));
  expect_file_error([&] { OutputFile{path("a")}; }, path("a"), "leads nowhere");
  expect_file_error([&] { OutputFile{path("a") / "out.txt"}; }, path("a") / "out.txt",
                    "cannot be written");
  expect_file_error([&] { read_bytes(path("a")); }, path("a"), "cannot be read");
}

TEST_F(File, NamesMayBeLong) {
  const std::string long_name(245, 'n'), too_long(300, 'n');
  OutputFile(path(long_name)).write(write_new);
  EXPECT_EQ(read_bytes(path(long_name)), "new");
  expect_file_error([&] { OutputFile{path(too_long)}; }, path(too_long), "cannot be written");
  expect_file_error([&] { read_bytes(path(too_long)); }, path(too_long), "cannot be read");
}

TEST_F(File, WritesIntoDevices) {
  OutputFile("/dev/null").write(write_new);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(File, PlacesThatCannotBeWrittenAreFoundAtOnce) {
  const auto missing = path("missing") / "out.txt";
  expect_file_error([&] { OutputFile{missing}; }, missing, "cannot be written");
  fs::create_directory(path("folder"));
  expect_file_error([&] { OutputFile{path("folder")}; }, path("folder"), "is a directory");
  expect_file_error([&] { OutputFile{""}; }, "", "is not a file name");
}

TEST_F(File, FullDisksAreReported) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  EXPECT_THROW(OutputFile("/dev/full").write(write_new), std::runtime_error);
}

}  // namespace
