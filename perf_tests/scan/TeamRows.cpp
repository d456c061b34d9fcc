// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include <WaveScan_TeamLevelScan.hpp>
#include <cstdint>
#include <support/WaveScanPerf_Rows.hpp>

// Sums along the rows of a matrix inside a kernel of a team for each row, by WaveScan's team-level
// scan and by Kokkos' parallel_scan over a TeamThreadRange.

namespace team_rows_benchmarks {
namespace {

using namespace wavescan;
using namespace wavescan::Perf;
using Exec = Kokkos::DefaultExecutionSpace;
using Team = Kokkos::TeamPolicy<Exec>::member_type;
using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, Exec>;

struct ByWaveScan {
  Matrix x, y;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto row = team.league_rank();
    team_inclusive_scan(team, Kokkos::subview(x, row, Kokkos::ALL),
                        Kokkos::subview(y, row, Kokkos::ALL));
  }
};

struct ByKokkos {
  Matrix x, y;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto row = team.league_rank();
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, x.extent_int(1)),
                          [&](int j, float& sum, bool last) {
                            sum += x(row, j);
                            if (last) y(row, j) = sum;
                          });
  }
};

template <class Kernel>
void add(const char* program) {
  add_matrix(
      "team_row_sums<float>", program, 2 * sizeof(float),
      [](const Exec& exec, std::int64_t width) -> Work {
        const auto a = random_array<float>(exec, matrix_size),
                   b = random_array<float>(exec, matrix_size);
        const auto columns = static_cast<std::size_t>(width);
        const auto rows = static_cast<std::size_t>(matrix_size / width);
        constexpr int threads = on_device ? 256 : 1;
        Kokkos::TeamPolicy<Exec> policy(exec, static_cast<int>(rows), threads);
        policy.set_scratch_size(0, Kokkos::PerTeam(team_scan_shmem_size<float, Exec>(threads)));
        const Kernel kernel{Matrix(a.data(), rows, columns), Matrix(b.data(), rows, columns)};
        return {[=] { Kokkos::parallel_for("team_row_sums", policy, kernel); },
                [a, b] { return last_of(b); }};
      });
}

[[maybe_unused]] const bool registered = [] {
  add<ByWaveScan>("wavescan");
  add<ByKokkos>("kokkos");
  return true;
}();

}  // namespace
}  // namespace team_rows_benchmarks
