// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_SEGMENTEDREDUCE_HPP
#define WAVESCAN_MPI_SEGMENTEDREDUCE_HPP

#include <WaveScan_AsOperator.hpp>
#include <WaveScan_Concepts.hpp>
#include <WaveScan_MPI_DataSliding.hpp>
#include <WaveScan_Operators.hpp>
#include <WaveScan_ScanInputs.hpp>
#include <WaveScan_SegmentDescriptions.hpp>
#include <WaveScan_SegmentedReduce.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_BlockHeads.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_OpenSegments.hpp>
#include <impl/WaveScan_MPI_SegmentExchange.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/scan/WaveScan_Accessors.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanArguments.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/segmented/WaveScan_ReduceSegments.hpp>
#include <impl/segmented/WaveScan_ScanSegments.hpp>
#include <impl/segmented/WaveScan_SegmentChecks.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <type_traits>

/// @file
/// @brief Reductions of the segments of arrays that are distributed over processes.

namespace wavescan::Impl::mpi {

/// @brief An operator whose operands come in the opposite order: scans backwards with it reduce
/// elements in their own order.
template <class Op>
struct Flipped {
  using value_type = typename Op::value_type;
  static constexpr bool has_identity = Impl::has_identity<Op>;
  Op op;
  KOKKOS_FUNCTION value_type operator()(const value_type& a, const value_type& b) const {
    return op(b, a);
  }
  KOKKOS_FUNCTION value_type identity() const { return op.identity(); }
};

/// @brief Adds what later processes have of the last segment that begins here.
template <class Op>
struct CompleteLast {
  using T = typename Op::value_type;
  Op op;
  State<T> init;
  bool begins_behind;  ///< the segment has no elements here
  const State<T>* rest;
  T* last;
  KOKKOS_FUNCTION void operator()(const Index) const {
    if (!rest->present) return;
    *last = begins_behind ? init.present ? op(init.value, rest->value) : rest->value
                          : op(*last, rest->value);
  }
};

}  // namespace wavescan::Impl::mpi

namespace wavescan::mpi {

/// @brief A plan for segmented reductions of a distributed array, which owns buffers and a
/// communicator.
///
/// Blocks and descriptions of segments are those of mpi::SegmentedScan. Each process gets the
/// results of the segments that begin on it, however many processes these go through. Operands keep
/// their order. All functions are collective and wait; errors are those of mpi::SegmentedScan.
///
/// Cost: wavescan::segmented_reduce of the block, a second look at the elements before the first
/// begin of a segment on hosts, at all of them on GPUs; ceil(log2 P) messages of one value after
/// each other, one reduction of 208 bytes, and up to two numbers and a key of each process.
///
/// @tparam Exec execution space
/// @tparam Op   an Operator
template <ExecutionSpace Exec, Operator Op>
class SegmentedReduction {
 public:
  /// @brief Type of the results.
  using value_type = typename Op::value_type;

  /// @param comm     communicator, which the plan duplicates
  /// @param exec     instance that all calls enqueue on
  /// @param elements of this process' block
  /// @param segments that begin here, at most, of those that are told by offsets; 0 if none are
  /// @param op       operator, the same on all processes
  /// @throws std::invalid_argument if a number is negative on any process
  SegmentedReduction(MPI_Comm comm, const Exec& exec, std::int64_t elements, std::int64_t segments,
                     const Op& op = {})
      : transport_(exec, Impl::mpi::Communicator::duplicate("mpi::SegmentedReduction", comm)),
        op_(op) {
    constexpr std::string_view name = "mpi::SegmentedReduction";
    Impl::mpi::together(transport_.comm(), name,
                        {{"operation", Impl::mpi::number_of_call<SegmentedReduction>(name)}}, [&] {
                          local_.emplace(name, exec, elements, segments);
                          backwards_.emplace(name, exec, elements);
                          open_ = decltype(open_)(transport_, elements);
                        });
  }

  /// @brief See mpi::segmented_reduce.
  template <class In, Segments S, class Out, class Init = NoCarry>
  Kept reduce(const In& in, const S& segments, const Out& out, const Init& init = {}) const {
    return run("mpi::segmented_reduce", in, segments, out, init, NoCarry(), [] {});
  }

  /// @brief See mpi::reduce_by_key.
  template <AnyView Keys, class In, AnyView Unique, class Out, class Equal = EqualKeys,
            class Init = NoCarry>
  Kept reduce_by_key(const Keys& keys, const In& in, const Unique& unique, const Out& out,
                     const Equal& equal = {}, const Init& init = {}) const {
    constexpr std::string_view name = "mpi::reduce_by_key";
    const Impl::Calling calling(name);
    static_assert(ViewOfRank<Unique, 1> && WritableView<Unique> && AccessibleFrom<Unique, Exec>,
                  "WaveScan: 'unique' must be a View of rank 1 that the execution space can write");
    static_assert(std::same_as<typename Unique::value_type, typename Keys::non_const_value_type>,
                  "WaveScan: 'unique' must have the type of the keys");
    return run(name, in, segment_keys(keys, equal), out, init, unique,
               [&] { Impl::require_separate_keys(name, keys, in, unique, out); });
  }

  /// @brief Elements of this process' block.
  std::int64_t elements() const { return local_->elements(); }
  /// @brief Bytes of the execution space's memory that the plan holds.
  std::size_t workspace_bytes() const {
    return local_->bytes() + backwards_->bytes() + open_.bytes();
  }

 private:
  using flipped_type = Impl::mpi::Flipped<Op>;
  using recurrence_type = Impl::PlainRecurrence<flipped_type>;

  /// @brief A scan of the block from its last element to its first.
  template <class In>
  auto backwards(const In& in) const {
    const auto source = Impl::source_of(in, 0, elements(), true);
    using Source = std::remove_const_t<decltype(source)>;
    const value_type identity = op_.identity();
    return Impl::ScanProblem<Impl::SegmentedRecurrence<recurrence_type>,
                             Impl::Through<Source, Impl::NoTarget>>{
        {{{op_}}, backwards_->bits().heads(true), {{identity, false}}},
        Impl::ScanKind::Inclusive,
        {1, elements()},
        source,
        {},
        {{identity, true}, {}},
        {}};
  }

  /// @param unique View for the keys of segments that begin here, or NoCarry
  /// @param check throws if something is wrong that is not checked here
  template <class In, class S, class Out, class Init, class Unique, class Check>
  Kept run(std::string_view operation, const In& in, const S& segments, const Out& out,
           const Init& init, const Unique& unique, const Check& check) const;

  Impl::mpi::Transport<Exec> transport_;
  Op op_;
  std::optional<Impl::SegmentedReducePlan<Exec, Op>> local_;
  /// Of the elements before the first begin of a segment, which belong to a process before.
  std::optional<Impl::SegmentedScanPlan<Exec, flipped_type>> backwards_;
  Impl::mpi::OpenSegments<Exec, recurrence_type> open_;
};

template <ExecutionSpace Exec, Operator Op>
template <class In, class S, class Out, class Init, class Unique, class Check>
Kept SegmentedReduction<Exec, Op>::run(std::string_view operation, const In& in, const S& segments,
                                       const Out& out, const Init& init, const Unique& unique,
                                       const Check& check) const {
  using Impl::Index;
  static_assert(std::same_as<Init, NoCarry> || std::convertible_to<Init, value_type>,
                "WaveScan: 'init' of a reduction must be a value of the operator's type");
  const Impl::OperationRegion region(operation, {});
  const Exec& exec = transport_.exec();
  const Impl::mpi::Communicator& comm = transport_.comm();
  const auto rank_at = [last = comm.size() - 1](int place) { return last - place; };
  // Elements before the first segment that begins here are in none.
  const auto own = [&] {
    if constexpr (Impl::is_offset_segments<S>) {
      const auto part = [&](Index first) {
        return Kokkos::subview(segments.offsets,
                               Kokkos::pair(first, first + Impl::count_of(segments)));
      };
      return segment_offsets(part(0), part(1));
    } else {
      return segments;
    }
  };

  Impl::mpi::BlockHeads heads;
  const std::exception_ptr error = Impl::mpi::exception_of([&] {
    Impl::require_segments<Exec>(operation, segments, elements());
    local_->require_valid(operation, in, own(), out, NoCarry());
    check();
    if (elements() > 0) backwards_->bits().enqueue(exec, segments);
    heads = Impl::mpi::heads_of_block(operation, exec, segments, elements(),
                                      backwards_->bits().words());
    open_.reduce(*backwards_, backwards(in), heads);
  });
  // No result is written before all processes are known to be well.
  Impl::mpi::Agreement(
      comm, operation,
      {{"operation", Impl::mpi::number_of_call<SegmentedReduction, S, Init>(operation)}}, error)
      .reach();
  Impl::mpi::complete_heads(comm, exec, segments, heads);
  const bool followed = open_.exchange(transport_, recurrence_type{{op_}}, {op_.identity(), false},
                                       heads, true, rank_at(comm.rank()), rank_at);

  Index count = heads.segments;
  const std::exception_ptr late_error = Impl::mpi::exception_of([&] {
    if constexpr (Impl::is_offset_segments<S>) {
      local_->run(operation, op_, in, own(), out, init, NoCarry(), {});
    } else {
      const Index skipped = heads.elements > 0 && !heads.first_begins ? 1 : 0;
      local_->run(operation, op_, in, segments, out, init, local_->count(), {}, unique, skipped);
      Kokkos::deep_copy(exec, count, local_->count());
      exec.fence("WaveScan::mpi: the number of segments");
    }
    if (followed && count > 0 && count <= static_cast<Index>(out.extent(0))) {
      Impl::State<value_type> enters{op_.identity(), false};
      if constexpr (!std::same_as<Init, NoCarry>) enters = {static_cast<value_type>(init), true};
      Impl::enqueue_items(exec, "WaveScan::mpi::complete_last", 1, Impl::mpi::seconds_of_line,
                          Impl::mpi::CompleteLast<Op>{
                              op_, enters, heads.last_begins_behind, open_.entering(),
                              out.data() + (count - 1) * static_cast<Index>(out.stride(0))});
    }
  });
  if constexpr (Impl::runs_on_host<Exec>)
    Impl::mpi::Agreement(comm, operation, {}, late_error).reach();
  else if (late_error)
    std::rethrow_exception(late_error);
  return Impl::mpi::kept_of(comm, count);
}

}  // namespace wavescan::mpi

namespace wavescan::Impl::mpi {

/// @brief Calls `use` with a plan for a block.
template <class T, ExecutionSpace Exec, class In, class Op, class Use>
auto with_segmented_reduction(MPI_Comm comm, const Exec& exec, const In& in, Index segments,
                              const Op& op, const Use& use) {
  const auto combine = as_operator<T>(op);
  using Plan = wavescan::mpi::SegmentedReduction<Exec, std::remove_const_t<decltype(combine)>>;
  return use(Plan(comm, exec, static_cast<Index>(in.extent(0)), segments, combine));
}

}  // namespace wavescan::Impl::mpi

namespace wavescan::mpi {

/// @brief Reduces every segment of a distributed array: a process gets the results of those that
/// begin on it. See mpi::SegmentedScan for how segments are told, mpi::SegmentedReduction for the
/// cost.
///
/// Collective over `comm`; waits. Besides, duplicates the communicator; make a plan for repeated
/// calls.
///
/// @param comm     communicator
/// @param exec     execution space instance; without it the default one of the output's space
/// @param in       block: View of rank 1, any layout, or transform_input or computed_input
/// @param segments of segment_offsets, segment_heads or segment_keys, for the block
/// @param out      View of rank 1: an element for each segment that begins here; of segments that
///                 are told by flags or keys the results of others are dropped
/// @param op       an associative operator, as inclusive_scan takes it
/// @param init     value before each segment's first element, the same everywhere; none by default
/// @return the numbers of segments that begin here, before, and on all processes
/// @throws std::invalid_argument on all processes, if one of them would in
/// wavescan::segmented_reduce, if offsets do not end with the number of the block's elements, or if
/// types are not the same on all
template <ExecutionSpace Exec, class In, Segments S, class Out, class Op = Plus<>,
          class Init = NoCarry>
Kept segmented_reduce(MPI_Comm comm, const Exec& exec, const In& in, const S& segments,
                      const Out& out, const Op& op = {}, const Init& init = {}) {
  const Impl::Calling calling("mpi::segmented_reduce");
  std::int64_t most = 0;
  if constexpr (Impl::are_numbered<S>) most = std::max<std::int64_t>(Impl::count_of(segments), 0);
  return Impl::mpi::with_segmented_reduction<typename Impl::ScanType<Out, Op>::type>(
      comm, exec, in, most, op,
      [&](const auto& plan) { return plan.reduce(in, segments, out, init); });
}
/// @brief Overload on the default instance.
template <class In, Segments S, class Out, class Op = Plus<>, class Init = NoCarry>
  requires(!ExecutionSpace<In>)
Kept segmented_reduce(MPI_Comm comm, const In& in, const S& segments, const Out& out,
                      const Op& op = {}, const Init& init = {}) {
  return segmented_reduce(comm, typename Out::execution_space(), in, segments, out, op, init);
}

/// @brief Reduces runs of equal keys of a distributed array: a process gets the keys and the
/// results of runs that begin on it. Arguments are those of wavescan::reduce_by_key, for the block,
/// but for a count on the device. See mpi::segmented_reduce.
/// @return the numbers of runs that begin here, before, and on all processes
template <ExecutionSpace Exec, AnyView Keys, class In, AnyView Unique, class Out, class Op = Plus<>,
          class Equal = EqualKeys, class Init = NoCarry>
Kept reduce_by_key(MPI_Comm comm, const Exec& exec, const Keys& keys, const In& in,
                   const Unique& unique, const Out& out, const Op& op = {}, const Equal& equal = {},
                   const Init& init = {}) {
  const Impl::Calling calling("mpi::reduce_by_key");
  return Impl::mpi::with_segmented_reduction<typename Impl::ScanType<Out, Op>::type>(
      comm, exec, in, 0, op,
      [&](const auto& plan) { return plan.reduce_by_key(keys, in, unique, out, equal, init); });
}
/// @brief Overload on the default instance.
template <AnyView Keys, class In, AnyView Unique, class Out, class Op = Plus<>,
          class Equal = EqualKeys, class Init = NoCarry>
Kept reduce_by_key(MPI_Comm comm, const Keys& keys, const In& in, const Unique& unique,
                   const Out& out, const Op& op = {}, const Equal& equal = {},
                   const Init& init = {}) {
  return reduce_by_key(comm, typename Out::execution_space(), keys, in, unique, out, op, equal,
                       init);
}

}  // namespace wavescan::mpi

#endif
