// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_UNIQUE_HPP
#define WAVESCAN_UNIQUE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Select.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/select/WaveScan_SelectArguments.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

/// @file
/// @brief The first elements of runs of equal ones; plans are those of WaveScan_Select.hpp.

namespace wavescan {

namespace Impl::select {

/// @brief Sorts what follows the Views: an equality, a View for the count, both or neither.
template <class Use, class First = IsEqual, class Second = ReturnCount>
auto with_equality(const Use& use, const First& first = {}, const Second& second = {}) {
  if constexpr (AnyView<First>) {
    static_assert(std::same_as<Second, ReturnCount>,
                  "WaveScan: the equality comes before the View for the count");
    return use(IsEqual(), first);
  } else {
    return use(first, second);
  }
}

struct UniqueCall : TakesFirstSpace {
  static constexpr std::string_view name = "unique";
  template <ExecutionSpace Exec, class View, class... Rest>
  static auto run(const std::string& label, const Exec& exec, const View& view,
                  const Rest&... rest) {
    const auto plan = kept_plan_like<Selection<Exec>>(exec, views_of(view));
    return with_equality([&](const auto& equal,
                             const auto& count) { return plan->unique(view, equal, count, label); },
                         rest...);
  }
};
struct UniqueCopyCall : TakesFirstSpace {
  static constexpr std::string_view name = "unique_copy";
  template <ExecutionSpace Exec, class In, class Out, class... Rest>
  static auto run(const std::string& label, const Exec& exec, const In& in, const Out& out,
                  const Rest&... rest) {
    const auto plan = kept_plan_like<Selection<Exec>>(exec, views_of(in));
    return with_equality(
        [&](const auto& equal, const auto& count) {
          return plan->unique_copy(in, out, equal, count, label);
        },
        rest...);
  }
};
struct UniqueByKeyCall : TakesFirstSpace {
  static constexpr std::string_view name = "unique_by_key";
  template <ExecutionSpace Exec, class Keys, class Values, class... Rest>
  static auto run(const std::string& label, const Exec& exec, const Keys& keys,
                  const Values& values, const Rest&... rest) {
    const auto all = std::tuple_cat(views_of(keys), views_of(values));
    const auto plan = kept_plan_like<Selection<Exec>>(exec, all);
    return with_equality(
        [&](const auto& equal, const auto& count) {
          return plan->unique_by_key(keys, values, equal, count, label);
        },
        rest...);
  }
};

}  // namespace Impl::select

/// @brief Removes, in place, all elements that equal the one before; the first of each run of equal
/// ones stays.
///
///     unique([label,] [exec,] view [, equal] [, count])
///
/// Neighbours are compared, each pair once; rows are equal if all their elements are, elements of
/// zipped Views if they are in each of the Views.
///
/// - `equal`: an equivalence, a function of two elements; by default ==
///
/// All else as for remove_if.
template <ExecutionSpace Exec, class View, class Equal = Impl::select::IsEqual,
          class Count = ReturnCount>
auto unique(const Exec& exec, const View& view, const Equal& equal = {}, const Count& count = {}) {
  return Impl::call<Impl::select::UniqueCall>(exec, view, equal, count);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
auto unique(const First& label_or_view, const Rest&... view_equal_count) {
  return Impl::call<Impl::select::UniqueCall>(label_or_view, view_equal_count...);
}

/// @brief Copies the first of each run of equal elements.
///
///     unique_copy([label,] [exec,] in, out [, equal] [, count])
///
/// All else as for unique and copy_if.
template <ExecutionSpace Exec, class In, class Out, class Equal = Impl::select::IsEqual,
          class Count = ReturnCount>
auto unique_copy(const Exec& exec, const In& in, const Out& out, const Equal& equal = {},
                 const Count& count = {}) {
  return Impl::call<Impl::select::UniqueCopyCall>(exec, in, out, equal, count);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
auto unique_copy(const First& label_or_in, const Rest&... in_out_equal_count) {
  return Impl::call<Impl::select::UniqueCopyCall>(label_or_in, in_out_equal_count...);
}

/// @brief Removes, in place, all keys that equal the one before, and the values that belong to
/// them.
///
///     unique_by_key([label,] [exec,] keys, values [, equal] [, count])
///
/// `values` is a View, or several zipped ones, with an element or a row for each key. All else as
/// for unique.
template <ExecutionSpace Exec, class Keys, class Values, class Equal = Impl::select::IsEqual,
          class Count = ReturnCount>
auto unique_by_key(const Exec& exec, const Keys& keys, const Values& values,
                   const Equal& equal = {}, const Count& count = {}) {
  return Impl::call<Impl::select::UniqueByKeyCall>(exec, keys, values, equal, count);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
auto unique_by_key(const First& label_or_keys, const Rest&... keys_values_equal_count) {
  return Impl::call<Impl::select::UniqueByKeyCall>(label_or_keys, keys_values_equal_count...);
}

}  // namespace wavescan

#endif
