// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <gtest/gtest.h>

#include <fstream>
#include <impl/histogram/gpu/WaveScan_HistogramSchemes.hpp>
#include <sstream>
#include <string>
#include <vector>

// The page on the design of images has a table of the schemes of histograms that a GPU runs; the
// code asks a function.

namespace {

namespace histogram = wavescan::Impl::histogram;
using histogram::Order;
using histogram::Scheme;
using wavescan::Impl::Index;

const histogram::DeviceLimits h200{132, 227 * 1024};

std::string words(Scheme scheme) {
  return scheme == Scheme::Planar        ? "planar"
         : scheme == Scheme::SmallPlanar ? "small planar"
         : scheme == Scheme::Interleaved ? "interleaved"
                                         : "portable";
}

std::string table() {
  const std::vector<Index> columns = {8, 32, 256, 20000};
  std::string text = "| image |";
  for (const Index bins : columns) text += " " + std::to_string(bins) + " bins |";
  text += " 32 bins side by side | other strides |\n|---|---|---|---|---|---|---|\n";
  for (const auto& [rows, width] :
       std::vector<std::pair<Index, Index>>{{256, 256}, {1024, 1024}, {1080, 1920}}) {
    text += "| " + std::to_string(rows) + " x " + std::to_string(width) + " |";
    const auto add = [&, r = rows, c = width](Index bins, Order order) {
      text += " " +
              words(histogram::select_scheme({{bins, r, c}, 1, order, true, true}, h200).scheme) +
              " |";
    };
    for (const Index bins : columns) add(bins, Order::Planar);
    add(32, Order::Interleaved);
    add(32, Order::Other);
    text += "\n";
  }
  return text;
}

TEST(HistogramKernels, ThePageSaysWhatTheCodeSelects) {
  std::ifstream file(WAVESCAN_HISTOGRAM_PAGE);
  ASSERT_TRUE(file) << WAVESCAN_HISTOGRAM_PAGE;
  std::ostringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find("\n\n" + table() + "\n"), std::string::npos)
      << WAVESCAN_HISTOGRAM_PAGE << " should have this table:\n\n"
      << table();
}

}  // namespace
