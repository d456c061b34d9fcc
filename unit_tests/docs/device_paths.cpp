// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <fstream>
#include <impl/WaveScan_DevicePaths.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// The page on performance has a table of what runs on which device; the code chooses by functions.

namespace {

using namespace wavescan::Impl;

struct Column {
  std::string name;
  std::vector<DeviceKind> devices;  ///< all treated alike
};

const std::vector<Column> columns = {
    {"Pascal", {{Vendor::Nvidia, 60}, {Vendor::Nvidia, 61}}},
    {"Volta, Turing", {{Vendor::Nvidia, 70}, {Vendor::Nvidia, 75}}},
    {"Ampere, Ada", {{Vendor::Nvidia, 80}, {Vendor::Nvidia, 86}, {Vendor::Nvidia, 89}}},
    {"Hopper and newer", {{Vendor::Nvidia, 90}, {Vendor::Nvidia, 100}, {Vendor::Nvidia, 120}}},
    {"AMD", {{Vendor::Amd}}},
    {"Intel and others", {{Vendor::Other}}}};

const std::vector<std::pair<std::string, Operation>> rows = {
    {"scans, weighted or not", Operation::Scan},
    {"filters of signals", Operation::Filter},
    {"selections and partitions", Operation::Selection},
    {"moves of rows to another pitch", Operation::Padding},
    {"wavefronts, `RowSweep`", Operation::RowSweep},
    {"wavefronts, `TileCompensated`", Operation::TileCompensated},
    {"wavefronts, `TileSkewed`", Operation::TileSkewed},
    {"SOR, constant coefficients", Operation::ConstantSOR},
    {"SOR, variable coefficients", Operation::VariableSOR},
    {"solves by SOR, few points unknown", Operation::SparseSOR},
    {"SOR in three dimensions, constant coefficients", Operation::ConstantSOR3D},
    {"summed-area tables", Operation::SummedAreaTable},
    {"integral histograms", Operation::IntegralHistogram},
    {"alignments of many pairs", Operation::AlignmentBatch},
    {"filters of images", Operation::ImageFilter},
    {"alignments of two sequences", Operation::SmithWaterman}};

std::string words(DevicePath path) {
  switch (path) {
    case DevicePath::Portable:
      return "portable";
    case DevicePath::Warps:
      return "own";
    case DevicePath::AsyncCopies:
      return "own, async";
    case DevicePath::BulkCopies:
      return "own, bulk";
  }
  return "";
}

std::string table() {
  std::string text = "| |";
  for (const Column& column : columns) text += " " + column.name + " |";
  text += "\n|---|";
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& [name, operation] : rows) {
    text += "| " + name + " |";
    for (const Column& column : columns)
      text += " " + words(device_path(operation, column.devices.front())) + " |";
    text += "\n";
  }
  return text;
}

TEST(DevicePaths, DevicesOfAColumnAreTreatedAlike) {
  for (const auto& [name, operation] : rows)
    for (const Column& column : columns)
      for (const DeviceKind& device : column.devices)
        EXPECT_EQ(words(device_path(operation, device)),
                  words(device_path(operation, column.devices.front())))
            << name << " on " << column.name << ", capability " << device.capability;
}

TEST(DevicePaths, ThePageSaysWhatTheCodeChooses) {
  std::ifstream file(WAVESCAN_PERFORMANCE_PAGE);
  ASSERT_TRUE(file) << WAVESCAN_PERFORMANCE_PAGE;
  std::ostringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find("\n\n" + table() + "\n"), std::string::npos)
      << WAVESCAN_PERFORMANCE_PAGE << " should have this table:\n\n"
      << table();
}

}  // namespace
