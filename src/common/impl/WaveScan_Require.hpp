// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_REQUIRE_HPP
#define WAVESCAN_IMPL_REQUIRE_HPP

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace wavescan::Impl {

/// @brief Throws the library's one kind of precondition error.
///
/// The message reads "WaveScan::<operation>: argument '<argument>' <expectation>, got <actual>".
template <class Actual>
[[noreturn]] void reject(std::string_view operation, std::string_view argument,
                         std::string_view expectation, const Actual& actual) {
  std::ostringstream message;
  message.precision(17);
  message << "WaveScan::" << operation << ": argument '" << argument << "' " << expectation
          << ", got " << actual;
  throw std::invalid_argument(message.str());
}

/// @brief Throws std::invalid_argument unless `holds`; nothing is formatted when it does.
template <class Actual>
void require(bool holds, std::string_view operation, std::string_view argument,
             std::string_view expectation, const Actual& actual) {
  if (!holds) reject(operation, argument, expectation, actual);
}

/// @brief The extents of a View as text, "3 x 4", for error messages.
template <class ViewType>
std::string extents_of(const ViewType& view) {
  std::ostringstream text;
  for (int r = 0; r < static_cast<int>(ViewType::rank()); ++r)
    text << (r == 0 ? "" : " x ") << view.extent(r);
  return ViewType::rank() == 0 ? "a single element" : text.str();
}

/// @brief Requires two Views of one rank to have the same extents.
template <class ViewType, class Reference>
void require_same_extents(std::string_view operation, std::string_view argument,
                          const ViewType& view, std::string_view reference_name,
                          const Reference& reference) {
  static_assert(ViewType::rank() == Reference::rank(), "Views of the same rank are needed here");
  bool same = true;
  for (int r = 0; r < static_cast<int>(ViewType::rank()); ++r)
    same &= view.extent(r) == reference.extent(r);
  if (same) return;
  reject(operation, argument,
         "must have the extents of '" + std::string(reference_name) + "' (" +
             extents_of(reference) + ")",
         extents_of(view));
}

/// @brief Requires a View to have at least the extents of another one of its rank.
template <class ViewType, class Reference>
void require_extents_of(std::string_view operation, std::string_view argument, const ViewType& view,
                        std::string_view reference_name, const Reference& reference) {
  static_assert(ViewType::rank() == Reference::rank(), "Views of the same rank are needed here");
  bool covered = true;
  for (int r = 0; r < static_cast<int>(ViewType::rank()); ++r)
    covered &= view.extent(r) >= reference.extent(r);
  if (covered) return;
  reject(operation, argument,
         "must have at least the extents of '" + std::string(reference_name) + "' (" +
             extents_of(reference) + ")",
         extents_of(view));
}

}  // namespace wavescan::Impl

#endif
