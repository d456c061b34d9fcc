// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_PORTABLEFILTER_HPP
#define WAVESCAN_IMPL_FILTER_PORTABLEFILTER_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>
#include <impl/filter/WaveScan_Transition.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

/// @file
/// @brief Filters everywhere: lines are divided into chunks, and a thread takes a chunk.
///
/// With one chunk a line there is one kernel. Otherwise a first one finds what every chunk alone
/// leaves behind, others join these along the lines, and a last one filters the chunks from the
/// states that enter them. Memory is read twice and written once.
///
/// Lines stay whole where the powers of matrices would be less accurate than the loop.

namespace wavescan::Impl::filter {

/// @brief Partition of lines into chunks.
struct Chunks {
  Index length = 0;  ///< samples of a chunk
  Index count = 1;   ///< of a line
  Index group = 1;   ///< chunks that one thread joins

  KOKKOS_FUNCTION Index groups() const { return ceil_div(count, group); }
  KOKKOS_FUNCTION Index chunks_of(Index g) const {
    const Index rest = count - g * group;
    return rest < group ? rest : group;
  }

  static Chunks whole(LineExtents extents) { return {std::max<Index>(extents.length, 1)}; }
  template <ExecutionSpace Exec>
  static Chunks choose(const Exec& exec, LineExtents extents) {
    constexpr Index shortest = 256;
    // More threads do worse on GPUs.
    const auto threads = std::min<Index>(static_cast<Index>(exec.concurrency()), 1 << 16);
    Index count = ceil_div(threads, std::max<Index>(extents.lines, 1));
    count = std::max<Index>(std::min(count, extents.length / shortest), 1);
    // Two visits for two threads are no gain: a line is divided for three or more.
    if (runs_on_host<Exec> && count == 2) count = 1;
    const Index length = std::max<Index>(ceil_div(extents.length, count), 1);
    count = std::max<Index>(ceil_div(extents.length, length), 1);
    const double root = std::sqrt(static_cast<double>(count));
    return {length, count, runs_on_host<Exec> ? count : static_cast<Index>(std::ceil(root))};
  }
};

/// @brief The kernels; operator() is chosen by a tag.
template <ExecutionSpace Exec, class Form>
struct PortableKernels {
  using T = typename Form::value_type;
  static constexpr int K = Form::states;
  using State = StateVector<T, K>;
  struct Reduce {};
  struct Run {};

  Form form;
  Problem<T> problem;
  Chunks chunks;
  State* states;  ///< (chunk, line): what chunks leave behind, then what enters them

  /// Neighbouring threads take neighbouring lines.
  KOKKOS_FUNCTION void operator()(Reduce, Index i) const {
    State s{};
    const Index line = i % problem.extents.lines, begin = i / problem.extents.lines * chunks.length;
    for (Index j = first_remembered<Form>(chunks.length); j < chunks.length; ++j)
      static_cast<void>(form.step(problem.in(line, begin + j), s));
    states[i] = s;
  }
  KOKKOS_FUNCTION void operator()(Run, Index i) const {
    const Index line = i % problem.extents.lines, begin = i / problem.extents.lines * chunks.length;
    const Index rest = problem.extents.length - begin;
    const Index end = begin + (rest < chunks.length ? rest : chunks.length);
    State s = chunks.count > 1 ? states[i] : problem.initial.template load<K>(line);
    for (Index j = begin; j < end; ++j) problem.out(line, j) = form.step(problem.in(line, j), s);
    if (end == problem.extents.length) problem.final.store(line, s);
  }
};

/// @brief Joins the chunks of each line. Filters whose states grow much before they decay need
/// twice the samples' precision, which is slow; so on devices chunks are joined in groups, whose
/// totals are joined in turn: two visits of a group's chunks and one of all groups, each by one
/// thread.
template <ExecutionSpace Exec, class Form>
class JoinChunks {
  using T = typename Form::value_type;
  using State = StateVector<T, Form::states>;

 public:
  JoinChunks() = default;
  JoinChunks(const Exec& exec, const Transition<Form>& transition, LineExtents extents,
             const Chunks& chunks)
      : chunks_(chunks), over_chunk_(transition, chunks.length) {
    if (chunks.groups() == 1) return;
    over_group_ = ExactMatrix<Form>(transition, chunks.group * chunks.length);
    allocate(exec, totals_, "WaveScan::filter::totals",
             extents.lines * chunks.groups() * Form::states);
  }

  /// @param states (chunk, line): what chunks leave behind, then what enters them
  void enqueue(const Exec& exec, const Problem<T>& problem, State* states) const {
    const Index lines = problem.extents.lines;
    auto* const totals = reinterpret_cast<State*>(totals_.data());
    const auto launch = [&](const char* name, Index n, const auto& kernel) {
      Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, n),
                           kernel);
    };
    const ExactMatrix<Form> over_chunk = over_chunk_, over_group = over_group_;
    const StateLines<const T> initial = problem.initial;
    const Chunks chunks = chunks_;
    const Index group = chunks.group, groups = chunks.groups();
    if (groups > 1) {
      // The last group's total is what nobody needs.
      launch(
          "WaveScan::filter::total_groups", lines * (groups - 1), KOKKOS_LAMBDA(Index i) {
            const Index begin = i / lines * group;
            State s{};
            for (Index c = begin; c < begin + group; ++c)
              s = over_chunk.advance(s, states[c * lines + i % lines]);
            totals[i] = s;
          });
      launch(
          "WaveScan::filter::join_groups", lines, KOKKOS_LAMBDA(Index line) {
            enter(initial.template load<Form::states>(line), over_group, totals + line, lines,
                  groups);
          });
    }
    launch(
        "WaveScan::filter::join_chunks", lines * groups, KOKKOS_LAMBDA(Index i) {
          const Index line = i % lines, g = i / lines;
          enter(groups > 1 ? totals[i] : initial.template load<Form::states>(line), over_chunk,
                states + g * group * lines + line, lines, chunks.chunks_of(g));
        });
  }

  std::size_t bytes() const { return totals_.size() * sizeof(T); }

 private:
  /// @brief Replaces what segments leave behind by what enters them, the first of which is s.
  KOKKOS_FUNCTION static void enter(State s, const ExactMatrix<Form>& over, State* segments,
                                    Index stride, Index count) {
    for (Index c = 0; c < count; ++c) {
      State& place = segments[c * stride];
      const State own = place;
      place = s;
      s = over.advance(s, own);
    }
  }

  Chunks chunks_;
  ExactMatrix<Form> over_chunk_, over_group_;
  Kokkos::View<T*, typename Exec::memory_space> totals_;  ///< (group, line)
};

/// @brief The workspace and the launches of the portable kernels for one filter.
template <ExecutionSpace Exec, class Form>
class PortableFilter {
  using Kernels = PortableKernels<Exec, Form>;

 public:
  PortableFilter() = default;
  PortableFilter(const Exec& exec, const Transition<Form>& transition, LineExtents extents)
      : chunks_(transition.growth() <= max_growth_of_exact ? Chunks::choose(exec, extents)
                                                           : Chunks::whole(extents)) {
    if (chunks_.count == 1) return;
    join_ = JoinChunks<Exec, Form>(exec, transition, extents, chunks_);
    allocate(exec, states_, "WaveScan::filter::states",
             extents.lines * chunks_.count * Form::states);
  }

  void enqueue(const Exec& exec, const Form& form,
               const Problem<typename Form::value_type>& problem) const {
    auto* const states = reinterpret_cast<typename Kernels::State*>(states_.data());
    const Kernels kernels{form, problem, chunks_, states};
    const Index lines = problem.extents.lines;
    if (chunks_.count > 1) {
      // The last chunk's state is what nobody needs.
      launch<typename Kernels::Reduce>(exec, "WaveScan::filter::reduce_chunks",
                                       (chunks_.count - 1) * lines, kernels);
      join_.enqueue(exec, problem, states);
    }
    launch<typename Kernels::Run>(exec, "WaveScan::filter::run_chunks", chunks_.count * lines,
                                  kernels);
  }

  std::size_t bytes() const {
    return states_.size() * sizeof(typename Form::value_type) + join_.bytes();
  }

 private:
  template <class Tag>
  static void launch(const Exec& exec, const char* name, Index items, const Kernels& kernels) {
    Kokkos::parallel_for(
        name, Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<Index>>(exec, 0, items), kernels);
  }

  Chunks chunks_;
  JoinChunks<Exec, Form> join_;
  Kokkos::View<typename Form::value_type*, typename Exec::memory_space> states_;
};

}  // namespace wavescan::Impl::filter

#endif
