// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_SELECTARGUMENTS_HPP
#define WAVESCAN_IMPL_SELECT_SELECTARGUMENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SlidingInputs.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

/// @file
/// @brief Translation of users' arguments to problems: Views or several at once, predicates of any
/// form, and the place of the count.

namespace wavescan {

/// @brief Stands for a count that is returned.
struct ReturnCount {};

namespace Impl::select {

template <class T>
inline constexpr bool is_zipped = false;
template <class... Views>
inline constexpr bool is_zipped<ZippedViews<Views...>> = true;
template <class T>
inline constexpr bool is_by_index = false;
template <class Predicate>
inline constexpr bool is_by_index<IndexPredicate<Predicate>> = true;

/// @brief Something to select from, or to: a View or several; of inputs some may be computed.
template <class T>
concept Selectable = ElementInput<T> || is_zipped<T>;

/// @brief A View that receives the number of elements kept.
template <class T>
concept CountView = ViewOfRank<T, 0> && std::same_as<typename T::value_type, std::int64_t>;

template <ElementInput V>
std::tuple<V> views_of(const V& view) {
  return {view};
}
template <class... Views>
std::tuple<Views...> views_of(const ZippedViews<Views...>& zipped) {
  return zipped.views;
}

template <class V>
struct InputElement {
  using type = typename V::value_type;
};
template <AnyView V>
struct InputElement<V> {
  using type = typename V::non_const_value_type;
};
/// @brief The type of elements of a View, or of computed ones.
template <ElementInput V>
using input_element = typename InputElement<V>::type;

/// @brief Whether elements of these Views can be moved by `Exec`; says why, if not.
template <class Exec, class... Views>
consteval bool can_be_moved(std::type_identity<std::tuple<Views...>>) {
  constexpr bool ranks = ((Views::rank() == 1 || Views::rank() == 2) && ...);
  static_assert(ranks,
                "WaveScan: elements of Views of rank 1, or rows of Views of rank 2, can be "
                "selected. See others as a View of rank 2 of the same memory");
  constexpr bool copyable = (Scannable<input_element<Views>> && ...);
  static_assert(copyable, "WaveScan: elements must be trivially copyable: they move byte by byte");
  constexpr bool all_reachable = (Impl::reachable<Views, Exec> && ...);
  static_assert(all_reachable, "WaveScan: the execution space cannot reach the memory of a View");
  return ranks && copyable && all_reachable;
}

/// @brief Whether one list of Views can receive elements of the other; says why, if not.
template <class... In, class... Out>
consteval bool can_receive(std::type_identity<std::tuple<Out...>>,
                           std::type_identity<std::tuple<In...>>) {
  constexpr bool as_many = sizeof...(In) == sizeof...(Out);
  static_assert(as_many, "WaveScan: input and output must be of the same number of Views");
  if constexpr (as_many) {
    constexpr bool same =
        ((std::same_as<input_element<In>, input_element<Out>> && In::rank() == Out::rank()) && ...);
    static_assert(same, "WaveScan: input and output must have the same types and ranks");
    constexpr bool writable = (WritableView<Out> && ...);
    static_assert(writable, "WaveScan: what is written to must not be const");
    return same && writable;
  } else {
    return false;
  }
}

template <class... Views>
std::array<Footprint, sizeof...(Views)> footprints_of(const std::tuple<Views...>& views) {
  return std::apply([](const auto&... view) { return std::array{footprint_of(view)...}; }, views);
}
inline std::array<Footprint, 0> footprints_of(const std::tuple<>&) { return {}; }

template <class... Views>
std::size_t unit_bytes_of(const std::tuple<Views...>& views) {
  const auto bytes = []([[maybe_unused]] const auto& view) {
    std::size_t columns = 1;
    if constexpr (std::remove_cvref_t<decltype(view)>::rank() == 2) columns = view.extent(1);
    return columns * sizeof(input_element<std::remove_cvref_t<decltype(view)>>);
  };
  return std::apply([&](const auto&... view) { return (std::size_t(0) + ... + bytes(view)); },
                    views);
}

/// @brief The plan of an earlier call for elements of such a number and size, or a new one.
template <class Plan, ExecutionSpace Exec, class... Views, class... Options>
auto kept_plan_like(const Exec& exec, const std::tuple<Views...>& views,
                    const Options&... options) {
  return kept_plan<Plan>(exec, static_cast<std::int64_t>(std::get<0>(views).extent(0)),
                         static_cast<std::int64_t>(unit_bytes_of(views)), options...);
}

/// @brief Tells by the predicate which elements of the Views are kept.
/// @param wanted what it says of those
template <class Exec, class Predicate, class... Views>
auto selector_of(const Predicate& predicate, const std::tuple<Views...>& views, bool wanted) {
  const auto with_sources = [&](const auto& test, const auto&... from) {
    const auto sources = sources_of(from...);
    return Selector<std::remove_cvref_t<decltype(test)>, std::remove_const_t<decltype(sources)>>{
        test, sources, wanted};
  };
  return std::apply(
      [&]([[maybe_unused]] const auto&... view) {
        if constexpr (AnyView<Predicate>) {
          static_assert(Predicate::rank() == 1 && AccessibleFrom<Predicate, Exec>,
                        "WaveScan: flags must be a View of rank 1 that the execution space can "
                        "reach");
          return with_sources(OfValue<IsSet>{}, predicate);
        } else if constexpr (is_by_index<Predicate>) {
          using Given = std::remove_cvref_t<decltype(predicate.predicate)>;
          static_assert(std::predicate<const Given&, Index, decltype(elements_of(view)(0))...>,
                        "WaveScan: by_index wants a predicate of an index (std::int64_t) and of an "
                        "element of each View");
          return with_sources(OfIndex<Given>{predicate.predicate}, view...);
        } else {
          static_assert(std::predicate<const Predicate&, decltype(elements_of(view)(0))...>,
                        "WaveScan: the predicate must be a View of flags, a function of an element "
                        "of each View, or by_index(function of the index and these)");
          return with_sources(OfValue<Predicate>{predicate}, view...);
        }
      },
      views);
}

template <class First, class... R>
MovedList<First, R...> joined(const First& first, const MovedList<R...>& others) {
  return {first, others};
}
/// @brief Returns the place from which a column's elements are read.
template <class T, AnyView V>
Lines<const T> column_of(const V& view) {
  const auto lines = lines_of(view, 0);
  return {lines.data, lines.line_stride, lines.stride};
}
template <class T, class F>
ComputedColumn<F> column_of(const ComputedInput<F, 1>& in) {
  return {in.function};
}
/// @brief Lists the elements to move: `in` to `out`, and what is rejected to `rejected`, unless
/// that is empty.
template <std::size_t K = 0, class Ins, class Outs, class Rejected>
auto moved_of(const Ins& ins, const Outs& outs, const Rejected& rejected) {
  if constexpr (K == std::tuple_size_v<Ins>) {
    return MovedList<>();
  } else {
    const auto& in = std::get<K>(ins);
    const auto& out = std::get<K>(outs);
    using T = typename std::remove_cvref_t<decltype(out)>::value_type;
    const auto read = column_of<T>(in);
    Moved<T, std::remove_const_t<decltype(read)>> moved{
        read, lines_of(out, 0), {}, 1, static_cast<Index>(out.extent(0)), 0, false};
    if constexpr (std::remove_cvref_t<decltype(in)>::rank() == 2)
      moved.columns = static_cast<Index>(in.extent(1));
    if constexpr (std::tuple_size_v < Rejected >> 0) {
      moved.rejected = lines_of(std::get<K>(rejected), 0);
      moved.rejected_capacity = static_cast<Index>(std::get<K>(rejected).extent(0));
    }
    return joined(moved, moved_of<K + 1>(ins, outs, rejected));
  }
}

}  // namespace Impl::select
}  // namespace wavescan

#endif
