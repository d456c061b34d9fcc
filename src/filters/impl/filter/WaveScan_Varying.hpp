// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_VARYING_HPP
#define WAVESCAN_IMPL_FILTER_VARYING_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_DevicePaths.hpp>
#include <impl/WaveScan_KeptPlans.hpp>
#include <impl/filter/WaveScan_AffineMap.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>
#include <impl/filter/WaveScan_FilterSelection.hpp>
#include <impl/filter/WaveScan_PortableFilter.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>
#if defined(WAVESCAN_HAS_GPU_KERNELS)
#include <impl/filter/gpu/WaveScan_MapScan.hpp>
#endif

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

/// @file
/// @brief Linear recurrences whose coefficients come from memory: y_j = x_j + sum c_k(j) y_{j-k}.
///
/// As in the portable filters, lines are divided into chunks, which are reduced, joined and run.
/// What a chunk does to a state is a matrix of its own here, whose columns are the states that
/// follow from states of one 1 if no samples come: the first kernel finds K + 1 states at once. On
/// devices chunks are joined in groups: a group's matrix is found by K + 1 threads, a column each.
/// NVIDIA and AMD GPUs have a kernel of their own for most recurrences up to order 4.

namespace wavescan::Impl::filter {

/// @brief The kernels; operator() is chosen by a tag. States are outputs, the newest one first.
template <class T, int K>
struct VaryingKernels {
  using State = StateVector<T, K>;
  struct Reduce {};
  struct TotalGroups {};
  struct JoinGroups {};
  struct JoinChunks {};
  struct Run {};

  using Segment = AffineMap<T, K>;  ///< of a chunk or a group

  VaryingCoefficients<T, K> coefficients;
  Problem<T> problem;
  Chunks chunks;
  Segment* segments;  ///< (chunk, line), then (group, line)

  KOKKOS_FUNCTION Segment* totals() const {
    return segments + chunks.count * problem.extents.lines;
  }

  KOKKOS_FUNCTION void load(Index line, Index j, T (&c)[K]) const {
    for (int k = 0; k < K; ++k)
      c[k] = k < coefficients.order ? coefficients.line[k](line, j) : T(0);
  }

  KOKKOS_FUNCTION void operator()(Reduce, Index i) const {
    const Index line = i % problem.extents.lines, begin = i / problem.extents.lines * chunks.length;
    Segment own = Segment::identity();
    for (Index j = begin; j < begin + chunks.length; ++j) {
      T c[K];
      load(line, j, c);
      own.push(c, problem.in(line, j));
    }
    segments[i] = own;
  }
  /// @brief Replaces the states that segments leave behind by those that enter them, first s.
  KOKKOS_FUNCTION void enter(State s, Segment* segment, Index count) const {
    for (Index c = 0; c < count; ++c, segment += problem.extents.lines) {
      const State after = segment->after(s);
      segment->state = s;
      s = after;
    }
  }
  KOKKOS_FUNCTION void operator()(TotalGroups, Index i) const {
    const int column = static_cast<int>(i % (K + 1));
    const Index lines = problem.extents.lines, place = i / (K + 1);
    const Segment* segment = segments + place / lines * chunks.group * lines + place % lines;
    State s;
    for (int k = 0; k < K; ++k) s.value[k] = k == column ? T(1) : T(0);
    for (Index c = 0; c < chunks.group; ++c, segment += lines)
      s = segment->after(s, column < K ? State{} : segment->state);
    (column < K ? totals()[place].column[column] : totals()[place].state) = s;
  }
  KOKKOS_FUNCTION void operator()(JoinGroups, Index line) const {
    enter(problem.initial.template load<K>(line), totals() + line, chunks.groups());
  }
  KOKKOS_FUNCTION void operator()(JoinChunks, Index i) const {
    const Index lines = problem.extents.lines, line = i % lines, g = i / lines;
    enter(chunks.groups() > 1 ? totals()[i].state : problem.initial.template load<K>(line),
          segments + g * chunks.group * lines + line, chunks.chunks_of(g));
  }
  KOKKOS_FUNCTION void operator()(Run, Index i) const {
    const Index line = i % problem.extents.lines, begin = i / problem.extents.lines * chunks.length;
    const Index rest = problem.extents.length - begin;
    const Index end = begin + (rest < chunks.length ? rest : chunks.length);
    State s = chunks.count > 1 ? segments[i].state : problem.initial.template load<K>(line);
    for (Index j = begin; j < end; ++j) {
      T c[K];
      load(line, j, c);
      problem.out(line, j) = push_output(s, c, problem.in(line, j));
    }
    if (end == problem.extents.length) problem.final.store(line, s);
  }
};

#if defined(WAVESCAN_HAS_GPU_KERNELS)
/// @brief The recurrence for the kernel of GPUs: samples, then coefficients.
template <class T, int K>
struct RecurrenceModel {
  using value_type = T;
  using State = StateVector<T, K>;
  using Map = AffineMap<T, K>;
  static constexpr int inputs = K + 1, outputs = 1;
  static constexpr bool mends = false;

  KOKKOS_FUNCTION static State begin(const StateLines<const T>& initial, Index line) {
    return initial.template load<K>(line);
  }
  KOKKOS_FUNCTION static void end(const StateLines<T>& final, Index line, const State& s) {
    final.store(line, s);
  }
  KOKKOS_FUNCTION static void mend_ends(T (&)[inputs], bool, bool) {}
  KOKKOS_FORCEINLINE_FUNCTION static void push(Map& map, const T (&in)[inputs]) {
    map.push(in + 1, in[0]);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void step(State& s, T (&in)[inputs]) {
    in[0] = push_output(s, in + 1, in[0]);
  }
};

/// @brief Whether there is that kernel; of complex samples it has not been run.
template <class T, int K>
inline constexpr bool has_map_scan = K <= 4 && std::floating_point<T>;

/// @brief Inputs and output of a recurrence for that kernel.
template <class T, int K>
struct RecurrenceLines {
  Lines<const T> lines[K + 1];
  std::span<const Lines<const T>> in;
  std::span<const Lines<T>, 1> out;

  RecurrenceLines(const VaryingCoefficients<T, K>& coefficients, const Problem<T>& problem)
      : lines{problem.in},
        in(lines, static_cast<std::size_t>(coefficients.order) + 1),
        out(&problem.out, 1) {
    for (int k = 0; k < K; ++k) lines[k + 1] = coefficients.line[k];
  }
  RecurrenceLines(const RecurrenceLines&) = delete;
  RecurrenceLines& operator=(const RecurrenceLines&) = delete;
};
#endif

/// @brief Enqueues the recurrence; the workspace lives as long as the call.
template <int K, ExecutionSpace Exec, class T>
void enqueue_varying(const Exec& exec, const VaryingCoefficients<T, K>& coefficients,
                     const Problem<T>& problem) {
#if defined(WAVESCAN_HAS_GPU_KERNELS)
  if constexpr (runs_on_gpu<Exec> && has_map_scan<T, K>) {
    using Model = RecurrenceModel<T, K>;
    const RecurrenceLines<T, K> lines(coefficients, problem);
    FilterRequest request{problem.extents};
    request.tiles = map_scan_limits<Model>;
    request.movable = MapScanLines<Model>::can_move(problem.extents, lines.in, lines.out);
    if (select_algorithm(request, {}) == FilterAlgorithm::Tiles)
      return enqueue_map_scan<Model>(exec, problem.extents, lines.in, lines.out, problem.initial,
                                     problem.final);
  }
#endif
  using Kernels = VaryingKernels<T, K>;
  Chunks chunks = Chunks::choose(exec, problem.extents);
  // K + 2 visits: fewer chunks than that are no gain on hosts, where a chunk has a core.
  if (runs_on_host<Exec> && chunks.count <= K + 2) chunks = Chunks::whole(problem.extents);
  constexpr Index values = sizeof(typename Kernels::Segment) / sizeof(T);
  const Index lines = problem.extents.lines, groups = chunks.groups();
  const auto segments =
      kept_array<T>(exec, "WaveScan::recurrence::segments",
                    chunks.count > 1 ? (chunks.count + groups) * lines * values : 0);
  const Kernels kernels{coefficients, problem, chunks,
                        reinterpret_cast<typename Kernels::Segment*>(segments->data())};
  const auto launch = [&]<class Tag>(const char* name, Index items, Tag) {
    Kokkos::parallel_for(
        name, Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<Index>>(exec, 0, items), kernels);
  };
  if (chunks.count > 1) {
    launch("WaveScan::recurrence::reduce", (chunks.count - 1) * lines, typename Kernels::Reduce());
    if (groups > 1) {
      launch("WaveScan::recurrence::total_groups", (groups - 1) * lines * (K + 1),
             typename Kernels::TotalGroups());
      launch("WaveScan::recurrence::join_groups", lines, typename Kernels::JoinGroups());
    }
    launch("WaveScan::recurrence::join_chunks", groups * lines, typename Kernels::JoinChunks());
  }
  launch("WaveScan::recurrence::run", chunks.count * lines, typename Kernels::Run());
}

/// @brief Enqueues the recurrence of any order with the smallest K that is enough.
/// @param line called with k from 0 on: the lines of the coefficients of y_{j-1-k}
template <class T, ExecutionSpace Exec, class LineOf>
void enqueue_varying(const Exec& exec, int order, const LineOf& line, const Problem<T>& problem) {
  const auto with = [&]<int K>(std::integral_constant<int, K>) {
    VaryingCoefficients<T, K> coefficients{{}, order};
    for (int k = 0; k < K && k < order; ++k) coefficients.line[k] = line(k);
    enqueue_varying<K>(exec, coefficients, problem);
  };
  if (order <= 1) return with(std::integral_constant<int, 1>());
  if (order <= 2) return with(std::integral_constant<int, 2>());
  if (order <= 4) return with(std::integral_constant<int, 4>());
  if (order <= 8) return with(std::integral_constant<int, 8>());
  with(std::integral_constant<int, 16>());
}

}  // namespace wavescan::Impl::filter

#endif
