// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_RESIDENTSWEEPS_HPP
#define WAVESCAN_IMPL_SOR_GPU_RESIDENTSWEEPS_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Mover.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_PointLoops.hpp>
#include <impl/sor/WaveScan_SORProblem.hpp>
#include <impl/sor/WaveScan_Speculation.hpp>
#include <impl/sor/WaveScan_WorkMemory.hpp>
#include <impl/sor/gpu/WaveScan_CheckReduction.hpp>
#include <impl/sor/gpu/WaveScan_ResidentKernel.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>

/// @file
/// @brief The choice of grids that stay in shared memory, and the launches of their sweeps.

namespace wavescan::Impl::sor {

/// @brief The parameters that tests and tuning may fix; 0: chosen.
struct ResidentTuning {
  int band_rows = 0;
  int warps = 0;
  int lag = 0;
  int min_sweeps = 0;
  bool clusters = true;  ///< of blocks that reach each other's shared memory
};

/// @brief Sweeps of arrays of one size, forward or backward, with the same coefficients everywhere
/// and no mask. See WaveScan_ResidentKernel.hpp.
template <class V>
class ResidentSweeps {
 public:
  ResidentTuning tuning;

  ResidentSweeps() = default;
  /// @param stall_seconds see SOROptions
  ResidentSweeps(const Kokkos::Cuda& exec, Index rows, Index columns, double stall_seconds = 10) {
    const auto& device = gpu::device_properties(exec);
    multiprocessors_ = std::min(device.multiProcessorCount, max_blocks);
    shared_bytes_ = std::min<std::size_t>(device.sharedMemPerBlockOptin, gpu::block_memory);
    if (layout(rows - 2, columns - 2).blocks() == 0 && layout(columns - 2, rows - 2).blocks() == 0)
      return;
    words_.template room<gpu::TaggedWord>(
        exec, "WaveScan::sor::borders",
        static_cast<Index>(gpu::BlockEpochs::size(multiprocessors_)) +
            2 * multiprocessors_ * std::max(rows, columns) * gpu::Tagged<V>::words);
    sums_ = CheckReduction("WaveScan::sor::sums_of_checks");
    exec.fence("WaveScan::sor: the borders are cleared");
    report_ = gpu::StallReport(stall_seconds);
  }

  /// @brief The best layout for a grid without its border; of no blocks if it does not fit.
  ResidentLayout layout(Index m, Index n, bool clusters = true) const {
    constexpr Index limit = 1 << 16;
    ResidentLayout best;
    if (m < 1 || n < 1 || m > limit || n > limit) return best;
    double lowest = std::numeric_limits<double>::infinity();
    const auto try_layouts = [&](bool in_cluster, int most_blocks) {
      for (int rows = 8; rows <= 32; rows += 2) {
        if (tuning.band_rows > 0 && rows != tuning.band_rows) continue;
        const ResidentLayout candidate =
            layout_of(static_cast<int>(m), static_cast<int>(n), rows, in_cluster);
        if (candidate.blocks() > most_blocks || bytes(candidate) > shared_bytes_) continue;
        if (const double time = time_of(candidate); time < lowest) {
          lowest = time;
          best = candidate;
        }
      }
    };
    try_layouts(false, multiprocessors_);
    if (has_clusters && clusters && tuning.clusters) try_layouts(true, largest_cluster);
    return best;
  }

  /// @brief Whether these are the sweeps to take: the choice between them and all others.
  ///
  /// Each launch begins with a wave through all bands and along a row, which blocks that speculate
  /// need not wait for; the further these must begin ahead, the less they save. The fewest sweeps
  /// were fitted to 1380 times of both on an H200, omega 1.2, where 97 of 100 choices lose less
  /// than 5 %, none more than 30 %; and to 1584 on an H100, omega 1.5 to 1.99, where they lose 1.7
  /// % on average, 84 % at most.
  template <class P>
  bool is_preferred(const P& problem, int count, bool forward, bool backward) const {
    if (!word() || (forward && backward)) return false;
    const auto p = with_dense_rows(problem);
    const Index m = p.interior_rows(), n = p.interior_columns();
    constexpr Index max_points = Index(1) << 21;
    const SORCoefficients<V>& c = p.coefficients;
    const Index overlap =
        std::max(speculation_overlap<V>(c.left, c.up, 1), speculation_overlap<V>(c.up, c.left, 1));
    const Index least =
        tuning.min_sweeps > 0 ? tuning.min_sweeps : min_sweeps(m, 5 * n / 4, overlap);
    return count >= least && m * n <= max_points && layout(m, n).blocks() > 0;
  }

  /// @brief The layout of such sweeps, in a cluster if that is best, and the device has one of so
  /// many blocks; none if it has no room for all blocks at once.
  template <class P>
  std::optional<ResidentLayout> layout_on(const Kokkos::Cuda& exec, const P& problem) const {
    const auto p = with_dense_rows(problem);
    std::optional<ResidentLayout> found;
    with_constant_order<P::dense>(!has_dense_rows(problem.x), [&](auto order) {
      const auto try_kernel = [&](auto kernel, bool clusters) {
        if (found) return;
        const ResidentLayout l = layout(p.interior_rows(), p.interior_columns(), clusters);
        const int cluster = l.in_cluster ? l.blocks() : 1;
        if (l.in_cluster == clusters &&
            gpu::resident_blocks(exec, kernel, l.threads(), bytes(l), cluster) >= l.blocks())
          found = l;
      };
      try_kernel(resident_kernel<V, order(), true>, true);
      try_kernel(resident_kernel<V, order(), false>, false);
    });
    return found;
  }

  /// @brief Enqueues `count` sweeps from x to `to`, which may be x; otherwise x keeps its values,
  /// and the halo is copied as well.
  template <class P>
  void run(const Kokkos::Cuda& exec, const P& problem, const Grid<V>& to, int count, bool backward,
           const ResidentLayout& layout, const ResidentSnapshots<V>& snapshots = {}) const {
    throw_if_stuck();
    const bool transposes = !has_dense_rows(problem.x);
    const Problem<V> p = with_dense_rows(problem);
    const Grid<V> result = transposes ? transposed(to) : to;
    with_constant_order<P::dense>(transposes, [&](auto order) {
      launch(exec,
             layout.in_cluster ? resident_kernel<V, order(), true>
                               : resident_kernel<V, order(), false>,
             backward ? reversed(p) : p, backward ? reversed(result) : result, count, layout,
             snapshots);
    });
  }

  /// @brief The most sweeps of a launch.
  static constexpr int max_sweeps = 1 << 14;

  /// @brief Makes arrays like x with snapshots for checks.
  void reserve_snapshots(const Kokkos::Cuda& exec, const Grid<V>& x) const {
    snapshots_.template uncleared_room<V>(exec, "WaveScan::sor::snapshots",
                                          Arrays::slots * x.rows * x.columns);
  }
  /// @brief The snapshot that check k = 0, 1, ... at that criterion has seen; checks are counted
  /// over all calls since they were prepared.
  Grid<V> snapshot(const Grid<V>& x, int check, Criterion criterion) const {
    return slot(x, (check + 1) * Arrays::of_check(criterion) - 1);
  }
  /// @brief The snapshot with which that check at updates compares its own.
  Grid<V> snapshot_before(const Grid<V>& x, int check) const {
    return slot(x, check * Arrays::of_check(Criterion::Update));
  }
  /// @brief Sweeps for several checks at once, fewer than asked for where snapshots are few, and
  /// what each of them measures; none if other sweeps are better, or the device has no room for all
  /// blocks. Waits. x may be what the check before saw.
  template <class P>
  CheckSums sweep_with_checks(const Kokkos::Cuda& exec, const P& problem, BatchedChecks a,
                              bool forward, bool backward) const {
    a.checks = std::min(a.checks, max_checks_at(a.criterion));
    const Problem<V> p = with_dense_rows(problem);
    const bool has_two = std::min(a.first, a.every) > 1;
    // Snapshots have one dense dimension, and kernels take them for x.
    if (!has_dense_rows(p.x) || a.every > max_sweeps / a.checks ||
        (a.criterion == Criterion::Update && !has_two) ||
        !is_preferred(problem, a.sweeps(), forward, backward))
      return {};
    const auto found = layout_on(exec, problem);
    if (!found) return {};
    if (a.number == 0) prepare_snapshots(exec, problem.x);
    const Arrays all = arrays(problem.x);
    const int of_check = Arrays::of_check(a.criterion), first = a.number * of_check;
    run(exec, problem, snapshot(problem.x, a.number + a.checks - 1, a.criterion), a.sweeps(),
        backward, *found,
        {a.every, a.every - a.first, of_check, first % Arrays::slots, Arrays::slots, all.apart(),
         backward ? reversed(all.slot) : all.slot});
    return sums_(exec, p, a, all);
  }
  static int max_checks_at(Criterion criterion) {
    return static_cast<int>(CheckSums::capacity) / Arrays::of_check(criterion);
  }
  /// @brief The number of sweeps that take as long as a launch takes to begin.
  template <class P>
  int sweeps_to_begin(const P& problem) const {
    const auto p = with_dense_rows(problem);
    const ResidentLayout l = layout(p.interior_rows(), p.interior_columns());
    return static_cast<int>(steps_to_begin(l) / steps_of_sweep(l));
  }

  /// @brief Reports sweeps that have got stuck.
  /// @throws std::runtime_error
  void throw_if_stuck() const { report_.throw_if_stuck("sor"); }

 private:
  /// @brief Makes snapshots if need be, and gives them the halo.
  void prepare_snapshots(const Kokkos::Cuda& exec, const Grid<V>& x) const {
    reserve_snapshots(exec, x);
    for_rectangle(
        exec, "WaveScan::sor::copy_halo", 0, Arrays::slots, std::max(x.rows, x.columns),
        CopyHaloToSnapshots<V>{read_only(has_dense_rows(x) ? x : transposed(x)), arrays(x)});
  }
  /// @param along counts columns as far as they take as long as rows
  static Index min_sweeps(Index down, Index along, Index overlap) {
    constexpr Index short_overlap = sizeof(V) == 8 ? 74 : 50;
    constexpr Index without_blocks = sizeof(V) == 8 ? 6 : 4;
    const Index least = down / 128 + along / 128 + (down + along) * (down + along) / (1 << 20);
    return least <= without_blocks
               ? least
               : std::max(without_blocks, least * short_overlap / std::max(short_overlap, overlap));
  }

  using Arrays = SnapshotArrays<V>;
  static constexpr int max_blocks = 256;
  static constexpr int largest_cluster = 16;

  gpu::TaggedWord* word() const { return words_.template data<gpu::TaggedWord>(); }
  Arrays arrays(const Grid<V>& x) const {
    const bool transposes = !has_dense_rows(x);
    const Index rows = transposes ? x.columns : x.rows, columns = transposes ? x.rows : x.columns;
    return {{snapshots_.template data<V>(), rows, columns, columns, 1}};
  }
  /// @brief One of these arrays, in the order of x.
  Grid<V> slot(const Grid<V>& x, int k) const {
    return has_dense_rows(x) ? arrays(x)[k] : transposed(arrays(x)[k]);
  }

  /// @brief Returns the layout with as many warps, and as little between their sweeps, as a row has
  /// room for.
  ResidentLayout layout_of(int m, int n, int rows, bool in_cluster) const {
    constexpr int spare = 10;  // columns of each warp, so that not every wait holds up all
    const int groups = 32 / rows;
    // Hides two hops between blocks.
    const int least = ResidentLayout::min_lag_of(rows) + (in_cluster ? 4 : 8);
    const int warps = tuning.warps > 0
                          ? tuning.warps
                          : std::clamp(n / (groups * least), 1, ResidentLayout::max_warps);
    const int lag =
        tuning.lag > 0 ? tuning.lag : std::clamp((n / warps - spare) / groups, least, least + 14);
    return {m, n, rows, warps, lag, in_cluster, sizeof(V)};
  }
  /// @brief Estimated steps of a warp that is alone, for a sweep of a call of `usual_sweeps`.
  static double time_of(const ResidentLayout& l) {
    constexpr int usual_sweeps = 64;
    return steps_to_begin(l) / usual_sweeps + steps_of_sweep(l);
  }
  static double steps_to_begin(const ResidentLayout& l) {
    constexpr int steps_of_hop = 16;
    return l.blocks() * (l.band_rows + steps_of_hop) + l.n;
  }
  static double steps_of_sweep(const ResidentLayout& l) {
    constexpr int undisturbed = 6;
    const double slower = 1 + 0.05 * std::max(0, l.warps - undisturbed);
    return slower * std::max(static_cast<double>(l.period) / l.sweeps_under_way(), 1.0 * l.lag);
  }

  static std::size_t bytes(const ResidentLayout& layout) {
    const std::size_t words = layout.in_cluster ? 2 * layout.n * gpu::Tagged<V>::words : 0;
    return ResidentBlock<V, false, false>::state_bytes + layout.values() * sizeof(V) +
           words * sizeof(gpu::TaggedWord);
  }

  void launch(const Kokkos::Cuda& exec, void (*kernel)(ResidentRun<V>), Problem<V> p,
              const Grid<V>& to, int count, const ResidentLayout& l,
              const ResidentSnapshots<V>& snapshots) const {
    const int cluster = l.in_cluster ? l.blocks() : 1;
    if (p.x.data != to.data && !snapshots.slot.data) copy_halo(exec, p.x, to);
    for (; count > 0; count -= max_sweeps) {  // steps of a launch are counted in 32 bits
      const int sweeps = std::min(count, max_sweeps);
      gpu::launch({exec, "WaveScan::sor::resident", cluster == 1, cluster}, kernel, l.blocks(),
                  l.threads(), bytes(l),
                  ResidentRun<V>{l, read_only(p.x), p.rhs, to, p.coefficients, sweeps, snapshots,
                                 gpu::BlockEpochs{word(), multiprocessors_}, report_.watchdog()});
      p.x = to;
    }
  }

  int multiprocessors_ = 0;
  std::size_t shared_bytes_ = 0;
  WorkMemory<Kokkos::Cuda> words_;  ///< of borders
  CheckReduction sums_;
  WorkMemory<Kokkos::Cuda> snapshots_;
  gpu::StallReport report_;
};

}  // namespace wavescan::Impl::sor

#endif
