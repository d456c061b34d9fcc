// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_WAVEFRONT_SCHEDULECHOICE_HPP
#define WAVESCAN_IMPL_WAVEFRONT_SCHEDULECHOICE_HPP

#include <WaveScan_Concepts.hpp>
#include <WaveScan_Loop.hpp>
#include <WaveScan_Schedule.hpp>
#include <WaveScan_Tuning.hpp>
#include <impl/WaveScan_Compiler.hpp>
#include <impl/WaveScan_Execution.hpp>
#include <impl/tuning/WaveScan_MachineTuning.hpp>
#include <impl/wavefront/WaveScan_Algorithm.hpp>

#include <algorithm>

/// @file
/// @brief The choices left to the library: the schedule of Auto and the size of tiles.

namespace wavescan::Impl {

/// @brief Returns the properties of a loop on which the choice of a schedule depends.
template <WavefrontLoop L>
LoopShape loop_shape(const Block& range) {
  LoopShape shape{range.rows(), range.columns(), static_cast<int>(sizeof(LoopValue<L>))};
  // Values as large as that are several numbers, and each of them is work.
  if (shape.value_bytes > 16) shape.operations *= shape.value_bytes / 8;
  if constexpr (requires { L::operations; }) shape.operations = L::operations;
  shape.entry_weights = HasEntryWeight<L>;
  shape.inputs = input_count<L>;
  return shape;
}

/// @brief Tiles whose rows stay in a core's cache, or give each thread of a team some columns.
template <ExecutionSpace Exec>
WAVESCAN_SELDOM TileShape choose_tile(const Exec& exec, Schedule schedule, const LoopShape& loop) {
  const Index rows = loop.rows, columns = loop.columns;
  TileShape shape;
  if constexpr (runs_on_host<Exec>) {
    constexpr Index row_bytes = 16384;
    shape = {32, row_bytes / loop.value_bytes, 1};
    if (const auto tile = machine_tuning<Exec>().tile(schedule, loop.value_bytes))
      shape = {tile->rows, tile->columns, 1};
    // Entries that take longer: tiles as much smaller, so that the pipeline fills soon.
    const Index times = std::clamp(loop.operations / LoopShape().operations, 1, 4);
    shape.rows = ceil_div(shape.rows, times);
    // Narrow arrays: tiles narrow enough for every thread to have one.
    const Index threads = resident_teams(exec, 1);
    shape.columns =
        std::max<Index>(std::min(shape.columns, ceil_div(columns, 2 * threads)), 64 / times);
  } else if (schedule == Schedule::TileSkewed) {
    shape = {32, 256, 32};
  } else {
    shape = {16, 1024, 128};
    while (shape.team_size > 32 && shape.columns > columns) {
      shape.columns /= 2;
      shape.team_size /= 2;
    }
  }
  shape.rows = std::min(shape.rows, std::max<Index>(rows, 1));
  return shape;
}

/// @brief The likeliest of the schedules to be the fastest, by the machine's model.
/// @param exact whether only those may be chosen that give the bits of Serial
template <ExecutionSpace Exec>
WAVESCAN_SELDOM Schedule choose_schedule(const Exec& exec, const LoopShape& shape, bool exact) {
  if (resident_teams(exec, 1) == 1) return Schedule::Serial;
  const Tuning& tuning = machine_tuning<Exec>();
  return exact ? tuning.choose_exact(shape) : tuning.choose(shape);
}

}  // namespace wavescan::Impl

#endif
