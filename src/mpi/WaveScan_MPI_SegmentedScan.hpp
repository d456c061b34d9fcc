// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_SEGMENTEDSCAN_HPP
#define WAVESCAN_MPI_SEGMENTEDSCAN_HPP

#include <WaveScan_Algebras.hpp>
#include <WaveScan_AsOperator.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_SegmentDescriptions.hpp>
#include <WaveScan_SegmentedScan.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_BlockHeads.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_OpenSegments.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/scan/WaveScan_MakeScanProblem.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanArguments.hpp>
#include <impl/segmented/WaveScan_ScanSegments.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

/// @file
/// @brief Segmented scans of arrays that are distributed over the processes of a communicator.
///
/// Source: G. E. Blelloch, "Prefix Sums and Their Applications", 1990, section 1.5 (a segmented
/// scan is a scan of pairs).

namespace wavescan::mpi {

/// @brief A plan for segmented scans of a distributed array, which owns buffers and a communicator.
///
/// Every process holds a block of consecutive elements, of any length, also 0; blocks follow each
/// other in the order of ranks, and segments may go through any number of them. A call gives on
/// each process what wavescan::SegmentedScan gives for the block of the whole array. Each process
/// describes its block:
/// - segment_heads(flags): the first element's flag tells, too, whether a segment begins there;
/// - segment_keys(keys): the first key is compared with the last one of the processes before;
/// - segment_offsets(offsets): of the segments that begin on this process, from the block's first
///   element; the last offset is the number of elements. What is before offsets(0) belongs to the
///   last segment that began on a process before; so a process on which none begins has one
///   offset. A last segment without elements here goes on, or is, on the next process.
///
/// All functions are collective, as those of mpi::Scan: what one process finds wrong all of them
/// throw, and none has written any result by then.
///
/// Cost, for blocks of n elements on P processes: descriptions are read once; of elements, those
/// from the last begin of a segment on are read twice on hosts, all of them on GPUs; ceil(log2 P)
/// messages of one state after each other, one reduction of 208 bytes, and one number or one key
/// of each process where segments are told by flags or keys. Waits. Memory: that of
/// wavescan::SegmentedScan and of one wavescan::Scan.
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

  /// @param comm     communicator, which the plan duplicates
  /// @param exec     instance that all calls enqueue on
  /// @param elements of this process' block
  /// @param combine  operator or algebra, the same on all processes
  /// @throws std::invalid_argument if `elements` is negative on any process
  SegmentedScan(MPI_Comm comm, const Exec& exec, std::int64_t elements, const Combine& combine = {})
      : transport_(exec, Impl::mpi::Communicator::duplicate("mpi::SegmentedScan", comm)),
        combine_(combine) {
    Impl::mpi::together(
        transport_.comm(), "mpi::SegmentedScan",
        {{"operation", Impl::mpi::number_of_call<SegmentedScan>("mpi::SegmentedScan")}}, [&] {
          local_.emplace("mpi::SegmentedScan", exec, elements);
          open_ = decltype(open_)(transport_, elements);
        });
  }

  /// @brief See mpi::segmented_inclusive_scan.
  template <class In, Segments S, class Out, class Init = NoCarry>
    requires Operator<Combine>
  void inclusive(const In& in, const S& segments, const Out& out, const Init& init = {},
                 const SegmentedScanOptions& options = {}) const {
    run_plain("mpi::segmented_inclusive_scan", Impl::ScanKind::Inclusive, in, segments, out, init,
              options);
  }
  /// @brief See mpi::segmented_exclusive_scan.
  template <class In, Segments S, class Out, class Init = NoCarry>
    requires Operator<Combine>
  void exclusive(const In& in, const S& segments, const Out& out, const Init& init = {},
                 const SegmentedScanOptions& options = {}) const {
    static_assert(Impl::has_identity<Combine> || !std::same_as<Init, NoCarry>,
                  "WaveScan: an exclusive scan starts with a value of yours, 'init', the operator "
                  "having no identity");
    run_plain("mpi::segmented_exclusive_scan", Impl::ScanKind::Exclusive, in, segments, out, init,
              options);
  }
  /// @brief See mpi::segmented_weighted_scan.
  template <class In, class Weight, Segments S, class Out, class Init = NoCarry>
    requires Algebra<Combine>
  void weighted(const In& in, const Weight& weight, const S& segments, const Out& out,
                const Init& init = {}, const SegmentedScanOptions& options = {}) const {
    run_weighted("mpi::segmented_weighted_scan", Impl::ScanKind::Inclusive, in, weight, segments,
                 out, init, options);
  }
  /// @brief See mpi::segmented_weighted_exclusive_scan.
  template <class In, class Weight, Segments S, class Out, class Init = NoCarry>
    requires Algebra<Combine>
  void weighted_exclusive(const In& in, const Weight& weight, const S& segments, const Out& out,
                          const Init& init = {}, const SegmentedScanOptions& options = {}) const {
    run_weighted("mpi::segmented_weighted_exclusive_scan", Impl::ScanKind::Exclusive, in, weight,
                 segments, out, init, options);
  }

  /// @brief Elements of this process' block.
  std::int64_t elements() const { return local_->elements(); }
  /// @brief Bytes of the execution space's memory that the plan holds.
  std::size_t workspace_bytes() const { return local_->bytes() + open_.bytes(); }

 private:
  using recurrence_type = decltype(Impl::mpi::recurrence_of(std::declval<const Combine&>()));

  template <class In, class S, class Out, class Init>
  void run_plain(std::string_view operation, Impl::ScanKind kind, const In& in, const S& segments,
                 const Out& out, const Init& init, const SegmentedScanOptions& options) const {
    if constexpr (Impl::can_be_scanned<In, Out>())
      run<Init>(operation, segments, options, [&] {
        return local_->make_problem(operation, kind, Impl::PlainRecurrence<Combine>{combine_}, {},
                                    in, segments, out, init, options.reverse);
      });
  }
  template <class In, class Weight, class S, class Out, class Init>
  void run_weighted(std::string_view operation, Impl::ScanKind kind, const In& in,
                    const Weight& weight, const S& segments, const Out& out, const Init& init,
                    const SegmentedScanOptions& options) const {
    if constexpr (Impl::can_be_scanned<In, Out>())
      run<Init, Weight>(operation, segments, options, [&] {
        const auto recurrence = Impl::weighted_recurrence<Exec, In>(
            operation, combine_, weight, ScanOptions().reverse(options.reverse));
        return local_->make_problem(operation, kind, recurrence, Impl::footprint_of_weight(weight),
                                    in, segments, out, init, options.reverse);
      });
  }

  /// @param make_problem gives the scan of this process' block, after checks
  template <class Init, class... Weight, class S, class MakeProblem>
  void run(std::string_view operation, const S& segments, const SegmentedScanOptions& options,
           const MakeProblem& make_problem) const;

  Impl::mpi::Transport<Exec> transport_;
  Combine combine_;
  std::optional<Impl::SegmentedScanPlan<Exec, Combine>> local_;
  Impl::mpi::OpenSegments<Exec, recurrence_type> open_;
};

template <ExecutionSpace Exec, class Combine>
template <class Init, class... Weight, class S, class MakeProblem>
void SegmentedScan<Exec, Combine>::run(std::string_view operation, const S& segments,
                                       const SegmentedScanOptions& options,
                                       const MakeProblem& make_problem) const {
  static_assert(std::same_as<Init, NoCarry> || std::convertible_to<Init, value_type>,
                "WaveScan: 'init' of a segmented scan over processes must be one value");
  using Problem = decltype(make_problem());
  const Impl::OperationRegion region(operation, options.label);
  const Exec& exec = transport_.exec();
  const Impl::mpi::Communicator& comm = transport_.comm();
  const auto recurrence = Impl::mpi::recurrence_of(combine_);
  const auto rank_at = [processes = comm.size(), reverse = options.reverse](int place) {
    return reverse ? processes - 1 - place : place;
  };

  std::optional<Problem> problem;
  Impl::mpi::BlockHeads heads;
  const std::exception_ptr error = Impl::mpi::exception_of([&] {
    problem.emplace(make_problem());
    if (elements() > 0) local_->bits().enqueue(exec, segments);
    heads =
        Impl::mpi::heads_of_block(operation, exec, segments, elements(), local_->bits().words());
    open_.reduce(*local_, *problem, heads);
  });
  // No result is written before all processes are known to be well.
  Impl::mpi::Agreement(
      comm, operation,
      {{"operation", Impl::mpi::number_of_call<SegmentedScan, S, Init, Weight...>(operation)},
       {"reverse", options.reverse}},
      error)
      .reach();
  Impl::mpi::complete_heads(comm, exec, segments, heads);
  const bool preceded = open_.exchange(transport_, recurrence, problem->recurrence.entry.common,
                                       heads, options.reverse, rank_at(comm.rank()), rank_at);
  if (preceded && !Impl::mpi::BlockEnds(heads, options.reverse).entered_anew)
    problem->recurrence.entry.set_continued(open_.entering());
  const std::exception_ptr late_error = Impl::mpi::exception_of([&] {
    if (elements() > 0) local_->enqueue(*problem);
  });
  // Where hosts run functions of the user, these may throw now what they did not before.
  if constexpr (Impl::runs_on_host<Exec>)
    Impl::mpi::Agreement(comm, operation, {}, late_error).reach();
  else if (late_error)
    std::rethrow_exception(late_error);
}

}  // namespace wavescan::mpi

namespace wavescan::Impl::mpi {

/// @brief Calls `use` with a plan for a block.
template <class T, ExecutionSpace Exec, class In, class Op, class Use>
void with_segmented_scan(MPI_Comm comm, const Exec& exec, const In& in, const Op& op,
                         const Use& use) {
  const auto combine = as_operator<T>(op);
  using Plan = wavescan::mpi::SegmentedScan<Exec, std::remove_const_t<decltype(combine)>>;
  use(Plan(comm, exec, elements_of(in), combine));
}

}  // namespace wavescan::Impl::mpi

namespace wavescan::mpi {

/// @brief Inclusive scan of every segment of a distributed array: see mpi::SegmentedScan for how
/// segments are told, and for the cost.
///
/// Collective over `comm`. Besides, duplicates the communicator; make a plan for repeated calls.
///
/// @param comm     communicator
/// @param exec     execution space instance; without it the default one of the output's space
/// @param in       block: View of rank 1, any layout, or transform_input or computed_input
/// @param segments of segment_offsets, segment_heads or segment_keys, for the block
/// @param out      View of the same length; may be `in` itself (in place); or transform_output
/// @param op       an associative operator, as inclusive_scan takes it
/// @param init     value that enters every segment, the same on all processes; none by default
/// @param options  direction, label
/// @throws std::invalid_argument on all processes, if one of them would in
/// wavescan::segmented_inclusive_scan, if offsets do not end with the number of the block's
/// elements, or if types or directions are not the same on all
template <ExecutionSpace Exec, class In, Segments S, class Out, class Op = Plus<>,
          class Init = NoCarry>
void segmented_inclusive_scan(MPI_Comm comm, const Exec& exec, const In& in, const S& segments,
                              const Out& out, const Op& op = {}, const Init& init = {},
                              const SegmentedScanOptions& options = {}) {
  const Impl::Calling calling("mpi::segmented_inclusive_scan");
  Impl::mpi::with_segmented_scan<typename Impl::ScanType<Out, Op>::type>(
      comm, exec, in, op,
      [&](const auto& plan) { plan.inclusive(in, segments, out, init, options); });
}
/// @brief Overload on the default instance.
template <class In, Segments S, class Out, class Op = Plus<>, class Init = NoCarry>
  requires(!ExecutionSpace<In>)
void segmented_inclusive_scan(MPI_Comm comm, const In& in, const S& segments, const Out& out,
                              const Op& op = {}, const Init& init = {},
                              const SegmentedScanOptions& options = {}) {
  segmented_inclusive_scan(comm, typename Out::execution_space(), in, segments, out, op, init,
                           options);
}

/// @brief Exclusive scan of every segment of a distributed array: see
/// mpi::segmented_inclusive_scan and wavescan::segmented_exclusive_scan.
template <ExecutionSpace Exec, class In, Segments S, class Out, class Op = Plus<>,
          class Init = NoCarry>
void segmented_exclusive_scan(MPI_Comm comm, const Exec& exec, const In& in, const S& segments,
                              const Out& out, const Op& op = {}, const Init& init = {},
                              const SegmentedScanOptions& options = {}) {
  const Impl::Calling calling("mpi::segmented_exclusive_scan");
  Impl::mpi::with_segmented_scan<typename Impl::ScanType<Out, Op>::type>(
      comm, exec, in, op,
      [&](const auto& plan) { plan.exclusive(in, segments, out, init, options); });
}
/// @brief Overload on the default instance.
template <class In, Segments S, class Out, class Op = Plus<>, class Init = NoCarry>
  requires(!ExecutionSpace<In>)
void segmented_exclusive_scan(MPI_Comm comm, const In& in, const S& segments, const Out& out,
                              const Op& op = {}, const Init& init = {},
                              const SegmentedScanOptions& options = {}) {
  segmented_exclusive_scan(comm, typename Out::execution_space(), in, segments, out, op, init,
                           options);
}

/// @brief Weighted scan of every segment of a distributed array: see mpi::segmented_inclusive_scan
/// and wavescan::segmented_weighted_scan. `weight` is one weight, the same on all processes, or a
/// View of the block's.
template <ExecutionSpace Exec, class In, class Weight, Segments S, class Out, class A = PlusTimes<>,
          class Init = NoCarry>
void segmented_weighted_scan(MPI_Comm comm, const Exec& exec, const In& in, const Weight& weight,
                             const S& segments, const Out& out, const A& algebra = {},
                             const Init& init = {}, const SegmentedScanOptions& options = {}) {
  const Impl::Calling calling("mpi::segmented_weighted_scan");
  Impl::mpi::with_segmented_scan<typename Impl::ScanType<Out, A>::type>(
      comm, exec, in, algebra,
      [&](const auto& plan) { plan.weighted(in, weight, segments, out, init, options); });
}
/// @brief Overload on the default instance.
template <class In, class Weight, Segments S, class Out, class A = PlusTimes<>,
          class Init = NoCarry>
  requires(!ExecutionSpace<In>)
void segmented_weighted_scan(MPI_Comm comm, const In& in, const Weight& weight, const S& segments,
                             const Out& out, const A& algebra = {}, const Init& init = {},
                             const SegmentedScanOptions& options = {}) {
  segmented_weighted_scan(comm, typename Out::execution_space(), in, weight, segments, out, algebra,
                          init, options);
}

/// @brief The weighted scan before each element, of every segment of a distributed array: see
/// mpi::segmented_weighted_scan and wavescan::segmented_weighted_exclusive_scan.
template <ExecutionSpace Exec, class In, class Weight, Segments S, class Out, class A = PlusTimes<>,
          class Init = NoCarry>
void segmented_weighted_exclusive_scan(MPI_Comm comm, const Exec& exec, const In& in,
                                       const Weight& weight, const S& segments, const Out& out,
                                       const A& algebra = {}, const Init& init = {},
                                       const SegmentedScanOptions& options = {}) {
  const Impl::Calling calling("mpi::segmented_weighted_exclusive_scan");
  Impl::mpi::with_segmented_scan<typename Impl::ScanType<Out, A>::type>(
      comm, exec, in, algebra,
      [&](const auto& plan) { plan.weighted_exclusive(in, weight, segments, out, init, options); });
}
/// @brief Overload on the default instance.
template <class In, class Weight, Segments S, class Out, class A = PlusTimes<>,
          class Init = NoCarry>
  requires(!ExecutionSpace<In>)
void segmented_weighted_exclusive_scan(MPI_Comm comm, const In& in, const Weight& weight,
                                       const S& segments, const Out& out, const A& algebra = {},
                                       const Init& init = {},
                                       const SegmentedScanOptions& options = {}) {
  segmented_weighted_exclusive_scan(comm, typename Out::execution_space(), in, weight, segments,
                                    out, algebra, init, options);
}

/// @brief mpi::segmented_inclusive_scan of runs of equal keys.
template <ExecutionSpace Exec, AnyView Keys, class In, class Out, class Op = Plus<>,
          class Equal = EqualKeys, class Init = NoCarry>
void inclusive_scan_by_key(MPI_Comm comm, const Exec& exec, const Keys& keys, const In& in,
                           const Out& out, const Op& op = {}, const Equal& equal = {},
                           const Init& init = {}, const SegmentedScanOptions& options = {}) {
  const Impl::Calling calling("mpi::inclusive_scan_by_key");
  segmented_inclusive_scan(comm, exec, in, segment_keys(keys, equal), out, op, init, options);
}
/// @brief Overload on the default instance.
template <AnyView Keys, class In, class Out, class Op = Plus<>, class Equal = EqualKeys,
          class Init = NoCarry>
void inclusive_scan_by_key(MPI_Comm comm, const Keys& keys, const In& in, const Out& out,
                           const Op& op = {}, const Equal& equal = {}, const Init& init = {},
                           const SegmentedScanOptions& options = {}) {
  inclusive_scan_by_key(comm, typename Out::execution_space(), keys, in, out, op, equal, init,
                        options);
}

/// @brief mpi::segmented_exclusive_scan of runs of equal keys.
template <ExecutionSpace Exec, AnyView Keys, class In, class Out, class Op = Plus<>,
          class Equal = EqualKeys, class Init = NoCarry>
void exclusive_scan_by_key(MPI_Comm comm, const Exec& exec, const Keys& keys, const In& in,
                           const Out& out, const Op& op = {}, const Equal& equal = {},
                           const Init& init = {}, const SegmentedScanOptions& options = {}) {
  const Impl::Calling calling("mpi::exclusive_scan_by_key");
  segmented_exclusive_scan(comm, exec, in, segment_keys(keys, equal), out, op, init, options);
}
/// @brief Overload on the default instance.
template <AnyView Keys, class In, class Out, class Op = Plus<>, class Equal = EqualKeys,
          class Init = NoCarry>
void exclusive_scan_by_key(MPI_Comm comm, const Keys& keys, const In& in, const Out& out,
                           const Op& op = {}, const Equal& equal = {}, const Init& init = {},
                           const SegmentedScanOptions& options = {}) {
  exclusive_scan_by_key(comm, typename Out::execution_space(), keys, in, out, op, equal, init,
                        options);
}

}  // namespace wavescan::mpi

#endif
