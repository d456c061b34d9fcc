// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_TUNING_FIT_HPP
#define WAVESCAN_TOOL_TUNING_FIT_HPP

#include <WaveScan_Tuning.hpp>
#include <cstddef>
#include <vector>

// From measured times to the model of a Tuning, and how good it is.
namespace wavescan_tool {

/// @brief The time of a schedule.
struct Timing {
  wavescan::Schedule schedule;
  double seconds;
};

/// @brief One loop on one array, in all schedules that could be measured; the fastest is `best`.
struct Observation {
  wavescan::LoopShape shape;
  std::vector<Timing> timings;

  const Timing& best() const;
  /// @brief The time of a schedule; infinite if it was not measured, because it would take too
  /// long.
  double seconds(wavescan::Schedule schedule) const;
};

/// @brief The coefficients for which the schedules' probabilities fit the observations best.
///
/// Multinomial logistic regression, by gradient descent from zero: the same observations always
/// give the same coefficients. Schedules that take nearly the same time count as nearly equally
/// right, so that noise between them does not bend the model.
std::vector<wavescan::Tuning::Candidate> fit(const std::vector<Observation>& observations);

/// @brief How well a model chooses.
struct Quality {
  std::size_t shapes = 0;
  std::size_t fastest = 0;  ///< how often the fastest schedule was chosen
  double mean_loss = 0;     ///< time of the choice over the shortest time, less 1
  double largest_loss = 0;
};

Quality quality_of(const wavescan::Tuning& tuning, const std::vector<Observation>& observations);

}  // namespace wavescan_tool

#endif
