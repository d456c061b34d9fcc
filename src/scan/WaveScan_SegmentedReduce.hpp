// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SEGMENTEDREDUCE_HPP
#define WAVESCAN_SEGMENTEDREDUCE_HPP

#include <WaveScan_AsOperator.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <WaveScan_SegmentDescriptions.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/scan/WaveScan_ScanArguments.hpp>
#include <impl/segmented/WaveScan_ReduceSegments.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

/// @file
/// @brief Reductions of every segment of an array: row sums of a CSR matrix, totals of cells,
/// results by key.

namespace wavescan {

/// @brief Options of segmented reductions.
struct SegmentedReduceOptions {
  /// Name of the region around the kernels that profilers are told of.
  std::string label{};
};

/// @brief A plan for segmented reductions of one length, which owns the workspace.
///
/// Calls enqueue work on the instance that the plan was made with. They allocate nothing, but for
/// 16 bytes for each segment in the first one whose segments have begins and ends apart. One plan
/// must not be used from two instances at a time.
///
/// Memory: n / 7 bytes for n elements, 8 bytes for each segment. Work: O(elements + segments).
///
/// @tparam Exec execution space
/// @tparam Op   an Operator
template <ExecutionSpace Exec, Operator Op>
class SegmentedReduction {
 public:
  /// @brief Type of the results.
  using value_type = typename Op::value_type;

  /// @param exec     instance that all calls enqueue on
  /// @param elements of all segments together
  /// @param segments at most so many, of those that are told by offsets; 0 if none are
  /// @throws std::invalid_argument if a number is negative
  SegmentedReduction(const Exec& exec, std::int64_t elements, std::int64_t segments,
                     const Op& op = {})
      : plan_("SegmentedReduction", exec, elements, segments), op_(op) {}

  /// @brief The plan `other` with another operator of the same type; they share the workspace.
  SegmentedReduction(const SegmentedReduction& other, const Op& op) : plan_(other.plan_), op_(op) {}

  /// @brief See wavescan::segmented_reduce.
  template <class In, Segments S, class Out, class Init = NoCarry, class Count = NoCarry>
  void reduce(const In& in, const S& segments, const Out& out, const Init& init = {},
              const Count& count = {}, const SegmentedReduceOptions& options = {}) const {
    plan_.run("segmented_reduce", op_, in, segments, out, init, count, options.label);
  }

  /// @brief See wavescan::reduce_by_key.
  template <AnyView Keys, class In, AnyView Unique, class Out, class Equal = EqualKeys,
            class Init = NoCarry, class Count = NoCarry>
  auto reduce_by_key(const Keys& keys, const In& in, const Unique& unique, const Out& out,
                     const Equal& equal = {}, const Init& init = {}, const Count& count = {},
                     const SegmentedReduceOptions& options = {}) const {
    const Impl::Calling calling("reduce_by_key");
    static_assert(ViewOfRank<Unique, 1> && WritableView<Unique> && AccessibleFrom<Unique, Exec>,
                  "WaveScan: 'unique' must be a View of rank 1 that the execution space can write");
    static_assert(std::same_as<typename Unique::value_type, typename Keys::non_const_value_type>,
                  "WaveScan: 'unique' must have the type of the keys");
    Impl::require_separate_keys("reduce_by_key", keys, in, unique, out);
    const auto segments = segment_keys(keys, equal);
    if constexpr (std::same_as<Count, NoCarry>) {
      plan_.run("reduce_by_key", op_, in, segments, out, init, plan_.count(), options.label,
                unique);
      std::int64_t segments_found = 0;
      Kokkos::deep_copy(plan_.exec(), segments_found, plan_.count());
      plan_.exec().fence("WaveScan::reduce_by_key: the number of segments");
      return segments_found;
    } else {
      Impl::require_disjoint("reduce_by_key", "unique", unique, "count", count);
      plan_.run("reduce_by_key", op_, in, segments, out, init, count, options.label, unique);
    }
  }

  /// @brief Elements that the plan was made for.
  std::int64_t elements() const { return plan_.elements(); }
  /// @brief The most segments that the plan was made for.
  std::int64_t segments() const { return plan_.segments(); }
  /// @brief Bytes of memory that the plan holds.
  std::size_t workspace_bytes() const { return plan_.bytes(); }

 private:
  Impl::SegmentedReducePlan<Exec, Op> plan_;
  Op op_;
};

namespace Impl {

/// @brief A kept plan for so many elements and segments, with the operator of this call.
template <class T, ExecutionSpace Exec, class Op, class Use>
auto with_reduction_plan(const Exec& exec, Index elements, Index segments, const Op& op,
                         const Use& use) {
  const auto combine = as_operator<T>(op);
  using Combine = std::remove_const_t<decltype(combine)>;
  using Plan = SegmentedReduction<Exec, Combine>;
  const auto plan = kept_plan_of<Plan>(exec, std::tuple<Index, Index>(elements, segments),
                                       [&] { return Plan(exec, elements, segments, combine); });
  return use(Plan(*plan, combine));
}

}  // namespace Impl

/// @brief Reduces every segment: out_s = x_b ⋄ ... ⋄ x_e, where b and e are the first and the last
/// element of segment s.
///
/// Segments that are told by offsets may be empty: their result is the initial value, or else the
/// operator's identity; of operators without one, what `out` has there is left as it is. Segments
/// that are told by flags or keys are numbered in their order; `out` may have fewer elements than
/// there are segments, the results of the others are dropped.
///
/// Operands keep their order, so the operator need not commute. Enqueues on `exec` and returns.
///
/// @param exec     execution space instance; without it the default one of the output's space
/// @param in       View of rank 1, any layout, or transform_input or computed_input
/// @param segments of segment_offsets, segment_heads or segment_keys
/// @param out      View of rank 1: an element for each segment
/// @param op       an associative operator, as inclusive_scan takes it
/// @param init     value before each segment's first element; none by default
/// @param count    View of rank 0 of an integer that receives the number of segments, of those that
///                 are told by flags or keys; none by default
/// @param options  label
/// @throws std::invalid_argument if lengths differ, or `out` shares memory with `in` or with what
///         describes the segments
template <ExecutionSpace Exec, class In, Segments S, class Out, class Op = Plus<>,
          class Init = NoCarry, class Count = NoCarry>
void segmented_reduce(const Exec& exec, const In& in, const S& segments, const Out& out,
                      const Op& op = {}, const Init& init = {}, const Count& count = {},
                      const SegmentedReduceOptions& options = {}) {
  const Impl::Calling calling("segmented_reduce");
  std::int64_t most = 0;
  if constexpr (Impl::are_numbered<S>) most = std::max<std::int64_t>(Impl::count_of(segments), 0);
  Impl::with_reduction_plan<typename Impl::ScanType<Out, Op>::type>(
      exec, static_cast<std::int64_t>(in.extent(0)), most, op,
      [&](const auto& plan) { plan.reduce(in, segments, out, init, count, options); });
}
template <class In, Segments S, class Out, class Op = Plus<>, class Init = NoCarry,
          class Count = NoCarry>
  requires(!ExecutionSpace<In>)
void segmented_reduce(const In& in, const S& segments, const Out& out, const Op& op = {},
                      const Init& init = {}, const Count& count = {},
                      const SegmentedReduceOptions& options = {}) {
  segmented_reduce(typename Out::execution_space(), in, segments, out, op, init, count, options);
}

/// @brief Reduces runs of equal keys: `unique` gets the first key of each run and `out` the run's
/// x_b ⋄ ... ⋄ x_e.
///
/// @param exec   execution space instance; without it the default one of the output's space
/// @param keys   View of rank 1 of any type that `equal` compares
/// @param in     View of the length of `keys`, or transform_input or computed_input
/// @param unique View of rank 1 for keys; may have fewer elements than there are runs, the others
///               are dropped, as those of `out`
/// @param out    View of rank 1 for results
/// @param op     an associative operator, as inclusive_scan takes it
/// @param equal  function of two neighbouring keys; by default ==
/// @param init   value before each run's first element; none by default
/// @param count  View of rank 0 of an integer that receives the number of runs. Without it, the
///               function waits for the instance and returns the number
/// @throws std::invalid_argument as segmented_reduce
template <ExecutionSpace Exec, AnyView Keys, class In, AnyView Unique, class Out, class Op = Plus<>,
          class Equal = EqualKeys, class Init = NoCarry, class Count = NoCarry>
auto reduce_by_key(const Exec& exec, const Keys& keys, const In& in, const Unique& unique,
                   const Out& out, const Op& op = {}, const Equal& equal = {},
                   const Init& init = {}, const Count& count = {}) {
  const Impl::Calling calling("reduce_by_key");
  return Impl::with_reduction_plan<typename Impl::ScanType<Out, Op>::type>(
      exec, static_cast<std::int64_t>(in.extent(0)), 0, op, [&](const auto& plan) {
        return plan.reduce_by_key(keys, in, unique, out, equal, init, count);
      });
}
template <AnyView Keys, class In, AnyView Unique, class Out, class Op = Plus<>,
          class Equal = EqualKeys, class Init = NoCarry, class Count = NoCarry>
auto reduce_by_key(const Keys& keys, const In& in, const Unique& unique, const Out& out,
                   const Op& op = {}, const Equal& equal = {}, const Init& init = {},
                   const Count& count = {}) {
  return reduce_by_key(typename Out::execution_space(), keys, in, unique, out, op, equal, init,
                       count);
}

}  // namespace wavescan

#endif
