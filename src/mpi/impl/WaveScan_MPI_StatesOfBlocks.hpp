// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_MPI_STATESOFBLOCKS_HPP
#define WAVESCAN_IMPL_MPI_STATESOFBLOCKS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Calling.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/WaveScan_MPI_Library.hpp>
#include <impl/WaveScan_MPI_SegmentExchange.hpp>
#include <impl/scan/WaveScan_Recurrence.hpp>
#include <impl/scan/WaveScan_ScanArguments.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>

#include <string_view>

/// @file
/// @brief The states between blocks of lines: how carries enter, and what comes of segments.

namespace wavescan {
namespace mpi {
template <ExecutionSpace Exec, class Combine>
class Scan;
}

namespace Impl::mpi {

/// @brief The state after a segment that nothing entered.
template <class T>
KOKKOS_FUNCTION const T& value_of(const T& segment) {
  return segment;
}
template <Algebra A>
KOKKOS_FUNCTION const typename A::value_type& value_of(const WeightedSegment<A>& segment) {
  return segment.value;
}

/// @brief Makes a carry part of the first block's segments: their values become the states after
/// the block. The weights are those of nothing that could enter any more.
template <class Recurrence>
struct EnterFirst {
  using value_type = typename Recurrence::value_type;
  using segment_type = typename Recurrence::segment_type;
  Recurrence recurrence;
  CarryIn<value_type> carry_in;
  bool empty;  ///< there is no segment yet
  segment_type* segments;

  KOKKOS_FUNCTION void operator()(const Index line) const {
    const value_type carry = carry_in(line).value;
    set(segments[line], empty ? carry : recurrence.leave(carry, segments[line]));
  }

 private:
  KOKKOS_FUNCTION void set(value_type& segment, const value_type& value) const { segment = value; }
  template <Algebra A>
  KOKKOS_FUNCTION void set(WeightedSegment<A>& segment, const value_type& value) const {
    segment = {recurrence.algebra.one(), value};
  }
};

template <ExecutionSpace Exec, class Recurrence, class Problem>
void enter_first(const Exec& exec, const Recurrence& recurrence, const Problem& problem,
                 typename Recurrence::segment_type* segments) {
  enqueue_items(
      exec, "WaveScan::mpi::enter", problem.extents.lines, seconds_of_line,
      EnterFirst<Recurrence>{recurrence, problem.carry_in, problem.extents.length == 0, segments});
}

template <class Segment, class Value>
struct StatesOf {
  const Segment* segments;
  Value* states;
  KOKKOS_FUNCTION void operator()(const Index line) const {
    states[line] = value_of(segments[line]);
  }
};

/// @brief The states after segments that nothing entered.
template <ExecutionSpace Exec, class Segment, class Value>
void states_of(const Exec& exec, const Segment* segments, Index lines, Value* states) {
  enqueue_items(exec, "WaveScan::mpi::states", lines, seconds_of_line,
                StatesOf<Segment, Value>{segments, states});
}

template <class Value>
struct CopyStates {
  Lines<const Value> from;
  Lines<Value> to;
  KOKKOS_FUNCTION void operator()(const Index line) const { to(line, 0) = from(line, 0); }
};

template <class Value, ExecutionSpace Exec>
void copy_states(const Exec& exec, const Lines<Value>& from, const Lines<Value>& to, Index lines) {
  enqueue_items(exec, "WaveScan::mpi::carry_out", lines, seconds_of_line,
                CopyStates<Value>{{from.data, from.line_stride, from.stride}, to});
}

/// @brief Processes over which lines are distributed: makes the plans of such scans.
struct Processes {
  MPI_Comm comm;

  template <ExecutionSpace Exec, class Combine, class ExtentsOf>
  wavescan::mpi::Scan<Exec, Combine> plan(const Exec& exec, const Combine& combine,
                                          const ExtentsOf& extents_of) const {
    return wavescan::mpi::Scan<Exec, Combine>(comm, exec, combine, "mpi::Scan", extents_of);
  }
};
template <class Function, class... Args>
void call_scan(std::string_view operation, MPI_Comm comm, const Args&... args) {
  call_as(operation, ScanCall<Function, Processes>{{comm}}, args...);
}

}  // namespace Impl::mpi
}  // namespace wavescan

#endif
