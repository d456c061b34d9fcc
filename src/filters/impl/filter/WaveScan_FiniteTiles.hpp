// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_FILTER_FINITETILES_HPP
#define WAVESCAN_IMPL_FILTER_FINITETILES_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_Lines.hpp>
#include <impl/filter/WaveScan_FilterProblem.hpp>
#include <impl/filter/WaveScan_FilterSelection.hpp>
#include <impl/filter/WaveScan_Forms.hpp>
#include <impl/filter/WaveScan_StateVector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>

/// @file
/// @brief Filters without feedback on devices: lines are divided into tiles, and a team takes a
/// tile.
///
/// What enters a tile follows from the few samples before it. A first kernel finds that for all
/// tiles, as another one may then have overwritten these samples; the second one loads tiles into
/// scratch memory, where every thread finds outputs of its own. So neighbouring threads read and
/// write neighbouring samples.

namespace wavescan::Impl::filter {

template <ExecutionSpace Exec, class Form>
struct FiniteTilesKernels {
  using T = typename Form::value_type;
  using State = StateVector<T, Form::states>;
  struct Enter {};
  struct Run {};
  static constexpr int tile = 8192 / static_cast<int>(sizeof(T));  ///< samples

  Form form;
  Problem<T> problem;
  Index tiles;    ///< of a line
  State* states;  ///< (tile, line): what enters it; then what the lines leave

  /// @brief Finds the state that enters a tile, or that a line leaves.
  KOKKOS_FUNCTION void operator()(Enter, Index i) const {
    const Index line = i % problem.extents.lines, next = i / problem.extents.lines * tile;
    const Index end = next < problem.extents.length ? next : problem.extents.length;
    Index j = end - form.memory;
    State s{};
    if (j <= 0) {
      j = 0;
      s = problem.initial.template load<Form::states>(line);
    }
    for (; j < end; ++j) static_cast<void>(form.step(problem.in(line, j), s));
    states[i] = s;
  }

  /// @brief Filters a tile.
  template <class Team>
  KOKKOS_FUNCTION void operator()(Run, const Team& team) const {
    const Index lines = problem.extents.lines;
    const Index line = team.league_rank() % lines, t = team.league_rank() / lines;
    const Index begin = t * tile, rest = problem.extents.length - begin;
    const int count = rest < tile ? static_cast<int>(rest) : tile;
    auto* const x =
        static_cast<T*>(team.team_scratch(0).get_shmem_aligned(tile * sizeof(T), alignof(T)));
    const auto each = Kokkos::TeamThreadRange(team, count);
    Kokkos::parallel_for(each, [&](int i) { x[i] = problem.in(line, begin + i); });
    team.team_barrier();
    const State& entering = states[t * lines + line];
    Kokkos::parallel_for(each, [&](int i) {
      // From the oldest sample to the newest, as a loop over samples adds them.
      T y = i < form.memory ? entering.value[i] : T(0);
      for (int k = i < form.taps ? i : form.taps; k >= 0; --k)
        y = accumulated(form.b[k], x[i - k], y);
      problem.out(line, begin + i) = y;
    });
    if (t + 1 == tiles)
      Kokkos::single(Kokkos::PerTeam(team),
                     [&] { problem.final.store(line, states[tiles * lines + line]); });
  }
};

/// @brief The workspace and the launches for one filter.
template <ExecutionSpace Exec, class Form>
class FiniteTiles {
  using Kernels = FiniteTilesKernels<Exec, Form>;
  using T = typename Form::value_type;

 public:
  /// Short lines would leave most of a tile empty.
  static constexpr FilterLimits limits{true,
                                       std::numeric_limits<double>::max(),
                                       Kernels::tile,
                                       1,
                                       Kernels::tile / 2,
                                       std::numeric_limits<int>::max()};

  FiniteTiles() = default;
  FiniteTiles(const Exec& exec, const Form&, const auto&, LineExtents extents)
      : tiles_(ceil_div(extents.length, Kernels::tile)) {
    allocate(exec, states_, "WaveScan::filter::states",
             (tiles_ + 1) * extents.lines * Form::states);
  }

  /// @brief Whether samples of a line are neighbours.
  static bool can_move(const Problem<T>& problem) { return std::abs(problem.in.stride) == 1; }

  void enqueue(const Exec& exec, const Form& form, const Problem<T>& problem) const {
    const Kernels kernels{form, problem, tiles_,
                          reinterpret_cast<typename Kernels::State*>(states_.data())};
    const Index lines = problem.extents.lines;
    Kokkos::parallel_for(
        "WaveScan::filter::enter_tiles",
        Kokkos::RangePolicy<Exec, typename Kernels::Enter, Kokkos::IndexType<Index>>(
            exec, 0, (tiles_ + 1) * lines),
        kernels);
    constexpr int bytes = Kernels::tile * static_cast<int>(sizeof(T));
    Kokkos::parallel_for(
        "WaveScan::filter::finite_tiles",
        Kokkos::TeamPolicy<Exec, typename Kernels::Run>(exec, static_cast<int>(tiles_ * lines),
                                                        Kokkos::AUTO)
            .set_scratch_size(0, Kokkos::PerTeam(bytes + static_cast<int>(alignof(T)))),
        kernels);
  }

  std::size_t bytes() const { return states_.size() * sizeof(T); }

 private:
  Index tiles_ = 0;  ///< of a line
  Kokkos::View<T*, typename Exec::memory_space> states_;
};

}  // namespace wavescan::Impl::filter

#endif
