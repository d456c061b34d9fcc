// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "text.hpp"

namespace wavescan_tool {
namespace {

constexpr std::chrono::milliseconds redraw_interval{100};
constexpr const char* erase_line = "\r\x1b[K";

}  // namespace

Progress::Progress(std::string title)
    : title_(std::move(title)), is_terminal_(isatty(STDERR_FILENO) == 1), next_(clock::now()) {}

Progress::~Progress() {
  if (is_terminal_) std::cerr << erase_line << std::flush;
}

void Progress::update(double fraction, const std::string& note) {
  const auto now = clock::now();
  if (!is_terminal_ || now < next_) return;
  fraction = fraction > 0 ? std::min(fraction, 1.0) : 0;  // NaN: nothing is known
  const std::string percent = right_aligned(fixed(100 * fraction, 0), 3) + " %  " + note;
  constexpr int width = 30;
  const int full = static_cast<int>(fraction * width);
  std::cerr << erase_line << title_ << " [" << std::string(static_cast<std::size_t>(full), '#')
            << std::string(static_cast<std::size_t>(width - full), '.') << "] " << percent
            << std::flush;
  next_ = now + redraw_interval;
}

}  // namespace wavescan_tool
