// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_HOSTLAUNCH_HPP
#define WAVESCAN_IMPL_SOR_HOSTLAUNCH_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Grid.hpp>
#include <WaveScan_SORReport.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_SOR_HostBand.hpp>
#include <impl/WaveScan_SOR_HostPass.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#include <impl/WaveScan_SOR_Residual.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>

namespace wavescan::Impl {

/// @brief The kernel of a host thread.
template <class Problem>
struct SORHostWorker {
  using run_type = void (*)(const SORHostPasses<Problem>&, Index pass, Index band);
  SORHostPasses<Problem> passes;
  run_type run;
  void operator()(Index) const { passes.work(run); }
};

/// @brief The most sweeps that are fused. More would not fit into the first cache where
/// coefficients come with every point.
template <class Problem>
inline constexpr int most_fused_on_host =
    std::same_as<Problem, SORProblem<typename Problem::value_type>> ? 8 : 4;

/// @brief The kernel for so many sweeps, or null if the target has none.
template <class Target, bool Measured, class Problem, int Sweeps = most_fused_on_host<Problem>>
typename SORHostWorker<Problem>::run_type sor_host_kernel(int fused) {
  if constexpr (std::same_as<Target, Baseline>) {
    return nullptr;
  } else {
    if constexpr (Sweeps > 1)
      if (fused < Sweeps) return sor_host_kernel<Target, Measured, Problem, Sweeps / 2>(fused);
    return &SORHostBand<Target, Problem, Sweeps, Measured>::run;
  }
}

/// @brief Some passes of the same kind.
struct SORHostGroup {
  int fused;  ///< sweeps of a pass
  Index passes;
  bool backward;
};

/// @brief Launches passes over arrays of one size, and owns their workspace.
/// @tparam Most the best target to use
template <ExecutionSpace Exec, class V, class Most>
class SORHostLauncher {
 public:
  /// @brief Lanes of the registers, zero if there are none.
  static int lanes() {
    return dispatch(
        [](auto target) {
          using Target = decltype(target);
          if constexpr (std::same_as<Target, Baseline>)
            return 0;
          else
            return TargetVector<Target, V>::lanes;
        },
        Most{});
  }

  /// @brief Enqueues passes of which the first one goes from `from` to x.
  template <class Problem>
  void enqueue(const Exec& exec, const Problem& problem, const Grid<V>& from,
               const SORHostGroup& group) const {
    launch<false>(exec, problem, from, group, Criterion::Residual);
  }

  /// @brief Does one pass from `from` to x, and measures it.
  template <class Problem>
  ResidualSum measure(const Exec& exec, const Problem& problem, const Grid<V>& from,
                      SORHostGroup group, Criterion criterion) const {
    group.passes = 1;
    const SORHostCut cut = launch<true>(exec, problem, from, group, criterion);
    exec.fence("WaveScan::sor: what a pass has measured");
    ResidualSum sum;
    for (Index band = 0; band < cut.bands; ++band) sum.add(sums_.data()[band]);
    return sum;
  }

  /// @brief Makes the workspace of such passes beforehand.
  template <class Problem>
  void reserve(const Exec& exec, const Problem& given, const SORHostGroup& group,
               bool measured) const {
    make_room(exec, has_dense_rows(given.x) ? given : transposed(given),
              group.fused + (measured ? 1 : 0), measured);
  }

 private:
  template <bool Measured, class Problem>
  SORHostCut launch(const Exec& exec, Problem p, Grid<V> from, const SORHostGroup& group,
                    Criterion criterion) const {
    const bool exchanged = !has_dense_rows(p.x);
    if (exchanged) {
      p = transposed(p);
      from = wavescan::transposed(from);
    }
    if (group.backward) {
      p = reversed(p);
      from = wavescan::reversed(from);
    }
    const auto run = dispatch(
        [&](auto target) {
          return sor_host_kernel<decltype(target), Measured, Problem>(group.fused);
        },
        Most{});
    const int stages = group.fused + (Measured ? 1 : 0);
    const SORHostCut cut = make_room(exec, p, stages, Measured);
    const Index edges_of_pass = edges_for(p, stages);
    set_all(exec, progress_, {});
    SORHostProgress* const first = progress_.data();
    V* const edges = edges_.data() + lanes() * (stages + 1);
    const Index workers = std::min(group.passes * cut.bands, resident_teams(exec, 1));
    // Large batches keep threads from asking each other too often, small ones let more of them
    // work.
    const Index batch = std::clamp<Index>(cut.blocks / (4 * workers), 1, 4);
    const SORHostPasses<Problem> all{
        p,         exchanged,   from,          cut,       group.passes,
        batch,     edges,       edges_of_pass, first + 1, &first->blocks,
        criterion, sums_.data()};
    constexpr double seconds_per_update = .04e-9 * sizeof(V);
    const double updates = static_cast<double>(group.passes) * group.fused *
                           static_cast<double>(p.interior_rows() * p.interior_columns());
    enqueue_workers(exec, "WaveScan::sor::host", workers, seconds_per_update * updates,
                    SORHostWorker<Problem>{all, run});
    return cut;
  }

  /// @brief Entries of the edges of a pass: a block of slots before the first column, and some
  /// after the last one.
  template <class Problem>
  static Index edges_for(const Problem& p, int stages) {
    return (p.x.columns + stages + 4 * lanes()) * (stages + 1);
  }
  /// @brief Makes what is not there yet of the workspace of two passes.
  template <class Problem>
  SORHostCut make_room(const Exec& exec, const Problem& p, int stages, bool measured) const {
    const SORHostCut cut(p.interior_rows(), p.interior_columns(), lanes(), stages);
    enlarge(exec, edges_, "WaveScan::sor::edges", 2 * edges_for(p, stages));
    enlarge(exec, progress_, "WaveScan::sor::progress", 2 * cut.bands + 1);
    if (measured) enlarge(exec, sums_, "WaveScan::sor::sums", cut.bands);
    return cut;
  }
  template <class View>
  static void enlarge(const Exec& exec, View& view, const char* name, Index size) {
    const auto needed = static_cast<std::size_t>(size);
    if (view.size() >= needed) return;
    view = View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(name)), needed);
    set_all(exec, view, {});
  }

  // Made by the first sweeps that need them, or by `reserve`: sizes depend on the direction of x's
  // rows and on how many sweeps are fused, and all that plans might ever need would be much.
  mutable Kokkos::View<V*, typename Exec::memory_space> edges_;
  mutable Kokkos::View<SORHostProgress*, typename Exec::memory_space> progress_;
  mutable Kokkos::View<ResidualSum*, typename Exec::memory_space> sums_;  ///< of bands
};

}  // namespace wavescan::Impl

#endif
