// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_REQUIRE_HPP
#define WAVESCAN_IMPL_REQUIRE_HPP

#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Compiler.hpp>

#include <concepts>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace wavescan::Impl {

/// @brief Throws the library's one kind of precondition error.
///
/// The message reads "WaveScan::<operation>: argument '<argument>' <expectation>, got <actual>".
/// The operation is the one that the user called, where it has said so (see Calling).
[[noreturn]] WAVESCAN_SELDOM inline void reject(std::string_view operation,
                                                std::string_view argument,
                                                std::string_view expectation,
                                                std::string_view actual) {
  std::string message("WaveScan::");
  message.append(Calling::operation(operation))
      .append(": argument '")
      .append(argument)
      .append("' ");
  message.append(expectation).append(", got ").append(actual);
  throw std::invalid_argument(message);
}

/// @brief A value as error messages show it, or what a function returns that is asked for it then.
template <class Value>
WAVESCAN_SELDOM std::string text_of(const Value& value) {
  if constexpr (std::invocable<const Value&>) {
    return text_of(value());
  } else if constexpr (std::convertible_to<const Value&, std::string_view>) {
    return std::string(std::string_view(value));
  } else {
    std::ostringstream text;
    text.precision(17);
    text << value;
    return text.str();
  }
}

/// @brief Throws std::invalid_argument unless `holds`; nothing is formatted when it does, if texts
/// that must be put together are given as functions.
template <class Expectation, class Actual>
void require(bool holds, std::string_view operation, std::string_view argument,
             const Expectation& expectation, const Actual& actual) {
  if (!holds) reject(operation, argument, text_of(expectation), text_of(actual));
}

}  // namespace wavescan::Impl

#endif
