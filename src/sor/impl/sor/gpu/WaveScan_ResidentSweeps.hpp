// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_RESIDENTSWEEPS_HPP
#define WAVESCAN_IMPL_SOR_GPU_RESIDENTSWEEPS_HPP

#include <impl/WaveScan_Gpu_Launch.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>
#include <impl/sor/WaveScan_Norms.hpp>
#include <impl/sor/WaveScan_Points.hpp>
#include <impl/sor/WaveScan_Problem.hpp>
#include <impl/sor/gpu/WaveScan_Resident.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>

/// @file
/// @brief Which grids stay in shared memory, and the launches of their sweeps.

namespace wavescan::Impl::sor {

/// @brief What tests and tuning may fix; 0: chosen.
struct ResidentTuning {
  int band_rows = 0;
  int warps = 0;
  int lag = 0;
  int min_sweeps = 0;
};

/// @brief Sweeps of arrays of one size, forward or backward, with the same coefficients everywhere
/// and no mask. See WaveScan_Resident.hpp.
template <class V>
class ResidentSweeps {
 public:
  ResidentTuning tuning;

  ResidentSweeps() = default;
  /// @param stall_seconds see SOROptions
  ResidentSweeps(const Kokkos::Cuda& exec, Index rows, Index columns, double stall_seconds = 10) {
    const auto& device = gpu::device_properties(exec);
    if (gpu::device_path(Operation::ConstantSOR, exec) != DevicePath::BulkCopies) return;
    multiprocessors_ = std::min(device.multiProcessorCount, max_blocks);
    shared_bytes_ = device.sharedMemPerBlockOptin;
    if (layout(rows - 2, columns - 2).blocks() == 0 && layout(columns - 2, rows - 2).blocks() == 0)
      return;
    words_ = Words(Kokkos::view_alloc(exec, "WaveScan::sor::borders"),
                   gpu::BlockEpochs::size(multiprocessors_) +
                       static_cast<std::size_t>(2 * multiprocessors_ * std::max(rows, columns)) *
                           gpu::Tagged<V>::words);
    updates_ =
        Updates(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::sor::updates"),
                static_cast<std::size_t>(multiprocessors_));
    exec.fence("WaveScan::sor: the borders are cleared");
    report_ = gpu::StallReport(stall_seconds);
  }

  /// @brief The best layout for a grid without its border; of no blocks if it does not fit.
  ResidentLayout layout(Index m, Index n) const {
    constexpr Index limit = 1 << 16;
    ResidentLayout best;
    if (m < 1 || n < 1 || m > limit || n > limit) return best;
    double lowest = std::numeric_limits<double>::infinity();
    for (int rows = 8; rows <= 32; rows += 2) {
      if (tuning.band_rows > 0 && rows != tuning.band_rows) continue;
      const ResidentLayout candidate = layout_of(static_cast<int>(m), static_cast<int>(n), rows);
      if (candidate.blocks() > multiprocessors_ || bytes(candidate) > shared_bytes_) continue;
      if (const double time = time_of(candidate); time < lowest) {
        lowest = time;
        best = candidate;
      }
    }
    return best;
  }

  /// @brief Whether these are the sweeps to take: the choice between them and all others.
  ///
  /// Measured on an H200 beside temporal blocking, which begins sooner: with 8 bytes the sweeps
  /// from which on this is faster are the points by 65536, or the columns by 128; with 4 bytes, of
  /// which the former moves half as many, four times and twice as many.
  template <class P>
  bool is_best(const P& problem, int count, bool forward, bool backward) const {
    if (!words_.is_allocated() || (forward && backward)) return false;
    const auto p = with_dense_rows(problem);
    const Index m = p.interior_rows(), n = p.interior_columns();
    constexpr Index max_points = Index(1) << 21;
    constexpr Index points = sizeof(V) == 8 ? 1 << 16 : 1 << 14;
    constexpr Index columns = sizeof(V) == 8 ? 128 : 64;
    const Index least =
        tuning.min_sweeps > 0 ? tuning.min_sweeps : std::max(m * n / points, (n + 1) / columns);
    return count >= least && m * n <= max_points && layout(m, n).blocks() > 0;
  }

  /// @brief Enqueues `count` sweeps from x to `to`, which may be x; otherwise x keeps its values,
  /// and the halo is copied as well. False if the device has no room for all blocks at once.
  template <class P>
  bool sweep_to(const Kokkos::Cuda& exec, const P& problem, const Grid<V>& to, int count,
                bool backward) const {
    return run(exec, problem, to, count, backward, nullptr, {});
  }

  /// @brief Looks that may be ahead of those who look.
  static constexpr int max_looks = 8;
  /// @brief The most sweeps of a launch.
  static constexpr int max_sweeps = 1 << 14;

  /// @brief Makes arrays like x that show what looks see: one more than looks.
  void reserve_looks(const Kokkos::Cuda& exec, const Grid<V>& x) const {
    const auto entries = static_cast<std::size_t>(slots * x.rows * x.columns);
    if (shown_.size() < entries)
      shown_ = Shown(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "WaveScan::sor::shown"),
                     entries);
  }
  /// @brief Makes them if need be, and gives them the halo.
  void prepare_looks(const Kokkos::Cuda& exec, const Grid<V>& x) const {
    reserve_looks(exec, x);
    for (int k = 0; k < slots; ++k) copy_halo(exec, x, shown(x, k));
  }
  /// @brief What look k = 0, 1, ... sees; looks are counted over all calls since they were
  /// prepared.
  Grid<V> shown(const Grid<V>& x, int look) const {
    if (!has_dense_rows(x)) return transposed(shown(transposed(x), look));
    return {shown_.data() + look % slots * x.rows * x.columns, x.rows, x.columns, x.columns, 1};
  }
  /// @brief Enqueues so many sweeps for each of some looks, of which the first one is number
  /// `first`. x may be what the look before it sees.
  template <class P>
  bool sweep_for_looks(const Kokkos::Cuda& exec, const P& problem, int first, int looks, int every,
                       bool backward) const {
    const Grid<V>& x = problem.x;
    Grid<V> slot = shown(has_dense_rows(x) ? x : transposed(x), 0);
    return run(exec, problem, shown(x, first + looks - 1), looks * every, backward, nullptr,
               {every, first % slots, slots, x.rows * x.columns, backward ? reversed(slot) : slot});
  }

  /// @brief Sweeps likewise, and adds up the last one's updates. Waits for them.
  template <class P>
  std::optional<ResidualSum> measured_sweep_to(const Kokkos::Cuda& exec, const P& problem,
                                               const Grid<V>& to, int count, bool backward) const {
    if (!run(exec, problem, to, count, backward, updates_.data(), {})) return std::nullopt;
    std::array<ResidualSum, max_blocks> updates;
    const auto blocks = static_cast<std::size_t>(multiprocessors_);
    const Kokkos::View<ResidualSum*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(
        updates.data(), blocks);
    Kokkos::deep_copy(exec, host, updates_);
    exec.fence("WaveScan::sor: updates");
    ResidualSum sum;
    const auto p = with_dense_rows(problem);
    for (int b = 0; b < layout(p.interior_rows(), p.interior_columns()).blocks(); ++b)
      sum.add(updates[static_cast<std::size_t>(b)]);
    return sum;
  }

  /// @brief Reports sweeps that have got stuck.
  /// @throws std::runtime_error
  void throw_if_stuck() const { report_.throw_if_stuck("sor"); }

 private:
  using Words = Kokkos::View<gpu::TaggedWord*, Kokkos::CudaSpace>;
  using Updates = Kokkos::View<ResidualSum*, Kokkos::CudaSpace>;
  using Shown = Kokkos::View<V*, Kokkos::CudaSpace>;
  static constexpr int max_blocks = 256;
  static constexpr int slots = max_looks + 1;

  /// @brief With as many warps, and as little between their sweeps, as a row has room for.
  ResidentLayout layout_of(int m, int n, int rows) const {
    constexpr int spare = 10;  // columns of each warp, so that not every wait holds up all
    const int groups = 32 / rows;
    const int least = ResidentLayout::min_lag_of(rows) + 8;  // hides two hops between blocks
    const int warps = tuning.warps > 0
                          ? tuning.warps
                          : std::clamp(n / (groups * least), 1, ResidentLayout::max_warps);
    const int lag =
        tuning.lag > 0 ? tuning.lag : std::clamp((n / warps - spare) / groups, least, least + 14);
    return {m, n, rows, warps, lag, sizeof(V)};
  }
  /// @brief Estimated steps of a warp that is alone, for a sweep of a call of `usual_sweeps`.
  static double time_of(const ResidentLayout& l) {
    constexpr int usual_sweeps = 64, steps_of_hop = 16, undisturbed = 6;
    const double begin = l.blocks() * (l.band_rows + steps_of_hop) + l.n;
    const double slower = 1 + 0.05 * std::max(0, l.warps - undisturbed);
    return begin / usual_sweeps +
           slower * std::max(static_cast<double>(l.period) / l.sweeps_under_way(), 1.0 * l.lag);
  }

  static std::size_t bytes(const ResidentLayout& layout) {
    return ResidentBlock<V, false>::state_bytes + layout.values() * sizeof(V);
  }

  template <class P>
  bool run(const Kokkos::Cuda& exec, const P& problem, const Grid<V>& to, int count, bool backward,
           ResidualSum* updates, const ResidentShow<V>& show) const {
    throw_if_stuck();
    const bool exchanged = !has_dense_rows(problem.x);
    const Problem<V> p = with_dense_rows(problem);
    const Grid<V> result = exchanged ? transposed(to) : to;
    bool fits = false;
    with_constant_order<P::dense>(exchanged, [&](auto is_transposed) {
      fits = launch<is_transposed()>(exec, backward ? reversed(p) : p,
                                     backward ? reversed(result) : result, count, updates, show);
    });
    return fits;
  }

  template <bool Transposed>
  bool launch(const Kokkos::Cuda& exec, Problem<V> p, const Grid<V>& to, int count,
              ResidualSum* updates, const ResidentShow<V>& show) const {
    const ResidentLayout l = layout(p.interior_rows(), p.interior_columns());
    const auto kernel = resident_kernel<V, Transposed>;
    if (gpu::resident_blocks(exec, kernel, l.threads(), bytes(l)) < l.blocks()) return false;
    if (p.x.data != to.data && !show.slot.data) copy_halo(exec, p.x, to);
    for (; count > 0; count -= max_sweeps) {  // steps of a launch are counted in 32 bits
      const int sweeps = std::min(count, max_sweeps);
      gpu::launch({exec, "WaveScan::sor::resident", true}, kernel, l.blocks(), l.threads(),
                  bytes(l),
                  ResidentRun<V>{l, read_only(p.x), p.rhs, to, p.coefficients, sweeps, show,
                                 gpu::BlockEpochs{words_.data(), multiprocessors_},
                                 sweeps == count ? updates : nullptr, report_.watchdog()});
      p.x = to;
    }
    return true;
  }

  int multiprocessors_ = 0;
  std::size_t shared_bytes_ = 0;
  Words words_;
  Updates updates_;
  mutable Shown shown_;
  gpu::StallReport report_;
};

}  // namespace wavescan::Impl::sor

#endif
