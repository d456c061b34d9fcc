// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_TOOL_TUNING_MEASURE_HPP
#define WAVESCAN_TOOL_TUNING_MEASURE_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tuning_fit.hpp"

// What `wavescan tune` measures on the default execution space.
namespace wavescan_tool {

/// @brief A loop on an array, to be measured in all schedules.
struct Experiment {
  std::string loop;
  wavescan::LoopShape shape;
  /// Runs it in a schedule, with tiles of this size or the usual one; returns seconds.
  std::function<double(wavescan::Schedule, wavescan::TileExtents)> run;
};

/// @brief Experiments over work, rows, columns and types.
/// @param count         about how many
/// @param most_entries  of an array
std::vector<Experiment> experiments(int count, std::int64_t most_entries);

/// @brief Measures an experiment in all schedules that do not take hopelessly long.
Observation observe(const Experiment& experiment);

/// @brief The fastest tile sizes for values of 4 and 8 bytes on a large square.
std::vector<wavescan::Tuning::Tile> fastest_tiles(std::int64_t most_entries);

/// @brief Entries of the largest arrays, if nobody says otherwise: beyond all caches.
std::int64_t tuning_entries();

/// @brief The section of a Tuning that the default execution space reads: host, cuda, hip, other.
std::string tuning_section();

/// @brief What the measurements are made on, for people.
std::string machine_name();

}  // namespace wavescan_tool

#endif
