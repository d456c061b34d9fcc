// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_NUMBERS_HPP
#define WAVESCAN_TOOL_NUMBERS_HPP

#include <WaveScanIO_Npy.hpp>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

// The numbers of the command line: all of them are read here.
namespace wavescan_tool {

/// @brief The number that a text is; none if it is no number or T does not hold it. Whole numbers
/// are decimal, whatever zeros they begin with; others may be nan and inf.
template <class T>
std::optional<T> number_of(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// @brief Which numbers an option takes: from `least` to `most`, or only those between them.
template <class T>
struct Limits {
  T least = std::numeric_limits<T>::lowest(), most = std::numeric_limits<T>::max();
  bool between = false;

  bool hold(T value) const {
    return between ? value > least && value < most : value >= least && value <= most;
  }
  std::string to_string() const {
    std::ostringstream text;
    text << (std::integral<T> ? "a whole number" : "a number");
    const bool has_least = least > std::numeric_limits<T>::lowest(),
               has_most = most < std::numeric_limits<T>::max();
    if (between)
      text << " greater than " << least;
    else if (has_least)
      text << (has_most ? " from " : " of at least ") << least;
    if (has_most)
      text << (between ? " and less than " : has_least ? " to " : " of at most ") << most;
    return text.str();
  }
};

template <class T>
Limits<T> at_least(T least) {
  return {.least = least};
}
inline constexpr Limits<double> positive{.least = 0, .between = true};
inline constexpr Limits<double> relaxation_factors{.least = 0, .most = 2, .between = true};

/// @brief The value of an option that has the type of an array's elements.
/// @throws std::invalid_argument if that type does not hold it
template <class T>
T value_of(const std::string& option, const std::string& text, const wavescan_io::NpyArray& array) {
  const auto value = number_of<T>(text);
  if (!value || (array.is_bool && *value > 1))
    throw std::invalid_argument(option + ": must be a number that " + array.type_name() +
                                " holds, as the array does, got " + text);
  return *value;
}

/// @brief What stands between separators, which may be nothing.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  return parts;
}

/// @brief Numbers with commas between them.
/// @throws std::invalid_argument that names the option
template <class T>
std::vector<T> numbers_of(const std::string& option, const std::string& text) {
  std::vector<T> numbers;
  for (const std::string& part : split(text, ',')) {
    const auto number = number_of<T>(part);
    if (!number)
      throw std::invalid_argument(option + ": expected " + Limits<T>{}.to_string() +
                                  " between commas, got '" + part + "' in '" + text + "'");
    numbers.push_back(*number);
  }
  return numbers;
}

/// @brief Rows and columns from "200" or "200x300".
/// @throws std::invalid_argument that names the option
inline std::pair<std::size_t, std::size_t> parse_size(const std::string& option,
                                                      const std::string& text,
                                                      std::size_t most = 1u << 16) {
  const auto parts = split(text, 'x');
  const auto m = number_of<std::size_t>(parts.front()), n = number_of<std::size_t>(parts.back());
  if (parts.size() > 2 || !m || !n || *m < 1 || *n < 1 || *m > most || *n > most)
    throw std::invalid_argument(option + ": expected N or MxN from 1 to " + std::to_string(most) +
                                ", got " + text);
  return {*m, *n};
}

}  // namespace wavescan_tool

#endif
