// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TEST_ERRORS_HPP
#define WAVESCAN_TEST_ERRORS_HPP

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace wavescan::Test {

/// @brief The message of the std::invalid_argument that `call()` throws.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// @brief Whether `call()` rejects `argument` of `operation`; the message must tell both.
template <class Call>
testing::AssertionResult rejects(const std::string& operation, const std::string& argument,
                                 const Call& call) {
  const std::string message = error_of(call);
  const std::string start = "WaveScan::" + operation + ": argument '" + argument + "' must ";
  if (message.starts_with(start) && message.find(", got ") != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected \"" << start << "...\", got \"" << message << '"';
}

}  // namespace wavescan::Test

#endif
