// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_PORTABLE_HPP
#define WAVESCAN_IMPL_FILTER_PORTABLE_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/filter/WaveScan_Problem.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>
#include <impl/filter/WaveScan_Transition.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

/// @file
/// @brief Filters everywhere: lines are cut into chunks, and a thread takes a chunk.
///
/// With one chunk a line there is one kernel. Otherwise a first one finds what every chunk alone
/// leaves behind, a second one joins these along the lines, and a third one filters the chunks from
/// the states that enter them. Memory is read twice and written once.
///
/// Lines stay whole where the powers of matrices would be less accurate than the loop.

namespace wavescan::Impl::filter {

/// @brief How lines are cut up.
struct Chunks {
  Index length = 0;  ///< samples of a chunk
  Index count = 1;   ///< of a line

  template <ExecutionSpace Exec>
  static Chunks choose(const Exec& exec, LineExtents extents) {
    constexpr Index shortest = 256;
    const auto threads = static_cast<Index>(exec.concurrency());
    Index count = ceil_div(threads, std::max<Index>(extents.lines, 1));
    // Joining chunks is serial along a line: as long for all as filtering one of them.
    if (!runs_on_host<Exec>)
      count =
          std::min(count, static_cast<Index>(std::sqrt(static_cast<double>(extents.length) / 4.0)));
    count = std::clamp<Index>(std::min(count, extents.length / shortest), 1, 1 << 16);
    // Two visits for two threads are no gain: a line is cut up for three or more.
    if (runs_on_host<Exec> && count == 2) count = 1;
    const Index length = std::max<Index>(ceil_div(extents.length, count), 1);
    return {length, std::max<Index>(ceil_div(extents.length, length), 1)};
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
    for (Index j = begin; j < begin + chunks.length; ++j)
      static_cast<void>(form.step(problem.in(line, j), s));
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

/// @brief Joins the chunks of each line, as a kernel. There are few, and filters whose states grow
/// much before they decay need twice the samples' precision.
template <class Form>
struct JoinChunks {
  using State = StateVector<typename Form::value_type, Form::states>;
  StateLines<const typename Form::value_type> initial;
  Index lines;
  Index count;  ///< of a line
  ExactMatrix<Form> over_chunk;
  State* states;

  KOKKOS_FUNCTION void operator()(Index line) const {
    State s = initial.template load<Form::states>(line);
    for (Index c = 0; c < count; ++c) {
      State& place = states[c * lines + line];
      const State own = place;
      place = s;
      s = over_chunk.advance(s, own);
    }
  }
};

/// @brief The workspace and the launches of the portable kernels for one filter.
template <ExecutionSpace Exec, class Form>
class PortableFilter {
  using Kernels = PortableKernels<Exec, Form>;

 public:
  PortableFilter() = default;
  PortableFilter(const Exec& exec, const Transition<Form>& transition, LineExtents extents)
      : chunks_(transition.growth() <= max_growth_of_exact
                    ? Chunks::choose(exec, extents)
                    : Chunks{std::max<Index>(extents.length, 1), 1}),
        over_chunk_(transition, chunks_.length) {
    if (chunks_.count > 1)
      states_ = decltype(states_)(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::filter::states"),
          static_cast<std::size_t>(extents.lines * chunks_.count) * Form::states);
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
      Kokkos::parallel_for(
          "WaveScan::filter::join_chunks",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, lines),
          JoinChunks<Form>{problem.initial, lines, chunks_.count, over_chunk_, states});
    }
    launch<typename Kernels::Run>(exec, "WaveScan::filter::run_chunks", chunks_.count * lines,
                                  kernels);
  }

  std::size_t bytes() const { return states_.size() * sizeof(typename Form::value_type); }

 private:
  template <class Tag>
  static void launch(const Exec& exec, const char* name, Index items, const Kernels& kernels) {
    Kokkos::parallel_for(
        name, Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<Index>>(exec, 0, items), kernels);
  }

  Chunks chunks_;
  ExactMatrix<Form> over_chunk_;
  Kokkos::View<typename Form::value_type*, typename Exec::memory_space> states_;
};

}  // namespace wavescan::Impl::filter

#endif
