// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors
//
// What distribution costs: mpirun -np P WaveScan_perf_mpi [SIZE]. Every process has SIZE^2 points,
// or elements (by default 2048^2). A line has the time of all processes working on the whole array,
// that of all working at once on their own blocks as if they were alone, and the quotient of these
// two, which is the efficiency of weak scaling but for what processes of one machine share anyway.
#include <Kokkos_Core.hpp>
#include <WaveScan_MPI.hpp>
#include <WaveScan_SOR.hpp>
#include <WaveScan_Scan.hpp>
#include <WaveScan_Select.hpp>
#include <WaveScan_SummedAreaTable.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
const MPI_Comm world = MPI_COMM_WORLD;
int own_rank = 0, processes = 0;

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight>;

/// @brief The least of several times, each that of the slowest process.
template <class Work>
double seconds_of(const Work& work) {
  double least = std::numeric_limits<double>::max(), all = 0;
  for (int turn = 0; turn < 4 || (turn < 50 && all < 1.5); ++turn) {
    MPI_Barrier(world);
    const Kokkos::Timer timer;
    work();
    Kokkos::fence();
    double seconds = timer.seconds();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world);
    all += seconds;
    if (turn > 0) least = std::min(least, seconds);
  }
  return least;
}

template <class Distributed, class Local>
void report(const char* name, const Distributed& distributed, const Local& local,
            double model = 0) {
  const double alone = seconds_of(local), together = seconds_of(distributed);
  if (own_rank > 0) return;
  std::printf("%-44s %10.3f %10.3f %10.2f", name, 1e3 * together, 1e3 * alone, alone / together);
  if (model > 0) std::printf(" %10.2f", model);
  std::printf("\n");
  std::fflush(stdout);
}

/// @brief Scans of a line.
void scans(std::int64_t n) {
  using Plus = wavescan::Plus<double>;
  const Kokkos::View<double*> in("in", static_cast<std::size_t>(n)), out("out", in.size());
  const wavescan::mpi::Scan<Exec, Plus> plan(world, Exec(), 1, n);
  const wavescan::Scan<Exec, Plus> alone(Exec(), 1, n);
  report(
      "inclusive scan, double", [&] { plan.inclusive(in, out); },
      [&] { alone.inclusive(in, out); });
}

void tables(int n) {
  const auto extent = static_cast<std::size_t>(n);
  const Matrix<std::uint8_t> image("image", extent, extent);
  const Matrix<std::uint32_t> table("table", extent, extent);
  using wavescan::SummedAreaTable;
  const wavescan::mpi::SummedAreaTable<Exec, std::uint8_t, std::uint32_t> plan(world, Exec(), n, n);
  const SummedAreaTable<Exec, std::uint8_t, std::uint32_t> alone(Exec(), n, n);
  report(
      "summed-area table, 8 to 32 bits",
      [&] {
        plan(image, table);
        plan.wait();
      },
      [&] { alone(image, table); });
}

struct IsPositive {
  KOKKOS_FUNCTION bool operator()(float x) const { return x > 0; }
};

void selections(std::int64_t n) {
  const Kokkos::View<float*> in("in", static_cast<std::size_t>(n)), out("out", in.size());
  Kokkos::parallel_for(
      "fill", n, KOKKOS_LAMBDA(const std::int64_t k) { in(k) = k * 7919 % 13 < 6 ? 1.0F : -1.0F; });
  report(
      "copy_if of half the elements, float",
      [&] { wavescan::mpi::copy_if(world, in, out, IsPositive()); },
      [&] { wavescan::copy_if(in, out, IsPositive()); });
  // Of what the first half of the processes have, everybody gets a part.
  const std::int64_t count = own_rank < (processes + 1) / 2 ? n : 0;
  report(
      "rebalance of what half the processes have",
      [&] { wavescan::mpi::rebalance(world, in, count, out); },
      [&] { Kokkos::deep_copy(out, in); });
}

/// @brief The fraction of a pass in which a process relaxes rows of its own for the first time:
/// rows that are relaxed twice for speculation, or a pipeline of so many processes that fills, and
/// pass by pass.
template <class T>
double model_of_sor(double omega, int rows, int sweeps, bool pipeline) {
  const int depth = 8;
  if (processes == 1) return 1;
  if (pipeline) {
    return static_cast<double>(sweeps) / (sweeps + depth * (processes - 1));
  }
  const int overlap = wavescan::Impl::sor::speculation_overlap<T>(-omega / 4, -omega / 4, depth);
  return static_cast<double>(rows) / (rows + overlap + depth);
}

template <class T>
void relaxations(const char* type, int n) {
  const auto extent = static_cast<std::size_t>(n);
  const int sweeps = 16;
  const Matrix<T> x("x", extent + 2, extent + 2);
  Kokkos::deep_copy(x, T(1));
  wavescan::SOR<Exec, T> alone(Exec(), n + 2, n + 2);
  for (const double omega : {1.0, 1.5, 1.9, 1.99})
    for (const auto scheme :
         {wavescan::mpi::SORScheme::Speculation, wavescan::mpi::SORScheme::Pipeline}) {
      const bool pipeline = scheme == wavescan::mpi::SORScheme::Pipeline;
      wavescan::mpi::SOR<Exec, T> plan(world, Exec(), n + 2, n + 2, {.scheme = scheme});
      const auto c = wavescan::poisson<T>(omega, 1);
      char name[80];
      std::snprintf(name, sizeof name, "SOR, %s, omega %.2f, %s", type, omega,
                    pipeline ? "pipeline" : "speculation");
      if (!pipeline && model_of_sor<T>(omega, n, sweeps, false) < 0.5) continue;
      report(
          name, [&] { plan.sweeps(x, c, sweeps); }, [&] { alone.sweeps(x, c, sweeps); },
          model_of_sor<T>(omega, n, sweeps, pipeline));
    }
  if (processes == 1) return;
  wavescan::mpi::SOR<Exec, T> columns(world, Exec(), n + 2, n + 2, {.process_columns = processes});
  char name[80];
  std::snprintf(name, sizeof name, "SOR, %s, omega 1.50, blocks of columns", type);
  const auto c = wavescan::poisson<T>(1.5, 1);
  report(
      name, [&] { columns.sweeps(x, c, sweeps); }, [&] { alone.sweeps(x, c, sweeps); });
}

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

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &own_rank);
  MPI_Comm_size(world, &processes);
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    const int n = argc > 1 ? std::atoi(argv[1]) : 2048;
    if (own_rank == 0)
      std::printf("%d processes, %d x %d a process, %s\n%-44s %10s %10s %10s %10s\n", processes, n,
                  n, Exec::name(), "", "all, ms", "alone, ms", "efficiency", "model");
    scans(std::int64_t(n) * n);
    tables(n);
    selections(std::int64_t(n) * n);
    relaxations<float>("float", n);
    relaxations<double>("double", n);
    iterations();
  }
  MPI_Finalize();
  return 0;
}
