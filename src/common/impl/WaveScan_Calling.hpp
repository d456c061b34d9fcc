// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_CALLING_HPP
#define WAVESCAN_IMPL_CALLING_HPP

#include <WaveScan_Concepts.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>

/// @file
/// @brief The name of the called operation, and calls with or without a label and an instance.

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

  /// @brief The operation that the user called; `found_by` itself where no function said so.
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

/// @brief The first argument of the overload of a public function whose call begins with a label,
/// or lacks the instance.
template <class T>
concept LabelOrInput = !ExecutionSpace<T> && (std::convertible_to<const T&, std::string> ||
                                              requires { typename T::execution_space; });

/// @brief Functions that by default take the space of the first argument.
struct TakesFirstSpace {
  static constexpr std::size_t space_argument = 0;
};

/// @brief Completes a call of a public function with [label,] [instance,] others...: calls
/// function.run(label, instance, others...).
/// @tparam Function its `space_argument` says which of the others has the space whose default
///                  instance is taken where there is none
template <class Function, class First, class... Rest>
auto call_labelled(const Function& function, const std::string& label, const First& first,
                   const Rest&... rest) {
  if constexpr (ExecutionSpace<First>) {
    return function.run(label, first, rest...);
  } else {
    constexpr bool is_complete = sizeof...(Rest) >= Function::space_argument;
    static_assert(is_complete, "WaveScan: arguments are missing after the label and the instance");
    if constexpr (is_complete) {
      using Given = std::tuple_element_t<Function::space_argument, std::tuple<First, Rest...>>;
      return function.run(label, typename Given::execution_space(), first, rest...);
    }
  }
}
template <class Function, class First, class... Rest>
auto call_as(std::string_view operation, const Function& function, const First& first,
             const Rest&... rest) {
  const Calling calling(operation);
  if constexpr (std::convertible_to<const First&, std::string>)
    return call_labelled(function, first, rest...);
  else
    return call_labelled(function, {}, first, rest...);
}
template <class Function, class... Args>
auto call(const Args&... args) {
  return call_as(Function::name, Function(), args...);
}

}  // namespace wavescan::Impl

#endif
