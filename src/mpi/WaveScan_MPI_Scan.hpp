// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_MPI_SCAN_HPP
#define WAVESCAN_MPI_SCAN_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Scan.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_MPI_Agreement.hpp>
#include <impl/WaveScan_MPI_Communicator.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_SegmentExchange.hpp>
#include <impl/WaveScan_MPI_StatesOfBlocks.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/scan/WaveScan_LineSegments.hpp>
#include <impl/scan/WaveScan_MakeScanProblem.hpp>
#include <impl/scan/WaveScan_ScanArguments.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

/// @file
/// @brief Scans of lines that are distributed over the processes of a communicator.
///
/// Source: Hou et al., "Highly Efficient Compensation-based Parallelism for Wavefront Loops on
/// GPUs", IPDPS 2018, equation II-2 (weighted scan); G. E. Blelloch, "Prefix Sums and Their
/// Applications", 1990 (reduce, scan the sums, scan).

namespace wavescan::mpi {

/// @brief A plan for scans of distributed lines, which owns buffers and a communicator.
///
/// Every process holds a block of consecutive elements of every line, of any length, also 0; blocks
/// follow each other in the order of ranks. A call gives on each process what wavescan::Scan gives
/// for the block of the whole line. With axis 0 of a matrix, blocks are rows; with axis 1, columns.
/// A scan along the axis that is not distributed needs no other process: use wavescan::Scan.
///
/// All functions are collective: all processes call them, on plans and in the order that
/// correspond, with the same options. What one process finds wrong all of them throw, naming its
/// rank, and none has written any result by then. Messages of two plans never mix, nor do those of
/// the user.
///
/// A call reduces the block, exchanges one segment for each line, in ceil(log2 P) steps, and scans
/// the block with the state that enters it; so it waits for the instance. The result depends on the
/// distribution where the operator is associative only up to rounding; for a given distribution it
/// is that of wavescan::Scan: the same in every run.
///
/// Cost, for blocks of n elements in each of L lines on P processes: reads of 2 n L elements (the
/// last process: n L) and writes of n L, ceil(log2 P) messages of L segments after each other, and
/// one reduction of 208 bytes beside them. Memory: that of wavescan::Scan, and 3 to 5 L segments.
///
/// @tparam Exec    execution space
/// @tparam Combine an Operator (inclusive and exclusive scans) or an Algebra (weighted scans)
template <ExecutionSpace Exec, class Combine>
class Scan {
  static_assert(Operator<Combine> || Algebra<Combine>,
                "WaveScan: a scan needs an Operator or an Algebra, see wavescan::Scan");

 public:
  /// @brief Type of the results.
  using value_type = typename Combine::value_type;

  /// @brief A plan for a number of lines of which this process holds `length` elements each.
  /// @param comm    communicator, which the plan duplicates
  /// @param exec    instance that all calls enqueue on
  /// @param lines   number of independent scans, the same on all processes
  /// @param length  elements of each line on this process
  /// @param combine operator or algebra, the same on all processes
  /// @throws std::invalid_argument if `lines` or `length` is negative or their product overflows,
  /// or if `lines` or the types are not the same everywhere
  Scan(MPI_Comm comm, const Exec& exec, std::int64_t lines, std::int64_t length,
       const Combine& combine = {})
      : Scan(comm, exec, combine, "mpi::Scan", [&] {
          return Impl::LineExtents{lines, length};
        }) {}

  /// @brief A plan for scans of Views with the extents of `view` along `axis`, which is
  /// distributed.
  template <class V>
    requires(AnyView<V> && (V::rank() == 1 || V::rank() == 2))
  static Scan like(MPI_Comm comm, const Exec& exec, const V& view, const Combine& combine = {},
                   int axis = -1) {
    return Scan(comm, exec, combine, "mpi::Scan", [&] {
      return Impl::line_extents(view,
                                Impl::checked_axis("mpi::Scan", static_cast<int>(V::rank()), axis));
    });
  }

  /// @brief The block's part of an inclusive scan. See wavescan::inclusive_scan.
  template <class In, class Out, class Options = ScanOptions<>>
    requires Operator<Combine>
  void inclusive(const In& in, const Out& out, const Options& options = {}) const {
    run_plain("mpi::inclusive_scan", Impl::ScanKind::Inclusive, in, out, options);
  }

  /// @brief The block's part of an exclusive scan. See wavescan::exclusive_scan.
  template <class In, class Out, class Options = ScanOptions<>>
    requires Operator<Combine>
  void exclusive(const In& in, const Out& out, const Options& options = {}) const {
    using CarryIn = std::remove_cvref_t<decltype(options.carry_in())>;
    static_assert(Impl::has_identity<Combine> || !std::same_as<CarryIn, NoCarry>,
                  "WaveScan: an exclusive scan starts with a value of yours, the operator having "
                  "no identity: exclusive_scan(comm, in, out, init, op)");
    run_plain("mpi::exclusive_scan", Impl::ScanKind::Exclusive, in, out, options);
  }

  /// @brief The block's part of a weighted scan. See wavescan::weighted_scan.
  template <class In, class Weight, class Out, class Options = ScanOptions<>>
    requires Algebra<Combine>
  void weighted(const In& in, const Weight& weight, const Out& out,
                const Options& options = {}) const {
    run_weighted("mpi::weighted_scan", Impl::ScanKind::Inclusive, in, weight, out, options);
  }

  /// @brief The block's part of the weighted scan before each element. See
  /// wavescan::weighted_exclusive_scan.
  template <class In, class Weight, class Out, class Options = ScanOptions<>>
    requires Algebra<Combine>
  void weighted_exclusive(const In& in, const Weight& weight, const Out& out,
                          const Options& options = {}) const {
    run_weighted("mpi::weighted_exclusive_scan", Impl::ScanKind::Exclusive, in, weight, out,
                 options);
  }

  /// @brief Number of independent scans the plan was made for.
  std::int64_t lines() const { return extents_.lines; }
  /// @brief Elements of each line that this process holds.
  std::int64_t length() const { return extents_.length; }
  /// @brief Bytes of the execution space's memory that the plan holds.
  std::size_t workspace_bytes() const {
    return workspace_.bytes() + segments_.bytes() + exchange_.bytes() + entering_.bytes();
  }

 private:
  friend struct Impl::mpi::Processes;
  template <class C>
  struct Plain {
    using type = Impl::PlainRecurrence<C>;
  };
  template <class C>
  struct Weighted {
    using type = Impl::WeightedRecurrence<C, Impl::ConstantWeight<typename C::weight_type>>;
  };
  /// Its segments serve weights from anywhere.
  using recurrence_type =
      typename std::conditional_t<Operator<Combine>, Plain<Combine>, Weighted<Combine>>::type;
  using segment_type = typename recurrence_type::segment_type;

  /// @param extents_of gives the extents, after checks
  template <class ExtentsOf>
  Scan(MPI_Comm comm, const Exec& exec, const Combine& combine, std::string_view operation,
       const ExtentsOf& extents_of);

  recurrence_type recurrence() const {
    if constexpr (Operator<Combine>)
      return {combine_};
    else
      return {combine_, {combine_.one()}};
  }

  template <class In, class Out, class Options>
  void run_plain(std::string_view operation, Impl::ScanKind kind, const In& in, const Out& out,
                 const Options& options) const {
    if constexpr (Impl::can_be_scanned<In, Out>())
      run<In, Out, Impl::PlainRecurrence<Combine>>(operation, options, [&] {
        return Impl::make_scan_problem<Exec>(operation, kind, extents_,
                                             Impl::PlainRecurrence<Combine>{combine_}, {}, in, out,
                                             options);
      });
  }
  template <class In, class Weight, class Out, class Options>
  void run_weighted(std::string_view operation, Impl::ScanKind kind, const In& in,
                    const Weight& weight, const Out& out, const Options& options) const {
    if constexpr (Impl::can_be_scanned<In, Out>())
      run<In, Out, Weight>(operation, options, [&] {
        return Impl::make_scan_problem<Exec>(
            operation, kind, extents_,
            Impl::weighted_recurrence<Exec, In>(operation, combine_, weight, options),
            Impl::footprint_of_weight(weight), in, out, options);
      });
  }

  /// @param make_problem gives the problem of this process' block, after checks
  template <class In, class Out, class What, class Options, class MakeProblem>
  void run(std::string_view operation, const Options& options,
           const MakeProblem& make_problem) const;

  Impl::mpi::Transport<Exec> transport_;
  Combine combine_;
  Impl::LineExtents extents_;
  Impl::ScanWorkspace<Exec, value_type, segment_type> workspace_;
  Impl::LineSegments<Exec, recurrence_type> segments_;
  Impl::mpi::SegmentExchange<Exec, recurrence_type> exchange_;
  typename Impl::mpi::Transport<Exec>::template buffer_type<value_type>
      entering_;  ///< the states that enter the block; then those that leave the last one
};

template <ExecutionSpace Exec, class Combine>
template <class ExtentsOf>
Scan<Exec, Combine>::Scan(MPI_Comm comm, const Exec& exec, const Combine& combine,
                          std::string_view operation, const ExtentsOf& extents_of)
    : transport_(exec, Impl::mpi::Communicator::duplicate(operation, comm)), combine_(combine) {
  const std::exception_ptr error = Impl::mpi::exception_of([&] {
    extents_ = extents_of();
    Impl::require_valid(operation, extents_);
    workspace_ = Impl::make_workspace<decltype(workspace_)>(exec, extents_);
    segments_ = decltype(segments_)(exec, extents_);
    exchange_ = decltype(exchange_)(transport_, extents_.lines);
    entering_ = transport_.template buffer<value_type>(extents_.lines);
  });
  Impl::mpi::Agreement(
      transport_.comm(), operation,
      {{"operation", Impl::mpi::number_of_call<Scan>(operation)}, {"lines", extents_.lines}}, error)
      .reach();
}

template <ExecutionSpace Exec, class Combine>
template <class In, class Out, class What, class Options, class MakeProblem>
void Scan<Exec, Combine>::run(std::string_view operation, const Options& options,
                              const MakeProblem& make_problem) const {
  using CarryIn = std::remove_cvref_t<decltype(options.carry_in())>;
  using CarryOut = std::remove_cvref_t<decltype(options.carry_out())>;
  using Problem = decltype(make_problem());
  const std::string region_name =
      options.label().empty() ? "WaveScan::" + std::string(operation) : options.label();
  const Kokkos::Profiling::ScopedRegion region(region_name);

  const Exec& exec = transport_.exec();
  const int processes = transport_.comm().size(), rank = transport_.comm().rank();
  const auto rank_at = [processes, reverse = options.is_reverse()](int place) {
    return reverse ? processes - 1 - place : place;
  };
  const int place = rank_at(rank);              // the order is its own inverse
  const bool followed = place + 1 < processes;  // nobody asks for the last block's segment

  // A carry enters the first block: it becomes part of that block's segment.
  std::optional<Problem> problem;
  bool present = false;
  const std::exception_ptr error = Impl::mpi::exception_of([&] {
    problem.emplace(make_problem());
    if (extents_.lines == 0) return;
    const bool carry = place == 0 && problem->carry_in.present();
    if (followed) {
      if (extents_.length > 0) segments_.enqueue(exec, workspace_, *problem, exchange_.own());
      if (carry) Impl::mpi::enter_first(exec, recurrence(), *problem, exchange_.own());
    }
    present = carry || extents_.length > 0;
  });
  // No result is written before all processes are known to be well; and whom they exchange segments
  // with depends on the direction.
  const bool nothing_at_all =
      Impl::mpi::Agreement(
          transport_.comm(), operation,
          {{"operation", Impl::mpi::number_of_call<Scan, What, CarryIn, CarryOut>(operation)},
           {"reverse", options.is_reverse()}},
          error, present ? 0 : 1)
          .reach() == 1;
  if (extents_.lines == 0) return;
  const bool preceded =
      exchange_.scan(transport_, recurrence(), place, rank_at, present && followed);

  if (place > 0) problem->carry_in = {{recurrence().identity(), false}, {}};
  if (preceded) {
    Impl::mpi::states_of(exec, exchange_.before(), extents_.lines, entering_.view().data());
    problem->carry_in.each = {entering_.view().data(), 1, 0};
  }
  if (nothing_at_all && !Impl::has_identity<Combine>) return;  // no state to hand out
  const int last = rank_at(processes - 1);
  const auto carry_out = problem->carry_out;
  if (rank != last && !nothing_at_all) problem->carry_out = {};
  const std::exception_ptr late_error = Impl::mpi::exception_of([&] {
    if (extents_.length > 0 || problem->carry_in.present() || Impl::has_identity<Combine>)
      Impl::enqueue_scan(workspace_, exec, *problem);
  });
  // Where hosts run functions of the user, these may throw now what they did not before.
  if constexpr (Impl::runs_on_host<Exec>)
    Impl::mpi::Agreement(transport_.comm(), operation, {}, late_error).reach();
  else if (late_error)
    std::rethrow_exception(late_error);
  if (carry_out.data == nullptr || nothing_at_all) return;
  // All processes get the state after the whole line.
  if (rank == last)
    Impl::mpi::copy_states<value_type>(exec, carry_out, {entering_.view().data(), 1, 0},
                                       extents_.lines);
  transport_.broadcast(entering_, last);
  if (rank != last)
    Impl::mpi::copy_states<value_type>(exec, {entering_.view().data(), 1, 0}, carry_out,
                                       extents_.lines);
}

/// @brief Inclusive scan of distributed lines.
///
///     mpi::inclusive_scan(comm, [label,] [exec,] in, out [, op] [, init] [, options])
///
/// Collective over `comm`. Arguments behind it are those of wavescan::inclusive_scan, for the block
/// of this process: see mpi::Scan for how lines are distributed and what it costs. Besides,
/// duplicates the communicator; make a plan, mpi::Scan, for repeated calls.
///
/// - `init`, `options.carry_in`: given by all processes, of which the first one's counts (with
///   `reverse()`, the last one's)
/// - `options.carry_out`: receives the states after the whole lines, on all processes
/// - `computed_input`: its function gets indices of the block
///
/// @throws std::invalid_argument on all processes, if one of them would in
/// wavescan::inclusive_scan, or if the number of lines or the types of the operator or of the
/// options are not the same on all
template <ExecutionSpace Exec, class In, class Out, class... Rest>
void inclusive_scan(MPI_Comm comm, const Exec& exec, const In& in, const Out& out,
                    const Rest&... op_init_options) {
  Impl::mpi::call_scan<Impl::InclusiveScan>("mpi::inclusive_scan", comm, exec, in, out,
                                            op_init_options...);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void inclusive_scan(MPI_Comm comm, const First& label_or_in,
                    const Rest&... in_out_op_init_options) {
  Impl::mpi::call_scan<Impl::InclusiveScan>("mpi::inclusive_scan", comm, label_or_in,
                                            in_out_op_init_options...);
}

/// @brief Exclusive scan of distributed lines.
///
///     mpi::exclusive_scan(comm, [label,] [exec,] in, out [, init] [, op] [, options])
///
/// As mpi::inclusive_scan; see wavescan::exclusive_scan.
template <ExecutionSpace Exec, class In, class Out, class... Rest>
void exclusive_scan(MPI_Comm comm, const Exec& exec, const In& in, const Out& out,
                    const Rest&... init_op_options) {
  Impl::mpi::call_scan<Impl::ExclusiveScan>("mpi::exclusive_scan", comm, exec, in, out,
                                            init_op_options...);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void exclusive_scan(MPI_Comm comm, const First& label_or_in,
                    const Rest&... in_out_init_op_options) {
  Impl::mpi::call_scan<Impl::ExclusiveScan>("mpi::exclusive_scan", comm, label_or_in,
                                            in_out_init_op_options...);
}

/// @brief inclusive_scan of f(x_j) of distributed lines: see wavescan::transform_inclusive_scan.
template <ExecutionSpace Exec, class In, class Out, class... Rest>
void transform_inclusive_scan(MPI_Comm comm, const Exec& exec, const In& in, const Out& out,
                              const Rest&... op_f_init_options) {
  Impl::mpi::call_scan<Impl::TransformInclusiveScan>("mpi::transform_inclusive_scan", comm, exec,
                                                     in, out, op_f_init_options...);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void transform_inclusive_scan(MPI_Comm comm, const First& label_or_in,
                              const Rest&... in_out_op_f_init_options) {
  Impl::mpi::call_scan<Impl::TransformInclusiveScan>("mpi::transform_inclusive_scan", comm,
                                                     label_or_in, in_out_op_f_init_options...);
}

/// @brief exclusive_scan of f(x_j) of distributed lines: see wavescan::transform_exclusive_scan.
template <ExecutionSpace Exec, class In, class Out, class... Rest>
void transform_exclusive_scan(MPI_Comm comm, const Exec& exec, const In& in, const Out& out,
                              const Rest&... init_op_f_options) {
  Impl::mpi::call_scan<Impl::TransformExclusiveScan>("mpi::transform_exclusive_scan", comm, exec,
                                                     in, out, init_op_f_options...);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void transform_exclusive_scan(MPI_Comm comm, const First& label_or_in,
                              const Rest&... in_out_init_op_f_options) {
  Impl::mpi::call_scan<Impl::TransformExclusiveScan>("mpi::transform_exclusive_scan", comm,
                                                     label_or_in, in_out_init_op_f_options...);
}

/// @brief Weighted scan of distributed lines.
///
///     mpi::weighted_scan(comm, [label,] [exec,] in, weight, out [, algebra] [, init] [, options])
///
/// As mpi::inclusive_scan; see wavescan::weighted_scan. `weight` is one weight, the same on all
/// processes, or a View of the block's. A product of the weights of a whole block that underflows
/// drops what comes from the blocks before.
template <ExecutionSpace Exec, class In, class Weight, class Out, class... Rest>
void weighted_scan(MPI_Comm comm, const Exec& exec, const In& in, const Weight& weight,
                   const Out& out, const Rest&... algebra_init_options) {
  Impl::mpi::call_scan<Impl::WeightedInclusiveScan>("mpi::weighted_scan", comm, exec, in, weight,
                                                    out, algebra_init_options...);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void weighted_scan(MPI_Comm comm, const First& label_or_in,
                   const Rest&... in_weight_out_algebra_init_options) {
  Impl::mpi::call_scan<Impl::WeightedInclusiveScan>("mpi::weighted_scan", comm, label_or_in,
                                                    in_weight_out_algebra_init_options...);
}

/// @brief The weighted scan before each element, of distributed lines: see mpi::weighted_scan and
/// wavescan::weighted_exclusive_scan.
template <ExecutionSpace Exec, class In, class Weight, class Out, class... Rest>
void weighted_exclusive_scan(MPI_Comm comm, const Exec& exec, const In& in, const Weight& weight,
                             const Out& out, const Rest&... init_algebra_options) {
  Impl::mpi::call_scan<Impl::WeightedExclusiveScan>("mpi::weighted_exclusive_scan", comm, exec, in,
                                                    weight, out, init_algebra_options...);
}
/// @brief Overload with a label first, or without an instance.
template <Impl::LabelOrInput First, class... Rest>
void weighted_exclusive_scan(MPI_Comm comm, const First& label_or_in,
                             const Rest&... in_weight_out_init_algebra_options) {
  Impl::mpi::call_scan<Impl::WeightedExclusiveScan>(
      "mpi::weighted_exclusive_scan", comm, label_or_in, in_weight_out_init_algebra_options...);
}

}  // namespace wavescan::mpi

#endif
