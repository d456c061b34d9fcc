// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_RESIDENTRUN_HPP
#define WAVESCAN_IMPL_SOR_GPU_RESIDENTRUN_HPP

#include <WaveScan_Grid.hpp>
#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_Gpu_BlockFlag.hpp>
#include <impl/WaveScan_Gpu_LaunchTags.hpp>
#include <impl/WaveScan_Gpu_Watchdog.hpp>

#include <algorithm>
#include <cstddef>

/// @file
/// @brief The arguments of a launch of sweeps in shared memory: see WaveScan_ResidentKernel.hpp.

namespace wavescan::Impl::sor {

/// @brief The decomposition of a grid among blocks and their warps.
struct ResidentLayout {
  static constexpr int chunk = 4;       ///< columns between two looks at the neighbours
  static constexpr int ahead = 2;       ///< columns from a load to the update
  static constexpr int max_warps = 10;  ///< that relax, and as many that import
  /// Columns by which a sweep must follow the one before at least: the block below is `chunk` +
  /// band_rows steps behind, or the next multiple of `chunk`, since it imports by so many, and no
  /// more than lag + band_rows - `chunk` - 3, since the next sweep here imports from there.
  static constexpr int min_lag_of(int band_rows) {
    return 2 * chunk + 3 + (band_rows % chunk == 0 ? 0 : chunk);
  }

  int m = 0;          ///< the grid's rows, without its border
  int n = 0;          ///< and columns
  int band_rows = 1;  ///< of a block: even, 8 to 32; the last one may have fewer
  int warps = 0;      ///< that relax
  int lag = 0;        ///< columns between the sweeps of a warp
  int period = 0;     ///< steps until a warp begins its next sweeps
  int pitch = 0;      ///< of rows in shared memory
  int pad = 0;        ///< values before the first row
  /// Blocks reach each other's shared memory, and borders go that way.
  bool in_cluster = false;

  ResidentLayout() = default;
  ResidentLayout(int rows, int columns, int rows_of_band, int number_of_warps, int sweep_lag,
                 bool cluster, int value_bytes)
      : m(rows),
        n(columns),
        band_rows(rows_of_band),
        warps(number_of_warps),
        lag(std::max(sweep_lag, min_lag_of(rows_of_band)) | 1),
        in_cluster(cluster) {
    const int warp_lag = (groups() - 1) * lag + min_lag_of(band_rows);
    period = std::max(n + chunk + ahead, warps * warp_lag + 2 * chunk);
    // Lanes of a step lie in banks of their own: a row further and a column back.
    const int banks = 128 / value_bytes;
    const int wanted = (1 + std::max(1, banks / band_rows)) % banks;
    pitch = n + 2 + ((wanted - (n + 2)) % banks + banks) % banks;
    // Lanes begin a period that many columns before the grid's first one.
    pad = (std::max((groups() - 1) * lag + band_rows, period - n) + 8 + 3) / 4 * 4;
  }

  KOKKOS_FUNCTION int groups() const { return 32 / band_rows; }
  KOKKOS_FUNCTION int sweeps_under_way() const { return warps * groups(); }
  KOKKOS_FUNCTION int blocks() const { return (m + band_rows - 1) / band_rows; }
  KOKKOS_FUNCTION int threads() const { return (in_cluster ? 1 : 2) * 32 * warps; }
  /// @brief Steps that the sweep before must have done before a warp does its first ones: of the
  /// warp's first sweep, it is the last one of the warp before, that of warp 0 a period ago.
  KOKKOS_FUNCTION int needed(int warp) const {
    return chunk + ahead + 1 + (groups() - 1) * lag - (warp == 0 ? period : 0);
  }
  /// @brief Steps of a launch.
  KOKKOS_FUNCTION int steps(int sweeps) const {
    const int cycles = (sweeps + sweeps_under_way() - 1) / sweeps_under_way();
    const int steps = (cycles - 1) * period + n + band_rows + (groups() - 1) * lag + ahead + 1;
    return (steps + chunk - 1) / chunk * chunk;
  }
  /// @brief Values in shared memory: x with both border rows, then the right-hand side; whole
  /// 16 bytes.
  KOKKOS_FUNCTION std::size_t values() const {
    return static_cast<std::size_t>(pad + ((2 * band_rows + 2) * pitch + 16 + 3) / 4 * 4);
  }
};

/// @brief The places where sweeps store snapshots of x after them, while others go on.
template <class V>
struct ResidentSnapshots {
  int every = 1 << 30;  ///< so many sweeps; more than a launch has: none
  int since = 0;        ///< sweeps since the last one, before the launch
  int of_check = 1;     ///< 2: of the sweep before, too
  int first = 0;        ///< the first slot that is used
  int slots = 1;        ///< which are used in turn; a launch fills fewer
  Index apart = 0;      ///< entries between two slots
  Grid<V> slot{};       ///< slot 0

  /// @brief Checks that there have been after some sweeps, and sweeps since.
  struct Count {
    int checks;
    int sweeps;
  };
  __device__ Count after(int sweeps) const {
    return {(since + sweeps) / every, (since + sweeps) % every};
  }
  /// @brief The count after some more, without a division, which others would wait for.
  __device__ void advance(Count& count, int more) const {
    for (count.sweeps += more; count.sweeps >= every; count.sweeps -= every) ++count.checks;
  }
  /// @brief The slot for what is then; or -1.
  __device__ int slot_at(const Count& count) const {
    int k = -1;
    if (count.sweeps == 0)
      k = of_check * count.checks - 1;
    else if (of_check == 2 && count.sweeps == every - 1)
      k = 2 * count.checks;
    if (k < 0) return -1;
    return first + k - (first + k >= slots ? slots : 0);
  }
};

/// @brief A launch's parameters.
template <class V>
struct ResidentRun {
  ResidentLayout layout;
  Grid<const V> x;
  Grid<const V> rhs;
  Grid<V> to;
  SORCoefficients<V> coefficients;
  int sweeps;
  ResidentSnapshots<V> snapshots;
  gpu::BlockEpochs epochs;  ///< and after them each block's words: of its first row, of its last
  gpu::Watchdog watchdog;
};

/// @brief The state by which the warps of a block tell each other their progress, and what they
/// have in common.
template <class V>
struct ResidentState {
  using Flag = gpu::BlockFlag<gpu::FlagOrder::Program, ResidentLayout::chunk>;
  Flag relaxed[ResidentLayout::max_warps];   ///< steps that are done ...
  Flag imported[ResidentLayout::max_warps];  ///< and for which values have come
  gpu::LaunchTags tags;
  SORCoefficients<V> coefficients;
  ResidentLayout layout;
};

}  // namespace wavescan::Impl::sor

#endif
