// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_ALIGNMENT_TEXT_HPP
#define WAVESCAN_TOOL_ALIGNMENT_TEXT_HPP

#include <WaveScan_Alignment.hpp>
#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "text.hpp"
#include "views.hpp"

namespace wavescan_tool {

inline DeviceVector<char> to_device(const std::string& label, const std::string& letters) {
  return to_device(label, std::vector<char>(letters.begin(), letters.end()));
}

/// @brief What an alignment has found, without the CIGAR.
inline nlohmann::ordered_json to_json(const wavescan::Alignment& alignment) {
  return {{"score", alignment.score},     {"begin_a", alignment.begin_a},
          {"end_a", alignment.end_a},     {"begin_b", alignment.begin_b},
          {"end_b", alignment.end_b},     {"columns", alignment.length()},
          {"matches", alignment.matches}, {"mismatches", alignment.mismatches},
          {"gaps", alignment.gaps},       {"identity", alignment.identity()}};
}

/// @brief The same for people, positions counted from 1.
inline std::string summary(const wavescan::Alignment& alignment) {
  if (alignment.empty()) return "no similarity found";
  const auto stretch = [](std::int64_t begin, std::int64_t end) {
    return std::to_string(begin + 1) + ".." + std::to_string(end);
  };
  return "score " + std::to_string(alignment.score) + ", identity " +
         fixed(100 * alignment.identity(), 1) + " % of " + std::to_string(alignment.length()) +
         " columns, a " + stretch(alignment.begin_a, alignment.end_a) + ", b " +
         stretch(alignment.begin_b, alignment.end_b);
}

/// @brief A text of at most `length` characters, cut in the middle.
inline std::string shortened(const std::string& text, std::size_t length) {
  if (text.size() <= length) return text;
  const std::size_t half = (length - 5) / 2;
  return text.substr(0, half) + " ... " + text.substr(text.size() - half);
}

/// @brief The first lines of a text, indented.
inline std::string first_lines(std::string_view text, int count, std::string_view indent) {
  std::string result;
  for (int line = 0; line < count && !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    if (line > 0) result += '\n';
    if (end > 0) result.append(indent).append(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace wavescan_tool

#endif
