// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SCAN_REDUCETHENSCAN_HPP
#define WAVESCAN_IMPL_SCAN_REDUCETHENSCAN_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/scan/WaveScan_ScanProblem.hpp>
#include <impl/scan/WaveScan_TeamScan.hpp>

#include <algorithm>
#include <cstddef>

/// @file
/// @brief Scans of long lines: each line is divided into chunks, and a team takes a chunk.
///
/// With one chunk a line there is one kernel. Otherwise a first kernel reduces every chunk to a
/// segment, and in a second one each team joins the segments before its chunk and scans it. Memory
/// is read twice and written once. This is the portable way, for every accelerator.

namespace wavescan::Impl {

/// @brief Partition of lines into chunks, and the teams that work on them.
struct ChunkShape {
  Index chunk = 0;   ///< elements
  Index chunks = 0;  ///< a line
  int team_size = 1;
  /// Teams of a launch, which then take several chunks each. No device runs as many at once; the
  /// numbers of teams and of threads stay within what launches can be asked for.
  Index max_teams = (1 << 22) - 1;

  /// @brief Teams that scan `lines` lines.
  int league(Index lines) const { return static_cast<int>(std::min(lines * chunks, max_teams)); }

  static constexpr Index items = 16;  ///< consecutive elements that a thread takes at a time

  /// Bytes of team scratch, of which a team takes two segments a thread, that all devices have.
  static constexpr std::size_t scratch = 44 * 1024;

  template <ExecutionSpace Exec>
  static ChunkShape choose(const Exec& exec, LineExtents extents, std::size_t segment_bytes) {
    ChunkShape shape;
    while (shape.team_size < 128 && shape.team_size * items < extents.length &&
           4 * static_cast<std::size_t>(shape.team_size) * segment_bytes <= scratch)
      shape.team_size *= 2;
    // Enough chunks to keep every team busy, and none too small to be worth its two visits.
    const Index wanted =
        ceil_div(resident_teams(exec, shape.team_size), std::max<Index>(extents.lines, 1));
    const Index smallest = 4 * items * shape.team_size;
    shape.chunk = std::max(ceil_div(extents.length, wanted), smallest);
    shape.chunks = std::max<Index>(ceil_div(extents.length, shape.chunk), 1);
    return shape;
  }
};

/// @brief Values that the chunks' first kernel hands to the second.
template <class Exec, class Value, class Segment>
struct ReduceThenScanWorkspace {
  using memory_space = typename Exec::memory_space;
  Kokkos::View<Segment**, Kokkos::LayoutRight, memory_space> segments;  ///< (line, chunk)
  /// The states that enter the lines, kept here because the caller may use one View as carry in
  /// and carry out.
  Kokkos::View<State<Value>*, memory_space> entering;

  ReduceThenScanWorkspace() = default;
  ReduceThenScanWorkspace(const Exec& exec, LineExtents extents, const ChunkShape& shape) {
    if (shape.chunks == 1) return;
    allocate(exec, segments, "WaveScan::scan::segments", extents.lines, shape.chunks);
    allocate(exec, entering, "WaveScan::scan::entering", extents.lines);
  }
  std::size_t bytes() const {
    return segments.size() * sizeof(Segment) + entering.size() * sizeof(State<Value>);
  }
};

/// @brief The two kernels; operator() is chosen by a tag.
template <class Exec, class Recurrence, class In>
struct ReduceThenScan {
  using policy_type = Kokkos::TeamPolicy<Exec>;
  using team_type = typename policy_type::member_type;
  using value_type = typename Recurrence::value_type;
  using segment_type = typename Recurrence::segment_type;
  using scan_type = TeamScan<Recurrence, team_type>;
  struct Reduce {};
  struct Scan {};

  ScanProblem<Recurrence, In> problem;
  ChunkShape shape;
  ReduceThenScanWorkspace<Exec, value_type, segment_type> workspace;

  KOKKOS_FUNCTION void operator()(Reduce, const team_type& team) const {
    for_own_chunks(team, [&](scan_type& threads, Index line, Index chunk) {
      if (chunk == 0 && team.team_rank() == 0) workspace.entering(line) = problem.carry_in(line);
      // One contiguous piece a thread; the pieces join in order.
      const Index begin = chunk * shape.chunk;
      const Index length = min(problem.extents.length - begin, shape.chunk);
      const Index piece = ceil_div(length, team.team_size());
      join_pieces(threads, team, length, piece, [&](Index first, Index last) {
        return problem.recurrence.reduce(problem.in, line, begin + first, begin + last);
      });
      if (team.team_rank() == 0)
        workspace.segments(line, chunk) =
            threads.joined(static_cast<int>(ceil_div(length, piece)) - 1);
      threads.done();
    });
  }

  KOKKOS_FUNCTION void operator()(Scan, const team_type& team) const {
    for_own_chunks(team, [&](scan_type& threads, Index line, Index chunk) {
      const Index begin = chunk * shape.chunk;
      const Index end = min(begin + shape.chunk, problem.extents.length);
      State<value_type> s = shape.chunks == 1 ? problem.carry_in(line) : workspace.entering(line);
      if (chunk > 0) s = after_chunks(threads, team, s, line, chunk);
      if (team.team_size() == 1) {
        s = problem.scan_serially(s, line, begin, end);
      } else {
        const Index tile = ChunkShape::items * team.team_size();
        for (Index first = begin; first < end; first += tile)
          s = scan_tile(threads, team, s, line, first, min(first + tile, end));
      }
      if (chunk == shape.chunks - 1 && team.team_rank() == 0) problem.finish(s, line);
    });
  }

 private:
  KOKKOS_FUNCTION static Index min(Index a, Index b) { return a < b ? a : b; }

  /// @brief Calls `work(threads, line, chunk)` for the chunks that are this team's.
  template <class Work>
  KOKKOS_FUNCTION void for_own_chunks(const team_type& team, const Work& work) const {
    scan_type threads(problem.recurrence, team);
    const Index all = problem.extents.lines * shape.chunks;
    for (Index c = team.league_rank(); c < all; c += team.league_size())
      work(threads, c / shape.chunks, c % shape.chunks);
  }

  /// @brief Divides [0, length) into a piece a thread and joins what `reduce(first, last)` makes of
  /// the pieces.
  template <class ReducePiece>
  KOKKOS_FUNCTION static void join_pieces(scan_type& threads, const team_type& team, Index length,
                                          Index piece, const ReducePiece& reduce) {
    const int count = static_cast<int>(ceil_div(length, piece));
    // Threads without a piece repeat the first one: all must take part in the join's barriers.
    const Index first = team.team_rank() < count ? team.team_rank() * piece : 0;
    threads.join(reduce(first, min(first + piece, length)), count);
  }

  /// @brief The state after the first `count` chunks of a line, from their segments.
  KOKKOS_FUNCTION State<value_type> after_chunks(scan_type& threads, const team_type& team,
                                                 const State<value_type>& entering, Index line,
                                                 Index count) const {
    const Index piece = ceil_div(count, team.team_size());
    join_pieces(threads, team, count, piece, [&](Index first, Index last) {
      segment_type s = workspace.segments(line, first);
      for (Index c = first + 1; c < last; ++c)
        s = problem.recurrence.join(s, workspace.segments(line, c));
      return s;
    });
    const State<value_type> s =
        leave(entering, threads.joined(static_cast<int>(ceil_div(count, piece)) - 1));
    threads.done();
    return s;
  }

  /// @brief Scans one tile, `items` consecutive elements a thread, and returns the state after it.
  KOKKOS_FUNCTION State<value_type> scan_tile(scan_type& threads, const team_type& team,
                                              const State<value_type>& s, Index line, Index first,
                                              Index last) const {
    join_pieces(threads, team, last - first, ChunkShape::items, [&](Index a, Index b) {
      return problem.recurrence.reduce(problem.in, line, first + a, first + b);
    });
    const Index begin = first + team.team_rank() * ChunkShape::items;
    if (begin < last)
      problem.scan_serially(
          team.team_rank() == 0 ? s : leave(s, threads.joined(team.team_rank() - 1)), line, begin,
          min(begin + ChunkShape::items, last));
    const int count = static_cast<int>(ceil_div(last - first, ChunkShape::items));
    const State<value_type> after = leave(s, threads.joined(count - 1));
    threads.done();
    return after;
  }

  KOKKOS_FUNCTION State<value_type> leave(const State<value_type>& s,
                                          const segment_type& segment) const {
    return {
        s.present ? problem.recurrence.leave(s.value, segment) : problem.recurrence.leave(segment),
        true};
  }
};

/// @brief Enqueues the scan on `exec`.
template <class Exec, class Recurrence, class In>
void reduce_then_scan(const Exec& exec, const ScanProblem<Recurrence, In>& problem,
                      const ChunkShape& shape,
                      const ReduceThenScanWorkspace<Exec, typename Recurrence::value_type,
                                                    typename Recurrence::segment_type>& workspace) {
  using Kernel = ReduceThenScan<Exec, Recurrence, In>;
  const Kernel kernel{problem, shape, workspace};
  const int league = shape.league(problem.extents.lines);
  const auto scratch = Kokkos::PerTeam(Kernel::scan_type::scratch_bytes(shape.team_size));
  if (shape.chunks > 1)
    Kokkos::parallel_for(
        "WaveScan::scan::reduce_chunks",
        Kokkos::TeamPolicy<Exec, typename Kernel::Reduce>(exec, league, shape.team_size)
            .set_scratch_size(0, scratch),
        kernel);
  Kokkos::parallel_for(
      "WaveScan::scan::scan_chunks",
      Kokkos::TeamPolicy<Exec, typename Kernel::Scan>(exec, league, shape.team_size)
          .set_scratch_size(0, scratch),
      kernel);
}

}  // namespace wavescan::Impl

#endif
