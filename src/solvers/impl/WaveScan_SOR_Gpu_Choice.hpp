// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_GPU_CHOICE_HPP
#define WAVESCAN_IMPL_SOR_GPU_CHOICE_HPP

#include <WaveScan_SORCoefficients.hpp>
#include <impl/WaveScan_SOR_Gpu_Cut.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

/// @file
/// @brief Into which blocks a pass is cut.

namespace wavescan::Impl {

/// @brief What tests and tuning may fix; zero or less: chosen.
struct SORGpuTuning {
  int most_fused = 8;
  int blocks = -1;  ///< 1: blocks that start early, 0: none
  int warps = 0;
  int slots = 0;
  int row_blocks = 0;
  int column_blocks = 0;
  int overlap_rows = 0;
  int overlap_columns = 0;
};

/// @brief After how many columns values that started from a guess are those of the serial loop, bit
/// for bit, all but surely; huge if the sweep does not forget.
///
/// Far from edges an error shrinks by |left| / (1 - |up|) a column. The factors were measured for
/// Poisson's equation with omega from 1 to 1.98: fused sweeps need longer, each starting where the
/// one before it has come to rest.
template <class V>
int sor_overlap(double along, double across, int sweeps) {
  const double rate = std::abs(along) / (1 - std::abs(across));
  if (!(std::abs(across) < 1) || !(rate < 1)) return std::numeric_limits<int>::max() / 4;
  const double bits = std::numeric_limits<V>::digits + 3;
  const double fused = 1 + 0.3 * std::log2(static_cast<double>(sweeps));
  const double columns = rate == 0 ? 0 : bits * std::log(2.0) / -std::log(rate);
  return static_cast<int>(std::min(1e8, 6 + 1.2 * fused * columns)) + sweeps;
}

/// @brief What decides how fast a cut is.
struct SORGpuMachine {
  /// Nanoseconds that a step takes at least, and for each warp of the multiprocessor.
  double step;
  double step_of_warp;
  double hop;  ///< nanoseconds that a row takes from one group to the next
};

/// @brief An estimate of the time of a pass in nanoseconds.
inline double sor_cost(const SORCut& cut, const SORGpuMachine& machine, int resident) {
  const int ticket_count = [&] {
    int count = 0;
    for (const int b : {0, cut.row_blocks - 1}) count += cut.groups_of(b);
    if (cut.row_blocks == 1) return cut.groups_of(0) * cut.column_blocks;
    if (cut.row_blocks > 2) count += (cut.row_blocks - 2) * cut.groups_of(1);
    return count * cut.column_blocks;
  }();
  const double step = std::max(machine.step, machine.step_of_warp * cut.warps);
  // By how much a band, and a group, is behind the one above.
  const double lag = 48 * step;
  const double hop = cut.warps * lag + machine.hop;
  const double rounds = std::ceil(static_cast<double>(ticket_count) / resident);
  const double along = cut.steps() * step;
  return std::max(rounds * along, (cut.most_groups - 1) * hop + along) + cut.warps * lag;
}

}  // namespace wavescan::Impl

#endif
