// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <impl/sat/gpu/WaveScan_TableSchemes.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// The page on the design of images says which scheme computes which sizes on GPUs.

namespace {

using namespace wavescan::Impl::sat;

std::string word(Scheme scheme) {
  switch (scheme) {
    case Scheme::Walk:
      return "walk";
    case Scheme::Resident:
      return "resident";
    case Scheme::Strips:
      return "strips";
    case Scheme::Tiles:
      return "tiles";
    case Scheme::TwoScans:
      break;
  }
  return "two scans";
}

const RowLayout unaligned{false, false, false, false, false};

struct Row {
  std::string name;
  TableShape shape;
  RowLayout layout = {};
};

const std::vector<Row> rows = {{"64 x 64", {1, 64, 64}},
                               {"1024 x 1024", {1, 1024, 1024}},
                               {"1080 x 1920", {1, 1080, 1920}},
                               {"2048 x 2048", {1, 2048, 2048}},
                               {"4096 x 4096", {1, 4096, 4096}},
                               {"16384 x 16384", {1, 16384, 16384}},
                               {"64 x 2^22", {1, 64, 1 << 22}},
                               {"2^22 x 64", {1, 1 << 22, 64}},
                               {"5·10^5 x 512", {1, 500000, 512}},
                               {"1 x 2^20", {1, 1, 1 << 20}},
                               {"1024 x 1024, not aligned", {1, 1024, 1024}, unaligned},
                               {"4096 x 4096, not aligned", {1, 4096, 4096}, unaligned},
                               {"256 of 256 x 256", {256, 256, 256}},
                               {"256 of 256 x 256, not aligned", {256, 256, 256}, unaligned},
                               {"8 of 1024 x 1024", {8, 1024, 1024}},
                               {"32 of 1024 x 1024", {32, 1024, 1024}},
                               {"64 of 1024 x 1024", {64, 1024, 1024}},
                               {"20 of 1080 x 1920", {20, 1080, 1920}},
                               {"16 of 4096 x 4096", {16, 4096, 4096}}};

template <class Types>
std::string cell(const Row& row) {
  constexpr int multiprocessors = 132;
  return " " + word(select_scheme<Types>(row.shape, row.layout, multiprocessors)) + " |";
}

std::string table() {
  std::string text =
      "| | float | double | uint8 to uint32 | squares of uint8 to uint64 "
      "|\n|---|---|---|---|---|\n";
  for (const Row& row : rows)
    text += "| " + row.name + " |" + cell<TableTypes<float, float>>(row) +
            cell<TableTypes<double, double>>(row) +
            cell<TableTypes<std::uint8_t, std::uint32_t>>(row) +
            cell<TableTypes<std::uint8_t, std::uint64_t, true>>(row) + "\n";
  return text;
}

TEST(TableSchemes, ThePageSaysWhatTheCodeSelects) {
  std::ifstream file(WAVESCAN_TABLES_PAGE);
  ASSERT_TRUE(file) << WAVESCAN_TABLES_PAGE;
  std::ostringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find("\n\n" + table() + "\n"), std::string::npos)
      << WAVESCAN_TABLES_PAGE << " should have this table:\n\n"
      << table();
}

}  // namespace
