// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// Compiled for GPUs that the machine lacks, never run.
#include <WaveScan_TeamLevelScan.hpp>

/// Does not commute, and has no identity.
struct Latest {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return b != 0 ? b : a; }
};

struct ScanRows {
  Kokkos::View<double**> rows;

  KOKKOS_FUNCTION void operator()(const Kokkos::TeamPolicy<>::member_type& team) const {
    const auto row = Kokkos::subview(rows, team.league_rank(), Kokkos::ALL);
    const double sum = wavescan::team_inclusive_scan(team, row, row);
    const double latest = wavescan::team_exclusive_scan(team, row, row, Latest{}, sum);
    wavescan::team_exclusive_scan(team, row, row, wavescan::Max<double>{});
    wavescan::team_inclusive_scan(
        team, row, row, [](double a, double b) { return a < b ? a : b; }, latest);
  }
};

void scans_by_teams(const Kokkos::View<double**>& rows) {
  Kokkos::TeamPolicy<> policy(static_cast<int>(rows.extent(0)), Kokkos::AUTO);
  policy.set_scratch_size(0, Kokkos::PerTeam(wavescan::team_scan_shmem_size<double>()));
  Kokkos::parallel_for(policy, ScanRows{rows});
}
