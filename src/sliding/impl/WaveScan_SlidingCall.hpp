// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SLIDINGCALL_HPP
#define WAVESCAN_IMPL_SLIDINGCALL_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SlidingInputs.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

/// @file
/// @brief Labels and instances in front of the arguments of free functions, both of which may be
/// left out.

namespace wavescan::Impl {

template <class T>
inline constexpr bool is_sliding_argument = AnyView<T>;
template <class F>
inline constexpr bool is_sliding_argument<ComputedInput<F, 1>> = true;
template <class... Views>
inline constexpr bool is_sliding_argument<ZippedViews<Views...>> = true;

/// @brief Something of Kokkos, or of this library, among the arguments.
template <class... Args>
concept SlidingArguments = (false || ... || (is_sliding_argument<Args> || ExecutionSpace<Args>));

template <AnyView V>
typename V::execution_space space_of(const V&) {
  return {};
}
template <class F>
Kokkos::DefaultExecutionSpace space_of(const ComputedInput<F, 1>&) {
  return {};
}
template <class... Views>
auto space_of(const ZippedViews<Views...>& zipped) {
  constexpr bool views[] = {AnyView<Views>...};
  constexpr std::size_t first = std::find(views, views + sizeof...(Views), true) - views;
  return space_of(std::get<first % sizeof...(Views)>(zipped.views));
}

/// @brief Calls Call::run(label, exec, args...).
template <class Call, class First, class... Rest>
auto call_sliding(const std::string& label, const First& first, const Rest&... rest) {
  if constexpr (std::convertible_to<const First&, std::string>)
    return call_sliding<Call>(first, rest...);
  else if constexpr (ExecutionSpace<First>)
    return Call::run(label, first, rest...);
  else
    return Call::run(label, space_of(first), first, rest...);
}

}  // namespace wavescan::Impl

#endif
