// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_TUNING_TUNINGMODEL_HPP
#define WAVESCAN_IMPL_TUNING_TUNINGMODEL_HPP

#include <WaveScan_Tuning.hpp>
#include <impl/WaveScan_Compiler.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace wavescan {

WAVESCAN_SELDOM inline Tuning::Features Tuning::features_of(const LoopShape& shape) {
  // Scaled so that coefficients are of one size, whatever the feature.
  const auto logarithm = [](double value, double scale) {
    return std::log2(std::max(value, 1.0)) / scale;
  };
  const double m = logarithm(static_cast<double>(shape.rows), 16) - 1;
  const double n = logarithm(static_cast<double>(shape.columns), 16) - 1;
  return {1,
          m,
          n,
          m * m,
          n * n,
          m * n,
          logarithm(shape.value_bytes, 4),
          logarithm(shape.operations, 8),
          shape.entry_weights ? 1.0 : 0.0,
          logarithm(1 + shape.inputs, 2)};
}

WAVESCAN_SELDOM inline std::vector<Tuning::Likelihood> Tuning::likelihoods(
    const LoopShape& shape) const {
  const Features x = features_of(shape);
  std::vector<Likelihood> result;
  for (const auto& [schedule, coefficients] : candidates_) {
    const double value = std::inner_product(x.begin(), x.end(), coefficients.begin(), 0.0);
    const auto is_less = [value](const Likelihood& other) { return other.probability < value; };
    result.insert(std::find_if(result.begin(), result.end(), is_less), {schedule, value});
  }
  const double largest = result.front().probability;
  double sum = 0;
  for (Likelihood& likelihood : result)
    sum += likelihood.probability = std::exp(likelihood.probability - largest);
  for (Likelihood& likelihood : result) likelihood.probability /= sum;
  return result;
}

WAVESCAN_SELDOM inline Schedule Tuning::choose_exact(const LoopShape& shape) const {
  for (const Likelihood& likelihood : likelihoods(shape))
    if (is_exact(likelihood.schedule)) return likelihood.schedule;
  return Schedule::TileSkewed;
}

WAVESCAN_SELDOM inline std::optional<TileExtents> Tuning::tile(Schedule schedule,
                                                               int value_bytes) const {
  std::optional<TileExtents> nearest;
  int distance = 0;
  for (const Tile& tile : tiles_) {
    if (tile.schedule != schedule) continue;
    const int d = std::abs(tile.value_bytes - value_bytes);
    if (nearest && d >= distance) continue;
    nearest = tile.size;
    distance = d;
  }
  return nearest;
}

}  // namespace wavescan

#endif
