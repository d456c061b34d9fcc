// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_CALLING_HPP
#define WAVESCAN_IMPL_CALLING_HPP

#include <string_view>

namespace wavescan::Impl {

/// @brief While one lives, errors of this thread name the operation that the user called, not the
/// plan or the other operation that found them.
///
/// A public function that is made of plans or of other public functions begins with one; where
/// such functions call each other, the outermost counts. The name must be a literal.
class Calling {
 public:
  explicit Calling(std::string_view operation) noexcept : outer_(current()) {
    if (outer_.empty()) current() = operation;
  }
  ~Calling() { current() = outer_; }
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;

  /// @brief What the user called; `found_by` itself where no function said so.
  static std::string_view operation(std::string_view found_by) noexcept {
    return current().empty() ? found_by : current();
  }

 private:
  static std::string_view& current() noexcept {
    thread_local std::string_view name;
    return name;
  }

  std::string_view outer_;
};

}  // namespace wavescan::Impl

#endif
