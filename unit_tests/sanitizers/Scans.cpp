// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_Scan.hpp>
#include <WaveScan_TeamLevelScan.hpp>

#include <cstdint>

#include "Mixture.hpp"

namespace wavescan::Test {
namespace {

template <class T>
void scan_lines() {
  // In one wave of registers; with bulk copies; with lines that begin within tiles; with rows in a
  // tile.
  for (const int length : {1000, 500000}) {
    const Kokkos::View<T*, Exec> in("in", length), out("out", length + 1);
    inclusive_scan(in, in);
    inclusive_scan(in, Kokkos::subview(out, Kokkos::make_pair(1, length + 1)));
    weighted_scan(in, T(1), in);
  }
  const Kokkos::View<T**, Kokkos::LayoutRight, Exec> rows("rows", 301, 77),
      long_rows("long", 3, 40001);
  for (const auto& matrix : {rows, long_rows})
    for (const int axis : {0, 1})
      inclusive_scan(matrix, matrix, Plus<T>{}, ScanOptions<>().axis(axis));
}

/// Rows of several turns of a team, whose last warp may be a part of one; of lanes of vectors, too.
void scan_rows_by_teams(int threads, int lanes) {
  const Kokkos::View<double**, Exec> rows("rows", 5, 1000);
  Kokkos::TeamPolicy<Exec> policy(5, threads, lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(team_scan_shmem_size<double, Exec>(threads)));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Kokkos::TeamPolicy<Exec>::member_type& team) {
        const auto row = Kokkos::subview(rows, team.league_rank(), Kokkos::ALL);
        team_inclusive_scan(team, row, row);
        team_exclusive_scan(team, row, row, Max<double>{});
      });
}

}  // namespace

void run_scans() {
  scan_rows_by_teams(100, 1);
  scan_rows_by_teams(7, 8);
  scan_lines<std::uint8_t>();
  scan_lines<float>();
  const Kokkos::View<double*, Exec> in("in", 100000), weights("weights", 100000);
  weighted_scan(in, weights, in);
  exclusive_scan(in, in, Max<double>{});
}

}  // namespace wavescan::Test
