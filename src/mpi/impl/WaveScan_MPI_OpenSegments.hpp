// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_OPENSEGMENTS_HPP
#define WAVESCAN_IMPL_MPI_OPENSEGMENTS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_MPI_BlockHeads.hpp>
#include <impl/WaveScan_MPI_SegmentExchange.hpp>
#include <impl/WaveScan_MPI_Transport.hpp>
#include <impl/scan/WaveScan_Accessors.hpp>
#include <impl/scan/WaveScan_LineSegments.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/WaveScan_ScanWorkspace.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>

#include <cstddef>

/// @file
/// @brief Segments that go on from one process to the next.
///
/// What a block does to them is a pair: whether a segment begins in it, and what the elements from
/// the last begin on add up to. Pairs join associatively (Blelloch, "Prefix Sums and Their
/// Applications", 1990, section 1.5), so one exclusive scan over the processes tells each of them
/// what enters its first segment. Backwards, segments begin where they end otherwise.

namespace wavescan::Impl::mpi {

/// @brief The effect of some blocks on the segment that is open before them.
template <class Segment>
struct OpenSegment {
  Segment inner;      ///< of the elements from the last begin on, if there are any
  bool begins;        ///< whether a segment begins in the blocks
  bool has_elements;  ///< false: nothing has entered the segment that is open behind them
};

/// @brief Joins the effects of neighbouring blocks.
/// @tparam R recurrence inside of segments
template <class R>
struct JoinOpenSegments {
  using segment_type = OpenSegment<typename R::segment_type>;
  R inner;
  KOKKOS_FUNCTION segment_type join(const segment_type& a, const segment_type& b) const {
    if (b.begins || !a.has_elements) return {b.inner, a.begins || b.begins, b.has_elements};
    return {inner.join(a.inner, b.inner), a.begins, true};
  }
};

/// @brief Whether segments begin at a block's ends, in the order in which it is scanned, and inside
/// of it.
struct BlockEnds {
  bool entered_anew, left_anew, any_inside;

  BlockEnds(const BlockHeads& heads, bool reverse)
      : entered_anew(reverse ? heads.last_begins_behind : heads.first_begins),
        left_anew(reverse ? heads.first_begins || heads.elements == 0 : heads.last_begins_behind),
        any_inside(heads.any_inside) {}
};

/// @brief Puts together what a block does to the open segment.
template <class R>
struct DescribeBlock {
  using T = typename R::value_type;
  R recurrence;
  State<T> init;
  BlockEnds ends;
  const T* state;                         ///< after a block in which segments begin
  const typename R::segment_type* whole;  ///< a block in which none does
  OpenSegment<typename R::segment_type>* own;

  KOKKOS_FUNCTION void operator()(const Index) const {
    const auto after = [this](const T& s) {
      return SegmentedRecurrence<R>::after_head(recurrence, s);
    };
    if (ends.left_anew)
      *own = {after(init.value), true, init.present};
    else if (ends.any_inside)
      *own = {after(*state), true, true};
    else if (ends.entered_anew)
      *own = {after(init.present ? recurrence.leave(init.value, *whole) : recurrence.leave(*whole)),
              true, true};
    else
      *own = {*whole, false, true};
  }
};

/// @brief The state that enters a block. What has no begin, before all segments, is one of its own.
template <class R>
struct StateBefore {
  using T = typename R::value_type;
  R recurrence;
  State<T> init;
  const OpenSegment<typename R::segment_type>* before;
  State<T>* entering;
  KOKKOS_FUNCTION void operator()(const Index) const {
    *entering = {recurrence.identity(), before->has_elements};
    if (!before->has_elements) return;
    entering->value = !before->begins && init.present ? recurrence.leave(init.value, before->inner)
                                                      : recurrence.leave(before->inner);
  }
};

/// @brief A target that keeps the state after the last element.
template <class T>
struct LastTarget {
  T* state;
  Index last;
  struct Place {
    const LastTarget& target;
    Index j;
    KOKKOS_FORCEINLINE_FUNCTION void operator=(const T& value) const {
      if (j == target.last) *target.state = value;
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION Place operator()(Index, Index j) const { return {*this, j}; }
  KOKKOS_FORCEINLINE_FUNCTION AccessedElements<LastTarget> from(Index line, Index first) const {
    return {*this, line, first};
  }
};
template <class T>
KOKKOS_FUNCTION const void* memory_of(const LastTarget<T>&) {
  return nullptr;
}
template <class T>
bool are_adjacent(const LastTarget<T>&) {
  return false;
}

/// @brief Finds what enters a block's first segment from others; owns what that takes.
/// @tparam R recurrence inside of segments, with weights from anywhere
template <ExecutionSpace Exec, class R>
class OpenSegments {
  using T = typename R::value_type;
  using segment_type = typename R::segment_type;
  template <class X>
  using Memory = Kokkos::View<X*, typename Exec::memory_space>;

 public:
  OpenSegments() = default;
  OpenSegments(const Transport<Exec>& transport, Index elements) : exchange_(transport, 1) {
    const Exec& exec = transport.exec();
    const LineExtents extents{1, elements};
    workspace_ = make_workspace<decltype(workspace_)>(exec, extents);
    lines_ = decltype(lines_)(exec, extents);
    allocate(exec, whole_, "WaveScan::mpi::whole", 1);
    allocate(exec, state_, "WaveScan::mpi::state", 1);
    allocate(exec, entering_, "WaveScan::mpi::entering", 1);
  }

  /// @brief Enqueues the reduction of the block, from the last begin in it on.
  /// @param scan    the plan whose bits tell the heads
  /// @param problem a scan of the block
  template <class ScanPlan, class Inner, class In>
  void reduce(const ScanPlan& scan, const ScanProblem<SegmentedRecurrence<Inner>, In>& problem,
              const BlockHeads& heads) const {
    const Exec& exec = scan.exec();
    if (heads.elements == 0) return;
    if (!heads.any_inside) {
      const ScanProblem<Inner, In> whole{
          problem.recurrence.inner, problem.kind, problem.extents, problem.in, problem.out, {}, {}};
      lines_.enqueue(exec, workspace_, whole, whole_.data());
      return;
    }
    const auto to = [&](const auto& target, const Lines<T>& last) {
      using Target = std::remove_cvref_t<decltype(target)>;
      using Source = std::remove_cvref_t<decltype(problem.in)>;
      scan.enqueue(ScanProblem<SegmentedRecurrence<Inner>, Through<Source, Target>>{
          problem.recurrence, ScanKind::Inclusive, problem.extents, problem.in, target,
          problem.carry_in, last});
    };
    // Hosts need not even look at what is before the last begin.
    if constexpr (runs_on_host<Exec>)
      to(NoTarget(), Lines<T>{state_.data(), 1, 0});
    else
      to(LastTarget<T>{state_.data(), heads.elements - 1}, Lines<T>{});
  }

  /// @brief Lets blocks know of those before. Collective.
  /// @param init what enters segments where they begin
  /// @param place, rank_at the order of the scan, as SegmentExchange has them
  /// @return whether anything is before that entering() tells of
  template <class RankAt>
  bool exchange(const Transport<Exec>& transport, const R& recurrence, const State<T>& init,
                const BlockHeads& heads, bool reverse, int place, const RankAt& rank_at) const {
    const Exec& exec = transport.exec();
    if (heads.present())
      enqueue_items(
          exec, "WaveScan::mpi::describe_block", 1, seconds_of_line,
          DescribeBlock<R>{
              recurrence, init, {heads, reverse}, state_.data(), whole_.data(), exchange_.own()});
    if (!exchange_.scan(transport, JoinOpenSegments<R>{recurrence}, place, rank_at,
                        heads.present()))
      return false;
    enqueue_items(exec, "WaveScan::mpi::state_before", 1, seconds_of_line,
                  StateBefore<R>{recurrence, init, exchange_.before(), entering_.data()});
    return true;
  }
  /// @brief The state before the block, on the device, after `exchange`.
  const State<T>* entering() const { return entering_.data(); }

  std::size_t bytes() const {
    return workspace_.bytes() + lines_.bytes() + exchange_.bytes() + sizeof(segment_type) +
           sizeof(T) + sizeof(State<T>);
  }

 private:
  ScanWorkspace<Exec, T, segment_type> workspace_;
  LineSegments<Exec, R> lines_;
  SegmentExchange<Exec, JoinOpenSegments<R>> exchange_;
  Memory<segment_type> whole_;
  Memory<T> state_;
  Memory<State<T>> entering_;
};

/// @brief The recurrence of an operator or algebra, for what blocks do to segments.
template <class Combine>
auto recurrence_of(const Combine& combine) {
  if constexpr (Operator<Combine>)
    return PlainRecurrence<Combine>{combine};
  else
    return WeightedRecurrence<Combine, ConstantWeight<typename Combine::weight_type>>{
        combine, {combine.one()}};
}

}  // namespace wavescan::Impl::mpi

#endif
