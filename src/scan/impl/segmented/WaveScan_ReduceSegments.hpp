// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SEGMENTED_REDUCESEGMENTS_HPP
#define WAVESCAN_IMPL_SEGMENTED_REDUCESEGMENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_ScanOptions.hpp>
#include <WaveScan_SegmentDescriptions.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>
#include <impl/scan/WaveScan_Accessors.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/segmented/WaveScan_MakeHeads.hpp>
#include <impl/segmented/WaveScan_RunCounts.hpp>
#include <impl/segmented/WaveScan_RunSums.hpp>
#include <impl/segmented/WaveScan_ScanSegments.hpp>
#include <impl/segmented/WaveScan_SegmentChecks.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>
#include <impl/segmented/host/WaveScan_PartReduction.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/segmented/gpu/WaveScan_TileReduction.hpp>
#endif

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief A segmented reduction is an inclusive scan that keeps the last result of every segment.

namespace wavescan::Impl {

/// @brief Marks that no run is known to be a segment yet.
struct ClearRuns {
  Index* list;
  KOKKOS_FUNCTION void operator()(const Index run) const { list[run] = -1; }
};

/// @brief Finds the segment that each run is.
struct ResolveRuns {
  SegmentRanges segments;
  RunCounts counts;
  Index length;
  const BitWord* has_empty;
  Index* list;
  Index tasks;  ///< each takes every so many of the segments, if there is anything to do
  KOKKOS_FUNCTION void operator()(const Index task) const {
    if (*has_empty == 0) return;
    for (Index s = task; s < segments.begins.size; s += tasks) resolve(s);
  }

 private:
  KOKKOS_FUNCTION void resolve(Index s) const {
    const Index from = segments.begins(s), to = segments.ends(s);
    if (from >= 0 && from < to && from < length) list[counts.run_of(from)] = s;
    if (s == segments.begins.size - 1 && !segments.apart && to >= 0 && to < length)
      list[counts.run_of(to)] = -1;  // what is behind the last segment
  }
};

/// @brief The number of segments that are told by their elements.
struct StoreCount {
  RunCounts counts;
  Index length, skipped;
  CountPlace place;
  KOKKOS_FUNCTION void operator()(const Index) const {
    place.store(length == 0 ? 0 : counts.heads_before(length) - skipped);
  }
};
template <class Count>
CountPlace place_of(const Count& count) {
  if constexpr (std::same_as<Count, NoCarry>)
    return {};
  else
    return {count.data(), static_cast<int>(sizeof(typename Count::value_type))};
}

/// @brief The key of every segment's first element, a word of heads at a time.
template <class Key>
struct KeepKeys {
  RunCounts counts;
  Index length;
  Lines<const Key> keys;
  Lines<Key> kept;
  Index size, skipped;
  KOKKOS_FUNCTION void operator()(const Index w) const {
    const Index first = w * word_bits;
    BitWord bits = counts.words[w];
    if (bits == 0) return;
    for (Index run = counts.heads_before(first) - skipped; bits != 0 && run < size; ++run) {
      const Index j = first + lowest_bit(bits);
      if (j < length && run >= 0) kept(0, run) = keys(0, j);
      bits &= bits - 1;
    }
  }
};

/// @brief Keeps the keys an element at a time, so that neighbouring threads of a device store
/// neighbouring keys.
template <class Key>
struct KeepKeyOfHead {
  KeepKeys<Key> all;
  KOKKOS_FUNCTION void operator()(const Index j) const {
    if (!Heads{all.counts.words}(j)) return;
    const Index run = all.counts.heads_before(j) - all.skipped;
    if (run >= 0 && run < all.size) all.kept(0, run) = all.keys(0, j);
  }
};

/// @brief The kernels that an execution space has of its own for reductions: by default none.
template <class Exec, class Op>
struct BackendSegmentSums {
  static constexpr bool takes_numbered = false, takes_runs = false;
  BackendSegmentSums(const Exec&, Index, Index) {}
  std::size_t bytes() const { return 0; }
};
template <class Exec, class Op>
  requires runs_on_host<Exec>
struct BackendSegmentSums<Exec, Op> : HostSegmentReduction<Exec, Op> {
  static constexpr bool takes_numbered = true, takes_runs = false;
  using HostSegmentReduction<Exec, Op>::HostSegmentReduction;
};
#if defined(WAVESCAN_HAS_GPU_KERNELS)
template <class Op>
  requires gpu_scannable<PlainRecurrence<Op>>
struct BackendSegmentSums<gpu::Device, Op> : GpuSegmentReduction<Op> {
  static constexpr bool takes_numbered = true, takes_runs = true;
  using GpuSegmentReduction<Op>::GpuSegmentReduction;
};
#endif

template <ExecutionSpace Exec, class Op>
class SegmentedReducePlan {
  using T = typename Op::value_type;
  using memory_space = typename Exec::memory_space;
  using Backend = BackendSegmentSums<Exec, Op>;

 public:
  SegmentedReducePlan(std::string_view plan, const Exec& exec, Index elements, Index segments)
      : scan_(plan, exec, elements, true),
        segments_(
            (require(segments >= 0, plan, "segments", "must not be negative", segments), segments)),
        backend_(exec, elements, segments) {
    if (!Backend::takes_numbered) allocate(exec, *list_, "WaveScan::segmented::list", segments + 2);
    allocate(exec, count_, "WaveScan::segmented::count", 1);
  }

  /// @param count   View of rank 0 for the number of segments, or NoCarry
  /// @param unique  View for the key of each segment's first element, or NoCarry
  /// @param skipped runs at the beginning that are not counted: of segments that are told by their
  ///                elements, in a block of a longer array
  template <class In, class S, class Out, class Init, class Count, class Unique = NoCarry>
  void run(std::string_view operation, const Op& op, const In& in, const S& segments,
           const Out& out, const Init& init, const Count& count, const std::string& label,
           const Unique& unique = {}, Index skipped = 0) const {
    static_assert(ScanInput<In> && ViewOfRank<Out, 1>,
                  "WaveScan: 'in' and 'out' must be Views of rank 1");
    static_assert(In::rank() == 1 && reachable<In, Exec> && AccessibleFrom<Out, Exec>,
                  "WaveScan: 'in' and 'out' must be Views of rank 1 that the execution space can "
                  "reach");
    static_assert(std::same_as<typename Out::value_type, T>,
                  "WaveScan: 'out' must have the operator's value_type, and not be const");
    static_assert(std::convertible_to<typename In::value_type, T>,
                  "WaveScan: elements of 'in' must convert to the operator's value_type");
    static_assert(std::same_as<Init, NoCarry> || std::convertible_to<Init, T>,
                  "WaveScan: 'init' of a reduction must be a value of the operator's type");
    const Index length = scan_.elements();
    const auto& bits = scan_.bits();
    require_valid(operation, in, segments, out, count);
    const OperationRegion region(operation, label);

    State<T> enters{op.identity(), false};
    if constexpr (!std::same_as<Init, NoCarry>) enters = {static_cast<T>(init), true};
    const Lines<T> sums = scan_lines<T>(out, 0, 0, false);
    const auto size = static_cast<Index>(out.extent(0));
    const auto source = source_of(in, 0, length, false);
    if constexpr (are_numbered<S>) {
      if (size == 0) return;
      const SegmentRanges ranges = ranges_of(segments);
      if constexpr (Backend::takes_numbered) {
        backend_.enqueue(scan_.exec(), op, source, length, ranges, sums, enters,
                         {enters.value, enters.present || has_identity<Op>});
      } else {
        bits.enqueue(scan_.exec(), segments,
                     EmptySums<T>{sums, {enters.value, enters.present || has_identity<Op>}});
        if (length == 0) return;
        bits.enqueue_counts(scan_.exec());
        resolve(ranges);
        reduce_by_scan(op, source, enters, {list_->data(), bits.has_empty(), 0}, sums, size);
      }
    } else {
      const bool counted = bits.enqueue(scan_.exec(), segments);
      bits.enqueue_counts(scan_.exec(), counted);
      if (Backend::takes_runs && length > 0)
        return enqueue_runs(op, source, enters, {sums, size, place_of(count), skipped}, segments,
                            unique);
      if constexpr (!std::same_as<Count, NoCarry>)
        enqueue_items(scan_.exec(), "WaveScan::segmented::store_count", 1, 4e-9,
                      StoreCount{bits.counts(), length, skipped, place_of(count)});
      if constexpr (!Backend::takes_runs) {
        if (length == 0) return;
        if constexpr (!std::same_as<Unique, NoCarry>) keep_keys(segments.keys, unique, skipped);
        reduce_by_scan(op, source, enters, {nullptr, nullptr, skipped}, sums, size);
      }
    }
  }

  /// @brief A place for the number of segments, for those who wait for it.
  Kokkos::View<Index, memory_space> count() const {
    return Kokkos::View<Index, memory_space>(count_.data());
  }
  const Exec& exec() const { return scan_.exec(); }
  Index elements() const { return scan_.elements(); }
  Index segments() const { return segments_; }
  const SegmentedScanPlan<Exec, Op>& scan() const { return scan_; }
  std::size_t bytes() const {
    return scan_.bytes() + (list_->size() + count_.size()) * sizeof(Index) + backend_.bytes();
  }

  template <class In, class S, class Out, class Count>
  void require_valid(std::string_view operation, const In& in, const S& segments, const Out& out,
                     const Count& count) const {
    const Footprint from = footprint_of(in), to = out;
    require(
        from.extent[0] == elements(), operation, "in",
        [&] { return "must have the plan's " + std::to_string(elements()) + " elements"; },
        from.extent[0]);
    require_segments<Exec>(operation, segments, elements());
    if constexpr (are_numbered<S>) {
      require(
          count_of(segments) <= segments_, operation, "segments",
          [&] { return "must be at most the plan's " + std::to_string(segments_); },
          count_of(segments));
      require(
          to.extent[0] == count_of(segments), operation, "out",
          [&] {
            return "must have an element for each of the " + std::to_string(count_of(segments)) +
                   " segments";
          },
          to.extent[0]);
    }
    require_distinct_elements(operation, "out", to);
    require_disjoint(operation, "in", from, "out", to);
    require_disjoint_from_segments(operation, segments, "out", to);
    if constexpr (!std::same_as<Count, NoCarry>) {
      static_assert(
          ViewOfRank<Count, 0> && WritableView<Count> && AccessibleFrom<Count, Exec> &&
              std::integral<typename Count::value_type>,
          "WaveScan: 'count' must be a View of rank 0 of an integer that the execution space can "
          "write");
      static_assert(!are_numbered<S>,
                    "WaveScan: the number of segments is known where they are told by offsets");
      require(count.data() != nullptr, operation, "count", "must be allocated",
              "a View without memory");
      require_disjoint(operation, "in", from, "count", count);
      require_disjoint(operation, "out", to, "count", count);
      require_disjoint_from_segments(operation, segments, "count", count);
    }
  }

 private:
  /// @brief Enqueues an inclusive scan that keeps the last result of every run.
  template <class Source>
  void reduce_by_scan(const Op& op, const Source& source, const State<T>& enters,
                      const SegmentOfRun& segment, const Lines<T>& sums, Index size) const {
    using R = PlainRecurrence<Op>;
    const auto& bits = scan_.bits();
    scan_.enqueue(ScanProblem<SegmentedRecurrence<R>, Through<Source, TailTarget<T>>>{
        {R{op}, bits.heads(false), {enters}},
        ScanKind::Inclusive,
        {1, scan_.elements()},
        source,
        TailTarget<T>{bits.words(), bits.counts(), segment, sums, size},
        {{op.identity(), true}, {}},
        {}});
  }

  /// @brief Enqueues the sums of runs by the kernels of the execution space.
  template <class Source, class S, class Unique>
  void enqueue_runs(const Op& op, const Source& source, const State<T>& enters,
                    const RunSums<T>& runs, const S& segments, const Unique& unique) const {
    const auto& bits = scan_.bits();
    const auto enqueue_to = [&]([[maybe_unused]] const auto& target) {
      if constexpr (Backend::takes_runs)
        backend_.enqueue(scan_.exec(), op, source, scan_.elements(), bits.heads(false),
                         bits.counts(), enters, target);
    };
    if constexpr (std::same_as<Unique, NoCarry>) {
      enqueue_to(runs);
    } else {
      using Key = typename Unique::value_type;
      enqueue_to(KeyedSums<T, Key>{runs, scan_lines<const Key>(segments.keys, 0, 0, false),
                                   scan_lines<Key>(unique, 0, 0, false),
                                   static_cast<Index>(unique.extent(0))});
    }
  }

  /// @brief Enqueues the first key of each segment.
  template <class Keys, class Unique>
  void keep_keys(const Keys& keys, const Unique& unique, Index skipped) const {
    using Key = typename Unique::value_type;
    const Index length = scan_.elements();
    const KeepKeys<Key> keep{scan_.bits().counts(),
                             length,
                             scan_lines<const Key>(keys, 0, 0, false),
                             scan_lines<Key>(unique, 0, 0, false),
                             static_cast<Index>(unique.extent(0)),
                             skipped};
    const char* const name = "WaveScan::segmented::keep_keys";
    if constexpr (runs_on_host<Exec>)
      enqueue_items(scan_.exec(), name, words_for(length), 10e-9, keep);
    else
      enqueue_items(scan_.exec(), name, length, 1e-9, KeepKeyOfHead<Key>{keep});
  }

  void resolve(const SegmentRanges& ranges) const {
    const auto& bits = scan_.bits();
    if (ranges.apart) {
      allocate(scan_.exec(), *list_, "WaveScan::segmented::list", 2 * segments_ + 2);
      enqueue_items(scan_.exec(), "WaveScan::segmented::clear_runs",
                    static_cast<Index>(list_->size()), 1e-9, ClearRuns{list_->data()});
    }
    const Index tasks =
        std::min<Index>(ranges.begins.size, std::max<Index>(resident_teams(scan_.exec(), 1), 1));
    enqueue_items(scan_.exec(), "WaveScan::segmented::resolve", tasks,
                  5e-9 * static_cast<double>(ranges.begins.size) / static_cast<double>(tasks),
                  ResolveRuns{ranges, bits.counts(), scan_.elements(), bits.has_empty(),
                              list_->data(), tasks});
  }

  SegmentedScanPlan<Exec, Op> scan_;
  Index segments_;
  Backend backend_;
  std::shared_ptr<Kokkos::View<Index*, memory_space>> list_ =
      std::make_shared<Kokkos::View<Index*, memory_space>>();  ///< of runs' segments
  Kokkos::View<Index*, memory_space> count_;
};

}  // namespace wavescan::Impl

#endif
