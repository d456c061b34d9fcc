// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_SCANSEGMENTS_HPP
#define WAVESCAN_IMPL_SEGMENTED_SCANSEGMENTS_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <WaveScan_SegmentDescriptions.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/scan/WaveScan_MakeScanProblem.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanArguments.hpp>
#include <impl/scan/WaveScan_ScanWorkspace.hpp>
#include <impl/segmented/WaveScan_MakeHeads.hpp>
#include <impl/segmented/WaveScan_SegmentChecks.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// @file
/// @brief A segmented scan is a scan whose recurrence knows the heads: first these, then that.

namespace wavescan::Impl {

/// @brief The segment of runs that a scan by this operator or algebra has.
template <class Combine>
struct SegmentedWorkspace {
  using recurrence = WeightedRecurrence<Combine, ConstantWeight<typename Combine::weight_type>>;
};
template <Operator Combine>
struct SegmentedWorkspace<Combine> {
  using recurrence = PlainRecurrence<Combine>;
};

/// @brief Tells profilers of an operation while it lives.
class OperationRegion {
 public:
  OperationRegion(std::string_view operation, const std::string& label) {
    if (Kokkos::Tools::profileLibraryLoaded())
      static_cast<void>(region_.emplace(
          label.empty() ? "WaveScan::" + std::string(Calling::operation(operation)) : label));
  }

 private:
  std::optional<Kokkos::Profiling::ScopedRegion> region_;
};

template <ExecutionSpace Exec, class Combine>
class SegmentedScanPlan {
  using value_type = typename Combine::value_type;
  using workspace_recurrence =
      SegmentedRecurrence<typename SegmentedWorkspace<Combine>::recurrence>;

 public:
  SegmentedScanPlan(std::string_view plan, const Exec& exec, Index elements, bool counts = false)
      : exec_(exec),
        bits_(
            exec,
            (require(elements >= 0, plan, "elements", "must not be negative", elements), elements),
            counts) {
    workspace_ = make_workspace<decltype(workspace_)>(exec, LineExtents{1, elements});
  }

  template <class In, class Weight, class S, class Out, class Init, class Options>
  void run_weighted(std::string_view operation, ScanKind kind, const Combine& algebra, const In& in,
                    const Weight& weight, const S& segments, const Out& out, const Init& init,
                    const Options& options) const {
    if constexpr (can_be_scanned<In, Out>())
      run(operation, kind,
          weighted_recurrence<Exec, In>(operation, algebra, weight,
                                        ScanOptions().reverse(options.reverse)),
          footprint_of_weight(weight), in, segments, out, init, options);
  }

  template <class Recurrence, class In, class S, class Out, class Init, class Options>
  void run(std::string_view operation, ScanKind kind, const Recurrence& recurrence,
           const std::optional<Footprint>& weight, const In& in, const S& segments, const Out& out,
           const Init& init, const Options& options) const {
    if constexpr (can_be_scanned<In, Out>()) {
      auto problem = make_problem(operation, kind, recurrence, weight, in, segments, out, init,
                                  options.reverse);
      if (elements() == 0) return;
      const OperationRegion region(operation, options.label);
      if constexpr (!are_numbered<S>)
        if (enqueue_tiles(problem, head_test(segments))) return;
      if constexpr (is_offset_segments<S> && runs_on_host<Exec>)
        if (!options.reverse)
          return enqueue_scan(workspace_, exec_, problem,
                              bits_.in_blocks(OffsetArray(segments.offsets)));
      bits_.enqueue(exec_, segments);
      if constexpr (is_range_segments<S>) {
        const Heads inside = bits_.enqueue_cover(exec_, ranges_of(segments), options.reverse);
        using Target = MaskedTarget<std::remove_const_t<decltype(problem.out)>>;
        enqueue_to(problem, Target{problem.out, inside});
      } else {
        enqueue_scan(workspace_, exec_, problem);
      }
    }
  }

  /// @brief Checks arguments and gathers them.
  template <class Recurrence, class In, class S, class Out, class Init>
  auto make_problem(std::string_view operation, ScanKind kind, const Recurrence& recurrence,
                    const std::optional<Footprint>& weight, const In& in, const S& segments,
                    const Out& out, const Init& init, bool reverse) const {
    static_assert(In::rank() == 1, "WaveScan: segmented scans take Views of rank 1");
    using Value = typename Recurrence::value_type;
    const SegmentedRecurrence<Recurrence> segmented{
        recurrence, bits_.heads(reverse),
        entry<Value>(operation, recurrence, segments, out, init, reverse)};
    // Something always enters, since the first element begins a segment.
    auto problem = make_scan_problem<Exec>(operation, kind, {1, elements()}, segmented, weight, in,
                                           out, ScanOptions().reverse(reverse));
    problem.carry_in.common = {recurrence.identity(), true};
    require_segments<Exec>(operation, segments, elements());
    require_disjoint_from_segments(operation, segments, "out",
                                   footprint_of(out).within(footprint_of(in)));
    return problem;
  }

  /// @brief Enqueues a scan whose results go elsewhere.
  template <class Recurrence, class In, class Target>
  void enqueue_to(const ScanProblem<Recurrence, In>& problem, const Target& target) const {
    const ScanProblem<Recurrence, Through<std::remove_cvref_t<decltype(problem.in)>, Target>> other{
        problem.recurrence,
        problem.kind,
        problem.extents,
        problem.in,
        target,
        problem.carry_in,
        {}};
    enqueue_scan(workspace_, exec_, other);
  }

  /// @brief Enqueues a scan by a kernel for which `told` tells heads, if there is one.
  template <class Problem, class Told>
  bool enqueue_tiles(const Problem& problem, const Told& told) const {
    if constexpr (tells_heads_by_values<Exec>)
      return workspace_.backend().enqueue_tiles(exec_, problem, told);
    else
      return false;
  }
  template <class Problem>
  void enqueue(const Problem& problem) const {
    enqueue_scan(workspace_, exec_, problem);
  }

  const Exec& exec() const { return exec_; }
  const HeadBits<Exec>& bits() const { return bits_; }
  Index elements() const { return bits_.length(); }
  std::size_t bytes() const { return bits_.bytes() + workspace_.bytes(); }

 private:
  /// @brief The states that enter segments.
  template <class Value, class Recurrence, class S, class Out, class Init>
  SegmentEntry<Value> entry(std::string_view operation, const Recurrence& recurrence,
                            const S& segments, const Out& out, const Init& init,
                            bool reverse) const {
    SegmentEntry<Value> entry{{recurrence.identity(), false}};
    if constexpr (AnyView<Init>) {
      static_assert(Init::rank() == 1 && AccessibleFrom<Init, Exec>,
                    "WaveScan: 'init' must be a View of rank 1 that the execution space can reach");
      static_assert(are_numbered<S>,
                    "WaveScan: initial values for each segment take segments that are told by "
                    "offsets");
      require_segments<Exec>(operation, segments, elements());  // before they are counted
      const Footprint states(init);
      require(
          states.extent[0] == count_of(segments), operation, "init",
          [&] {
            return "must have a value for each of the " + std::to_string(count_of(segments)) +
                   " segments";
          },
          states.extent[0]);
      require_disjoint(operation, "init", states, "out", footprint_of(out));
      entry.each = lines_of_carries<const Value>(init);
      entry.begins = ranges_of(segments).begins;
      if (reverse) entry.first = elements() - 1, entry.step = -1;
    } else if constexpr (!std::same_as<Init, NoCarry>) {
      static_assert(std::convertible_to<Init, Value>,
                    "WaveScan: 'init' must be a View or convert to the scan's type");
      entry.common = {static_cast<Value>(init), true};
    }
    return entry;
  }

  Exec exec_;
  HeadBits<Exec> bits_;
  ScanWorkspace<Exec, value_type, typename workspace_recurrence::segment_type> workspace_;
};

}  // namespace wavescan::Impl

#endif
