// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SELECT_HPP
#define WAVESCAN_SELECT_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SlidingInputs.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/select/WaveScan_SelectArguments.hpp>
#include <impl/select/WaveScan_SelectPlan.hpp>
#include <impl/select/WaveScan_SelectProblem.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

/// @file
/// @brief Selections: elements of which a predicate holds, or the first ones of runs, in their
/// order; in place or not.
///
/// Source: Gomez-Luna et al., "In-Place Data Sliding Algorithms for Many-Core Architectures", ICPP
/// 2015, algorithm 2 (irregular data sliding) and sections IV-B and IV-C.

namespace wavescan {

/// @brief A plan for selections, which owns the workspace and allocates nothing afterwards.
///
/// Calls enqueue work on the instance that the plan was made with. With a View for the count they
/// return at once; without one they wait for that instance and return the count. One plan must not
/// be used from two instances at a time, nor by two threads.
///
/// Memory: on hosts a stage of about 128 KiB for each thread, whatever the number of elements; on
/// NVIDIA GPUs with bulk copies 33 KiB; otherwise, and for Views that their kernel declines
/// (performance.md), 5 bytes for each of up to 4 Mi elements and a buffer of at most 32 MiB, which
/// the first such call allocates. Work: O(elements); span on hosts: O(elements / threads).
///
/// @tparam Exec execution space
template <ExecutionSpace Exec>
class Selection {
 public:
  /// @brief A plan for selections among at most so many elements.
  /// @param exec          instance that all calls enqueue on
  /// @param elements      of a View of rank 1, rows of one of rank 2
  /// @param element_bytes of an element, or of all columns of a row; with zipped Views, of all of
  ///                      them together
  /// @throws std::invalid_argument if a number is negative, or their product overflows
  Selection(const Exec& exec, std::int64_t elements, std::int64_t element_bytes)
      : plan_("Selection", exec, elements, element_bytes, false) {}

  /// @brief A plan for selections from a View, or zipped Views, of these extents.
  template <Impl::select::Selectable In>
  static Selection like(const Exec& exec, const In& in) {
    const auto views = Impl::select::views_of(in);
    return Selection(exec, static_cast<std::int64_t>(std::get<0>(views).extent(0)),
                     static_cast<std::int64_t>(Impl::select::unit_bytes_of(views)));
  }

  /// @brief See wavescan::copy_if.
  template <Impl::select::Selectable In, Impl::select::Selectable Out, class Predicate,
            class Count = ReturnCount>
  auto copy_if(const In& in, const Out& out, const Predicate& predicate, const Count& count = {},
               const std::string& label = {}) const {
    return copy("copy_if", label, in, out, predicate, true, count);
  }
  /// @brief See wavescan::remove_copy_if.
  template <Impl::select::Selectable In, Impl::select::Selectable Out, class Predicate,
            class Count = ReturnCount>
  auto remove_copy_if(const In& in, const Out& out, const Predicate& predicate,
                      const Count& count = {}, const std::string& label = {}) const {
    return copy("remove_copy_if", label, in, out, predicate, false, count);
  }
  /// @brief See wavescan::remove_if.
  template <Impl::select::Selectable View, class Predicate, class Count = ReturnCount>
  auto remove_if(const View& view, const Predicate& predicate, const Count& count = {},
                 const std::string& label = {}) const {
    const auto views = Impl::select::views_of(view);
    return plan_.select("remove_if", label, predicate, false, views, views, std::tuple<>(), "view",
                        "view", "", count);
  }
  /// @brief See wavescan::unique.
  template <Impl::select::Selectable View, class Equal = Impl::select::IsEqual,
            class Count = ReturnCount>
  auto unique(const View& view, const Equal& equal = {}, const Count& count = {},
              const std::string& label = {}) const {
    const auto views = Impl::select::views_of(view);
    return plan_.select_runs("unique", label, equal, views, views, views, "view", "view", count);
  }
  /// @brief See wavescan::unique_copy.
  template <Impl::select::Selectable In, Impl::select::Selectable Out,
            class Equal = Impl::select::IsEqual, class Count = ReturnCount>
  auto unique_copy(const In& in, const Out& out, const Equal& equal = {}, const Count& count = {},
                   const std::string& label = {}) const {
    const auto ins = Impl::select::views_of(in);
    return plan_.select_runs("unique_copy", label, equal, ins, ins, Impl::select::views_of(out),
                             "in", "out", count);
  }
  /// @brief See wavescan::unique_by_key.
  template <Impl::select::Selectable Keys, Impl::select::Selectable Values,
            class Equal = Impl::select::IsEqual, class Count = ReturnCount>
  auto unique_by_key(const Keys& keys, const Values& values, const Equal& equal = {},
                     const Count& count = {}, const std::string& label = {}) const {
    const auto key_views = Impl::select::views_of(keys);
    const auto all = std::tuple_cat(key_views, Impl::select::views_of(values));
    const Impl::select::ArgumentName names("keys", std::tuple_size_v<decltype(key_views)>,
                                           "values");
    return plan_.select_runs("unique_by_key", label, equal, key_views, all, all, names, names,
                             count);
  }

  /// @brief The largest number of elements the plan was made for.
  std::int64_t elements() const { return plan_.elements(); }
  /// @brief Bytes of memory that the plan holds.
  std::size_t workspace_bytes() const { return plan_.bytes(); }

 private:
  template <class In, class Out, class Predicate, class Count>
  auto copy(const char* operation, const std::string& label, const In& in, const Out& out,
            const Predicate& predicate, bool wanted, const Count& count) const {
    return plan_.select(operation, label, predicate, wanted, Impl::select::views_of(in),
                        Impl::select::views_of(out), std::tuple<>(), "in", "out", "", count);
  }

  Impl::select::Plan<Exec> plan_;
};

namespace Impl::select {

struct CopyIf : TakesFirstSpace {
  static constexpr std::string_view name = "copy_if";
  template <ExecutionSpace Exec, class In, class Out, class Predicate, class Count = ReturnCount>
  static auto run(const std::string& label, const Exec& exec, const In& in, const Out& out,
                  const Predicate& predicate, const Count& count = {}) {
    return kept_plan_like<Selection<Exec>>(exec, views_of(in))
        ->copy_if(in, out, predicate, count, label);
  }
};
struct RemoveCopyIf : TakesFirstSpace {
  static constexpr std::string_view name = "remove_copy_if";
  template <ExecutionSpace Exec, class In, class Out, class Predicate, class Count = ReturnCount>
  static auto run(const std::string& label, const Exec& exec, const In& in, const Out& out,
                  const Predicate& predicate, const Count& count = {}) {
    return kept_plan_like<Selection<Exec>>(exec, views_of(in))
        ->remove_copy_if(in, out, predicate, count, label);
  }
};
struct RemoveIf : TakesFirstSpace {
  static constexpr std::string_view name = "remove_if";
  template <ExecutionSpace Exec, class View, class Predicate, class Count = ReturnCount>
  static auto run(const std::string& label, const Exec& exec, const View& view,
                  const Predicate& predicate, const Count& count = {}) {
    return kept_plan_like<Selection<Exec>>(exec, views_of(view))
        ->remove_if(view, predicate, count, label);
  }
};

}  // namespace Impl::select

/// @brief Copies the elements of which a predicate holds, in their order, side by side.
///
///     copy_if([label,] [exec,] in, out, predicate [, count])
///
/// The result does not depend on the number of threads. Where nothing but the count is waited for,
/// hand over a View for it: then the call enqueues its work and returns.
///
/// - `label`: a string, the name of the call for profilers
/// - `exec`: execution space instance; by default the default one of the input's space
/// - `in`: View of rank 1, of whose elements, or of rank 2, of whose rows some are selected, in any
///   layout; or several that move together, `zip(a, b, c)`. Elements are trivially copyable. What
///   is not written in place may be computed_input(n, f) instead of a View: f of the index
/// - `out`: likewise, with the types and columns of `in`; may be `in` itself (in place). Kept
///   elements for which it has no place are counted, but not stored; what lies behind the last
///   stored one is left alone, unless in place, where it is unspecified
/// - `predicate`: a function of an element (of a row, see ElementRow; of an element of each of
/// zipped
///   Views), by_index(function of the index and these), or a View of as many flags, which are
///   converted to bool. Called once for each element, in no particular order
/// - `count`: View of rank 0 of std::int64_t, which receives the number of elements kept
///
/// @return the number of elements kept, for which it waits; nothing, if there is a `count`
/// @throws std::invalid_argument if extents differ, Views overlap other than element for element,
///                elements of `out` overlap each other, or `count` is not allocated
template <ExecutionSpace Exec, class In, class Out, class Predicate, class Count = ReturnCount>
auto copy_if(const Exec& exec, const In& in, const Out& out, const Predicate& predicate,
             const Count& count = {}) {
  return Impl::call<Impl::select::CopyIf>(exec, in, out, predicate, count);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
auto copy_if(const First& label_or_in, const Rest&... in_out_predicate_count) {
  return Impl::call<Impl::select::CopyIf>(label_or_in, in_out_predicate_count...);
}

/// @brief Copies the elements of which a predicate does not hold.
///
///     remove_copy_if([label,] [exec,] in, out, predicate [, count])
///
/// Arguments, result and errors as for copy_if.
template <ExecutionSpace Exec, class In, class Out, class Predicate, class Count = ReturnCount>
auto remove_copy_if(const Exec& exec, const In& in, const Out& out, const Predicate& predicate,
                    const Count& count = {}) {
  return Impl::call<Impl::select::RemoveCopyIf>(exec, in, out, predicate, count);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
auto remove_copy_if(const First& label_or_in, const Rest&... in_out_predicate_count) {
  return Impl::call<Impl::select::RemoveCopyIf>(label_or_in, in_out_predicate_count...);
}

/// @brief Removes the elements of which a predicate holds, in place; those kept move to the front.
///
///     remove_if([label,] [exec,] view, predicate [, count])
///
/// What lies behind the elements kept is unspecified afterwards. Arguments, result and errors as
/// for copy_if.
template <ExecutionSpace Exec, class View, class Predicate, class Count = ReturnCount>
auto remove_if(const Exec& exec, const View& view, const Predicate& predicate,
               const Count& count = {}) {
  return Impl::call<Impl::select::RemoveIf>(exec, view, predicate, count);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
auto remove_if(const First& label_or_view, const Rest&... view_predicate_count) {
  return Impl::call<Impl::select::RemoveIf>(label_or_view, view_predicate_count...);
}

}  // namespace wavescan

#endif
