// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SEGMENTEDSCAN_HPP
#define WAVESCAN_SEGMENTEDSCAN_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_AsOperator.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <WaveScan_SegmentDescriptions.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/scan/WaveScan_ScanArguments.hpp>
#include <impl/segmented/WaveScan_ScanSegments.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

/// @file
/// @brief Scans that begin anew at every segment of an array: rows of a CSR matrix, particles of
/// cells, episodes.
///
/// Segments are told by segment_offsets, segment_heads or segment_keys, and each of them is turned
/// into a bit for each element, in n / 8 bytes of workspace. The time depends on the number of
/// elements and of segments, not on how long segments are. Nothing passes from a segment to the
/// next one, not even infinities or NaN.

namespace wavescan {

/// @brief Options of segmented scans: `{.reverse = true}`.
struct SegmentedScanOptions {
  /// From the last element of every segment to its first.
  bool reverse = false;
  /// Name of the region around the kernels that profilers are told of.
  std::string label{};
};

/// @brief A plan for segmented scans of one length, which owns the workspace.
///
/// Calls enqueue work on the instance that the plan was made with and return. They allocate
/// nothing, but for n / 8 bytes in the first one whose segments have begins and ends apart. One
/// plan must not be used from two instances at a time.
///
/// Memory: n / 8 bytes for n elements, and what Scan needs. Work: O(elements + segments).
///
/// @tparam Exec    execution space
/// @tparam Combine an Operator (inclusive and exclusive scans) or an Algebra (weighted scans)
template <ExecutionSpace Exec, class Combine>
class SegmentedScan {
  static_assert(Operator<Combine> || Algebra<Combine>,
                "WaveScan: a segmented scan needs an Operator or an Algebra");

 public:
  /// @brief Type of the results.
  using value_type = typename Combine::value_type;

  /// @param exec     instance that all calls enqueue on
  /// @param elements of all segments together
  /// @param combine  operator or algebra
  /// @throws std::invalid_argument if `elements` is negative
  SegmentedScan(const Exec& exec, std::int64_t elements, const Combine& combine = {})
      : scan_("SegmentedScan", exec, elements), combine_(combine) {}

  /// @brief The plan `other` with another operator of the same type; they share the workspace.
  SegmentedScan(const SegmentedScan& other, const Combine& combine)
      : scan_(other.scan_), combine_(combine) {}

  /// @brief See wavescan::segmented_inclusive_scan.
  template <class In, Segments S, class Out, class Init = NoCarry>
    requires Operator<Combine>
  void inclusive(const In& in, const S& segments, const Out& out, const Init& init = {},
                 const SegmentedScanOptions& options = {}) const {
    scan_.run("segmented_inclusive_scan", Impl::ScanKind::Inclusive,
              Impl::PlainRecurrence<Combine>{combine_}, {}, in, segments, out, init, options);
  }
  /// @brief See wavescan::segmented_exclusive_scan.
  template <class In, Segments S, class Out, class Init = NoCarry>
    requires Operator<Combine>
  void exclusive(const In& in, const S& segments, const Out& out, const Init& init = {},
                 const SegmentedScanOptions& options = {}) const {
    static_assert(Impl::has_identity<Combine> || !std::same_as<Init, NoCarry>,
                  "WaveScan: an exclusive scan starts with a value of yours, 'init', the operator "
                  "having no identity");
    scan_.run("segmented_exclusive_scan", Impl::ScanKind::Exclusive,
              Impl::PlainRecurrence<Combine>{combine_}, {}, in, segments, out, init, options);
  }
  /// @brief See wavescan::segmented_weighted_scan.
  template <class In, class Weight, Segments S, class Out, class Init = NoCarry>
    requires Algebra<Combine>
  void weighted(const In& in, const Weight& weight, const S& segments, const Out& out,
                const Init& init = {}, const SegmentedScanOptions& options = {}) const {
    scan_.run_weighted("segmented_weighted_scan", Impl::ScanKind::Inclusive, combine_, in, weight,
                       segments, out, init, options);
  }
  /// @brief See wavescan::segmented_weighted_exclusive_scan.
  template <class In, class Weight, Segments S, class Out, class Init = NoCarry>
    requires Algebra<Combine>
  void weighted_exclusive(const In& in, const Weight& weight, const S& segments, const Out& out,
                          const Init& init = {}, const SegmentedScanOptions& options = {}) const {
    scan_.run_weighted("segmented_weighted_exclusive_scan", Impl::ScanKind::Exclusive, combine_, in,
                       weight, segments, out, init, options);
  }

  /// @brief Elements that the plan was made for.
  std::int64_t elements() const { return scan_.elements(); }
  /// @brief Bytes of memory that the plan holds.
  std::size_t workspace_bytes() const { return scan_.bytes(); }

 private:
  Impl::SegmentedScanPlan<Exec, Combine> scan_;
  Combine combine_;
};

namespace Impl {

/// @brief A kept plan for so many elements, with the operator of this call.
template <class T, ExecutionSpace Exec, class Op, class Use>
void with_segmented_plan(const Exec& exec, Index elements, const Op& op, const Use& use) {
  const auto combine = as_operator<T>(op);
  using Combine = std::remove_const_t<decltype(combine)>;
  using Plan = SegmentedScan<Exec, Combine>;
  const auto plan = kept_plan_of<Plan>(exec, std::tuple<Index>(elements),
                                       [&] { return Plan(exec, elements, combine); });
  use(Plan(*plan, combine));
}

template <class In>
Index elements_of(const In& in) {
  return static_cast<Index>(in.extent(0));
}

}  // namespace Impl

/// @brief Inclusive scan of every segment: out_j = x_b ⋄ ... ⋄ x_j, where b is the first element of
/// j's segment.
///
/// Operands keep their order, so the operator need not commute. Enqueues on `exec` and returns;
/// keeps its workspace for the next such call: see WaveScan_Workspaces.hpp.
///
/// @param exec     execution space instance; without it the default one of the output's space
/// @param in       View of rank 1, any layout, or transform_input or computed_input
/// @param segments of segment_offsets, segment_heads or segment_keys
/// @param out      View of the same length; may be `in` itself (in place); or transform_output
/// @param op       an associative operator, as inclusive_scan takes it
/// @param init     state that enters every segment: a value, or a View of rank 1 with one for each,
///                 of segments that are told by offsets; none by default: an inclusive scan then
///                 starts with a segment's first element, an exclusive one with the identity
/// @param options  direction, label
/// @throws std::invalid_argument if lengths differ, `out` shares memory with what describes the
///         segments, or partly with `in`. What offsets say is read by the device alone:
///         check_segments checks it. Offsets that are wrong give wrong results, and nothing is
///         written but `out`.
template <ExecutionSpace Exec, class In, Segments S, class Out, class Op = Plus<>,
          class Init = NoCarry>
void segmented_inclusive_scan(const Exec& exec, const In& in, const S& segments, const Out& out,
                              const Op& op = {}, const Init& init = {},
                              const SegmentedScanOptions& options = {}) {
  const Impl::Calling calling("segmented_inclusive_scan");
  Impl::with_segmented_plan<typename Impl::ScanType<Out, Op>::type>(
      exec, Impl::elements_of(in), op,
      [&](const auto& plan) { plan.inclusive(in, segments, out, init, options); });
}
template <class In, Segments S, class Out, class Op = Plus<>, class Init = NoCarry>
  requires(!ExecutionSpace<In>)
void segmented_inclusive_scan(const In& in, const S& segments, const Out& out, const Op& op = {},
                              const Init& init = {}, const SegmentedScanOptions& options = {}) {
  segmented_inclusive_scan(typename Out::execution_space(), in, segments, out, op, init, options);
}

/// @brief Exclusive scan of every segment: out_j = x_b ⋄ ... ⋄ x_{j-1}, and out_b = init, or the
/// identity without it. Arguments and errors as for segmented_inclusive_scan.
template <ExecutionSpace Exec, class In, Segments S, class Out, class Op = Plus<>,
          class Init = NoCarry>
void segmented_exclusive_scan(const Exec& exec, const In& in, const S& segments, const Out& out,
                              const Op& op = {}, const Init& init = {},
                              const SegmentedScanOptions& options = {}) {
  const Impl::Calling calling("segmented_exclusive_scan");
  Impl::with_segmented_plan<typename Impl::ScanType<Out, Op>::type>(
      exec, Impl::elements_of(in), op,
      [&](const auto& plan) { plan.exclusive(in, segments, out, init, options); });
}
template <class In, Segments S, class Out, class Op = Plus<>, class Init = NoCarry>
  requires(!ExecutionSpace<In>)
void segmented_exclusive_scan(const In& in, const S& segments, const Out& out, const Op& op = {},
                              const Init& init = {}, const SegmentedScanOptions& options = {}) {
  segmented_exclusive_scan(typename Out::execution_space(), in, segments, out, op, init, options);
}

/// @brief Weighted scan of every segment, a recurrence with resets: out_j = (out_{j-1} ∘ w_j) ⋄ x_j
/// inside of segments, and out_b = x_b, or (init ∘ w_b) ⋄ x_b, where they begin.
///
/// @param weight  one weight for all elements, or a View of weights of the extents of `in`
/// @param algebra as weighted_scan takes it; by default PlusTimes
///
/// All other arguments and errors as for segmented_inclusive_scan.
template <ExecutionSpace Exec, class In, class Weight, Segments S, class Out, class A = PlusTimes<>,
          class Init = NoCarry>
void segmented_weighted_scan(const Exec& exec, const In& in, const Weight& weight,
                             const S& segments, const Out& out, const A& algebra = {},
                             const Init& init = {}, const SegmentedScanOptions& options = {}) {
  const Impl::Calling calling("segmented_weighted_scan");
  Impl::with_segmented_plan<typename Impl::ScanType<Out, A>::type>(
      exec, Impl::elements_of(in), algebra,
      [&](const auto& plan) { plan.weighted(in, weight, segments, out, init, options); });
}
template <class In, class Weight, Segments S, class Out, class A = PlusTimes<>,
          class Init = NoCarry>
  requires(!ExecutionSpace<In>)
void segmented_weighted_scan(const In& in, const Weight& weight, const S& segments, const Out& out,
                             const A& algebra = {}, const Init& init = {},
                             const SegmentedScanOptions& options = {}) {
  segmented_weighted_scan(typename Out::execution_space(), in, weight, segments, out, algebra, init,
                          options);
}

/// @brief The weighted scan before each element: out_j is what segmented_weighted_scan has at j-1,
/// and init, or zero without it, where segments begin.
/// Arguments and errors as for segmented_weighted_scan.
template <ExecutionSpace Exec, class In, class Weight, Segments S, class Out, class A = PlusTimes<>,
          class Init = NoCarry>
void segmented_weighted_exclusive_scan(const Exec& exec, const In& in, const Weight& weight,
                                       const S& segments, const Out& out, const A& algebra = {},
                                       const Init& init = {},
                                       const SegmentedScanOptions& options = {}) {
  const Impl::Calling calling("segmented_weighted_exclusive_scan");
  Impl::with_segmented_plan<typename Impl::ScanType<Out, A>::type>(
      exec, Impl::elements_of(in), algebra,
      [&](const auto& plan) { plan.weighted_exclusive(in, weight, segments, out, init, options); });
}
template <class In, class Weight, Segments S, class Out, class A = PlusTimes<>,
          class Init = NoCarry>
  requires(!ExecutionSpace<In>)
void segmented_weighted_exclusive_scan(const In& in, const Weight& weight, const S& segments,
                                       const Out& out, const A& algebra = {}, const Init& init = {},
                                       const SegmentedScanOptions& options = {}) {
  segmented_weighted_exclusive_scan(typename Out::execution_space(), in, weight, segments, out,
                                    algebra, init, options);
}

/// @brief segmented_inclusive_scan of runs of equal keys: segments are
/// `segment_keys(keys, equal)`.
template <ExecutionSpace Exec, AnyView Keys, class In, class Out, class Op = Plus<>,
          class Equal = EqualKeys, class Init = NoCarry>
void inclusive_scan_by_key(const Exec& exec, const Keys& keys, const In& in, const Out& out,
                           const Op& op = {}, const Equal& equal = {}, const Init& init = {},
                           const SegmentedScanOptions& options = {}) {
  const Impl::Calling calling("inclusive_scan_by_key");
  segmented_inclusive_scan(exec, in, segment_keys(keys, equal), out, op, init, options);
}
template <AnyView Keys, class In, class Out, class Op = Plus<>, class Equal = EqualKeys,
          class Init = NoCarry>
void inclusive_scan_by_key(const Keys& keys, const In& in, const Out& out, const Op& op = {},
                           const Equal& equal = {}, const Init& init = {},
                           const SegmentedScanOptions& options = {}) {
  inclusive_scan_by_key(typename Out::execution_space(), keys, in, out, op, equal, init, options);
}

/// @brief segmented_exclusive_scan of runs of equal keys: segments are
/// `segment_keys(keys, equal)`.
template <ExecutionSpace Exec, AnyView Keys, class In, class Out, class Op = Plus<>,
          class Equal = EqualKeys, class Init = NoCarry>
void exclusive_scan_by_key(const Exec& exec, const Keys& keys, const In& in, const Out& out,
                           const Op& op = {}, const Equal& equal = {}, const Init& init = {},
                           const SegmentedScanOptions& options = {}) {
  const Impl::Calling calling("exclusive_scan_by_key");
  segmented_exclusive_scan(exec, in, segment_keys(keys, equal), out, op, init, options);
}
template <AnyView Keys, class In, class Out, class Op = Plus<>, class Equal = EqualKeys,
          class Init = NoCarry>
void exclusive_scan_by_key(const Keys& keys, const In& in, const Out& out, const Op& op = {},
                           const Equal& equal = {}, const Init& init = {},
                           const SegmentedScanOptions& options = {}) {
  exclusive_scan_by_key(typename Out::execution_space(), keys, in, out, op, equal, init, options);
}

}  // namespace wavescan

#if defined(WAVESCAN_HAS_KERNELS)
#include <impl/segmented/WaveScan_Instantiations.hpp>
#endif

#endif
