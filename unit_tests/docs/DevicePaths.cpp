// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <fstream>
#include <impl/WaveScan_DevicePaths.hpp>
#include <sstream>
#include <string>
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

std::string table() {
  std::string text = "| |";
  for (const Column& column : columns) text += " " + column.name + " |";
  text += "\n|---|";
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& [operation, name] : operation_names) {
    text += std::string("| ") + name + " |";
    for (const Column& column : columns)
      text += std::string(" ") + to_string(device_path(operation, column.devices.front())) + " |";
    text += "\n";
  }
  return text;
}

TEST(DevicePaths, DevicesOfAColumnAreTreatedAlike) {
  for (const auto& [operation, name] : operation_names)
    for (const Column& column : columns)
      for (const DeviceKind& device : column.devices)
        EXPECT_EQ(device_path(operation, device), device_path(operation, column.devices.front()))
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
