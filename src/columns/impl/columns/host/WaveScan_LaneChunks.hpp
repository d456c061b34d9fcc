// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_COLUMNS_HOST_LANECHUNKS_HPP
#define WAVESCAN_IMPL_COLUMNS_HOST_LANECHUNKS_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/columns/WaveScan_BandElimination.hpp>
#include <impl/columns/WaveScan_Thomas.hpp>
#include <impl/columns/host/WaveScan_LaneElimination.hpp>

#include <algorithm>

/// @file
/// @brief Few long systems on a host, which are not cyclic: chunks of rows in the lanes of vectors,
/// as if they were systems, and between them the interface system. The rows that are left over are
/// chunks of M rows, all unknowns of which the interface system has.
///
/// Chunks follow from the length alone, whatever the number of threads.

namespace wavescan::Impl::columns {

/// @brief The number of chunks of equal length into which a system is divided: a multiple of all
/// lanes. They are so short that what waits of a vector of them stays in the second cache, and do
/// not begin at the same places of pages, which would compete for the same places of the first one.
template <class T>
constexpr Index count_lane_chunks(Index length) {
  constexpr Index lanes = 16, page = 4096, apart = 256;
  const Index rows = std::clamp<Index>(length / 512, 128, 2048);
  Index chunks = ceil_div(length / rows, lanes) * lanes;
  const auto competes = [&] {
    const Index in_page = length / chunks * static_cast<Index>(sizeof(T)) % page;
    return in_page < apart || in_page > page - apart;
  };
  while (competes()) chunks += lanes;
  return chunks;
}

/// @brief The steps of the solution for each vector of chunks.
template <class Elimination, class T, int M>
struct ChunksOfSet {
  static constexpr Index lanes = Elimination::lanes, rows = Elimination::rows;

  static WaitingRows<T> waiting_of(const LaneSystems<T, M>& s, Index set, T* workspace) {
    const Index pitch = Elimination::waiting_vectors(s) * lanes;
    return {workspace + set * pitch * waiting_rows<M>(s.extents.length, true), pitch};
  }
  static void eliminate(const LaneSystems<T, M>& s, Index set, T* workspace, Ends<T, M>* ends) {
    const WaitingRows<T> waiting = waiting_of(s, set, workspace);
    for (Index row = 0; row < s.extents.length; row += rows)
      Elimination::eliminate(s, {set * lanes, lanes, lanes}, row, waiting);
    Elimination::find_ends(s.extents.length, waiting, ends + set * lanes);
  }
  static void substitute(const LaneSystems<T, M>& s, Index set, T* workspace, Ends<T, M>* ends) {
    const WaitingRows<T> waiting = waiting_of(s, set, workspace);
    for (Index lane = 0; lane < lanes; ++lane) {
      const Index chunk = set * lanes + lane;
      const Column<T, M> before = chunk > 0 ? ends[chunk - 1].last.known : Column<T, M>(T(0));
      Elimination::set_last(s.extents.length, waiting, lane, before, ends[chunk].last.known);
    }
    for (Index row = (s.extents.length - 1) / rows * rows; row >= 0; row -= rows)
      Elimination::substitute(s, {set * lanes, lanes, lanes}, row, waiting);
  }
};

#if defined(WAVESCAN_HAS_VECTORS)
template <class T, int M>
struct AnyLaneChunks {
  using Work = void (*)(const LaneSystems<T, M>&, Index set, T* workspace, Ends<T, M>*);
  Index lanes;
  Work eliminate, substitute;

  static AnyLaneChunks best() {
    return dispatch([](auto target) {
      using Of = ChunksOfSet<LaneElimination<decltype(target), T, M, false>, T, M>;
      return AnyLaneChunks{Of::lanes, &Of::eliminate, &Of::substitute};
    });
  }
};

/// @brief The chunks of a system, and where their rows and what they tell each other lies.
template <class T, int M>
struct ChunkedSystem {
  LaneSystems<T, M> chunks;
  T* workspace;
  Ends<T, M>* ends;  ///< of chunks, and of the rows behind them

  static Index ends_count(Index length) {
    const Index count = count_lane_chunks<T>(length);
    return count + ceil_div(length % count, Index(M));
  }
  static Index workspace_size(Index length) {
    const Index count = count_lane_chunks<T>(length);
    return count * waiting_rows<M>(length / count, true) * waiting_numbers<M>(true);
  }
  ChunkedSystem(const Systems<T, M>& s, Index line, T* all_workspace, Ends<T, M>* all_ends)
      : workspace(all_workspace + line * workspace_size(s.extents.length)),
        ends(all_ends + line * ends_count(s.extents.length)) {
    const Index n = s.extents.length, count = count_lane_chunks<T>(n), rows = n / count;
    const auto in_chunks = [&]<class E>(const Lines<E>& of) {
      return Lines<E>{of.data + line * of.line_stride, rows * of.stride, of.stride};
    };
    chunks.matrices = s.matrices;
    chunks.matrices.cyclic = true;  // rows keep a coefficient of what is before their chunk
    for (Lines<const T>& of : chunks.matrices.diagonal) of = in_chunks(of);
    chunks.right = in_chunks(s.right);
    chunks.x = in_chunks(s.x);
    chunks.extents = {count, rows};
    chunks.whole_length = n;
  }

  /// @brief The coefficients of a row. (nvcc warns of lambdas of hosts in functions of both.)
  struct NumbersOfRow {
    const LaneSystems<T, M>& chunks;
    Index row;
    KOKKOS_FUNCTION T operator()(int k) const { return chunks.number(k - M, 0, row); }
  };

  /// @brief Solves for the last unknowns of all chunks, and for those behind the chunks.
  void solve_between() const {
    const Index count = chunks.extents.lines, rows = chunks.extents.length, first = count * rows,
                n = chunks.whole_length;
    const auto rest = [&](Index i) { return std::min<Index>(M, n - i); };
    Ends<T, M>* e = ends + count;
    for (Index i = first; i < n; i += M, ++e) {
      auto before = before_first_row<T, M>(true, rest(i));
      for (Index row = i; row < i + rest(i); ++row)
        before.push(before.factor(NumbersOfRow{chunks, row}), chunks.right(0, row));
      // The last chunk may have fewer rows than M, which are the last ones of its unknowns.
      auto own = Equation<T, M>::is_zero();
      for (int k = 0; k < rest(i); ++k) at(own.right, k, static_cast<int>(M - rest(i)) + k) = T(-1);
      *e = {before.last(), own};
    }
    solve_interfaces(e - ends, ends);
    e = ends + count;
    for (Index i = first; i < n; i += M, ++e)
      for (Index k = 0; k < rest(i); ++k)
        chunks.x(0, i + k) = at(e->last.known, static_cast<int>(M - rest(i) + k));
  }
};

template <ExecutionSpace Exec, class T, int M>
void solve_in_chunks(const Exec& exec, const Systems<T, M>& s) {
  using System = ChunkedSystem<T, M>;
  const Index lines = s.extents.lines, n = s.extents.length;
  const auto work = AnyLaneChunks<T, M>::best();
  const auto rows =
      kept_array<T>(exec, "WaveScan::columns::rows", lines * System::workspace_size(n));
  const auto ends =
      kept_array<Ends<T, M>>(exec, "WaveScan::columns::chunks", lines * System::ends_count(n));
  const auto system = [s, w = rows->data(), e = ends->data()](Index line) {
    return System(s, line, w, e);
  };
  const Index sets = count_lane_chunks<T>(n) / work.lanes;
  const auto for_each_set = [&](typename AnyLaneChunks<T, M>::Work act) {
    enqueue_each(exec, "WaveScan::columns::chunks", lines * sets, [=](Index item) {
      const System of = system(item / sets);
      act(of.chunks, item % sets, of.workspace, of.ends);
    });
  };
  for_each_set(work.eliminate);
  enqueue_each(exec, "WaveScan::columns::interfaces", lines,
               [=](Index line) { system(line).solve_between(); });
  for_each_set(work.substitute);
}
#endif

}  // namespace wavescan::Impl::columns

#endif
