// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
#include <WaveScan_MPI_Rebalance.hpp>
#include <WaveScan_MPI_SOR.hpp>
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

/// @brief The same on the processes that there are, each of which has a block, and gets its
/// neighbours' values before every sweep.
class DistributedBlockSor {
 public:
  explicit DistributedBlockSor(std::int64_t points)
      : n_(points),
        rows_(wavescan::mpi::even_block(points, world).count),
        x_("x", extent(rows_ + 2), extent(n_ + 2)) {}
  /// @brief Sweeps, looking at the residual after every tenth; -1 if it is not 10^-6 of the first
  /// one after `most`.
  int solve(double omega, int most) {
    Kokkos::deep_copy(x_, 0);
    const double goal = 1e-6 * residual();
    for (int sweeps = 1; sweeps <= most; ++sweeps) {
      exchange();
      for (std::int64_t i = 1; i <= rows_; ++i)
        for (std::int64_t j = 1; j <= n_; ++j) x_(i, j) += omega * 0.25 * defect(i, j);
      if (sweeps % 10 > 0) continue;
      const double left = residual();
      if (left < goal) return sweeps;
      if (!(left < 1e12 * goal)) return -1;
    }
    return -1;
  }

 private:
  double defect(std::int64_t i, std::int64_t j) const {
    return 1 + x_(i - 1, j) + x_(i, j - 1) + x_(i, j + 1) + x_(i + 1, j) - 4 * x_(i, j);
  }
  void exchange() const {
    const int above = own_rank > 0 ? own_rank - 1 : MPI_PROC_NULL;
    const int below = own_rank + 1 < processes ? own_rank + 1 : MPI_PROC_NULL;
    const auto pass = [&](std::int64_t from, int to, std::int64_t into, int source) {
      MPI_Sendrecv(&x_(from, 0), static_cast<int>(n_ + 2), MPI_DOUBLE, to, 0, &x_(into, 0),
                   static_cast<int>(n_ + 2), MPI_DOUBLE, source, 0, world, MPI_STATUS_IGNORE);
    };
    pass(1, above, rows_ + 1, below);
    pass(rows_, below, 0, above);
  }
  double residual() const {
    exchange();
    double sum = 0;
    for (std::int64_t i = 1; i <= rows_; ++i)
      for (std::int64_t j = 1; j <= n_; ++j) sum += defect(i, j) * defect(i, j);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, world);
    return std::sqrt(sum);
  }

  std::int64_t n_, rows_;
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> x_;
};

/// @brief The time to a solution on the processes that there are, on hosts.
void times(std::int64_t n, double omega) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const auto timed = [](const auto& solve) {
    MPI_Barrier(world);
    const Kokkos::Timer timer;
    const int sweeps = solve();
    double seconds = timer.seconds();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world);
    if (own_rank > 0) return;
    if (sweeps < 0)
      std::printf("%22s", "diverges");
    else
      std::printf("%12d %7.3f s", sweeps, seconds);
  };
  if (own_rank == 0) std::printf("%5ld^2 %10.4f", static_cast<long>(n), omega);
  constexpr int most = 200000;
  const std::int64_t rows = wavescan::mpi::even_block(n, world).count;
  wavescan::mpi::SOR<Host, double> plan(world, Host(), rows + 2, n + 2);
  const auto x = plan.array();
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> b("b", x.extent(0), x.extent(1));
  Kokkos::deep_copy(b, 1);
  timed([&] {
    const auto report = plan.solve(
        x, wavescan::poisson<double>(omega, 1), wavescan::SORInputs<>().rhs(b),
        {.tolerance = 0, .relative_tolerance = 1e-6, .max_sweeps = most, .check_every = 10});
    return report.converged() ? report.sweeps : -1;
  });
  timed([&] { return DistributedBlockSor(n).solve(omega, most); });
  if (own_rank == 0) std::printf("\n");
}

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

/// @brief The time to a solution on the processes that there are.
void solutions() {
  if (own_rank == 0)
    std::printf(
        "\nto 1e-6 of the first residual, which every tenth sweep looks at\n%7s %10s %22s %22s\n",
        "size", "omega", "natural order", "each block by itself");
  times(128, 1);
  for (const int n : {128, 512}) times(n, wavescan::optimal_omega(n, n));
}

}  // namespace distributed
