// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_SCHEDULE_HPP
#define WAVESCAN_SCHEDULE_HPP

#include <impl/WaveScan_Require.hpp>

#include <array>
#include <string>
#include <string_view>

namespace wavescan {

/// @brief The ways to run a wavefront loop.
enum class Schedule {
  Serial,           ///< one thread, natural order: the reference
  RowSweep,         ///< row by row: partial values in parallel, then a weighted scan
  TileCompensated,  ///< pipeline of tiles, a weighted scan for each row inside a tile
  TileSkewed,       ///< pipeline of tiles, natural order inside a tile: the bits of Serial
  Auto,             ///< chosen from the shape and the machine
  Hybrid [[deprecated("WaveScan: use Schedule::Auto")]] = Auto
};

/// @brief True for the schedules that give the bits of Serial whatever the loop.
constexpr bool is_exact(Schedule schedule) {
  return schedule == Schedule::Serial || schedule == Schedule::TileSkewed;
}

/// @brief All schedules, for tests and menus.
inline constexpr std::array schedules{Schedule::Serial, Schedule::RowSweep,
                                      Schedule::TileCompensated, Schedule::TileSkewed,
                                      Schedule::Auto};

/// @brief The schedules that SOR and other exact loops know: see WavefrontLoop.
inline constexpr std::array exact_schedules{Schedule::Serial, Schedule::TileSkewed, Schedule::Auto};

/// @brief The schedule's name: "serial", "row-sweep", "tile-compensated", "tile-skewed", "auto".
inline const char* to_string(Schedule schedule) {
  switch (schedule) {
    case Schedule::Serial:
      return "serial";
    case Schedule::RowSweep:
      return "row-sweep";
    case Schedule::TileCompensated:
      return "tile-compensated";
    case Schedule::TileSkewed:
      return "tile-skewed";
    case Schedule::Auto:
      return "auto";
  }
  return "unknown";
}

/// @brief The schedule of a name.
/// @throws std::invalid_argument if there is none
inline Schedule schedule_of(std::string_view name) {
  for (const Schedule schedule : schedules)
    if (name == to_string(schedule)) return schedule;
  Impl::reject("schedule_of", "name",
               "must be serial, row-sweep, tile-compensated, tile-skewed or auto", name);
}

}  // namespace wavescan

#endif
