// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_SIZES_HPP
#define WAVESCAN_TOOL_SIZES_HPP

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace wavescan_tool {

/// @brief Rows and columns from "200" or "200x300".
/// @throws std::invalid_argument that names the option
inline std::pair<std::size_t, std::size_t> parse_size(const std::string& option,
                                                      const std::string& text,
                                                      std::size_t most = 1u << 16) {
  std::size_t m = 0, n = 0;
  const char* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, m);
  n = m;
  if (parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == 'x')
    parsed = std::from_chars(parsed.ptr + 1, end, n);
  if (parsed.ec != std::errc{} || parsed.ptr != end || m < 1 || n < 1 || m > most || n > most)
    throw std::invalid_argument(option + ": expected N or MxN from 1 to " + std::to_string(most) +
                                ", got " + text);
  return {m, n};
}

}  // namespace wavescan_tool

#endif
