// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PARTITION_HPP
#define WAVESCAN_PARTITION_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_SlidingInputs.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/select/WaveScan_SelectArguments.hpp>
#include <impl/select/WaveScan_SelectPlan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

/// @file
/// @brief Stable partitions: elements of which a predicate holds before those of which it does not.
///
/// Source: Gomez-Luna et al., "In-Place Data Sliding Algorithms for Many-Core Architectures", ICPP
/// 2015, algorithm 2 and section IV-D.

namespace wavescan {

/// @brief A plan for partitions, which owns workspace and buffer and allocates nothing afterwards.
///
/// Calls enqueue work, and wait or not, as those of a Selection.
///
/// Memory: that of a Selection; and for partitions into one array a buffer for elements of which
/// the predicate does not hold, which may be all of them: `elements * element_bytes` and a little
/// more.
///
/// GPUs may ask the predicate about 512 elements of a large array before: about these twice.
///
/// @tparam Exec execution space
template <ExecutionSpace Exec>
class Partition {
 public:
  /// @brief A plan for partitions of at most so many elements of so many bytes; see Selection.
  /// @param into_one whether there is to be a buffer, which `partition` needs
  Partition(const Exec& exec, std::int64_t elements, std::int64_t element_bytes,
            bool into_one = true)
      : plan_("Partition", exec, elements, element_bytes, into_one), into_one_(into_one) {}

  /// @brief A plan for partitions of a View, or zipped Views, of these extents.
  template <Impl::select::Selectable In>
  static Partition like(const Exec& exec, const In& in, bool into_one = true) {
    const auto views = Impl::select::views_of(in);
    return Partition(exec, static_cast<std::int64_t>(std::get<0>(views).extent(0)),
                     static_cast<std::int64_t>(Impl::select::unit_bytes_of(views)), into_one);
  }

  /// @brief See wavescan::partition; `out` may be `in`.
  template <Impl::select::Selectable In, Impl::select::Selectable Out, class Predicate,
            class Count = ReturnCount>
  auto partition(const In& in, const Out& out, const Predicate& predicate, const Count& count = {},
                 const std::string& label = {}) const {
    Impl::require(into_one_, "partition", "plan",
                  "must have been made for partitions into one array", "one for partition_copy");
    return plan_.partition("partition", label, predicate, Impl::select::views_of(in),
                           Impl::select::views_of(out), "in", "out", count);
  }

  /// @brief See wavescan::partition_copy.
  template <Impl::select::Selectable In, Impl::select::Selectable True,
            Impl::select::Selectable False, class Predicate, class Count = ReturnCount>
  auto partition_copy(const In& in, const True& out_true, const False& out_false,
                      const Predicate& predicate, const Count& count = {},
                      const std::string& label = {}) const {
    return plan_.select("partition_copy", label, predicate, true, Impl::select::views_of(in),
                        Impl::select::views_of(out_true), Impl::select::views_of(out_false), "in",
                        "out_true", "out_false", count);
  }

  /// @brief The largest number of elements the plan was made for.
  std::int64_t elements() const { return plan_.elements(); }
  /// @brief Bytes of memory that the plan holds.
  std::size_t workspace_bytes() const { return plan_.bytes(); }

 private:
  Impl::select::Plan<Exec> plan_;
  bool into_one_;
};

namespace Impl::select {

struct PartitionCall : TakesFirstSpace {
  static constexpr std::string_view name = "partition";
  template <ExecutionSpace Exec, class View, class Predicate>
  static auto run(const std::string& label, const Exec& exec, const View& view,
                  const Predicate& predicate) {
    return kept_plan_like<Partition<Exec>>(exec, views_of(view), true)
        ->partition(view, view, predicate, ReturnCount(), label);
  }
  template <ExecutionSpace Exec, class A, class B, class C>
  static auto run(const std::string& label, const Exec& exec, const A& a, const B& b, const C& c) {
    const auto plan = kept_plan_like<Partition<Exec>>(exec, views_of(a), true);
    if constexpr (CountView<C>)
      return plan->partition(a, a, b, c, label);
    else
      return plan->partition(a, b, c, ReturnCount(), label);
  }
  template <ExecutionSpace Exec, class In, class Out, class Predicate, class Count>
  static auto run(const std::string& label, const Exec& exec, const In& in, const Out& out,
                  const Predicate& predicate, const Count& count) {
    return kept_plan_like<Partition<Exec>>(exec, views_of(in), true)
        ->partition(in, out, predicate, count, label);
  }
};
struct PartitionCopyCall : TakesFirstSpace {
  static constexpr std::string_view name = "partition_copy";
  template <ExecutionSpace Exec, class In, class True, class False, class Predicate,
            class Count = ReturnCount>
  static auto run(const std::string& label, const Exec& exec, const In& in, const True& out_true,
                  const False& out_false, const Predicate& predicate, const Count& count = {}) {
    return kept_plan_like<Partition<Exec>>(exec, views_of(in), false)
        ->partition_copy(in, out_true, out_false, predicate, count, label);
  }
};

}  // namespace Impl::select

/// @brief Moves the elements of which a predicate holds before the others; both keep their order.
///
///     partition([label,] [exec,] in, predicate [, count])         in place
///     partition([label,] [exec,] in, out, predicate [, count])
///
/// Needs a buffer for the elements of which the predicate does not hold: memory for as many as
/// there are in all. Arguments, result (the number of elements of which the predicate holds) and
/// errors as for copy_if, but `out` must hold all elements.
template <ExecutionSpace Exec, class In, class... Rest>
auto partition(const Exec& exec, const In& in, const Rest&... out_predicate_count) {
  return Impl::call<Impl::select::PartitionCall>(exec, in, out_predicate_count...);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
auto partition(const First& label_or_in, const Rest&... in_out_predicate_count) {
  return Impl::call<Impl::select::PartitionCall>(label_or_in, in_out_predicate_count...);
}

/// @brief Copies the elements of which a predicate holds to one array, the others to another one;
/// both keep their order.
///
///     partition_copy([label,] [exec,] in, out_true, out_false, predicate [, count])
///
/// `out_true` may be `in`. Arguments, result (the number of elements of which the predicate holds)
/// and errors as for copy_if.
template <ExecutionSpace Exec, class In, class True, class False, class Predicate,
          class Count = ReturnCount>
auto partition_copy(const Exec& exec, const In& in, const True& out_true, const False& out_false,
                    const Predicate& predicate, const Count& count = {}) {
  return Impl::call<Impl::select::PartitionCopyCall>(exec, in, out_true, out_false, predicate,
                                                     count);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
auto partition_copy(const First& label_or_in,
                    const Rest&... in_out_true_out_false_predicate_count) {
  return Impl::call<Impl::select::PartitionCopyCall>(label_or_in,
                                                     in_out_true_out_false_predicate_count...);
}

}  // namespace wavescan

#endif
