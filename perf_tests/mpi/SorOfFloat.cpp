// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_Rebalance.hpp>

#include "Sor.hpp"

namespace distributed {

void sor_of_float(std::int64_t n) { relaxations<float>("float", n); }

void strong(std::int64_t n) {
  const std::int64_t m = 2 * n;
  for (const double omega : {1.0, 1.5}) {
    const auto c = wavescan::poisson<float>(omega, 1);
    const auto time = [&](auto plan, const Matrix<float>& x) {
      fill_with_noise<float>(x);
      return seconds_of([&] { plan.sweeps(x, c, 16); });
    };
    const auto array = [&](std::int64_t rows) {
      return Matrix<float>("x", extent(rows + 2), extent(m + 2));
    };
    using Plan = wavescan::mpi::SOR<Exec, float>;
    const std::int64_t rows = wavescan::mpi::even_block(m, world).count;
    const double plain = time(wavescan::SOR<Exec, float>(Exec(), m + 2, m + 2), array(m));
    const double on_self = time(Plan(self, Exec(), m + 2, m + 2), array(m));
    Plan in_its_array(world, Exec(), rows + 2, m + 2);
    const auto own = in_its_array.array();
    char name[80];
    std::snprintf(name, sizeof name, "strong: SOR, float, omega %.2f, %ld^2", omega,
                  static_cast<long>(m));
    print_line(name, time(std::move(in_its_array), own), on_self, plain, 0);
    print_line(std::string(name) + ", copied",
               time(Plan(world, Exec(), rows + 2, m + 2), array(rows)), on_self, plain, 0);
  }
}

}  // namespace distributed
