// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_SOR.hpp>
#include <cmath>

#include "distributed.hpp"

namespace distributed {
namespace {

/// @brief What others do on several processes: each relaxes its block, in natural order, with
/// values of its neighbours from before the sweep (PETSc's SOR, hypre's hybrid Gauss-Seidel, which
/// then sets a factor of its own for each block). Here blocks are blocks of rows, and a loop visits
/// them.
struct BlockSor {
  int n;
  Kokkos::View<double**, Kokkos::HostSpace> x, old, b;

  explicit BlockSor(int points)
      : n(points),
        x("x", static_cast<std::size_t>(n) + 2, static_cast<std::size_t>(n) + 2),
        old("old", x.extent(0), x.extent(1)),
        b("b", x.extent(0), x.extent(1)) {
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j) b(i, j) = 1;
  }
  void sweep(double omega, int blocks) {
    Kokkos::deep_copy(old, x);
    for (int block = 0; block < blocks; ++block) {
      const int first = 1 + n * block / blocks, last = n * (block + 1) / blocks;
      for (int i = first; i <= last; ++i)
        for (int j = 1; j <= n; ++j) {
          const double up = i == first ? old(i - 1, j) : x(i - 1, j);
          x(i, j) +=
              omega * (0.25 * (b(i, j) + up + x(i, j - 1) + x(i, j + 1) + x(i + 1, j)) - x(i, j));
        }
    }
  }
  double residual() const {
    double sum = 0;
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j) {
        const double r =
            b(i, j) + x(i - 1, j) + x(i + 1, j) + x(i, j - 1) + x(i, j + 1) - 4 * x(i, j);
        sum += r * r;
      }
    return std::sqrt(sum);
  }
  /// @brief Sweeps until the residual is 10^-6 of the first one; -1 if it is not after `most`.
  int solve(double omega, int blocks, int most) {
    Kokkos::deep_copy(x, 0);
    const double goal = 1e-6 * residual();
    for (int sweeps = 1; sweeps <= most; ++sweeps) {
      sweep(omega, blocks);
      const double left = residual();
      if (left < goal) return sweeps;
      if (!(left < 1e12 * goal)) return -1;
    }
    return -1;
  }
};

}  // namespace

/// @brief Sweeps to a solution over processes: blocks that forget their neighbours, and natural
/// order, whose sweeps are those of one process whatever their number.
void iterations() {
  if (own_rank > 0) return;
  const int n = 128, most = 40000;
  const double best = wavescan::optimal_omega(n, n);
  BlockSor problem(n);
  std::printf("\nsweeps until the residual is 1e-6 of the first one, Poisson %d x %d\n", n, n);
  std::printf("%10s %12s %15s %22s\n", "processes", "omega", "natural order",
              "each block by itself");
  for (const double omega : {1.0, best}) {
    const int natural = problem.solve(omega, 1, most);
    for (const int blocks : {1, 2, 4, 16, 64, 128}) {
      const int sweeps = problem.solve(omega, blocks, most);
      std::printf("%10d %12.4f %15d ", blocks, omega, natural);
      if (sweeps < 0)
        std::printf("%22s\n", "diverges");
      else
        std::printf("%22d\n", sweeps);
    }
  }
}

}  // namespace distributed
