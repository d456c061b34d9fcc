// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOST_HOSTSCAN_HPP
#define WAVESCAN_IMPL_SCAN_HOST_HOSTSCAN_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_BlockChain.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/scan/WaveScan_Accessors.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/host/WaveScan_HostColumns.hpp>
#include <impl/scan/host/WaveScan_HostFoldedLine.hpp>
#include <impl/scan/host/WaveScan_HostLaneRuns.hpp>
#include <impl/scan/host/WaveScan_HostRuns.hpp>
#include <impl/scan/host/WaveScan_HostVectorLine.hpp>
#include <impl/segmented/WaveScan_Heads.hpp>
#include <impl/segmented/WaveScan_SegmentedRecurrence.hpp>
#include <impl/segmented/host/WaveScan_OffsetHeads.hpp>
#include <impl/segmented/host/WaveScan_SegmentParts.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>

/// @file
/// @brief Scans on the host: memory is read once and written once.
///
/// Enough lines are shared out among the threads, a strip of neighbours at a time. Few, long ones
/// are divided into blocks that fit in a core's cache. Threads draw blocks by ticket; a thread
/// reduces its block, which brings it into the cache, takes the states before it from the thread of
/// the block before, hands on the states after it, and then scans the block. Where all fits in the
/// caches of all cores, a thread does not draw blocks: it has the same ones in each call, side by
/// side, as whatever else has been at work there by threads, so that no core's cache takes from
/// another's; it reduces all of them before it waits. Blocks of one line do not depend on the
/// number of threads, so that two threads or twenty give the same result; one thread alone takes
/// whole lines and need not reduce.
///
/// What happens inside a strip or a block: lines along which memory is contiguous are scanned in
/// vectors (HostVectorLine) if their recurrence can be, else several runs at a time
/// (HostFoldedLine), if possible a run in each lane of vectors (HostLaneRuns); lines that lie next
/// to each other advance together (HostColumns).

namespace wavescan::Impl {

/// @brief Strips of lines, divided into blocks of elements: the tasks of a scan on the host.
struct HostPartition {
  Index strip = 1;  ///< lines
  Index strips = 1;
  Index block = 0;   ///< elements of a line
  Index blocks = 1;  ///< of a strip
  Index owners = 0;  ///< workers that own blocks; 0 if they draw them
  Index tasks() const { return strips * blocks; }
  /// @brief The first of the blocks, of all strips, that an owner has.
  Index first_of(Index owner) const { return tasks() * owner / owners; }

  HostPartition() = default;
  HostPartition(LineExtents extents, Index lines, Index length)
      : strip(lines),
        strips(ceil_div(extents.lines, lines)),
        block(length),
        blocks(std::max<Index>(ceil_div(extents.length, length), 1)) {}
};

/// @brief Partitions of lines for host scans of one size.
template <class Value>
class HostPartitions {
  static constexpr Index whole_words(Index elements) {
    return std::max<Index>(elements / word_bits, 1) * word_bits;
  }

 public:
  static constexpr Index size = static_cast<Index>(sizeof(Value));
  static constexpr Index most_owned = 4;  ///< blocks of a thread, which its core's cache holds
  /// Elements: words of heads are one block's each.
  static constexpr Index block = whole_words(128 * 1024 / size);
  static constexpr Index least_block = whole_words(16 * 1024 / size);

  /// @brief The length of all blocks but the last: where there are few elements, so many blocks
  /// that many threads have something to do.
  static Index block_of(LineExtents extents) {
    constexpr Index many = 64;
    return std::clamp(whole_words(extents.lines * extents.length / many), least_block, block);
  }

  /// @brief Blocks are owned where there are few for each thread.
  static HostPartition owned(HostPartition partition, Index threads) {
    if (partition.blocks > 1 && partition.tasks() <= most_owned * threads)
      partition.owners = std::min(partition.tasks(), threads);
    return partition;
  }

  /// @brief The partition of lines along which memory is read.
  static HostPartition along(LineExtents extents, Index threads) {
    const auto [lines, length] = extents;
    if (lines == 0 || length <= least_block / lines || threads == 1)
      return {extents, std::max<Index>(lines, 1), std::max<Index>(length, 1)};
    const Index own = block_of(extents);
    if (lines < 4 * threads && length > 2 * own) return {extents, 1, own};
    return {extents, std::min(std::max<Index>(block / length, 1), ceil_div(lines, threads)),
            length};
  }

  /// @brief The partition of lines that lie next to each other.
  static HostPartition across(LineExtents extents, Index threads) {
    const auto [lines, length] = extents;
    const Index strip = std::clamp<Index>(lines, 1, max_adjacent_lines<Value>);
    if (lines == 0 || length <= least_block / lines || lines >= 4 * threads * strip || threads == 1)
      return {extents, strip, std::max<Index>(length, 1)};
    return {extents, strip, std::max<Index>(block_of(extents) / strip, 2)};
  }
};

template <class Recurrence, class In>
class HostScanKernel;

/// @brief Scans pieces in which no segment begins, where segments do.
template <class Recurrence, class In>
struct HostPartsKernel {
  struct Parts {
    Parts(const ScanProblem<Recurrence, In>&, const HostPartition&) {}
  };
  using type = Parts;
};
template <class R, class In>
struct HostPartsKernel<SegmentedRecurrence<R>, In> {
  using Kernel = HostScanKernel<R, typename PartEnds<typename R::value_type, In>::type>;
  struct Parts : Kernel {
    Parts(const ScanProblem<SegmentedRecurrence<R>, In>& problem, const HostPartition& partition)
        : Kernel(without_heads(problem), partition, false, 1, {nullptr, 1, 1, 1}) {}
  };
  using type = Parts;
};

/// @brief Whether what leaves a piece does not depend on what enters it.
template <class Piece>
inline constexpr bool forgets_entering = requires {
  requires Piece::forgets_entering;
};

/// @brief One scan on the host, as a kernel: of a task, or of all tasks that the thread draws.
template <class Recurrence, class In>
class HostScanKernel {
  using value_type = typename Recurrence::value_type;
  using columns_type = HostColumns<Recurrence, In>;
  template <class Runs>
  using folded_type = HostFoldedLine<Recurrence, In, Runs>;
  using runs_type = HostRuns<Recurrence, In>;
  template <class Target>
  using lane_runs_type = HostLaneRuns<Target, Recurrence, In>;
  using vectors_type = HostVectorScan<Recurrence>;
  static constexpr bool has_vectors = VectorPowers<Recurrence>::available;
  static constexpr bool has_lane_runs =
      lane_runs_type<Baseline>::available || lane_runs_type<ScanTarget<Recurrence>>::available;

 public:
  static constexpr bool runs_alone = true;

  /// @param threads among which tasks are shared out
  /// @param chain of strips, from which blocks are drawn, too
  /// @param heads that are still to be set
  HostScanKernel(const ScanProblem<Recurrence, In>& problem, const HostPartition& partition,
                 bool across, Index threads, const BlockChain<value_type>& chain,
                 const OffsetHeads& heads = {})
      : problem_(problem),
        partition_(partition),
        across_(across),
        streaming_(streams_past_caches(threads)),
        fetches_(streaming_ && reads_ahead(threads)),
        chain_(chain),
        heads_(heads),
        parts_(problem, partition) {
    if constexpr (has_vectors)
      if (!across && problem.extents.length >= shortest_partitioned_line) {
        vectors_.emplace(problem.recurrence);
        if (!vectors_->usable()) vectors_.reset();
      }
    if constexpr (has_lane_runs)
      if (!across && problem.extents.length >= folded_type<runs_type>::worthwhile)
        in_lanes_ = dispatch(
            [&](auto target) {
              if constexpr (lane_runs_type<decltype(target)>::available)
                return lane_runs_type<decltype(target)>::supports(problem);
              else
                return false;
            },
            ScanTarget<Recurrence>{});
  }

  void operator()(const Index task) const {
    if (partition_.blocks == 1)
      scan_strip(task);
    else if (partition_.owners > 0)
      scan_own(partition_.first_of(task), partition_.first_of(task + 1));
    else
      draw_blocks();
    if (streaming_) end_streaming();
  }

  /// @brief The work of all: a thread alone had better scan a block while it is in its cache.
  void alone() const {
    if (partition_.blocks == 1)
      for (Index task = 0; task < partition_.tasks(); ++task) scan_strip(task);
    else
      draw_blocks();
    if (streaming_) end_streaming();
  }

  /// @brief Calls `use` with elements [begin, end) of a line in the way that suits them.
  /// @param streams whether results may be stored past the caches
  template <class Use>
  void with_piece(Index line, Index begin, Index end, const Use& use, bool streams = true) const {
    if constexpr (is_segmented<Recurrence>)
      with_segment_parts(problem_, parts_, begin, end, use);
    else
      with_plain_piece(line, begin, end, use, streaming_ && streams);
  }

  /// @brief Whether results may be stored past the caches.
  bool streams() const { return streaming_; }
  /// @brief The scan in vectors, or null.
  const auto* vectors() const { return vectors_ ? &*vectors_ : nullptr; }

 private:
  static constexpr Index shortest_partitioned_line = 32;
  static constexpr bool keeps_results =
      !std::same_as<typename ScanAccessors<value_type, In>::target, NoTarget>;
  static constexpr bool gains_without_vectors = runs_type::gains_without_vectors;

  /// @brief Stores that bypass the caches save reading what they overwrite. They are worth it where
  /// the output is much larger than the caches, has few ends, and is not scanned in place. Of lines
  /// that are not divided each thread has the same ones from call to call, and a share of the
  /// caches.
  bool streams_past_caches(Index threads) const {
    if constexpr (target_is_lines<value_type, In>) {
      constexpr Index least = 16 << 20, share = 4 << 20, some_bytes = 2048;
      const Index many_bytes = partition_.blocks == 1 ? std::max(least, threads * share) : least;
      constexpr auto size = static_cast<Index>(sizeof(value_type));
      const auto [lines, length] = problem_.extents;
      const auto& out = problem_.out;
      return !problem_.in_place() && partition_.owners == 0 &&
             lines * length * size >= many_bytes &&
             (across_ ? out.line_stride == 1 : out.stride == 1 && length * size >= some_bytes);
    } else {
      return false;
    }
  }

  /// @brief Whether a thread fetches its next block while it stores one. Of few threads each waits
  /// for memory, of many memory has enough to do; and what other cores' caches hold is read faster
  /// by the processor's own prefetches (measured on 16 cores of a Xeon).
  bool reads_ahead(Index threads) const {
    constexpr Index most_threads = 8, far = 8 << 20;
    const auto [lines, length] = problem_.extents;
    return threads <= most_threads &&
           lines * length * static_cast<Index>(sizeof(value_type)) >= threads * far;
  }

  /// @brief The states before the first elements of some lines, or behind them where nothing enters
  /// the lines. Returns the number of elements that are done.
  Index enter(Index line, Index lines, value_type* states) const {
    bool stepped = false;
    for (Index l = 0; l < lines; ++l) {
      State<value_type> s = problem_.carry_in(line + l);
      stepped = !s.present;
      if (stepped) s = problem_.step(s, line + l, 0);
      states[l] = s.value;
    }
    return stepped ? 1 : 0;
  }
  void finish(Index line, Index lines, const value_type* states) const {
    for (Index l = 0; l < lines; ++l) problem_.finish({states[l], true}, line + l);
  }

  void set_heads([[maybe_unused]] Index begin, [[maybe_unused]] Index end) const {
    if constexpr (is_segmented<Recurrence>) heads_.set(begin, end);
  }

  void scan_strip(Index strip) const {
    const Index line = strip * partition_.strip;
    const Index lines = std::min(partition_.strip, problem_.extents.lines - line);
    const Index length = problem_.extents.length;
    if (length == 0) {
      for (Index l = line; l < line + lines; ++l) problem_.finish(problem_.carry_in(l), l);
    } else if (across_) {
      value_type states[max_adjacent_lines<value_type>];
      const Index first = enter(line, lines, states);
      columns_type(problem_, line, lines, first, length, streaming_).scan(states);
      finish(line, lines, states);
    } else {
      set_heads(0, std::min(length, HostPartitions<value_type>::block));
      // A processor works on the next one of short lines before it is done with one.
      if (length < shortest_partitioned_line ||
          !(vectors_ || gains_without_vectors || is_segmented<Recurrence>)) {
        for (Index l = line; l < line + lines; ++l)
          problem_.finish(problem_.scan_serially(problem_.carry_in(l), l, 0, length), l);
        return;
      }
      for (Index l = line; l < line + lines; ++l) {
        value_type state{};
        Index first = enter(l, 1, &state);
        for (Index end; first < length; first = end) {
          end = std::min(first + HostPartitions<value_type>::block, length);
          if (first > 0) set_heads(first, end);
          with_piece(l, first, end, [&](auto&& piece) {
            if constexpr (std::remove_cvref_t<decltype(piece)>::always_reduced || !keeps_results)
              piece.reduce();
            if constexpr (keeps_results)
              piece.scan(&state);
            else
              piece.leave(&state, &state);
          });
        }
        finish(l, 1, &state);
      }
    }
  }

  void draw_blocks() const {
    for (Index t = chain_.draw(), next = 0; t < partition_.tasks(); t = next) {
      Group group(t / partition_.blocks, t % partition_.blocks, t % partition_.blocks + 1);
      // What is far is brought into the cache while the block before is stored.
      if (fetches_) {
        next = chain_.draw();
        set_next(group, next);
      }
      scan_block(group, group.begin);
      if (!fetches_) next = chain_.draw();
    }
  }
  /// @brief Scans blocks [first, end) of all strips; first those of the last strip, for which
  /// others wait.
  void scan_own(Index first, Index end) const {
    while (end > first) {
      const Index strip = (end - 1) / partition_.blocks,
                  begin = std::max(first, strip * partition_.blocks);
      Group group(strip, begin - strip * partition_.blocks, end - strip * partition_.blocks);
      scan_block(group, group.begin);
      end = begin;
    }
  }

  /// @brief Blocks [begin, end) of a strip, in one thread's hands.
  struct Group {
    /// A block that is reduced, and the states that enter it.
    struct Reduced {
      const void* piece;
      void (*leave)(const void* piece, const value_type* states, value_type* leaving);
      value_type* states;
      bool forgets;  ///< what enters it
    };
    Index strip, begin, end;
    const value_type* next = nullptr;  ///< elements of the thread's next block
    Index next_elements = 0;
    Reduced reduced[HostPartitions<value_type>::most_owned];
    Group(Index strip_, Index begin_, Index end_) : strip(strip_), begin(begin_), end(end_) {}
  };

  void set_next([[maybe_unused]] Group& group, [[maybe_unused]] Index task) const {
    if constexpr (std::same_as<typename ScanAccessors<value_type, In>::source,
                               Lines<const value_type>>)
      if (vectors_ && !across_ && task < partition_.tasks() && problem_.in.stride == 1) {
        const Index begin = task % partition_.blocks * partition_.block;
        group.next = &problem_.in(task / partition_.blocks * partition_.strip, begin);
        group.next_elements = std::min(partition_.block, problem_.extents.length - begin);
      }
  }

  void scan_block(Group& group, Index b) const {
    const Index line = group.strip * partition_.strip;
    const Index begin = b * partition_.block;
    const Index end = std::min(begin + partition_.block, problem_.extents.length);
    if (across_) {
      const Index lines = std::min(partition_.strip, problem_.extents.lines - line);
      value_type states[max_adjacent_lines<value_type>];
      const Index done = b == 0 ? enter(line, lines, states) : 0;
      columns_type columns(problem_, line, lines, begin + done, end, streaming_);
      scan_between(columns, group, lines, b, states);
    } else {
      set_heads(begin, end);
      value_type state{};
      const Index done = b == 0 ? enter(line, 1, &state) : 0;
      with_piece(line, begin + done, end,
                 [&](auto&& piece) { scan_between(piece, group, 1, b, &state); });
    }
  }

  /// @brief Reduces block `b` and those behind it in the group, and scans them, the last one first,
  /// when the group has taken its states from the block before and has handed them on.
  /// @param lines of the strip, of each of which there is a state
  template <class Piece>
  void scan_between(Piece& piece, Group& group, Index lines, Index b, value_type* states) const {
    piece.reduce();
    group.reduced[b - group.begin] = {
        &piece,
        [](const void* p, const value_type* entering, value_type* leaving) {
          static_cast<const Piece*>(p)->leave(entering, leaving);
        },
        states, forgets_entering<Piece>};
    if (b + 1 < group.end)
      scan_block(group, b + 1);
    else
      hand_on(group, lines);
    if constexpr (keeps_results) {
      if constexpr (std::same_as<Piece, HostVectorLine<Recurrence, In>>)
        piece.scan(states, group.next, group.next_elements);
      else
        piece.scan(states);
    }
    if (b == partition_.blocks - 1) finish(group.strip * partition_.strip, lines, states);
  }

  /// @brief Tells all blocks of a group what enters them, and the next group what leaves them: at
  /// once, if a segment begins in the group and each block has a mailbox of its own.
  void hand_on(const Group& group, Index lines) const {
    const Index count = group.end - group.begin;
    value_type* const leaving = chain_.states(group.strip, group.end - 1);
    const auto leave = [&](Index first, Index end) {
      for (Index k = first; k < end; ++k) {
        const typename Group::Reduced& own = group.reduced[k];
        own.leave(own.piece, own.states, k + 1 < count ? group.reduced[k + 1].states : leaving);
      }
    };
    Index known = partition_.owners > 0 ? count - 1 : -1;  // the first block that need not wait
    while (known >= 0 && !group.reduced[known].forgets) --known;
    if (known >= 0) {
      leave(known, count);
      chain_.post(group.strip, group.end - 1);
    }
    if (group.begin > 0)
      std::copy_n(chain_.wait_for(group.strip, group.begin - 1), lines, group.reduced[0].states);
    leave(0, known >= 0 ? known : count);
    if (known < 0) chain_.post(group.strip, group.end - 1);
    // Behind the last block nobody takes them, and nobody scans what has no results.
    if constexpr (!keeps_results)
      if (group.end == partition_.blocks)
        std::copy_n(leaving, lines, group.reduced[count - 1].states);
  }

  template <class Use>
  void with_plain_piece(Index line, Index begin, Index end, const Use& use, bool streaming) const {
    if constexpr (has_vectors)
      if (vectors_)
        return use(
            HostVectorLine<Recurrence, In>(problem_, *vectors_, line, begin, end, streaming));
    if constexpr (has_lane_runs)
      if (in_lanes_)
        return dispatch(
            [&](auto target) {
              if constexpr (lane_runs_type<decltype(target)>::available)
                use(folded_type<lane_runs_type<decltype(target)>>(problem_, line, begin, end,
                                                                  streaming));
            },
            ScanTarget<Recurrence>{});
    use(folded_type<runs_type>(problem_, line, begin, end, streaming));
  }

  ScanProblem<Recurrence, In> problem_;
  HostPartition partition_;
  bool across_;
  bool streaming_;
  bool fetches_;  ///< the next block, while one is stored
  BlockChain<value_type> chain_;
  OffsetHeads heads_;
  std::optional<std::conditional_t<has_vectors, vectors_type, bool>> vectors_;
  bool in_lanes_ = false;
  [[no_unique_address]] typename HostPartsKernel<Recurrence, In>::type parts_;
};

/// @brief Workspace for scans of one size on the host.
template <ExecutionSpace Exec, class Value>
class HostScan {
 public:
  HostScan() = default;
  HostScan(const Exec& exec, LineExtents extents)
      : threads_(resident_teams(exec, 1)),
        along_(HostPartitions<Value>::owned(HostPartitions<Value>::along(extents, threads_),
                                            threads_)),
        across_(HostPartitions<Value>::owned(HostPartitions<Value>::across(extents, threads_),
                                             threads_)) {
    Index chain = 0;
    for (const HostPartition* partition : {&along_, &across_})
      if (partition->blocks > 1)
        chain = std::max(chain, BlockChain<Value>::bytes(partition->strips, mailboxes(*partition),
                                                         partition->strip));
    allocate(exec, chain_, "WaveScan::scan::chain", chain);
  }

  /// @brief Enqueues the scan.
  /// @param heads of segments, that are still to be set
  template <class Recurrence, class In>
  void enqueue(const Exec& exec, const ScanProblem<Recurrence, In>& problem,
               const OffsetHeads& heads = {}) const {
    const bool across = lines_are_adjacent(problem);
    const HostPartition& partition = across ? across_ : along_;
    const HostScanKernel<Recurrence, In> kernel(
        problem, partition, across, threads_,
        {chain_.data(), partition.strips, mailboxes(partition), partition.strip}, heads);
    if (partition.blocks > 1) set_all(exec, chain_, std::byte(0));
    const Index workers =
        partition.blocks > 1 ? std::min(partition.tasks(), threads_) : partition.tasks();
    constexpr double seconds_per_element = .1e-9 * sizeof(Value);
    const auto elements = static_cast<double>(problem.extents.lines * problem.extents.length);
    enqueue_workers(exec, "WaveScan::scan::host", workers, seconds_per_element * elements, kernel);
  }

  std::size_t bytes() const { return chain_.size(); }

 private:
  /// @brief The number of mailboxes of all strips: blocks that are owned have one each.
  Index mailboxes(const HostPartition& partition) const {
    return partition.owners > 0 ? partition.tasks() : threads_;
  }

  Index threads_ = 1;
  HostPartition along_, across_;
  Kokkos::View<std::byte*, typename Exec::memory_space> chain_;
};

}  // namespace wavescan::Impl

#endif
