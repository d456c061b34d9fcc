// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_HOST_HPP
#define WAVESCAN_IMPL_SOR_HOST_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Dispatch.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/WaveScan_SOR_HostBand.hpp>
#include <impl/WaveScan_SOR_HostPass.hpp>
#include <impl/WaveScan_SOR_Loop.hpp>
#include <impl/WaveScan_SOR_Problem.hpp>
#include <impl/WaveScan_TargetVector.hpp>
#include <impl/WaveScan_Wavefront_Problem.hpp>
#include <impl/WaveScan_Wavefront_Serial.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>

/// @file
/// @brief SOR on the host: fused sweeps in vector registers, in bands that follow each other.
///
/// Every value has the bits of the serial loop (see WaveScan_SOR_Loop.hpp), however many threads
/// and lanes there are and however sweeps are fused: the order of operations is natural order's,
/// and multiply-adds are rounded once. Processors without AVX2 and FMA have the general schedules.

namespace wavescan::Impl {

/// @brief The kernel of a host thread.
template <class V>
struct SORHostWorker {
  using run_type = void (*)(const SORHostPasses<V>&, Index pass, Index band);
  SORHostPasses<V> passes;
  run_type run;
  void operator()(Index) const { passes.work(run); }
};

/// @brief The workspace and the launches for arrays of one size.
/// @tparam Most the best target to use
template <ExecutionSpace Exec, class V, class Most = Avx512>
class SORHost {
 public:
  bool choose = true;  ///< whether small grids are left to the serial loop

  SORHost() = default;
  SORHost(const Exec&, Index rows, Index columns)
      : lanes_(rows < 3 || columns < 3
                   ? 0
                   : dispatch([](auto target) { return lanes<decltype(target)>(); }, Most{})) {}

  /// @brief Enqueues `count` sweeps, each of them a forward pass, a backward one or both, or
  /// returns false if other kernels must do them.
  bool sweep(const Exec& exec, const SORProblem<V>& problem, int count, bool forward,
             bool backward) const {
    const bool transposed = problem.x.column_stride != 1 && problem.x.column_stride != -1;
    const SORProblem<V> p = transposed ? Impl::transposed(problem) : problem;
    if (!suits(p)) return false;
    if (forward && backward) {
      for (int sweep = 0; sweep < count; ++sweep) {
        enqueue<1>(exec, p, 1, transposed);
        enqueue<1>(exec, reversed(p), 1, transposed);
      }
    } else {
      enqueue_fused<most_fused>(exec, forward ? p : reversed(p), count, transposed);
    }
    return true;
  }

 private:
  static constexpr int most_fused = 8;

  template <class Target>
  static int lanes() {
    if constexpr (std::same_as<Target, Baseline>)
      return 0;
    else
      return TargetVector<Target, V>::lanes;
  }

  bool suits(const SORProblem<V>& p) const {
    return lanes_ > 0 && p.fixed.word == FixedPoints::Word::None && p.interior_rows() > 0 &&
           p.interior_columns() > 0 && (p.x.column_stride == 1 || p.x.column_stride == -1) &&
           (!p.rhs.data || p.rhs.column_stride == 1 || p.rhs.column_stride == -1);
  }

  template <int T>
  void enqueue_fused(const Exec& exec, const SORProblem<V>& p, int count, bool transposed) const {
    if (count >= T) enqueue<T>(exec, p, count / T, transposed);
    if constexpr (T > 1) enqueue_fused<T / 2>(exec, p, count % T, transposed);
  }

  /// @brief Whether bands are quicker than the serial loop: they spend long on their ends, and on
  /// lanes that have no row. Nanoseconds as measured with registers of 4 to 16 lanes.
  bool pays(const SORProblem<V>& p, const SORHostCut& cut, int fused) const {
    const auto lanes = static_cast<double>(lanes_);
    const double ends = 15 * lanes * lanes;
    const double block = lanes * (12 + 3.5 * fused);
    const auto updates = static_cast<double>(p.interior_rows() * p.interior_columns() * fused);
    return static_cast<double>(cut.bands) * (ends + static_cast<double>(cut.blocks) * block) <
           1.8 * updates;
  }

  void enqueue_serial(const Exec& exec, const SORProblem<V>& p, Index passes) const {
    const SORLoop<V> loop{p.coefficients, p.rhs};
    const WavefrontProblem<SORLoop<V>> problem{
        loop, row_recurrence(loop), p.x, {1, p.x.rows - 1, 1, p.x.columns - 1}};
    for (Index pass = 0; pass < passes; ++pass) run_serial(exec, problem);
  }

  /// @brief Enqueues passes of T sweeps each.
  template <int T>
  void enqueue(const Exec& exec, const SORProblem<V>& p, Index passes, bool transposed) const {
    const SORHostCut cut(p.interior_rows(), p.interior_columns(), lanes_, T);
    if (choose && !pays(p, cut, T))
      return enqueue_serial(exec, transposed ? Impl::transposed(p) : p, passes * T);
    const auto run = dispatch(
        [&](auto target) -> typename SORHostWorker<V>::run_type {
          using Target = decltype(target);
          if constexpr (std::same_as<Target, Baseline>)
            return nullptr;
          else
            return transposed ? &SORHostBand<Target, V, T, true>::run
                              : &SORHostBand<Target, V, T, false>::run;
        },
        Most{});
    // For each of two passes: a block of slots before the first and some after the last column.
    const Index edges_of_pass = (p.x.columns + T + 4 * lanes_) * (T + 1);
    make_room(exec, edges_, "WaveScan::sor::edges", 2 * edges_of_pass);
    make_room(exec, progress_, "WaveScan::sor::progress", 2 * cut.bands + 1);
    Kokkos::deep_copy(exec, progress_, SORHostProgress{});
    SORHostProgress* const first = progress_.data();
    const SORHostPasses<V> all{
        p, cut, passes, edges_.data() + lanes_ * (T + 1), edges_of_pass, first + 1, &first->blocks};
    const Index workers = std::min(passes * cut.bands, resident_teams(exec, 1));
    Kokkos::parallel_for("WaveScan::sor::host",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, workers),
                         SORHostWorker<V>{all, run});
  }

  template <class View>
  static void make_room(const Exec& exec, View& view, const std::string& name, Index size) {
    const auto needed = static_cast<std::size_t>(size);
    if (view.size() < needed) view = View(Kokkos::view_alloc(exec, name), needed);
  }

  int lanes_ = 0;
  // Made by the first sweeps that need them, as the size depends on the direction of x's rows.
  mutable Kokkos::View<V*, typename Exec::memory_space> edges_;
  mutable Kokkos::View<SORHostProgress*, typename Exec::memory_space> progress_;
};

}  // namespace wavescan::Impl

#endif
