// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_PERF_ROW_MOVES_HPP
#define WAVESCAN_PERF_ROW_MOVES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <support/WaveScanPerf_Sizes.hpp>

/// @file
/// @brief Baseline "rows": a matrix of floats gets another pitch in place, a team to a row.
///
/// To a larger pitch the last rows go first, as many in one launch as land behind all rows that are
/// still where they were; when that is one only, one team moves the others, one after the other. To
/// a smaller pitch one team moves all rows. On hosts teams are threads. Source: Gomez-Luna et al.,
/// "In-Place Data Sliding Algorithms for Many-Core Architectures", sections II-A and IV-A, there
/// after Sung.

namespace wavescan::Perf {

/// @brief The rows that a launch moves: each team some that follow each other.
struct RowMove {
  float* memory;
  std::int64_t columns, pitch, new_pitch;
  std::int64_t first, rows_of_team;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t begin = first + team.league_rank() * rows_of_team;
    for (std::int64_t k = 0; k < rows_of_team; ++k)
      move(team, begin + (new_pitch > pitch ? rows_of_team - 1 - k : k));
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION void move(const Team& team, std::int64_t row) const {
    const float* const from = memory + row * pitch;
    float* const to = memory + row * new_pitch;
    KOKKOS_IF_ON_HOST((static_cast<void>(team);
                       std::memmove(to, from, static_cast<std::size_t>(columns) * sizeof(float));))
    KOKKOS_IF_ON_DEVICE((move_pieces(team, from, to);))
  }

  /// A piece is what the team's registers hold: all of a row of up to 8192 entries.
  template <class Team>
  KOKKOS_FUNCTION void move_pieces(const Team& team, const float* from, float* to) const {
    constexpr int held = 8;
    const int size = team.team_size(), end = static_cast<int>(columns), piece = held * size;
    const int pieces = (end + piece - 1) / piece;
    for (int p = 0; p < pieces; ++p) {
      const int begin = (new_pitch > pitch ? pieces - 1 - p : p) * piece + team.team_rank();
      float values[held];
      for (int u = 0; u < held; ++u)
        if (begin + u * size < end) values[u] = from[begin + u * size];
      team.team_barrier();
      for (int u = 0; u < held; ++u)
        if (begin + u * size < end) to[begin + u * size] = values[u];
    }
  }
};

/// @brief Moves `rows` rows to a larger pitch, or to a smaller one.
template <class Exec>
void move_rows(const Exec& exec, float* memory, std::int64_t rows, std::int64_t columns,
               std::int64_t pitch, std::int64_t new_pitch) {
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<1024, 1>>;
  const auto launch = [&](std::int64_t first, std::int64_t teams, std::int64_t rows_of_team) {
    const RowMove move{memory, columns, pitch, new_pitch, first, rows_of_team};
    const int size =
        on_device ? Policy(exec, 1, 1).team_size_max(move, Kokkos::ParallelForTag()) : 1;
    Kokkos::parallel_for("rows", Policy(exec, static_cast<int>(teams), size), move);
  };
  std::int64_t left = rows;
  while (new_pitch > pitch && left > 0) {
    const std::int64_t first = (left * pitch + new_pitch - 1) / new_pitch;
    if (left - first < 2) break;
    launch(first, left - first, 1);
    left = first;
  }
  if (left > 0) launch(0, 1, left);
}

}  // namespace wavescan::Perf

#endif
