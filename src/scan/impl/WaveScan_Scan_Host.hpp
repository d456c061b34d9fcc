// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_HOST_HPP
#define WAVESCAN_IMPL_SCAN_HOST_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Scan_HostVectors.hpp>
#include <impl/WaveScan_Scan_Problem.hpp>
#include <impl/WaveScan_Spin.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// @file
/// @brief One long, contiguous line on the host: memory is read once and written once.
///
/// Threads draw blocks that fit in a core's cache by ticket. A thread reduces its block, which
/// brings it into the cache, takes the state before it from the thread of the block before, hands
/// on the state after it, and then scans the block. Blocks do not depend on the number of threads,
/// so that two threads or twenty give the same result; one thread alone need not reduce first.

namespace wavescan::Impl {

/// @brief The blocks' flags and states.
template <ExecutionSpace Exec, class Value>
class HostScan {
 public:
  static constexpr Index block_bytes = 128 * 1024;
  static constexpr Index block = block_bytes / static_cast<Index>(sizeof(Value));

  HostScan() = default;
  HostScan(const Exec& exec, LineExtents extents) {
    if (extents.lines != 1 || extents.length < 2 * block) return;
    blocks_ = ceil_div(extents.length, block);
    using Kokkos::view_alloc, Kokkos::WithoutInitializing;
    ready_ = decltype(ready_)(view_alloc(exec, WithoutInitializing, "WaveScan::scan::ready"),
                              static_cast<std::size_t>(blocks_ + 1));
    states_ = decltype(states_)(view_alloc(exec, WithoutInitializing, "WaveScan::scan::states"),
                                static_cast<std::size_t>(blocks_));
  }

  /// @brief Enqueues the scan, or returns false if the problem is not one for this way.
  template <class Recurrence, class In>
  bool enqueue(const Exec& exec, const ScanProblem<Recurrence, In>& problem) const {
    if constexpr (VectorRecurrence<Recurrence>::available && std::same_as<In, const Value>) {
      if (blocks_ == 0 || problem.in.stride != 1 || problem.out.stride != 1) return false;
      Kokkos::deep_copy(exec, ready_, 0);
      const Kernel<Recurrence> kernel{problem,
                                      HostVectorScan<Recurrence>(problem.recurrence),
                                      blocks_,
                                      ready_.data() + blocks_,
                                      ready_.data(),
                                      states_.data(),
                                      streams_past_caches(problem)};
      const auto teams = std::min(blocks_, resident_teams(exec, 1));
      Kokkos::parallel_for("WaveScan::scan::host_blocks",
                           Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(teams), 1), kernel);
      return true;
    } else {
      return false;
    }
  }

  std::size_t bytes() const { return ready_.size() * sizeof(int) + states_.size() * sizeof(Value); }

 private:
  /// @brief Stores that bypass the caches save reading what they overwrite; they pay where the line
  /// is much larger than the caches and not scanned in place.
  template <class Problem>
  static bool streams_past_caches(const Problem& problem) {
    constexpr Index many_bytes = 16 << 20;
    return problem.in.data != problem.out.data &&
           reinterpret_cast<std::uintptr_t>(problem.out.data) % 16 == 0 &&
           problem.extents.length * static_cast<Index>(sizeof(Value)) >= many_bytes;
  }

  template <class Recurrence>
  struct Kernel {
    ScanProblem<Recurrence, const Value> problem;
    HostVectorScan<Recurrence> vectors;
    Index blocks;
    int* ticket;
    int* ready;
    Value* states;
    bool streaming;

    template <class Team>
    void operator()(const Team& team) const {
      const bool alone = team.league_size() == 1;
      State<Value> state = problem.carry_in(0);
      for (Index b = Kokkos::atomic_fetch_add(ticket, 1); b < blocks;
           b = Kokkos::atomic_fetch_add(ticket, 1)) {
        const Index first = b * block;
        const Index last = std::min(first + block, problem.extents.length);
        if (alone) {  // nobody waits: no need to reduce first
          state = scan(state, first, last);
        } else {
          const Value total = reduce(first, last);
          if (b > 0) {
            wait_until_at_least(ready + b - 1, 1);
            state = {states[b - 1], true};
          } else {
            state = problem.carry_in(0);
          }
          states[b] = state.present ? leave(state.value, total, last - first) : total;
          store_release(ready + b, 1);
          state = scan(state, first, last);
        }
        if (b == blocks - 1) problem.finish(state, 0);
      }
#if defined(__SSE2__)
      _mm_sfence();  // streaming stores become visible in order with what follows
#endif
    }

   private:
    static Index whole_groups(Index count) {
      constexpr Index group = HostVectorScan<Recurrence>::group_elements;
      return count / group * group;
    }

    Value leave(const Value& s, const Value& total, Index length) const {
      if constexpr (requires { problem.recurrence.weight; })
        return problem.recurrence.leave(
            s, {problem.recurrence.algebra.power(problem.recurrence.weight.value, length), total});
      else
        return problem.recurrence.leave(s, total);
    }

    /// @brief The state after elements [first, last) if nothing enters them.
    Value reduce(Index first, Index last) const {
      const Index count = whole_groups(last - first);
      Value s;
      Index j = first;
      if (count > 0) {
        s = vectors.reduce(problem.in.data + first, count);
        j += count;
      } else {
        s = problem.input(0, j++);
      }
      for (; j < last; ++j) s = problem.recurrence.advance(s, problem.input(0, j), 0, j);
      return s;
    }

    State<Value> scan(State<Value> s, Index first, Index last) const {
      Index j = first;
      // Nothing enters the line's first element: it is scanned alone, and a few more to a group.
      if (!s.present) {
        const Index head = std::min(last, first + HostVectorScan<Recurrence>::group_elements);
        s = problem.scan_serially(s, 0, first, head);
        j = head;
      }
      const Index count = whole_groups(last - j);
      const Value* const in = problem.in.data + j;
      Value* const out = problem.out.data + j;
      s.value = streaming ? vectors.template scan<true>(in, out, count, problem.kind, s.value)
                          : vectors.template scan<false>(in, out, count, problem.kind, s.value);
      return problem.scan_serially(s, 0, j + count, last);
    }
  };

  Index blocks_ = 0;
  Kokkos::View<int*, typename Exec::memory_space> ready_;  ///< of each block; last, the ticket
  Kokkos::View<Value*, typename Exec::memory_space> states_;
};

}  // namespace wavescan::Impl

#endif
