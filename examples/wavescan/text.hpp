// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_TEXT_HPP
#define WAVESCAN_TOOL_TEXT_HPP

#include <cstdio>
#include <string>

namespace wavescan_tool {

/// @brief A number with a fixed count of decimals, "3.14".
inline std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

/// @brief A number in scientific notation, "3.14e-05".
inline std::string scientific(double value, int decimals = 2) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*e", decimals, value);
  return text;
}

/// @brief A duration in the unit that suits it, "1.25 s", "3.4 ms".
inline std::string duration(double seconds) {
  if (seconds >= 1) return fixed(seconds, 2) + " s";
  if (seconds >= 1e-3) return fixed(seconds * 1e3, 2) + " ms";
  return fixed(seconds * 1e6, 1) + " us";
}

inline std::string left_aligned(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

inline std::string right_aligned(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

}  // namespace wavescan_tool

#endif
